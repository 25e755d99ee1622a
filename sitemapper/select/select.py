"""The front door: pages and facts in, listed and excluded pages out."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ..messages import Message, count, listing
from ..model import Excluded, Facts, Listed, Origin, Page, Reason, Scanned, Site
from .alternates import images_of, with_alternates
from .page import Notes, make_policy, select_page
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
    """Selects the pages of the sitemap, each with its URL, and says of all others why they are out.

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
        one = select_page(page, fact, policy, notes)
        if isinstance(one, Excluded):
            excluded.append(one)
            continue
        listed.append(one)
        owner = owners.setdefault(one.url, page)
        # Of two files for one URL, the one that servers show there keeps it, or else the first.
        if owner is not page and policy.page_at(one.url) == page.path:
            owners[one.url] = page
            excluded.append(_duplicate(owner, page, one.url))
        elif owner is not page:
            excluded.append(_duplicate(page, owner, one.url))
    if len(owners) < len(listed):
        listed = [one for one in listed if owners[one.url] is one.page]
    extra, excluded_extra = select_extra_urls(site, owners, policy.crawling)
    excluded += excluded_extra
    settings = site.found.config.settings
    if settings.images:
        listed = [one._replace(images=images_of(one)) for one in listed]
    if settings.hreflang:
        listed = with_alternates(listed, extra, site.base_url, notes)
    messages = list(_warnings(notes))
    if settings.hreflang and not any(one.alternates for one in listed):
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
