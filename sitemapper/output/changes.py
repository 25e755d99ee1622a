"""What a run adds, changes and removes, against what was published before: URLs with their dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from itertools import chain, zip_longest

from sitemapper.config.names import RECENT
from sitemapper.model import Shard, Stream, UrlChange
from sitemapper.output import published
from sitemapper.output.shards import File
from sitemapper.output.spool import Spool
from sitemapper.pipeline.plan import Plan

_ENTRY = re.compile(rb"<loc>(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?")

Read = Callable[[bytes], tuple[str, str]]
Changes = Iterator[tuple[UrlChange, str, str, str]]  # with the dates before and after


def of(new: list[File], files: list[File], ledger: Shard, spool: Spool, plan: Plan) -> Changes:
    """What becomes of the URLs that were published, or, where no sitemap is left, of the ledger's.

    `new` are the files to write, of all `files` that there will be; a sitemap that stays as it is has
    no part in what changes. The ledger holds paths, so its URLs are those of the style.
    """
    settings = plan.settings
    old = published.sitemaps(settings)
    if not old and published.count_rows(settings):
        rows = published.listed_rows(spool.rows(ledger))
        for change, path, *dates in diff(published.ledger_rows(settings), rows, ledger_row):
            yield change, settings.base_url + plan.law.locator.form(path), dates[0], dates[1]
        return
    # Packed or not, a sitemap of which one form stays has no part in what changes.
    kept = {_plain(file.name) for file in files if file not in new}
    shards = {
        _plain(file.name): file.shard
        for file in files
        if file.shard and _is_own(file.shard.stream) and _plain(file.name) not in kept
    }
    before = chain.from_iterable(published.rows(name, settings) for name in old if _plain(name) not in kept)
    yield from diff(before, chain.from_iterable(map(spool.rows, shards.values())), entry)


def _is_own(stream: Stream) -> bool:
    """Whether a sitemap repeats no other, as text or as the newest pages."""
    return stream.format == "xml" and stream.section != RECENT


def _plain(name: str) -> str:
    return name.removesuffix(".gz")


def diff(old: Iterable[bytes], new: Iterable[bytes], read: Read) -> Changes:
    """Compares two lists of rows in much the same order; `read` gives a row's key and its date.

    Rows that are equal cost a comparison; a row waits for its counterpart only while the two lists
    are out of step, so memory grows with what differs and not with the site.
    """
    gone: dict[str, str] = {}
    come: dict[str, str] = {}
    for before, after in zip_longest(old, new):
        if before == after:
            continue
        if before is not None:
            key, date = read(before)
            if key not in come:
                gone[key] = date
            elif (now := come.pop(key)) != date:
                yield UrlChange.CHANGED, key, date, now
        if after is not None:
            key, date = read(after)
            if key in gone:
                if (then := gone.pop(key)) != date:
                    yield UrlChange.CHANGED, key, then, date
            elif before is None:  # nothing is left that it could be
                yield UrlChange.ADDED, key, "", date
            else:
                come[key] = date
    yield from ((UrlChange.ADDED, key, "", date) for key, date in come.items())
    yield from ((UrlChange.REMOVED, key, date, "") for key, date in gone.items())


def entry(row: bytes) -> tuple[str, str]:
    """The URL and the date of a `<url>` row as we write it."""
    found = _ENTRY.search(row)
    return (unescape(_text(found[1])), _text(found[2] or b"")) if found else ("", "")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def ledger_row(row: bytes) -> tuple[str, str]:
    """The encoded path and the date of a row of the ledger."""
    path, _, rest = row.decode("ascii").partition("\t")
    return path, rest.partition("\t")[0]
