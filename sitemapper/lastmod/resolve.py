"""When each listed page of a batch last changed: the date of the first source that knows one.

The sources are asked in the order of `lastmod`. `date_page` is the way of one page through them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, repeat
from typing import NamedTuple

from ..messages import Kind, Message
from ..model import (
    NO_FACTS,
    NO_ROW,
    ROW_OF_COPY,
    Batch,
    LastMod,
    Listed,
    NoDate,
    Page,
    PageFacts,
    PageRow,
    PossibleSource,
)
from ..syntax.ledger_rows import render_row
from ..syntax.urls import folder_of, quoted
from .ledger import LedgerState
from .source_choice import Choice, choose
from .sources import CLOCK_SKEW, SOURCES, DatePolicy, DateSource, PageToDate

_FIRST_WEB_PAGE = 662_688_000  # 1991-01-01; the first web page is of August of that year
_BY_ROWS = {"published", "front_matter", "git"}  # sources that know nothing of a page without a row
_UNJUDGED = {"page", "git"}  # sources whose dates may all be those of one import


class PageDate(NamedTuple):
    """The date of a page and the source that has it, "" for a rule; or no date, and the cause.

    There is a cause only if the page has a file time that does not count. With `is_changed`, the
    page is new or changed since the last build. With `is_of_build`, the date is the time of a copy
    or a build, which counts because `mtime` is the only source. With `is_in_future`, a source had a
    date in the future.
    """

    lastmod: LastMod | None = None
    source: str = ""
    cause: NoDate | None = None
    warnings: Sequence[Message] = ()
    is_changed: bool = False
    is_of_build: bool = False
    is_in_future: bool = False


class BatchDates(NamedTuple):
    """The dates of the listed pages of a batch, in columns: the fields of a `PageDate` in order.

    `times_of_builds` counts those that are the time of a copy or a build. `pages` are what the
    dates were found from; there are none if it was file times alone. `ledger` are the rows to
    write.
    """

    lastmods: Sequence[LastMod | None]
    sources: Sequence[str]
    causes: Sequence[NoDate | None]
    changed: Sequence[bool] = ()
    warnings: Sequence[Message] = ()
    times_of_builds: int = 0
    pages: Sequence[PageToDate] = ()
    ledger: bytes = b""

    @property
    def counts(self) -> dict[str, int]:
        """How many pages each source dated."""
        counts = Counter(self.sources)
        del counts[""]
        return dict(counts)

    @property
    def seconds(self) -> dict[str, Sequence[int]]:
        """The dates that may show a build or an import, in seconds, by source."""
        seconds: dict[str, Sequence[int]] = {}
        for name in _UNJUDGED.intersection(self.sources):
            pairs = zip(self.lastmods, self.sources, strict=True)
            seconds[name] = [date.seconds for date, source in pairs if date and source == name]
        return seconds


class _Step(NamedTuple):
    """A source to ask, and whether the ledger was asked before."""

    source: DateSource
    is_after_ledger: bool


def date_batch(
    batch: Batch, listed: Sequence[Listed], facts: Sequence[PageFacts], policy: DatePolicy
) -> BatchDates:
    """The date of each listed page, and the batch's rows for the ledger.

    A date that a rule sets is kept. `facts` are empty if nothing is read.
    """
    rows = list(batch.page_rows())
    if len(listed) < len(rows):
        paths = {entry.path for entry in listed}
        rows = [(page, row) for page, row in rows if page.path in paths]
    by_file = _date_by_files(rows, listed, policy)
    if by_file:
        return by_file
    uses_ledger = "ledger" in policy.sources
    pages = [
        _page_to_date(page, entry.loc, page_facts, row, uses_ledger=uses_ledger)
        for (page, row), entry, page_facts in zip(
            rows, listed, facts or repeat(NO_FACTS), strict=False
        )
    ]
    lists = _find_lists(pages)
    steps = _steps(policy)
    dates: list[PageDate] = []
    for page, entry in zip(pages, listed, strict=True):
        is_list = page.page.path in lists
        dates.append(date_page(page, entry.lastmod, steps, policy, is_list=is_list))
    return BatchDates(
        lastmods=[date.lastmod for date in dates],
        sources=[date.source for date in dates],
        causes=[date.cause for date in dates],
        changed=[date.is_changed for date in dates],
        warnings=[warning for date in dates for warning in date.warnings],
        times_of_builds=sum(date.is_of_build for date in dates),
        pages=pages,
        ledger=_ledger_rows(batch, pages, dates, policy) if uses_ledger else b"",
    )


def _date_by_files(
    rows: Sequence[tuple[Page, PageRow]], listed: Iterable[Listed], policy: DatePolicy
) -> BatchDates | None:
    """The dates of pages of which nothing is known but the times of their files, else None.

    A shortcut for sites that nobody keeps in git: no Python call a page. It takes only pages that
    `date_page` would date without a warning.
    """
    if {*policy.sources} - _BY_ROWS != {"mtime"}:
        return None
    of_pages = [row for _, row in rows]
    if of_pages.count(NO_ROW) + of_pages.count(ROW_OF_COPY) < len(rows):
        return None
    seconds = [page.mtime // 1_000_000_000 for page, _ in rows]
    if policy.source_date_epoch is not None:
        seconds = [min(second, policy.source_date_epoch) for second in seconds]
    is_plausible = rows and min(seconds) >= _FIRST_WEB_PAGE and max(seconds) <= policy.now
    if not is_plausible or any(entry.lastmod for entry in listed):
        return None
    dates: list[LastMod | None] = [*policy.writer.lastmods(seconds)]
    if not policy.judges_file_times:
        copies = of_pages.count(ROW_OF_COPY)
        sources = ["mtime"] * len(rows)
        return BatchDates(dates, sources, [None] * len(rows), times_of_builds=copies)
    why_undated = NoDate.UNKNOWN if "git" in policy.sources else NoDate.WRITTEN
    causes = [why_undated if policy.is_generated or row.is_copy else None for row in of_pages]
    sources = ["" if cause else "mtime" for cause in causes]
    dates = [None if cause else date for date, cause in zip(dates, causes, strict=True)]
    return BatchDates(dates, sources, causes)


def _page_to_date(
    page: Page, loc: str, facts: PageFacts, row: PageRow, *, uses_ledger: bool
) -> PageToDate:
    """A page with its source, if one of several files is it."""
    content = LedgerState(row.ledger, facts.digest) if uses_ledger else None
    whole = PageToDate(page, loc, facts, row, content)
    if not row.sources:
        return whole
    choice = _choose_source(row, facts)
    if choice is None or choice.source is None:
        return whole._replace(choice=choice)
    return whole._replace(choice=choice, row=_with_source(whole, choice.source))


def _choose_source(row: PageRow, facts: PageFacts) -> Choice | None:
    """The source of a page among the files that may be it, by its titles and the size of its text.

    A file that is no HTML shows neither. Then only a plugin can know its source.
    """
    if facts.shown:
        titles, size, _ = facts.shown
        return choose(row.sources, titles, size)
    if any(file.is_recorded for file in row.sources):
        return choose(row.sources, titles=(), size=0)
    return None


def _with_source(page: PageToDate, source: PossibleSource) -> PageRow:
    """The row of a page with what git knows of its source, instead of the page's own file."""
    git = source.git
    if git.edit is None:
        git = git._replace(edit=page.row.git.edit)
    elif not git.edit:  # it is deleted, and has no file time
        git = git._replace(edit=page.file_second)
    return page.row._replace(git=git)


