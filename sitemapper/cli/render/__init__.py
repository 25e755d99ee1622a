"""The output that several commands share: a file for each format, a function for each result.

The file of a command prints a result that only this command has.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any


def renderer(result: str, format: str) -> Callable[[Any, bool], Iterable[str]]:
    """Imports the function that turns a result into lines, with or without colours.

    `renderer("run", "json")` → the function `run` in json.py. A file is loaded when its format is
    used.
    """
    function: Callable[[Any, bool], Iterable[str]] = getattr(
        import_module(f".{format}", __name__), result
    )
    return function
