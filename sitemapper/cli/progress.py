"""Progress on a terminal, for runs of more than a second."""

import sys
import time

from ..observer import Observer

QUIET_SECONDS = 1.0  # a run this short is over before anybody wonders
_PAUSE_SECONDS = 0.1


class Bar(Observer):
    """Shows the step of a run and how far it is: `reading 1,200 of 5,000 pages`.

    It is drawn only when the run reports something: a thread would prevent it from forking.
    """

    def __init__(self, *, is_quiet: bool) -> None:
        self._step = ""
        self._total: int | None = None
        self._done = 0
        self._is_drawn = False
        self._next_draw = time.monotonic() + QUIET_SECONDS
        # A log of CI would keep each state.
        if is_quiet or not sys.stderr.isatty():
            self._next_draw = float("inf")

    def begins(self, step: str, total: int | None) -> None:
        """Shows the step."""
        self._step, self._total, self._done = step, total, 0
        if self._is_drawn:
            self._next_draw = 0.0
        self.advances(0)

    def advances(self, pages: int) -> None:
        """Shows how many pages are done, at most every 0.1 seconds."""
        self._done += pages
        now = time.monotonic()
        if now < self._next_draw:
            return
        text = self._step
        if self._total is not None:
            text = f"{self._step} {self._done:,} of {self._total:,} pages"
        self._draw(text)
        self._is_drawn = True
        self._next_draw = now + _PAUSE_SECONDS

    def close(self) -> None:
        """Removes the line from the terminal, if it was drawn."""
        if self._is_drawn:
            self._draw("")

    def _draw(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")  # to the line's beginning, and erase it
        sys.stderr.flush()
