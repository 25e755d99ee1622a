"""The sources of dates. Each has the date of a page's last change, or none.

A source gets a page, what was read of it, and its row. It reads no files and no clock. A new source
is a function here and its line in `SOURCES`.
"""

from collections.abc import Callable
from typing import NamedTuple

from ..model import LastMod, Page, PageFacts, PageRow
from ..syntax.dates import Writer, read
from ..syntax.urls import Locator
from .ledger import ContentComparison
from .source_choice import Choice

CLOCK_SKEW = 60  # seconds by which the clocks of two machines may differ


class DatePolicy(NamedTuple):
    """How a run dates its pages: the `sources` in order, and what limits their dates.

    - `now` is the second in which the run started.
    - The ledger contains URLs that are not in the site's style, for which the `locator` is needed.
    - With `skips_times_of_builds`, file times of a copy or a build date no page.
    - With `is_generated`, a generator wrote the pages.
    - With `is_nearly_all_changed`, the ledger finds nearly all pages new or changed, as with
      another theme or on its first run.
    - With `needs_days`, dates without a day are skipped.
    """

    sources: tuple[str, ...]
    now: int
    source_date_epoch: int | None
    writer: Writer
    locator: Locator
    skips_times_of_builds: bool = False
    is_generated: bool = False
    is_nearly_all_changed: bool = False
    needs_days: bool = False

    def is_after_ledger(self, source: str) -> bool:
        """Says whether a source is listed after the ledger: `git` is in `["ledger", "git"]`."""
        return "ledger" in self.sources[: self.sources.index(source)]

    @property
    def dates_changes_by_build(self) -> bool:
        """Whether a page that the ledger finds new or changed takes the time of the build."""
        return self.skips_times_of_builds and not self.is_nearly_all_changed

    @property
    def needs_bursts(self) -> bool:
        """Whether the run must search for bursts of file times, to know which times are dates.

        A burst is many files that were written within seconds of each other, as by a copy or a
        build. The times of these files are no dates.

        False if `mtime` is no source of dates. Also False if a generator wrote all pages, because
        their times are all skipped then.
        """
        if "mtime" not in self.sources:
            return False
        skips_all_times = self.skips_times_of_builds and self.is_generated
        return not skips_all_times


class PageToDate(NamedTuple):
    """A listed page at the URL `loc`, with all that the sources of dates need to date it.

    - `facts` are what was read in the page, and `row` is what git and the ledger know of it.
    - `content` has the page's row in the ledger, and whether the page is unchanged. None without a
      ledger.
    - `choice` is the choice among the page's possible source files. None if there are none, or if
      the page shows nothing to choose by, as a PDF. If a file was chosen, `row` has what git says
      of that file.
    """

    page: Page
    loc: str
    facts: PageFacts
    row: PageRow
    content: ContentComparison | None = None
    choice: Choice | None = None

    @property
    def file_second(self) -> int:
        """The time of the page's own file in whole seconds, rounded down as by `date -r FILE`."""
        return self.page.mtime // 1_000_000_000

    @property
    def is_unchanged(self) -> bool:
        """Whether the ledger finds the page unchanged."""
        return self.content is not None and self.content.is_unchanged

    @property
    def is_changed(self) -> bool:
        """Whether the ledger finds the page new or changed.

        Without a ledger, whether git finds an edit that is not committed.
        """
        if self.content is None:  # without a ledger
            return self.row.git.edit is not None
        return not self.content.is_unchanged

    def is_file_time_refused(self, policy: DatePolicy) -> bool:
        """Whether the time of the page's file is no date, because a copy or a build wrote the file.

        After `git clone`, for example, all files have the time of the clone.
        """
        # The user wants all file times, as with `lastmod = ["mtime"]`, or none.
        if not policy.skips_times_of_builds:
            return False
        # The date of an unchanged page is in the ledger.
        if self.is_unchanged:
            return False
        # If somebody has edited the source of the page, the time of this edit counts. An edit of
        # the page's own file has the time of this file.
        time_of_edit = self.row.git.edit  # None if there is none that is not committed
        is_source_edited = time_of_edit is not None and time_of_edit != self.file_second
        if is_source_edited:
            return False
        # The file is as in its last commit, so a clone or a checkout may have written it.
        if self.row.is_committed:
            return True
        # A build comes soon after the change of a page, so its time is near enough. But if nearly
        # all pages changed, as with a new theme, their texts may be old.
        if self.is_changed and not policy.is_nearly_all_changed:
            return False
        # A generator wrote all pages, or a copy wrote this one.
        return policy.is_generated or self.row.is_in_burst


