"""The order in which Caddy runs directives (caddyserver.com/docs/caddyfile/directives)."""

from collections.abc import Sequence
from typing import NamedTuple

from ..nginx_text import Directive
from .matchers import Matchers, matchers_of, path_of_matcher, token_of

# Without those that do nothing for pages.
_ORDER = (
    *("root", "header", "redir", "method", "rewrite", "uri", "try_files", "basic_auth"),
    *("forward_auth", "intercept", "invoke", "handle", "route", "abort", "error", "respond"),
    *("reverse_proxy", "php_fastcgi", "file_server"),
)
_SAME = {"basicauth": "basic_auth", "handle_path": "handle"}


def kind_of(directive: Directive) -> str:
    """The name of a directive, the same for those that do the same."""
    return _SAME.get(directive.name, directive.name)


def runs(directive: Directive) -> bool:
    """Whether a directive may do something for a page."""
    return kind_of(directive) in _ORDER


class _Key(NamedTuple):
    """What decides about the place of a directive: its name's rank, and its matcher."""

    rank: int
    path: str
    has_matcher: bool

    def is_before(self, other: "_Key") -> bool:
        """Whether Caddy runs a directive before another one that stands before it.

        Of two with the same name, the one with the longer path is first, or else the one with a
        matcher.
        """
        if self.rank != other.rank:
            return self.rank < other.rank
        if self.path and other.path:
            if self.path.removesuffix("*") == other.path.removesuffix("*"):
                return len(self.path) < len(other.path)
            return len(self.path) > len(other.path)
        return self.has_matcher and not other.has_matcher


def in_order(directives: Sequence[Directive], outer: Matchers) -> list[Directive]:
    """The directives of a block, and of the blocks in it, in the order in which Caddy runs them.

    As in Caddy, this is an insertion sort, because the rule is no total order.
    """
    matchers = matchers_of(directives, outer)
    keys: list[_Key] = []
    result: list[Directive] = []
    for directive in directives:
        token, _ = token_of(directive)
        key = _Key(_rank(directive), path_of_matcher(token, matchers), bool(token))
        place = len(result)
        while place and key.is_before(keys[place - 1]):
            place -= 1
        if directive.block and directive.name in ("handle", "handle_path"):
            directive = directive._replace(block=in_order(directive.block, matchers))
        elif directive.block and directive.name == "route":
            block = [in_order([one], matchers)[0] for one in directive.block]
            directive = directive._replace(block=block)
        keys.insert(place, key)
        result.insert(place, directive)
    return result


def _rank(directive: Directive) -> int:
    """The place of a directive in the order. What has none is not run for pages."""
    if not runs(directive):
        return -1
    return _ORDER.index(kind_of(directive))
