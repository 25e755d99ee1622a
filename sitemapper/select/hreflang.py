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
    """Finds the language versions to list for the page at `loc`, and warns of wrong hreflang links.

    For /de/a, which links to itself and to /en/a, and which /en/a links back:
    `(("de", "https://a.example/de/a"), ("en", "https://a.example/en/a"))`, and no warnings. Both
    results are empty if the page links to no version, or if the build needs none
    (`policy.versions` is None).
    """
    if policy.versions is None or not facts.metadata.alternates:
        return (), ()
    # 1. An earlier version of this page had the same links as all its versions. The links are then
    # right for this page, too, if they name the URL at which it is listed.
    agreed_links = reader.common_list_of(page)
    if _has_url(agreed_links, loc):
        return agreed_links, ()
    # 2. Read the pages to which this one links. If all of them have the same links, as usual, the
    # reader remembers that for step 1. With five languages and 15,000 pages, a build is then four
    # times as fast.
    links = absolute_alternates(facts.metadata, loc)
    policy.versions.put(loc, LinkedPage(loc, links, page))  # for the pages that link to this one
    others = _other_versions(links, loc, policy.versions, policy, reader)
    missing_urls = _missing_urls(links, {loc, *others}, policy, reader)
    if _has_url(links, loc) and not missing_urls:
        own_links = set(links)
        with_same_links = [other for other in others.values() if set(other.alternates) == own_links]
        if _all_agree(others, with_same_links, links):
            reader.remember_common_list(with_same_links)
            return links, ()
    # 3. Otherwise, check each link by itself. One to a page that does not exist is left out.
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
    """Finds the pages to which the page at `loc` links as its versions: {URL in the link: page}.

    The page itself is left out, as are URLs at which the site has no page.
    """
    others: dict[str, LinkedPage] = {}
    for _language, url in links:
        if url == loc:
            continue
        other = _find_linked_page(url, policy, versions, reader)
        if other:
            others[url] = other
    return others


def _all_agree(
    others: Mapping[str, LinkedPage], with_same_links: Sequence[LinkedPage], links: Alternates
) -> bool:
    """Whether the links of one language version of a page are right for all its versions.

    The page /en/a links to itself, to /de/a and, as x-default, to /a, where visitors choose a
    language. The result for this page:

        /de/a and /a have the same links        True
        only /de/a has the same links           True: a page for x-default alone may have others
        /de/a has other links                   False
        /de/a is listed at the URL /de/a.html   False: the links name a URL that is not listed

    `links` are those of the page. `others` are the pages to which it links: {URL in the link:
    page}. `with_same_links` are those of them that have the same links.
    """
    links_to_listed_urls = all(other.loc == url for url, other in others.items())
    if not links_to_listed_urls:
        return False
    urls_with_other_links = others.keys() - {other.loc for other in with_same_links}
    urls_only_for_default = default_only(links)  # here, /a
    return urls_with_other_links <= urls_only_for_default


def _missing_urls(
    links: Alternates, found_urls: set[str], policy: IndexPolicy, reader: PageReader
) -> list[str]:
    """Lists the URLs in hreflang links at which this site has no page, sorted.

    The caller leaves them out, with a warning. `found_urls` are the URLs at which it has found a
    page. These URLs are never listed as missing:

    - a URL that is linked only as x-default, where visitors choose a language
    - a URL of another site, or one that the project lists itself (`[[urls]]` and `extra`)
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

    Usually, this is the URL in the style of the site, such as /de/a. If the canonical of the page
    names the page itself by another URL, such as /de/a.html, the result is that URL.
    """
    loc = policy.locator.loc(page.path)
    # The usual case: no canonical, or one that names just this URL.
    if facts.metadata.signals.get("canonical", loc) == loc:
        return loc
    checked = CheckedPage(page.path, loc, facts=facts)
    canonical = find_canonical(checked, policy, reader.root)
    with_canonical = checked._replace(canonical=canonical)
    if not with_canonical.names_itself:
        return loc
    return with_canonical.canonical_loc(policy)
