"""Results to stdout, messages to stderr, and the clock."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal, TextIO

import typer

from .words import message_lines


def emit(lines: Iterable[str]) -> None:
    """Prints results."""
    for line in lines:
        typer.echo(line, color=True)
    sys.stdout.flush()


def echo_err(lines: Iterable[str]) -> None:
    """Prints lines to stderr."""
    for line in lines:
        typer.echo(line, err=True, color=True)


def tell(kind: Literal["error", "warning", "note"], messages: Iterable[str], color: str) -> None:
    """Prints messages with their help to stderr."""
    for message in messages:
        echo_err(message_lines(kind, message, use_color(color, sys.stderr)))


def use_color(choice: str, stream: TextIO) -> bool:
    """Whether a stream is to have colours."""
    if choice == "auto":
        return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return choice == "always"


def now() -> datetime:
    """The time of the run."""
    return datetime.now(UTC)
