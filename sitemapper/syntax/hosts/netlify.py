"""Netlify: an existing file wins over a redirect unless the redirect is forced with `!`."""

from __future__ import annotations

from collections.abc import Mapping

from ..robots_directives import header_forbids
from .files import HEADERS, REDIRECTS, HostRules, Provider, headers, redirects, table

_MOVED = (301, 302, 303, 307, 308, 404, 410)


def _read(texts: Mapping[str, str], _netloc: str) -> HostRules:
    moves = (
        (rule.source, rule.effect if rule.forced and rule.status in _MOVED else None)
        for rule in redirects(texts.get(REDIRECTS, ""))
        if not rule.conditional
    )
    tags = (
        (header.pattern, header.effect)
        for header in headers(texts.get(HEADERS, ""))
        if header.pattern.startswith("/") and header.value is not None and header_forbids(header.value)
    )
    return HostRules(table(moves, is_loose=True), table(tags, is_loose=True))


HOST = Provider("netlify", ("netlify.toml",), (REDIRECTS, HEADERS), _read)
