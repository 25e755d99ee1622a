"""One page: listed or not, and at which URL. The first reason that applies decides."""

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..files import contents, site_file
from ..hosts.host import Rule
from ..model import Excluded, Facts, Form, Listed, Origin, OwnUrl, Page, Reason, Scanned, Site
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
from .alternates import base_of
from .notes import Notes
from .rules import PageRules


class Policy(NamedTuple):
    """All that decides about pages, apart from the pages themselves."""

    site: Site
    rules: PageRules
    crawling: Crawling
    now: int  # seconds
    paths: frozenset[str]  # of all pages
    links: Mapping[str, str]  # folders that links stand for: {"latest": "2.1"}
    is_plain: bool  # only what a page says can exclude it

    def form_of(self, path: str) -> Form:
        """The URL form of a page: that of the site, or of the host for names with a dot."""
        forms = self.site.forms
        form = forms.folder if is_folder_page(path) else forms.page
        if self.site.host.dotted_forms is None:
            return form
        served = self.served_forms(path)
        return form if form in served else served[0]

    def served_forms(self, path: str) -> tuple[Form, ...]:
        """The URL forms of a page that the host does not redirect."""
        forms = self.site.host.forms_of(path)
        if forms is None:
            return FORMS
        return forms.folder if is_folder_page(path) else forms.page

    def url_of(self, path: str, form: Form | None = None) -> str:
        """The URL of a page in a form, by default in its own."""
        if form is None:
            form = self.form_of(path)
        return self.site.base_url + quote_path(in_form(path, form))

    def page_at(self, url: str) -> str | None:
        """The page at a URL of the site, in any form of it."""
        return page_at(url, self.site.base_url, self.paths)

    def path_on_host(self, url: str) -> str:
        """The path of a URL below the base URL, as the host's rules have it: `/a`."""
        return url[len(self.site.base_url) - 1 :]


class Candidate(NamedTuple):
    """A page while it is checked: the URL that it would have, and the host's rule there."""

    page: Page
    facts: Facts
    url: str
    canonical: str = ""  # the URL that its canonical names, if that is another page
    rule: Rule | None = None


def make_policy(site: Site, scanned: Scanned, rules: PageRules, now: int) -> Policy:
    """Collects what decides: rules, robots.txt at the root of the host, links to folders."""
    settings = site.found.config.settings
    robots = b""
    is_at_root = site.base_url == f"{origin_of(site.base_url)}/"
    if settings.respect.robots and is_at_root:
        robots = contents(site.found.folder, "robots.txt")
    crawling = Crawling(robots)
    has_rules = bool(site.host.moves or site.host.headers or rules or scanned.links)
    return Policy(
        site=site,
        rules=rules,
        crawling=crawling,
        now=now,
        paths=frozenset(page.path for page in scanned.pages),
        links=scanned.links,
        is_plain=not has_rules and crawling.allows_all,
    )


def select_page(page: Page, facts: Facts, policy: Policy, notes: Notes) -> Listed | Excluded:
    """Decides about one page. Its `origin` says which file or line excludes it."""
    values, unlisted = policy.rules.values_of(page.path)
    url = policy.url_of(page.path)
    if facts.error:
        return Excluded(page.path, Reason.UNREADABLE, Origin(facts.error), url)
    if facts.kind:
        return Excluded(page.path, Reason.NOT_A_PAGE, Origin(page.path, None, facts.kind), url)
    if unlisted:
        return Excluded(page.path, Reason.RULE, unlisted, url)
    candidate = _locate(page, facts, policy, notes)
    for reason, check in SIGNALS:
        found = check(candidate, policy)
        if found:
            origin, target = found
            if reason is Reason.CANONICAL and not _is_there(target, policy):
                notes["canonical-missing"].append(page.path)
            return Excluded(page.path, reason, origin, candidate.url, target)
    return Listed(page, candidate.url, values, facts)


_Finding = tuple[Origin, str]  # what decides, and the URL to which it leads


def _closed_by_robots(candidate: Candidate, policy: Policy) -> _Finding | None:
    line = policy.crawling.forbids(candidate.url)
    return (line, "") if line else None


def _closed_by_host(candidate: Candidate, policy: Policy) -> _Finding | None:
    rule = candidate.rule
    return (rule.origin, "") if rule and rule.action is Reason.CLOSED else None


def _redirected(candidate: Candidate, policy: Policy) -> _Finding | None:
    """A meta refresh to another page, or a redirect of the host."""
    page, facts, url = candidate.page, candidate.facts, candidate.url
    if facts.refresh is not None and policy.site.found.config.settings.respect.refresh:
        target = resolve(facts.refresh, base_of(facts, url))
        if target and policy.page_at(target) != page.path:
            text = f'<meta http-equiv="refresh"> to {facts.refresh}'
            return Origin(page.path, None, text), target
    rule = candidate.rule
    if rule and rule.action is Reason.REDIRECT:
        return rule.origin, _target_of(rule, policy)
    return None


