"""What the first pages of a site say about its URLs: their heads, and their links."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ..messages import Kind, Message
from ..model import Page
from ..read import server, walk
from ..site import Output
from ..syntax import urls
from ..syntax.html import unescaped
from .first_look import FirstLook, PageStart

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CANONICAL = re.compile(
    rb"""<link\s(?=[^<>]*\brel=["']?canonical)[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
_OG_URL = re.compile(
    rb"""<meta\s(?=[^<>]*\bproperty=["']?og:url["'\s])[^<>]*\bcontent=["']?([^"'\s<>]+)""",
    re.IGNORECASE,
)
_SITEMAP = re.compile(
    rb"""<link\s(?=[^<>]*\brel=["']?sitemap["'\s/>])[^<>]*\bhref=["']?([^"'\s<>]+)""", re.IGNORECASE
)
# Compiled when it is used.
_REFRESH = rb"""(?i)<meta\s[^<>]*http-equiv=["']?refresh"""
# No parser, because comments and scripts rarely contain enough links to decide. Compiled when it is
# used.
_LINK = rb"""(?i)<a\s(?:[^<>]*?\s)?href\s*=\s*["']?([^"'\s<>#?][^"'\s<>]*)"""
FEW = 10  # links of a page that count


class PageUrl(NamedTuple):
    """The path of a page in the site, and the absolute URL that its head names."""

    path: str
    url: str

    @property
    def base_url(self) -> str:
        """The base URL at which the page has this URL, in any style of URLs.

        `docs/a.html` and `https://a.example/docs/a/` → `https://a.example/`. "" for the URL of
        another page, such as `https://a.example/b`.
        """
        if "?" in self.url:
            return ""
        at_root = urls.Locator("/", "directory")
        for served_path in at_root.served_paths(self.path):
            end_of_url = at_root.encoded(served_path)  # begins with a slash
            if self.url.endswith(end_of_url):
                return self.url.removesuffix(end_of_url) + "/"
        # A home page may name `https://a.example/docs`, to which its server adds the slash.
        name = self.url.rpartition("/")[2]
        if self.path in urls.INDEXES and "." not in name:
            return f"{self.url}/"
        return ""


def list_canonicals(starts: Iterable[PageStart], base_url: str) -> Iterator[PageUrl]:
    """The canonicals of the pages that have one. Those of pages that redirect do not count."""
    for path, data in starts:
        canonical = canonical_of(data)
        if not canonical or re.search(_REFRESH, data):
            continue
        url = urls.resolve(canonical, base_url + path)
        if url:
            yield PageUrl(path, url)


def find_og_url(home: PageStart, base_url: str) -> PageUrl | None:
    """The `og:url` of the home page (ogp.me), None if it has none."""
    text = _url_of(_OG_URL, home.data)
    url = urls.resolve(text, base_url + home.path) if text else None
    return PageUrl(home.path, url) if url else None


def canonical_of(start: bytes) -> str:
    """The canonical in the first bytes of a page, as written. "" if there is none."""
    # No parser, so that a run with a full cache does not load one.
    return _url_of(_CANONICAL, start)


def sitemap_link_of(start: bytes) -> str:
    """The sitemap to which the first bytes of a page link by `rel="sitemap"`, "" for none."""
    return _url_of(_SITEMAP, start)


def _url_of(pattern: re.Pattern[bytes], start: bytes) -> str:
    """The URL that a pattern finds outside of comments, "" if it finds none."""
    match = pattern.search(_COMMENT.sub(b"", start))
    if match is None:
        return ""
    return unescaped(match[1].decode("utf-8", "replace"))


class UrlPath(NamedTuple):
    """A file of the site, and the path in a URL that leads to it."""

    file: str
    path: str


class FirstPages(NamedTuple):
    """Reads pages of a site at a base URL. `follows_canonicals` as in `[respect] canonical`."""

    root: walk.SiteRoot
    base_url: str
    first_look: FirstLook
    follows_canonicals: bool = True

    def starts(self, pages: Iterable[Page]) -> Iterator[PageStart]:
        """Pages with their first bytes."""
        for page in pages:
            yield self.first_look.page(self.root, page)

    def path_of(self, reference: str, path: str) -> str | None:
        """The site path to which a reference in the file `path` leads, None if it is outside.

        In `a/b.html`, "../c/#d" leads to `c/`.
        """
        url = urls.resolve(reference, self.base_url + path)
        if not url:
            return None
        return urls.relative_path(url, self.base_url)

    def own_canonicals(self, pages: Iterable[Page]) -> Iterator[UrlPath]:
        """Pages, with the paths in their canonicals.

        Pages with another canonical or none are left out.
        """
        if not self.follows_canonicals:
            return
        for path, data in self.starts(pages):
            canonical = canonical_of(data)
            named = self.path_of(canonical, path) if canonical else None
            if named is not None and server.file_for_url_path(self.root, named) == path:
                yield UrlPath(path, named)

    def links(self, pages: Iterable[Page], most: int = 0) -> Iterator[UrlPath]:
        """The files to which pages link, and the paths in the links.

        Each is named once a page, and at most `most` of a page (0: all).
        """
        return self._links(pages, most, lambda link: True)

    def links_showing_style(self, pages: Iterable[Page], most: int) -> Iterator[UrlPath]:
        """The links that prove how the server names pages.

        A link to `a/index.html` in full or as `a` proves no style, because most servers show the
        page at `a/`.
        """
        return self._links(pages, most, _shows_style)

    def _links(
        self, pages: Iterable[Page], most: int, wants: Callable[[UrlPath], bool]
    ) -> Iterator[UrlPath]:
        """The links that are wanted, at most `most` of a page (0: all)."""

        # Pages share most of their links, and finding a file costs a system call.
        @cache
        def find_wanted(target: str, folder: str) -> UrlPath | None:
            path = self.path_of(target, folder)
            if path is None:
                return None
            file = server.file_for_url_path(self.root, path)
            if file is None:
                return None
            link = UrlPath(file, path)
            return link if wants(link) else None

        for path, data in self.starts(pages):
            folder = path[: path.rfind("/") + 1]
            seen: set[UrlPath] = set()
            for match in re.finditer(_LINK, data):
                target = match[1].decode("utf-8", "replace").partition("#")[0]
                if not target:
                    continue
                # For links from the root, one entry of the cache serves all folders.
                is_from_root = target.startswith("/")
                link = find_wanted(target, "" if is_from_root else folder)
                if link is None or link in seen:
                    continue
                seen.add(link)
                yield link
                if len(seen) == most:
                    break


def _shows_style(link: UrlPath) -> bool:
    """Whether a link proves a style: to `b.html` in any form, or to `a/index.html` as `a/`."""
    is_home_page = not link.path  # which has the same URL in every style
    if is_home_page:
        return False
    folder = urls.folder_of(link.file)
    if folder is None:
        return link.file.endswith(".html")
    return link.path == folder


# --- the sitemap to which pages link by `<link rel="sitemap">`


def note_other_sitemap(
    pages: Sequence[Page], reader: FirstPages, output: Output, *, is_named: bool
) -> Message | None:
    """The note about pages that link to another sitemap of this site, None if there is none.

    Where the configuration names our sitemap, so that `is_named`, the other one may be there as
    well. It is then deliberate.
    """
    written = reader.path_of(output.sitemap_url, "")
    for page, start in reader.starts(pages):
        link = sitemap_link_of(start)
        named = reader.path_of(link, page) if link else None
        if (
            not named
            or named.removesuffix(".gz") == written
            or _is_kept(named, reader, output, is_named=is_named)
        ):
            continue
        advice = 'correct <link rel="sitemap">'
        if output.folder == reader.root.root and "/" not in named and named.endswith(".xml"):
            advice = f'set name = "{named}" under [sitemap], or {advice}'
        return Message(Kind.LINKED_SITEMAP, (page, named, output.name), help=advice)
    return None


def _is_kept(named: str, reader: FirstPages, output: Output, *, is_named: bool) -> bool:
    """Whether a linked sitemap of another tool is meant to stay."""
    if named in output.options.others:
        return True
    return is_named and os.path.isfile(reader.root.file(named))
