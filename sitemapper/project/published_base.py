"""The base URL in what a site already publishes: its sitemap, its robots.txt, its feeds.

Each may be a copy of another site's, so that a build wants two witnesses. `init` believes one: a
person reviews what it writes.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from urllib.parse import urlsplit

from ..fs import open_file_inside, relative
from ..model import Detected, Origin
from ..syntax.robots import sitemap_lines
from ..syntax.urls import relative_path
from .addresses import check_base
from .candidate import INDEX
from .search import LIMIT, start_of

_URLS = 200  # that are read of a sitemap
_DEEPEST = 32  # folders in the path of a URL
_FEED_START = 1 << 12  # bytes before the first entry
# The names that generators give to their sitemaps, and to their feeds.
_SITEMAPS = ("sitemap.xml", "sitemap-index.xml", "sitemap_index.xml", "sitemap-0.xml")
_FEEDS = ("index.xml", "feed.xml", "atom.xml", "rss.xml", "feed/index.xml", "feed_rss_created.xml")
_HOME = ["rss", "channel", "link"]  # the elements around the URL of the home page (RSS 2.0)
_ENTRIES = ("item", "entry")


def find_published_base(site: str, cwd: str, mark: bytes = b"") -> Detected | None:
    """The base URL in the sitemap or the robots.txt of a site, None if neither shows one.

    Sitemaps with this `mark` do not count, nor lines of robots.txt that name one.
    """
    for name in _SITEMAPS:
        if not _has_mark(site, name, mark):
            found = _detected(_of_sitemap(site, os.path.join(site, name)), site, name, cwd)
            if found:
                return found
    return _detected(_of_robots(site, mark), site, "robots.txt", cwd)


def find_feed_base(site: str, cwd: str) -> Detected | None:
    """The base URL below which a feed's entries are pages of a site, None if no feed shows one.

    A feed without such entries names itself, or the home page.
    """
    for name in _FEEDS:
        base = _of_sitemap(site, os.path.join(site, name)) or _of_feed(site, name)
        found = _detected(base, site, name, cwd)
        if found:
            return found
    return None


def _detected(base: str | None, site: str, name: str, cwd: str) -> Detected | None:
    """The base URL that a file of the site shows, None if it cannot be one."""
    url, _ = check_base(base) if base else ("", "")
    if not url:
        return None
    return Detected("base_url", url, Origin(relative(os.path.join(site, name), cwd)))


def _has_mark(site: str, name: str, mark: bytes) -> bool:
    return bool(mark) and mark in start_of(site, os.path.join(site, name))


def _of_sitemap(site: str, sitemap: str) -> str | None:
    """The URL below which nine of ten URLs of a sitemap or an index name files of the site."""
    listed_urls = list(_locs(site, sitemap))
    if not listed_urls:
        return None
    votes: dict[str, int] = {}
    for base in _folders_of(listed_urls[0]):
        votes[base] = sum(names_file(url, base, site) for url in listed_urls)
    if not votes:
        return None
    best = max(votes, key=votes.__getitem__)
    if votes[best] * 10 < len(listed_urls) * 9:
        return None
    return best


def _of_robots(site: str, mark: bytes) -> str | None:
    """The URL of the site's folder by the `Sitemap:` lines of robots.txt, None if they disagree.

    A sitemap need not exist. It is then taken to be in the folder itself.
    """
    bases = set()
    for url in sitemap_lines(start_of(site, os.path.join(site, "robots.txt"), LIMIT)):
        if _has_mark(site, url.rpartition("/")[2], mark):
            continue
        folders = _folders_of(url)
        below = [base for base in folders if names_file(url, base, site)]
        bases.update(below[:1] or folders[-1:])
    if len(bases) != 1:
        return None
    return bases.pop()


def _of_feed(site: str, name: str) -> str | None:
    """The URL of the site's folder by a feed's link to itself, or else to the home page."""
    start = start_of(site, os.path.join(site, name), _FEED_START)
    if not start:
        return None
    links = _FeedLinks(start)
    if not links.own:
        return links.home.strip() or None
    if not links.own.endswith(f"/{name}"):
        return None
    return links.own.removesuffix(name)


class _FeedLinks:
    """The links of a feed before its first entry: to itself, and to the home page.

    Those behind a fault of XML are not read.
    """

    def __init__(self, start: bytes) -> None:
        # Imported here: many sites have no feed.
        from xml.parsers import expat

        self.own = ""
        self.home = ""
        self._open: list[str] = []  # elements
        self._has_entries = False
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._begin
        parser.CharacterDataHandler = self._add_text
        parser.EndElementHandler = self._end
        with suppress(expat.ExpatError):
            parser.Parse(start, False)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        local_name = name.rpartition(":")[2]
        self._open.append(local_name)
        self._has_entries = self._has_entries or local_name in _ENTRIES
        # RFC 4287, 4.2.7.2. Feeds in RSS borrow this element.
        is_own = local_name == "link" and attributes.get("rel") == "self"
        if is_own and not self._has_entries:
            self.own = self.own or attributes.get("href", "")

    def _add_text(self, text: str) -> None:
        if self._open == _HOME and not self._has_entries:
            self.home += text

    def _end(self, _name: str) -> None:
        self._open.pop()


def _locs(site: str, sitemap: str) -> Iterator[str]:
    """The first URLs in a sitemap or an index, none if it cannot be read."""
    with suppress(OSError), open_file_inside(site, sitemap) as file:
        # Imported here: most sites have no sitemap of another tool.
        from ..linter.model import FileError
        from ..linter.reader import elements, uncompressed

        for element in islice(elements(uncompressed(file)), _URLS):
            if isinstance(element, FileError):
                continue
            _, entry = element
            for field in entry.children:
                if field.name == "loc" and field.text:
                    yield field.text


def _folders_of(url: str) -> list[str]:
    """The folders above a URL, from the root of its host: `https://a.example/`, `…/docs/`.

    None for a text that is no URL, and for a URL with more folders than a site has.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    names = parts.path.split("/")[1:-1]
    if len(names) > _DEEPEST:
        return []
    folders = [f"{parts.scheme}://{parts.netloc}/"]
    for name in names:
        folders.append(f"{folders[-1]}{name}/")
    return folders


def names_file(url: str, base: str, site: str) -> bool:
    """Whether a URL below a base is that of a file of the site, in any URL style."""
    path = relative_path(url, base)
    if path is None:
        return False
    stem = path.rstrip("/")
    names = (stem, f"{stem}.html", f"{stem}/{INDEX}") if stem else (INDEX,)
    return any(os.path.isfile(os.path.join(site, name)) for name in names)
