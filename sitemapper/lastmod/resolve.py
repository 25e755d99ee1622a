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
        """Whether the ledger finds it new or changed; without one, whether git finds it edited."""
        return self.told.edit is not None if self.row is None else not self.is_unchanged


class Verdict(NamedTuple):
    """The date of a page, with its source; or none, with the cause."""

    lastmod: LastMod | None
    source: str


def compare_content(old: Row | None, digest: str) -> tuple[Row, bool]:
    """Compares the content of a page with its row in the ledger, None for a new page.

    Returns the new row, and whether the page is unchanged. The row of a changed page begins with
    `>`: with `>2026-03-01`, it has changed after that day. `-` stands for a page without a date.
    """
    if old is None:
        return Row("-", digest), False
    # The first four digits name the rule by which a digest was made. Digests by two rules cannot
    # be compared, and a page keeps its date until it surely has changed.
    is_by_same_rule = old.digest[:4] == digest[:4]
    if old.digest == digest or not is_by_same_rule:
        return Row(old.lastmod, digest), True
    if old.lastmod.startswith(("-", ">")):
        return Row(old.lastmod, digest), False
    return Row(f">{old.lastmod}", digest), False


def date_page(page: Evidence, policy: Policy) -> Verdict:
    """Dates a page by the first source that has a date that can be right.

    No date counts that is in the future, or older than the change that the ledger has found.
    """
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
        is_behind_ledger = "ledger" in policy.sources[:place]
        if is_behind_ledger and page.row and _predates_change(date, page.row, policy):
            continue
        return Verdict(date, source)
    return Verdict(None, cause)


def is_plausible(date: LastMod, policy: Policy) -> bool:
    """Whether a page can have changed then: not in the future, and not before the web."""
    return _FIRST_WEB_PAGE <= date.seconds <= policy.now + _CLOCK_SKEW


def _may_be_time_of_change(page: Evidence, policy: Policy) -> bool:
    """Whether the time of a page's file may be that of a change, and not of a copy or a build."""
    if policy.sources == ("mtime",):
        return True  # a person asked for the times as they are
    if page.told.is_committed:
        return False  # git wrote the file, at the checkout
    if page.is_changed and not policy.is_new_theme:
        return True  # the build that wrote the file came soon after the change
    return not policy.is_generated and page.second not in policy.bursts


def _predates_change(date: LastMod, row: Row, policy: Policy) -> bool:
    """Whether a date is older than the change that the ledger has found.

    Until an edit is committed, for example, git has the date of the commit before it.
    """
    if not row.lastmod.startswith(">"):
        return False
    changed_after = read_date(row.lastmod[1:], policy.writer)
    if date == changed_after:
        # A page may change twice on one day, but not twice at one moment.
        return "T" in date.text
    return date.seconds < changed_after.seconds


# --- The sources of dates: each has the date of a page's last change, or None.


def _in_page(page: Evidence, policy: Policy) -> LastMod | None:
    return _read(page.one.facts.date or "", policy)


def _published(page: Evidence, policy: Policy) -> LastMod | None:
    """The page's date in the committed sitemap, if it can be the date of the last edit.

    An edit is made after the commit before it, and at the latest when it is committed itself. A
    date outside of this window is that of another edit.
    """
    if page.told.window is None:
        return None
    date = _read(page.told.published, policy)
    previous_commit, last_commit = page.told.window
    return date if date and previous_commit < date.seconds <= last_commit else None


def _front_matter(page: Evidence, policy: Policy) -> LastMod | None:
    return _read(page.told.change, policy)


def _git(page: Evidence, policy: Policy) -> LastMod | None:
    """The last commit; after a pure rename, as from drafts/, at least the day of publication."""
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
    """The time of the page's file, or of an edit of its source that is not committed."""
    if page.is_unchanged:
        return None
    second = page.second if page.told.edit is None else page.told.edit
    if second == page.second and not _may_be_time_of_change(page, policy):
        return None
    return policy.writer.lastmod(min(second, policy.epoch))


def _read(text: str, policy: Policy) -> LastMod | None:
    """Reads a date as somebody wrote it; None for a text that is none."""
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
    """Finds the file times, in seconds, near which many others are: those of a copy or a build.

    A time counts if five files, its own included, lie within 40 seconds of it, or three within a
    second. If there are only two to four files in `total`, all of them must lie so near.
    """
    in_order = sorted(times)
    found: set[int] = set()
    for files, seconds in _BURSTS:
        needed = max(2, min(files, total))
        # The times near one are `in_order[first:end]`. Both ends only move forward.
        first = end = 0
        for time in in_order:
            while in_order[first] < time - seconds:
                first += 1
            while end < len(in_order) and in_order[end] <= time + seconds:
                end += 1
            if end - first >= needed:
                found.add(time)
    return found
