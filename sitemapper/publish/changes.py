"""The URLs that a run adds, changes and removes, compared with the published ones."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple
from zlib import crc32

from ..long_list import LongList
from ..model import Change, Shard, UrlChange
from ..read.sitemap import parse_row
from ..syntax.dates import moment
from ..syntax.ledger_rows import columns, has_same_rule, listed_rows
from ..syntax.urls import Locator
from .previous import Previous
from .published import ComparedFile
from .shards import Spool

Changes = Iterator[tuple[UrlChange, str, str, str]]  # with the dates before and after
_MOST_WAITING = 20_000  # rows in memory, in some 6 MiB
_PARTS = 32  # of the rows in files: of two million, 60,000 are in memory at once


class _Part(NamedTuple):
    """Some of the rows that wait in files: the keys and dates of old ones, and of new ones."""

    removed: LongList[tuple[str, str]]
    added: LongList[tuple[str, str]]


class LedgerRows(NamedTuple):
    """The rows of the ledger that a run writes."""

    shard: Shard
    spool: Spool
    locator: Locator

    def changes(self, previous: Previous) -> Changes:
        """The changes to the URLs of the ledger, with the dates before and after.

        A URL is changed if it has another date, or another digest that was made by the same rule.
        """
        old_rows = previous.ledger_rows()
        new_rows = listed_rows(self.all_rows())
        for change, url, old_state, new_state in diff(old_rows, new_rows, self._read):
            old_date, _, old_digest = old_state.partition("\t")
            new_date, _, new_digest = new_state.partition("\t")
            if change is UrlChange.CHANGED and _is_same(old_date, new_date):
                is_edited = old_digest != new_digest and has_same_rule(old_digest, new_digest)
                if not is_edited:
                    continue
            yield change, url, old_date, new_date

    def all_rows(self) -> Iterator[bytes]:
        """The rows, also those of pages that are not listed."""
        return self.spool.rows(self.shard)

    def url(self, row: bytes) -> str:
        """The URL of a listed row.

        The row has the path of a page, `a.html`. In a fourth column, it has the path of the URL if
        that is not in the site's URL style: `a` for `/a`. The row of an extra URL begins with it.
        """
        path, _, _, served_path = columns(row)
        if "://" in path:
            return path
        if served_path is None:
            served_path = self.locator.served_path(path)
        return self.locator.base + self.locator.with_escapes([served_path])[0]

    def _read(self, row: bytes) -> tuple[str, str]:
        """The URL of a listed row, and what may change: `2026-03-01 TAB 3f0c-…`."""
        _, date, digest, _ = columns(row)
        return self.url(row), f"{date}\t{digest}"


def compute_changes(files: Sequence[ComparedFile], rows: LedgerRows, previous: Previous) -> Changes:
    """The changes to the published URLs or, without a sitemap, to the URLs of the ledger.

    `files` are the files to publish. If they include the ledger, also the edits that change no
    date are changes.
    """
    if not previous.names and previous.copy is None and any(previous.ledger_rows()):
        yield from rows.changes(previous)
        return
    yield from _sitemap_changes(files, rows.spool, previous)
    is_ledger_new = any(
        compared.file.shard == rows.shard and compared.change is not Change.KEPT
        for compared in files
    )
    if is_ledger_new:
        yield from _edits_without_new_date(rows, previous)


def _edits_without_new_date(rows: LedgerRows, previous: Previous) -> Changes:
    """The changes that only the ledger shows.

    A second edit on the same day has the same date. Only the digest differs.
    """
    for change, url, old_date, new_date in rows.changes(previous):
        if change is UrlChange.CHANGED and old_date == new_date:
            yield change, url, old_date, new_date


def _sitemap_changes(files: Sequence[ComparedFile], spool: Spool, previous: Previous) -> Changes:
    """The URLs that are added to the sitemaps, removed from them, or have another date.

    Of the sitemaps in the output, compares only those that publishing replaces: their published
    rows with their new ones.
    """
    kept_names: set[str] = set()
    if previous.copy is None:
        # A sitemap that is kept, packed or not, contains no changes.
        kept_names = {_unpacked(of.file.name) for of in files if of.change is Change.KEPT}
    new_shards: dict[str, Shard] = {}  # by the name of the unpacked file
    for file, _ in files:
        name = _unpacked(file.name)
        if file.shard and file.shard.series.format == "xml" and name not in kept_names:
            new_shards[name] = file.shard
    old_rows = previous.all_rows()
    if kept_names:
        replaced_names = [name for name in previous.names if _unpacked(name) not in kept_names]
        old_rows = chain.from_iterable(map(previous.rows, replaced_names))
    new_rows = chain.from_iterable(map(spool.rows, new_shards.values()))
    for change, url, old_date, new_date in diff(old_rows, new_rows, parse_row):
        if change is not UrlChange.CHANGED or not _is_same(old_date, new_date):
            yield change, url, old_date, new_date


def _unpacked(name: str) -> str:
    """The name of a file without compression."""
    return name.removesuffix(".gz")


def _is_same(before: str, after: str) -> bool:
    """Whether two dates are the same moment. Another time zone is not a change."""
    if before == after:
        return True
    second = moment(before)
    return second is not None and second == moment(after)


def diff(
    old: Iterable[bytes], new: Iterable[bytes], read: Callable[[bytes], tuple[str, str]]
) -> Changes:
    """The differences between two lists of rows. `read` gives the key of a row, and its date.

    The lists are in much the same order. A row waits for the row of the other list with its key:
    after one lost page, each row waits for one step. Memory does not grow with what differs: where
    many rows wait, they are moved to files, and the differences in these come last.
    """
    # The dates of the rows that wait, by their keys.
    removed: dict[str, str] = {}
    added: dict[str, str] = {}
    parts: list[_Part] = []
    for before, after in zip_longest(old, new):
        if before == after:
            continue
        if before is not None:
            key, date = read(before)
            if key in added:
                new_date = added.pop(key)
                if new_date != date:
                    yield UrlChange.CHANGED, key, date, new_date
            else:
                removed[key] = date
        if after is not None:
            key, date = read(after)
            if key in removed:
                old_date = removed.pop(key)
                if old_date != date:
                    yield UrlChange.CHANGED, key, old_date, date
            else:
                added[key] = date
        if len(removed) + len(added) < _MOST_WAITING:
            continue
        # A row matches nothing more if the other list has ended, and no row of it is in a file.
        if before is None and not parts:
            yield from _differences({}, added)
            added.clear()
        elif after is None and not parts:
            yield from _differences(removed, {})
            removed.clear()
        else:
            parts = parts or [_Part(LongList(), LongList()) for _ in range(_PARTS)]
            _move_to_parts(removed, added, parts)
    if parts:
        _move_to_parts(removed, added, parts)
    yield from _differences(removed, added)
    for part in parts:
        yield from _differences(dict(part.removed), dict(part.added))


def _differences(removed: dict[str, str], added: dict[str, str]) -> Changes:
    """The differences between all old and all new rows of some keys, given by their dates."""
    for key, date in added.items():
        old_date = removed.get(key)
        if old_date is None:
            yield UrlChange.ADDED, key, "", date
        elif old_date != date:
            yield UrlChange.CHANGED, key, old_date, date
    for key, date in removed.items():
        if key not in added:
            yield UrlChange.REMOVED, key, date, ""


def _move_to_parts(removed: dict[str, str], added: dict[str, str], parts: Sequence[_Part]) -> None:
    """Moves rows to the parts. The hash of a key decides, so both rows of a key are in one part."""
    for key, date in removed.items():
        parts[crc32(key.encode()) % _PARTS].removed.append((key, date))
    for key, date in added.items():
        parts[crc32(key.encode()) % _PARTS].added.append((key, date))
    removed.clear()
    added.clear()