def _date_in_page(page: PageToDate, policy: DatePolicy) -> LastMod | None:
    """Returns the date that the page itself states.

    None if the page states none, or one that cannot be read. 03/04/2026 is ambiguous, so it is not
    read.
    """
    text = page.facts.date
    return _read(text, policy.writer) if text else None


def _published_date(page: PageToDate, policy: DatePolicy) -> LastMod | None:
    """Returns the date of a page in the committed sitemap, if that can be the day of its last edit.

    For a page whose last two commits are of 1 May and of 5 May, the sitemap may say:

        1 May   None: the sitemap was built before the last edit
        4 May   the date: the page was edited on 4 May, and committed on 5 May
        6 May   None: nobody edited the page on that day

    None for all of them if a commit edited the page after the sitemap was committed.
    """
    git = page.row.git
    text = page.row.published.get(page.loc)
    date = _read(text, policy.writer) if text else None
    edited = git.edited_before_sitemap  # after 1 May, until 5 May
    if date is None or edited is None:
        return None
    # The clocks of the machines that build and commit may differ by a minute.
    is_in_time_of_edit = edited.after < date.seconds <= edited.until + CLOCK_SKEW
    return date if is_in_time_of_edit else None


def _stated_date(page: PageToDate, policy: DatePolicy) -> LastMod | None:
    """Returns the last change that the front matter of the page's source file states.

    `lastmod: 2026-05-01` in `tea.md` → 2026-05-01. None if the source file is unknown or states
    none.
    """
    source = page.choice.source if page.choice else None  # the source file
    if source is None or source.change is None:
        return None
    stated = source.change.text
    return _read(stated, policy.writer)


def _commit_date(page: PageToDate, policy: DatePolicy) -> LastMod | None:
    """Returns the time of the last commit of the page's source, or else of the page's own file."""
    commit = page.row.git.commit
    return None if commit is None else policy.writer.lastmod(commit)


def _ledger_date(page: PageToDate, policy: DatePolicy) -> LastMod | None:
    """Returns the date in the ledger, if the page's content is the same as when it was recorded."""
    # The new row of a changed page has no date.
    return page.content.new_row.lastmod if page.content else None


def _file_date(page: PageToDate, policy: DatePolicy) -> LastMod | None:
    """Returns the time of the page's file, or of an edit of its source that is not committed.

    None if that is no time of a change of the page.
    """
    # The file was written again without a change, as the ledger shows.
    if page.is_unchanged:
        return None
    # A copy or a build wrote the file.
    if page.is_file_time_refused(policy):
        return None
    edit = page.row.git.edit  # the time of an edit that is not committed
    second = page.file_second if edit is None else edit
    # SOURCE_DATE_EPOCH is a limit, so that a build can be reproduced: reproducible-builds.org.
    if policy.source_date_epoch is not None:
        second = min(second, policy.source_date_epoch)
    return policy.writer.lastmod(second)


def _read(text: str, writer: Writer) -> LastMod | None:
    """Reads a date that somebody wrote, such as `2026-05-01`. None if the text is no date.

    The result is in the format of the `writer`, with or without a time.
    """
    try:
        return read(text, writer)
    except ValueError:
        return None


class DateSource(NamedTuple):
    """A source of dates: its name in `lastmod`, and the date that it has for a page, or None."""

    name: str
    date: Callable[[PageToDate, DatePolicy], LastMod | None]


SOURCES = (
    DateSource("page", _date_in_page),
    DateSource("published", _published_date),
    DateSource("front_matter", _stated_date),
    DateSource("git", _commit_date),
    DateSource("ledger", _ledger_date),
    DateSource("mtime", _file_date),
)
