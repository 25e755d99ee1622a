"""What is asked of the live host: the scope of a run, and the URLs to request. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from ..linter.rules.live import Role
from ..model import UrlChange
from ..syntax.urls import resolve, without_scheme

_LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "::1")  # names of this machine

Item = TypeVar("Item")
Changes = Sequence[tuple[UrlChange, str]]  # of a list of changes: what happened, and the URL


class Scope(NamedTuple):
    """What a run may request: the URLs below `base`, from the host at `at`.

    `at` is another URL than `base` on a preview, such as https://preview.example/.
    """

    sitemap: str  # its URL, below `base`
    base: str  # the base URL of the URLs that it lists
    at: str  # the base URL to which requests are sent

    @property
    def is_preview(self) -> bool:
        """Whether requests are sent to another host than the listed one."""
        return self.at != self.base

    def place(self, url: str) -> str | None:
        """Finds the URL to request for a listed URL. None if it is not below `base`.

        `https://a.example/b` → `https://preview.example/b`.
        """
        return self.at + url[len(self.base) :] if url.startswith(self.base) else None

    def listed(self, place: str) -> str:
        """Finds the listed URL for one that was requested: the opposite of `place`.

        A URL of another host, such as the target of a redirect, stays as it is.
        """
        return self.base + place[len(self.at) :] if place.startswith(self.at) else place


class Request(NamedTuple):
    """A URL to request, why, and the file and line that lists it.

    `alternates` are the URLs of its language versions.
    """

    url: str
    file: str
    line: int
    alternates: tuple[str, ...] = ()
    role: Role = Role.LISTED


def sample_of(entries: Sequence[Request], sample: int | None) -> list[Request]:
    """Chooses the entries to request: `sample` of them, or all if there are not more.

    Up to half of them are the first entries of the largest top folders, so that each part of the
    site is checked: of /blog/…, /docs/… and /shop/…, one page each. The rest is evenly spread over
    the other entries, so that large folders get more of it. They stay in the order of the sitemap.
    """
    if sample is None or len(entries) <= sample:
        return list(entries)
    first_of_folder: dict[str, int] = {}  # the position of the first entry in each top folder
    size_of_folder: Counter[str] = Counter()
    for position, entry in enumerate(entries):
        folder = _top_folder(entry.url)
        first_of_folder.setdefault(folder, position)
        size_of_folder[folder] += 1
    largest_folders = size_of_folder.most_common(sample // 2)
    first_positions = {first_of_folder[folder] for folder, _size in largest_folders}
    others = [position for position in range(len(entries)) if position not in first_positions]
    spread_positions = spread(others, sample - len(first_positions))
    chosen_positions = first_positions.union(spread_positions)
    return [entries[position] for position in sorted(chosen_positions)]


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """Picks `count` of the items at even distances, from the first to the last one.

    Four of 0 to 9 are 0, 3, 6 and 9. If there are not more items, all are picked.
    """
    if len(items) <= count:
        return list(items)
    last = len(items) - 1
    steps = max(1, count - 1)
    return [items[last * step // steps] for step in range(count)]


def _top_folder(url: str) -> str:
    """Finds the first folder of a URL's path: `https://a.example/docs/b/c` → `docs`.

    "" for a page at the root.
    """
    path = without_scheme(url).partition("/")[2]
    folders = path.rpartition("/")[0]
    return folders.partition("/")[0]


def changed(rows: Changes, entries: Sequence[Request], sitemap: str) -> list[Request]:
    """Makes a request for each URL in a list of changes: added and changed ones, then removed ones.

    A request has the line at which the sitemap lists the URL, for findings. For a removed URL, or
    one that no entry lists, that is line 1 of the `sitemap`. `rows` are the changes, and `entries`
    all listed URLs.
    """
    listed = {entry.url: entry for entry in entries}
    present: list[Request] = []
    removed: list[Request] = []
    for change, url in rows:
        if change is UrlChange.REMOVED:
            removed.append(Request(url, sitemap, 1, role=Role.REMOVED))
        else:
            present.append(listed.get(url) or Request(url, sitemap, 1))
    return present + removed


def unlisted_alternates(
    chosen: Sequence[Request], entries: Sequence[Request], sitemap: str
) -> list[Request]:
    """Makes requests for language versions that the chosen entries name and no entry lists.

    Each is requested once. If /en/a is chosen and names /de/a, which is not listed: /de/a.
    """
    listed = {entry.url for entry in entries}
    unlisted: dict[str, None] = {}  # in order, each once
    for entry in chosen:
        for url in entry.alternates:
            if url not in listed:
                unlisted[url] = None
    return [Request(url, sitemap, 1, role=Role.ALTERNATE) for url in unlisted]


def host_url(url: str) -> str:
    """Finds the top of a URL's host: `https://example.com/a/b` → `https://example.com/`."""
    return resolve("/", url) or url


def is_of_local_build(url: str, at: str) -> bool:
    """Whether a listed URL is of a server for development that the run does not request.

    True means that the site was built with the base URL of that server by mistake. `at` is the URL
    to which requests go:

        url                      at                      result
        http://localhost:1313/a  https://a.example/      True
        http://localhost:1313/a  http://localhost:8000/  True, as the port is another
        http://localhost:1313/a  http://localhost:1313/  False
        https://b.example/a      https://a.example/      False
    """
    listed = urlsplit(url)
    requested = urlsplit(at)
    if listed.hostname not in _LOCAL:
        return False
    listed_port = listed.netloc.rpartition(":")[2]
    requested_port = requested.netloc.rpartition(":")[2]
    return requested.hostname not in _LOCAL or listed_port != requested_port
