"""The links of a page as absolute URLs: its base, its language versions, its images. Pure."""

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from ..model import Alternates, Diagnostic, LinkedPage, Metadata, PageFacts, WarningKind
from ..protocol import LANGUAGE, MAX_URL_LENGTH, X_DEFAULT
from .urls import comparison_key, resolve


def base_of(metadata: Metadata, loc: str) -> str:
    """The base of relative URLs in a page."""
    return (resolve(metadata.base, loc) if metadata.base else None) or loc


def resolve_images(facts: PageFacts, loc: str) -> tuple[str, ...]:
    """The absolute URLs of the images of a page, in order, each once."""
    base = base_of(facts.metadata, loc)
    urls = (resolve(url, base) for url in facts.images)
    return tuple(dict.fromkeys(url for url in urls if url and len(url) < MAX_URL_LENGTH))


def resolve_alternates(
    links: Alternates, loc: str, forms: Container[str], others: Mapping[str, LinkedPage]
) -> tuple[Alternates, Sequence[Diagnostic]]:
    """The languages and URLs to write for a page that has links, and what makes crawlers ignore
    them.

    docs/protocol.md §3 has the rules. `forms` are the keys of the URLs that may name the page,
    `others` the pages of the site behind the URLs; each is named by the URL under which it is
    listed. A page that does not list itself is added in the language that the others give it.
    """
    own_urls = {url for _, url in links if comparison_key(url) in forms}
    names = {url: other.loc for url, other in others.items()} | dict.fromkeys(own_urls, loc)
    listed = [(language, names.get(url, url)) for language, url in links]
    backs = {
        url: [language for language, back in other.alternates if comparison_key(back) in forms]
        for url, other in others.items()
        if url not in own_urls
    }
    faults = [
        f"{names[url]} does not list {loc}"
        for url, back in backs.items()
        if not back and url not in choosers(links)
    ]
    if links and loc not in (url for _, url in listed):
        languages = [back[0] for back in backs.values() if back]
        listed[:0] = [(language, loc) for language in languages[:1]]
        faults += [] if languages else [f"{loc} does not list itself"]
    diagnostics = [Diagnostic(WarningKind.HREFLANG, fault) for fault in dict.fromkeys(faults)]
    return tuple(dict.fromkeys(listed)), diagnostics


def choosers(links: Alternates) -> set[str]:
    """The `x-default` URLs of language selectors, which need not be versions."""
    return {url for _, url in links} - {
        url for language, url in links if language.lower() != X_DEFAULT
    }


def absolute_alternates(metadata: Metadata, loc: str) -> Alternates:
    """The language versions that a page links to, in order, each pair once."""
    if all(href.startswith(("http://", "https://")) for _, href in metadata.alternates):
        loc = "/".join(loc.split("/", 3)[:3]) + "/"  # the rest does not matter
        return _absolute(metadata.alternates, loc, loc)
    return _absolute(metadata.alternates, base_of(metadata, loc), loc)


@lru_cache(maxsize=8)
def _absolute(alternates: Alternates, base: str, loc: str) -> Alternates:
    """Caches the last results, because all versions of a page have the same list."""
    links = ((language, resolve(href, base)) for language, href in alternates)
    pairs = (
        (lang, _in_scheme(url, loc)) for lang, url in links if url and LANGUAGE.fullmatch(lang)
    )
    found = tuple(dict.fromkeys(pairs))
    return alternates if found == alternates else found


def _in_scheme(url: str, loc: str) -> str:
    """The URL with the page's scheme if the host is the same, as for canonicals."""
    scheme, mark, rest = url.partition("://")
    own = loc.partition("://")[0]
    if scheme == own or urlsplit(url).netloc != urlsplit(loc).netloc:
        return url
    return own + mark + rest
