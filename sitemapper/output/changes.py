"""The URLs that a run adds, changes and removes, compared with the published ones."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import unescape
from itertools import chain, zip_longest
from typing import NamedTuple

from ..model import NO_BASELINE, Change, Shard, UrlChange
from ..settled import Output
from ..syntax.dates import moment
from ..syntax.ledger_rows import columns, has_same_rule, listed_rows
from ..syntax.urls import Locator
from .published import ComparedFile, Previous, open_previous
from .shards import Spool

_ENTRY = re.compile(r"<loc>([^<]*+)</loc>(?:<lastmod>([^<]*+)</lastmod>)?")

Changes = Iterator[tuple[UrlChange, str, str, str]]  # with the dates before and after


class LedgerRows(NamedTuple):
    """The rows of the ledger that a run writes."""

    shard: Shard
    spool: Spool
    locator: Locator

    def changes(self, previous: Previous) -> Changes:
        """The changes to the URLs of the ledger: another date, or another digest of one rule."""
        new_rows = listed_rows(self.spool.rows(self.shard))
        for change, url, old, new in diff(previous.ledger_rows(), new_rows, self._read):
            before, _, old_digest = old.partition("\t")
            after, _, new_digest = new.partition("\t")
            is_edited = old_digest != new_digest and has_same_rule(old_digest, new_digest)
            if change is not UrlChange.CHANGED or is_edited or not _is_same(before, after):
                yield change, url, before, after

    def _read(self, row: bytes) -> tuple[str, str]:
        """The URL of a row, and its date with the digest."""
        path, date, digest, form = columns(row)
        state = f"{date}\t{digest}"
        if "://" in path:
            return path, state
        served = self.locator.served_path(path) if form is None else form
        return self.locator.base + served, state


def compute_changes(files: Sequence[ComparedFile], rows: LedgerRows, previous: Previous) -> Changes:
    """The changes to the published URLs or, without a sitemap, to the URLs of the ledger."""
    if not previous.names and any(previous.ledger_rows()):
        yield from rows.changes(previous)
        return
    yield from _sitemap_changes(files, rows.spool, previous)
    if any(of.file.shard == rows.shard and of.change is not Change.KEPT for of in files):
        # A second edit on the same day has the same date. Only the digest differs.
        for row in rows.changes(previous):
            change, _, before, after = row
            if change is UrlChange.CHANGED and before == after:
                yield row


def _sitemap_changes(files: Sequence[ComparedFile], spool: Spool, previous: Previous) -> Changes:
    """The URLs that are added to the sitemaps, removed from them, or have another date."""
    # A sitemap that is kept in one form, packed or not, contains no changes.
    kept = {_unpacked(of.file.name) for of in files if of.change is Change.KEPT}
    written: dict[str, Shard] = {}
    for file, _ in files:
        name = _unpacked(file.name)
        if file.shard and file.shard.series.format == "xml" and name not in kept:
            written[name] = file.shard
    replaced = (name for name in previous.names if _unpacked(name) not in kept)
    before = chain.from_iterable(map(previous.rows, replaced))
    after = chain.from_iterable(map(spool.rows, written.values()))
    for change, url, was, now in diff(before, after, entry):
        if change is not UrlChange.CHANGED or not _is_same(was, now):
            yield change, url, was, now


def _unpacked(name: str) -> str:
    """The name of a file without compression."""
    return name.removesuffix(".gz")


def merge_lists(waiting: Iterable[str], new: Iterable[str], base_url: str) -> Iterator[str]:
    """The remaining rows of a list of changes, merged with the rows of a new one.

    A new row of a URL replaces its old row. A URL that was added and then removed needs no row. If
    the list contains the whole site because there was nothing to compare with, it is dropped. URLs
    that are not below `base_url` cannot be sent any more.
    """
    kinds: dict[str, str] = {}
    for row in waiting:
        kind, _, url = row.rstrip("\r\n").partition("\t")
        if row.startswith(NO_BASELINE):
            kinds.clear()
        elif url.partition("://")[2].startswith(base_url.partition("://")[2]):
            kinds[url] = kind
    if not kinds:
        yield from new
        return
    for row in new:
        kind, _, url = row.rstrip("\r\n").partition("\t")
        before = kinds.pop(url, "")
        is_undone = before == UrlChange.ADDED.value and kind == UrlChange.REMOVED.value
        if not is_undone:
            kinds[url] = kind
    for url, kind in kinds.items():
        yield f"{kind}\t{url}\n" if url else f"{kind}\n"


def is_renamed(was: Output, shards: Iterable[Shard], spool: Spool) -> bool:
    """Whether most pages of a sitemap of ours are still listed, in any form of their URLs."""
    previous = open_previous(was)
    own = [shard for shard in shards if shard.series.format == "xml"]
    before = chain.from_iterable(map(previous.rows, previous.names))
    after = chain.from_iterable(map(spool.rows, own))
    total = (previous.count_urls() or 0) + sum(shard.urls for shard in own)
    alone = sum(1 for _ in diff(before, after, _page))
    # A page in both lists counts twice in the total, so with fewer alone than this, most are.
    return total > 3 * alone


def _page(row: bytes) -> tuple[str, str]:
    """The path of a `<url>` row in all styles of URLs alike, and no date."""
    url, _ = entry(row)
    path = url.partition("://")[2].partition("/")[2]
    return path.removesuffix("index.html").removesuffix(".html").rstrip("/"), ""


def _is_same(before: str, after: str) -> bool:
    """Whether two dates are the same moment. Another time zone is not a change."""
    if before == after:
        return True
    second = moment(before)
    return second is not None and second == moment(after)


def diff(
    old: Iterable[bytes], new: Iterable[bytes], read: Callable[[bytes], tuple[str, str]]
) -> Changes:
    """Compares two lists of rows in much the same order; `read` gives a row's key and its date.

    Rows that are equal cost a comparison; a row waits for its counterpart only while the two lists
    are out of step, so memory grows with what differs and not with the site.
    """
    # The dates of rows that have no counterpart yet.
    removed: dict[str, str] = {}
    added: dict[str, str] = {}
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
            elif before is None:  # it matches nothing that is left
                yield UrlChange.ADDED, key, "", date
            else:
                added[key] = date
    for key, date in added.items():
        yield UrlChange.ADDED, key, "", date
    for key, date in removed.items():
        yield UrlChange.REMOVED, key, date, ""


def entry(row: bytes) -> tuple[str, str]:
    """The URL and the date of a `<url>` row in our format."""
    match = _ENTRY.search(row.decode("utf-8", "replace"))
    if match is None:
        return "", ""
    return unescape(match[1]), match[2] or ""
