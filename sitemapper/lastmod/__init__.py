"""When a page last changed: an ordered list of sources, the first that answers wins.

A source is one file here and one line in SOURCES. No source reads the clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..model import Batch, Diagnostic, LastMod, Page, PageFacts, WarningKind
from ..syntax.dates import Writer
from . import ledger, mtime, page

FIXED = "configuration"  # where dates come from that no source gave
_FIRST_PAGE_OF_ALL = 662_688_000  # 1991-01-01; the first web page is of August of that year


class DatePolicy(NamedTuple):
    """How a run dates its pages: sources in order of trust, the latest second believed, the writer."""

    sources: tuple[str, ...]
    now: int
    source_date_epoch: int | None
    writer: Writer


class DateRequest(NamedTuple):
    """Pages to date, what they say of themselves if a source wants it, and the evidence on their batch."""

    pages: Sequence[Page]
    seen: Sequence[PageFacts]
    batch: Batch

    def at(self, places: Sequence[int]) -> DateRequest:
        """Some of them."""
        seen = [self.seen[i] for i in places] if self.seen else ()
        return self._replace(pages=[self.pages[i] for i in places], seen=seen)


Source = Callable[[DateRequest, DatePolicy], Sequence[LastMod | None]]
SOURCES: dict[str, Source] = {
    "page": lambda asked, dating: page.lastmods([seen.modified for seen in asked.seen], dating.writer),
    "git": lambda asked, dating: dating.writer.lastmods([asked.batch.git.get(p.path) for p in asked.pages]),
    "ledger": lambda asked, dating: ledger.lastmods(_ledger_states(asked)),
    "mtime": lambda asked, dating: _file_dates(asked, dating),
}


def _ledger_states(asked: DateRequest) -> list[ledger.LedgerState]:
    pairs = zip(asked.pages, asked.seen, strict=True)
    return [ledger.LedgerState(asked.batch.ledger.get(page.path), seen.digest) for page, seen in pairs]


def _file_dates(asked: DateRequest, dating: DatePolicy) -> Sequence[LastMod | None]:
    """The times of files, but for pages that the ledger knows to be older: those are of a build."""
    said = mtime.lastmods(asked.pages, dating.writer, dating.source_date_epoch)
    if not asked.batch.ledger:
        return said
    return [None if known.is_unchanged else d for known, d in zip(_ledger_states(asked), said, strict=True)]


class DateResult(NamedTuple):
    """Dates of pages in order, the source of each (by place; one name if all have one), warnings."""

    lastmods: Sequence[LastMod | None]
    sources: str | dict[int, str]
    warned: list[Diagnostic]


def date(asked: DateRequest, fixed: Sequence[LastMod | None], dating: DatePolicy) -> DateResult:
    """The date of each page, None where no source answers. A date that a rule has `fixed` stays."""
    lastmods = list(fixed)
    sources: dict[int, str] = {}
    warned: list[Diagnostic] = []
    unanswered: Sequence[int] = [i for i, lastmod in enumerate(fixed) if lastmod is None]
    for name in dating.sources:
        rest = asked if len(unanswered) == len(asked.pages) else asked.at(unanswered)
        if name == "git":
            cut_off = (p.path for p in rest.pages if asked.batch.git.get(p.path, 0) is None)
            warned += [Diagnostic(WarningKind.SHALLOW, path) for path in cut_off]
        said = _drop_implausible(SOURCES[name](rest, dating), rest.pages, dating, warned)
        if "ledger" in dating.sources[: dating.sources.index(name)] and asked.batch.ledger:
            known = zip(_ledger_states(rest), said, strict=True)
            said = [None if page.outdates(lastmod) else lastmod for page, lastmod in known]
        if len(said) == len(asked.pages) and None not in said:
            return DateResult(said, name, warned)  # the common case: one source knows all
        for i, lastmod in zip(unanswered, said, strict=True):
            if lastmod is not None:
                lastmods[i], sources[i] = lastmod, name
        unanswered = [i for i in unanswered if lastmods[i] is None]
    return DateResult(lastmods, sources, warned)


def count_by_source(dated: DateResult) -> dict[str, int]:
    """How many pages each source dated."""
    if isinstance(dated.sources, str):
        return {dated.sources: len(dated.lastmods)}
    return dict(Counter(dated.sources.values()))


def seconds_by_source(dated: DateResult) -> dict[str, list[int]]:
    """The seconds that each source gave; the ledger's were looked at when it learnt them."""
    if isinstance(dated.sources, str):
        found = {dated.sources: [lastmod[0] for lastmod in dated.lastmods if lastmod is not None]}
    else:
        found = {}
        for i, name in dated.sources.items():
            if lastmod := dated.lastmods[i]:
                found.setdefault(name, []).append(lastmod.seconds)
    return {name: seconds for name, seconds in found.items() if name != "ledger"}


def all_seconds(dated: DateResult) -> dict[str, list[int]]:
    """The seconds of all dates by source, those of the ledger and of the configuration too."""
    if isinstance(dated.sources, str):
        return {dated.sources: [lastmod[0] for lastmod in dated.lastmods if lastmod is not None]}
    found: dict[str, list[int]] = {}
    for i, lastmod in enumerate(dated.lastmods):
        if lastmod is not None:
            found.setdefault(dated.sources.get(i, FIXED), []).append(lastmod.seconds)
    return found


def ledger_rows(batch: Batch, paths: Sequence[str], dated: DateResult, seen: Sequence[PageFacts]) -> bytes:
    """The rows of a batch: of the listed `paths`, and of other pages that the ledger knows already.

    A page that is new or changed and whose date cannot be, as by a clock that is behind, is as before, so
    that the next run asks for its date again.
    """
    doubted = {about for caution, about in dated.warned if caution is WarningKind.FUTURE}
    digests = [said.digest for said in seen]
    entries = dict(zip(paths, zip(dated.lastmods, digests, strict=True), strict=True))
    rows = []
    for path, *_ in batch.pages:
        row = batch.ledger.get(path)
        if path in entries or row:
            lastmod, digest = entries.get(path, (None, None))
            if (
                path in doubted
                and lastmod is None
                and not (row and ledger.LedgerState(row, digest).is_unchanged)
            ):
                if row is None:
                    continue
                digest = row.digest
            rows.append((path, lastmod, ledger.LedgerState(row, digest)))
    return ledger.render(rows)


def implausibility(lastmod: LastMod, now: int) -> WarningKind | None:
    """Why a date cannot be the day on which a web page changed; None if it can."""
    if lastmod.seconds > now:
        return WarningKind.FUTURE
    return WarningKind.ANCIENT if lastmod.seconds < _FIRST_PAGE_OF_ALL else None


def _drop_implausible(
    said: Sequence[LastMod | None], pages: Sequence[Page], dating: DatePolicy, warned: list[Diagnostic]
) -> Sequence[LastMod | None]:
    """Without what cannot be."""
    seconds = [lastmod.seconds for lastmod in said if lastmod is not None]
    if not seconds or (max(seconds) <= dating.now and min(seconds) >= _FIRST_PAGE_OF_ALL):
        return said
    doubts = [lastmod and implausibility(lastmod, dating.now) for lastmod in said]
    warned += [Diagnostic(why, p.path) for p, why in zip(pages, doubts, strict=True) if why]
    return [None if why else d for d, why in zip(said, doubts, strict=True)]
