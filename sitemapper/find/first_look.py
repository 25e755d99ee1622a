"""The first look: what is read of a site and its project before the first page of the run.

Who wrote the site, its base URL, its links and the forms of its URLs are found in the same few
files, so each of them is opened once.
"""

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from ..errors import SiteError
from ..fs import ancestors, open_inside, relative, start_inside
from ..model import MORE_KEYS, NOT_LITERAL, Found, Page
from ..read import contents
from ..read.metadata import refresh_target
from ..read.walk import INDEX, SiteRoot, begin, folder
from ..syntax.gitignore import Line
from ..syntax.settings_files import parse
from ..syntax.urls import INDEXES, relative_path, resolve

LIMIT = 1 << 20  # bytes of a project file
SAMPLE = 200  # pages that are read before a run
HEAD = 1 << 16  # bytes of each
NOWHERE = "https://site.invalid/"  # the base of relative URLs, where no other is known


class PageStart(NamedTuple):
    """The path of a page in the site, and its first bytes."""

    path: str
    data: bytes


class _ProjectText(NamedTuple):
    """The text of a project file, and why it cannot be read, "" if it can."""

    text: str
    problem: str = ""


class FirstLook:
    """Reads the beginnings of pages, and project files, each once.

    Files are named as seen from `cwd`, the working directory.
    """

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self._starts: dict[str, bytes] = {}
        self._texts: dict[str, _ProjectText] = {}
        self._settings: dict[str, dict[str, Found]] = {}

    def __reduce__(self) -> tuple[type["FirstLook"], tuple[str]]:
        return FirstLook, (self.cwd,)  # other processes read nothing before a run

    def forget(self) -> None:
        """Drops what was read, because the run needs none of it."""
        self._starts.clear()
        self._texts.clear()
        self._settings.clear()

    # --- pages

    def start(self, site: str, path: str) -> bytes:
        """The first bytes of a file in a site, empty if it cannot be read."""
        file = os.path.join(os.path.realpath(site), path)
        if file not in self._starts:
            self._starts[file] = start_of(site, file, HEAD)
        return self._starts[file]

    def page(self, root: SiteRoot, page: Page) -> PageStart:
        """A page that a walk has found, with its first bytes, none if it cannot be read."""
        file = root.file(page.path)
        if file not in self._starts:
            try:
                _, self._starts[file] = contents.read(root, page, HEAD)
            except OSError:  # the build reports it
                self._starts[file] = b""
        return PageStart(page.path, self._starts[file])

    def home(self, site: str) -> PageStart:
        """The page that the site's root shows: the index page or the one it redirects to."""
        present = (name for name in INDEXES if os.path.isfile(os.path.join(site, name)))
        index = next(present, INDEX)
        page = self.start(site, index)
        # Most home pages need no parser for this.
        name = _redirected_path(page) if b"http-equiv" in page.lower() else ""
        if name:
            for file in (name, f"{name}.html", f"{name}/{INDEX}"):
                if os.path.isfile(os.path.join(site, file)):
                    return PageStart(file, self.start(site, file))
        return PageStart(index, page)

    # --- project files

    def text(self, project: str, name: str, top: str = "") -> str:
        """The text of a file of a project's folder, "" if it cannot be read.

        It must be in the folder `top`, by default the root of the repository or, without one, the
        project's folder.
        """
        return self._read(project, name, top).text

    def settings(self, project: str, name: str, top: str = "") -> dict[str, Found]:
        """What a settings file of a project's folder says of each key. `top` as in `text`."""
        path = os.path.join(project, name)
        if path not in self._settings:
            file = relative(path, self.cwd)
            text, problem = self._read(project, name, top)
            if problem:
                found = {MORE_KEYS: Found(NOT_LITERAL, file, problem=problem)}
            else:
                found = parse(text, file)
            self._settings[path] = found
        return self._settings[path]

    def _read(self, project: str, name: str, top: str) -> _ProjectText:
        path = os.path.join(project, name)
        if path not in self._texts:
            self._texts[path] = _ProjectText("")
            try:
                data = open_inside(top or ancestors(project)[-1], path, LIMIT) or b""
                self._texts[path] = _ProjectText(data.decode("utf-8", "replace"))
            except OSError as error:
                self._texts[path] = _ProjectText("", str(error.strerror))
        return self._texts[path]


def _redirected_path(page: bytes) -> str:
    """The path in the site to which the root's index page redirects, "" if to none.

    `<meta http-equiv="refresh" content="0; url=./en/">` → `en`.
    """
    target = refresh_target(page)
    path = relative_path(resolve(target, NOWHERE) or "", NOWHERE) if target else None
    if not path:
        return ""
    return posixpath.normpath(f"/{path}").lstrip("/")


def sample_pages(
    site: str, ignore: Iterable[Line], include: Sequence[str], first_look: FirstLook
) -> Iterator[PageStart]:
    """The first pages of a site in walk order, none if it cannot be listed."""
    with suppress(SiteError):
        root = folder(site, ignore, include)
        for page in begin(root).pages[:SAMPLE]:
            yield first_look.page(root, page)


def start_of(root: str, path: str, limit: int = 1024) -> bytes:
    """The first bytes of a file in a site or repository `root`, empty if it cannot be read."""
    try:
        return start_inside(root, path, limit) or b""
    except OSError:
        return b""
