"""Azure Static Web Apps: the first route of staticwebapp.config.json that matches decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ...model import Origin, Reason
from ..urls import UrlForms, encode_path
from . import files
from .files import HostEffect, HostRules, Matcher, Provider

CONFIG = "staticwebapp.config.json"
# Production shows b.html at `b` too; `swa`, its emulator, does not.
_FORMS = UrlForms(("a/", "a/index.html"), ("b.html",), canonical="b")
_CLOSED = (401, 403, 404, 410)


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    text = texts.get(CONFIG, "")
    config = files.read_table(CONFIG, text)
    at_all = {"headers": config.get("globalHeaders")}
    tags = [("/*", effect) for effect in _header_effects(at_all, text, '"globalHeaders"', now)]
    moves = []
    for rule in files.dicts(config.get("routes")):
        source, methods = str(rule.get("route")), rule.get("methods")
        if not isinstance(methods, list) or "GET" in methods:
            effects = list(_header_effects(rule, text, f'"{source}"', now))
            moves.append((source, _effect(rule, text) or next(filter(None, effects), None)))
            tags += ((source, effect) for effect in effects if effect is None)
    error = files.value_at(config, "responseOverrides.404.rewrite")
    tags += files.error_page(error, _origin(text, '"responseOverrides"', f"404 -> {error}"))
    moved, tagged = (files.table(rules, is_loose=False, read=_matcher) for rules in (moves, tags))
    return HostRules(moved, tagged, _FORMS)


def _origin(text: str, what: str, words: str) -> Origin:
    return Origin(CONFIG, text.count("\n", 0, max(text.find(what), 0)) + 1, words)


def _header_effects(rule: Mapping[str, Any], text: str, what: str, now: int) -> Iterator[HostEffect | None]:
    line = _origin(text, what, "").line or 1
    yield from files.header_effects(files.headers_of(rule, CONFIG, line), now, replaces=True)


def _effect(rule: Mapping[str, Any], text: str) -> HostEffect | None:
    """What a route does to a page, without its headers."""
    route, target, roles = str(rule.get("route")), rule.get("redirect"), rule.get("allowedRoles")
    if target:
        return HostEffect(Reason.REDIRECT, _origin(text, f'"{route}"', f"{route} -> {target}"), str(target))
    if rule.get("statusCode") in _CLOSED:
        return HostEffect(Reason.CLOSED, _origin(text, f'"{route}"', f"{route} {rule['statusCode']}"))
    if isinstance(roles, list) and roles and "anonymous" not in roles:
        return HostEffect(
            Reason.CLOSED, _origin(text, f'"{route}"', f"{route} for {', '.join(map(str, roles))}")
        )
    if isinstance(rule.get("rewrite"), str):
        shown = rule["rewrite"]
        return HostEffect(Reason.DUPLICATE, _origin(text, f'"{route}"', f"{route} -> {shown}"), shown)
    return None


def _matcher(route: str) -> tuple[str, Matcher | None]:
    """What finds the paths of a route. A star stands at the end, or before an ending: `/a/*.{png,gif}`."""
    start, star, ending = encode_path(route).partition("*")
    names = re.fullmatch(r"\.(?:(\w+)|%7B(\w+(?:,\w+)*)%7D)", ending)
    if ending and not names:
        raise ValueError(f"{route!r}: a star stands at the end or before an ending")
    found = f"{names[1] or names[2]}".split(",") if names else []
    endings = tuple(f".{name}" for name in found) or (("",) if star else ())
    return "", partial(_matches, start, endings)


def _matches(start: str, endings: tuple[str, ...], path: str) -> bool:
    """Whether a path, or that of the folder's page, is `start` or begins and ends so."""
    paths = [path] if "." in path else [path, path.removesuffix("/") + "/index.html"]
    return any(one.startswith(start) and one.endswith(endings) if endings else one == start for one in paths)


HOST = Provider(
    "azure",
    (CONFIG,),
    (),
    _read,
    forms={"": _FORMS},
    order="The first route that matches decides; its headers replace `globalHeaders`.",
    skips="routes for other methods than GET",
    otherwise="`a` and `b`, too, are shown; `swa` redirects `a` and answers 404 to `b`",
)
