"""Azure Static Web Apps: the first route of staticwebapp.config.json that matches decides."""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ..model import Origin, Reason
from ..syntax.project_files import read_table
from ..syntax.urls import UrlForms, encode_path
from . import files
from .files import HostEffect, HostRules, Matcher, Provider

CONFIG = "staticwebapp.config.json"
# Production serves b.html at `b` too. Its emulator `swa` does not.
FORMS = {"": UrlForms(("a/", "a/index.html"), ("b.html",), canonical="b")}
_CLOSED = (401, 403, 404, 410)


def _read(texts: Mapping[str, str], _netloc: str, now: int) -> HostRules:
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)

    def line_of(key: str) -> int:
        return text.count("\n", 0, max(text.find(key), 0)) + 1

    def effects(headers: object, line: int) -> list[HostEffect | None]:
        return [*files.header_effects(files.headers_of(headers, CONFIG, line), now, replaces=True)]

    tags = [*product(["/*"], effects(config.get("globalHeaders"), line_of('"globalHeaders"')))]
    moves = []
    for route, line, rule in files.entries(config, text, "routes", ("route",)):
        methods = rule.get("methods")
        if not isinstance(methods, list) or "GET" in methods:
            own = effects(rule.get("headers"), line)
            moves.append((route, _effect(rule, route, line) or next(filter(None, own), None)))
            tags += ((route, effect) for effect in own if effect is None)
    error = files.value_at(config, "responseOverrides.404.rewrite")
    tags += files.error_page(
        error, Origin(CONFIG, line_of('"responseOverrides"'), f"404 -> {error}")
    )
    return files.compiled(moves, tags, FORMS[""], _matcher, _spellings)


def _effect(rule: Mapping[str, Any], route: str, line: int) -> HostEffect | None:
    """The effect of a route on a page, without its headers."""
    moved, shown, roles = rule.get("redirect"), rule.get("rewrite"), rule.get("allowedRoles")
    if moved:
        reason, words, target = Reason.REDIRECT, f"-> {moved}", str(moved)
    elif rule.get("statusCode") in _CLOSED:
        reason, words, target = Reason.CLOSED, str(rule["statusCode"]), ""
    elif isinstance(roles, list) and roles and "anonymous" not in roles:
        reason, words, target = Reason.CLOSED, f"for {', '.join(map(str, roles))}", ""
    elif isinstance(shown, str):
        reason, words, target = Reason.DUPLICATE, f"-> {shown}", shown
    else:
        return None
    return HostEffect(reason, Origin(CONFIG, line, f"{route} {words}"), target)


def _matcher(route: str) -> tuple[str, Matcher | None]:
    """A matcher for the paths of a route.

    A star may be at the end, or before an ending: `/a/*.{png,gif}`.
    """
    start, star, ending = encode_path(route).partition("*")
    names = re.fullmatch(r"\.(?:(\w+)|%7B(\w+(?:,\w+)*)%7D)", ending)
    if ending and not names:
        raise ValueError(f"{route!r}: a star stands at the end or before an ending")
    endings = rf".*\.(?:{(names[1] or names[2]).replace(',', '|')})" if names else ".*"
    return start, re.compile(re.escape(start) + endings).fullmatch if star else None


def _spellings(path: str) -> Sequence[str]:
    """The path, and the path of the folder for its page."""
    return (path,) if "." in path else (path, path.removesuffix("/") + "/index.html")


HOST = Provider("azure", (CONFIG,), (), _read)
