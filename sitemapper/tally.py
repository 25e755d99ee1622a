"""The totals of a stream: counts, warnings with examples, dates, shards. Memory is bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .histogram import Histogram
from .messages import Kind, Message
from .model import (
    LEDGER_SERIES,
    BatchResult,
    Excluded,
    NoDate,
    Origin,
    Page,
    Reason,
    Shard,
)
from .syntax.gitignore import Line

if TYPE_CHECKING:
    from .lastmod.repository import GitError

EXAMPLES = 3  # subjects of a message that are kept, such as the first pages that it is about
# Where this share of the pages names another site, they are no cross-posts: base_url is wrong.
_SHARE_WITH_WRONG_BASE_URL = 0.1
_WARNING_OF = {Reason.UNREADABLE: Kind.UNREADABLE, Reason.TOO_LONG: Kind.TOO_LONG}


class Tally:
    """Adds up the results of all batches of a run: pages, dates, warnings, and sizes of files.

    A run reads its pages in batches. It calls `add` for each, and makes its summary of the totals.
    """

    def __init__(self) -> None:
        """Begins with totals of nothing."""
        # Pages and folders, counted by `add`.
        self.listed = 0  # listed pages
        self.large_pages = 0  # listed pages that are so large that Googlebot reads only a part
        self.largest: Page | None = None  # the largest of these
        self.pruned = 0  # folders that were not entered
        self.unreadable_folders: dict[str, Origin] = {}  # by path, with the system's error
        self._excluded: Counter[Reason] = Counter()  # excluded pages, by the reason
        # The user's patterns, rules and selectors that had an effect.
        self._effective: set[Origin] = set()

        # Dates, counted by `add`.
        self.omitted: Counter[NoDate] = Counter()  # pages without a date, by the cause
        self.undated = ""  # the path of an undated page as an example, "" for none
        self.times_of_builds = 0  # pages dated by the time of a copy or a build
        self._dated: Counter[str] = Counter()  # pages by the source of their date
        self._dates: dict[str, Histogram] = {}  # dates that a build may have set, by source

        # Warnings, counted by `warn`.
        self._warning_counts: Counter[Kind] = Counter()
        self._examples: dict[Kind, list[str]] = {}  # the first few subjects of each kind

        # Set by the run, when all batches are done.
        self.no_git: GitError | None = None  # why git dates no page
        self.notes: list[Message] = []
        self.unmatched: list[str] = []  # the user's patterns that match nothing

        # Where the bytes of the sitemaps and of the ledger are in the spool. The run sets the
        # shards of the sitemaps. The ledger is one shard, whose size `add` counts.
        self.shards: list[Shard] = []
        self.ledger = Shard(LEDGER_SERIES, 1)
        self.ledger_rows = (0, 0)  # rows of the earlier ledger, and how many are of this site

    def add(self, result: BatchResult) -> None:
        """Adds the counts, dates, excluded pages and warnings of one batch to the totals."""
        # Pages, and the size of the ledger that is written.
        self.listed += result.listed
        self.ledger = self.ledger._replace(size=self.ledger.size + len(result.ledger))
        self.large_pages += len(result.large)
        for page in result.large:
            if self.largest is None or page.size > self.largest.size:
                self.largest = page
        for excluded in result.excluded:
            self._add_excluded(excluded)
        # Dates: which source they are from, and why some pages have none.
        self._dated.update(result.dated)
        self.omitted.update(result.omitted)
        self.undated = self.undated or result.undated  # the first page without a date
        self.times_of_builds += result.times_of_builds
        # If most dates are of one minute, they show an import of the site, and not its edits. A
        # histogram is enough to see that, so the dates themselves are not kept.
        for source, seconds in result.dates_perhaps_of_an_import.items():
            self._dates.setdefault(source, Histogram()).add(seconds)
        # What the user wrote that had an effect, and warnings.
        self._effective |= result.effective
        self.warn(result.diagnostics)

    def _add_excluded(self, excluded: Excluded) -> None:
        """Counts a page that is left out, or a folder that was not entered.

        An unreadable page or a URL that is too long also gets a warning. The error of an unreadable
        folder is kept, so that a build can refuse to drop the published URLs below it.
        """
        # The origin is the pattern in `ignore`. It has an effect, so it is not reported as unused.
        if excluded.reason is Reason.IGNORED:
            self._effective.add(excluded.origin)
        if not excluded.is_folder:
            self._excluded[excluded.reason] += 1
        else:
            self.pruned += 1
            if excluded.reason is Reason.UNREADABLE:
                # The error is all that the origin of a folder has: `Permission denied`. Messages
                # about the URLs below it also name the folder: `a/b/: Permission denied`.
                error = excluded.origin.source
                self.unreadable_folders[excluded.path] = Origin(excluded.path, None, error)
        kind = _WARNING_OF.get(excluded.reason)
        if kind:
            self.warn([Message(kind, (f"{excluded.path} ({excluded.origin})",))])

    def warn(self, warnings: Iterable[Message]) -> None:
        """Counts warnings, and keeps the first different subjects of each kind as examples."""
        for message in warnings:
            [subject] = message.subjects  # each of these warnings has exactly one
            self._warning_counts[message.kind] += 1
            examples = self._examples.setdefault(message.kind, [])
            if len(examples) < EXAMPLES and subject not in examples:
                examples.append(subject)

    @property
    def excluded(self) -> dict[Reason, int]:
        """Counts the pages that each reason excludes, in the order of the reasons."""
        return {reason: self._excluded[reason] for reason in Reason if self._excluded[reason]}

    @property
    def dated(self) -> dict[str, int]:
        """Counts the pages dated by each source, by name: `{"git": 9, "mtime": 3}`."""
        return dict(sorted(self._dated.items()))

    @property
    def warnings(self) -> list[Message]:
        """Makes a message for each kind of warning, with its count and its first examples.

        There is no warning about pages that name another site if these are cross-posts.
        """
        kinds = [kind for kind in Kind if kind in self._examples]
        if self._has_cross_posts:
            kinds.remove(Kind.OTHER_ORIGIN)
        return [
            Message(kind, tuple(self._examples[kind]), self._warning_counts[kind]) for kind in kinds
        ]

    @property
    def cross_posts(self) -> tuple[int, tuple[str, ...]]:
        """The number of cross-posts, and the first sites they name: `(2, ("https://b.example",))`.

        A cross-post is a page that was published on another site first. Its canonical names the
        other site, so it is not listed here. `(0, ())` if there are none.
        """
        if not self._has_cross_posts:
            return 0, ()
        other_sites = self._examples[Kind.OTHER_ORIGIN]
        return self._warning_counts[Kind.OTHER_ORIGIN], tuple(other_sites)

    @property
    def _has_cross_posts(self) -> bool:
        """Whether the pages that name another site are cross-posts: published there first.

        If 2 of 25 pages have canonicals on https://b.example, these are cross-posts. If 20 of 25
        pages do, `base_url` is probably wrong.
        """
        pages_with_other_site = self._warning_counts[Kind.OTHER_ORIGIN]
        if pages_with_other_site == 0:
            return False
        # A tenth of all pages or more: `base_url` is wrong.
        pages = self.listed + self._excluded.total()
        if pages_with_other_site / pages >= _SHARE_WITH_WRONG_BASE_URL:
            return False
        # Of 100 pages, 94 are noindex, 5 name another site, and 1 is listed. Nearly all pages that
        # could be listed name another site, so `base_url` is wrong, too.
        return pages_with_other_site <= self.listed

    def histogram(self, source: str) -> Histogram:
        """Returns the dates from a source such as "mtime", to see if they are all of one build.

        If the source gave no date, it is an empty histogram.
        """
        return self._dates.get(source, Histogram())

    def unused(self, lines: Iterable[Line]) -> list[Line]:
        """Selects the lines, such as patterns of `ignore`, that had no effect on any page.

        The caller names them to the user, because each may have a typo.
        """
        return [line for line in lines if line.origin not in self._effective]
