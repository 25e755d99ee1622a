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
        """The usual URL form of pages such as this one: `slash` for `a/index.html`."""
        forms = self.site.forms
        return forms.folder if is_folder_page(path) else forms.page

    def url_of(self, path: str, form: Form) -> str:
        """The URL of a page in a form."""
        return self.site.base_url + quote_path(in_form(path, form))

    def page_at(self, url: str) -> str | None:
        """The path of the page at a URL in any form: `b.html` for https://a.example/b/."""
        return page_at(url, self.site.base_url, self.paths)


class Candidate(NamedTuple):
    """A page that is being checked, with all that may exclude it."""

    page: Page
    facts: Facts
    url: str  # at which it would be listed
    canonical: str  # the URL of another page that its canonical names, "" without one
    rule: Rule | None  # of the host for `url`, such as a redirect


def make_policy(site: Site, scanned: Scanned, rules: PageRules, now: int) -> Policy:
    """Collects what decides about pages: settings, rules, robots.txt, and links to folders.

    `now` is the time in seconds, for a `noindex` that begins at a date.
    """
    settings = site.found.config.settings
    robots = b""
    # Crawlers read robots.txt only at the root of a host, and not at https://a.example/docs/.
    is_at_root = site.base_url == f"{origin_of(site.base_url)}/"
    if settings.respect.robots and is_at_root:
        robots = contents(site.found.folder, "robots.txt")
    crawling = Crawling(robots)

    has_host_rules = bool(site.host.moves or site.host.headers)
    has_own_rules = bool(settings.rules or settings.sitemaps)
    has_rules = has_host_rules or has_own_rules or bool(scanned.links)
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
    """Decides whether one page is listed, and at which URL.

    The first reason that applies excludes it. The `origin` of an `Excluded` is the file or the line
    that decides. `facts` is what the page says. Warnings are added to `notes`.
    """
    form = policy.form_of(page.path)
    url = policy.url_of(page.path, form)
    # A shortcut for speed: most pages say nothing but their own URL, and no rule is for them.
    is_silent = _names_only_itself(facts, policy.site.base_url, form)
    if policy.is_plain and is_silent and len(url) < MAX_URL_LENGTH:
        return Listed(page, url, NO_VALUES, facts)

    # Reasons for which the final URL need not be known.
    values, unlisted = policy.rules.values_of(page.path)
    if facts.error:
        return Excluded(page.path, Reason.UNREADABLE, Origin(facts.error), url)
    if facts.kind:
        return Excluded(page.path, Reason.NOT_A_PAGE, Origin(page.path, None, facts.kind), url)
    if unlisted:
        return Excluded(page.path, Reason.RULE, unlisted, url)

    candidate = _locate(page, facts, url, policy, notes)
    for reason, check in SIGNALS:
        finding = check(candidate, policy)
        if finding:
            origin, target = finding
            if reason is Reason.CANONICAL and not _is_there(target, policy):
                notes["canonical-missing"].append(page.path)
            return Excluded(page.path, reason, origin, candidate.url, target)
    return Listed(page, candidate.url, values, facts)


# From this field of `Facts` on, each may exclude a page. Of those before, only `canonical` may.
_FIRST_DECIDING = Facts._fields.index("robots")


def _names_only_itself(facts: Facts, base_url: str, form: Form) -> bool:
    """Whether a page says nothing that could exclude it or change its URL.

    It has no canonical, or one that is its URL in the usual form of the site.
    """
    if any(facts[_FIRST_DECIDING:]):
        return False
    return facts.canonical in (None, OwnUrl(base_url, form))


_Finding = tuple[Origin, str]  # what decides, and the URL to which it leads


def _closed_by_robots(candidate: Candidate, policy: Policy) -> _Finding | None:
    """Finds the line of robots.txt that disallows the URL."""
    line = policy.crawling.closing_line(candidate.url)
    return (line, "") if line else None


def _closed_by_host(candidate: Candidate, policy: Policy) -> _Finding | None:
    """Finds a rule by which the host answers 404 or 410 at the URL."""
    return _by_host(candidate, Reason.CLOSED)


def _redirected(candidate: Candidate, policy: Policy) -> _Finding | None:
    """Finds a meta refresh to another page, or a redirect of the host."""
    page, facts = candidate.page, candidate.facts
    if facts.refresh and policy.settings.respect.refresh:
        target = resolve(facts.refresh, base_of(facts, candidate.url))
        # A page that refreshes to itself only loads its news, and stays listed.
        if target and policy.page_at(target) != page.path:
            text = f'<meta http-equiv="refresh"> to {facts.refresh}'
            return Origin(page.path, None, text), target
    return _by_host(candidate, Reason.REDIRECT)


def _noindex(candidate: Candidate, policy: Policy) -> _Finding | None:
    """Finds a robots meta with noindex, or else a header of the host that says so.

    The target is "", because neither leads to another URL.
    """
    if not policy.settings.respect.noindex:
        return None
    for name, content in candidate.facts.robots:
        if forbids_index(content, policy.now):
            text = f'<meta name="{name}" content="{content}">'
            return Origin(candidate.page.path, None, text), ""
    return _by_host(candidate, Reason.NOINDEX)


