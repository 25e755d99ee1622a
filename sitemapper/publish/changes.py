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
    """Compares the URLs to publish with those that were published before.

    Gives each change to the observer, counts the changes, and says what became of removed URLs. If
    nothing was published before, and the observer wants no list, all URLs are only counted as new.
    """
    counts = dict.fromkeys(UrlChange, 0)
    dates = DateChanges()
    published = previous.count_urls()
    if published is None and not observer.wants_changes:
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
    """Rows in files that wait for a row with the same key: old rows, `removed`, and new, `added`.

    Each has its key and its date. They are called so because their URLs are removed and added,
    unless a row of the other list with the same key is found.
    """

    removed: LongList[tuple[str, str]]
    added: LongList[tuple[str, str]]


class LedgerRows(NamedTuple):
    """The rows of the ledger that a run writes."""

    shard: Shard
    spool: Spool
    locator: Locator

    def changes(self, previous: Previous) -> Changes:
        """Compares the ledger that was read with the one that the run writes, URL by URL.

        A URL is changed if it has another date, or another digest of its content. Digests that were
        made by different rules are not compared: then only the date counts.
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

        `diff` compares these texts, so it finds another date and another digest.
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
    | nothing | nothing: all URLs are added |

    `files` are those to publish, and `rows` those of the new ledger. If the ledger stays as it is,
    no edits are looked for in it.
    """
    has_sitemap = bool(previous.names) or previous.copy is not None
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

    Sitemaps in the output that stay as they are need not be read, so they are left out on both
    sides: if only `sitemap-2.xml` is replaced, its old rows are compared with its new ones. An
    earlier sitemap from elsewhere is compared with all new ones.
    """
    # A sitemap may be written twice, plain and as `.gz`, so names are compared without `.gz`.
    kept_names: set[str] = set()
    if previous.copy is None:
        kept_names = {_plain_name(one.file.name) for one in files if one.change is Change.KEPT}
    new_shards: dict[str, Shard] = {}  # one for each plain name
    for file, _ in files:
        name = _plain_name(file.name)
        if file.shard and file.shard.series.format == "xml" and name not in kept_names:
            new_shards[name] = file.shard
    old_rows = previous.all_rows()
    if kept_names:
        old_names = [name for name in previous.names if _plain_name(name) not in kept_names]
        old_rows = chain.from_iterable(map(previous.rows, old_names))
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
    """Compares two lists of rows in little memory: each change, with the dates before and after.

    `parse` gives the key of a row, such as its URL, and its date. Old rows `a b c` and new rows
    `a c` give: `b` is removed. The lists should be in much the same order, because a row waits in
    memory until the row of the other list with its key is read. Where too many rows wait, they are
    moved to files, and their changes come last.
    """
    # The dates of the rows that wait, by their keys: old rows, and new ones.
    removed: dict[str, str] = {}
    added: dict[str, str] = {}
    parts: list[_Part] = []  # files, made when too many rows wait
    for old_row, new_row in zip_longest(old, new):  # None where one list has ended
        if old_row == new_row:
            continue
        if old_row is not None:
            key, old_date = parse(old_row)
            waiting_date = added.pop(key, None)
            if waiting_date is None:
                removed[key] = old_date
            elif old_date != waiting_date:
                yield UrlChange.CHANGED, key, old_date, waiting_date
        if new_row is not None:
            key, new_date = parse(new_row)
            waiting_date = removed.pop(key, None)
            if waiting_date is None:
                added[key] = new_date
            elif new_date != waiting_date:
                yield UrlChange.CHANGED, key, waiting_date, new_date
        if len(removed) + len(added) < _MAX_WAITING:
            continue
        # Where the other list has ended, no row can come for those that wait. They are changes
        # already, unless rows in files have the same keys.
        if old_row is None and not parts:
            yield from _match_rows({}, added)
            added.clear()
        elif new_row is None and not parts:
            yield from _match_rows(removed, {})
            removed.clear()
        else:
            parts = parts or [_Part(LongList(), LongList()) for _ in range(_PARTS)]
            _move_to_parts(removed, added, parts)
    # Both lists have ended: match what is left.
    if parts:
        _move_to_parts(removed, added, parts)
    yield from _match_rows(removed, added)
    for part in parts:
        yield from _match_rows(dict(part.removed), dict(part.added))


def _match_rows(removed: dict[str, str], added: dict[str, str]) -> Changes:
    """Compares the waiting old rows, `removed`, with the new ones, `added`: dates by their keys.

    Old `{a: 1, b: 1}` and new `{a: 2, c: 2}`: `c` is added, `a` changed, and `b` removed. A key
    with the same date in both gives no change.
    """
    for key, new_date in added.items():
        old_date = removed.get(key)
        if old_date is None:
            yield UrlChange.ADDED, key, "", new_date
        elif old_date != new_date:
            yield UrlChange.CHANGED, key, old_date, new_date
    for key, old_date in removed.items():
        if key not in added:
            yield UrlChange.REMOVED, key, old_date, ""


def _move_to_parts(removed: dict[str, str], added: dict[str, str], parts: Sequence[_Part]) -> None:
    """Moves waiting rows to files, and empties both dictionaries.

    The hash of a key chooses the part, which makes the old and the new row of a key meet there.
    """
    for key, old_date in removed.items():
        parts[crc32(key.encode()) % _PARTS].removed.append((key, old_date))
    for key, new_date in added.items():
        parts[crc32(key.encode()) % _PARTS].added.append((key, new_date))
    removed.clear()
    added.clear()
