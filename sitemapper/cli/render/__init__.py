"""What several commands print, in the format that a user chose: a file a format, a function a result.

The result of a single command is printed by its own file.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

# The formats of each result. A file is loaded when its format is used.
TABLE = {
    # build, check: Run; the other formats show what `check` found
    "run": ("text", "json", "github"),
    # validate, verify, check --against: Findings
    "findings": ("text", "json", "github", "sarif", "junit", "markdown"),
}


def renderer(result: str, format: str) -> Callable[[Any, bool], Iterable[str]]:
    """The function that makes lines of a result, with or without colours."""
    function: Callable[[Any, bool], Iterable[str]] = getattr(import_module(f".{format}", __name__), result)
    return function
