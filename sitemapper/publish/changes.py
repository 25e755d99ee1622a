"""The URLs that a run adds, changes and removes, compared with those published before."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import NamedTuple
from zlib import crc32

from ..long_list import LongList
from ..model import Change, GoneUrl, Shard, UrlChange
from ..observer import Observer
from ..plan import Plan
from ..read.sitemap import parse_row
from ..syntax.dates import moment
from ..syntax.ledger_rows import columns, has_same_rule, listed_rows
from ..syntax.urls import Locator
from ..tally import Tally
from .files import ComparedFile, PlannedFiles
from .published import Previous
from .shards import Spool

Changes = Iterator[tuple[UrlChange, str, str, str]]  # with the URL, and its dates before and after
_MAX_WAITING = 20_000  # rows in memory, in some 6 MiB
# Parts of the waiting rows in files. Only one part is in memory at once: of two million rows,
# 60,000.
_PARTS = 32


@dataclass
class DateChanges:
    """Counts what happens to the dates that were published before, with the first URL of each kind.

    URLs that go take their dates along. Others may lose their date, or get an older one.
    """

    gone_with_urls: int = 0
    lost: int = 0
    older: int = 0
    first_lost: str = ""
    first_older: str = ""

    def add(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Counts one change to a URL by what happens to its date: gone, lost, older, or neither.

        Its dates are "" if it had or has none. A URL without a date before loses nothing.
        """
        second_before = moment(before)
        if second_before is None:
            return
        if change is UrlChange.REMOVED:
            self.gone_with_urls += 1
            return
        second_after = moment(after)
        if second_after is None:
            self.lost += 1
            self.first_lost = self.first_lost or url
        elif second_after < second_before:
            self.older += 1
            self.first_older = self.first_older or f"{url}: {before} -> {after}"


class UrlChanges(NamedTuple):
    """What a run changes, compared with the URLs that were published before.

    `previous` is the number of these, None if nothing was published. `counts` are by kind of
    change. `gone` are the URLs that are not listed any more, with what became of them. `has_all` if
    the observer got each of the changes: on a first build, it may need only their number.
    """

    previous: int | None
    counts: dict[UrlChange, int]
    gone: Collection[GoneUrl]
    dates: DateChanges
    has_all: bool


def compare_urls(
    files: PlannedFiles,
    tally: Tally,
    spool: Spool,
    plan: Plan,
    previous: Previous,
    observer: Observer,
) -> UrlChanges:
    """Compares the URLs to publish with those that were published before, and counts the changes.

    Gives each change to the observer, too, and says what became of removed URLs. If nothing was
    published before, all URLs are new. They are only counted then, unless the observer wants them.
    """
    counts = dict.fromkeys(UrlChange, 0)
    dates = DateChanges()
    published = previous.count_urls()
    is_first_build = published is None
    if is_first_build and not observer.wants_changes:
        counts[UrlChange.ADDED] = tally.listed
        return UrlChanges(previous=None, counts=counts, gone=(), dates=dates, has_all=False)
    rows = LedgerRows(tally.ledger, spool, plan.policy.locator)
    removed: LongList[str] = LongList()
    for change, url, before, after in _compute_changes(files.compared, rows, previous):
        observer.changed(change, url, before, after)
        dates.add(change, url, before, after)
        counts[change] += 1
        if change is UrlChange.REMOVED:
            removed.append(url)
    gone: Collection[GoneUrl] = ()
    if removed:
        # Imported here: most runs remove no URL.
        from .gone import classify_gone, with_moved

        classified = classify_gone(removed, plan, tally.unreadable_folders)
        gone = with_moved(classified, plan, previous, rows, observer)
    return UrlChanges(previous=published, counts=counts, gone=gone, dates=dates, has_all=True)


class _Part(NamedTuple):
    """Rows in files that wait for the row of the other list with the same URL: URLs with dates."""

    old: LongList[tuple[str, str]]
    new: LongList[tuple[str, str]]