def _find_lists(pages: Sequence[PageToDate]) -> set[str]:
    """The paths of pages that list others: those of folders with pages, which no source makes.

    Without sources of other pages, it is not known that none makes them.
    """
    if not any(page.row.sources for page in pages):
        return set()
    lists = set()
    # In walk order, the pages of a folder follow its own page.
    for page, following in pairwise(pages):
        path = page.page.path
        folder = folder_of(path)
        if folder is not None and not page.row.sources and following.page.path.startswith(folder):
            lists.add(path)
    return lists


def _steps(policy: DatePolicy) -> list[_Step]:
    """The sources to ask in order. The ledger also stands before `mtime`, so that an unchanged page
    keeps its date.
    """
    source_by_name = {source.name: source for source in SOURCES}
    steps = []
    for place, name in enumerate(policy.sources):
        if name == "mtime" and "ledger" in policy.sources[place:]:
            steps.append(_Step(source_by_name["ledger"], is_after_ledger=False))
        is_after_ledger = "ledger" in policy.sources[:place]
        steps.append(_Step(source_by_name[name], is_after_ledger))
    return steps


def date_page(
    page: PageToDate,
    fixed: LastMod | None,
    steps: Sequence[_Step],
    policy: DatePolicy,
    *,
    is_list: bool,
) -> PageDate:
    """The date of a page from the first source that knows one, or why it has none.

    `fixed` is the date that a rule sets, None for none. `is_list` says whether the page lists
    others, so that no source makes it.
    """
    if fixed:
        return PageDate(fixed, is_changed=page.is_changed)
    path = page.page.path
    warnings: list[Message] = []
    is_in_future = False
    for source, is_after_ledger in steps:
        if source.name == "git" and page.row.git.is_shallow:
            warnings.append(Message(Kind.SHALLOW, (path,)))
        date = source.date(page, policy)
        if date is None or (policy.needs_days and not is_whole(date)):
            continue
        if is_implausible(date, policy.now):
            warnings.append(Message(Kind.IMPLAUSIBLE, (path,)))
            is_in_future |= date.seconds > policy.now
            continue
        if is_after_ledger and page.content and page.content.predates_change(date):
            continue
        is_of_build = source.name == "mtime" and page.row.is_copy and not policy.judges_file_times
        return PageDate(date, source.name, None, warnings, page.is_changed, is_of_build)
    return PageDate(
        cause=_why_undated(page, policy, is_list=is_list),
        warnings=warnings,
        is_changed=page.is_changed,
        is_in_future=is_in_future,
    )


