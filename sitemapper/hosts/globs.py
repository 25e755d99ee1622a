"""Globs of minimatch, in which Firebase matches paths."""

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?<=/) \*\*/        # a whole segment `**` with its slash
    | \*+                 # other stars
    | [@?+!]\(            # the start of a group, and how often it may come
    | [?(){},|]           # other signs
    | \[ [^\]/]{1,200} \] # a class of characters
    | .                   # any other character
    """,
    re.DOTALL | re.VERBOSE,
)


class _Group(NamedTuple):
    """A group of a glob: the signs that separate and end it, and how often it may come."""

    separator: str
    end: str
    often: str = ""


_GROUPS = {
    "{": _Group(",", "}"),
    "@(": _Group("|", ")"),
    "?(": _Group("|", ")", "?"),
    "+(": _Group("|", ")", "+"),
}
_NO_GROUP = _Group("", "")


def glob_expression(glob: str) -> str:
    """The regular expression for a glob, as in minimatch: `/**/@(a|b)` → `/(?:.*/)?(?:a|b)`.

    Raises ValueError for `!(…)`.
    """
    regex = ""
    open_groups = [_NO_GROUP]
    for token in _TOKEN.findall(glob):
        innermost = open_groups[-1]
        if token == "!(":
            raise ValueError(f"{glob!r}: !(…) cannot be read")
        if token in _GROUPS:
            regex += "(?:"
            open_groups.append(_GROUPS[token])
        elif token == innermost.end:
            regex += ")" + innermost.often
            open_groups.pop()
        elif token == innermost.separator:
            regex += "|"
        else:
            regex += _expression_of(token, is_first=regex.endswith("/"))
    return regex


def _expression_of(token: str, *, is_first: bool) -> str:
    """The regular expression for a token that is no sign of a group: `*` → `[^/]*`.

    `is_first` tells whether it begins a segment.
    """
    if token == "**/":
        return "(?:.*/)?"
    if token == "**":
        return ".*"
    if token.startswith("*"):
        # minimatch: a star at the start of a segment matches no empty name, and no dot in front.
        return "[^/.][^/]*" if is_first else "[^/]*"
    if token == "?":
        return "[^/]"
    is_class = len(token) > 1
    return token if is_class else re.escape(token)
