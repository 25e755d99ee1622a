"""The terminal: results on stdout, messages on stderr, colours, and the time of the run."""

import os
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Literal, TextIO

import typer

from ..errors import HELP
from .text import shown

# Parameters of "Select Graphic Rendition" (ECMA-48), with which terminals show text.
BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"
COLORS = {"error": RED, "warning": YELLOW, "note": CYAN}


def message_lines(
    kind: Literal["error", "warning", "note"], message: str, color: bool
) -> Iterator[str]:
    """Yields the lines of a message for stderr: `error: …`, and below it `  help: …`.

    The message of an error may list several problems, a line each. Each gets its own `error:`.
    """
    for line in message.splitlines():
        if line.startswith(HELP):
            yield f"  {paint('help:', CYAN, color)} {shown(line.removeprefix(HELP))}"
        else:
            yield f"{paint(f'{kind}:', COLORS[kind], color)} {shown(line)}"


def paint(text: str, code: str, color: bool) -> str:
    """Returns the text in a colour such as RED, or unchanged if `color` is false."""
    return f"\x1b[{code}m{text}\x1b[0m" if color else text


def emit(lines: Iterable[str], *, err: bool = False) -> None:
    """Prints lines to stdout, or to stderr with `err`."""
    for line in lines:
        # typer would take colours out of a pipe, but whoever painted the line has decided already.
        typer.echo(line, err=err, color=True)


def tell(kind: Literal["error", "warning", "note"], messages: Iterable[str]) -> None:
    """Prints messages with their help to stderr."""
    for message in messages:
        emit(message_lines(kind, message, use_color(sys.stderr)), err=True)


def use_color(stream: TextIO) -> bool:
    """Whether to use colours on a stream: only on a terminal, if the user has not refused them."""
    # no-color.org asks only whether the variable is there. Editors run shells in a dumb terminal.
    is_refused = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_refused


def now() -> datetime:
    """Returns the current time. Commands pass it down, because nothing below reads the clock."""
    return datetime.now(UTC)