def _why_undated(page: PageToDate, policy: DatePolicy, *, is_list: bool) -> NoDate | None:
    """Why a page has no date at all, if its file time does not count, else None."""
    if not _has_false_time(page, policy):
        return None
    if page.row.git.is_shallow:
        return NoDate.SHALLOW
    if is_list:
        return NoDate.LIST
    if page.choice and page.choice.cause:
        return page.choice.cause
    if "git" in policy.sources and not page.row.is_committed:
        return NoDate.UNKNOWN
    return NoDate.WRITTEN


def _has_false_time(page: PageToDate, policy: DatePolicy) -> bool:
    """Whether the time of the page's file was asked for, and is that of a copy or a build."""
    if page.is_unchanged or not policy.judges_file_times:
        return False
    return page.is_written_by_build(policy)


def _ledger_rows(
    batch: Batch, pages: Sequence[PageToDate], dates: Sequence[PageDate], policy: DatePolicy
) -> bytes:
    """The rows of a batch: of the listed pages, and of other pages already in the ledger."""
    locator = policy.locator
    locs = locator.locs([page.page.path for page in pages])
    listed = {page.page.path: place for place, page in enumerate(pages)}
    names = quoted([file.path for file in batch.pages])
    lines: list[str] = []
    for name, (file, row) in zip(names, batch.page_rows(), strict=True):
        place = listed.get(file.path)
        if place is None:
            if row.ledger:
                lines.append(render_row(name, row.ledger, is_listed=False))
            continue
        page = pages[place]
        content = _content_to_record(page, dates[place], policy)
        if content:
            entry = content.next_row(dates[place].lastmod)
            # The URL, if it is not in the style of the site.
            form = page.loc.removeprefix(locator.base) if page.loc != locs[place] else None
            lines.append(render_row(name, entry, is_listed=bool(content.digest), form=form))
    return "".join(lines).encode("ascii")


def _content_to_record(page: PageToDate, date: PageDate, policy: DatePolicy) -> LedgerState | None:
    """What the ledger compares with the page at the next build, None if it gets no row.

    A new or changed page whose date is in the future, for example because a clock is slow, stays in
    the ledger as it is, so that the next run dates it again. A new page whose file time does not
    count gets a row without a date.
    """
    content = page.content
    assert content
    is_dated_again = date.is_in_future and date.lastmod is None and not content.is_unchanged
    if not is_dated_again:
        return content
    if content.row:
        return LedgerState(content.row, content.row.digest)
    if "mtime" in policy.sources and not _has_false_time(page, policy):
        return None
    return content


def is_whole(lastmod: LastMod) -> bool:
    """Whether a date has a day. The XML schema of sitemaps requires it; the protocol does not."""
    return len(lastmod.text) >= len("2026-01-01")


def is_implausible(lastmod: LastMod, now: int) -> bool:
    """Whether a date cannot be the date of a change to a web page. A minute is no future, because
    the file may be on another machine.
    """
    return lastmod.seconds > now + CLOCK_SKEW or lastmod.seconds < _FIRST_WEB_PAGE
