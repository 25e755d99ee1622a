"""What a stream amounts to: counts, warnings with a few examples, dates. Bounded, whatever the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from sitemapper.model import Caution, Chunk, Excluded, Origin, Reason, Shard, Warned
from sitemapper.pipeline.known import Evidence
from sitemapper.syntax.gitignore import BUILT_IN, Line
from sitemapper.syntax.uniform import Histogram

EXAMPLES = 3
_WARNED = {Reason.UNREADABLE: Caution.UNREADABLE, Reason.TOO_LONG: Caution.TOO_LONG}

Warnings = tuple[tuple[Caution, int, tuple[str, ...]], ...]


class Outcome(NamedTuple):
    """What one stream amounted to.

    `ledger` is where its rows lie in the spool, `known` what was known and learnt; `pruned` counts
    folders that were not entered.
    """

    shards: tuple[Shard, ...]
    ledger: Shard
    known: Evidence
    listed: int
    excluded: dict[Reason, int]
    pruned: int
    warnings: Warnings
    notes: tuple[str, ...]
    dated: dict[str, int]


class Tally:
    """Adds up the chunks of one stream."""

    def __init__(self) -> None:
        self.listed = 0
        self._excluded: Counter[Reason] = Counter()
        self._pruned = 0
        self._dated: Counter[str] = Counter()
        self._warnings: dict[Caution, list[str]] = {}
        self._warned: Counter[Caution] = Counter()
        self._dates: dict[str, Histogram] = {}
        self._decided: set[Origin] = set()

    def add(self, chunk: Chunk) -> None:
        """Counts one chunk."""
        self.listed += chunk.listed
        self._dated.update(chunk.dated)
        for source, seconds in (chunk.dates or {}).items():
            self._dates.setdefault(source, Histogram()).add(seconds)
        for excluded in chunk.excluded:
            self._exclude(excluded)
        self.warn(chunk.warned)

    def _exclude(self, excluded: Excluded) -> None:
        if excluded.reason is Reason.IGNORED:
            self._decided.add(excluded.origin)
        if excluded.is_folder:
            self._pruned += 1
        else:
            self._excluded[excluded.reason] += 1
        if excluded.reason in _WARNED:
            self.warn([Warned(_WARNED[excluded.reason], f"{excluded.path} ({excluded.origin})")])

    def warn(self, warnings: Iterable[Warned]) -> None:
        """Counts warnings and keeps the first examples of each kind."""
        for caution, about in warnings:
            self._warned[caution] += 1
            examples = self._warnings.setdefault(caution, [])
            if len(examples) < EXAMPLES and about not in examples:
                examples.append(about)

    def uniform(self, today: int | None = None) -> dict[str, str]:
        """The sources whose dates all lie together, with a sentence about each.

        With `today`, a second, also where they are few, if they are of the day before it.
        """
        return {
            source: f"{source}: {dates.share():.0%} of {dates.total:,} dates lie within one minute"
            for source, dates in self._dates.items()
            if dates.is_uniform() or (today and dates.newest > today - 86_400 and dates.is_uniform(least=2))
        }

    def idle(self, lines: Iterable[Line]) -> list[str]:
        """The ignore patterns of the user that left nothing out: most are mistakes."""
        own = [line.origin for line in lines if line.text.strip() and line.text[0] not in "#!"]
        return [str(o) for o in own if o.source != BUILT_IN and o not in self._decided]

    def outcome(
        self, shards: Iterable[Shard], ledger: Shard, known: Evidence, notes: Iterable[str]
    ) -> Outcome:
        """The result, in a fixed order."""
        excluded = {reason: self._excluded[reason] for reason in Reason if self._excluded[reason]}
        cautions = [caution for caution in Caution if caution in self._warnings]
        warnings = tuple((c, self._warned[c], tuple(self._warnings[c])) for c in cautions)
        counts = self.listed, excluded, self._pruned
        dated = dict(sorted(self._dated.items()))
        return Outcome(tuple(shards), ledger, known, *counts, warnings, tuple(notes), dated)
