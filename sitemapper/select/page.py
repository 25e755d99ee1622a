"""One page: listed or not, and at which URL. The first reason that applies decides."""

import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..config.model import Settings
from ..files import contents, site_file
from ..hosts.host import Rule, target_url
from ..model import (
    NO_VALUES,
    Excluded,
    Facts,
    Form,
    Listed,
    Origin,
    OwnUrl,
    Page,
    Reason,
    Scanned,
    Site,
)
from ..protocol import MAX_URL_LENGTH
from ..syntax.robots import Crawling, forbids_index
from ..syntax.urls import (
    FORMS,
    comparison_key,
    in_form,
    is_folder_page,
    normalize_base,
    origin_of,
    own_url,
    page_at,
    path_below,
    quote_path,
    resolve,
)
from .rules import PageRules

# What is wrong where, by the code of the warning.
Notes = defaultdict[str, list[str]]


class Policy(NamedTuple):
    """All that decides about pages, apart from the pages themselves."""

    site: Site
    settings: Settings
    rules: PageRules
    crawling: Crawling
    now: int  # seconds
    paths: frozenset[str]  # of all pages
    links: Mapping[str, str]  # folders that links stand for: {"latest": "2.1"}
    is_plain: bool  # only what a page says can exclude it

    def form_of(self, path: str) -> Form:
        """The URL form of a page, if nothing else is known of it."""
        forms = self.site.forms
        return forms.folder if is_folder_page(path) else forms.page

    def url_of(self, path: str, form: Form) -> str:
        """The URL of a page in a form."""
        return self.site.base_url + quote_path(in_form(path, form))

    def page_at(self, url: str) -> str | None:
        """The page at a URL of the site, in any form of it."""
        return page_at(url, self.site.base_url, self.paths)


class Candidate(NamedTuple):
    """A page while it is checked: the URL that it would have, and what decides about it there."""

    page: Page
    facts: Facts
    url: str
    canonical: str  # the URL that its canonical names, "" for its own
    rule: Rule | None  # of the host


def make_policy(site: Site, scanned: Scanned, rules: PageRules, now: int) -> Policy:
    """Collects what decides: rules, robots.txt at the root of the host, links to folders."""
    settings = site.found.config.settings
    robots = b""
    is_at_root = site.base_url == f"{origin_of(site.base_url)}/"
    if settings.respect.robots and is_at_root:
        robots = contents(site.found.folder, "robots.txt")
    crawling = Crawling(robots)
    of_host = site.host.moves or site.host.headers
    has_rules = bool(of_host or scanned.links or settings.rules or settings.sitemaps)
    return Policy(
        site=site,
        settings=settings,
        rules=rules,
        crawling=crawling,
        now=now,
        paths=frozenset(page.path for page in scanned.pages),
        links=scanned.links,
        is_plain=not has_rules and crawling.allows_all,
    )


def select_page(page: Page, facts: Facts, policy: Policy, notes: Notes) -> Listed | Excluded:
    """Decides whether one page is listed. If not, `origin` names the file or line that decides."""
    form = policy.form_of(page.path)
    url = policy.url_of(page.path, form)
    # Most pages say nothing but their own URL, and need no more than this.
    is_silent = _names_only_itself(facts, policy.site.base_url, form)
    if policy.is_plain and is_silent and len(url) < MAX_URL_LENGTH:
        return Listed(page, url, NO_VALUES, facts)

    values, unlisted = policy.rules.values_of(page.path)
    if facts.error:
        return Excluded(page.path, Reason.UNREADABLE, Origin(facts.error), url)
    if facts.kind:
        return Excluded(page.path, Reason.NOT_A_PAGE, Origin(page.path, None, facts.kind), url)
    if unlisted:
        return Excluded(page.path, Reason.RULE, unlisted, url)
    candidate = _locate(page, facts, url, policy, notes)
    for reason, check in SIGNALS:
        found = check(candidate, policy)
        if found:
            origin, target = found
            if reason is Reason.CANONICAL and not _is_there(target, policy):
                notes["canonical-missing"].append(page.path)
            return Excluded(page.path, reason, origin, candidate.url, target)
    return Listed(page, candidate.url, values, facts)


