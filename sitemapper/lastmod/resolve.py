"""When one page last changed: the date of the first source that has one. Pure.

A new source is a function here, and its line in `SOURCES`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from ..model import Listed, Page, Row
from ..syntax.dates import LastMod, Writer, read_date
from .history import Told

_CLOCK_SKEW = 60  # seconds by which the clocks of two machines may differ
_FIRST_WEB_PAGE = 662_688_000  # 1991-01-01; the first web page is of August of that year


class Policy(NamedTuple):
    """How a run dates its pages."""

    sources: tuple[str, ...]  # in their order, without those that this run cannot have
    writer: Writer
    now: int
    epoch: int  # SOURCE_DATE_EPOCH, the upper bound of file times
    is_generated: bool  # a generator wrote the pages
    bursts: Collection[int]  # file times of a copy or a build
    # The ledger, or without one git, finds nearly all pages new or changed, as by a new theme.
    is_new_theme: bool


class Evidence(NamedTuple):
    """What is known of a page, beside what it says."""

    one: Listed
    file: Page
    told: Told  # by git
    row: Row | None  # of the ledger, as this run would write it; None without a ledger
    is_unchanged: bool  # by the ledger

    @property
    def second(self) -> int:
        """The time of the page's file."""
        return self.file.mtime // 1_000_000_000

    @property
    def is_changed(self) -> bool:
        """Whether the page has changed: new or changed content by the ledger.

        Without a row in the ledger, it is whether git finds an edit that is not committed.
        """
        return self.told.edit is not None if self.row is None else not self.is_unchanged


class Verdict(NamedTuple):
    """The date of a page, with its source; or none, with the cause."""

    lastmod: LastMod | None
    source: str


def compare_content(old: Row | None, digest: str) -> tuple[Row, bool]:
    """Compares the content of a page with its row (its line in the ledger), to see if it changed.

    `old` is the row of the last build, None for a new page, and `digest` is that of the content
    now, such as "3f0c-0123456789abcdef". Returns the new row, and whether the page is unchanged.
    The row of a changed page has `>2026-03-01`: it changed after that day, and has no new date yet.
    """
    if old is None:
        # A new page, with `-` for a date that is not known.
        return Row("-", digest), False

    # The first four digits name the rule by which a digest was made. If a new version of this
    # program has another rule, the digests cannot be compared. Then the page counts as unchanged,
    # so that an update does not change the dates of all pages.
    is_by_same_rule = old.digest[:4] == digest[:4]
    if old.digest == digest or not is_by_same_rule:
        return Row(old.lastmod, digest), True

    # A changed page. `-` has no date to come after, and `>` stays from an earlier change.
    if old.lastmod.startswith(("-", ">")):
        return Row(old.lastmod, digest), False
    return Row(f">{old.lastmod}", digest), False


def date_page(page: Evidence, policy: Policy) -> Verdict:
    """Dates a page by the first source, such as `git`, that has a date which can be right.

    A date cannot be right if it is in the future, before the web, or older than the change that the
    ledger has found. Returns the date with the source, or None with the cause, such as "no source".
    """
    # The cause that is returned if no source has a date.
    cause = page.told.cause
    if not policy.sources:
        cause = ""  # nobody wants a date
    elif page.told.commit is not None and "git" not in policy.sources:
        cause = "git left out"

    for place, source in enumerate(policy.sources):
        date = SOURCES[source](page, policy)
        if date is None:
            continue
        if not is_plausible(date, policy):
            cause = "implausible"
            continue
        # A source before the ledger is more trusted than it, so only later ones are checked by it.
        is_behind_ledger = "ledger" in policy.sources[:place]
        if is_behind_ledger and page.row and _predates_change(date, page.row, policy):
            continue
        return Verdict(date, source)
    return Verdict(None, cause)


def is_plausible(date: LastMod, policy: Policy) -> bool:
    """Returns whether a page can have changed at a date: not in the future or before the web.

    The clock of another machine may be a little ahead, so up to a minute from now is accepted.
    """
    return _FIRST_WEB_PAGE <= date.seconds <= policy.now + _CLOCK_SKEW


def _may_be_time_of_change(page: Evidence, policy: Policy) -> bool:
    """Returns whether the time of a page's file may be that of a change to the page.

    Else it is that of a copy, a checkout or a build, which write files without a change. For
    example, git writes all files at a checkout, so the times of committed pages show nothing.
    """
    if policy.sources == ("mtime",):
        return True  # a person asked for the times as they are
    if page.told.is_committed:
        return False  # git wrote the file, at the checkout
    if page.is_changed and not policy.is_new_theme:
        return True  # the build that wrote the file came soon after the change
    # Not if a generator writes all pages in each build, or if a burst (many files that were written
    # together) shows a copy or a build.
    return not policy.is_generated and page.second not in policy.bursts


