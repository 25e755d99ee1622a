"""What the heads of a built site's pages say of its address: canonicals, and `og:url`."""

import os
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from ..fs import files_below
from ..read.metadata import refresh_target
from ..syntax import urls
from ..syntax.html import unescaped
from .addresses import is_preview
from .candidate import INDEX
from .search import start_of

_PAGES = 200  # that are read
HEAD = 1 << 16  # bytes of each
NOWHERE = "https://site.invalid/"  # the base of relative URLs, where no other is known
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


class PageStart(NamedTuple):
    """The path of a page in the site, and its first bytes."""

    path: str
    data: bytes


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


def sample_canonicals(site: str) -> list[PageUrl]:
    """The canonicals with a host of the home page and the first pages of a site."""
    home = home_page(site)
    starts = {home.path: home}
    for path in islice(_page_paths(site), _PAGES):
        starts.setdefault(path, PageStart(path, start_of(site, os.path.join(site, path), HEAD)))
    canonicals = list_canonicals(starts.values(), NOWHERE)
    return [page for page in canonicals if not page.url.startswith(NOWHERE)]


def find_preview(site: str, own: Collection[str]) -> str:
    """The host of a preview that more than half of a site's canonicals name, "" if there is none.

    A host is a preview's if it has the form of one, or if it is among `own`, the preview hosts of
    this build. Without canonicals, the home page may link to one of the latter.
    """
    hosts = [urlsplit(page.url).netloc for page in sample_canonicals(site)]
    if not hosts:
        start = home_page(site).data.lower()
        linked = [host for host in own if f"//{host}/".encode() in start]
        return linked[0] if linked else ""
    [(host, count)] = Counter(hosts).most_common(1)
    is_most_named = count * 2 > len(hosts)
    if is_most_named and (is_preview(host) or host in own):
        return host
    return ""


def home_page(site: str) -> PageStart:
    """The page that the site's root shows: the index page or the one it redirects to."""
    index = next((name for name in urls.INDEXES if os.path.isfile(os.path.join(site, name))), INDEX)
    page = start_of(site, os.path.join(site, index), HEAD)
    if b"http-equiv" not in page.lower():
        return PageStart(index, page)
    name = _redirected_path(page)
    if not name:
        return PageStart(index, page)
    for file in (name, f"{name}.html", f"{name}/{INDEX}"):
        if os.path.isfile(os.path.join(site, file)):
            return PageStart(file, start_of(site, os.path.join(site, file), HEAD))
    return PageStart(index, page)


def _redirected_path(page: bytes) -> str:
    """The path in the site to which the root's index page redirects, "" if to none.

    `<meta http-equiv="refresh" content="0; url=./en/">` → `en`.
    """
    target = refresh_target(page)
    if not target:
        return ""
    url = urls.resolve(target, NOWHERE) or ""
    path = urls.relative_path(url, NOWHERE)
    if not path:
        return ""
    return posixpath.normpath(f"/{path}").lstrip("/")


def _page_paths(site: str) -> Iterator[str]:
    """The paths of pages, those of a folder before those of its folders."""
    for file in files_below(site, skipped=(".", "_")):
        if urls.is_page_name(os.path.basename(file)):
            yield os.path.relpath(file, site).replace(os.sep, "/")


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
