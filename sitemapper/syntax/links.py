"""The links of a page as absolute URLs: its base, its language versions, its images. Pure."""

from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from ..messages import Kind, Message
from ..model import Alternates, LinkedPage, Metadata, PageFacts
from ..protocol import LANGUAGE, MAX_URL_LENGTH, X_DEFAULT
from .urls import comparison_key, resolve


def base_of(metadata: Metadata, loc: str) -> str:
    """The URL against which the relative URLs in a page are resolved.

    `<base href="/docs/">` in a page at `https://example.com/a` → `https://example.com/docs/`. It is
    the page's own URL, `loc`, if the page has no base, or an invalid one.
    """
    if not metadata.base:
        return loc
    return resolve(metadata.base, loc) or loc


def resolve_images(facts: PageFacts, loc: str) -> tuple[str, ...]:
    """The absolute URLs of the images of a page, in order, each once.

    `pic.png` in `https://example.com/a/` → `https://example.com/a/pic.png`. Images whose URL is not
    valid, or too long for a sitemap, are left out.
    """
    base = base_of(facts.metadata, loc)
    urls: dict[str, None] = {}
    for image in facts.images:
        url = resolve(image, base)
        if url and len(url) < MAX_URL_LENGTH:
            urls[url] = None
    return tuple(urls)


def resolve_alternates(
    links: Alternates, loc: str, own_keys: Container[str], others: Mapping[str, LinkedPage]
) -> tuple[Alternates, Sequence[Message]]:
    """Works out the language versions to list for a page, and messages about wrong links.

    The page at /en links to /en and /de.html, and the page there, which is listed at /de, links
    back. The versions are /en and /de.

    `links` are the languages and URLs in the `<link hreflang>` of the page at `loc`. `own_keys` are
    the comparison keys of all URLs at which this page may be shown, such as /en.html and /en.
    `others` are the other pages of the site to which it links, by the URL in the link.
    Google's "Tell Google about localized versions of your page" has the rules.
    """
    # 1. The versions, at the URLs that the sitemap lists: a link may name /de.html for /de, or
    # /en.html for this page. A URL of another site stays as it is.
    url_to_list = {url_in_link: other.loc for url_in_link, other in others.items()}
    for _, url_in_link in links:
        if comparison_key(url_in_link) in own_keys:
            url_to_list[url_in_link] = loc
    versions = [(language, url_to_list.get(url, url)) for language, url in links]
    # 2. The links of the other pages back to this page. Crawlers may ignore a version that does not
    # link back. A page that is only linked as `x-default` need not link back.
    faults: list[str] = []
    own_languages: list[str] = []  # the languages of this page, as links back to it name them
    needs_no_link_back = default_only(links)
    for url_in_link, other in others.items():
        is_this_page = url_to_list[url_in_link] == loc  # by another of its URLs, such as /en.html
        if is_this_page:
            continue
        languages_in_links_back = _languages_of(own_keys, other.alternates)
        own_languages += languages_in_links_back
        if not languages_in_links_back and url_in_link not in needs_no_link_back:
            faults.append(f"{other.loc} does not list {loc}")
    # 3. This page itself. If it does not link to itself, a link back to it gives its language.
    lists_itself = any(url == loc for _, url in versions)
    if links and not lists_itself:
        if own_languages:
            versions.insert(0, (own_languages[0], loc))
        else:
            faults.append(f"{loc} does not list itself")
    # Each version and each message once.
    diagnostics = [Message(Kind.HREFLANG, (fault,)) for fault in dict.fromkeys(faults)]
    return tuple(dict.fromkeys(versions)), diagnostics


def _languages_of(keys: Container[str], links: Alternates) -> list[str]:
    """Lists the languages under which hreflang links name a page, by the keys of the page's URLs.

    `[("de", "https://a.example/de"), ("en", "https://a.example/en")]`, for /en → `["en"]`.
    """
    return [language for language, url in links if comparison_key(url) in keys]


def default_only(links: Alternates) -> set[str]:
    """Finds the URLs that are linked as `x-default`, but not for any language.

    They are often pages on which visitors pick a language. Such a page is no version of the others
    and need not link back.
    """
    urls = {url for _, url in links}
    urls_with_language = {url for language, url in links if language.lower() != X_DEFAULT}
    return urls - urls_with_language


def absolute_alternates(metadata: Metadata, loc: str) -> Alternates:
    """The language versions to which a page links, with absolute URLs, in order, each once.

    `[("de", "../de/")]` of `https://example.com/en/` → `[("de", "https://example.com/de/")]`. The
    languages and URLs are those of `<link hreflang>`.
    """
    alternates = metadata.alternates
    scheme_and_colon, _, host, *_ = loc.split("/", 3)
    root = f"{scheme_and_colon}//{host}/"  # `https://example.com/`
    are_absolute = all(href.startswith(("http://", "https://")) for _, href in alternates)
    if are_absolute:
        # The base does not matter for absolute links. All versions of a page usually have the same
        # links. With the root as the base of all, their links are resolved only once, and cached.
        return _resolve_cached(alternates, root, root)
    return _resolve_cached(alternates, base_of(metadata, loc), root)


@lru_cache(maxsize=8)  # only to share the result among the versions of one page
def _resolve_cached(alternates: Alternates, base: str, root: str) -> Alternates:
    """Resolves the URLs of language versions against a base, and gives them the site's scheme.

    `root` is the URL of the site's root, with its scheme. Links with an invalid URL or language are
    left out.
    """
    versions: dict[tuple[str, str], None] = {}
    for language, href in alternates:
        url = resolve(href, base)
        if url and LANGUAGE.fullmatch(language):
            versions[language, _with_scheme_of(root, url)] = None
    resolved = tuple(versions)
    # If the links were absolute already, nothing has changed. The same tuple takes no new memory.
    return alternates if resolved == alternates else resolved


def _with_scheme_of(root: str, url: str) -> str:
    """The URL with the scheme of the site with this root, if both are on the same host.

    Templates often have http in their links where the site has https. For the root
    `https://example.com/`: `http://example.com/de/` → `https://example.com/de/`.
    """
    scheme, _, after_scheme = url.partition("://")
    scheme_of_site = root.partition("://")[0]
    if scheme == scheme_of_site:
        return url
    if urlsplit(url).netloc != urlsplit(root).netloc:
        return url
    return f"{scheme_of_site}://{after_scheme}"
