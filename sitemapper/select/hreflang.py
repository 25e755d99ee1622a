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
from .policy import IndexPolicy, Location
from .signals.canonical import find_canonical


def find_alternates(
    page: Page, facts: PageFacts, loc: str, policy: IndexPolicy, reader: PageReader
) -> tuple[Alternates, Sequence[Message]]:
    """Finds the language versions to list for the page at `loc`, and warns of wrong hreflang links.

    /de/a links to itself and to /en/a, and /en/a links back. For /de/a, the versions are
    `(("de", "https://a.example/de/a"), ("en", "https://a.example/en/a"))`. There are none for a
    page without hreflang links, or if the build needs none (`policy.versions` is None).
    """
    if policy.versions is None or not facts.metadata.alternates:
        return (), ()
    # 1. The quick way: when /en/a was selected, all was right, and step 2 stored the links for
    # /de/a, too. With five languages, this makes a build four times as fast.
    stored_links = reader.common_links_of(page)
    if _has_url(stored_links, loc):
        return stored_links, ()
    # 2. Compare the links of all pages to which this page links. Usually, they are the same.
    links = absolute_alternates(facts.metadata, loc)
    policy.versions.put(loc, LinkedPage(loc, links, page))  # so that others need not read this page
    others = _other_versions(links, loc, policy.versions, policy, reader)
    missing_urls = _missing_urls(links, {loc, *others}, policy, reader)
    lists_itself = _has_url(links, loc)
    if lists_itself and not missing_urls and _are_links_common(links, others):
        # Store the links for these pages. Those that are linked only as x-default may have others.
        own_links = set(links)
        with_same_links = [other for other in others.values() if set(other.alternates) == own_links]
        reader.remember_common_links(with_same_links)
        return links, ()
    # 3. Some links differ, so check each. A link to a page that does not exist is left out.
    links_to_pages = tuple((language, url) for language, url in links if url not in missing_urls)
    keys_of_page = _keys_of_page(page, loc, policy)
    alternates, warnings = resolve_alternates(links_to_pages, loc, keys_of_page, others)
    missing_warnings = [
        Message(Kind.HREFLANG_MISSING, (f"{loc} names {url}",)) for url in missing_urls
    ]
    return alternates, (*warnings, *missing_warnings)


def _keys_of_page(page: Page, loc: str, policy: IndexPolicy) -> set[str]:
    """Collects all URLs by which another language version may link to a page, as comparison keys.

    The page is listed at `loc`, /de/a. A server may show its file `de/a.html` at /de/a.html, too.
    """
    urls = map(policy.locator.encoded, policy.locator.served_paths(page.path))
    return {comparison_key(url) for url in (loc, *urls)}


def _other_versions(
    links: Alternates,
    loc: str,
    versions: Recent[str, LinkedPage],
    policy: IndexPolicy,
    reader: PageReader,
) -> dict[str, LinkedPage]:
    """Finds the pages to which the page at `loc` links as its language versions.

    Returns `{URL in the link: page}`, without a link to `loc`, and without URLs at which this site
    has no page. `versions` stores pages that were read already.
    """
    others: dict[str, LinkedPage] = {}
    for _language, url in links:
        if url == loc:
            continue
        other = _find_linked_page(url, policy, versions, reader)
        if other:
            others[url] = other
    return others


def _are_links_common(links: Alternates, others: Mapping[str, LinkedPage]) -> bool:
    """Says whether all language versions of a page have the same hreflang links as the page.

    No link need then be checked by itself. `links` are those of the page: /en/a links to itself, to
    /de/a and, as x-default, to /a, where visitors choose a language. `others` are the pages to
    which it links, by the URL in the link. The result is:

        True     /de/a has the same three links; /a is no language version, so it may have others
        False    /de/a has other links
        False    the page at /de/a or at /a is listed at another URL, such as /de/a.html
    """
    own_links = set(links)
    urls_only_for_default = default_only(links)  # here, /a
    for url, other in others.items():
        if other.loc != url:
            return False
        if url not in urls_only_for_default and set(other.alternates) != own_links:
            return False
    return True


def _missing_urls(
    links: Alternates, found_urls: set[str], policy: IndexPolicy, reader: PageReader
) -> list[str]:
    """Lists the URLs in hreflang links at which this site has no page, sorted.

    The caller leaves them out, with a warning. `found_urls` are the URLs at which it has found a
    page. These URLs are never listed as missing:

    - a URL that is linked only as x-default, where visitors choose a language
    - a URL of another site, or one that the project lists itself (`[[urls]]`)
    - a URL for which the host has a rule, which may redirect it to a page
    """
    unknown_urls = {url for _, url in links} - found_urls - default_only(links)
    missing = []
    for url in sorted(unknown_urls):
        path = policy.locator.path_of(url)
        if path is None or comparison_key(url) in policy.extra_urls:
            continue
        has_rule_of_host = policy.moves_for_missing_file(policy.locator.encoded(path))
        if has_rule_of_host:
            continue
        if server.file_for_url_path(reader.root, path) is None:
            missing.append(url)
    return missing


def _has_url(links: Alternates, loc: str) -> bool:
    """Says whether the URL `loc` is in a list of language versions, under any language."""
    return any(url == loc for _, url in links)


def _find_linked_page(
    url: str, policy: IndexPolicy, versions: Recent[str, LinkedPage], reader: PageReader
) -> LinkedPage | None:
    """Finds the page of this site at the URL of an hreflang link, with its own language versions.

    None if the URL is on another site, or if no page that can be read is there. The page is stored
    in `versions`, so that it is read only once for several links to it.
    """
    stored = versions.get(url)
    if stored:
        return stored
    path = policy.locator.path_of(url)
    if path is None:
        return None
    page = server.page_at(reader.root, path)
    if page is None:
        return None
    facts = reader.facts(page, is_version=True)
    if not isinstance(facts, PageFacts):  # it cannot be read
        return None
    loc = _loc_of_version(page, facts, policy, reader)
    linked = LinkedPage(loc, absolute_alternates(facts.metadata, url), page)
    versions.put(url, linked)
    return linked


def _loc_of_version(page: Page, facts: PageFacts, policy: IndexPolicy, reader: PageReader) -> str:
    """Finds the URL at which a page is listed, to write it as a language version of another page.

    For `de/a.html`, in a site that lists pages at URLs such as /de/a:

    | its canonical                                   | result     |
    |-------------------------------------------------|------------|
    | none, or just /de/a                             | /de/a      |
    | /de/b, another page                             | /de/a      |
    | /de/a.html, from which the host redirects       | /de/a      |
    | /de/a.html, at which the host shows the page    | /de/a.html |
    """
    loc = policy.locator.loc(page.path)
    if facts.metadata.signals.get("canonical", loc) == loc:  # the usual case
        return loc
    checked = CheckedPage(page.path, loc, Location(loc), facts=facts)
    canonical = find_canonical(checked, policy, reader.root)
    if canonical is None or canonical.file != page.path:
        return loc
    canonical_loc = canonical.loc(policy.locator.base)
    return canonical_loc if policy.is_shown_at(checked, canonical_loc) else loc
