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
        # Pages and folders, counted by `add`.
        self.listed = 0  # pages
        self.large_pages = 0  # of which Googlebot reads only a part
        self.largest: Page | None = None
        self.pruned = 0  # folders that were not entered
        self.unreadable_folders: dict[str, Origin] = {}  # by path, with the system's error
        self._excluded: Counter[Reason] = Counter()  # pages
        # The user's patterns, rules and selectors that had an effect.
        self._effective: set[Origin] = set()

        # Dates, counted by `add`.
        self.omitted: Counter[NoDate] = Counter()  # pages without a date, by the cause
        self.undated = ""  # path of the first of these pages that is no list of other pages
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

        # Where the bytes of the sitemaps and of the ledger are in the spool.
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
                error = excluded.origin.source  # such as `Permission denied`
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

        Pages whose canonicals name another site get none if they are cross-posts: pages that were
        published there first, as their author wants.
        """
        kinds = [kind for kind in Kind if kind in self._examples]
        # The share of such pages in the site decides. So all of them are cross-posts, or none is.
        cross_posts, _sites = self.cross_posts
        if cross_posts:
            kinds.remove(Kind.OTHER_ORIGIN)
        return [
            Message(kind, tuple(self._examples[kind]), self._warning_counts[kind]) for kind in kinds
        ]

    @property
    def cross_posts(self) -> tuple[int, tuple[str, ...]]:
        """The number of cross-posts of the site, and the first sites that they name.

        A cross-post is a page that was published on another site first. Its canonical names that
        site, so the page is not listed here. A wrong base_url looks the same, but then nearly all
        pages name another site, and none of them is a cross-post:

        | pages of the site | result |
        |---|---|
        | 19 are listed, 2 name https://b.example | `(2, ("https://b.example",))` |
        | 1 is listed, 20 name https://b.example | `(0, ())`: base_url is wrong |
        | 1 is listed, 5 name https://b.example, 94 are noindex | `(0, ())`: the same |

        If base_url is wrong, `warnings` reports these pages instead.
        """
        count = self._warning_counts[Kind.OTHER_ORIGIN]
        if count == 0:
            return 0, ()
        pages = self.listed + self._excluded.total()
        is_large_share = count / pages >= _SHARE_WITH_WRONG_BASE_URL
        # In a site with many noindex pages, the share is small even if base_url is wrong.
        is_most_of_the_rest = count > self.listed
        if is_large_share or is_most_of_the_rest:
            return 0, ()
        return count, tuple(self._examples[Kind.OTHER_ORIGIN])

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
