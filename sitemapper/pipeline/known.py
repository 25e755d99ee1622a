"""What is known of pages before they are read, joined to the batches of a walk by the coordinator.

Workers get pages with their evidence; git, the ledger and the cache are read here only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING

from sitemapper.config.settings import Settings
from sitemapper.lastmod import ledger
from sitemapper.model import Batch, Caution, Chunk, Warned
from sitemapper.pages.cache import PageCache, Place, code_stamp
from sitemapper.pipeline import fingerprint
from sitemapper.pipeline.fingerprint import Chain
from sitemapper.syntax.dates import Writer

if TYPE_CHECKING:
    from sitemapper.lastmod.git import History


class Evidence:
    """Gathers what is known, batch by batch, in walk order; remembers what is learnt."""

    def __init__(
        self, settings: Settings, writer: Writer, pages: PageCache | None, chain: Chain | None
    ) -> None:
        """Raises LedgerError where the ledger cannot be read."""
        self.warned: list[Warned] = []
        self._pages = pages
        # The fingerprint of the run; None where the same pages may give another result later.
        self.chain = chain
        self._git = _history(settings, self.warned) if "git" in settings.lastmod else None
        file = settings.ledger_file
        self._ledger = ledger.Reader(file, settings.label(file), writer) if file else None

    def on(self, batch: Batch) -> Batch:
        """The next batch with what is known of its pages. Raises LedgerError."""
        if self.chain:
            self.chain.add(batch)
        if self._git:
            batch = batch._replace(git=self._git.dates([page.path for page in batch.pages]))
        if self._ledger:
            batch = batch._replace(ledger=self._ledger.rows(batch.pages))
        return batch._replace(seen=self._pages.seen(batch.pages)) if self._pages else batch

    def learn(self, batch: Batch, chunk: Chunk) -> None:
        """What came of a batch."""
        if self._pages:
            self._pages.learn(batch.pages, chunk.seen)
        if chunk.looks_outside or any(page.head.unavailable_after for page in chunk.seen.values()):
            self.chain = None

    @property
    def ledger_counts(self) -> tuple[int, int]:
        """How many rows the ledger has, and how many of them are of this site."""
        return (self._ledger.count, self._ledger.found) if self._ledger else (0, 0)

    @property
    def notes(self) -> list[str]:
        """What kept the cache from being written."""
        problem = self._pages.problem if self._pages else None
        return [f"the cache cannot be written: {problem} (--no-cache does without)"] if problem else []

    def finish(self) -> None:
        """After the last batch: reads on to the end, so that no damage goes unseen. Raises LedgerError.

        Warns where git knew nothing.
        """
        if self._ledger:
            self._ledger.finish()
        if self._git and self._git.idle:
            self.warned.append(Warned(Caution.GIT, self._git.idle))

    def close(self) -> None:
        """Ends the reading."""
        if self._git:
            self._git.close()


def adopts_ledger(settings: Settings) -> bool:
    """Whether a run would be the first with a ledger."""
    file = settings.ledger_file
    return file is not None and not (os.path.exists(file) and os.path.getsize(file))


def _history(settings: Settings, warned: list[Warned]) -> History | None:
    # Imported here: SQLite and what runs programs cost start-up.
    from sitemapper.lastmod import git

    try:
        return git.History(git.sources(settings), settings.git.date)
    except git.GitError as error:
        warned.append(Warned(Caution.GIT, str(error)))
        return None


@contextmanager
def gathered(
    settings: Settings, writer: Writer, place: Place | None = None, reads: str = "", now: int = 0
) -> Iterator[Evidence]:
    """The evidence for one stream.

    `writer` is for the dates of the ledger, `place` is where the cache lies, `reads` says what is wanted
    of pages ("" for nothing), `now` is the run's beginning in ns.
    """
    cache = PageCache(place, code_stamp() + reads.encode(), now) if place and reads else nullcontext()
    chain = fingerprint.chain(settings) if place else None
    with cache as pages, closing(Evidence(settings, writer, pages, chain)) as evidence:
        yield evidence
