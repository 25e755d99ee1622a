"""When a page last changed: an ordered list of sources, the first that answers wins.

A source is one file here and one line in SOURCES. No source reads the clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..model import Batch, Diagnostic, LastMod, Page, PageFacts, WarningKind
from ..syntax.dates import Writer
from . import build_times, ledger, mtime, page
from .sources import choose

_FIRST_WEB_PAGE = 662_688_000  # 1991-01-01; the first web page is of August of that year


class DatePolicy(NamedTuple):
    """How a run dates its pages: sources in order of trust, the latest second believed, the writer.

    With `omits_file_times`, `mtime` dates no page, because a build wrote the files.
    """

    sources: tuple[str, ...]
    now: int
    source_date_epoch: int | None
    writer: Writer
    omits_file_times: bool = False


class DateRequest(NamedTuple):
    """Pages to date, with what is known of them: their last commits, and where a source wants them, their
    facts and their states in the ledger."""

    pages: Sequence[Page]
    facts: Sequence[PageFacts]
    states: Sequence[ledger.LedgerState]
    commits: Mapping[str, int | None]

    def subset(self, places: Sequence[int]) -> DateRequest:
        """Some of the pages."""
        return DateRequest(
            [self.pages[n] for n in places],
            [self.facts[n] for n in places] if self.facts else (),
            [self.states[n] for n in places] if self.states else (),
            self.commits,
        )


class DateResult(NamedTuple):
    """Dates of pages in order, the source of each (by place; one name if all have one), warnings.

    `file_times` are the seconds that may show a build. `omitted` counts pages without a date that have only a
    file time of a build.
    """

    lastmods: Sequence[LastMod | None]
    sources: str | Mapping[int, str]
    diagnostics: Sequence[Diagnostic]
    file_times: Sequence[int] = ()
    omitted: int = 0

    def source(self, place: int) -> str:
        """The source that dated a page, "" for none."""
        return self.sources if isinstance(self.sources, str) else self.sources.get(place, "")


Source = Callable[[DateRequest, DatePolicy], Sequence[LastMod | None]]
SOURCES: dict[str, Source] = {
    "page": lambda request, policy: page.lastmods([facts.date for facts in request.facts], policy.writer),
    "git": lambda request, policy: policy.writer.lastmods(
        [request.commits.get(p.path) for p in request.pages]
    ),
    "ledger": lambda request, policy: ledger.lastmods(request.states) or [None] * len(request.pages),
    "mtime": lambda request, policy: _file_dates(request, policy),
}


def make_request(
    batch: Batch, pages: Sequence[Page], facts: Sequence[PageFacts], policy: DatePolicy
) -> DateRequest:
    """The request for pages of a batch; `facts` are empty if nothing is read."""
    states: Sequence[ledger.LedgerState] = ()
    if "ledger" in policy.sources and batch.ledger:
        pairs = zip(pages, facts, strict=True)
        states = [ledger.LedgerState(batch.ledger.get(page.path), known.digest) for page, known in pairs]
    commits = batch.git
    if batch.sources:
        pairs = zip(pages, facts, strict=True)
        commits = {**commits, **dict(_source_dates(batch, pairs))}
    return DateRequest(pages, facts, states, commits)


def _source_dates(batch: Batch, pairs: Iterable[tuple[Page, PageFacts]]) -> Iterator[tuple[str, int | None]]:
    """The second of each page's source, for pages that have one."""
    for (path, *_), facts in pairs:
        if facts.shown and path in batch.sources:
            source, _ = choose(batch.sources[path], *facts.shown)
            if source:
                yield path, source.seconds


def _file_dates(request: DateRequest, policy: DatePolicy) -> Sequence[LastMod | None]:
    """The times of files, but for pages that the ledger knows to be older: those are of a build."""
    dates = mtime.lastmods(request.pages, policy.writer, policy.source_date_epoch)
    if not request.states:
        return dates
    return [None if state.is_unchanged else d for state, d in zip(request.states, dates, strict=True)]


