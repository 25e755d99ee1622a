"""The terminal: results on stdout, talk on stderr, what is safe to show, and colours."""

import os
import sys
from collections.abc import Iterable, Iterator

PIPE = 13  # SIGPIPE, which Windows lacks
# The colours of lines by their first words, as in "Select Graphic Rendition" (ECMA-48).
_RED, _GREEN, _YELLOW, _CYAN = "31", "32", "33", "36"
_COLORS = {
    "error:": _RED,
    "warning:": _YELLOW,
    "note:": _CYAN,
    "help:": _CYAN,
    "required:": _RED,
    "lost:": _RED,
    "+": _GREEN,
    "~": _YELLOW,
    "-": _RED,
}


class Ended(BaseException):
    """A signal ends the run: SIGTERM, or SIGPIPE if the reader of the output is gone."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def emit(lines: Iterable[str], *, err: bool = False) -> None:
    """Prints lines to stdout, or to stderr with `err`. Raises Ended if nobody reads them.

    On a terminal, the first word has a colour.
    """
    stream = sys.stderr if err else sys.stdout
    # no-color.org asks only whether the variable is there. Editors run shells in a dumb terminal.
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
    for number, line in enumerate(help.splitlines()):
        yield f"        {shown(line)}" if number else f"  help: {shown(line)}"


def shown(text: str) -> str:
    """Makes a text that may come from a file name safe for a terminal, a list and a log of CI.

    Characters that cannot be printed are escaped as in Python: an ESC is `\\x1b`.
    """
    # GitHub's runner takes `##[error]` for a command.
    harmless = text.replace("##[", r"#\x23[")
    if harmless.isprintable():
        return harmless
    escaped = ""
    for char in harmless:
        escaped += char if char.isprintable() else char.encode("unicode_escape").decode()
    return escaped
