"""The language versions of a page: those that its hreflang links name, as crawlers read them."""

from collections.abc import Mapping, Sequence

from ..messages import Kind, Message
from ..model import Alternates, LinkedPage, Page, PageFacts
from ..read import server
from ..read.page import PageReader
from ..recent import Recent
from ..syntax.links import absolute_alternates, default_only, resolve_alternates
from ..syntax.urls import comparison_key
from .checked_page import CheckedPage
from .policy import IndexPolicy
from .signals.canonical import find_canonical


def find_alternates(
    page: Page, facts: PageFacts, loc: str, policy: IndexPolicy, reader: PageReader
) -> tuple[Alternates, Sequence[Message]]:
    """The language versions to list for a page, and warnings about those that crawlers ignore.

    For /de/a: `(("de", "https://a.example/de/a"), ("en", "https://a.example/en/a"))`. Crawlers
    want all versions of a page to have the same list. That is the usual case, so it is checked
    first, and the list is remembered for the other versions: with five languages and 15,000 pages,
    a build then takes a quarter of the time.
    """
    if policy.versions is None or not facts.metadata.alternates:
        return (), ()
    agreed_links = reader.agreed(page)
    if _includes(agreed_links, loc):
        return agreed_links, ()
    all_links = absolute_alternates(facts.metadata, loc)
    policy.versions.put(loc, LinkedPage(loc, all_links, page))
    others = _other_versions(all_links, loc, policy.versions, policy, reader)
    missing = _missing_versions(all_links, {loc, *others}, policy, reader)
    links = tuple(link for link in all_links if link[1] not in missing)
    same = [other for other in others.values() if set(other.alternates) == set(all_links)]
    if not missing and _includes(links, loc) and _agree(others, same, links):
        reader.agree(same)
        return links, ()
    page_urls = map(policy.locator.encoded, policy.locator.served_paths(page.path))
    page_keys = {comparison_key(url) for url in (loc, *page_urls)}
    alternates, faults = resolve_alternates(links, loc, page_keys, others)
    dangling = [Message(Kind.HREFLANG_MISSING, (f"{loc} names {url}",)) for url in missing]
    return alternates, (*faults, *dangling)


def _other_versions(
    links: Alternates,
    loc: str,
    versions: Recent[str, LinkedPage],
    policy: IndexPolicy,
    reader: PageReader,
) -> dict[str, LinkedPage]:
    """The other pages of the site that the page at `loc` names as its versions, by their URLs."""
    others: dict[str, LinkedPage] = {}
    for _, url in links:
        other = _find_page(url, policy, versions, reader) if url != loc else None
        if other:
            others[url] = other
    return others


def _agree(others: Mapping[str, LinkedPage], same: Sequence[LinkedPage], links: Alternates) -> bool:
    """Whether the other versions are listed at the URLs in a list, and have the same list.

    A page on which visitors choose a language need not have it.
    """
    if any(other.loc != url for url, other in others.items()):
        return False
    if len(same) == len(others):
        return True
    urls_with_same_list = {other.loc for other in same}
    return others.keys() <= urls_with_same_list | default_only(links)


def _missing_versions(
    links: Alternates, known: set[str], policy: IndexPolicy, reader: PageReader
) -> list[str]:
    """The language versions that the site does not have, besides those that are `known`.

    A page to choose a language may be anywhere, and a rule of the host may lead on.
    """
    unknown_urls = {url for _, url in links} - known - default_only(links)
    missing = []
    for url in sorted(unknown_urls):
        path = policy.locator.path_of(url)
        if path is None or comparison_key(url) in policy.extra_urls:
            continue
        if policy.moves_on_missing(policy.locator.encoded(path)):
            continue
        if server.file_for_url_path(reader.root, path) is None:
            missing.append(url)
    return missing


def _includes(links: Alternates, loc: str) -> bool:
    """Whether a list of language versions names a URL."""
    return any(url == loc for _, url in links)


def _find_page(
    url: str, policy: IndexPolicy, versions: Recent[str, LinkedPage], reader: PageReader
) -> LinkedPage | None:
    """The page of the site at a URL that another page names, None if there is none."""
    known = versions.get(url)
    if known:
        return known
    path = policy.locator.path_of(url)
    if path is None:
        return None
    page = server.page_at(reader.root, path)
    if page is None:
        return None
    facts = reader.facts(page, is_version=True)
    if not isinstance(facts, PageFacts):
        return None
    loc = _loc_of_version(page, facts, policy, reader)
    linked = LinkedPage(loc, absolute_alternates(facts.metadata, url), page)
    versions.put(url, linked)
    return linked


def _loc_of_version(page: Page, facts: PageFacts, policy: IndexPolicy, reader: PageReader) -> str:
    """The URL at which a page is listed, for another page that links to it as a language version.

    If the page's canonical names the page itself, the URL is spelled as there. Otherwise it is in
    the style of the site.
    """
    loc = policy.locator.loc(page.path)
    if facts.metadata.signals.get("canonical", loc) == loc:
        return loc
    checked = CheckedPage(page.path, loc, facts=facts)
    canonical = find_canonical(checked, policy, reader.root)
    names_itself = canonical is not None and canonical.file == page.path
    if not names_itself:
        return loc
    return checked._replace(canonical=canonical).canonical_loc(policy)
