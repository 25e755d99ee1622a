"""Writes down each expression that the package compiles, and each method by which it is used.

A copy of this file, named sitecustomize.py and in PYTHONPATH, watches a process and those that it
starts. It imports nothing of ours. `RECORDED_EXPRESSIONS` names the folder for what is seen.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

FOLDER = "RECORDED_EXPRESSIONS"  # not SITEMAPPER_…, which tests unset
METHODS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
_PACKAGE = f"{os.sep}sitemapper{os.sep}"


class Seen(NamedTuple):
    """An expression, how it was used, and the line of the package that compiled it."""

    expression: str
    is_bytes: bool
    flags: int
    method: str
    place: str


_written: set[Seen] = set()


def _note(pattern: re.Pattern[Any], method: str, place: str) -> None:
    """Writes a use to the file of this process when it is new: a killed worker ends without a word."""
    is_bytes = isinstance(pattern.pattern, bytes)
    expression = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    seen = Seen(expression, is_bytes, pattern.flags, method, place)
    if seen not in _written:
        _written.add(seen)
        with open(os.path.join(os.environ[FOLDER], f"{os.getpid()}.jsonl"), "a") as file:
            file.write(json.dumps(seen) + "\n")


class _Recorded:
    """A compiled expression that notes which of its methods are taken."""

    def __init__(self, pattern: re.Pattern[Any], place: str) -> None:
        self._pattern, self._place = pattern, place

    def __getattr__(self, name: str) -> Any:
        if name in METHODS:
            _note(self._pattern, name, self._place)
        return getattr(self._pattern, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return re.compile, (self._pattern.pattern, self._pattern.flags)


def _place() -> str:
    """The line of the package that has called `re`, "" if it is not ours."""
    caller = sys._getframe(2)
    file = caller.f_code.co_filename
    if _PACKAGE not in file or "site-packages" in file or f"{os.sep}tests{os.sep}" in file:
        return ""
    return f"{file.rpartition(_PACKAGE)[2]}:{caller.f_lineno}"


def watch() -> None:
    """Replaces the functions of `re`. For callers outside of the package they stay what they are."""
    compile_plainly = re.compile

    def compile(pattern: Any, flags: Any = 0) -> Any:
        compiled = compile_plainly(pattern, flags)
        place = _place()
        return _Recorded(compiled, place) if place else compiled

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def use(pattern: Any, *args: Any, **named: Any) -> Any:
            place = _place()
            if place and not isinstance(pattern, _Recorded):
                _note(compile_plainly(pattern, named.get("flags", 0)), name, place)
            return function(pattern, *args, **named)

        return use

    re.compile = compile  # type: ignore[assignment]
    for name in METHODS:
        setattr(re, name, watched(name, getattr(re, name)))


if os.environ.get(FOLDER) and __name__ == "sitecustomize":
    watch()
