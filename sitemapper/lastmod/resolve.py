"""When each listed page of a batch last changed: the date of the first source that has one.

The sources are asked in the order of `lastmod`. `date_page` does this for one page.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..messages import Kind, Message
from ..model import (
    DELETED,
    NO_DATES,
    NO_FACTS,
    NO_ROW,
    ROW_IN_BURST,
    Batch,
    GitDates,
    LastMod,
    LedgerEntry,
    Listed,
    NoDate,
    Page,
    PageFacts,
    PageRow,
    ShownBy,
)
from ..read.walk import path_key
from ..syntax.ledger_rows import render_row
from ..syntax.urls import folder_of, quoted
from .ledger import compare_content
from .source_choice import choose
from .sources import CLOCK_SKEW, SOURCES, DatePolicy, DateSource, PageToDate

_FIRST_WEB_PAGE = 662_688_000  # 1991-01-01; the first web page is of August of that year
# Sources whose dates are in the row of a page. They have none for a page with `NO_ROW`.
_SOURCES_WITH_DATES_IN_ROWS = {"published", "front_matter", "git"}
# One import or build may have set all dates of these sources to the same day.
_SOURCES_THAT_AN_IMPORT_MAY_SET = {"page", "git"}


class PageDate(NamedTuple):
    """The date of a page with its source, or no date.

    - `source` is the source that has the date, such as `git`. It is "" if a rule of the user sets
      the date, and if there is no date.
    - `is_in_future` says, for a page without a date, that a source had a date in the future.
    """

    lastmod: LastMod | None = None
    source: str = ""
    warnings: Sequence[Message] = ()
    is_in_future: bool = False


class BatchDates(NamedTuple):
    """The dates of the listed pages of a batch.

    These fields have a value for each page, in the order of the pages:

    - `lastmods` are the dates, and `sources` the sources that have them, as in `PageDate`.
    - `causes` say why pages have no date. None for a page with a date, and if file times are not
      asked for, as with `lastmod = ["page"]`.
    - `changed` says whether a page is new or changed since the last build.
    - `pages` has what the date of a page was found from.

    `changed` and `pages` are empty if the pages were dated by the times of their files alone.

    `times_of_builds` is the number of dates that are the time of a copy or a build. `ledger` has
    the rows of the batch for the ledger, as bytes. Pages that are not listed may have one, too.
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
        """Counts the pages that each source dated: `{"git": 12, "mtime": 3}`."""
        counts = Counter(self.sources)
        del counts[""]  # pages without a date, or with one that a rule of the user sets
        return dict(counts)

    @property
    def dates_perhaps_of_an_import(self) -> dict[str, Sequence[int]]:
        """The dates from `page` and from `git`, in seconds: `{"git": [1767225600, 1767225600]}`.

        The caller warns if many dates of a source are the same, because one import or build may
        have set them. When a project moves to git, for example, all files are committed on one day.
        """
        seconds: dict[str, Sequence[int]] = {}
        for name in _SOURCES_THAT_AN_IMPORT_MAY_SET.intersection(self.sources):
            dates = zip(self.lastmods, self.sources, strict=True)
            seconds[name] = [date.seconds for date, source in dates if date and source == name]
        return seconds


def date_batch(
    batch: Batch, listed: Sequence[Listed], facts: Sequence[PageFacts], policy: DatePolicy
) -> BatchDates:
    """Dates each listed page of a batch, and renders the batch's rows for the ledger.

    `listed` and `facts` are those of the listed pages, in the order of the batch. `facts` is empty
    if no page was read. A date that a rule sets is kept.
    """
    rows = list(batch.page_rows())  # pairs: (page, what is known of it)
    if len(listed) < len(rows):  # some pages of the batch are excluded
        paths = {entry.path for entry in listed}
        rows = [(page, row) for page, row in rows if page.path in paths]
    has_dates_of_rules = any(entry.lastmod for entry in listed)
    if not has_dates_of_rules and _can_date_by_files(rows, policy):
        return _date_by_files(rows, policy)  # the same dates as below, in less time
    pages = _collect_pages(rows, listed, facts)
    list_paths = _find_lists(batch)  # pages that list other pages, such as `news/index.html`
    date_sources = _order_sources(policy)
    dates = [
        PageDate(entry.lastmod) if entry.lastmod else date_page(page, date_sources, policy)
        for page, entry in zip(pages, listed, strict=True)
    ]
    causes = [
        None if date.lastmod else _why_undated(page, policy, is_list=page.page.path in list_paths)
        for page, date in zip(pages, dates, strict=True)
    ]
    return BatchDates(
        lastmods=[date.lastmod for date in dates],
        sources=[date.source for date in dates],
        causes=causes,
        changed=[page.is_changed for page in pages],
        warnings=[warning for date in dates for warning in date.warnings],
        times_of_builds=_count_times_of_builds(pages, dates, policy),
        pages=pages,
        ledger=_ledger_rows(batch, pages, dates, policy) if "ledger" in policy.sources else b"",
    )


