"""The URLs that a run adds, changes and removes, compared with those published before.

Two lists of rows are compared, which may have millions: the sitemaps before and after the run, or
the ledgers. They are read side by side, and a row waits until the other list comes to its URL. If
too many wait, they are moved to files, called parts. There are 32 of them, and the hash of a URL
says in which one its rows are. So the two rows of a URL meet, and only one part is read at a time.
"""

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
from ..syntax.ledger_rows import columns, listed_rows, shows_edit
from ..syntax.urls import Locator
from ..tally import Tally
from .files import ComparedFile, PlannedFiles
from .published import Previous
from .shards import Spool

# The change of a URL, the URL, and its dates before and after, "" without a date.
Difference = tuple[UrlChange, str, str, str]
_MAX_WAITING = 20_000  # rows in memory, in some 6 MiB
# Files into which the waiting rows are divided. Only one of them is in memory at once: of two
# million rows, 60,000.
_PARTS = 32


@dataclass
class DateChanges:
    """Counts the published dates that a run removes or makes older.

    A date goes because its URL is removed, or because a URL that stays has no date any more.
    """

    of_removed_urls: int = 0
    lost: int = 0  # by URLs that stay
    older: int = 0
    first_lost: str = ""  # the URL
    first_older: str = ""  # the URL, and its dates before and after

    def add(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Counts what one change to a URL does to its date.

        | before | after | counted as |
        |---|---|---|
        | no date | any | nothing |
        | 9 March | the URL is removed | a date of a removed URL |
        | 9 March | no date | lost |
        | 9 March | 1 March | older |
        | 1 March | 9 March | nothing |
        """
        second_before = moment(before)
        if second_before is None:
            return
        if change is UrlChange.REMOVED:
            self.of_removed_urls += 1
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

    - `previous` is the number of these, None if nothing was published
    - `counts` has the number of changes of each kind: added, changed, removed
    - `gone` are the URLs that are not listed any more, with what became of them
    """

    previous: int | None
    counts: dict[UrlChange, int]
    gone: Collection[GoneUrl]
    dates: DateChanges


def compare_urls(
    files: PlannedFiles,
    tally: Tally,
    spool: Spool,
    plan: Plan,
    previous: Previous,
    observer: Observer,
) -> UrlChanges:
    """Compares the URLs to publish with the published ones, and counts what changes.

    URLs are added or removed, or they change. The observer gets each of these changes. For each
    removed URL, also finds out what became of it.

    On a first build, all URLs are added. They are only counted then, unless the observer wants each
    of them, as for a list of changes.
    """
    counts = dict.fromkeys(UrlChange, 0)
    dates = DateChanges()
    urls_before = previous.count_urls()
    is_first_build = urls_before is None
    if is_first_build and not observer.wants_changes:
        counts[UrlChange.ADDED] = tally.listed
        return UrlChanges(previous=None, counts=counts, gone=(), dates=dates)
    new_ledger = NewLedger(tally.ledger, spool, plan.policy.locator)
    removed: LongList[str] = LongList()
    for change, url, before, after in _compute_changes(files.compared, new_ledger, previous):
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
        gone = with_moved(classified, plan, previous, new_ledger)
    return UrlChanges(previous=urls_before, counts=counts, gone=gone, dates=dates)


class _Part(NamedTuple):
    """One of the files in which rows wait for the row of the other list with the same URL.

    Each row is a URL with its date. The old and the new row of a URL are always in the same part,
    so that a part can be compared by itself.
    """

    old: LongList[tuple[str, str]]  # in a file, apart from the last rows, fewer than 100
    new: LongList[tuple[str, str]]


class NewLedger(NamedTuple):
    """The ledger that a run writes: its rows, which are in the spool."""

    shard: Shard
    spool: Spool
    locator: Locator

    def changes_since(self, previous: Previous) -> Iterator[Difference]:
        """Finds the URLs that differ between the old ledger and the new one, which this run writes.

        | the URL has                                     | result   |
        |-------------------------------------------------|----------|
        | a row in the new ledger only                    | added    |
        | a row in the old ledger only                    | removed  |
        | two dates that differ                           | changed  |
        | the same date, and digests that show an edit    | changed  |
        | the same date, and digests that show no edit    | not told |
        """
        old_rows = previous.ledger_rows()
        new_rows = listed_rows(self.all_rows())
        compared = diff(old_rows, new_rows, self._parse_url_and_version)
        for change, url, old_version, new_version in compared:
            # A version is a date and a digest, "" where the ledger does not have the URL.
            old_date, _tab, old_digest = old_version.partition("\t")
            new_date, _tab, new_digest = new_version.partition("\t")
            is_in_both = change is UrlChange.CHANGED
            has_same_date = is_in_both and _is_same_moment(old_date, new_date)
            if not has_same_date or shows_edit(old_digest, new_digest):
                yield change, url, old_date, new_date

    def all_rows(self) -> Iterator[bytes]:
        """Reads the rows, also those of pages that are not listed."""
        return self.spool.rows(self.shard)

    def url(self, row: bytes) -> str:
        """Makes the URL of a listed page from its row in the ledger.

        On the site `https://a.example/`, which lists URLs without `.html`:

        `a.html TAB date TAB digest`               → `https://a.example/a`
        `a.html TAB date TAB digest TAB /a.html`   → `https://a.example/a.html`, its own URL
        `https://a.example/b TAB date TAB digest`  → `https://a.example/b`: a URL without a file

        The fourth column is there if the page has a URL of its own, not in the style of the site.
        """
        page_or_url, _, _, served_path = columns(row)
        if "://" in page_or_url:
            return page_or_url
        if served_path is None:
            served_path = self.locator.served_path(page_or_url)
        [escaped_path] = self.locator.with_escapes([served_path])
        return self.locator.base + escaped_path

    def _parse_url_and_version(self, row: bytes) -> tuple[str, str]:
        """Reads the URL of a row, and the version of the page: its date and digest as one text.

        `b.html TAB 2026-03-01 TAB 3f0c-…` → `https://a.example/b` and `2026-03-01 TAB 3f0c-…`. A
        page with the same date and another digest has another version.
        """
        _page, date, digest, _own_url = columns(row)
        return self.url(row), f"{date}\t{digest}"


def _compute_changes(
    files: Sequence[ComparedFile], new_ledger: NewLedger, previous: Previous
) -> Iterator[Difference]:
    """Yields the URLs that a run adds, changes and removes, compared with the published ones.

    The old and the new sitemaps are compared. If there is no old sitemap, but an old ledger, the
    ledgers are compared. `files` are the files to publish.
    """
    # An index whose sitemaps are missing is no old sitemap here, because its URLs are not known.
    has_old_sitemap = bool(previous.names) or previous.has_sitemap_elsewhere
    if not has_old_sitemap and any(previous.ledger_rows()):
        yield from new_ledger.changes_since(previous)
        return
    yield from _compare_sitemaps(files, new_ledger.spool, previous)
    yield from _find_edits_without_new_date(files, new_ledger, previous)


def _find_edits_without_new_date(
    files: Sequence[ComparedFile], new_ledger: NewLedger, previous: Previous
) -> Iterator[Difference]:
    """Finds pages that changed but keep their date: they were edited twice on the same day.

    Sitemaps have only dates, and do not show this. The ledgers also have a digest of each page.
    `files` are the files to publish.
    """
    # If the run has no ledger, or does not change it, no digest is new.
    is_ledger_written = any(file.is_ledger and change is not Change.KEPT for file, change in files)
    if not is_ledger_written:
        return
    for change, url, old_date, new_date in new_ledger.changes_since(previous):
        if change is UrlChange.CHANGED and old_date == new_date:
            yield change, url, old_date, new_date


def _compare_sitemaps(
    files: Sequence[ComparedFile], spool: Spool, previous: Previous
) -> Iterator[Difference]:
    """Finds the URLs that are added to the sitemaps, removed from them, or have another date.

    Sitemaps that the run keeps are not read: if it replaces only `sitemap-2.xml`, no URL in
    `sitemap-1.xml` can differ. But an earlier sitemap from elsewhere, such as from the live site,
    is compared with all new sitemaps.
    """
    if previous.is_of_output:
        kept = {_plain_name(file.name) for file, change in files if change is Change.KEPT}
        old_names = [name for name in previous.names if _plain_name(name) not in kept]
        old_rows: Iterator[bytes] = chain.from_iterable(map(previous.rows, old_names))
        new_shards = _list_xml_shards(files, kept)
    else:
        old_rows = previous.all_rows()  # none with `--previous none`: every URL is added
        new_shards = _list_xml_shards(files, kept=())
    new_rows = chain.from_iterable(map(spool.rows, new_shards))
    for change, url, old_date, new_date in diff(old_rows, new_rows, parse_row):
        # Another way to write the same date is not a change.
        if change is not UrlChange.CHANGED or not _is_same_moment(old_date, new_date):
            yield change, url, old_date, new_date


def _list_xml_shards(files: Iterable[ComparedFile], kept: Collection[str]) -> Collection[Shard]:
    """Lists the XML sitemaps of a run, except those with the `kept` names.

    Each is given by its shard, which says where its lines are in the spool. A sitemap that is
    written twice, plain and compressed, is listed once.
    """
    shards: dict[str, Shard] = {}  # by name, without `.gz`
    for file, _change in files:
        shard = file.shard
        if shard is None or shard.series.format != "xml":
            continue  # an index, a text sitemap, robots.txt or a ledger
        name = _plain_name(file.name)
        if name not in kept:
            shards[name] = shard
    return shards.values()


def _plain_name(name: str) -> str:
    """Removes the ending of a compressed file from its name: `sitemap.xml.gz` → `sitemap.xml`."""
    return name.removesuffix(".gz")


def _is_same_moment(old_date: str, new_date: str) -> bool:
    """Whether two dates mean the same moment, also if they are in different time zones.

    `2026-03-01T12:00:00Z` and `2026-03-01T13:00:00+01:00` → True.
    """
    if old_date == new_date:
        return True
    old_second = moment(old_date)
    return old_second is not None and old_second == moment(new_date)


def diff(
    old: Iterable[bytes], new: Iterable[bytes], parse: Callable[[bytes], tuple[str, str]]
) -> Iterator[Difference]:
    """Compares two lists of rows: yields each URL that is added, is removed, or has another date.

    Old rows of `a b c` and new rows of `a c d` → `b` is removed, and `d` is added. `parse` reads
    the URL and the date of a row.

    The lists may have millions of rows, so they are read side by side, one row of each at a time. A
    row waits in memory until the other list comes to its URL. If too many rows wait, they are moved
    to files, called parts, and compared at the end. The hash of a URL decides its part.
    """
    # The rows that wait, as dates by URL.
    old_dates: dict[str, str] = {}
    new_dates: dict[str, str] = {}
    parts: list[_Part] = []  # empty until too many rows wait
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
        # Too many rows wait. If the old list has ended, no old row can come for the new ones that
        # wait, so they are added. If the new list has ended, the old ones are removed. But once
        # there are parts, the row with the same URL may be in a part.
        if old_row is None and not parts:
            yield from _match_rows(old_dates={}, new_dates=new_dates)
            new_dates.clear()
        elif new_row is None and not parts:
            yield from _match_rows(old_dates=old_dates, new_dates={})
            old_dates.clear()
        else:
            parts = parts or [_Part(LongList(), LongList()) for _ in range(_PARTS)]
            _move_to_parts(old_dates, new_dates, parts)
    # Both lists have ended, so that the rows which still wait can be compared.
    if parts:
        _move_to_parts(old_dates, new_dates, parts)
    yield from _match_rows(old_dates, new_dates)
    for part in parts:
        yield from _match_rows(dict(part.old), dict(part.new))


def _match_rows(old_dates: dict[str, str], new_dates: dict[str, str]) -> Iterator[Difference]:
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
    """Moves the rows that wait from memory to files, the parts, and empties both dictionaries.

    A row is a URL with its date: `{"https://a.example/b": "2026-03-01"}`. The hash of the URL
    chooses one of the 32 parts, so the old and the new row of a URL always meet in the same one.
    Later, the parts are compared one by one, which needs little memory.
    """
    for url, date in old_dates.items():
        parts[crc32(url.encode()) % _PARTS].old.append((url, date))
    for url, date in new_dates.items():
        parts[crc32(url.encode()) % _PARTS].new.append((url, date))
    old_dates.clear()
    new_dates.clear()
