"""A progress bar on a terminal, for runs of more than a second."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..observer import Observer

if TYPE_CHECKING:
    from rich.progress import Progress

QUIET_SECONDS = 1.0  # a run this short is over before anybody wonders
_PAUSE = 0.1  # seconds between two updates, which take some 2 ms each


class Bar:
    """Shows the phase of a run, the number of pages, and the progress if a total is known.

    Draws only when `show` is called. A thread would prevent the run from forking processes.
    """

    def __init__(self, total: Callable[[], int | None], *, quiet: bool) -> None:
        self._total = total
        # When to draw again, by the monotonic clock.
        self._next = float("inf") if quiet else time.monotonic() + QUIET_SECONDS
        self._progress: Progress | None = None

    def show(self, phase: str, pages: int) -> None:
        """Draws the bar with the phase and the number of pages, unless it was just drawn."""
        if time.monotonic() < self._next:
            return
        if not self._progress:
            self._progress = _bar(self._total())
        (task,) = self._progress.tasks  # the only one
        total = task.total
        if total is not None:
            total = max(total, pages)  # the site may have grown, and some pages are not listed
        self._progress.update(task.id, description=phase, total=total, completed=pages)
        self._progress.start()  # does nothing if it has started
        self._progress.refresh()
        self._next = time.monotonic() + _PAUSE

    def close(self) -> None:
        """Removes the bar."""
        if self._progress:
            self._progress.stop()


def _bar(total: int | None) -> "Progress":
    """A bar with one task."""
    # Imported here: rich costs some 60 ms, and runs under a second show no progress.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description:7}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} pages"),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )
    bar.add_task("", total=total or None)
    return bar


class RunProgress(Observer):
    """Shows the phase of a build or a check and its number of pages on a bar."""

    wants_changes = False

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._phase = ""
        self._pages = 0

    def phase(self, name: str) -> None:
        """Shows the current phase."""
        self._phase = name
        self._bar.show(name, self._pages)

    def walked(self, pages: int) -> None:
        """Counts pages."""
        self._pages += pages
        self.phase(self._phase)

    def close(self) -> None:
        """Removes the bar."""
        self._bar.close()
