"""The links of a page as absolute URLs: its base, its language versions, its images. Pure."""

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from ..messages import Kind, Message
from ..model import Alternates, LinkedPage, Metadata, PageFacts
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
) -> tuple[Alternates, Sequence[Message]]:
    """The languages and URLs to write for a page with links, and why crawlers may ignore them.

    docs/protocol.md §3 has the rules. `forms` are the keys of the URLs that may name the page,
    `others` the pages of the site behind the URLs; each is named by the URL under which it is
    listed. A page that does not list itself is added in the language that the others give it.
    """
    urls_of_page = {url for _, url in links if comparison_key(url) in forms}
    listed_urls = {url: other.loc for url, other in others.items()}
    listed_urls |= dict.fromkeys(urls_of_page, loc)
    versions = [(language, listed_urls.get(url, url)) for language, url in links]
    # For each other page, the languages in which it links back to this one.
    return_links: dict[str, list[str]] = {}
    for url, other in others.items():
        if url not in urls_of_page:
            return_links[url] = [
                language
                for language, named_url in other.alternates
                if comparison_key(named_url) in forms
            ]
    faults: list[str] = []
    selectors = choosers(links)
    for url, languages in return_links.items():
        if not languages and url not in selectors:
            faults.append(f"{listed_urls[url]} does not list {loc}")
    lists_itself = any(url == loc for _, url in versions)
    if links and not lists_itself:
        languages_of_page = [languages[0] for languages in return_links.values() if languages]
        if languages_of_page:
            versions.insert(0, (languages_of_page[0], loc))
        else:
            faults.append(f"{loc} does not list itself")
    diagnostics = [Message(Kind.HREFLANG, (fault,)) for fault in dict.fromkeys(faults)]
    return tuple(dict.fromkeys(versions)), diagnostics


def choosers(links: Alternates) -> set[str]:
    """The URLs that are only `x-default`:

    pages to choose a language, which need not be versions.
    """
    urls = {url for _, url in links}
    versions = {url for language, url in links if language.lower() != X_DEFAULT}
    return urls - versions


def absolute_alternates(metadata: Metadata, loc: str) -> Alternates:
    """The language versions that a page links to as absolute URLs, in order, each pair once.

    `[("de", "../de/")]` of `https://example.com/en/` → `[("de", "https://example.com/de/")]`.
    """
    alternates = metadata.alternates
    are_absolute = all(href.startswith(("http://", "https://")) for _, href in alternates)
    if are_absolute:
        # The folder of the page does not matter. Without it, all versions share a cached result.
        scheme_and_colon, _, host, *_ = loc.split("/", 3)
        root = f"{scheme_and_colon}//{host}/"
        return _resolved(alternates, root, root)
    return _resolved(alternates, base_of(metadata, loc), loc)


@lru_cache(maxsize=8)  # all versions of a page have the same list
def _resolved(alternates: Alternates, base: str, loc: str) -> Alternates:
    """The language versions against a base URL, with the scheme of the page."""
    versions: dict[tuple[str, str], None] = {}
    for language, href in alternates:
        url = resolve(href, base)
        if url and LANGUAGE.fullmatch(language):
            versions[language, _with_scheme_of(loc, url)] = None
    resolved = tuple(versions)
    # If nothing changed, the same tuple, so that it is kept once.
    return alternates if resolved == alternates else resolved


def _with_scheme_of(loc: str, url: str) -> str:
    """The URL with the page's scheme if both are on the same host, as for canonicals.

    For a page at `https://example.com/`: `http://example.com/de/` → `https://example.com/de/`.
    """
    scheme, _, after_scheme = url.partition("://")
    scheme_of_page = loc.partition("://")[0]
    if scheme == scheme_of_page:
        return url
    if urlsplit(url).netloc != urlsplit(loc).netloc:
        return url
    return f"{scheme_of_page}://{after_scheme}"
