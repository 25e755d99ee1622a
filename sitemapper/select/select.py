"""The front door: pages and facts in, listed and excluded pages out."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ..messages import Message
from ..model import (
    NO_VALUES,
    Excluded,
    Facts,
    Listed,
    Origin,
    OwnUrl,
    Page,
    Reason,
    Scanned,
    Site,
)
from ..protocol import MAX_URL_LENGTH
from .alternates import Versions
from .extra import select_extra_urls
from .notes import Notes, warnings
from .page import Policy, make_policy, select_page
from .rules import PageRules


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
    excluded = list(scanned.excluded)
    for page, fact in zip(scanned.pages, facts, strict=True):
        one = _select_plain(page, fact, policy) or select_page(page, fact, policy, notes)
        if isinstance(one, Listed):
            listed.append(one)
        else:
            excluded.append(one)
    listed, duplicates = _without_duplicates(listed, policy)
    extra, excluded_extra = select_extra_urls(site, listed, policy)
    excluded += [*duplicates, *excluded_extra]
    settings = site.found.config.settings
    if settings.hreflang or settings.images:
        versions = Versions(site, listed, extra, notes)
        listed = [versions.complete(one) for one in listed]
    messages = list(warnings(notes))
    if settings.hreflang and not any(one.alternates for one in listed):
        text = "hreflang is set, but no page has hreflang links"
        help = 'add <link rel="alternate" hreflang="…"> to the pages, or remove the key'
        messages.append(Message("warning", "no-alternates", text, help))
    return Selected([*listed, *extra], excluded, tuple(messages))


def _select_plain(page: Page, fact: Facts, policy: Policy) -> Listed | None:
    """Lists an ordinary page in less than half the time: it says nothing but its own URL."""
    if not policy.is_plain or fact.robots or fact.refresh or fact.kind or fact.error:
        return None
    form = policy.form_of(page.path)
    url = policy.url_of(page.path, form)
    is_own = fact.canonical in (None, OwnUrl(policy.site.base_url, form))
    return Listed(page, url, NO_VALUES, fact) if is_own and len(url) < MAX_URL_LENGTH else None


def _without_duplicates(
    listed: list[Listed], policy: Policy
) -> tuple[list[Listed], list[Excluded]]:
    """Lists each URL once: for the page that servers show there, else for the first one."""
    owners: dict[str, Listed] = {}
    for one in listed:
        first = owners.setdefault(one.url, one)
        if first is not one and one.page and policy.page_at(one.url) == one.page.path:
            owners[one.url] = one
    kept = [one for one in listed if owners[one.url] is one]
    excluded: list[Excluded] = []
    for one in listed:
        owner = owners[one.url]
        if owner is not one and one.page and owner.page:
            origin = Origin(owner.page.path, None, "has the same URL")
            excluded.append(Excluded(one.page.path, Reason.DUPLICATE, origin, one.url, one.url))
    return kept, excluded
