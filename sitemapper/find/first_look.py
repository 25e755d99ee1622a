"""The first look: what is read of a site and its project before the first page of the run.

The project that wrote the site, its base URL, its links and its URL forms are found in the same few
files, so each of them is opened once.
"""

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

from ..errors import SiteError
from ..fs import ancestors, open_inside, relative, start_inside
from ..model import MORE_KEYS, NOT_LITERAL, Found, Page
from ..read import server, walk
from ..read.metadata import refresh_target
from ..read.walk import INDEX, SiteRoot
from ..site import RobotsFile
from ..syntax.gitignore import Line
from ..syntax.html import unescaped
from ..syntax.settings_files import parse
from ..syntax.urls import INDEXES, Locator, moved_url, relative_path, resolve

LIMIT = 1 << 20  # bytes of a project file
# Pages that are read before a run. Their majority decides about URL forms and base URLs, and more
# pages hardly change it.
SAMPLE = 200
HEAD = 1 << 16  # bytes of each: a head with inlined styles may be long, and links follow it
NOWHERE = "https://site.invalid/"  # the base of relative URLs before the base URL is found
# Bytes. Crawlers read 500 KiB (RFC 9309, 2.5), and a build keeps all of the file.
_LIMIT_OF_ROBOTS = 4 << 20
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
CANONICAL = re.compile(
    rb"""(?ix)
    <link\s
    (?= [^<>]* \brel=["']?canonical )      # rel="canonical", anywhere in the tag
    [^<>]* \bhref=["']? ([^"'\s<>]+)       # href="/a/"
    """
)
_OG_URL = re.compile(
    rb"""(?ix)
    <meta\s
    (?= [^<>]* \bproperty=["']?og:url["'\s] )   # property="og:url", anywhere in the tag
    [^<>]* \bcontent=["']? ([^"'\s<>]+)         # content="https://a.example/"
    """
)
SITEMAP_LINK = re.compile(
    rb"""(?ix)
    <link\s
    (?= [^<>]* \brel=["']?sitemap["'\s/>] )     # rel="sitemap", anywhere in the tag
    [^<>]* \bhref=["']? ([^"'\s<>]+)            # href="/sitemap.xml"
    """
)
# `<meta http-equiv="refresh" …>`. Compiled when it is used.
_REFRESH = rb"""(?i)<meta\s[^<>]*http-equiv=["']?refresh"""
# No parser, because comments and scripts rarely contain enough links to decide. Compiled when it is
# used.
_LINK = rb"""(?ix)
    <a\s (?: [^<>]*? \s )?                  # <a class="b"
    href \s* = \s* ["']?                     # href="
    ( [^"'\s<>\#?] [^"'\s<>]* )             # ../b/, but not #part or ?query of the same page
"""
FEW = 10  # links of a page that count, so that no page with hundreds of them decides alone


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
        """Makes a first look that has read nothing yet. It reads a file when it is asked for it."""
        self.cwd = cwd
        # What was read, by the path of the file, so that no file is read twice.
        self._starts: dict[str, bytes] = {}  # the first bytes of pages
        self._texts: dict[str, _ProjectText] = {}  # the texts of project files
        self._settings: dict[str, dict[str, Found]] = {}  # their settings, by key

    def __reduce__(self) -> tuple[type["FirstLook"], tuple[str]]:
        # Pickles `cwd` alone for a worker process, which does not need what was read here.
        return FirstLook, (self.cwd,)

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
                _, self._starts[file] = server.read(root, page, HEAD)
            except OSError:  # the build reads the page again, and reports the error
                self._starts[file] = b""
        return PageStart(page.path, self._starts[file])

    def home(self, site: str, base_url: str = NOWHERE) -> PageStart:
        """Reads the home page of a site: its index page, or the page to which this redirects.

        | the index page | result |
        |---|---|
        | is missing | `index.html`, with empty bytes |
        | has a meta refresh to `en/`, and the site has en/index.html | `en/index.html` |
        | has no meta refresh, or one to no file of the site | the index page itself |

        A meta refresh to a full URL, such as `https://a.example/en/`, is followed only if it is
        below `base_url`.
        """
        existing = (name for name in INDEXES if os.path.isfile(os.path.join(site, name)))
        index = next(existing, INDEX)
        data = self.start(site, index)
        # Most home pages have no meta refresh, and need no parser for it.
        target = _redirected_path(data, base_url) if b"http-equiv" in data.lower() else ""
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

        `baseURL = "https://a.example/"` in `hugo.toml` → `{"baseURL": Found(…)}`. A missing file
        gives no key. A file that cannot be read gives a single entry in place of its keys, whose
        `problem` is the reason: `Permission denied`.

        No link may lead out of the folder `top`, by default the root of the repository.
        """
        path = os.path.join(project, name)
        if path not in self._settings:
            file = relative(path, self.cwd)
            text, problem = self._read(project, name, top)
            if problem:  # MORE_KEYS, since the file may have any keys
                found = {MORE_KEYS: Found(NOT_LITERAL, file, problem=problem)}
            else:
                found = parse(text, file)
            self._settings[path] = found
        return self._settings[path]

    def _read(self, project: str, name: str, top: str) -> _ProjectText:
        """Reads a project file once: its text, or the problem why it cannot be read.

        A missing file has neither: its text is "". `top` is the folder out of which no link may
        lead, "" for the root of the repository.
        """
        path = os.path.join(project, name)
        if path not in self._texts:  # what was read before, by path
            top = top or ancestors(project)[-1]
            try:
                data = open_inside(top, path, LIMIT) or b""  # None for a missing file
                self._texts[path] = _ProjectText(data.decode("utf-8", "replace"))
            except OSError as error:
                self._texts[path] = _ProjectText("", problem=str(error.strerror))
        return self._texts[path]


def _redirected_path(page: bytes, base_url: str) -> str:
    """Finds the path to which a site's index page redirects: `en`; "" if to none in the site.

    `page` are the first bytes of the index page. With the base URL `https://a.example/docs/`:

    | meta refresh of the page | result |
    |---|---|
    | `./en/`, or `https://a.example/docs/en/` | `en` |
    | `https://b.example/en/`, which is another site | "" |

    If no base URL was found yet, the caller gives `https://site.invalid/`. Then only a relative
    target such as `./en/` is in the site.
    """
    target = refresh_target(page)
    url = resolve(target, base_url) if target else None
    path = relative_path(url, base_url) if url else None
    if not path:
        return ""
    # `en/` → `en`, and `en/../fr/` → `fr`. The slash in front keeps `..` from leaving the site.
    return posixpath.normpath(f"/{path}").lstrip("/")


def sample_pages(
    site: str, ignore: Iterable[Line], include: Sequence[str], first_look: FirstLook
) -> Iterator[PageStart]:
    """Reads the first 200 pages of a site in walk order, each with its first bytes.

    The caller finds the base URL by them. `ignore` are the patterns of pages that are left out.
    `include` are those of files that are pages besides HTML: `*.pdf`. A missing folder has no
    pages.
    """
    with suppress(SiteError):  # the run lists the folder again, and reports the error
        root = walk.make_site_root(site, ignore, include)
        for page in walk.begin(root).pages[:SAMPLE]:
            yield first_look.page(root, page)


def start_of(root: str, path: str, limit: int = 1024) -> bytes:
    """Reads the first bytes of the file `path` in the folder `root`, empty if it cannot be read.

    A link out of `root`, as from a cloned repository to a private file, is not followed.
    """
    try:
        return start_inside(root, path, limit) or b""
    except (OSError, ValueError):  # ValueError: a name with "\0", which no file has
        return b""


def read_robots(site: str, *, output: str, base_url: str) -> RobotsFile | None:
    """Reads the robots.txt in the folder of the site or, if it has none, in that of the output.

    | base URL | the folders | result |
    |---|---|---|
    | `https://a.example/docs/` | any: crawlers read it only at the root (RFC 9309, 2.3) | None |
    | `https://a.example/` | one or both have a robots.txt | its path and text |
    | `https://a.example/` | neither has one | the path in the output, and an empty text |

    Raises OSError if the file cannot be read, or is a link out of its folder.
    """
    if urlsplit(base_url).path != "/":
        return None
    for folder in (site, output):
        path = os.path.join(folder, "robots.txt")
        text = open_inside(folder, path, _LIMIT_OF_ROBOTS)
        if text is not None:
            return RobotsFile(path, text)
    return RobotsFile(os.path.join(output, "robots.txt"), b"")


# --- the URLs in the first pages


class PageUrl(NamedTuple):
    """The path of a page in the site, and the absolute URL in its head, such as its canonical."""

    path: str
    url: str

    @property
    def base_url(self) -> str:
        """Finds the base URL of the site by removing the page's path from the end of the URL.

        For the page `docs/a.html`:

        | URL | base URL |
        |---|---|
        | `https://a.example/docs/a.html`, or with `/docs/a` or `/docs/a/` | `https://a.example/` |
        | `https://a.example/b`, which is another page's | "" |
        | any URL with a query | "": no path of a page has one |
        """
        if "?" in self.url:
            return ""
        for path in _list_url_paths(self.path):
            if self.url.endswith(path):
                before_path = self.url.removesuffix(path)  # `https://a.example`
                return f"{before_path}/"
        # The URL of a home page may be `https://a.example/docs`: its server adds the slash.
        last_part = self.url.rpartition("/")[2]
        if self.path in INDEXES and "." not in last_part:
            return f"{self.url}/"
        return ""


def _list_url_paths(page: str) -> Iterator[str]:
    """Yields the URL paths at which any server may show a page: `/a.html`, `/a` and `/a/`."""
    at_root = Locator(base="/", style="directory")  # any style will do: `served_paths` has all
    return map(at_root.encoded, at_root.served_paths(page))


def list_canonicals(starts: Iterable[PageStart], base_url: str) -> Iterator[PageUrl]:
    """Yields each page that has a canonical, with the canonical as an absolute URL.

    `a.html` with `<link rel="canonical" href="/a/">` → `a.html` and `https://a.example/a/`, if
    `base_url` is `https://a.example/`. Pages that redirect by a meta refresh are left out, since
    their canonical is that of the target.
    """
    for path, data in starts:
        canonical = find_head_url(data, CANONICAL)
        if not canonical or re.search(_REFRESH, data):
            continue
        url = resolve(canonical, base_url + path)
        if url:
            yield PageUrl(path, url)


def find_og_url(home: PageStart, base_url: str) -> PageUrl | None:
    """Finds the `og:url` (ogp.me) of the home page as an absolute URL, None if it has none.

    `<meta property="og:url" content="/docs/">` → `https://a.example/docs/`.
    """
    text = find_head_url(home.data, _OG_URL)
    url = resolve(text, base_url + home.path) if text else None
    return PageUrl(home.path, url) if url else None


def find_head_url(start: bytes, pattern: re.Pattern[bytes]) -> str:
    """Finds a URL in the first bytes of a page, as it is written there; "" if there is none.

    `pattern` is CANONICAL or the like, whose first group matches the URL. Character references are
    replaced: `href="/a?b&amp;c"` → `/a?b&c`. HTML comments do not count.
    """
    # A pattern is enough, so that not every run loads a parser.
    match = pattern.search(_COMMENT.sub(b"", start))
    if match is None:
        return ""
    return unescaped(match[1].decode("utf-8", "replace"))


class UrlPath(NamedTuple):
    """A file of the site, and the path of a URL that it has: `a/index.html` and `a/`."""

    file: str
    path: str


class FirstPages(NamedTuple):
    """Reads the canonicals and links of a site's first pages, as paths below its base URL.

    `follows_canonicals` is the key `[respect] canonical`: without it, no canonical is read.
    `former_base` is a base URL that the host redirects to this one, so its URLs count as ours; ""
    for none.
    """

    root: SiteRoot
    base_url: str
    first_look: FirstLook
    follows_canonicals: bool = True
    former_base: str = ""

    def starts(self, pages: Iterable[Page]) -> Iterator[PageStart]:
        """Yields the path of each page and its first bytes."""
        for page in pages:
            yield self.first_look.page(self.root, page)

    def path_of(self, reference: str, page: str) -> str | None:
        """Resolves a URL in a page to a path below the base URL, None if it leads elsewhere.

        | page | reference | result |
        |---|---|---|
        | `a/b.html` | `../c/#d` | `c/` |
        | `a/b.html` | `https://other.example/` | None |

        A URL below `former_base` counts as the same path below the base URL. `page` may also be a
        folder such as `a/`, or "" for the base URL.
        """
        url = resolve(reference, self.base_url + page)
        if not url:
            return None
        url = moved_url(url, self.former_base, self.base_url)
        return relative_path(url, self.base_url)

    def canonicals(self, pages: Iterable[Page]) -> Iterator[UrlPath]:
        """Yields the pages with a canonical below the base URL, and the path of the canonical.

        `b.html` with the canonical `https://a.example/b` → `b.html` and `b`. Nothing is yielded if
        canonicals are not followed.
        """
        if not self.follows_canonicals:
            return
        for page, data in self.starts(pages):
            canonical = find_head_url(data, CANONICAL)
            path = self.path_of(canonical, page) if canonical else None
            if path is not None:
                yield UrlPath(page, path)

    def own_canonicals(self, pages: Iterable[Page]) -> Iterator[UrlPath]:
        """Yields the pages whose canonical is their own URL, with the path of the canonical.

        `b.html` with the canonical `https://a.example/b` → `b.html` and `b`, which shows that the
        site leaves `.html` out of its URLs. A page with the canonical of another page is left out.
        """
        for canonical in self.canonicals(pages):
            if server.file_for_url_path(self.root, canonical.path) == canonical.file:
                yield canonical

    def links(
        self,
        pages: Iterable[Page],
        limit: int = 0,
        counts: Callable[[UrlPath], bool] | None = None,
    ) -> Iterator[UrlPath]:
        """Yields the links in pages that lead to files of the site: each file, and the link's path.

        `<a href="../c/">` in `a/b.html` → `c/index.html` and `c/`. A link that is repeated in a
        page is yielded once.

        Only the first `limit` links of each page are yielded, so that a page with hundreds of links
        does not decide alone which URLs most pages use; 0 is no limit. With the function `counts`,
        a link for which it returns False is passed over.
        """

        # Pages share most of their links, as in menus, and finding a file costs a system call. So
        # the cache lives for all pages of this call.
        @cache
        def find_link(target: str, folder: str) -> UrlPath | None:
            """Resolves a link in a page of the folder: `../c/` in `a/` → `c/index.html` and `c/`.

            None for a link out of the site, to a missing file, or one that does not count.
            """
            path = self.path_of(target, folder)
            if path is None:
                return None
            file = server.file_for_url_path(self.root, path)
            if file is None:
                return None
            link = UrlPath(file, path)
            return link if counts is None or counts(link) else None

        for page, data in self.starts(pages):
            folder = page[: page.rfind("/") + 1]
            seen: set[UrlPath] = set()
            for match in re.finditer(_LINK, data):
                target = match[1].decode("utf-8", "replace").partition("#")[0]
                if not target:
                    continue
                # `/a/` leads to the same file from all folders. Without the folder of the page, the
                # cache has such a link only once.
                link = find_link(target, "" if target.startswith("/") else folder)
                if link is None or link in seen:
                    continue
                seen.add(link)
                yield link
                if len(seen) == limit:
                    break
