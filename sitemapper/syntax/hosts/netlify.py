"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import chain

from ...errors import with_help
from ...model import Origin, Reason
from ..robots_directives import header_forbids
from .files import (
    HEADERS,
    REDIRECTS,
    Header,
    HostEffect,
    HostRules,
    Provider,
    Redirect,
    headers,
    redirects,
    table,
)

CONFIG = "netlify.toml"
_MOVED = (301, 302, 303, 307, 308, 404, 410)


def _read(texts: Mapping[str, str], netloc: str) -> HostRules:
    """The rules of the two files, and behind them those of netlify.toml."""
    text = texts.get(CONFIG, "")
    try:
        config: Mapping[str, object] = tomllib.loads(text)
    except ValueError as error:
        problem = f"{CONFIG}: is not TOML: {error}"
        raise ValueError(with_help(problem, 'correct it, or set host = "none"')) from None
    moves = (
        (source, rule.effect if rule.forced and rule.status in _MOVED else None)
        for rule in chain(redirects(texts.get(REDIRECTS, "")), _config_redirects(config, text))
        if not rule.conditional and (source := _own_path(rule.source, netloc)) and _is_target(rule)
    )
    tags = (
        (_own_path(header.pattern, ""), header.effect)
        for header in chain(headers(texts.get(HEADERS, "")), _config_headers(config, text))
        if header.pattern.startswith("/") and header.value is not None and header_forbids(header.value)
    )
    return HostRules(table(moves, is_loose=True), table(tags, is_loose=True))


def _own_path(source: str, netloc: str) -> str:
    """The path of a pattern, whose repeated slashes are one; "" for a URL of another host."""
    scheme, separator, rest = source.partition("://")
    host, _, path = rest.partition("/")
    is_own = separator and scheme in ("http", "https") and host.lower() == netloc
    source = f"/{path}" if is_own else source
    return re.sub("//+", "/", source) if source.startswith("/") else ""


def _is_target(rule: Redirect) -> bool:
    """Whether a line names where it leads to; the host refuses a word without a slash."""
    return not rule.words or any(re.match(r"/|\w+://", word) for word in rule.words[1:])


def _tables(config: Mapping[str, object], key: str) -> Iterator[dict[str, object]]:
    value = config.get(key)
    yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _line(text: str, key: str, value: str) -> int:
    match = re.search(rf"""(?m)^\s*{key}\s*=\s*["']{re.escape(value)}["']""", text)
    return text.count("\n", 0, match.end()) + 1 if match else 1


def _config_redirects(config: Mapping[str, object], text: str) -> Iterator[Redirect]:
    for rule in _tables(config, "redirects"):
        source, status = str(rule.get("from", "")), rule.get("status", 301)
        origin = Origin(CONFIG, _line(text, "from", source), f"{source} -> {rule.get('to')}")
        yield Redirect(
            HostEffect(Reason.REDIRECT, origin),
            source,
            status if isinstance(status, int) else None,
            forced=rule.get("force") is True,
            conditional=bool(rule.get("conditions") or rule.get("query")),
        )


def _config_headers(config: Mapping[str, object], text: str) -> Iterator[Header]:
    for rule in _tables(config, "headers"):
        pattern, values = str(rule.get("for", "")), rule.get("values")
        for name, value in values.items() if isinstance(values, dict) else ():
            if str(name).lower() == "x-robots-tag":
                origin = Origin(CONFIG, _line(text, "for", pattern), f"{name}: {value}")
                yield Header(HostEffect(Reason.NOINDEX, origin), pattern, str(value))


HOST = Provider("netlify", (CONFIG,), (REDIRECTS, HEADERS), _read)
