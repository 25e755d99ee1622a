"""What several commands print, in the format that a user chose: a file a format, a function a result.

The result of a single command is printed by its own file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple


class View(NamedTuple):
    """How a result is shown, which command shows it, and the base URL that a text may leave out."""

    command: str
    color: bool = False
    verbose: bool = False
    quiet: bool = False
    strict: bool = False
    base: str = ""


# The formats of each result. A file is loaded when its format is used.
TABLE = {
    # build, check: RunResult; the other formats show what `check` found
    "run": ("text", "json", "github"),
    # validate, verify, check --against: Findings
    "findings": ("text", "json", "github", "sarif", "junit", "markdown"),
}


def renderer(result: str, format: str) -> Callable[[Any, View], Iterable[str]]:
    """The function that makes lines of a result."""
    assert format in TABLE[result]
    function: Callable[[Any, View], Iterable[str]] = getattr(import_module(f".{format}", __name__), result)
    return function
