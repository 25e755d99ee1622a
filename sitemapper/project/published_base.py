"""The base URL in what a site already publishes: its sitemap.xml, its robots.txt, its feeds.

Each may be a copy of another site's, so that a build wants two witnesses. `init` believes one: a
person reviews what it writes.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from urllib.parse import urlsplit

from ..fs import open_file_inside, relative
from ..linter.model import FileError
from ..linter.reader import elements, uncompressed
from ..model import Detected, Origin
from ..syntax.robots import sitemap_lines
from ..syntax.urls import relative_path
from .candidate import INDEX, check_base
from .search import LIMIT, start_of

_URLS = 200  # that are read of a sitemap
# The names that generators give to their feeds.
_FEEDS = ("index.xml", "feed.xml", "atom.xml", "rss.xml", "feed/index.xml", "feed_rss_created.xml")


def find_published_base(site: str, cwd: str) -> Detected | None:
    """The base URL in the sitemap or the robots.txt of a site, None if neither shows one."""
    sitemap = os.path.join(site, "sitemap.xml")
    robots = os.path.join(site, "robots.txt")
    for file, base in ((sitemap, _of_sitemap(site, sitemap)), (robots, _of_robots(site, robots))):
        url, _ = check_base(base) if base else ("", "")
        if url:
            return Detected("base_url", url, Origin(relative(file, cwd)))
    return None


def find_feed_base(site: str, cwd: str) -> Detected | None:
    """The base URL below which a feed's entries are pages of a site, None if no feed shows one."""
    for name in _FEEDS:
        file = os.path.join(site, name)
        base = _of_sitemap(site, file)
        url, _ = check_base(base) if base else ("", "")
        if url:
            return Detected("base_url", url, Origin(relative(file, cwd)))
    return None


def _of_sitemap(site: str, sitemap: str) -> str | None:
    """The URL below which nine of ten URLs of a sitemap or an index name files of the site."""
    listed_urls = list(_locs(site, sitemap))
    if not listed_urls:
        return None
    votes: dict[str, int] = {}
    for base in _folders_of(listed_urls[0]):
        votes[base] = sum(names_file(url, base, site) for url in listed_urls)
    best = max(votes, key=votes.__getitem__)
    if votes[best] * 10 < len(listed_urls) * 9:
        return None
    return best


def _of_robots(site: str, robots: str) -> str | None:
    """The URL of the site's folder by the `Sitemap:` lines of robots.txt, None if they disagree.

    A sitemap need not exist. It is then taken to be in the folder itself.
    """
    bases = set()
    for url in sitemap_lines(start_of(site, robots, LIMIT)):
        folders = _folders_of(url)
        below = [base for base in folders if names_file(url, base, site)]
        bases.update(below[:1] or folders[-1:])
    if len(bases) != 1:
        return None
    return bases.pop()


def _locs(site: str, sitemap: str) -> Iterator[str]:
    """The first URLs in a sitemap or an index, none if it cannot be read."""
    with suppress(OSError), open_file_inside(site, sitemap) as file:
        for element in islice(elements(uncompressed(file)), _URLS):
            if isinstance(element, FileError):
                continue
            _, entry = element
            for field in entry.children:
                if field.name == "loc" and field.text:
                    yield field.text


def _folders_of(url: str) -> list[str]:
    """The folders above a URL, from the root of its host: `https://a.example/`, `…/docs/`."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    folders = [f"{parts.scheme}://{parts.netloc}/"]
    for name in parts.path.split("/")[1:-1]:
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
