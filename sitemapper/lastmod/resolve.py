"""When a page last changed, by an ordered list of sources. The first one with a date wins.

A source is an entry in SOURCES. No source uses the current time.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple

from ..model import Batch, Diagnostic, LastMod, Listed, Page, PageFacts, WarningKind
from ..syntax.dates import Writer, read
from ..syntax.ledger_rows import render_row
from ..syntax.urls import Locator, quoted
from . import build_times, ledger

_FIRST_WEB_PAGE = 662_688_000  # 1991-01-01; the first web page is of August of that year


class DatePolicy(NamedTuple):
    """How a run dates its pages: the sources in order, the latest plausible second, and the writer.

    The locator is needed because the ledger contains URLs that are not in the site's style. With
    `omits_file_times`, `mtime` dates no page, because a build wrote the files. With `needs_days`,
    dates without a day are skipped.
    """

    sources: tuple[str, ...]
    now: int
    source_date_epoch: int | None
    writer: Writer
    locator: Locator
    omits_file_times: bool = False
    needs_days: bool = False


class DateRequest(NamedTuple):
    """Pages to date, with what is known of them: their last commits, and where a source wants them,
    their facts and their states in the ledger."""

    pages: Sequence[Page]
    facts: Sequence[PageFacts]
    states: Sequence[ledger.LedgerState]
    commits: Mapping[str, int | None]


class DateResult(NamedTuple):
    """Dates of pages in order, the source of each dated page (by position), and warnings.

    `file_times` are the seconds that may come from a build. `omitted` counts pages that have only a
    file time of a build. `future` are the paths of pages with a date in the future. `ledger` are
    the rows.
    """

    lastmods: Sequence[LastMod | None]
    sources: Mapping[int, str]
    diagnostics: Sequence[Diagnostic]
    file_times: Sequence[int] = ()
    omitted: int = 0
    future: Set[str] = frozenset()
    ledger: bytes = b""

    @property
    def counts(self) -> dict[str, int]:
        """How many pages each source dated."""
        return dict(Counter(self.sources.values()))

    @property
    def seconds(self) -> dict[str, Sequence[int]]:
        """The seconds that may show a build, by source.

        The ledger's were checked when they were recorded.
        """
        checked = {"ledger", "mtime"} if self.file_times else {"ledger"}
        seconds: dict[str, Sequence[int]] = {}
        for name in {*self.sources.values()} - checked:
            dates = (
                self.lastmods[place] for place, source in self.sources.items() if source == name
            )
            seconds[name] = [date.seconds for date in dates if date]
        return {**seconds, "mtime": self.file_times} if self.file_times else seconds


def _page_dates(request: DateRequest, policy: DatePolicy) -> Sequence[LastMod | None]:
    """The dates in the pages themselves. Ambiguous dates are skipped."""
    dates: list[LastMod | None] = []
    for facts in request.facts:
        try:
            dates.append(read(facts.date, policy.writer) if facts.date else None)
        except ValueError:
            dates.append(None)
    return dates


def _file_dates(request: DateRequest, policy: DatePolicy) -> Sequence[LastMod | None]:
    """Whole seconds, rounded down, as `date -r FILE` prints them; SOURCE_DATE_EPOCH is an upper
    bound (reproducible-builds.org). Pages that the ledger knows to be older have none: theirs are
    of a build.
    """
    seconds = [mtime // 1_000_000_000 for _, _, mtime, *_ in request.pages]
    if policy.source_date_epoch is not None:
        seconds = [min(second, policy.source_date_epoch) for second in seconds]
    dates = policy.writer.lastmods(seconds)
    if not request.states:
        return dates
    return [
        None if state.is_unchanged else d for state, d in zip(request.states, dates, strict=True)
    ]


def _commit_dates(request: DateRequest, policy: DatePolicy) -> Sequence[LastMod | None]:
    return policy.writer.lastmods([request.commits.get(page.path) for page in request.pages])


def _ledger_dates(request: DateRequest, policy: DatePolicy) -> Sequence[LastMod | None]:
    if not request.states:
        return [None] * len(request.pages)
    return [
        state.row.lastmod if state.row and state.is_unchanged else None for state in request.states
    ]


SOURCES: dict[str, Callable[[DateRequest, DatePolicy], Sequence[LastMod | None]]] = {
    "page": _page_dates, "git": _commit_dates, "ledger": _ledger_dates, "mtime": _file_dates,
}  # fmt: skip


def resolve_dates(
    batch: Batch, listed: Sequence[Listed], facts: Sequence[PageFacts], policy: DatePolicy
) -> DateResult:
    """The date of each listed page, None if no source has one, and the batch's rows for the ledger.

    A date that a rule sets is kept. `facts` are empty if nothing is read.
    """
    pages = batch.pages
    if len(listed) < len(pages):
        paths = {entry.path for entry in listed}
        pages = [page for page in pages if page.path in paths]
    states: Sequence[ledger.LedgerState] = ()
    if "ledger" in policy.sources and batch.ledger:
        pairs = zip(pages, facts, strict=True)
        states = [
            ledger.LedgerState(batch.ledger.get(page.path), known.digest) for page, known in pairs
        ]
    commits = batch.git
    if batch.sources:
        # Imported here: only git has sources.
        from .sources import choose

        by_source: dict[str, int | None] = {}
        for page, known in zip(pages, facts, strict=True):
            if known.shown and page.path in batch.sources:
                source, _ = choose(batch.sources[page.path], *known.shown)
                if source:
                    by_source[page.path] = source.seconds
        commits = {**commits, **by_source}
    request = DateRequest(pages, facts, states, commits)
    result = _resolve(request, [entry.lastmod for entry in listed], policy)
    if "ledger" not in policy.sources:
        return result
    return result._replace(ledger=_ledger_rows(batch, listed, facts, result, policy))


def _resolve(
    request: DateRequest, fixed: Sequence[LastMod | None], policy: DatePolicy
) -> DateResult:
    lastmods, pages = list(fixed), request.pages
    sources: dict[int, str] = {}
    diagnostics: list[Diagnostic] = []
    future: set[str] = set()
    undated: Sequence[int] = [n for n, lastmod in enumerate(fixed) if lastmod is None]
    # The ledger also comes before `mtime`, so that an unchanged page keeps its date.
    place = policy.sources.index("mtime") if "mtime" in policy.sources else len(policy.sources)
    before, after = policy.sources[:place], policy.sources[place:]
    ledger_first = ("ledger",) if "ledger" in after else ()
    for name in (*before, *ledger_first, *after):
        if name == "mtime" and policy.omits_file_times:
            continue
        if name == "git":
            shallow = (
                pages[n].path for n in undated if request.commits.get(pages[n].path, 0) is None
            )
            diagnostics += [Diagnostic(WarningKind.SHALLOW, path) for path in shallow]
        dates = SOURCES[name](request, policy) if undated else ()
        states = request.states if "ledger" in policy.sources[: policy.sources.index(name)] else ()
        for n in undated:
            date = dates[n]
            if not date or (policy.needs_days and not is_whole(date)):
                continue
            if not _FIRST_WEB_PAGE <= date.seconds <= policy.now:
                diagnostics.append(Diagnostic(WarningKind.IMPLAUSIBLE, pages[n].path))
                if date.seconds > policy.now:
                    future.add(pages[n].path)
            elif not (states and states[n].predates_change(date)):
                lastmods[n], sources[n] = date, name
        undated = [n for n in undated if lastmods[n] is None]
    if "mtime" not in policy.sources:
        return DateResult(lastmods, sources, diagnostics, future=future)
    file_times = build_times.seconds_of(pages, request.states)
    left = undated if policy.omits_file_times else ()
    omitted = sum(request.commits.get(pages[n].path, 0) is not None for n in left)
    return DateResult(lastmods, sources, diagnostics, file_times, omitted, future)


def _ledger_rows(
    batch: Batch,
    listed: Sequence[Listed],
    facts: Sequence[PageFacts],
    result: DateResult,
    policy: DatePolicy,
) -> bytes:
    """The rows of a batch: of the `listed` pages, and of other pages already in the ledger.

    A new or changed page whose date is in the future, for example because a clock is slow, stays in
    the ledger as it is, so that the next run dates it again. If the `policy` omits file times, a
    new page gets a row without a date. The next run still tries the other sources, but not the time
    of a build.
    """
    dated = zip(result.lastmods, (page_facts.digest for page_facts in facts), strict=True)
    paths = [entry.path for entry in listed]
    entries = dict(zip(paths, dated, strict=True))
    base, locs = policy.locator.base, policy.locator.locs(paths)
    pairs = zip(listed, locs, strict=True)
    forms = {entry.path: entry.loc.removeprefix(base) for entry, loc in pairs if entry.loc != loc}
    rows = {}
    for path, *_ in batch.pages:
        row = batch.ledger.get(path)
        if path in entries or row:
            lastmod, digest = entries.get(path, (None, None))
            state = ledger.LedgerState(row, digest)
            if path in result.future and lastmod is None and not (row and state.is_unchanged):
                if row is None and "mtime" in policy.sources and not policy.omits_file_times:
                    continue
                state = ledger.LedgerState(row, row.digest) if row else state
            rows[path] = state, lastmod
    texts = (
        render_row(name, state.next_row(date), is_listed=bool(state.digest), form=forms.get(path))
        for name, (path, (state, date)) in zip(quoted([*rows]), rows.items(), strict=True)
    )
    return "".join(texts).encode("ascii")


def is_whole(lastmod: LastMod) -> bool:
    """Whether a date has a day. The XML schema of sitemaps requires it; the protocol does not."""
    return len(lastmod.text) >= len("2026-01-01")


def is_implausible(lastmod: LastMod, now: int) -> bool:
    """Whether a date cannot be the date of a change to a web page."""
    return lastmod.seconds > now or lastmod.seconds < _FIRST_WEB_PAGE
