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
    """The sitemap to verify, and how the URLs in it become the URLs to request.

    Mostly, a listed URL is requested as it is. For a preview, it is requested from another host:
    `https://a.example/b` in the sitemap → a request for `https://preview.example/b`.
    """

    sitemap: str  # the URL of the sitemap, below `listed_base`
    listed_base: str  # the base URL of the URLs in the sitemap: `https://a.example/`
    requested_base: str  # the base URL to which requests are sent: `https://preview.example/`

    @property
    def is_preview(self) -> bool:
        """Whether requests are sent to another host than the listed one."""
        return self.requested_base != self.listed_base

    def to_requested(self, listed_url: str) -> str | None:
        """Turns a URL of the sitemap into the URL to request.

        On a preview at https://preview.example/: `https://a.example/b` →
        `https://preview.example/b`. None for a URL that is not below the base URL of the site. Such
        a URL is not requested.
        """
        if not listed_url.startswith(self.listed_base):
            return None
        return self.requested_base + listed_url.removeprefix(self.listed_base)

    def to_listed(self, requested_url: str) -> str:
        """Turns a URL at the host of the requests into the URL that the sitemap has for it.

        Findings name the URLs of the sitemap. On a preview at https://preview.example/:
        `https://preview.example/b` → `https://a.example/b`. A URL of any other host, such as the
        target of a redirect, stays as it is.
        """
        if not requested_url.startswith(self.requested_base):
            return requested_url
        return self.listed_base + requested_url.removeprefix(self.requested_base)


class Request(NamedTuple):
    """A URL to request, why, and the file and line that lists it."""

    url: str
    file: str
    line: int
    role: Role = Role.LISTED


def sample_of(entries: Sequence[Request], sample: int | None) -> list[Request]:
    """Chooses the entries to request: as many as `sample` says, or all if there are not more.

    Up to half of the sample are the first entries of the largest top folders, so that each part of
    the site is checked: one page each of /blog/…, /docs/… and /shop/…. The rest of the sample is
    evenly spread over all other entries. The result is in the order of the sitemap.
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


def requests_for_changes(
    changes: Changes, entries: Sequence[Request], sitemap: str
) -> list[Request]:
    """Makes a request for each URL in a list of changes: added and changed ones, then removed ones.

    `entries` are the requests for all listed URLs. They have the file and line that list a URL,
    where a finding is reported. A removed URL, or any other without an entry, gets line 1 of the
    `sitemap` instead.
    """
    entry_by_url = {entry.url: entry for entry in entries}
    present: list[Request] = []
    removed: list[Request] = []
    for change, url in changes:
        if change is UrlChange.REMOVED:
            removed.append(Request(url, file=sitemap, line=1, role=Role.REMOVED))
        else:
            present.append(entry_by_url.get(url) or Request(url, file=sitemap, line=1))
    return present + removed


def host_url(url: str) -> str:
    """Finds the top of a URL's host: `https://example.com/a/b` → `https://example.com/`."""
    return resolve("/", url) or url


def is_of_local_build(listed_url: str, requested_base: str) -> bool:
    """Whether a listed URL is of a server for development that the run does not request.

    True means that the site was built with the base URL of that server by mistake.
    `requested_base` is the URL to which requests go:

        listed_url               requested_base          result
        http://localhost:1313/a  https://a.example/      True
        http://localhost:1313/a  http://localhost:8000/  True, as the port is another
        http://localhost:1313/a  http://localhost:1313/  False
        https://b.example/a      https://a.example/      False
    """
    listed = urlsplit(listed_url)
    requested = urlsplit(requested_base)
    if listed.hostname not in _LOCAL:
        return False
    listed_port = listed.netloc.rpartition(":")[2]
    requested_port = requested.netloc.rpartition(":")[2]
    return requested.hostname not in _LOCAL or listed_port != requested_port
