"""What a run changes for the URLs that were published before, and what became of each."""

from collections.abc import Collection
from typing import NamedTuple

from ..long_list import LongList
from ..model import GoneUrl, UrlChange
from ..observer import Observer
from ..plan import Plan
from ..syntax.dates import moment
from ..tally import Tally
from .changes import LedgerRows, compute_changes
from .files import PlannedFiles
from .previous import Previous
from .shards import Spool


class DateChanges:
    """Counts what happens to the dates that were published before, with the first URL of each kind.

    URLs that go take their dates along. Others may lose their date, or get an older one.
    """

    def __init__(self) -> None:
        self.gone_with_urls = 0
        self.lost = 0
        self.older = 0
        self.first_lost = ""
        self.first_older = ""

    def add(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Counts one change to a URL by what happens to its date: gone, lost, older, or neither.

        Its dates are "" if it had or has none. A URL without a date before loses nothing.
        """
        second_before = moment(before)
        if second_before is None:
            return
        if change is UrlChange.REMOVED:
            self.gone_with_urls += 1
            return
        second_after = moment(after)
        if second_after is None:
            self.lost += 1
            self.first_lost = self.first_lost or url
        elif second_after < second_before:
            self.older += 1
            self.first_older = self.first_older or f"{url}: {before} -> {after}"


class UrlChanges(NamedTuple):
    """What a run changes, compared with the URLs that were published before.

    `previous` is the number of these, None if nothing was published. `counts` are by kind of
    change. `gone` are the URLs that are not listed any more, with what became of them. `has_all` if
    the observer got each of the changes: on a first build, it may need only their number.
    """

    previous: int | None
    counts: dict[UrlChange, int]
    gone: Collection[GoneUrl]
    dates: DateChanges
    has_all: bool


def compare_urls(
    files: PlannedFiles,
    tally: Tally,
    spool: Spool,
    plan: Plan,
    previous: Previous,
    observer: Observer,
) -> UrlChanges:
    """Compares the URLs to publish with those that were published before.

    Gives each change to the observer, counts the changes, and says what became of removed URLs. If
    nothing was published before, and the observer wants no list, all URLs are only counted as new.
    """
    counts = dict.fromkeys(UrlChange, 0)
    dates = DateChanges()
    published = previous.count_urls()
    if published is None and not observer.wants_changes:
        counts[UrlChange.ADDED] = tally.listed
        return UrlChanges(previous=None, counts=counts, gone=(), dates=dates, has_all=False)
    rows = LedgerRows(tally.ledger, spool, plan.policy.locator)
    removed: LongList[str] = LongList()
    for change, url, before, after in compute_changes(files.compared, rows, previous):
        observer.changed(change, url, before, after)
        dates.add(change, url, before, after)
        counts[change] += 1
        if change is UrlChange.REMOVED:
            removed.append(url)
    gone: Collection[GoneUrl] = ()
    if removed:
        # Imported here: most runs remove no URL.
        from .gone import classify_gone
        from .moved import with_moved

        gone = classify_gone(removed, plan, tally.unreadable_folders)
        gone = with_moved(gone, plan, previous, rows, observer)
    return UrlChanges(previous=published, counts=counts, gone=gone, dates=dates, has_all=True)
