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

EXAMPLES = 3
_CROSS_POSTS = 10  # of so many pages, one may have its canonical on another site
_WARNING_OF = {Reason.UNREADABLE: Kind.UNREADABLE, Reason.TOO_LONG: Kind.TOO_LONG}


class Tally:
    """Adds up the results of one stream.

    `shards` and `ledger` locate its bytes in the spool. `ledger_rows` is the number of rows in the
    ledger, and of those that belong to this site. `no_git` is the error because of which git dates
    no page. `unmatched` are the user's patterns that match nothing.
    """

    def __init__(self) -> None:
        self.listed = 0  # pages
        self.pruned = 0  # folders that were not entered
        # Pages with nothing but a file time that does not count, by cause.
        self.omitted: Counter[NoDate] = Counter()
        self.undated = ""  # the first of them that is no list
        self.times_of_bursts = 0  # pages dated by the time of a copy or a build
        self.large_pages = 0  # of which Googlebot reads only a part
        self.largest: Page | None = None
        self.no_git: GitError | None = None
        self.notes: list[Message] = []
        self.unmatched: list[str] = []
        self.shards: list[Shard] = []
        self.ledger = Shard(LEDGER_SERIES, 1)
        self.ledger_rows = (0, 0)
        self.unreadable_folders: dict[str, Origin] = {}  # with the system's errors
        self._excluded: Counter[Reason] = Counter()
        self._dated: Counter[str] = Counter()
        self._examples: dict[Kind, list[str]] = {}
        self._warning_counts: Counter[Kind] = Counter()
        self._dates: dict[str, Histogram] = {}
        # Patterns, rules and selectors that had an effect.
        self._effective: set[Origin] = set()

    def add(self, result: BatchResult) -> None:
        """Counts one batch."""
        self.listed += result.listed
        self.ledger = self.ledger._replace(size=self.ledger.size + len(result.ledger))
        self._dated.update(result.dated)
        self.omitted.update(result.omitted)
        self.undated = self.undated or result.undated
        self.times_of_bursts += result.times_of_bursts
        self.large_pages += len(result.large)
        for page in result.large:
            if self.largest is None or page.size > self.largest.size:
                self.largest = page
        for source, seconds in result.seconds.items():
            self._dates.setdefault(source, Histogram()).add(seconds)
        self._effective |= result.effective
        for excluded in result.excluded:
            self._add_excluded(excluded)
        self.warn(result.diagnostics)

    def _add_excluded(self, excluded: Excluded) -> None:
        """Counts a page that is left out, or a folder that was not entered."""
        if excluded.reason is Reason.IGNORED:
            self._effective.add(excluded.origin)
        if excluded.is_folder:
            self.pruned += 1
        else:
            self._excluded[excluded.reason] += 1
        if excluded.is_folder and excluded.reason is Reason.UNREADABLE:
            error = excluded.origin.source
            self.unreadable_folders[excluded.path] = Origin(excluded.path, None, error)
        kind = _WARNING_OF.get(excluded.reason)
        if kind:
            self.warn([Message(kind, (f"{excluded.path} ({excluded.origin})",))])

    def warn(self, warnings: Iterable[Message]) -> None:
        """Counts warnings and keeps the first examples of each kind."""
        for message in warnings:
            [about] = message.subjects
            self._warning_counts[message.kind] += 1
            examples = self._examples.setdefault(message.kind, [])
            if len(examples) < EXAMPLES and about not in examples:
                examples.append(about)

    @property
    def excluded(self) -> dict[Reason, int]:
        """The number of pages that each reason excludes, in the order of the reasons."""
        return {reason: self._excluded[reason] for reason in Reason if self._excluded[reason]}

    @property
    def dated(self) -> dict[str, int]:
        """The number of pages dated by each source."""
        return dict(sorted(self._dated.items()))

    @property
    def warnings(self) -> list[Message]:
        """Each kind of warning with its count and its first examples."""
        kinds = [kind for kind in Kind if kind in self._examples]
        if self.cross_posts[0]:
            kinds.remove(Kind.OTHER_ORIGIN)
        return [
            Message(kind, tuple(self._examples[kind]), self._warning_counts[kind]) for kind in kinds
        ]

    @property
    def cross_posts(self) -> tuple[int, tuple[str, ...]]:
        """The number of pages whose canonicals name other sites on purpose, and examples of these.

        So it is on a few pages that were published there, too. From one page in ten on, base_url
        may be wrong, which is worth a warning.
        """
        count = self._warning_counts[Kind.OTHER_ORIGIN]
        pages = self.listed + self._excluded.total()
        are_few = count * _CROSS_POSTS < pages and count <= self.listed
        if not count or not are_few:
            return 0, ()
        return count, tuple(self._examples[Kind.OTHER_ORIGIN])

    def histogram(self, source: str) -> Histogram:
        """The dates from a source."""
        return self._dates.get(source, Histogram())

    def unused(self, lines: Iterable[Line]) -> list[Line]:
        """The user's entries that had no effect."""
        return [line for line in lines if line.origin not in self._effective]
