"""When each listed page of a batch last changed: the date of the first source that has one.

The sources are asked in the order of `lastmod`. `date_page` does this for one page.
"""

from collections import Counter
from collections.abc import Sequence
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
from ..read.walk import path_key
from ..syntax.ledger_rows import render_row
from ..syntax.urls import folder_of, quoted
from .ledger import ContentComparison
from .source_choice import Choice, choose
from .sources import CLOCK_SKEW, SOURCES, DatePolicy, DateSource, PageToDate

_FIRST_WEB_PAGE = 662_688_000  # 1991-01-01; the first web page is of August of that year
_BY_ROWS = {"published", "front_matter", "git"}  # sources without a date for `NO_ROW`
_MAY_BE_OF_IMPORT = {"page", "git"}  # sources whose dates one import may have set


class PageDate(NamedTuple):
    """The date of a page, or none, and why.

    `source` has the date, "" if a rule sets it. `cause` is set if the page has a file time that
    does not count. With `is_changed`, the page is new or changed since the last build. With
    `is_of_build`, the date is the time of a copy or a build, which counts because `mtime` is the
    only source. With `is_in_future`, a source had a date in the future.
    """

    lastmod: LastMod | None = None
    source: str = ""
    cause: NoDate | None = None
    warnings: Sequence[Message] = ()
    is_changed: bool = False
    is_of_build: bool = False
    is_in_future: bool = False


