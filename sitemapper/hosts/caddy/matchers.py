"""Which requests a directive of a Caddyfile is for (caddyserver.com/docs/caddyfile/matchers)."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

from ..matchers import Matcher, linear_matcher
from ..nginx_text import Directive

Matchers = Mapping[str, Directive]  # the named ones, by their names with the `@`

# Directives without a matcher, and those whose only argument is none.
_WITHOUT = ("try_files", "import")
_LONE_ARGUMENT = ("root", "redir", "rewrite")


def token_of(directive: Directive) -> tuple[str, Sequence[str]]:
    """The matcher of a directive, "" if it is for all requests, and its other arguments."""
    arguments = directive.arguments
    first = arguments[0] if arguments else ""
    is_alone = len(arguments) == 1 and directive.name in _LONE_ARGUMENT
    if directive.name in _WITHOUT or is_alone or not first.startswith(("/", "*", "@")):
        return "", arguments
    token = "" if first == "*" else first
    return token, arguments[1:]


def matchers_of(directives: Sequence[Directive], outer: Matchers | None = None) -> Matchers:
    """The named matchers of a block, with those around it."""
    own = {one.name: one for one in directives if one.name.startswith("@")}
    return {**(outer or {}), **own}


def path_of_matcher(token: str, matchers: Matchers) -> str:
    """The path of a matcher with a single one, else "" ."""
    if not token.startswith("@"):
        return token
    if token not in matchers:
        return ""
    paths = [row[1:] for row in _rows(matchers[token]) if row[:1] == ("path",)]
    return paths[0][0] if len(paths) == 1 and len(paths[0]) == 1 else ""


def matched(token: str, matchers: Matchers, path: str, netloc: str) -> bool | None:
    """Whether a directive with a matcher is for a path, None if that is not known."""
    if not token:
        return True
    if not token.startswith("@"):
        return _is_path(path, [token])
    if token not in matchers:
        return None
    return _all([_holds(row, path, netloc) for row in _rows(matchers[token])])


def is_understood(token: str, matchers: Matchers) -> bool:
    """Whether it is known for each path if a matcher holds."""
    if token and not token.startswith("@"):
        return _is_path("/", [token]) is not None
    if token not in matchers:
        return not token
    return all(_holds(row, "/", "") is not None for row in _rows(matchers[token]))


def _rows(matcher: Directive) -> list[tuple[str, ...]]:
    """The conditions of a named matcher."""
    rows = [matcher.arguments] if matcher.arguments else []
    for one in matcher.block or []:
        has_block = one.block is not None
        rows.append(("",) if has_block else (one.name, *one.arguments))
    return rows


def _all(values: Sequence[bool | None]) -> bool | None:
    """Whether all of some three-valued values hold."""
    if False in values:
        return False
    return None if None in values else True


def _holds(row: tuple[str, ...], path: str, netloc: str) -> bool | None:
    """Whether a condition holds for a path, None if that is not known."""
    kind, *arguments = row
    if kind == "not" and arguments and arguments[0] != "not":
        value = _holds(tuple(arguments), path, netloc)
        return None if value is None else not value
    if kind == "path":
        return _is_path(path, arguments)
    if kind == "path_regexp" and arguments:
        matches = _regex_matcher(arguments[-1])
        return bool(matches(path)) if matches else None
    if kind == "method":
        return "GET" in arguments
    if kind == "host" and not any("*" in name or "{" in name for name in arguments):
        return netloc.partition(":")[0].lower() in [name.lower() for name in arguments]
    return None


def _is_path(path: str, patterns: Sequence[str]) -> bool | None:
    """Whether a path is one of some patterns, in which the case of letters does not count."""
    values = [_is_like(path.lower(), pattern.lower()) for pattern in patterns]
    if True in values:
        return True
    return None if None in values else False


def _is_like(path: str, pattern: str) -> bool | None:
    """Whether a path is like a pattern. A star at its start or end stands for any text."""
    if pattern == "*":
        return True
    middle = pattern.strip("*")
    if "%" in pattern or re.search(r"[*?\[\]\\{}]|//", middle):
        return None
    if pattern.startswith("*") and pattern.endswith("*"):
        return middle in path
    if pattern.startswith("*"):
        return path.endswith(middle)
    if pattern.endswith("*"):
        return path.startswith(middle)
    return path == pattern


@lru_cache(maxsize=256)
def _regex_matcher(pattern: str) -> Matcher | None:
    """A matcher for an expression, None if the engine refuses it."""
    with suppress(ValueError):
        return linear_matcher(pattern)
    return None
