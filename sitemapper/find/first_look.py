"""The first look: what is read of a site and its project before the first page of the run.

The project that wrote the site, its base URL, its links and its URL forms are found in the same few
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
# Pages that are read before a run. Their majority decides about URL forms and base URLs, and more
# pages hardly change it.
SAMPLE = 200
HEAD = 1 << 16  # bytes of each: a head with inlined styles may be long, and links follow it
NOWHERE = "https://site.invalid/"  # the base of relative URLs before the base URL is found


class PageStart(NamedTuple):
    """The path of a page in the site, and its first bytes."""

    path: str
    data: bytes


class _ProjectText(NamedTuple):
    """The text of a project file, and the reason why it cannot be read, "" if it can."""

    text: str
    problem: str = ""


class FirstLook:
    """Reads the beginnings of pages, and project files, each once.

    Messages show files as seen from `cwd`, the working directory.
    """

    def __init__(self, cwd: str) -> None:
        self.cwd = cwd
        self._starts: dict[str, bytes] = {}
        self._texts: dict[str, _ProjectText] = {}
        self._settings: dict[str, dict[str, Found]] = {}

    def __reduce__(self) -> tuple[type["FirstLook"], tuple[str]]:
        return FirstLook, (self.cwd,)  # other processes read nothing before a run

    def forget(self) -> None:
        """Frees the memory of what was read. The run needs none of it."""
        self._starts.clear()
        self._texts.clear()
        self._settings.clear()

    # --- pages

    def start(self, site: str, path: str) -> bytes:
        """Reads the first bytes of a file in a site, at most HEAD. Empty if it cannot be read."""
        file = os.path.join(os.path.realpath(site), path)
        if file not in self._starts:
            self._starts[file] = start_of(site, file, HEAD)
        return self._starts[file]

    def page(self, root: SiteRoot, page: Page) -> PageStart:
        """Reads the first bytes of a page that a walk has found. Empty if it cannot be read."""
        file = root.file(page.path)
        if file not in self._starts:
            try:
                _, self._starts[file] = contents.read(root, page, HEAD)
            except OSError:  # the build reads the page again, and reports the error
                self._starts[file] = b""
        return PageStart(page.path, self._starts[file])

    def home(self, site: str) -> PageStart:
        """Reads the home page of a site: its index page, or the page to which this redirects.

        An `index.html` with a meta refresh to `en/` gives `en/index.html`. A target that is no file
        of the site leaves the index page, whose bytes are empty if there is none.
        """
        existing = (name for name in INDEXES if os.path.isfile(os.path.join(site, name)))
        index = next(existing, INDEX)
        data = self.start(site, index)
        # Most home pages have no meta refresh, and need no parser for it.
        target = _redirected_path(data) if b"http-equiv" in data.lower() else ""
        if target:
            # The server may show a page at `en`, `en.html` or `en/`.
            for file in (target, f"{target}.html", f"{target}/{INDEX}"):
                if os.path.isfile(os.path.join(site, file)):
                    return PageStart(file, self.start(site, file))
        return PageStart(index, data)

    # --- project files

    def text(self, project: str, name: str, top: str = "") -> str:
        """Reads the text of the file `name` in the folder `project`, "" if it cannot be read.

        No link may lead out of the folder `top`. By default, that is the root of the repository or,
        without one, the project's folder.
        """
        return self._read(project, name, top).text

    def settings(self, project: str, name: str, top: str = "") -> dict[str, Found]:
        """Reads the keys of a settings file in the folder `project`, each with its value and line.

        `baseURL = "https://a.example/"` in `hugo.toml` → `{"baseURL": Found(…)}`. A file that
        cannot be read gives one entry, `MORE_KEYS`, with the reason. `top` as in `text`.
        """
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
        """Reads a project file once: its text, or the reason why it cannot be read.

        A missing file gives "" without a reason.
        """
        path = os.path.join(project, name)
        if path not in self._texts:
            try:
                data = open_inside(top or ancestors(project)[-1], path, LIMIT) or b""
                self._texts[path] = _ProjectText(data.decode("utf-8", "replace"))
            except OSError as error:
                self._texts[path] = _ProjectText("", str(error.strerror))
        return self._texts[path]


def _redirected_path(page: bytes) -> str:
    """Finds the path in the site to which its index page redirects, "" if to none.

    `<meta http-equiv="refresh" content="0; url=./en/">` → `en`. A target on another host gives "".
    """
    target = refresh_target(page)
    url = resolve(target, NOWHERE) if target else None
    path = relative_path(url, NOWHERE) if url else None
    if not path:
        return ""
    return posixpath.normpath(f"/{path}").lstrip("/")


def sample_pages(
    site: str, ignore: Iterable[Line], include: Sequence[str], first_look: FirstLook
) -> Iterator[PageStart]:
    """Yields the first pages of a site in walk order, without ignored ones.

    A missing folder has none. `include` are the patterns of files that are pages besides HTML. At
    most SAMPLE pages are read, of which the callers judge URL forms and the base URL.
    """
    with suppress(SiteError):  # the run lists the folder again, and reports the error
        root = folder(site, ignore, include)
        for page in begin(root).pages[:SAMPLE]:
            yield first_look.page(root, page)


def start_of(root: str, path: str, limit: int = 1024) -> bytes:
    """Reads the first bytes of the file `path` in the folder `root`, empty if it cannot be read.

    A link out of `root`, as from a cloned repository to a private file, is not followed.
    """
    try:
        return start_inside(root, path, limit) or b""
    except (OSError, ValueError):  # ValueError: a name with "\0", which no file has
        return b""