# From here on, each fact may exclude a page. Of those before, only the canonical does.
_DECIDING = Facts._fields.index("robots")


def _names_only_itself(facts: Facts, base_url: str, form: Form) -> bool:
    """Whether a page says nothing that could exclude it or change its URL."""
    if any(facts[_DECIDING:]):
        return False
    return facts.canonical in (None, (base_url, form))


_Finding = tuple[Origin, str]  # what decides, and the URL to which it leads


def _closed_by_robots(candidate: Candidate, policy: Policy) -> _Finding | None:
    line = policy.crawling.closing_line(candidate.url)
    return (line, "") if line else None


def _closed_by_host(candidate: Candidate, policy: Policy) -> _Finding | None:
    return _by_host(candidate, Reason.CLOSED)


def _redirected(candidate: Candidate, policy: Policy) -> _Finding | None:
    """A meta refresh to another page, or a redirect of the host."""
    page, facts = candidate.page, candidate.facts
    if facts.refresh and policy.settings.respect.refresh:
        target = resolve(facts.refresh, base_of(facts, candidate.url))
        if target and policy.page_at(target) != page.path:
            text = f'<meta http-equiv="refresh"> to {facts.refresh}'
            return Origin(page.path, None, text), target
    return _by_host(candidate, Reason.REDIRECT)


def _noindex(candidate: Candidate, policy: Policy) -> _Finding | None:
    """A robots meta with noindex, or else a header of the host. Neither leads to another URL."""
    if not policy.settings.respect.noindex:
        return None
    for name, content in candidate.facts.robots:
        if forbids_index(content, policy.now):
            text = f'<meta name="{name}" content="{content}">'
            return Origin(candidate.page.path, None, text), ""
    return _by_host(candidate, Reason.NOINDEX)


def _by_host(candidate: Candidate, action: Reason) -> _Finding | None:
    """The host's rule for the URL, if it is one that does this: redirect, deny or send noindex."""
    rule = candidate.rule
    return (rule.origin, rule.target) if rule and rule.action is action else None


def _canonical_elsewhere(candidate: Candidate, policy: Policy) -> _Finding | None:
    if not candidate.canonical or not policy.settings.respect.canonical:
        return None
    written = candidate.facts.canonical
    href = written if isinstance(written, str) else candidate.canonical
    text = f'<link rel="canonical" href="{href}">'
    return Origin(candidate.page.path, None, text), candidate.canonical


def _below_link(candidate: Candidate, policy: Policy) -> _Finding | None:
    """A copy of a page, because a link in its path stands for another folder of the site.

    A canonical would say which of the two is to be listed, so a page with one is left to it.
    """
    if candidate.facts.canonical and policy.settings.respect.canonical:
        return None
    for link, folder in policy.links.items():
        real = folder + candidate.page.path.removeprefix(link)
        # Without the real page, which may be ignored, the link leads to no other one.
        if candidate.page.path.startswith(f"{link}/") and real in policy.paths:
            url = policy.url_of(real, policy.form_of(real))
            return Origin(real, None, "is the page to which this link leads"), url
    return None


def _too_long(candidate: Candidate, policy: Policy) -> _Finding | None:
    length = len(candidate.url)
    if length < MAX_URL_LENGTH:
        return None
    return Origin(f"{length:,} characters", None, "at most 2,047"), ""


# The reasons that are found page by page, in the order in which they decide.
SIGNALS: tuple[tuple[Reason, Callable[[Candidate, Policy], _Finding | None]], ...] = (
    (Reason.ROBOTS, _closed_by_robots),
    (Reason.CLOSED, _closed_by_host),
    (Reason.REDIRECT, _redirected),
    (Reason.NOINDEX, _noindex),
    (Reason.CANONICAL, _canonical_elsewhere),
    (Reason.DUPLICATE, _below_link),
    (Reason.TOO_LONG, _too_long),
)


