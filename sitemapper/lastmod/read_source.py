"""Reads the beginnings of source files, and finds the files that they include."""

import os
import posixpath
from typing import NamedTuple

from ..fs import Beginnings
from ..syntax.includes import find_included_text
from ..syntax.source_text import SOURCE_LIMIT


class SourceText(NamedTuple):
    """The beginning of a source file, with the files that it includes.

    - `data` is the beginning of the file.
    - `parts` are the paths of the files that it includes.
    - `size` is the number of bytes of its own text and of its parts.
    - `is_stub` says that it has no text of its own, and that a tool generates what it includes:
      `::: package.module`.
    """

    data: bytes
    size: int
    parts: tuple[str, ...]
    is_stub: bool


class SourceReader:
    """Reads the source files of a repository. `top` is its root folder in the file system."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._beginnings = Beginnings(top)

    def read(self, name: str) -> SourceText | None:
        """Reads the beginning of a source file, and finds the files whose text it includes.

        If tea.md has 900 bytes, and 30 of them are a line that includes brew.md, which has 500
        bytes: its `parts` are `brew.md`, and the `size` of all its text is 900 - 30 + 500 bytes.
        A commit of brew.md then also dates the page.

        None if the file is no regular file, or a link, because git would date the link itself.
        """
        beginning = self._beginnings.read(name, SOURCE_LIMIT)
        if beginning is None:
            return None
        data, size = beginning
        included = find_included_text(data.decode("utf-8", "replace"))
        # The lines that include other files are no text of the source. They have `included.size`.
        size = max(0, size - included.size)
        is_generated = included.is_generated  # a tool generates some text: `::: package.module`
        parts: list[str] = []
        for file in included.files:
            part = _find_part(self._top, posixpath.dirname(name), file)
            if part:
                parts.append(part)
                size += os.path.getsize(os.path.join(self._top, part))
            else:  # the file is not in the repository, so the build generates it
                is_generated = True
        # A stub has no text of its own, so its commits alone do not date the page.
        return SourceText(data, size, tuple(parts), is_stub=is_generated and included.is_all)


def _find_part(top: str, folder: str, file: str) -> str:
    """Finds an included file in the repository by its name in the source. "" if it is not there.

    If `text/guide/tea.md` includes `brew.md`, this is the first that exists of
    `text/guide/brew.md`, `text/brew.md` and `brew.md`. `top` is the repository, and `folder` that
    of the source: `text/guide`.

    Generators read such a name in one of three folders: that of the source (docutils, include), the
    root of all sources (Sphinx, names that begin with a slash), or the one in which the generator
    runs (pymdownx.snippets, base_path).
    """
    while True:  # from the folder of the source up to the repository, whose name is ""
        name = posixpath.normpath(posixpath.join(folder, file.lstrip("/")))
        path = os.path.join(top, name)
        if not name.startswith("../") and os.path.isfile(path) and not os.path.islink(path):
            return name
        if not folder:
            return ""
        folder = posixpath.dirname(folder)