def resolve_dates(request: DateRequest, fixed: Sequence[LastMod | None], policy: DatePolicy) -> DateResult:
    """The date of each page, None where no source answers. A date that a rule has `fixed` stays."""
    lastmods = list(fixed)
    sources: dict[int, str] = {}
    diagnostics: list[Diagnostic] = []
    undated: Sequence[int] = [n for n, lastmod in enumerate(fixed) if lastmod is None]
    omitted = 0
    file_times: Sequence[int] = ()
    if "mtime" in policy.sources:
        file_times = build_times.seconds_of(request.pages, request.states)
    for name in _with_rows(policy.sources):
        rest = request if len(undated) == len(request.pages) else request.subset(undated)
        if name == "mtime" and policy.omits_file_times:
            omitted = len(rest.pages)
            continue
        if name == "git":
            shallow = (p.path for p in rest.pages if request.commits.get(p.path, 0) is None)
            diagnostics += [Diagnostic(WarningKind.SHALLOW, path) for path in shallow]
        dates = _drop_implausible(SOURCES[name](rest, policy), rest.pages, policy, diagnostics)
        if rest.states and "ledger" in policy.sources[: policy.sources.index(name)]:
            pairs = zip(rest.states, dates, strict=True)
            dates = [None if state.predates_change(date) else date for state, date in pairs]
        if len(dates) == len(request.pages) and None not in dates:
            return DateResult(dates, name, diagnostics, file_times)  # the common case: one source knows all
        for n, lastmod in zip(undated, dates, strict=True):
            if lastmod is not None:
                lastmods[n], sources[n] = lastmod, name
        undated = [n for n in undated if lastmods[n] is None]
    return DateResult(lastmods, sources, diagnostics, file_times, omitted)


def _with_rows(sources: tuple[str, ...]) -> tuple[str, ...]:
    """The sources in order. The ledger also stands before `mtime`, so that an unchanged page keeps its date."""
    place = sources.index("mtime") if "mtime" in sources else len(sources)
    return (*sources[:place], "ledger", *sources[place:]) if "ledger" in sources[place:] else sources


def count_by_source(result: DateResult) -> dict[str, int]:
    """How many pages each source dated."""
    if isinstance(result.sources, str):
        return {result.sources: len(result.lastmods)}
    return dict(Counter(result.sources.values()))


def seconds_by_source(result: DateResult) -> dict[str, Sequence[int]]:
    """The seconds that may show a build, by source. The ledger's were checked when they were recorded."""
    seconds: dict[str, list[int]] = {}
    if isinstance(result.sources, str):
        seconds[result.sources] = [lastmod[0] for lastmod in result.lastmods if lastmod is not None]
    else:
        for n, source in result.sources.items():
            if lastmod := result.lastmods[n]:
                seconds.setdefault(source, []).append(lastmod.seconds)
    seconds.pop("ledger", None)
    return {**seconds, "mtime": result.file_times} if result.file_times else {**seconds}


def ledger_rows(
    batch: Batch, paths: Sequence[str], result: DateResult, facts: Sequence[PageFacts], policy: DatePolicy
) -> bytes:
    """The rows of a batch: of the listed `paths`, and of other pages that the ledger knows already.

    A page that is new or changed and whose date cannot be, as by a clock that is behind, is as before, so
    that the next run asks for its date again. Where the `policy` leaves out files' times, a new page gets a
    row without a date: the next run asks the others all the same, and must not take the time of a build.
    """
    future = {about for kind, about in result.diagnostics if kind is WarningKind.FUTURE}
    digests = [page_facts.digest for page_facts in facts]
    entries = dict(zip(paths, zip(result.lastmods, digests, strict=True), strict=True))
    rows = []
    for path, *_ in batch.pages:
        row = batch.ledger.get(path)
        if path in entries or row:
            lastmod, digest = entries.get(path, (None, None))
            state = ledger.LedgerState(row, digest)
            if path in future and lastmod is None and not (row and state.is_unchanged):
                if row is None and "mtime" in policy.sources and not policy.omits_file_times:
                    continue
                state = ledger.LedgerState(row, row.digest) if row else state
            rows.append((path, lastmod, state))
    return ledger.render(rows)


def implausibility(lastmod: LastMod, now: int) -> WarningKind | None:
    """Why a date cannot be the day on which a web page changed; None if it can."""
    if lastmod.seconds > now:
        return WarningKind.FUTURE
    return WarningKind.ANCIENT if lastmod.seconds < _FIRST_WEB_PAGE else None


def _drop_implausible(
    dates: Sequence[LastMod | None], pages: Sequence[Page], policy: DatePolicy, diagnostics: list[Diagnostic]
) -> Sequence[LastMod | None]:
    """The dates without what cannot be, of which it warns."""
    seconds = [lastmod.seconds for lastmod in dates if lastmod is not None]
    if not seconds or (max(seconds) <= policy.now and min(seconds) >= _FIRST_WEB_PAGE):
        return dates
    faults = [lastmod and implausibility(lastmod, policy.now) for lastmod in dates]
    diagnostics += [Diagnostic(kind, p.path) for p, kind in zip(pages, faults, strict=True) if kind]
    return [None if kind else date for date, kind in zip(dates, faults, strict=True)]
