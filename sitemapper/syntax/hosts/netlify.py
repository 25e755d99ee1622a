"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from ...model import Origin, Reason
from ..robots_directives import header_forbids
from .files import (
    HEADERS,
    REDIRECTS,
    HostEffect,
    Hosting,
    HostRules,
    Provider,
    dicts,
    folder_at,
    header_blocks,
    read_table,
    redirect_lines,
    table,
)

CONFIG = "netlify.toml"
_MOVED = (301, 302, 303, 307, 308, 404, 410)
_CONDITIONS = ("conditions", "query", "params", "parameters")


def _read(texts: Mapping[str, str], netloc: str, now: int) -> HostRules:
    """The rules of the two files, and behind them those of netlify.toml."""
    text = texts.get(CONFIG, "")
    config = read_table(CONFIG, text)
    moves = chain(_redirects(texts.get(REDIRECTS, "")), _config_redirects(config, text))
    tags = dict(chain(_headers(texts.get(HEADERS, ""), now), _config_headers(config, text, now)))
    own_moves = ((path, effect) for source, effect in moves if (path := _own_path(source, netloc)))
    own_tags = ((_own_path(pattern, ""), effect) for pattern, effect in tags.items() if effect)
    return HostRules(table(own_moves, is_loose=True), table(own_tags, is_loose=True))


def _own_path(source: str, netloc: str) -> str:
    """The path of a pattern, whose repeated slashes are one; "" for a URL of another host."""
    scheme, separator, rest = source.partition("://")
    host, _, path = rest.partition("/")
    is_own = separator and scheme in ("http", "https") and host.lower() == netloc
    source = f"/{path}" if is_own else source
    return re.sub("//+", "/", source) if source.startswith("/") else ""


def _redirects(text: str) -> Iterator[tuple[str, HostEffect | None]]:
    """Sources and effects of the lines without a condition: `from to [status[!]]`."""
    for effect, (source, target, *rest) in redirect_lines(text):
        status, *conditions = rest or ("301",)
        code = re.match(r"\d+", status)
        if target.startswith(("/", "http://", "https://")) and code and not conditions:
            yield source, effect if status.endswith("!") and int(code[0]) in _MOVED else None


def _headers(text: str, now: int) -> Iterator[tuple[str, HostEffect | None]]:
    """Patterns with an X-Robots-Tag. A later one for the same pattern replaces it."""
    for pattern, _, tags in header_blocks(text, "/"):
        if values := [(value, effect) for value, effect in tags if value]:
            yield pattern, next((effect for value, effect in values if header_forbids(value, now)), None)


def _line(text: str, key: str, value: str) -> int:
    match = re.search(rf"""(?m)^[ \t]*{key}[ \t]*=[ \t]*["']{re.escape(value)}["']""", text)
    return text.count("\n", 0, match.end()) + 1 if match else 1


def _config_redirects(config: Mapping[str, object], text: str) -> Iterator[tuple[str, HostEffect | None]]:
    for rule in dicts(config.get("redirects")):
        source, status = str(rule.get("from", rule.get("origin"))), rule.get("status", 301)
        target = rule.get("to", rule.get("destination"))
        if target and not any(rule.get(key) for key in _CONDITIONS):
            origin = Origin(CONFIG, _line(text, "(?:from|origin)", source), f"{source} -> {target}")
            is_moved = rule.get("force") is True and status in _MOVED
            yield source, HostEffect(Reason.REDIRECT, origin) if is_moved else None


def _config_headers(
    config: Mapping[str, object], text: str, now: int
) -> Iterator[tuple[str, HostEffect | None]]:
    for rule in dicts(config.get("headers")):
        pattern, values = str(rule.get("for", "")), rule.get("values")
        for name, value in values.items() if isinstance(values, dict) else ():
            if str(name).lower() == "x-robots-tag" and pattern.startswith("/"):
                value = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
                origin = Origin(CONFIG, _line(text, "for", pattern), f"{name}: {value}")
                yield pattern, HostEffect(Reason.NOINDEX, origin) if header_forbids(value, now) else None


def _hosting(config: Mapping[str, object]) -> tuple[Hosting, ...]:
    """`publish` is relative to `base`, or to the root if it is not there."""
    key = next((key for key in ("context.production.publish", "build.publish") if folder_at(config, key)), "")
    folder, base = folder_at(config, key), folder_at(config, "build.base")
    folders = dict.fromkeys(path.strip("/") for path in (f"{base}/{folder}", folder))
    return (Hosting(key, tuple(folders)) if key else Hosting(),)


HOST = Provider("netlify", (CONFIG,), (REDIRECTS, HEADERS), _read, ("NETLIFY",), _hosting)