def _by_host(candidate: Candidate, action: Reason) -> _Finding | None:
    """Returns where the host's rule for the URL stands, and its target, if it has this action.

    The action is REDIRECT, CLOSED or NOINDEX.
    """
    rule = candidate.rule
    return (rule.origin, rule.target) if rule and rule.action is action else None


def _canonical_elsewhere(candidate: Candidate, policy: Policy) -> _Finding | None:
    """Finds a canonical that names another page, or a URL on another site."""
    if not candidate.canonical or not policy.settings.respect.canonical:
        return None
    # Quoted as the page has it. Of an `OwnUrl`, only the absolute URL is known.
    written = candidate.facts.canonical
    href = written if isinstance(written, str) else candidate.canonical
    text = f'<link rel="canonical" href="{href}">'
    return Origin(candidate.page.path, None, text), candidate.canonical


def _below_link(candidate: Candidate, policy: Policy) -> _Finding | None:
    """Finds the original of a page that is seen twice, because its folder is a symbolic link.

    If `latest` links to `2.1`, `latest/a.html` is left out in favor of `2.1/a.html`. But if the
    page has a canonical, the canonical decides which of the two is listed.
    """
    if candidate.facts.canonical and policy.settings.respect.canonical:
        return None
    path = candidate.page.path
    for link, folder in policy.links.items():
        if not path.startswith(f"{link}/"):
            continue
        original = folder + path.removeprefix(link)
        if original in policy.paths:  # it is not, if a pattern ignores it
            url = policy.url_of(original, policy.form_of(original))
            return Origin(original, None, "is the page to which this link leads"), url
    return None


def _too_long(candidate: Candidate, policy: Policy) -> _Finding | None:
    """Finds that the URL is longer than a sitemap may have."""
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
    """Finds the URL at which a page would be listed; `url` is its URL in the site's usual form.

    The page `b.html` may be at `/b.html`, `/b` or `/b/`. A canonical that names the page itself
    chooses among them. Then redirects of the host may lead from one to another.
    """
    canonical = _canonical_url(page, facts, url, policy)
    form = _form_of_canonical(page, canonical, policy, notes) if canonical else None
    if form:
        url = policy.url_of(page.path, form)
        canonical = ""  # it names no other page, so it is no reason to exclude this one
    url, rule = _follow_moves(page, url, policy)
    return Candidate(page, facts, url, canonical, rule)


def _canonical_url(page: Page, facts: Facts, url: str, policy: Policy) -> str:
    """The absolute URL that a page's canonical names, "" without one.

    If the site has moved from https://ann.github.io/ to https://tea.example/, and the page still
    names https://ann.github.io/b, this is https://tea.example/b.
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
    # `own_url` compares only the end of the URL, and `page_at` says which page of the site has it.
    canonical_parts = own_url(page.path, comparison_key(canonical))
    if canonical_parts is None or policy.page_at(canonical) != page.path:
        return None
    if canonical.partition(":")[0] != policy.site.base_url.partition(":")[0]:  # http or https
        notes["canonical-scheme"].append(page.path)

    form = canonical_parts.form
    host = policy.site.host
    if not host.is_certain or host.forms is None:
        return form
    served_forms = host.forms.folder if is_folder_page(page.path) else host.forms.page
    if form in served_forms:
        return form
    notes["canonical-form"].append(page.path)
    return served_forms[0]


def _is_there(url: str, policy: Policy) -> bool:
    """Whether a URL leads to a page or a file; assumed of a URL on another site."""
    path = path_below(url, policy.site.base_url)
    if path is None or policy.page_at(url):
        return True
    return os.path.isfile(site_file(policy.site.found.folder, path))


def _follow_moves(page: Page, url: str, policy: Policy) -> tuple[str, Rule | None]:
    """Follows the host's redirects as long as they lead to other URLs of the same page.

    Such as from `/b.html` to `/b`. Returns the last of these URLs, and the rule by which the page
    is not there: a redirect to another page, a denial or a noindex. If the redirects go in a
    circle, they are ignored.
    """
    host = policy.site.host
    path_start = len(policy.site.base_url) - 1  # the host's rules are for paths such as `/b`
    reached = url
    for _ in FORMS:  # a page has no more URLs than forms, so a longer chain is a circle
        rule = host.move_at(reached[path_start:])
        if rule is None:
            return reached, host.header_at(reached[path_start:], policy.now)
        if rule.action is not Reason.REDIRECT:  # a denial, which leads nowhere
            return reached, rule._replace(target="")
        target = target_url(rule.target, policy.site.base_url)
        if policy.page_at(target) != page.path:  # another page
            return reached, rule._replace(target=target)
        reached = target.partition("?")[0]

    # The redirects go in a circle.
    return url, host.header_at(url[path_start:], policy.now)


def base_of(facts: Facts, url: str) -> str:
    """The URL against which the relative URLs of a page are resolved.

    It is the `href` of the page's base element, or else `url`, at which the page is.
    """
    if facts.base is None:
        return url
    return resolve(facts.base, url) or url
