"""`submit`: sends search engines the URLs that a build listed with `--changes`, or all that are published.

The list is the queue: after each accepted request its rows are taken out of the file.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ..config.settings import Settings
from ..errors import PublishError, SitemapperError, write_advice
from ..output import changes, published, write
from ..summary import NO_BASELINE, UrlChange

if TYPE_CHECKING:
    from ..net.client import Answer
    from ..net.indexnow import Sleep

ChangeList = Collection[tuple[UrlChange, str]]


class Submission(NamedTuple):
    """What was sent, or would be; for each request its URLs and the reply; how many URLs remain to send."""

    changes: ChangeList
    requests: Sequence[tuple[int, Answer]] = ()
    remaining: int = 0
    pings: Sequence[Answer] = ()

    @property
    def is_complete(self) -> bool:
        """Whether engines accepted all URLs and pings."""
        return not self.remaining and all(ping.status == 200 for ping in self.pings)


def submit(
    settings: Settings,
    rows: Iterable[str] | None,
    *,
    queue: str | None = None,
    dry_run: bool = False,
    wait: float = 60.0,
    sleep: Sleep = lambda seconds, _why: time.sleep(seconds),
) -> Submission:
    """Sends the rows of a list of changes, or, without one, every published URL.

    The rows that an engine accepts are removed from the file `queue`. `wait` limits the seconds until the
    key file is live. Raises SitemapperError for what a user can fix.
    """
    if not settings.submit.key:
        raise SitemapperError(
            "submit.key: is not set, and IndexNow needs a key",
            "create one with `sitemapper init --indexnow`, or pass one in SITEMAPPER_SUBMIT_KEY or --key",
        )
    listed = _Published(settings) if rows is None else dict.fromkeys(parse_changes(rows, settings.base_url))
    if dry_run or not listed:
        return Submission(listed)
    return _send(listed, settings, queue, wait, sleep)


def parse_changes(rows: Iterable[str], base_url: str) -> Iterator[tuple[UrlChange, str]]:
    """The changes of a list. Raises SitemapperError for a list that is none, or not of this site."""
    kinds = {kind.value: kind for kind in UrlChange}
    for number, row in enumerate(rows, 1):
        kind, _, url = row.rstrip("\r\n").partition("\t")
        if row.startswith(NO_BASELINE):
            raise SitemapperError(
                "--changes: the build found no earlier sitemap, so its list contains the whole site",
                "submit the list of the next build, or send everything once: sitemapper submit --all",
            )
        if kind not in kinds or not re.fullmatch(r"https?://[!-~]+", url):
            raise SitemapperError(f"--changes: line {number}: expected “added, changed or removed TAB URL”")
        if not url.partition("://")[2].startswith(base_url.partition("://")[2]):
            raise SitemapperError(
                f"--changes: line {number}: {url} is not below {base_url}", "build with the same base_url"
            )
        yield kinds[kind], url


class _Published(ChangeList):
    """Every published URL; the sitemaps are read at each pass, because a million URLs take much memory."""

    def __init__(self, settings: Settings) -> None:
        """Raises PublishError as `_published` does, before anything is sent."""
        self._settings = settings
        self._count = sum(1 for _ in self)

    def __iter__(self) -> Iterator[tuple[UrlChange, str]]:
        return _published(self._settings)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, change: object) -> bool:
        return any(change == published for published in self)


def _published(settings: Settings) -> Iterator[tuple[UrlChange, str]]:
    """Every URL in the published sitemaps. Raises PublishError if there is none, or another base URL."""
    names = published.sitemaps(settings)
    if not names:
        place = os.path.join(settings.output_dir, settings.sitemap.name)
        raise PublishError(
            f"{place}: there is no sitemap that sitemapper wrote", "run `sitemapper build` first"
        )
    for name in names:
        for row in published.rows(name, settings):
            loc, _ = changes.entry(row)
            if not loc.startswith(settings.base_url):
                raise PublishError(
                    f"{name}: lists {loc}, which is not below {settings.base_url}",
                    "submit with the base_url of the build",
                )
            yield UrlChange.ADDED, loc


def _send(listed: ChangeList, settings: Settings, queue: str | None, wait: float, sleep: Sleep) -> Submission:
    """Sends the changes in batches until one is not accepted; then pings."""
    # Imported here: urllib3 is an extra, and a dry run needs none.
    from ..net import indexnow
    from ..net.client import Client

    client = Client(settings.proxies)
    key = indexnow.Key(settings.submit.key, settings.key_location)
    indexnow.confirm(key, client, wait, sleep)
    requests: list[tuple[int, Answer]] = []
    remaining, waiting = len(listed), iter(listed)
    while batch := list(islice(waiting, indexnow.MAX_URLS)):
        reply = indexnow.send([url for _, url in batch], key, settings.submit.endpoint, client, sleep)
        requests.append((len(batch), reply))
        if reply.status not in indexnow.ACCEPTED:
            break
        _remove_rows(queue, batch)
        remaining -= len(batch)
    sitemap = settings.base_url + settings.sitemap.name
    pings = [indexnow.ping(prefix, sitemap, client) for prefix in settings.submit.ping]
    return Submission(listed, requests, remaining, pings)


def _remove_rows(queue: str | None, batch: ChangeList) -> None:
    """Rewrites the list without the batch. Raises PublishError if it cannot be written."""
    if queue is None or not os.path.isfile(queue):  # stdin or a pipe
        return
    accepted = {f"{kind.value}\t{url}" for kind, url in batch}
    try:
        # Read again, because a build may have written a new list in the meantime.
        with open(queue, encoding="utf-8") as file:
            kept = [row for row in file if row.rstrip("\n") not in accepted]
        with write.replacing(queue) as new:
            new.write("".join(kept).encode())
    except OSError as error:
        raise PublishError(
            f"{queue}: cannot be rewritten ({error.strerror}), so accepted URLs are still in it",
            write_advice(error),
        ) from error
