"""A progress bar on a terminal, for runs of more than a second."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

QUIET_SECONDS = 1.0  # a run this short needs no progress
_PAUSE = 0.1  # seconds between two updates


class Bar:
    """Shows the phase of a run, the number of pages, and the progress if a total is known.

    Draws only when `show` is called. A thread would prevent the run from forking processes.
    """

    def __init__(self, total: Callable[[], int | None], *, quiet: bool) -> None:
        self._total = total
        self._next = float("inf") if quiet else time.monotonic() + QUIET_SECONDS
        self._progress: Progress | None = None

    def show(self, phase: str, pages: int, listed: int) -> None:
        """Draws the bar, unless it was drawn a moment ago.

        Counts listed pages against the total.
        """
        if time.monotonic() < self._next:
            return
        if not self._progress:
            # Imported here: rich costs some 60 ms, and runs under a second show no progress.
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            what, count = (
                TextColumn("{task.description:7}"),
                TextColumn("{task.fields[pages]:,} pages"),
            )
            console = Console(stderr=True)
            self._progress = Progress(
                what, BarColumn(), count, console=console, transient=True, auto_refresh=False
            )
            self._progress.add_task("", total=self._total() or None, pages=0)
        (task,) = self._progress.tasks
        total = None if task.total is None else max(task.total, listed)
        self._progress.update(
            task.id, description=phase, total=total, completed=listed, pages=pages
        )
        self._progress.start()  # once
        self._progress.refresh()
        self._next = time.monotonic() + _PAUSE

    def close(self) -> None:
        """Removes the bar."""
        if self._progress:
            self._progress.stop()
