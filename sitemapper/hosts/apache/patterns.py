"""The regular expressions of `.htaccess`: whether a text matches, and the groups of the match.

The linear engine decides whether a text matches. It has no groups, so those come from `re`, only
where this takes little time.
"""

import re
from collections.abc import Sequence
from functools import cached_property

# The parser of `re` has no public name. It is the only way to see what a pattern repeats.
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from ..matchers import linear_matcher

_LONGEST_TEXT = 2_047  # characters in which `re` looks for groups
_STEPS = 100_000_000  # that `re` may need for one text, at worst
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
# An exception behind the start of a text, or behind plain text there.
_EXCEPTION = re.compile(r"\^(?:[\w/~%-]|\\[./-])*+\(\?!")
_WILDCARD = re.compile(
    r"""
      \[ (?P<negation> [!^]? ) (?P<members> \]? [^\]]*+ ) \]
    | (?P<text> \[.*+ | [^\[] )  # a bracket without an end takes all, so the time stays linear
    """,
    re.VERBOSE | re.DOTALL,
)


class Pattern:
    """A regular expression that matches anywhere in a text. Raises ValueError for what the linear
    engine does not support, except for `(?!…)` behind plain text at the start.
    """

    def __init__(self, text: str, *, ignores_case: bool = False) -> None:
        prefix = "(?i)" if ignores_case else ""
        self._text = prefix + text
        exception, rest = _split_exception(text)
        self._matches = linear_matcher(prefix + rest)
        self._is_exception = linear_matcher(prefix + exception) if exception else None

    def matches(self, text: str) -> bool:
        """Whether the expression matches anywhere in a text."""
        if self._is_exception is not None and self._is_exception(text):
            return False
        return bool(self._matches(text))

    @cached_property
    def _repetitions(self) -> int:
        """The number of repetitions. Raises ValueError for one inside another."""
        return _count_repetitions(_parser.parse(self._text), is_inside=False)

    def groups(self, text: str) -> Sequence[str] | None:
        """The match and its groups in a text that matches. None if finding them may take long."""
        if len(text) > _LONGEST_TEXT:
            return None
        try:
            if len(text) ** self._repetitions > _STEPS:
                return None
            found = re.search(self._text, text, re.ASCII)
        except (ValueError, re.error, RecursionError, OverflowError):
            return None
        if found is None:
            return None
        return [found[0], *(group or "" for group in found.groups())]


def _split_exception(text: str) -> tuple[str, str]:
    """The exception and the rest of an expression: `^(?!a)b` → `^a` and `^b`.

    The exception is "" if there is none at the start.
    """
    start = _EXCEPTION.match(text)
    if start is None:
        return "", text
    anchor = start[0].removesuffix("(?!")
    depth = 1
    position = start.end()
    while position < len(text) and depth:
        character = text[position]
        if character == "\\":
            position += 1
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        position += 1
    if depth or "|" in text[position:]:  # an alternative would not be behind the exception
        return "", text
    return f"{anchor}(?:{text[start.end() : position - 1]})", anchor + text[position:]


def _count_repetitions(parsed: Any, *, is_inside: bool) -> int:
    """The number of repetitions. Raises ValueError for one inside another."""
    count = 0
    for operation, argument in parsed:
        is_repeated = operation in _REPEATS and argument[1] > 1
        if is_repeated and is_inside:
            raise ValueError("a repetition inside a repetition")
        count += is_repeated
        for part in _parts(argument):
            count += _count_repetitions(part, is_inside=is_inside or is_repeated)
    return count


def _parts(argument: Any) -> list[Any]:
    """The parsed expressions in an argument of an operation, which may be in lists."""
    if isinstance(argument, _parser.SubPattern):
        return [argument]
    if isinstance(argument, (list, tuple)):
        return [part for item in argument for part in _parts(item)]
    return []


def wildcard_expression(text: str) -> str:
    """The expression for the names that a text with `*`, `?` and `[a-z]` matches."""
    return rf"(?s)\A{_WILDCARD.sub(_part_of_expression, text)}\z"


def _part_of_expression(part: re.Match[str]) -> str:
    members = part["members"]
    if members is not None:
        negation = "^" if part["negation"] else ""
        escaped = re.sub(r"([\[\]\\&~^])", r"\\\1", members)
        return f"[{negation}{escaped}]"
    wildcards = {"*": ".*", "?": "."}
    return wildcards.get(part["text"], re.escape(part["text"]))
