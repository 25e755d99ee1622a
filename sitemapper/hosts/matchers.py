"""From the pattern of a host's rule to a function that matches paths.

A pattern stays text until a path begins like it. So a plan with thousands of rules is cheap to make
and to send to a worker.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from ..syntax.linear import linear_matcher
from ..syntax.urls import encode_path

# A star matches any text, a placeholder a part of one segment.
WILDCARD = r"(\*|:[A-Za-z]\w*)"

Matcher = Callable[[str], object]  # returns a true value for a path that matches


class PathPattern(NamedTuple):
    """The paths that a rule is for.

    All of them begin with `start`. `compile` makes their matcher, and can be pickled. It raises
    ValueError for an invalid expression. None for a plain path, which is `start` itself.
    """

    start: str
    compile: Callable[[], Matcher] | None = None


def wildcards(source: str) -> PathPattern:
    """The pattern of a source in which `*` and `:name` stand for other text."""
    pattern = encode_path(source)
    start = re.split(WILDCARD, pattern, maxsplit=1)[0]
    if start == pattern:
        return PathPattern(start)
    return PathPattern(start, partial(whole_matcher, expression(pattern)))


def whole_matcher(regex: str) -> Matcher:
    """A matcher for an expression of ours, which has to match the whole path."""
    return re.compile(regex).fullmatch


def checked(pattern: PathPattern) -> PathPattern:
    """The pattern. Raises ValueError if the engine rejects its expression."""
    if pattern.compile is not None:
        pattern.compile()
    return pattern


def matcher_without(exception: str, compile: Callable[[], Matcher] | None) -> Matcher:
    """A matcher for all paths but those that match the expression `exception`.

    With `compile`, which makes the matcher of a pattern, only for paths that also match this
    pattern. Raises ValueError for an invalid expression.
    """
    is_exception = linear_matcher(exception)
    if compile is None:
        return lambda path: not is_exception(path)
    is_in_pattern = compile()
    return lambda path: is_in_pattern(path) and not is_exception(path)


def expression(pattern: str, *, is_loose: bool = False) -> str:
    """The regular expression for a pattern: `*` matches any text, `:name` a part of one segment.

    `/a/*/b/*` → `/a/(?>.*?/b/).*`, and `/:x/c` → `/[^/]+?/c`. If it is loose, a final slash may be
    there or not.

    Each wildcard but the last star and the end of the path takes the shortest text without
    backtracking (`(?>…)`). A longer text would not match either, so the time stays linear.
    """
    # `re.split` gives literal texts and wildcards in turn, beginning and ending with a text.
    first_literal, *wildcards_and_literals = re.split(WILDCARD, pattern)
    wildcards = wildcards_and_literals[::2]
    literals = wildcards_and_literals[1::2]
    regex = re.escape(first_literal) + "".join(_wildcard_expressions(wildcards, literals))
    return regex.removesuffix("/") + "/?" if is_loose else regex


def _wildcard_expressions(wildcards: list[str], literals: list[str]) -> Iterator[str]:
    """The expression of each wildcard, with the literal text behind it."""
    stars = [number for number, wildcard in enumerate(wildcards) if wildcard == "*"]
    for number, wildcard in enumerate(wildcards):
        literal = re.escape(literals[number])
        if wildcard == "*":
            if number != stars[0]:
                yield ")"  # ends the group of the star before, with all that is between them
            yield f".*{literal}" if number == stars[-1] else f"(?>.*?{literal}"
        elif number == len(wildcards) - 1:
            yield f"[^/]+?{literal}"
        else:
            yield f"(?>[^/]+?{literal})"
