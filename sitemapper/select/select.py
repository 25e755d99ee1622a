"""The front door: pages and facts in, listed and excluded pages out."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ..messages import Message, count, listing
from ..model import Excluded, Facts, Listed, Origin, Page, Reason, Scanned, Site
from ..protocol import LANGUAGE, MAX_IMAGES, MAX_URL_LENGTH
from ..syntax.urls import comparison_key, page_at, path_below, resolve
from .page import Notes, base_of, make_policy, select_page
from .rules import PageRules, select_extra_urls

# The noun that is counted, the text of the warning, and its help.
WARNINGS = {
    "canonical-form": (
        "page",
        "the host redirects the URL that the canonical names ({count}: {places})",
        "write canonicals in the form that the host serves",
    ),
    "canonical-missing": (
        "page",
        "not listed, because the canonical names a page that is not there ({count}: {places})",
        "correct the canonical in the template",
    ),
    "canonical-scheme": (
        "page",
        "the canonical differs from the base URL in http or https ({count}: {places})",
        "use one scheme for both",
    ),
    "alternate-unlisted": (
        "alternate",
        "{count} left out, because the pages are not listed: {places}",
        "remove the hreflang links, or list the pages",
    ),
    "alternate-one-sided": (
        "hreflang link",
        "{count} missing, and search engines ignore links that are not mutual: {places}",
        "let every version list all others and itself",
    ),
}


class Selected(NamedTuple):
    """Listed pages in URL order, then the entries of `[[urls]]`; all that is left out; warnings."""

    listed: list[Listed]
    excluded: list[Excluded]
    messages: tuple[Message, ...]


def select(site: Site, scanned: Scanned, facts: Sequence[Facts], now: datetime) -> Selected:
    """Selects the pages of the sitemap with their URLs, and says why all others are left out.

    `facts` are those of `scanned.pages`. `now` is for `unavailable_after`. Raises SitemapperError
    for an entry of `[[urls]]` that is not below the base URL.
    """
    rules = PageRules(site.found.config)
    policy = make_policy(site, scanned, rules, int(now.timestamp()))
    notes = Notes(list)
    listed: list[Listed] = []
    owners: dict[str, Page] = {}  # by their URLs
    excluded = list(scanned.excluded)
    for page, fact in zip(scanned.pages, facts, strict=True):
        result = select_page(page, fact, policy, notes)
        if isinstance(result, Excluded):
            excluded.append(result)
            continue
        listed.append(result)
        owner = owners.setdefault(result.url, page)
        if owner is page:
            continue
        # Of two files for one URL, the one that servers show there keeps it, or else the first.
        if policy.page_at(result.url) == page.path:
            owners[result.url] = page
            excluded.append(_duplicate(owner, page, result.url))
        else:
            excluded.append(_duplicate(page, owner, result.url))
    listed = [entry for entry in listed if owners[entry.url] is entry.page]
    extra, excluded_extra = select_extra_urls(site, owners, policy.crawling)
    excluded += excluded_extra
    settings = site.found.config.settings
    if settings.images:
        listed = [entry._replace(images=images_of(entry)) for entry in listed]
    if settings.hreflang:
        listed = with_alternates(listed, extra, site.base_url, notes)
    messages = list(_warnings(notes))
    if settings.hreflang and not any(entry.alternates for entry in listed):
        text = "hreflang is set, but no page has hreflang links"
        help = 'add <link rel="alternate" hreflang="…"> to the pages, or remove the key'
        messages.append(Message("warning", "no-alternates", text, help))
    return Selected([*listed, *extra], excluded, tuple(messages))


def _duplicate(page: Page, owner: Page, url: str) -> Excluded:
    origin = Origin(owner.path, None, "has the same URL")
    return Excluded(page.path, Reason.DUPLICATE, origin, url, url)


def _warnings(notes: Notes) -> Iterator[Message]:
    """Yields a warning for each code that is noted, which names some of the places."""
    for code, (noun, text, help) in WARNINGS.items():
        places = notes[code]
        if places:
            named = text.format(count=count(len(places), noun), places=listing(places))
            yield Message("warning", code, named, help)


# --- Images, and other languages


def images_of(entry: Listed) -> tuple[str, ...]:
    """The absolute URLs of a page's images, each once."""
    base = base_of(entry.facts, entry.url)
    urls = [resolve(image, base) for image in entry.facts.images]
    kept = dict.fromkeys(url for url in urls if url and len(url) < MAX_URL_LENGTH)
    return tuple(kept)[:MAX_IMAGES]


def with_alternates(
    listed: Sequence[Listed], extra: Sequence[Listed], base_url: str, notes: Notes
) -> list[Listed]:
    """Adds to each page its language versions, at the URLs at which they are listed.

    `extra` are the entries of `[[urls]]`. Notes versions that are not listed, and pages that do not
    name each other.
    """
    paths = {entry.page.path: entry.url for entry in listed if entry.page}
    extra_urls = {comparison_key(entry.url): entry.url for entry in extra}
    linked: list[Listed] = []
    for entry in listed:
        versions: dict[tuple[str, str], None] = {}
        for language, url in _links_of(entry.facts, entry.url):
            path = page_at(url, base_url, paths)
            named = paths[path] if path else extra_urls.get(comparison_key(url))
            if path_below(url, base_url) is None:  # another site
                named = url
            if named:
                versions[language, named] = None
            else:
                notes["alternate-unlisted"].append(f"{entry.url} names {url}")
        linked.append(entry._replace(alternates=tuple(versions)))
    notes["alternate-one-sided"] += _one_sided_links(linked)
    return linked


def _one_sided_links(listed: Sequence[Listed]) -> Iterator[str]:
    """Yields a sentence for each hreflang link that is missing.

    A page has to link back to each page that links to it, and to itself.
    """
    named = {entry.url: {url for _, url in entry.alternates} for entry in listed}
    for entry in listed:
        for language, url in entry.alternates:
            links_back = entry.url in named.get(url, ())
            if url in named and not links_back and language.lower() != "x-default":
                yield f"{url} does not list {entry.url}"
        if entry.alternates and entry.url not in named[entry.url]:
            yield f"{entry.url} does not list itself"


def _links_of(facts: Facts, url: str) -> Iterator[tuple[str, str]]:
    """Yields the language and the absolute URL of each alternate that a page names."""
    base = base_of(facts, url)
    for language, href in facts.alternates:
        alternate = resolve(href, base)
        if alternate and LANGUAGE.fullmatch(language):
            yield language, alternate
