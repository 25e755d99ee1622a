"""Text for the terminal: values in words, results on stdout, messages on stderr.

Also the time of the run.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Literal, TextIO

import typer

from ..errors import HELP, with_help

if TYPE_CHECKING:
    from ..model import Summary, WarningKind

FEW = 20  # URLs of one kind of change, and findings of one rule in one file, that are shown
KINDS = {"error": "31", "warning": "33", "note": "36"}


def shown(text: str) -> str:
    """Text that may come from a file name, made safe for a terminal and a workflow log."""
    # GitHub's runner reads `##[error]` and the like as commands.
    harmless = text.replace("##[", r"#\x23[")
    if harmless.isprintable():
        return harmless
    return "".join(char if char.isprintable() else _escaped(char) for char in harmless)


def _escaped(char: str) -> str:
    """`\\x1b` for a control character, `\\u2028` for one above 255."""
    code = ord(char)
    is_byte = "\udc80" <= char <= "\udcff"  # a byte that is not UTF-8 (PEP 383, surrogateescape)
    if is_byte:
        code -= 0xDC00
    if code < 256:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}"


def warning_text(kind: "WarningKind", count: int, examples: Sequence[str]) -> str:
    """A warning with its first examples, and its help on a line of its own."""
    # Imported here: help needs no model.
    from ..model import WarningKind

    message = f"{kind.value}: {'; '.join(map(shown, examples))}"
    others = count - len(examples)
    if kind is WarningKind.OTHER_ORIGIN and others > 0:
        # Each of its examples is a site that several canonicals name.
        message = f"{count:,} {message}"
    elif others > 0:
        message = f"{message}; and {others:,} more"
    return with_help(message, kind.help)


def message_lines(
    kind: Literal["error", "warning", "note"], message: str, color: bool
) -> Iterator[str]:
    """A message for stderr, with its help below it. Errors may have several lines."""
    for line in message.splitlines():
        if line.startswith(HELP):
            yield f"  {paint('help:', '36', color)} {shown(line.removeprefix(HELP))}"
        else:
            yield f"{paint(f'{kind}:', KINDS[kind], color)} {shown(line)}"


def paint(text: str, code: str, color: bool) -> str:
    """The text, in a colour if `color` is true."""
    return f"\x1b[{code}m{text}\x1b[0m" if color else text


def amounts(counts: Iterable[tuple[Enum | str, int]]) -> str:
    """`2 added, 1 removed`, without zeros."""
    texts = []
    for kind, count in counts:
        if count:
            name = kind.value if isinstance(kind, Enum) else kind
            texts.append(f"{count:,} {name}")
    return ", ".join(texts)


def listed_and_excluded(summary: "Summary") -> str:
    """`12 pages listed, 5 excluded`."""
    listed = f"{plural(summary.listed, 'page')} listed"
    excluded = sum(summary.excluded.values())
    return f"{listed}, {excluded:,} excluded" if excluded else listed


def plural(count: int, noun: str) -> str:
    """`1 page`, `2 pages`, `2 entries`."""
    if count == 1:
        return f"{count:,} {noun}"
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {many}"


def emit(lines: Iterable[str], *, err: bool = False) -> None:
    """Prints results, or messages to stderr."""
    for line in lines:
        typer.echo(line, err=err, color=True)


def tell(kind: Literal["error", "warning", "note"], messages: Iterable[str], color: str) -> None:
    """Prints messages with their help to stderr."""
    for message in messages:
        emit(message_lines(kind, message, use_color(color, sys.stderr)), err=True)


def use_color(choice: str, stream: TextIO) -> bool:
    """Whether to use colours on a stream."""
    if choice != "auto":
        return choice == "always"
    is_refused = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_refused


def now() -> datetime:
    """The time of the run."""
    return datetime.now(UTC)
