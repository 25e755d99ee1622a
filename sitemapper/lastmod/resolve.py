"""When a page last changed, by an ordered list of sources. The first one with a date wins.

A source is an entry in SOURCES. No source uses the current time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from ..messages import Kind, Message
from ..model import (
    Batch,
    LastMod,
    Listed,
    NoDate,
    Page,
    PageFacts,
    TimeFault,
)
from ..syntax.dates import Writer, read
from ..syntax.ledger_rows import render_row
from ..syntax.urls import Locator, folder_of, quoted
from . import ledger
from .file_times import find_faults

_FIRST_WEB_PAGE = 662_688_000  # 1991-01-01; the first web page is of August of that year
_NONE: Mapping[Any, Any] = {}
_UNJUDGED = {"page", "git"}  # sources whose dates may all be those of one import
_CLOCK_SKEW = 60  # seconds by which the clocks of two machines may differ


class DatePolicy(NamedTuple):
    """How a run dates its pages: the sources in order, the latest plausible second, and the writer.

    The locator is needed because the ledger contains URLs that are not in the site's style. With
    `judges_file_times`, those of a copy or a build date no page. With `is_generated`, a known
    generator wrote the pages. With `doubts_changes`, nearly all pages are new or changed for the
    ledger, because of another theme or on its first run. With `needs_days`, dates without a day are
    skipped.
    """

    sources: tuple[str, ...]
    now: int
    source_date_epoch: int | None
    writer: Writer
    locator: Locator
    judges_file_times: bool = False
    is_generated: bool = False
    doubts_changes: bool = False
    needs_days: bool = False

    @property
    def trusts_changes(self) -> bool:
        """Whether a new or changed page takes the time of a build, unless nearly all changed."""
        return self.judges_file_times and not self.doubts_changes

    @property
    def needs_bursts(self) -> bool:
        """Whether it matters which files a copy or a build wrote.

        It does not if no file time of this site counts anyway.
        """
        no_time_counts = self.judges_file_times and self.is_generated
        return "mtime" in self.sources and not no_time_counts


class DateRequest(NamedTuple):
    """Pages to date, with what is known of them: where a source wants them, their facts and their
    states in the ledger, and what git and the walk know, as in `Batch`. `locs` are the URLs of the
    pages. `refused` says why possible sources date none, by the paths of pages."""

    pages: Sequence[Page]
    facts: Sequence[PageFacts]
    states: Sequence[ledger.LedgerState]
    locs: Sequence[str]
    batch: Batch
    refused: Mapping[str, NoDate] = _NONE

    def changed(self) -> set[int]:
        """The positions of the pages that the ledger finds new or changed.

        Without a ledger, of those that git finds edited and not committed.
        """
        if not self.states:
            edits = self.batch.edits
            if not edits:
                return set()
            return {place for place, page in enumerate(self.pages) if page.path in edits}
        return {
            place
            for place, state in enumerate(self.states)
            if state.digest is not None and not state.is_unchanged
        }


class DateResult(NamedTuple):
    """Dates of pages in order, the source of each dated page (by position), and warnings.

    `faults` are the reasons why file times do not count, by the positions of the pages. `causes`
    say why pages with such times have no date at all, by position, and `undated` is the path of one
    of these that is no list. `times_of_bursts` counts the file times of a copy or a build that
    count. `changed` are the positions of pages that the ledger finds new or changed. `future` are
    the paths of pages with a date in the future. `ledger` are the rows.
    """

    lastmods: Sequence[LastMod | None]
    sources: Mapping[int, str]
    diagnostics: Sequence[Message]
    faults: Mapping[int, TimeFault] = _NONE
    causes: Mapping[int, NoDate] = _NONE
    undated: str = ""
    times_of_bursts: int = 0
    changed: Set[int] = frozenset()
    future: Set[str] = frozenset()
    ledger: bytes = b""

    @property
    def counts(self) -> dict[str, int]:
        """How many pages each source dated."""
        return dict(Counter(self.sources.values()))

    @property
    def seconds(self) -> dict[str, Sequence[int]]:
        """The dates that may show a build or an import, in seconds, by source."""
        seconds: dict[str, list[int]] = {}
        for place, source in self.sources.items():
            date = self.lastmods[place]
            if date and source in _UNJUDGED:
                seconds.setdefault(source, []).append(date.seconds)
        return dict(seconds)


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
    """Whole seconds, rounded down, as `date -r FILE` prints them.

    SOURCE_DATE_EPOCH is an upper bound (reproducible-builds.org). A page that the ledger finds
    unchanged has none, because its file is newer than its last change.
    """
    seconds = [mtime // 1_000_000_000 for _, _, mtime, *_ in request.pages]
    edits = request.batch.edits
    if edits:
        own_times = zip(request.pages, seconds, strict=True)
        seconds = [edits.get(page.path, second) for page, second in own_times]
    epoch = policy.source_date_epoch
    if epoch is not None:
        seconds = [min(second, epoch) for second in seconds]
    dates = policy.writer.lastmods(seconds)
    if not request.states:
        return dates
    return [
        None if state.is_unchanged else date
        for state, date in zip(request.states, dates, strict=True)
    ]


def _commit_dates(request: DateRequest, policy: DatePolicy) -> Sequence[LastMod | None]:
    commits = request.batch.git
    return policy.writer.lastmods([commits.get(page.path) for page in request.pages])


def _published_dates(request: DateRequest, policy: DatePolicy) -> Sequence[LastMod | None]:
    """The dates in the published sitemap, for pages that have not changed since its commit.

    A date that is later than the page's last commit is false, because it is not that of a change.
    """
    dates: list[LastMod | None] = []
    for page, loc in zip(request.pages, request.locs, strict=True):
        text = request.batch.published.get(loc)
        commit = request.batch.unchanged.get(page.path)
        date = None
        if text and commit is not None:
            date = _read_published(text, policy.writer)
            if date and date.seconds > commit + _CLOCK_SKEW:
                date = None
        dates.append(date)
    return dates


def _read_published(text: str, writer: Writer) -> LastMod | None:
    """A date of a published sitemap, None if somebody has made it unreadable."""
    try:
        return read(text, writer)
    except ValueError:
        return None


def _ledger_dates(request: DateRequest, policy: DatePolicy) -> Sequence[LastMod | None]:
    if not request.states:
        return [None] * len(request.pages)
    return [
        state.row.lastmod if state.row and state.is_unchanged else None for state in request.states
    ]


SOURCES: dict[str, Callable[[DateRequest, DatePolicy], Sequence[LastMod | None]]] = {
    "page": _page_dates, "published": _published_dates, "git": _commit_dates,
    "ledger": _ledger_dates, "mtime": _file_dates,
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
    if "ledger" in policy.sources:
        pairs = zip(pages, facts, strict=True)
        states = [
            ledger.LedgerState(batch.ledger.get(page.path), known.digest) for page, known in pairs
        ]
    refused: dict[str, NoDate] = {}
    if batch.sources:
        batch = _with_chosen_sources(batch, pages, facts, refused)
    locs = [entry.loc for entry in listed]
    request = DateRequest(pages, facts, states, locs, batch, refused)
    result = _resolve(request, [entry.lastmod for entry in listed], policy)
    if "ledger" not in policy.sources:
        return result
    return result._replace(ledger=_ledger_rows(batch, listed, facts, result, policy))


def _with_chosen_sources(
    batch: Batch,
    pages: Sequence[Page],
    facts: Sequence[PageFacts],
    refused: dict[str, NoDate],
) -> Batch:
    """The batch with what git knows of the chosen source of a page, instead of the page's file.

    Adds to `refused` why possible sources do not count.
    """
    # Imported here: only git has sources.
    from .sources import choose

    commits = dict(batch.git)
    edits = dict(batch.edits)
    unchanged = dict(batch.unchanged)
    for page, known in zip(pages, facts, strict=True):
        path = page.path
        if path not in batch.sources:
            continue
        titles, size, _ = known.shown or ((), 0, True)  # a file that is no HTML shows nothing
        if not known.shown and not any(file.is_recorded for file in batch.sources[path]):
            continue
        source, _, cause = choose(batch.sources[path], titles, size)
        if cause:
            refused[path] = cause
        if source is None:
            continue
        commits[path] = source.seconds
        unchanged.pop(path, None)
        if source.published is not None:
            unchanged[path] = source.published
        if source.edited is not None:
            # It has no commit, which is another case than an unknown one.
            commits.pop(path)
            edits[path] = source.edited or page.mtime // 1_000_000_000
    return batch._replace(git=commits, edits=edits, unchanged=unchanged)


def _resolve(
    request: DateRequest, fixed: Sequence[LastMod | None], policy: DatePolicy
) -> DateResult:
    """The dates of pages from the sources in order. `fixed` are those that rules set."""
    pages = request.pages
    lastmods = list(fixed)
    sources: dict[int, str] = {}
    diagnostics: list[Message] = []
    future: set[str] = set()
    faults: Mapping[int, TimeFault] = _NONE
    undated: Sequence[int] = [place for place, lastmod in enumerate(fixed) if lastmod is None]
    for name in _order(policy.sources):
        if not undated:
            break
        if name == "git":
            paths = (pages[place].path for place in undated)
            diagnostics += [
                Message(Kind.SHALLOW, (path,)) for path in paths if _is_shallow(path, request)
            ]
        places = undated
        if name == "mtime" and policy.judges_file_times:
            faults = _faults_of_files(request, undated, policy)
            places = [place for place in undated if place not in faults]
        dates = SOURCES[name](request, policy)
        is_after_ledger = "ledger" in policy.sources[: policy.sources.index(name)]
        for place in places:
            date = dates[place]
            if date is None or (policy.needs_days and not is_whole(date)):
                continue
            path = pages[place].path
            if is_implausible(date, policy.now):
                diagnostics.append(Message(Kind.IMPLAUSIBLE, (path,)))
                if date.seconds > policy.now:
                    future.add(path)
                continue
            if is_after_ledger and request.states[place].predates_change(date):
                continue
            lastmods[place] = date
            sources[place] = name
        undated = [place for place in undated if lastmods[place] is None]
    causes = _find_causes(request, undated, faults, policy)
    no_lists = (pages[place].path for place, cause in causes.items() if cause is not NoDate.LIST)
    return DateResult(
        lastmods,
        sources,
        diagnostics,
        faults=faults,
        causes=causes,
        undated=next(no_lists, ""),
        times_of_bursts=_count_times_of_bursts(request, sources, policy),
        changed=request.changed(),
        future=future,
    )


def _order(sources: Sequence[str]) -> Iterator[str]:
    """The sources in order. The ledger also stands before `mtime`, so that an unchanged page keeps
    its date.
    """
    for name in sources:
        if name == "mtime" and "ledger" in sources[sources.index(name) :]:
            yield "ledger"
        yield name


def _is_shallow(path: str, request: DateRequest) -> bool:
    """Whether the history ends before the last commit of a page."""
    commits = request.batch.git
    return path in commits and commits[path] is None


def _faults_of_files(
    request: DateRequest, places: Sequence[int], policy: DatePolicy
) -> Mapping[int, TimeFault]:
    """Why file times of the pages at these positions do not count, by position.

    A page that the ledger finds unchanged is left out, because its file time is not used.
    """
    if request.states:
        places = [place for place in places if not request.states[place].is_unchanged]
    changed: set[int] = set()
    if not policy.doubts_changes:
        changed = request.changed()
    return find_faults(
        request.pages, places, request.batch, is_generated=policy.is_generated, changed=changed
    )


def _find_causes(
    request: DateRequest,
    undated: Iterable[int],
    faults: Mapping[int, TimeFault],
    policy: DatePolicy,
) -> dict[int, NoDate]:
    """Why pages have no date at all, by position, where their file times do not count."""
    causes: dict[int, NoDate] = {}
    for place in undated:
        fault = faults.get(place)
        if fault is None:
            continue
        path = request.pages[place].path
        is_committed = fault is TimeFault.COMMITTED
        if _is_shallow(path, request):
            causes[place] = NoDate.SHALLOW
        elif _is_list(place, request):
            causes[place] = NoDate.LIST
        elif path in request.refused:
            causes[place] = request.refused[path]
        elif "git" in policy.sources and not is_committed:
            causes[place] = NoDate.UNKNOWN
        else:
            causes[place] = NoDate.WRITTEN
    return causes


def _is_list(place: int, request: DateRequest) -> bool:
    """Whether the page at a position lists others: it is that of a folder with pages, and no source
    may have made it, though sources may have made other pages.
    """
    pages = request.pages
    path = pages[place].path
    folder = folder_of(path)
    is_last = place + 1 == len(pages)
    if folder is None or is_last or not request.batch.sources or request.batch.sources.get(path):
        return False
    # In walk order, the pages of a folder follow its own page.
    return pages[place + 1].path.startswith(folder)


def _count_times_of_bursts(
    request: DateRequest, sources: Mapping[int, str], policy: DatePolicy
) -> int:
    """How many pages have the time of a copy or a build, because all file times are taken."""
    in_bursts = request.batch.in_bursts
    if policy.judges_file_times or not in_bursts:
        return 0
    by_file = (request.pages[place] for place, name in sources.items() if name == "mtime")
    return sum(page.path in in_bursts for page in by_file)


def _ledger_rows(
    batch: Batch,
    listed: Sequence[Listed],
    facts: Sequence[PageFacts],
    result: DateResult,
    policy: DatePolicy,
) -> bytes:
    """The rows of a batch: of the `listed` pages, and of other pages already in the ledger.

    A new or changed page whose date is in the future, for example because a clock is slow, stays in
    the ledger as it is, so that the next run dates it again. A new page whose file time does not
    count gets a row without a date.
    """
    dated = zip(result.lastmods, (page_facts.digest for page_facts in facts), strict=True)
    paths = [entry.path for entry in listed]
    entries = dict(zip(paths, dated, strict=True))
    base, locs = policy.locator.base, policy.locator.locs(paths)
    pairs = zip(listed, locs, strict=True)
    forms = {entry.path: entry.loc.removeprefix(base) for entry, loc in pairs if entry.loc != loc}
    faulty = {paths[place] for place in result.faults}
    rows = {}
    for path, *_ in batch.pages:
        row = batch.ledger.get(path)
        if path in entries or row:
            lastmod, digest = entries.get(path, (None, None))
            state = ledger.LedgerState(row, digest)
            if path in result.future and lastmod is None and not (row and state.is_unchanged):
                if row is None and "mtime" in policy.sources and path not in faulty:
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
    """Whether a date cannot be the date of a change to a web page. A minute is no future, because
    the file may be on another machine.
    """
    return lastmod.seconds > now + _CLOCK_SKEW or lastmod.seconds < _FIRST_WEB_PAGE
