"""The base URL in the sitemap that a generator wrote into a site."""

import os
from contextlib import suppress
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from ..fs import open_file_inside, start_inside
from ..protocol import SITEMAPINDEX
from ..syntax.urls import relative_path
from .sitemap import entries, root_of, uncompressed
from .sitemap_xml import FileError
from .walk import INDEX

# The names that generators give to their sitemaps.
NAMES = ("sitemap.xml", "sitemap-index.xml", "sitemap_index.xml", "sitemap-0.xml")
_URLS = 200  # that are read of a sitemap
_DEEPEST = 32  # folders in the path of a URL


class BuiltSitemap(NamedTuple):
    """The name of a sitemap in a site, and the base URL below which its URLs are pages of it."""

    name: str
    base_url: str


def find_built_sitemap(site: str, mark: bytes = b"") -> BuiltSitemap | None:
    """Finds the sitemap that a generator wrote into a site, with the base URL that it shows.

    `sitemap.xml` with `https://a.example/tea/`, for which the site has `tea/index.html` →
    `BuiltSitemap("sitemap.xml", "https://a.example/")`. None if no sitemap shows a base URL. A
    sitemap with `mark` in its first bytes is skipped, because sitemapper wrote it.
    """
    for name in NAMES:
        sitemap = os.path.join(site, name)
        if mark and mark in _start_of(site, sitemap):
            continue
        base_url = _find_base_url(_locs(site, sitemap), site)
        if base_url:
            return BuiltSitemap(name, base_url)
    return None


def _find_base_url(urls: list[str], site: str) -> str | None:
    """Finds the base URL below which the URLs in a sitemap are files of the site.

    The folders above the first URL are tried, the root of its host first. If this URL is
    `https://a.example/docs/b/`, and the site has `b/index.html`, but no `docs/b/index.html`, the
    base URL is `https://a.example/docs/`.

    Below it, nine of ten URLs must have a file. The rest may have none, because some hosts show a
    file under another name. None without such a base URL. `site` is the folder of the site.
    """
    if not urls:
        return None
    file_counts: dict[str, int] = {}  # by base URL: how many of the URLs are files of the site
    for base in folders_of(urls[0]):
        file_counts[base] = sum(names_file(url, base, site) for url in urls)
    best = max(file_counts, key=file_counts.__getitem__, default=None)
    if best is None or file_counts[best] * 10 < len(urls) * 9:
        return None
    return best


def lists_pages_of(site: str, sitemap: str) -> bool:
    """Whether a sitemap lists the pages of a site: for nine of ten URLs, the site has a file.

    The host and the first folders of the URLs do not matter: for `https://test.example/docs/b`,
    `b.html` is enough. Of an index, each sitemap that it lists must list pages of the site, too.
    """
    urls = _locs(site, sitemap)
    if not urls:
        return True  # it is empty or cannot be read, so it lists no page of another site
    base_url = _find_base_url(urls, site)
    if base_url is None:  # more than one of ten URLs has no file
        return False
    if not _is_index(site, sitemap):
        return True
    # The parts are the sitemaps that the index lists. One that is not below the base URL, such as
    # one on another host, cannot be read.
    paths = (relative_path(url, base_url) for url in urls)
    parts = [os.path.join(site, path) for path in paths if path]
    # An index in an index is not allowed, and might contain itself.
    return all(not _is_index(site, part) and lists_pages_of(site, part) for part in parts)


def _is_index(site: str, sitemap: str) -> bool:
    """Whether the file `sitemap` in a site is an index of sitemaps."""
    return root_of(_start_of(site, sitemap)) == SITEMAPINDEX


def _start_of(site: str, sitemap: str) -> bytes:
    """Reads the first 1,024 bytes of a sitemap, empty if it cannot be read."""
    try:
        return start_inside(site, sitemap, 1024) or b""
    except OSError:
        return b""


def _locs(site: str, sitemap: str) -> list[str]:
    """Reads the first 200 URLs in a sitemap or an index: `["https://a.example/", …]`.

    Of a damaged file, the URLs before the damage. None of a file that cannot be read.
    """
    locs = []
    with suppress(OSError, FileError), open_file_inside(site, sitemap) as file:
        for entry in islice(entries(uncompressed(file)), _URLS):
            if entry.loc:
                locs.append(entry.loc)
    return locs


def folders_of(url: str) -> list[str]:
    """Lists the folders above a URL, from the root of its host.

    `https://a.example/docs/b` → `https://a.example/`, `https://a.example/docs/`. Empty for a text
    that is no URL. Also empty for a URL with more than 32 folders, because callers try each.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    names = parts.path.split("/")[1:-1]
    if not parts.netloc or len(names) > _DEEPEST:
        return []
    folders = [f"{parts.scheme}://{parts.netloc}/"]
    for name in names:
        folders.append(f"{folders[-1]}{name}/")
    return folders


def names_file(url: str, base: str, site: str) -> bool:
    """Whether the site in the folder `site` has a file for a URL, if it is served at the base URL.

    `https://a.example/b` with the base `https://a.example/` → True if `b`, `b.html` or
    `b/index.html` exists. A URL that is not below the base → False.
    """
    path = relative_path(url, base)
    if path is None:
        return False
    stem = path.rstrip("/")
    names = (stem, f"{stem}.html", f"{stem}/{INDEX}") if stem else (INDEX,)
    return any(os.path.isfile(os.path.join(site, name)) for name in names)