def _collect_pages(
    rows: Sequence[tuple[Page, PageRow]], listed: Sequence[Listed], facts: Sequence[PageFacts]
) -> list[PageToDate]:
    """Collects for each page what is needed to date it, with its source file if one is found.

    The arguments have the same pages in the same order: `rows` what git and the ledger say of each
    page, `listed` its URL, and `facts` what was read in it. `facts` is empty if no page was read.
    """
    facts = facts or [NO_FACTS] * len(listed)
    pages: list[PageToDate] = []
    for (page, row), entry, facts_of_page in zip(rows, listed, facts, strict=True):
        content = None
        if facts_of_page.digest:  # with a ledger, each page has one
            content = compare_content(row.ledger, facts_of_page.digest)
        to_date = PageToDate(
            page=page, loc=entry.loc, facts=facts_of_page, row=row, content=content
        )
        if row.sources:  # possible source files
            to_date = _choose_source_file(to_date)
        pages.append(to_date)
    return pages


def _count_times_of_builds(
    pages: Iterable[PageToDate], dates: Iterable[PageDate], policy: DatePolicy
) -> int:
    """Counts the pages that have the time of a copy or a build as their date, for a warning.

    With `lastmod = ["mtime"]`, all pages get the times of their files, even those of `cp -r`.
    """
    # With `lastmod = ["git", "mtime"]`, only a page that has just changed gets the time of a build.
    # The build came soon after the change, so there is nothing to warn of.
    if policy.skips_times_of_builds:
        return 0
    pairs = zip(pages, dates, strict=True)
    return sum(page.row.is_in_burst for page, date in pairs if date.source == "mtime")


