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
        """Reads the beginning of a source file, with the size and the parts of its page's text.

        tea.md has 900 bytes, and a line of 30 bytes in it includes brew.md, which has 500 bytes →
        the data of tea.md, the `size` 900 - 30 + 500 = 1,370, and the part `brew.md`. So a commit
        of brew.md also dates the page.

        The file is a stub if it has no text of its own, and a tool generates some of what it
        includes: `::: package.module`. Then its own commits do not date the page.

        None if the file is no regular file, or a link, because git would date the link itself.
        """
        beginning = self._beginnings.read(name, SOURCE_LIMIT)
        if beginning is None:
            return None
        data, size = beginning
        included = find_included_text(data.decode("utf-8", "replace"))
        # Lines that include other files are no text of the source. `included.size` are their bytes.
        size = max(0, size - included.size)
        is_generated = included.is_generated
        parts: list[str] = []
        for file in included.files:
            part = _find_part(self._top, posixpath.dirname(name), file)
            if part:
                parts.append(part)
                size += os.path.getsize(os.path.join(self._top, part))
            else:  # the file is not in the repository, so the build generates it
                is_generated = True
        return SourceText(data, size, tuple(parts), is_stub=is_generated and included.is_all)


def _find_part(top: str, folder: str, file: str) -> str:
    """Finds an included file in the repository by its name in the source. "" if it is not there.

    `text/guide/tea.md` includes `brew.md` → the first that exists of `text/guide/brew.md`,
    `text/brew.md` and `brew.md`.

    The folder of the source is tried first, then those above, because names begin at one of three
    places:

    - at the source: docutils.sourceforge.io, include
    - at the root of the sources: sphinx-doc.org, paths with a slash in front
    - where the generator runs: pymdownx.snippets, base_path
    """
    while True:
        name = posixpath.normpath(posixpath.join(folder, file.lstrip("/")))
        path = os.path.join(top, name)
        if not name.startswith("../") and os.path.isfile(path) and not os.path.islink(path):
            return name
        if not folder:
            return ""
        folder = posixpath.dirname(folder)
