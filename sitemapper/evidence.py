"""What is known of pages before they are read, joined to the batches of a walk by the coordinator.

Workers get pages with their evidence; git, the ledger and the cache are read here only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .lastmod import ledger
from .model import Batch, Caution, Warned
from .settings import Settings

if TYPE_CHECKING:
    from .lastmod.git import History


class Evidence:
    """Gathers what git and the ledger know, batch by batch, in walk order."""

    def __init__(self, settings: Settings) -> None:
        """Raises LedgerError where the ledger cannot be read."""
        self.warned: list[Warned] = []
        self._git = _history(settings, self.warned) if "git" in settings.lastmod else None
        self._ledger = None
        if settings.ledger_file:
            self._ledger = ledger.Reader(settings.ledger_file, settings.label(settings.ledger_file))

    def on(self, batch: Batch) -> Batch:
        """The next batch with what is known of its pages. Raises LedgerError."""
        if self._git:
            batch = batch._replace(git=self._git.dates([page.path for page in batch.pages]))
        if self._ledger:
            batch = batch._replace(ledger=self._ledger.rows(batch.pages))
        return batch

    def close(self) -> None:
        """Ends the reading."""
        if self._git:
            self._git.close()

    def finish(self) -> None:
        """After the last batch: reads on to the end, so that no damage goes unseen. Raises LedgerError."""
        if self._ledger:
            self._ledger.finish()


def adopts_ledger(settings: Settings) -> bool:
    """Whether a run would be the first with a ledger."""
    file = settings.ledger_file
    return file is not None and not (os.path.exists(file) and os.path.getsize(file))


def _history(settings: Settings, warned: list[Warned]) -> History | None:
    # Imported here: SQLite and what runs programs cost start-up.
    from .lastmod import git

    maps = tuple(git.compile_map(m.page, m.source) for m in settings.git.map)
    try:
        return git.History(git.Sources(maps, settings.project, settings.site), settings.git.date)
    except git.GitError as error:
        warned.append(Warned(Caution.GIT, str(error)))
        return None


@contextmanager
def gathered(settings: Settings) -> Iterator[Evidence]:
    """The evidence for one stream."""
    evidence = Evidence(settings)
    try:
        yield evidence
    finally:
        evidence.close()
