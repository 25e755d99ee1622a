"""`submit`: tells search engines which published URLs are new, changed or gone since the last time.

The state file has a line for each URL that engines know, `path TAB mark`: the mark is the ledger's digest
of the page, else its date. A third column says that the URL is still to be sent.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..config.settings import Settings
from ..errors import PublishError, SitemapperError
from ..model import NO_BASELINE, Change, FileChange, Shard, ShardSeries, UrlChange
from ..output import changes, published, write
from ..output.lock import all_locked
from ..output.shards import OutputFile
from ..output.spool import Spool
from ..project import environment
from ..site import walk
from ..syntax.dates import period
from ..syntax.ledger_rows import UNKNOWN, split_date, split_path
from ..syntax.urls import Locator

if TYPE_CHECKING:
    from ..net.client import Reply
    from ..net.indexnow import Sleep

_PENDING = b"\tpending"
_STATE = ShardSeries("submitted", "")
_ROW = re.compile(rb"(/[!-~]*)\t[!-~]+(\tpending)?")
_DIGEST = re.compile(r"([0-9a-f]{4})-[0-9a-f]{16}")
_TURN = 600.0  # seconds to wait for another run

ChangeList = Sequence[tuple[UrlChange, str]]


class Submission(NamedTuple):
    """What was sent, or would be; for each request its URLs and what came back; how many are left to send.

    `pings` holds what came back for each, `note` what else there is to know.
    """

    news: ChangeList
    requests: Sequence[tuple[int, Reply]] = ()
    left: int = 0
    pings: Sequence[Reply] = ()
    note: str = ""

    @property
    def is_done(self) -> bool:
        """Whether engines accepted all URLs and pings."""
        return not self.left and all(ping.status == 200 for ping in self.pings)


def submit(
    settings: Settings,
    *,
    listed: Iterable[str] | None = None,
    everything: bool = False,
    dry_run: bool = False,
    wait: float = 60.0,
    pause: Sleep = lambda seconds, _why: time.sleep(seconds),
) -> Submission:
    """Sends the rows that a build `listed` with `--changes`; without any, what is published and was not sent.

    Waits at most so many seconds for the key file. Raises SitemapperError for what a user can fix.
    """
    if not settings.submit.key:
        raise SitemapperError(
            "submit.key: is not set, and IndexNow needs a key",
            "`sitemapper init --indexnow` makes one; SITEMAPPER_SUBMIT_KEY and --key take one too",
        )
    if listed is not None:
        news = list(dict.fromkeys(_listed(listed, settings.base_url)))
        return Submission(news) if dry_run else _sent(news, settings, wait, pause, lambda _batch: None)
    if not published.sitemaps(settings):
        place = os.path.join(settings.output_dir, settings.sitemap.name)
        raise PublishError(
            f"{place}: there is no sitemap that sitemapper wrote", "run `sitemapper build` first"
        )
    state = _State(settings.state_file, settings.base_url)
    with all_locked(settings.output_dir, [settings.state_file], wait=_TURN):
        if not (everything or state.exists):
            if not dry_run:
                state.write(_published(settings))
            note = (
                "this is the first run, so nothing was sent; later runs send what changes (--all: everything)"
            )
            return Submission((), note=note)
        before = state.all_pending() if everything else state.rows()
        found = [*changes.diff(before, _published(settings), _cells)]
        kinds = {path: kind for kind, path, old, new in found if _is_news(kind, old, new)}
        news = [(kind, settings.base_url + path[1:]) for path, kind in kinds.items()]
        if dry_run or not found:
            return Submission(news)
        state.write(_marked(_published(settings), kinds))
        return _sent(news, settings, wait, pause, state.record)


def _listed(rows: Iterable[str], base_url: str) -> Iterator[tuple[UrlChange, str]]:
    """The rows of a list of changes. Raises SitemapperError for a list that is none, or not of this site."""
    kinds = {kind.value: kind for kind in UrlChange}
    for number, row in enumerate(rows, 1):
        kind, _, url = row.rstrip("\r\n").partition("\t")
        if row.startswith(NO_BASELINE):
            raise SitemapperError(
                "--changes: this build had nothing to compare with, so its list names the whole site",
                "submit the list of the next build, or send everything once: sitemapper submit --all",
            )
        if kind not in kinds or not re.fullmatch(r"https?://[!-~]+", url):
            raise SitemapperError(f"--changes: line {number}: expected “added, changed or removed TAB URL”")
        if not url.partition("://")[2].startswith(base_url.partition("://")[2]):
            raise SitemapperError(
                f"--changes: line {number}: {url} is not below {base_url}", "build with the same base_url"
            )
        yield kinds[kind], url


def _sent(
    news: ChangeList, settings: Settings, wait: float, pause: Sleep, record: Callable[[ChangeList], None]
) -> Submission:
    """Sends the news in batches, and records each batch that the engine accepts; then pings."""
    if not news:
        return Submission(news)
    # Imported here: urllib3 is an extra, and a dry run needs none.
    from ..net import indexnow
    from ..net.client import Client

    client = Client(settings.proxies)
    key = indexnow.Key(settings.submit.key, settings.key_location)
    indexnow.confirm(key, client, wait, pause)
    requests: list[tuple[int, Reply]] = []
    left = len(news)
    for start in range(0, len(news), indexnow.MOST):
        batch = news[start : start + indexnow.MOST]
        reply = indexnow.send([url for _, url in batch], key, settings.submit.endpoint, client, pause)
        requests.append((len(batch), reply))
        if reply.status not in indexnow.ACCEPTED:
            break
        record(batch)
        left -= len(batch)
    sitemap = settings.base_url + settings.sitemap.name
    pings = [indexnow.ping(prefix, sitemap, client) for prefix in settings.submit.ping]
    return Submission(news, requests, left, pings)


def _published(settings: Settings) -> Iterator[bytes]:
    """A row of the state for each URL in the published sitemaps."""
    digests = _digests(settings)
    ahead: dict[str, str] = {}  # the ledger is in much the same order
    for name in published.sitemaps(settings):
        for loc, date in map(changes.entry, published.rows(name, settings)):
            if not loc.startswith(settings.base_url):
                raise PublishError(
                    f"{name}: lists {loc}, which is not below {settings.base_url}",
                    "submit with the base_url of the build",
                )
            path = loc.removeprefix(settings.base_url)
            while path not in ahead and (row := next(digests, None)):
                ahead[row[0]] = row[1]
            yield f"/{path}\t{ahead.pop(path, date) or UNKNOWN}".encode()


def _digests(settings: Settings) -> Iterator[tuple[str, str]]:
    """The path of the URL and the digest of each page that the ledger lists."""
    if settings.ledger_file:
        folder = walk.folder(settings.site, settings.ignore_lines, settings.include)
        style, _ = environment.style(settings, folder, environment.host(settings))
        locator = Locator(settings.base_url, style)
        for row in published.ledger_rows(settings):
            path, rest = split_path(row)
            yield locator.served_path(path), split_date(rest)[1]


def _cells(row: bytes) -> tuple[str, str]:
    path, _, rest = row.decode("ascii").partition("\t")
    return path, rest


def _is_news(kind: UrlChange, old: str, new: str) -> bool:
    """Whether a difference is worth sending.

    Digests of another rule, dates in another form, and a mark where there was none prove no change.
    """
    if kind is not UrlChange.CHANGED or old.endswith("pending"):
        return True
    before, after = _DIGEST.fullmatch(old), _DIGEST.fullmatch(new)
    if before and after:
        return before[1] == after[1]
    then, now = period(old), period(new)
    return bool(then and now and (then[1] < now[0] or now[1] < then[0]))


def _marked(rows: Iterable[bytes], kinds: Mapping[str, UrlChange]) -> Iterator[bytes]:
    """The rows of what is published, with a mark on those that are to be sent, then those that are gone."""
    for row in rows:
        yield row + _PENDING if _cells(row)[0] in kinds else row
    gone = (path for path, kind in kinds.items() if kind is UrlChange.REMOVED)
    yield from (f"{path}\t{UNKNOWN}".encode() + _PENDING for path in gone)


class _State:
    """The file of what engines know. Each change of it replaces the file as a whole."""

    def __init__(self, file: str, base_url: str) -> None:
        self._file = file
        self._base_url = base_url

    @property
    def exists(self) -> bool:
        """Whether there is such a file."""
        return os.path.exists(self._file)

    def rows(self) -> Iterator[bytes]:
        """Its rows. Raises SitemapperError for a damaged one."""
        if not self.exists:
            return
        with open(self._file, "rb") as file:
            for number, line in enumerate(file, 1):
                row = line.rstrip(b"\r\n")
                if not _ROW.fullmatch(row):
                    raise SitemapperError(
                        f"{self._file}:{number}: expected “path TAB mark”",
                        "delete the file: the next run sends nothing and begins it anew",
                    )
                yield row

    def all_pending(self) -> Iterator[bytes]:
        """Its rows as if nothing had been sent."""
        return (row.removesuffix(_PENDING) + _PENDING for row in self.rows())

    def record(self, batch: ChangeList) -> None:
        """Removes the mark from what the engine accepted."""
        kinds = {"/" + url.removeprefix(self._base_url): kind for kind, url in batch}
        self.write(
            row.removesuffix(_PENDING) if path in kinds else row
            for path, row in ((_cells(row)[0], row) for row in self.rows())
            if kinds.get(path) is not UrlChange.REMOVED
        )

    def write(self, rows: Iterable[bytes]) -> None:
        """Replaces the file."""
        size, folder = 0, os.path.dirname(self._file)
        with Spool(folder) as spool:
            for row in rows:
                spool.append(_STATE, row + b"\n")
                size += len(row) + 1
            file = OutputFile(self._file, b"", Shard(_STATE, 1, size=size), b"", gzip=False)
            write.write([FileChange(self._file, Change.UPDATED)], [file], spool, folder, threads=1)
