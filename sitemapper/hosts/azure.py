"""Azure Static Web Apps: the first route of staticwebapp.config.json that matches decides.

The rules are those of learn.microsoft.com/azure/static-web-apps/configuration.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..model import Origin, Reason
from ..syntax.settings_files import read_table
from ..syntax.urls import UrlForms, encode_path
from .headers import header_effects, read_headers
from .host import HostEffect, HostRules, Unknown
from .matchers import PathPattern, whole_matcher
from .moves import Move
from .reader import Manual, Reader
from .rules import Rule, error_page, make_rules
from .tables import entries, text_at

CONFIG = "staticwebapp.config.json"
# Production serves b.html at `b` too. Its emulator `swa` does not.
FORMS = {"": UrlForms(("a/", "a/index.html"), ("b.html",), canonical="b")}
_CLOSED = (401, 403, 404, 410)
# What may be behind a star: `.png` or `.{png,gif}`, with encoded braces.
_ENDING = re.compile(r"\.(?:(?P<one>\w+)|%7B(?P<several>\w+(?:,\w+)*)%7D)")


class _Route(NamedTuple):
    """A route: its own effect on a page, and the effects of its headers."""

    pattern: str
    effect: HostEffect | None
    tags: list[HostEffect | None]


def _read(texts: Mapping[str, str], _base_url: str, now: int) -> HostRules:
    """The rules of staticwebapp.config.json. The routes move pages, and all headers tag them."""
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)
    routes = list(_routes(config, text, now))
    moves = [(route.pattern, _first(route.effect, *route.tags)) for route in routes]
    tags = _header_rules(config, text, now)
    # A route's header cancels what the global headers say, even if another route decides.
    tags += [(route.pattern, None) for route in routes for tag in route.tags if tag is None]
    tags += _error_page(config, text)
    skipped = _unknown_rules(config, text)
    return make_rules(
        moves, tags, FORMS[""], read=_read_pattern, spellings=_spellings, skipped=skipped
    )


def _unknown_rules(config: Mapping[str, Any], text: str) -> Iterator[Unknown]:
    """The rule that lets only some addresses in, if there is one."""
    networking = config.get("networking")
    if isinstance(networking, Mapping) and networking.get("allowedIpRanges"):
        line = _line_of('"allowedIpRanges"', text)
        yield Unknown(Origin(CONFIG, line, "allowedIpRanges"), "depends on the visitor's address")


def _first(*effects: HostEffect | None) -> HostEffect | None:
    """The first effect that is not None, None if all are."""
    for effect in effects:
        if effect is not None:
            return effect
    return None


def _routes(config: Mapping[str, Any], text: str, now: int) -> Iterator[_Route]:
    """The routes of GET requests."""
    for pattern, line, rule in entries(config, text, "routes", ("route",)):
        methods = rule.get("methods")
        if isinstance(methods, list) and "GET" not in methods:
            continue
        tags = list(_tags(rule.get("headers"), line, now))
        yield _Route(pattern, _route_effect(rule, pattern, line), tags)


def _tags(headers: object, line: int, now: int) -> Iterator[HostEffect | None]:
    """The effects of the headers in a table of the file."""
    return header_effects(read_headers(headers, CONFIG, line), now, replaces=True)


def _header_rules(config: Mapping[str, Any], text: str, now: int) -> list[Rule]:
    """The effects of the headers for all paths."""
    line = _line_of('"globalHeaders"', text)
    return [("/*", effect) for effect in _tags(config.get("globalHeaders"), line, now)]


def _error_page(config: Mapping[str, Any], text: str) -> list[Rule]:
    """The rules for the page that the file names for missing pages."""
    target = text_at(config, "responseOverrides.404.rewrite")
    line = _line_of('"responseOverrides"', text)
    return error_page(target, Origin(CONFIG, line, f"404 -> {target}"))


def _line_of(key: str, text: str) -> int:
    """The line of a quoted key; 1 if it is not found."""
    return text.count("\n", 0, max(text.find(key), 0)) + 1


def _route_effect(rule: Mapping[str, Any], route: str, line: int) -> HostEffect | None:
    """The effect of a route on a page, without its headers."""

    def effect(reason: Reason, words: str, target: str = "") -> HostEffect:
        return HostEffect(reason, Origin(CONFIG, line, f"{route} {words}"), target)

    redirect = rule.get("redirect")
    rewrite = rule.get("rewrite")
    roles = rule.get("allowedRoles")
    if redirect:
        target = str(redirect)
        moved = effect(Reason.REDIRECT, f"-> {target}", target)
        return moved._replace(move=Move(route, target))
    if rule.get("statusCode") in _CLOSED:
        return effect(Reason.CLOSED, str(rule["statusCode"]))
    # Everybody has the role `anonymous`.
    if isinstance(roles, list) and roles and "anonymous" not in roles:
        return effect(Reason.CLOSED, f"for {', '.join(map(str, roles))}")
    if isinstance(rewrite, str):
        return effect(Reason.DUPLICATE, f"-> {rewrite}", rewrite)
    return None


def _read_pattern(route: str) -> PathPattern:
    """The paths of a route.

    A star may be at the end, or before an ending: `/a/*.{png,gif}`. Raises ValueError for others.
    """
    start, star, ending = encode_path(route).partition("*")
    if not star:
        return PathPattern(start)
    regex = re.escape(start) + ".*"
    if ending:
        names = _ENDING.fullmatch(ending)
        if names is None:
            raise ValueError(f"{route!r}: a star stands at the end or before an ending")
        endings = (names["one"] or names["several"]).replace(",", "|")
        regex += rf"\.(?:{endings})"
    return PathPattern(start, partial(whole_matcher, regex))


def _spellings(path: str) -> Sequence[str]:
    """The paths that a route may name for a page: `/a/` → `/a/` and `/a/index.html`."""
    if "." in path:
        return (path,)
    return (path, path.removesuffix("/") + "/index.html")


READER = Reader(
    read=_read,
    forms=FORMS,
    manual=Manual(
        meaning="`staticwebapp.config.json`",
        order="The first matching route decides, and its headers replace `globalHeaders`.",
        production="`a` and `b` are served too; the emulator `swa` redirects `a` "
        "and answers 404 for `b`",
    ),
)
