"""The links of a page as absolute URLs: its base, its language versions, its images. Pure."""

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from ..model import Alternates, Diagnostic, LinkedPage, Metadata, PageFacts, WarningKind
from ..protocol import LANGUAGE, MAX_URL_LENGTH, X_DEFAULT
from .urls import comparison_key, resolve


def base_of(metadata: Metadata, loc: str) -> str:
    """The base of relative URLs in a page."""
    if not metadata.base:
        return loc
    return resolve(metadata.base, loc) or loc


def resolve_images(facts: PageFacts, loc: str) -> tuple[str, ...]:
    """The absolute URLs of the images of a page, in order, each once."""
    base = base_of(facts.metadata, loc)
    urls: dict[str, None] = {}
    for image in facts.images:
        url = resolve(image, base)
        if url and len(url) < MAX_URL_LENGTH:
            urls[url] = None
    return tuple(urls)


def resolve_alternates(
    links: Alternates, loc: str, forms: Container[str], others: Mapping[str, LinkedPage]
) -> tuple[Alternates, Sequence[Diagnostic]]:
    """The languages and URLs to write for a page with links, and why crawlers may ignore them.

    docs/protocol.md §3 has the rules. `forms` are the keys of the URLs that may name the page,
    `others` the pages of the site behind the URLs; each is named by the URL under which it is
    listed. A page that does not list itself is added in the language that the others give it.
    """
    own_urls = {url for _, url in links if comparison_key(url) in forms}
    names = {url: other.loc for url, other in others.items()} | dict.fromkeys(own_urls, loc)
    versions = [(language, names.get(url, url)) for language, url in links]
    return_links: dict[str, list[str]] = {}
    for url, other in others.items():
        if url not in own_urls:
            return_links[url] = _languages_of(other.alternates, forms)
    faults: list[str] = []
    selectors = choosers(links)
    for url, languages in return_links.items():
        if not languages and url not in selectors:
            faults.append(f"{names[url]} does not list {loc}")
    if links and not any(url == loc for _, url in versions):
        given = [languages[0] for languages in return_links.values() if languages]
        if given:
            versions.insert(0, (given[0], loc))
        else:
            faults.append(f"{loc} does not list itself")
    diagnostics = [Diagnostic(WarningKind.HREFLANG, fault) for fault in dict.fromkeys(faults)]
    return tuple(dict.fromkeys(versions)), diagnostics


def _languages_of(alternates: Alternates, forms: Container[str]) -> list[str]:
    """The languages in which the versions of another page name the page with these forms."""
    return [language for language, url in alternates if comparison_key(url) in forms]


def choosers(links: Alternates) -> set[str]:
    """The `x-default` URLs of language selectors, which need not be versions."""
    versions = {url for language, url in links if language.lower() != X_DEFAULT}
    return {url for _, url in links} - versions


def absolute_alternates(metadata: Metadata, loc: str) -> Alternates:
    """The language versions that a page links to, in order, each pair once."""
    if all(href.startswith(("http://", "https://")) for _, href in metadata.alternates):
        loc = "/".join(loc.split("/", 3)[:3]) + "/"  # the rest does not matter
        return _absolute(metadata.alternates, loc, loc)
    return _absolute(metadata.alternates, base_of(metadata, loc), loc)


@lru_cache(maxsize=8)
def _absolute(alternates: Alternates, base: str, loc: str) -> Alternates:
    """Caches the last results, because all versions of a page have the same list."""
    versions: dict[tuple[str, str], None] = {}
    for language, href in alternates:
        url = resolve(href, base)
        if url and LANGUAGE.fullmatch(language):
            versions[language, _in_scheme(url, loc)] = None
    found = tuple(versions)
    # If nothing changed, the same tuple, so that it is kept once.
    return alternates if found == alternates else found


def _in_scheme(url: str, loc: str) -> str:
    """The URL with the page's scheme if the host is the same, as for canonicals."""
    scheme, mark, rest = url.partition("://")
    own = loc.partition("://")[0]
    if scheme == own or urlsplit(url).netloc != urlsplit(loc).netloc:
        return url
    return own + mark + rest