class BatchDates(NamedTuple):
    """The dates of the listed pages of a batch, in the columns of `PageDate`.

    `times_of_builds` counts the dates that are the time of a copy or a build. `pages` are the pages
    with what their dates were found from, none if only file times were asked. `ledger` are the
    rows to write.
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
        for name in _MAY_BE_OF_IMPORT.intersection(self.sources):
            dates = zip(self.lastmods, self.sources, strict=True)
            seconds[name] = [date.seconds for date, source in dates if date and source == name]
        return seconds


class _Step(NamedTuple):
    """A source to ask, and whether the ledger was asked before."""

    source: DateSource
    is_after_ledger: bool


def date_batch(
    batch: Batch, listed: Sequence[Listed], facts: Sequence[PageFacts], policy: DatePolicy
) -> BatchDates:
    """Dates each listed page of a batch, and renders the batch's rows for the ledger.

    `listed` and `facts` are those of the listed pages, in the order of the batch. `facts` is empty
    if no page was read. A date that a rule sets is kept.
    """
    rows = list(batch.page_rows())
    if len(listed) < len(rows):  # some pages of the batch are excluded
        paths = {entry.path for entry in listed}
        rows = [(page, row) for page, row in rows if page.path in paths]
    has_fixed_dates = any(entry.lastmod for entry in listed)
    if not has_fixed_dates and _have_only_file_times(rows, policy):
        return _date_by_files(rows, policy)  # the same dates, in less time
    uses_ledger = "ledger" in policy.sources
    pages: list[PageToDate] = []
    facts_of_pages = facts or repeat(NO_FACTS)
    for (page, row), entry, page_facts in zip(rows, listed, facts_of_pages, strict=False):
        content = None
        if uses_ledger:
            content = ContentComparison(row=row.ledger, digest=page_facts.digest)
        to_date = PageToDate(page=page, loc=entry.loc, facts=page_facts, row=row, content=content)
        pages.append(_with_choice(to_date))
    lists = _find_lists(pages)
    steps = _steps(policy)
    dates: list[PageDate] = []
    for to_date, entry in zip(pages, listed, strict=True):
        is_list = to_date.page.path in lists
        dates.append(date_page(to_date, entry.lastmod, steps, policy, is_list=is_list))
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


def _have_only_file_times(rows: Sequence[tuple[Page, PageRow]], policy: DatePolicy) -> bool:
    """Whether `_date_by_files` may date these pages, which is faster than `date_page`.

    It may if no source but `mtime` has a date for any of them, and if all times are plausible. A
    time before the first web page or in the future needs a warning, which `date_page` makes.
    """
    other_sources = {*policy.sources} - _BY_ROWS
    if not rows or other_sources != {"mtime"}:
        return False
    of_pages = [row for _, row in rows]
    if of_pages.count(NO_ROW) + of_pages.count(ROW_OF_COPY) < len(rows):
        return False
    seconds = _file_seconds(rows, policy)
    return min(seconds) >= _FIRST_WEB_PAGE and max(seconds) <= policy.now


def _file_seconds(rows: Sequence[tuple[Page, PageRow]], policy: DatePolicy) -> list[int]:
    """The times of the pages' files. SOURCE_DATE_EPOCH is an upper bound."""
    seconds = [page.mtime // 1_000_000_000 for page, _ in rows]
    if policy.source_date_epoch is None:
        return seconds
    return [min(second, policy.source_date_epoch) for second in seconds]


def _date_by_files(rows: Sequence[tuple[Page, PageRow]], policy: DatePolicy) -> BatchDates:
    """The dates of pages that have only the times of their files.

    The dates are those of `date_page`, but without a call for each page: the largest sites are
    dated by their files alone, and a call takes 3 of 10 µs a page.
    """
    dates = policy.writer.lastmods(_file_seconds(rows, policy))
    if not policy.skips_times_of_builds:
        copies = sum(row.is_copy for _, row in rows)
        sources = ["mtime"] * len(rows)
        return BatchDates(
            lastmods=dates, sources=sources, causes=[None] * len(rows), times_of_builds=copies
        )
    why_undated = NoDate.UNKNOWN if "git" in policy.sources else NoDate.WRITTEN
    lastmods: list[LastMod | None] = []
    causes: list[NoDate | None] = []
    for date, (_, row) in zip(dates, rows, strict=True):
        is_false = policy.is_generated or row.is_copy
        lastmods.append(None if is_false else date)
        causes.append(why_undated if is_false else None)
    sources = ["" if cause else "mtime" for cause in causes]
    return BatchDates(lastmods=lastmods, sources=sources, causes=causes)


def _with_choice(page: PageToDate) -> PageToDate:
    """Chooses the source of a page, and adds the choice and what git says of that source.

    A page without possible sources stays as it is.
    """
    if not page.row.sources:
        return page
    choice = _choose_source(page.row, page.facts)
    if choice is None or choice.source is None:
        return page._replace(choice=choice)
    return page._replace(choice=choice, row=_with_source(page, choice.source))


def _choose_source(row: PageRow, facts: PageFacts) -> Choice | None:
    """The source of a page among its possible sources, by its titles and the size of its text.

    A page that is no HTML, such as a PDF, shows neither. Only a plugin may name its source.
    """
    if facts.shown:
        titles, size, _ = facts.shown
        return choose(row.sources, titles, size)
    if any(file.is_recorded for file in row.sources):
        return choose(row.sources, titles=(), size=0)
    return None


def _with_source(page: PageToDate, source: PossibleSource) -> PageRow:
    """The row of a page with what git says of its source, instead of the page's own file.

    The time of an edit stays that of the page's file, unless the source itself is edited.
    """
    git = source.git
    if git.edit is None:
        git = git._replace(edit=page.row.git.edit)
    elif git.edit == 0:  # the source is deleted, and has no file time
        git = git._replace(edit=page.file_second)
    return page.row._replace(git=git)


def _find_lists(pages: Sequence[PageToDate]) -> set[str]:
    """The paths of pages that list others: `news/index.html` without a source, above `news/a.html`.

    If no page of the batch has a source, sources were not found, and nothing is a list.
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
    """The sources to ask, in order.

    The ledger is also asked before `mtime`, wherever the user lists it, so that an unchanged page
    keeps its date: for `lastmod = ["mtime", "ledger"]`, they are ledger, mtime and ledger.
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
    """Dates a page by the first source that has a usable date, or says why none has.

    These dates are passed over: one without a day where days are needed, one in the future or
    before the first web page, and one that is older than the change that the ledger found.

    `fixed` is the date that a rule sets, None for none. `is_list` says that the page lists others
    and has no source.
    """
    if fixed:
        return PageDate(lastmod=fixed, is_changed=page.is_changed)
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
        # A commit before the change that the ledger found does not date that change.
        if is_after_ledger and page.content and page.content.predates_change(date):
            continue
        trusts_all_times = source.name == "mtime" and not policy.skips_times_of_builds
        return PageDate(
            lastmod=date,
            source=source.name,
            warnings=warnings,
            is_changed=page.is_changed,
            is_of_build=trusts_all_times and page.row.is_copy,
        )
    return PageDate(
        cause=_why_undated(page, policy, is_list=is_list),
        warnings=warnings,
        is_changed=page.is_changed,
        is_in_future=is_in_future,
    )


def _why_undated(page: PageToDate, policy: DatePolicy, *, is_list: bool) -> NoDate | None:
    """The first cause that holds for a page without a date, from the most to the least specific.

    None if no file time was left out, for example because `mtime` is no source of dates.
    """
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
    """Whether the time of the page's file was asked for, and is that of a copy or a build.

    An unchanged page keeps the date in the ledger, so its file time was not asked for.
    """
    if page.is_unchanged or not policy.skips_times_of_builds:
        return False
    return page.is_written_by_build(policy)


def _ledger_rows(
    batch: Batch, pages: Sequence[PageToDate], dates: Sequence[PageDate], policy: DatePolicy
) -> bytes:
    """The rows of a batch: of the listed pages, and of other pages already in the ledger."""
    listed = {dated.page.path: (dated, date) for dated, date in zip(pages, dates, strict=True)}
    names = quoted([page.path for page in batch.pages])
    rows = list(batch.rows_not_walked)  # with their paths, which tell their order
    for name, (page, row) in zip(names, batch.page_rows(), strict=True):
        if page.path in listed:
            dated, date = listed[page.path]
            line = _ledger_row(name, dated, date, policy)
        elif row.ledger:
            line = render_row(name, row.ledger, is_listed=False)
        else:
            line = ""
        rows.append((page.path, line))
    if batch.rows_not_walked:
        rows.sort(key=lambda row: path_key(row[0]))
    return "".join(line for _, line in rows).encode("ascii")


def _ledger_row(name: str, page: PageToDate, date: PageDate, policy: DatePolicy) -> str:
    """The row of a listed page with this percent-encoded path, "" if it gets none."""
    content = _content_to_record(page, date, policy)
    if content is None:
        return ""
    own_url = None  # the URL, if it is not in the style of the site
    if page.loc != policy.locator.loc(page.page.path):
        own_url = page.loc.removeprefix(policy.locator.base)
    row = content.next_row(date.lastmod)
    return render_row(name, row, is_listed=bool(content.digest), own_url=own_url)


def _content_to_record(
    page: PageToDate, date: PageDate, policy: DatePolicy
) -> ContentComparison | None:
    """What the ledger compares with the page at the next build, None if it gets no row.

    That is its content of today, unless its date is in the future, for example because a clock is
    slow. A changed page with such a date keeps its old row, and a new page gets none, so that the
    next build dates it again. Only a new page whose file time does not count gets a row without a
    date: at the next build, it would be new again, and take the time of that build.
    """
    content = page.content
    assert content
    is_dated_again = date.is_in_future and date.lastmod is None and not content.is_unchanged
    if not is_dated_again:
        return content
    if content.row:
        return ContentComparison(row=content.row, digest=content.row.digest)
    if "mtime" in policy.sources and not _has_false_time(page, policy):
        return None
    return content


def is_whole(lastmod: LastMod) -> bool:
    """Whether a date has a day. The XML schema of sitemaps requires it; the protocol does not."""
    return len(lastmod.text) >= len("2026-01-01")


def is_implausible(lastmod: LastMod, now: int) -> bool:
    """Whether a date is before the first web page, or in the future.

    A minute is no future, because the clock of another machine may have set the time.
    """
    return lastmod.seconds > now + CLOCK_SKEW or lastmod.seconds < _FIRST_WEB_PAGE
