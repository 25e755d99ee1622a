"""`xhtml:link` alternates from built pages: each version lists itself and all others (docs/PROTOCOL §3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from urllib.parse import urlsplit

from sitemapper.model import Caution, Head, Warned
from sitemapper.syntax.urls import resolve

NAMESPACE = ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
# The shape of BCP 47: de, zh-Hans, es-419, de-DE-1996; and x-default.
LANGUAGE = re.compile(r"x-default|[a-z]{2,8}(-[a-z0-9]{1,8})*", re.IGNORECASE)


def render(head: Head, loc: str, look: Callable[[str], Head | None]) -> tuple[str, tuple[Warned, ...]]:
    """The elements for one page, and what makes crawlers ignore them."""
    links = alternates(head, loc)
    elements = (
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{escape(url)}"/>' for language, url in links
    )
    return "".join(elements), tuple(Warned(Caution.HREFLANG, fault) for fault in _faults(links, loc, look))


def alternates(head: Head, loc: str) -> list[tuple[str, str]]:
    """Languages and absolute URLs, in the page's order, each pair once."""
    base = (resolve(head.base, loc) if head.base else None) or loc
    found = ((language, resolve(href, base)) for language, href in head.alternates)
    pairs = ((lang, _in_scheme(url, loc)) for lang, url in found if url and LANGUAGE.fullmatch(lang))
    return list(dict.fromkeys(pairs))


def _in_scheme(url: str, loc: str) -> str:
    """The URL with the page's scheme where the host is the same, as canonicals are read too."""
    same = urlsplit(url).netloc == urlsplit(loc).netloc
    return f"{loc.partition('://')[0]}://{url.partition('://')[2]}" if same else url


def _faults(links: list[tuple[str, str]], loc: str, look: Callable[[str], Head | None]) -> list[str]:
    if not links:
        return []
    faults = [] if loc in (url for _, url in links) else [f"{loc} does not list itself"]
    for url in dict.fromkeys(url for language, url in links if url != loc and language != "x-default"):
        other = look(url)
        if other is not None and loc not in (back for _, back in alternates(other, url)):
            faults.append(f"{url} does not list {loc}")
    return faults
