"""Cloudflare Pages: redirects come first, even if the file exists; all matching headers apply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from ..robots_directives import header_forbids
from .files import (
    HEADERS,
    REDIRECTS,
    HostEffect,
    HostRules,
    Provider,
    expression,
    headers,
    redirects,
    table,
)

_REDIRECTS = (301, 302, 303, 307, 308)  # 200 is a proxy, which does not say that the page moved
MAX_REDIRECTS, MAX_HEADERS = 2_100, 100  # rules that the host reads; it ignores the others


def _read(texts: Mapping[str, str], netloc: str) -> HostRules:
    # `301!` is Netlify's: here it is no status, so the line is no rule.
    moves = (
        (rule.source, rule.effect if (rule.status or 302) in _REDIRECTS else None)
        for rule in islice(redirects(texts.get(REDIRECTS, "")), MAX_REDIRECTS)
        if not (rule.conditional or rule.forced)
    )
    tags = _headers(texts.get(HEADERS, ""), netloc)
    style = ("clean", "Cloudflare Pages serves b.html at b")
    return HostRules(table(moves, is_loose=False), table(tags, is_loose=False), style)


def _headers(text: str, netloc: str) -> Iterator[tuple[str, HostEffect | None]]:
    """Patterns and effects; absolute patterns (`https://:project.pages.dev/*`) are for one host only."""
    for header in islice(headers(text), MAX_HEADERS):
        scheme, separator, rest = header.pattern.partition("://")
        host, _, tail = rest.partition("/")
        is_other = scheme != "https" or not expression(host.lower()).fullmatch(netloc)
        if (separator and is_other) or not (header.value is None or header_forbids(header.value)):
            continue
        yield f"/{tail}" if separator else header.pattern, header.effect if header.value is not None else None


HOST = Provider("cloudflare", ("wrangler.toml",), (REDIRECTS, HEADERS), _read)