class LedgerRows(NamedTuple):
    """The rows of the ledger that a run writes."""

    shard: Shard
    spool: Spool
    locator: Locator

    def changes(self, previous: Previous) -> Changes:
        """Yields what differs between the ledger that was read and the one that the run writes.

        That is each URL that was added or removed, or has another date or digest of its content:
        `https://a.example/b` is changed with the same date and the digests `3f0c-1…` and `3f0c-2…`.
        Digests by different rules, `3f0c-…` and `81aa-…`, say nothing, so only dates count then.
        """
        old_rows = previous.ledger_rows()
        new_rows = listed_rows(self.all_rows())
        compared = diff(old_rows, new_rows, self._parse_url_and_content)
        for change, url, old_content, new_content in compared:
            old_date, _, old_digest = old_content.partition("\t")
            new_date, _, new_digest = new_content.partition("\t")
            if change is UrlChange.CHANGED and _is_same_moment(old_date, new_date):
                is_edited = old_digest != new_digest and has_same_rule(old_digest, new_digest)
                if not is_edited:
                    continue
            yield change, url, old_date, new_date

    def all_rows(self) -> Iterator[bytes]:
        """Reads the rows, also those of pages that are not listed."""
        return self.spool.rows(self.shard)

    def url(self, row: bytes) -> str:
        """Makes the URL of a listed page from its row in the ledger.

        With the base `https://a.example/`, and URLs without endings:

        `a.html TAB …`                        → `https://a.example/a`
        `a.html TAB … TAB /a.html`            → `https://a.example/a.html`: in another style
        `https://a.example/extra TAB …`       → itself: a URL of the configuration, without a page
        """
        page_or_url, _, _, served_path = columns(row)
        if "://" in page_or_url:
            return page_or_url
        if served_path is None:
            served_path = self.locator.served_path(page_or_url)
        [escaped_path] = self.locator.with_escapes([served_path])
        return self.locator.base + escaped_path

    def _parse_url_and_content(self, row: bytes) -> tuple[str, str]:
        """Reads the URL of a row, and its date and digest as one text: `2026-03-01 TAB 3f0c-…`.

        `diff` gets this text in place of a date, so that it finds another digest, too.
        """
        _, date, digest, _ = columns(row)
        return self.url(row), f"{date}\t{digest}"


def _compute_changes(
    files: Sequence[ComparedFile], rows: LedgerRows, previous: Previous
) -> Changes:
    """Compares the URLs to publish with those that were published before: added, changed, removed.

    | what was published before | what is compared |
    |---|---|
    | a sitemap | this sitemap with the new ones; then the two ledgers, for edits on the same date |
    | only a ledger | the old ledger with the new one |
    | nothing | the new sitemaps with nothing, so all URLs are added |

    `files` are those to publish, and `rows` those of the new ledger. If the ledger stays as it is,
    no edits are looked for in it.
    """
    has_sitemap = bool(previous.names) or previous.copied_rows is not None
    has_only_ledger = not has_sitemap and any(previous.ledger_rows())
    if has_only_ledger:
        yield from rows.changes(previous)
        return
    yield from _compare_sitemaps(files, rows.spool, previous)
    # The file of the ledger is the one that has its rows.
    is_ledger_new = any(
        compared.file.shard == rows.shard and compared.change is not Change.KEPT
        for compared in files
    )
    if not is_ledger_new:
        return
    # Only the ledgers show an edit that leaves the date as it is, such as the second of a day.
    for change, url, old_date, new_date in rows.changes(previous):
        if change is UrlChange.CHANGED and old_date == new_date:
            yield change, url, old_date, new_date


def _compare_sitemaps(files: Sequence[ComparedFile], spool: Spool, previous: Previous) -> Changes:
    """Finds the URLs that are added to the sitemaps, removed from them, or have another date.

    A sitemap in the output that stays as it is has no such URL, so it is not read. If only
    `sitemap-2.xml` is replaced, its old rows are compared with its new ones. An earlier sitemap
    from elsewhere says nothing about the files in the output, so all new rows are compared with it.
    """
    # Names are compared without `.gz`, because a sitemap may be written twice: plain and packed.
    unchanged: set[str] = set()
    if previous.copied_rows is not None:  # a sitemap from elsewhere
        old_rows = previous.all_rows()
    else:
        unchanged = {_plain_name(one.file.name) for one in files if one.change is Change.KEPT}
        old_names = [name for name in previous.names if _plain_name(name) not in unchanged]
        old_rows = chain.from_iterable(map(previous.rows, old_names))
    new_shards: dict[str, Shard] = {}  # by name, so that each is compared once
    for file, _change in files:
        if file.shard is None or file.shard.series.format != "xml":
            continue  # an index, a text sitemap, robots.txt or a ledger
        name = _plain_name(file.name)
        if name not in unchanged:
            new_shards[name] = file.shard
    new_rows = chain.from_iterable(map(spool.rows, new_shards.values()))
    for change, url, old_date, new_date in diff(old_rows, new_rows, parse_row):
        # Another way to write the same date is not a change.
        if change is not UrlChange.CHANGED or not _is_same_moment(old_date, new_date):
            yield change, url, old_date, new_date


