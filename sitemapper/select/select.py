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

    `facts` has what each of `scanned.pages` says, in the same order. `now` is compared with the
    date of `<meta name="robots" content="unavailable_after: …">`. Raises SitemapperError for an
    entry of `[[urls]]` that is not below the base URL.
    """
    rules = PageRules(site.found.config)
    policy = make_policy(site, scanned, rules, int(now.timestamp()))
    notes = Notes(list)
    listed: list[Listed] = []
    owners: dict[str, Page] = {}  # the page that keeps each URL
    excluded = list(scanned.excluded)
    for page, fact in zip(scanned.pages, facts, strict=True):
        result = select_page(page, fact, policy, notes)
        if isinstance(result, Excluded):
            excluded.append(result)
            continue
        listed.append(result)
        owner = owners.setdefault(result.url, page)
        if owner is page:  # no other page has this URL
            continue
        # Two files may have one URL, such as `a.html` and `a/index.html` for `/a`. The file that
        # servers show there keeps it, or else the first.
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
    """Excludes a page because another page, the owner, keeps their common URL."""
    origin = Origin(owner.path, None, "has the same URL")
    return Excluded(page.path, Reason.DUPLICATE, origin, url, url)


def _warnings(notes: Notes) -> Iterator[Message]:
    """Yields one warning for each code in `notes`, with the number of places and some of them."""
    for code, (noun, template, help) in WARNINGS.items():
        places = notes[code]
        if places:
            text = template.format(count=count(len(places), noun), places=listing(places))
            yield Message("warning", code, text, help)


# --- Images, and other languages


def images_of(entry: Listed) -> tuple[str, ...]:
    """The absolute URLs of a page's images, each once, up to the number that Google allows."""
    base = base_of(entry.facts, entry.url)
    urls = [resolve(image, base) for image in entry.facts.images]
    # The keys of a dict are in the order of the page. Those of a set would be in any order.
    unique = dict.fromkeys(url for url in urls if url and len(url) < MAX_URL_LENGTH)
    return tuple(unique)[:MAX_IMAGES]


def with_alternates(
    listed: Sequence[Listed], extra: Sequence[Listed], base_url: str, notes: Notes
) -> list[Listed]:
    """Adds to each page its versions in other languages, as its hreflang links name them.

    A page may link to `/de/tea.html` where the sitemap lists `/de/tea`. Then the listed URL is
    added. `extra` are the entries of `[[urls]]`. Adds to `notes` the versions that are not listed,
    and the links that are not mutual.
    """
    url_by_path = {entry.page.path: entry.url for entry in listed if entry.page}
    extra_by_key = {comparison_key(entry.url): entry.url for entry in extra}
    result: list[Listed] = []
    for entry in listed:
        versions: list[tuple[str, str]] = []  # (language, listed URL)
        for language, url in _hreflang_links(entry.facts, entry.url):
            path = page_at(url, base_url, url_by_path)
            listed_url = url_by_path[path] if path else extra_by_key.get(comparison_key(url))
            if path_below(url, base_url) is None:
                listed_url = url  # on another site, whose list is not known
            if listed_url is None:
                notes["alternate-unlisted"].append(f"{entry.url} names {url}")
            elif (language, listed_url) not in versions:
                versions.append((language, listed_url))
        result.append(entry._replace(alternates=tuple(versions)))
    notes["alternate-one-sided"] += _one_sided_links(result)
    return result


def _one_sided_links(listed: Sequence[Listed]) -> Iterator[str]:
    """Yields a sentence for each hreflang link that is missing: `… does not list …`.

    A page has to link back to each listed page that links to it, and to itself. The target of an
    `x-default` link, which may be a page to choose a language, need not link back.
    """
    linked_urls = {entry.url: {url for _, url in entry.alternates} for entry in listed}
    for entry in listed:
        for language, url in entry.alternates:
            if url not in linked_urls or language.lower() == "x-default":
                continue
            if entry.url not in linked_urls[url]:
                yield f"{url} does not list {entry.url}"
        if entry.alternates and entry.url not in linked_urls[entry.url]:
            yield f"{entry.url} does not list itself"


def _hreflang_links(facts: Facts, url: str) -> Iterator[tuple[str, str]]:
    """Yields language and absolute URL of each hreflang link of the page that is at `url`.

    A link with a malformed language, such as `hreflang="de_DE"`, is left out.
    """
    base = base_of(facts, url)
    for language, href in facts.alternates:
        alternate = resolve(href, base)
        if alternate and LANGUAGE.fullmatch(language):
            yield language, alternate
