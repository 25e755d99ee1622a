"""The tags of a page to what they say about its indexing (docs/protocol.md §4)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache

from ..model import Metadata
from ..syntax.html import Attributes, Tags, all_tags, head_tags, parse_tree
from ..syntax.robots import AGENTS, read_directives

_REFRESH = r"(?is)\s*+(\d*+)[\d.]*+(?:\s*+[;,]|(?<=\s)|\s)\s*+(?:url\s*+=\s*+)?(.*)"

_VARIANT = frozenset(("hreflang", "lang", "media", "type"))  # Google takes no link with one for a canonical
_NEWS_SECONDS = 300  # no redirect lets its readers wait so long


def read_metadata(data: bytes) -> Metadata:
    """What a page says about its indexing. Never raises."""
    return interpret(head_tags(data) or all_tags(parse_tree(data)))


def interpret(tags: Tags) -> Metadata:
    """What the tags amount to. Robots metas count anywhere, the others in the head."""
    noindex = date = None
    for meta in tags.metas:
        name = meta.get("name")
        if name and name.strip().lower() in AGENTS:
            content = meta.get("content") or ""
            forbids, since = read_directives(content)
            date = date or since
            if noindex is None and forbids:
                noindex = f'<meta name="{name}" content="{content}">'
    canonicals, alternates = _read_links(tags.links)
    # Canonicals that disagree cancel each other, as for Google.
    canonical = canonicals.pop() if len(canonicals) == 1 else None
    base = next((href for href in map(_href, tags.bases) if href), None)
    refresh = _read_refresh(tags.head_metas)
    if not refresh and tags.noscript:
        # An app has such a refresh to a page about scripts. A redirect has a script that leads there, too.
        target = _read_refresh(tags.noscript)
        refresh = target if target and target in tags.scripts else None
    return Metadata(noindex, date, refresh, canonical, base, _shared(tuple(alternates)))


@lru_cache(maxsize=8)
def _shared(alternates: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """One list for all versions of a page, which are mostly read together."""
    return alternates


def _read_refresh(metas: Iterable[Attributes]) -> str | None:
    for meta in metas:
        kind = meta.get("http-equiv")
        if kind and kind.strip().lower() == "refresh" and (url := _refresh_target(meta.get("content") or "")):
            return url
    return None


def _refresh_target(content: str) -> str | None:
    """The URL of a refresh, as the HTML standard reads it; None to itself, or to keep news fresh."""
    match = re.fullmatch(_REFRESH, content)
    if not match or int(match[1][:9] or 0) >= _NEWS_SECONDS:
        return None
    url = match[2].strip()
    if url[:1] in ("'", '"'):
        url = url[1:].partition(url[0])[0]
    return url.strip() or None


def _read_links(links: Iterable[Attributes]) -> tuple[set[str], list[tuple[str, str]]]:
    """The canonicals, and the alternates with their languages."""
    canonicals: set[str] = set()
    alternates: list[tuple[str, str]] = []
    for link in links:
        rel = link.get("rel")
        kinds = rel.lower().split() if rel else ()
        if "canonical" in kinds and _VARIANT.isdisjoint(link) and (href := _href(link)):
            canonicals.add(href)
        if "alternate" in kinds and (language := (link.get("hreflang") or "").strip()):
            is_page = "html" in (link.get("type", "html") or "").lower()  # a feed has a language too
            if is_page and (href := _href(link)):
                # Versions share their URLs: one string for all of them.
                alternates.append((sys.intern(language), sys.intern(href)))
    return canonicals, alternates


def _href(link: Attributes) -> str:
    return (link.get("href") or "").strip()
