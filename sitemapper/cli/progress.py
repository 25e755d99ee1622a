"""A progress bar on a terminal, for runs of more than a second."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

QUIET_SECONDS = 1.0  # a run this short is over before anybody wonders
_PAUSE_SECONDS = 0.1  # between two updates, which take some 2 ms each


class Bar:
    """Shows the phase of a run, the number of pages, and the progress if a total is known.

    `reading ━━━━━━━━━━ 1,200 pages`

    A build or a check calls `phase` and `walked`, and `verify` calls `show`. The bar is drawn only
    then: a thread would prevent the run from forking processes.
    """

    def __init__(self, count_total: Callable[[], int | None], *, quiet: bool) -> None:
        """Prepares the bar, which appears after a second, or never if `quiet`.

        `count_total` returns the expected number of pages, or None if it is not known. It is
        called only if the bar appears, because counting takes time.
        """
        self._count_total = count_total
        self._phase = ""
        self._pages = 0  # done so far
        self._progress: Progress | None = None  # made by the first `show` that draws
        # The time of the monotonic clock before which `show` draws nothing.
        if quiet:
            self._next_draw = float("inf")  # a time that never comes
        else:
            self._next_draw = time.monotonic() + QUIET_SECONDS

    def phase(self, name: str) -> None:
        """Shows the current phase."""
        self.show(name, self._pages)

    def walked(self, pages: int) -> None:
        """Adds to the number of pages, and shows it."""
        self.show(self._phase, self._pages + pages)

    def show(self, phase: str, pages: int) -> None:
        """Draws the bar with the phase and the number of pages done.

        Draws nothing in the first second, because a short run needs no bar. After that, it draws at
        most every 0.1 seconds, because drawing takes some 2 ms.
        """
        self._phase = phase
        self._pages = pages
        if time.monotonic() < self._next_draw:
            return
        if not self._progress:
            self._progress = _make_bar(self._count_total())
        (task,) = self._progress.tasks  # the only one
        total = task.total
        if total is not None:
            total = max(total, pages)  # the site may have grown, and some pages are not listed
        self._progress.update(task.id, description=phase, total=total, completed=pages)
        self._progress.start()  # does nothing if it has started
        self._progress.refresh()
        self._next_draw = time.monotonic() + _PAUSE_SECONDS

    def close(self) -> None:
        """Removes the bar from the terminal, if it was drawn."""
        if self._progress:
            self._progress.stop()


def _make_bar(total: int | None) -> "Progress":
    """Makes a bar of rich with one task: the phase, the bar, and `1,200 pages`.

    Without a total, the bar moves to and fro instead of growing.
    """
    # Imported here: rich costs some 60 ms, and runs under a second show no progress.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description:7}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} pages"),
        console=Console(stderr=True),
        transient=True,  # `stop` removes it
        auto_refresh=False,  # else rich starts a thread
    )
    bar.add_task("", total=total or None)  # with a total of 0, there is nothing to fill either
    return bar
