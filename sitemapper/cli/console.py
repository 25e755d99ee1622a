"""The terminal: results on stdout, talk and progress on stderr, colours, and harmless texts."""

import os
import sys
import time
from collections.abc import Iterable, Iterator

from ..messages import Observer

PIPE = 13  # SIGPIPE, which Windows lacks
QUIET_SECONDS = 1.0  # a run this short is over before anybody wonders
# The colours of lines by their first words: red, yellow, cyan and green of ECMA-48.
_COLORS = {
    "error:": 31,
    "required:": 31,
    "lost:": 31,
    "-": 31,
    "warning:": 33,
    "~": 33,
    "note:": 36,
    "help:": 36,
    "+": 32,
}


class Ended(BaseException):
    """A signal ends the run: SIGTERM, or SIGPIPE if the reader of the output is gone."""

    def __init__(self, number: int) -> None:
        """`number` is that of the signal, such as 15 for SIGTERM."""
        super().__init__(number)
        self.number = number


def emit(lines: Iterable[str], *, err: bool = False) -> None:
    """Prints lines to stdout, or to stderr with `err`. Raises Ended if nobody reads them.

    On a terminal, the first word has a colour.
    """
    stream = sys.stderr if err else sys.stdout
    # NO_COLOR counts with any value (no-color.org). The terminal of an editor is often "dumb": it
    # would print the codes of colours.
    is_refused = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    has_colors = stream.isatty() and not is_refused
    try:
        for line in lines:
            word = line.strip().partition(" ")[0]
            if has_colors and word in _COLORS:
                line = line.replace(word, f"\x1b[{_COLORS[word]}m{word}\x1b[0m", 1)
            stream.write(f"{line}\n")
        stream.flush()
    except BrokenPipeError:
        raise Ended(PIPE) from None


def tell(kind: str, text: str, help: str = "") -> None:
    """Prints an error, a warning or a note to stderr, with its help below."""
    emit(message_lines(kind, text, help), err=True)


def message_lines(kind: str, text: str, help: str) -> Iterator[str]:
    """Yields `error: …` for each line of a text, and `  help: …` below."""
    for line in text.splitlines():
        yield f"{kind}: {shown(line)}"
    if help:
        yield f"  help: {shown(help)}"


def shown(text: str) -> str:
    """Makes a text that may come from a file name safe for a terminal, a list and a log of CI.

    Characters that cannot be printed are escaped as in Python: an ESC is `\\x1b`.
    """
    # GitHub's runner takes `##[error]` for a command, wherever it stands in the log.
    harmless = text.replace("##[", r"#\x23[")
    if harmless.isprintable():
        return harmless

    escaped = ""
    for char in harmless:
        escaped += char if char.isprintable() else char.encode("unicode_escape").decode()
    return escaped


class Bar(Observer):
    """Shows on a terminal how far a long run is: `reading 1,200 of 5,000 pages`.

    It is drawn only when the run reports something: a thread would prevent it from forking.
    """

    def __init__(self, *, is_quiet: bool) -> None:
        """Nothing is ever drawn if `is_quiet`, nor in a log of CI, which would keep each state."""
        self._is_wanted = sys.stderr.isatty() and not is_quiet
        self._start = time.monotonic() + QUIET_SECONDS  # when it is drawn for the first time
        self._step = ""
        self._total: int | None = None
        self._done = 0
        self._is_drawn = False

    def begins(self, step: str, total: int | None) -> None:
        """Shows the step."""
        self._step = step
        self._total = total
        self._done = 0
        self.advances(0)  # which draws the line

    def advances(self, pages: int) -> None:
        """Shows how many pages are done."""
        self._done += pages
        if not self._is_wanted or time.monotonic() < self._start:
            return
        text = self._step
        if self._total is not None:
            text += f" {self._done:,} of {self._total:,} pages"
        self._draw(text)
        self._is_drawn = True

    def close(self) -> None:
        """Removes the line from the terminal, if it was drawn."""
        if self._is_drawn:
            self._draw("")

    def _draw(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")  # to the line's beginning, and erase it
        sys.stderr.flush()