def _locate(page: Page, facts: Facts, url: str, policy: Policy, notes: Notes) -> Candidate:
    """Finds the URL at which a page would be listed.

    A canonical that names the page itself chooses the form of the URL. Then redirects of the host
    may lead to another form.
    """
    canonical = _canonical_url(page, facts, url, policy)
    form = _form_of_canonical(page, canonical, policy, notes) if canonical else None
    if form:
        url = policy.url_of(page.path, form)
        canonical = ""  # it names no other page
    url, rule = _follow_moves(page, url, policy)
    return Candidate(page, facts, url, canonical, rule)


def _canonical_url(page: Page, facts: Facts, url: str, policy: Policy) -> str:
    """The URL that a page's canonical names, "" without one.

    A URL at the former address of the site becomes the one at the base URL.
    """
    canonical = facts.canonical
    if canonical is None:
        return ""
    if isinstance(canonical, OwnUrl):
        path = quote_path(in_form(page.path, canonical.form))
        target = normalize_base(canonical.base) + path
    else:
        target = resolve(canonical, base_of(facts, url)) or ""
    former = policy.site.former_base_url
    if former and target.startswith(former):
        return policy.site.base_url + target.removeprefix(former)
    return target


def _form_of_canonical(page: Page, canonical: str, policy: Policy, notes: Notes) -> Form | None:
    """The URL form that a page's canonical chooses; None if it names another page.

    For `tea.html`, the canonical `https://a.example/tea` chooses the form `bare`. If the host is
    certain and would redirect that URL, the form to which it redirects is chosen instead. Both this
    and a canonical with `http:` for a site with `https:` are noted.
    """
    own = own_url(page.path, comparison_key(canonical))
    if own is None or policy.page_at(canonical) != page.path:
        return None
    if canonical.partition(":")[0] != policy.site.base_url.partition(":")[0]:
        notes["canonical-scheme"].append(page.path)
    host = policy.site.host
    if host.is_certain and host.forms:
        served = host.forms.folder if is_folder_page(page.path) else host.forms.page
        if own.form not in served:
            notes["canonical-form"].append(page.path)
            return served[0]
    return own.form


def _is_there(url: str, policy: Policy) -> bool:
    """Whether a URL leads to a page or a file. One on another site is taken to do so."""
    path = path_below(url, policy.site.base_url)
    if path is None or policy.page_at(url):
        return True
    return os.path.isfile(site_file(policy.site.found.folder, path))


def _follow_moves(page: Page, url: str, policy: Policy) -> tuple[str, Rule | None]:
    """Follows the host's redirects as long as they lead to other URLs of the same page.

    Returns the last URL, and the rule by which the page is not there: a redirect to another page, a
    denial or a noindex. If the redirects go in a circle, they are ignored.
    """
    host = policy.site.host
    start = len(policy.site.base_url) - 1  # in a URL, of the path from the base URL: `/a`
    last = url
    for _ in FORMS:  # a page has no more URLs than forms, so a longer chain is a circle
        rule = host.move_at(last[start:])
        if rule is None:
            return last, host.header_at(last[start:], policy.now)
        if rule.action is not Reason.REDIRECT:  # a denial, which leads nowhere
            return last, rule._replace(target="")
        target = target_url(rule.target, policy.site.base_url)
        if policy.page_at(target) != page.path:
            return last, rule._replace(target=target)
        last = target.partition("?")[0]
    # A circle.
    return url, host.header_at(url[start:], policy.now)


def base_of(facts: Facts, url: str) -> str:
    """The URL against which the relative URLs of a page are resolved."""
    if facts.base is None:
        return url
    return resolve(facts.base, url) or url