def _plain_name(name: str) -> str:
    """Removes the ending of a compressed file from its name: `sitemap.xml.gz` → `sitemap.xml`."""
    return name.removesuffix(".gz")


def _is_same_moment(old_date: str, new_date: str) -> bool:
    """Whether two dates mean the same moment, also if they are in different time zones.

    `2026-03-01T12:00:00Z` and `2026-03-01T13:00:00+01:00` do. Then the URL is not changed.
    """
    if old_date == new_date:
        return True
    old_second = moment(old_date)
    return old_second is not None and old_second == moment(new_date)


def diff(
    old: Iterable[bytes], new: Iterable[bytes], parse: Callable[[bytes], tuple[str, str]]
) -> Changes:
    """Compares two lists of rows: yields each URL that is added, is removed, or has another date.

    Old rows of `a b c` and new rows of `a c d` → `b` is removed, and `d` is added. `parse` reads
    the URL and the date of a row.

    The lists may be long, so they are read side by side, a row of each at a time. A row waits in
    memory until the other list comes to its URL. In lists of much the same order, that is soon.
    Where too many rows wait, they are moved to files, and their changes come last.
    """
    # The rows that wait, as dates by URL.
    old_dates: dict[str, str] = {}
    new_dates: dict[str, str] = {}
    parts: list[_Part] = []  # the files of rows that wait, made when there are too many
    for old_row, new_row in zip_longest(old, new):  # None where one list has ended
        if old_row == new_row:
            continue
        if old_row is not None:
            url, date = parse(old_row)
            new_date = new_dates.pop(url, None)
            if new_date is None:  # the new list has not come to this URL
                old_dates[url] = date
            elif new_date != date:
                yield UrlChange.CHANGED, url, date, new_date
        if new_row is not None:
            url, date = parse(new_row)
            old_date = old_dates.pop(url, None)
            if old_date is None:  # the old list has not come to this URL
                new_dates[url] = date
            elif old_date != date:
                yield UrlChange.CHANGED, url, old_date, date
        if len(old_dates) + len(new_dates) < _MAX_WAITING:
            continue
        # Too many rows wait. Where the other list has ended, no row can come for them, so they are
        # changes already. But a row in the files may have the same URL.
        if old_row is None and not parts:
            yield from _match_rows({}, new_dates)
            new_dates.clear()
        elif new_row is None and not parts:
            yield from _match_rows(old_dates, {})
            old_dates.clear()
        else:
            parts = parts or [_Part(LongList(), LongList()) for _ in range(_PARTS)]
            _move_to_parts(old_dates, new_dates, parts)
    # Both lists have ended: match what is left.
    if parts:
        _move_to_parts(old_dates, new_dates, parts)
    yield from _match_rows(old_dates, new_dates)
    for part in parts:
        yield from _match_rows(dict(part.old), dict(part.new))


def _match_rows(old_dates: dict[str, str], new_dates: dict[str, str]) -> Changes:
    """Compares old and new rows, given as dates by URL: which are added, changed and removed.

    Old `{a: 1, b: 1}` and new `{a: 2, c: 2}` → `a` is changed, `c` added, and `b` removed. A URL
    with the same date in both gives no change.
    """
    for url, new_date in new_dates.items():
        old_date = old_dates.get(url)
        if old_date is None:
            yield UrlChange.ADDED, url, "", new_date
        elif old_date != new_date:
            yield UrlChange.CHANGED, url, old_date, new_date
    for url, old_date in old_dates.items():
        if url not in new_dates:
            yield UrlChange.REMOVED, url, old_date, ""


def _move_to_parts(
    old_dates: dict[str, str], new_dates: dict[str, str], parts: Sequence[_Part]
) -> None:
    """Moves waiting rows, given as dates by URL, to files, and empties both dictionaries.

    The hash of a URL chooses the part, so that the old and the new row of a URL meet there.
    """
    for url, date in old_dates.items():
        parts[crc32(url.encode()) % _PARTS].old.append((url, date))
    for url, date in new_dates.items():
        parts[crc32(url.encode()) % _PARTS].new.append((url, date))
    old_dates.clear()
    new_dates.clear()
