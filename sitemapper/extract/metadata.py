"""A page's own metadata: whether to index it (docs/protocol.md §4), and its date.

The date is front matter that the generator put into metas or structured data.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ..model import Metadata
from ..syntax.dates import is_date
from ..syntax.html import Attributes, Tags, all_tags, head_tags, parse_tree
from ..syntax.robots import AGENTS, read_directives

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_REFRESH = r"(?is)\s*+(\d*+)[\d.]*+(?:\s*+[;,]|(?<=\s)|\s)\s*+(?:url\s*+=\s*+)?(.*)"
_VARIANT = frozenset(
    ("hreflang", "lang", "media", "type")
)  # Google ignores canonicals with one of these
_NEWS_SECONDS = 300  # no redirect waits so long
_METAS = ("last-modified", "dcterms.modified", "date")
# A page without any of these words contains no date, and need not be parsed.
_WORDS = rb"(?i)modified|[\"'=\s]date[\"'>\s]|&#"


def read_metadata(data: bytes) -> Metadata:
    """The metadata of a page about its indexing. Never raises."""
    return interpret(head_tags(data) or all_tags(parse_tree(data)))


def interpret(tags: Tags) -> Metadata:
    """The metadata in the tags. Robots metas count anywhere, the others only in the head."""
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
    # Contradicting canonicals are ignored, as by Google.
    canonical = canonicals.pop() if len(canonicals) == 1 else None
    base = next((href for href in map(_href, tags.bases) if href), None)
    refresh = _read_refresh(tags.head_metas)
    if not refresh and tags.noscript:
        # An app has such a refresh to a page about scripts. In a redirect, a script leads to the
        # same target.
        target = _read_refresh(tags.noscript)
        refresh = target if target and target in tags.scripts else None
    return Metadata(noindex, date, refresh, canonical, base, _shared(tuple(alternates)))


@lru_cache(maxsize=8)
def _shared(alternates: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """One list for all versions of a page, which are mostly read together."""
    return alternates


def _read_refresh(metas: Iterable[Attributes]) -> str | None:
    """The URL of the first refresh (HTML standard), unless it leads to itself or reloads news."""
    for meta in metas:
        kind = meta.get("http-equiv")
        if not kind or kind.strip().lower() != "refresh":
            continue
        match = re.fullmatch(_REFRESH, meta.get("content") or "")
        if match and int(match[1][:9] or 0) < _NEWS_SECONDS:
            url = match[2].strip()
            if url[:1] in ("'", '"'):
                url = url[1:].partition(url[0])[0]
            if url := url.strip():
                return url
    return None


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
            is_page = (
                "html" in (link.get("type", "html") or "").lower()
            )  # a feed may have a language too
            if is_page and (href := _href(link)):
                # Versions have the same URLs, so they share the strings.
                alternates.append((sys.intern(language), sys.intern(href)))
    return canonicals, alternates


def _href(link: Attributes) -> str:
    return (link.get("href") or "").strip()


def mentions_date(data: bytes) -> bool:
    """Whether a page may contain a date."""
    return re.search(_WORDS, data) is not None


def read_date(tree: LexborHTMLParser) -> str | None:
    """The page's date as written: the first that is valid, None if there is none.

    In this order: `article:modified_time`, `dateModified` of JSON-LD, metas, `<time itemprop>`.
    """
    metas: dict[str, str] = {}
    for node in tree.css("meta"):
        name = node.attributes.get("property") or node.attributes.get("name") or ""
        metas.setdefault(name.strip().lower(), (node.attributes.get("content") or "").strip())
    times = tree.css('time[itemprop~="dateModified"]')
    dates = [
        metas.get("article:modified_time"),
        *_linked_data(node.text() for node in tree.css('script[type="application/ld+json"]')),
        *map(metas.get, _METAS),
        *((node.attributes.get("datetime") or node.text()).strip() for node in times),
    ]
    texts = [date for date in dates if date]
    return next(filter(is_date, texts), texts[0] if texts else None)


def _linked_data(texts: Iterable[str]) -> Iterator[str]:
    """`dateModified` of top-level things:

    an object, the items of an array, the items of `@graph`.
    """
    for text in texts:
        try:
            pending = [json.loads(text)]
        except (ValueError, RecursionError):
            continue
        while pending:
            thing = pending.pop(0)
            if isinstance(thing, list):
                pending += thing
            elif isinstance(thing, dict):
                pending += [thing["@graph"]] if "@graph" in thing else []
                if isinstance(thing.get("dateModified"), str):
                    yield thing["dateModified"].strip()
