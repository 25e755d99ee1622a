"""Where the redirect of a rule leads from a path: its target with the names of the source filled
in.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote

from ..syntax.urls import without_scheme

# Patterns are compiled when they are used.
# What stands for other text in a source: `:name`, `:name*`, `:name(a|b)`, `(.*)`, `*` and `**`.
_WILDCARD = r":[A-Za-z_]\w*(?:\([^()]*\))?[*+?]?|\([^()]*\)|\*+"
# And in a target: `:name`, `:splat` and `$1`.
_NAME = r":[A-Za-z_]\w*[*+?]?|\$\d"
_EXPRESSION = frozenset("()[]{}|^$\\?+*")  # other characters of a pattern stand for themselves
# A source for all paths: `/*`, `/:path*`, `/(.*)`, `**`, `^/.*$`; a lone `^` in an expression.
_ALL_PATHS = (
    r"/?(?:\*\*?|\(\.\*\)|\.\*|:[A-Za-z_]\w*(?:\*|\(\.\*\)))|(?:regex:)?\^(?:/?\(?\.\*\)?\$?)?"
)


class Move(NamedTuple):
    """A redirect, or a rule that shows another page, as its file says it.

    `:name` and `$1` in the target stand for text of the source, unless it `is_literal`.
    """

    source: str
    target: str
    is_literal: bool = False

    @property
    def is_of_all_paths(self) -> bool:
        """Whether the source is a catch-all, such as `/*`, `/:path*` or `^(.*)$`."""
        return re.fullmatch(_ALL_PATHS, self.source) is not None

    def may_lead(self, path: str, other: str, base: str) -> bool:
        """Whether the rule leads from a URL path to another one.

        True as well if that depends on what a pattern captures that cannot be read here. `base` is
        the base URL of the paths.
        """
        target = _path_of(self.target, base)
        wanted = unquote(other)
        literals = [unquote(literal) for literal in self._literals(target)]
        if len(literals) == 1:
            return literals[0] == wanted
        captured = self._captured(path)
        if captured is not None and len(literals) == 2:
            return captured.join(literals) == wanted
        first, last = literals[0], literals[-1]
        is_long_enough = len(wanted) >= len(first) + len(last)
        return is_long_enough and wanted.startswith(first) and wanted.endswith(last)

    def target_at(self, path: str) -> str | None:
        """The target for a URL path: for `/a/*` and `/b/:splat`, `/b/c` at `/a/c`.

        None if it depends on what a pattern captures that cannot be read here.
        """
        literals = self._literals(self.target)
        if len(literals) == 1:
            return self.target
        captured = self._captured(path)
        if captured is None or len(literals) != 2:
            return None
        return captured.join(literals)

    def _literals(self, target: str) -> list[str]:
        """The texts of a target around its names."""
        return [target] if self.is_literal else re.split(_NAME, target)

    def _captured(self, path: str) -> str | None:
        """The text for which the only wildcard of the source stands. None if there is no such."""
        literals = re.split(_WILDCARD, _without_anchors(self.source))
        if len(literals) != 2:
            return None
        first, last = literals
        if _EXPRESSION.intersection(first + last):
            return None
        text = unquote(path)
        has_both = text.startswith(first) and text.endswith(last)
        if not has_both or len(text) < len(first) + len(last):
            return None
        return text[len(first) : len(text) - len(last)]


def _without_anchors(source: str) -> str:
    """A source without the marks of an expression that matches a whole path: `^/a/(.*)$`."""
    expression = source.removeprefix("regex:")
    is_whole = expression.startswith("^") and expression.endswith(("$", "(.*)"))
    if not is_whole:
        return source
    return expression.removeprefix("^").removesuffix("$")


def _path_of(target: str, base: str) -> str:
    """The path of a target as seen from the base URL, without query and fragment.

    A URL on another host stays a URL.
    """
    path = re.split(r"[?#]", target, maxsplit=1)[0]
    after_scheme = without_scheme(path)
    base_after_scheme = without_scheme(base)
    if after_scheme and f"{after_scheme}/".startswith(base_after_scheme):
        return after_scheme[len(base_after_scheme) - 1 :] or "/"
    return path