def _predates_change(date: LastMod, row: Row, policy: Policy) -> bool:
    """Returns whether a date is older than the change that the ledger has found in a page.

    `row` is the page's line in the ledger. With `>2026-03-01` there, the page changed after that
    day, so a date of February is that of an earlier change. git, for example, has such a date until
    the new edit is committed.
    """
    if not row.lastmod.startswith(">"):
        return False  # the ledger has found no change

    changed_after = read_date(row.lastmod[1:], policy.writer)
    if date == changed_after:
        # The same day can be right, because a page may change twice on one day. The same moment
        # (a date with `T` and a time) is still that of the earlier change.
        return "T" in date.text
    return date.seconds < changed_after.seconds


# --- The sources of dates: each has the date of a page's last change, or None.


def _in_page(page: Evidence, policy: Policy) -> LastMod | None:
    return _read(page.one.facts.date or "", policy)


def _published(page: Evidence, policy: Policy) -> LastMod | None:
    """Returns the page's date in the committed sitemap if it can be that of the last edit.

    An edit is made after the commit before it, and at the latest when it is committed itself. git
    tells these two times as the window of the page. A date outside of it is that of another edit.
    """
    if page.told.window is None:  # the committed sitemap is older than the edit
        return None
    date = _read(page.told.published, policy)
    previous_commit, last_commit = page.told.window
    return date if date and previous_commit < date.seconds <= last_commit else None


def _front_matter(page: Evidence, policy: Policy) -> LastMod | None:
    return _read(page.told.change, policy)


def _git(page: Evidence, policy: Policy) -> LastMod | None:
    """Returns the date of the last commit that edited the page's sources, or None without one.

    If a source was only renamed after that, as from `drafts/tea.md` to `docs/tea.md`, the page was
    probably published by the move. Then its date is the later of the commit and the day that the
    source states as that of its publication.
    """
    if page.told.commit is None:
        return None
    date = policy.writer.lastmod(page.told.commit)
    published = _read(page.told.renamed, policy)
    return max(date, published) if date and published else date


def _ledger(page: Evidence, policy: Policy) -> LastMod | None:
    if page.row is None or not page.is_unchanged or page.row.lastmod[0] in "->":
        return None
    return read_date(page.row.lastmod, policy.writer)


def _mtime(page: Evidence, policy: Policy) -> LastMod | None:
    """Returns the time of the page's file, or of an edit of its source that is not committed.

    None if the time shows no change of the page, such as that of a copy or a build.
    """
    if page.is_unchanged:  # by the ledger, so a new file time is not that of a change
        return None

    # `told.edit` is the file time of an uncommitted edit of the source. It is that of a person's
    # work, so it is preferred. A time that is the page file's own must be checked first.
    second = page.second if page.told.edit is None else page.told.edit
    if second == page.second and not _may_be_time_of_change(page, policy):
        return None
    # SOURCE_DATE_EPOCH is the upper bound of file times, so that a build can be repeated exactly.
    return policy.writer.lastmod(min(second, policy.epoch))


def _read(text: str, policy: Policy) -> LastMod | None:
    """Reads a date as somebody wrote it, such as `2026-03-01`; None for a text that is no date.

    People write these texts into pages and sources, so a wrong one is no fault of this program.
    """
    if not text:
        return None
    try:
        return read_date(text, policy.writer)
    except ValueError:
        return None


SOURCES: Mapping[str, Callable[[Evidence, Policy], LastMod | None]] = {
    "page": _in_page,
    "published": _published,
    "front_matter": _front_matter,
    "git": _git,
    "ledger": _ledger,
    "mtime": _mtime,
}


# --- Times at which many files were written

# So many files within so many seconds of one of them. An upload of a file a second, with up to
# eight images between two pages, takes 40 seconds for five pages. Nobody saves three in a second.
_BURSTS = ((5, 40), (3, 1))


def find_bursts(times: Iterable[int], total: int) -> set[int]:
    """Finds the bursts: the file times near which many others lie, as after a copy or a build.

    `times` are in seconds, and the result is those of them that are in a burst. A time counts if
    five files, its own included, lie within 40 seconds of it, or three within one second. If the
    site has only two to four files in `total`, all of them must lie so near.
    """
    in_order = sorted(times)
    found: set[int] = set()
    for files, seconds in _BURSTS:
        # A small site may have fewer files than that. But one file alone is never a burst.
        needed = max(2, min(files, total))

        # The times near the current one are `in_order[first:end]`. In sorted order both ends only
        # move forward, so that each time is visited a few times at most.
        first = end = 0
        for time in in_order:
            while in_order[first] < time - seconds:
                first += 1
            while end < len(in_order) and in_order[end] <= time + seconds:
                end += 1
            if end - first >= needed:
                found.add(time)
    return found
