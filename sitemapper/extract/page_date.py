"""The date that a page gives itself: front matter that the generator put into metas or structured data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..syntax.dates import is_date

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_METAS = ("last-modified", "dcterms.modified", "date")
# A page without any of these words gives itself no date, and need not be parsed.
_WORDS = rb"(?i)modified|[\"'=\s]date[\"'>\s]|&#"


def mentions_date(data: bytes) -> bool:
    """Whether a page may give itself a date."""
    return re.search(_WORDS, data) is not None


def read_date(tree: LexborHTMLParser) -> str | None:
    """The date as the page has it, the first that can be read; None if there is none.

    In order: `article:modified_time`, `dateModified` of JSON-LD, metas, `<time itemprop>`.
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
    """`dateModified` of a script's own things: an object, the items of an array, those of `@graph`."""
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
