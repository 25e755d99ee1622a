"""What the heads of a built site's pages say of its address: canonicals, and `og:url`."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..syntax import urls
from ..syntax.html import unescaped
from .first_look import PageStart

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