def _can_date_by_files(rows: Sequence[tuple[Page, PageRow]], policy: DatePolicy) -> bool:
    """Whether nothing but the times of the files can date these pages.

    With `lastmod = ["git", "mtime"]`, this is so if git tracks none of the files. `_date_by_files`
    then dates all of them at once.
    """
    if not rows or "mtime" not in policy.sources:
        return False
    # The ledger, for example, compares the texts of the pages, so these must be read.
    other_sources = {*policy.sources} - {"mtime"}
    needs_texts = not other_sources <= _SOURCES_WITH_DATES_IN_ROWS
    if needs_texts:
        return False
    # SOURCE_DATE_EPOCH replaces all later times.
    if policy.source_date_epoch is not None:
        return False
    # Git may have a date for a page with any other row than these two. They are compared by value,
    # because worker processes have copies of them.
    rows_without_date = (NO_ROW, ROW_IN_BURST)
    if any(row not in rows_without_date for _, row in rows):
        return False
    # `date_page` warns of times in the future and of times before the first web page.
    seconds = [page.mtime // 1_000_000_000 for page, _ in rows]
    return min(seconds) >= _FIRST_WEB_PAGE and max(seconds) <= policy.now


def _date_by_files(rows: Sequence[tuple[Page, PageRow]], policy: DatePolicy) -> BatchDates:
    """Dates pages of which nothing but the times of their files is known, in little time.

    `date_page` and `_why_undated` would give the same dates and causes. But the largest sites have
    such pages, and calls for each would take a third of the whole run.
    """
    file_dates = policy.writer.lastmods([page.mtime // 1_000_000_000 for page, _ in rows])
    # With `lastmod = ["mtime"]`, the user wants all of these dates. Those that are the time of a
    # copy or a build are only counted, for a warning.
    wants_all_times = not policy.skips_times_of_builds
    if wants_all_times:
        return BatchDates(
            lastmods=file_dates,
            sources=["mtime"] * len(rows),
            causes=[None] * len(rows),
            times_of_builds=sum(row.is_in_burst for _, row in rows),
        )
    # With `lastmod = ["git", "mtime"]`, the time of a copy or a build is no date. A generator
    # writes all pages in one build.
    are_refused = [policy.is_generated or row.is_in_burst for _, row in rows]
    # Git, if it was asked, tracks none of these files: they were built from an unknown source.
    cause = NoDate.UNKNOWN if "git" in policy.sources else NoDate.WRITTEN
    return BatchDates(
        lastmods=[
            None if is_refused else date
            for date, is_refused in zip(file_dates, are_refused, strict=True)
        ],
        sources=["" if is_refused else "mtime" for is_refused in are_refused],
        causes=[cause if is_refused else None for is_refused in are_refused],
    )


def _choose_source_file(page: PageToDate) -> PageToDate:
    """Chooses the source file of a page, so that git's dates of this file date the page.

    tea.html shows the title of a/tea.md → the page's row gets what git says of a/tea.md, in place
    of what it says of tea.html. The page is returned as it is if it shows nothing to choose by.
    """
    possible = page.row.sources
    if page.facts.shown:
        titles, max_size, _is_exact = page.facts.shown  # the size of the page's text
        choice = choose(possible, titles, max_size)
    # A PDF shows no titles, but a plugin has recorded from which file it was made.
    elif any(file.shown_by is ShownBy.RECORD for file in possible):
        choice = choose(possible, titles=(), size=0)
    else:
        return page
    if choice.source is None:
        return page._replace(choice=choice)
    git = _git_dates_of_page(choice.source.git, page.row.git)
    return page._replace(choice=choice, row=page.row._replace(git=git))


def _git_dates_of_page(source: GitDates, own_file: GitDates) -> GitDates:
    """Returns what git says of a page, from what it says of the page's source and of its own file.

    The result has the commit of the source, and an edit that is not committed:

        the source was deleted       nothing, because the page is still there
        the source was edited        the edit of the source
        the source was not edited    the edit of the page's own file, if there is one
    """
    if source.edit == DELETED:
        return NO_DATES
    if source.edit is not None:
        return source
    return source._replace(edit=own_file.edit)


def _find_lists(batch: Batch) -> set[str]:
    """Finds the pages that list other pages, such as `news/index.html`. Returns their paths.

    Such a page is taken for a list if it has no source file, and its folder has other pages. They
    may be excluded, as the redirect `tags/tea/page/1/` of Hugo is. If no page of the batch has a
    source file, none is taken for a list: then the sources of this site are not known.
    """
    rows = list(batch.page_rows())  # pairs: (page, what is known of it)
    if not any(row.sources for _, row in rows):
        return set()
    lists = set()
    # In walk order, the other pages of a folder follow its own page.
    for (page, row), (following, _) in pairwise(rows):
        folder = folder_of(page.path)
        if folder is None or row.sources:
            continue
        if following.path.startswith(folder):
            lists.add(page.path)
    return lists


def _order_sources(policy: DatePolicy) -> list[DateSource]:
    """Lists the sources of dates in the order in which they are asked: that of `lastmod`.

    But the ledger is always asked before `mtime`: ["mtime", "git", "ledger"] → ledger, mtime, git.
    If `mtime` has dated a page in the first build, the ledger has this date, and the page keeps it
    until it changes. In the order of `lastmod`, git would date the page in the second build,
    because file times date no page that the ledger finds unchanged.
    """
    names = list(policy.sources)
    is_ledger_after_mtime = "mtime" in names and "ledger" in names[names.index("mtime") :]
    if is_ledger_after_mtime:
        names.remove("ledger")
        names.insert(names.index("mtime"), "ledger")
    source_by_name = {source.name: source for source in SOURCES}
    return [source_by_name[name] for name in names]


def date_page(page: PageToDate, sources: Sequence[DateSource], policy: DatePolicy) -> PageDate:
    """Dates a page by the first source that has a usable date. These dates are not usable:

    - a year or a month without a day, if the schema of the sitemap requires days
    - a date in the future or before the first web page, of which the result also has a warning
    - a date before the page's last change, which the ledger has found. But if `lastmod` names the
      source before the ledger, the user trusts the source more, and its date is used.
    """
    path = page.page.path
    warnings: list[Message] = []
    is_in_future = False
    for source in sources:
        if source.name == "git" and page.row.git.is_shallow:
            warnings.append(Message(Kind.SHALLOW, (path,)))
        date = source.date(page, policy)
        if date is None:
            continue
        if policy.needs_days and not is_whole(date):
            continue
        if is_implausible(date, policy.now):
            warnings.append(Message(Kind.IMPLAUSIBLE, (path,)))
            is_in_future |= date.seconds > policy.now
            continue
        is_too_old = page.content is not None and page.content.predates_change(date)
        if is_too_old and policy.is_after_ledger(source.name):
            continue
        return PageDate(date, source.name, warnings)
    return PageDate(warnings=warnings, is_in_future=is_in_future)


def _why_undated(page: PageToDate, policy: DatePolicy, *, is_list: bool) -> NoDate | None:
    """Says why a page has no date, for a message that counts the causes and says what helps.

    After `git clone --depth 1`, for example, the cause is SHALLOW: the page's last commit is
    missing. None if the message does not count the page. `is_list` says that the page lists other
    pages, as `news/index.html` does.
    """
    # With `lastmod = ["page"]`, for example, users expect that pages may have no date. Only those
    # who want the times of files are told why the time of this file does not count.
    if not page.is_file_time_refused(policy):
        return None
    if page.row.git.is_shallow:
        return NoDate.SHALLOW
    if is_list:
        return NoDate.LIST
    # Two possible source files fit, for example.
    if page.choice and page.choice.cause:
        return page.choice.cause
    # Git has no commit of the file as it is now: a build wrote it, from an unknown source.
    if "git" in policy.sources and not page.row.is_committed:
        return NoDate.UNKNOWN
    # A copy, a checkout or a deploy wrote the file.
    return NoDate.WRITTEN


def _ledger_rows(
    batch: Batch, pages: Sequence[PageToDate], dates: Sequence[PageDate], policy: DatePolicy
) -> bytes:
    """Renders the rows of a batch for the ledger, in walk order.

    - A listed page gets a row with its date and the digest of its content.
    - A page that is not listed keeps its row from the ledger, if it has one.
    - A page that was not walked, such as one in an ignored folder, also keeps its row. These rows
      come from `batch.rows_not_walked`, and are sorted in among the others.
    """
    date_by_path = {
        dated.page.path: (dated, date) for dated, date in zip(pages, dates, strict=True)
    }
    names = quoted([page.path for page in batch.pages])  # percent-encoded, as in the ledger
    rows = list(batch.rows_not_walked)  # pairs: (path, line of the ledger)
    for name, (page, row) in zip(names, batch.page_rows(), strict=True):
        if page.path in date_by_path:  # it is listed
            dated, date = date_by_path[page.path]
            rows.append((page.path, _ledger_row(name, dated, date, policy)))
        elif row.ledger:
            rows.append((page.path, render_row(name, row.ledger, is_listed=False)))
    if batch.rows_not_walked:
        rows.sort(key=lambda row: path_key(row[0]))
    return "".join(line for _, line in rows).encode("ascii")


def _ledger_row(name: str, page: PageToDate, date: PageDate, policy: DatePolicy) -> str:
    """Renders the row of a listed page for the ledger: `b.html TAB 2026-03-01 TAB DIGEST`.

    `name` is the percent-encoded path of the page. "" for a page that gets no row.
    """
    entry = _next_row(page, date, policy)
    if entry is None:
        return ""
    own_url = None
    is_usual_url = page.loc == policy.locator.loc(page.page.path)
    if not is_usual_url:  # b.html has the URL /b/, but c.html has /c
        own_url = page.loc.removeprefix(policy.locator.base)
    return render_row(name, entry, is_listed=True, own_url=own_url)


def _next_row(page: PageToDate, date: PageDate, policy: DatePolicy) -> LedgerEntry | None:
    """Makes the row that this build writes in the ledger for a page. None if it gets no row.

    A page that a source dates 1 May gets a row with this date. If no source dates it, its row
    usually has none. But a source may have a date in the future, because the clock of this machine
    is slow. The next build must then find the page changed again, to date it:

        12:00   the page is edited, and its source is committed
        12:30   a build, whose clock shows 11:30, refuses the date 12:00
        14:00   the next build finds the page changed, and dates it 12:00
    """
    content = page.content
    assert content  # there is a ledger
    if date.lastmod:
        return LedgerEntry(lastmod=date.lastmod, digest=content.new_row.digest)
    is_change_in_future = date.is_in_future and page.is_changed
    if not is_change_in_future:  # an unchanged page keeps its date, even if that is refused now
        return content.new_row
    # The ledger keeps the row with the content before the change.
    row_of_last_build = page.row.ledger
    if row_of_last_build:
        return row_of_last_build
    # The page is new. If the next build dates it by its file time, it must find it new again, so
    # the page gets no row. Other sources, such as git, also date a page that has a row.
    may_take_file_time = "mtime" in policy.sources and not page.is_file_time_refused(policy)
    return None if may_take_file_time else content.new_row


def is_whole(lastmod: LastMod) -> bool:
    """Whether a date has a day. The XML schema of sitemaps requires it; the protocol does not."""
    return len(lastmod.text) >= len("2026-01-01")


def is_implausible(lastmod: LastMod, now: int) -> bool:
    """Whether a date is before the first web page, or in the future.

    A date up to one minute ahead is no future: the clock of another machine, which may be faster
    than ours, may have set it.
    """
    return lastmod.seconds > now + CLOCK_SKEW or lastmod.seconds < _FIRST_WEB_PAGE
