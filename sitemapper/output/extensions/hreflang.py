"""`xhtml:link` alternates: each language version lists itself and all others (docs/protocol.md §3)."""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

from ...model import Diagnostic, LinkedPage, Metadata, PageFacts, PageUrl, ResolvePage, WarningKind
from ...protocol import LANGUAGE, XHTML_NAMESPACE
from ...syntax.urls import resolve

NAMESPACE = f' xmlns:xhtml="{XHTML_NAMESPACE}"'


def render(seen: PageFacts, own: PageUrl, look: ResolvePage) -> tuple[str, tuple[Diagnostic, ...]]:
    """The elements for one page, and what makes crawlers ignore them.

    Another page of the site is named by the URL under which it is listed. A page that does not list
    itself is added in the language that the others give it.
    """
    links = alternates(seen.head, own.loc)
    others = {url: None if url in own.forms else look(url) for _, url in links}
    listed = [(lang, own.loc if url in own.forms else _loc(url, others[url])) for lang, url in links]
    backs = {url: _back(url, other, own) for url, other in others.items() if other}
    faults = [f"{_loc(url, others[url])} does not list {own.loc}" for url, back in backs.items() if not back]
    if links and own.loc not in (url for _, url in listed):
        languages = [back[0] for back in backs.values() if back]
        listed[:0] = [(language, own.loc) for language in languages[:1]]
        faults += [] if languages else [f"{own.loc} does not list itself"]
    elements = (
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{escape(url)}"/>'
        for language, url in dict.fromkeys(listed)
    )
    return "".join(elements), tuple(
        Diagnostic(WarningKind.HREFLANG, fault) for fault in dict.fromkeys(faults)
    )


def _loc(url: str, other: LinkedPage | None) -> str:
    return other.loc if other else url


def _back(url: str, other: LinkedPage, own: PageUrl) -> list[str]:
    """The languages in which another version lists this page."""
    return [lang for lang, back in alternates(other.seen.head, url) if back in own.forms]


def alternates(head: Metadata, loc: str) -> list[tuple[str, str]]:
    """Languages and absolute URLs, in the page's order, each pair once."""
    base = (resolve(head.base, loc) if head.base else None) or loc
    found = ((language, resolve(href, base)) for language, href in head.alternates)
    pairs = ((lang, _in_scheme(url, loc)) for lang, url in found if url and LANGUAGE.fullmatch(lang))
    return list(dict.fromkeys(pairs))


def _in_scheme(url: str, loc: str) -> str:
    """The URL with the page's scheme where the host is the same, as canonicals are read too."""
    same = urlsplit(url).netloc == urlsplit(loc).netloc
    return f"{loc.partition('://')[0]}://{url.partition('://')[2]}" if same else url