def _noindex(candidate: Candidate, policy: Policy) -> _Finding | None:
    if not policy.site.found.config.settings.respect.noindex:
        return None
    for name, content in candidate.facts.robots:
        if forbids_index(content, policy.now):
            text = f'<meta name="{name}" content="{content}">'
            return Origin(candidate.page.path, None, text), ""
    rule = candidate.rule
    return (rule.origin, "") if rule and rule.action is Reason.NOINDEX else None


def _canonical_elsewhere(candidate: Candidate, policy: Policy) -> _Finding | None:
    if not candidate.canonical:
        return None
    written = candidate.facts.canonical
    href = written if isinstance(written, str) else candidate.canonical
    text = f'<link rel="canonical" href="{href}">'
    return Origin(candidate.page.path, None, text), candidate.canonical


def _below_link(candidate: Candidate, policy: Policy) -> _Finding | None:
    """A page below a link to a folder, which only its canonical could name."""
    for link, folder in policy.links.items():
        if candidate.page.path.startswith(f"{link}/") and candidate.facts.canonical is None:
            real = folder + candidate.page.path.removeprefix(link)
            return Origin(real, None, "is the page to which this link leads"), policy.url_of(real)
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


def _locate(page: Page, facts: Facts, policy: Policy, notes: Notes) -> Candidate:
    """Finds the URL of a page by its canonical, and by the host's redirects between its forms."""
    url = policy.url_of(page.path)
    other = ""
    named = _named_by_canonical(page, facts, url, policy)
    own = _own_url_named(page, named, policy, notes) if named else None
    if own:
        url = own
    elif named:
        other = named
    url, rule = _follow_moves(page, url, policy)
    return Candidate(page, facts, url, other, rule)


def _named_by_canonical(page: Page, facts: Facts, url: str, policy: Policy) -> str | None:
    """The URL that a page's canonical names; one at the site's former address is moved."""
    canonical = facts.canonical
    if canonical is None:
        return None
    if isinstance(canonical, OwnUrl):
        path = quote_path(in_form(page.path, canonical.form))
        named: str | None = normalize_base(canonical.base) + path
    else:
        named = resolve(canonical, base_of(facts, url))
    former = policy.site.former_base_url
    if named and former and named.startswith(former):
        return policy.site.base_url + named.removeprefix(former)
    return named


def _own_url_named(page: Page, named: str, policy: Policy, notes: Notes) -> str | None:
    """The URL at which a page is listed whose canonical names itself; None if it names another.

    A form that a certain host redirects gives the one that it serves.
    """
    base_url = policy.site.base_url
    if f"{named}/" == base_url:  # the home page of a site below a path
        named = base_url
    if policy.page_at(named) not in (page.path, None):
        return None
    our_scheme, _, base = base_url.partition("://")
    scheme, _, rest = named.partition("://")
    own = own_url(page.path, comparison_key(named))
    if own is None or own.base.partition("://")[2] != base:
        return None
    if scheme != our_scheme:
        notes["canonical-scheme"].append(page.path)
    served = policy.served_forms(page.path)
    if policy.site.host.is_certain and own.form not in served:
        notes["canonical-form"].append(page.path)
        usual = policy.form_of(page.path)
        return policy.url_of(page.path, usual if usual in served else served[0])
    return f"{our_scheme}://{rest}"


def _is_there(url: str, policy: Policy) -> bool:
    """Whether a URL is on another site, or that of a file of this one."""
    path = path_below(url, policy.site.base_url)
    if path is None or policy.page_at(url):
        return True
    return os.path.isfile(site_file(policy.site.found.folder, path))


def _follow_moves(page: Page, url: str, policy: Policy) -> tuple[str, Rule | None]:
    """Follows the host's redirects from one URL of a page to another one of the same page.

    Returns the last URL, and the rule that takes the page away there. A rewrite takes no page, and
    a circle decides nothing.
    """
    host = policy.site.host
    last = url
    for _ in FORMS:
        rule = host.move_at(policy.path_on_host(last))
        if rule is None or rule.action is Reason.DUPLICATE:
            break
        target = _target_of(rule, policy).partition("?")[0]
        if rule.action is not Reason.REDIRECT or policy.page_at(target) != page.path:
            return last, rule
        last = target
    else:
        last = url
    return last, host.header_at(policy.path_on_host(last))


def _target_of(rule: Rule, policy: Policy) -> str:
    """The target of a rule as a URL; people write it with the path of the base URL or without."""
    base = policy.site.base_url
    base_path = base.removeprefix(origin_of(base))
    target = rule.target
    if "://" not in target and not target.startswith(("//", base_path)):
        target = base + target.lstrip("/")
    return resolve(target, base) or ""
