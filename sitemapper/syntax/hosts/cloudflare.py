"""Cloudflare Pages: redirects come first, even if the file exists; all matching headers apply."""

from __future__ import annotations

import re
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
_INDEX = re.compile(r"^(?!\w+://)(?:.*/)?index(?:\.html)?$")
_STATUS = {str(status) for status in (200, *_REDIRECTS)}
MAX_REDIRECTS, MAX_DYNAMIC, MAX_HEADERS = 2_000, 100, 100  # rules that the host reads; it ignores the others


def _read(texts: Mapping[str, str], netloc: str) -> HostRules:
    moves = _redirects(texts.get(REDIRECTS, ""))
    tags = _headers(texts.get(HEADERS, ""), netloc)
    style = ("clean", "Cloudflare Pages serves b.html at b")
    return HostRules(table(moves, is_loose=False), table(tags, is_loose=False), style)


def _redirects(text: str) -> Iterator[tuple[str, HostEffect | None]]:
    """Paths and effects of the lines that the host accepts, up to its limits."""
    static = dynamic = 0
    for rule in redirects(text):
        source, target, *rest = rule.words
        # `301!` is Netlify's: here it is no status, so the line is no rule.
        if "://" in source or len(rest) > 1 or not _STATUS.issuperset(rest):
            continue
        source = "/" + source.partition("?")[0].removeprefix("/")
        if re.search(r"/\*?$", source) and _INDEX.search(target):
            continue  # the host takes this for a loop
        if "*" in source or "/:" in source or dynamic:
            dynamic += 1
            if dynamic > MAX_DYNAMIC:
                return
        else:
            static += 1
            if static > MAX_REDIRECTS:
                continue
        yield source, rule.effect if (rule.status or 302) in _REDIRECTS else None


def _headers(text: str, netloc: str) -> Iterator[tuple[str, HostEffect | None]]:
    """Patterns and effects; absolute patterns (`https://:project.pages.dev/*`) are for one host only."""
    for header in islice(headers(text), MAX_HEADERS):
        scheme, separator, rest = header.pattern.partition("://")
        host, _, tail = rest.partition("/")
        is_other = scheme != "https" or not expression(host.lower()).fullmatch(netloc)
        if (
            (separator and is_other)
            or header.pattern.count("*") > 1
            or not (header.value is None or header_forbids(header.value))
        ):
            continue
        yield f"/{tail}" if separator else header.pattern, header.effect if header.value is not None else None


HOST = Provider(
    "cloudflare", ("wrangler.json", "wrangler.jsonc", "wrangler.toml"), (REDIRECTS, HEADERS), _read
)
