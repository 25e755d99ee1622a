"""The reasons to leave a page out, as two ordered tuples of small functions. Pure.

`PATH_CHECKS` run before a file is opened, `CONTENT_CHECKS` after it was read. The first check that
excludes the page decides. A new reason is a function here, its place in a tuple, and a member of
`model.Reason`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from ..config.settings import Respect
from ..extract.kind import OWN_REPORT
from ..hosts.host import Host, HostEffect, Look
from ..model import (
    NO_FACTS,
    Diagnostic,
    Excluded,
    LinkedPage,
    Origin,
    PageFacts,
    Reason,
    WarningKind,
)
from ..protocol import MAX_URL_LENGTH
from ..recent import Recent
from ..syntax.gitignore import PatternSets
from ..syntax.links import base_of
from ..syntax.robots import Crawling, is_past
from ..syntax.urls import Locator, is_clash, relative_path, resolve
from .overrides import NO_OVERRIDES, PageOverrides, PageRule

# Effects of a rule at one URL of a page: the page is not served there, or not to be listed.
_AWAY = (Reason.REDIRECT, Reason.CLOSED, Reason.DUPLICATE)
_UNLISTED = (*_AWAY, Reason.NOINDEX)


class IndexPolicy(NamedTuple):
    """What verdicts depend on besides the page. `now` is in seconds.

    `versions` stores pages by their URLs, None if language versions are not needed.
    """

    rules: PatternSets[PageRule]
    sections: PatternSets[str]
    locator: Locator
    respect: Respect
    crawling: Crawling | None
    host: Host
    now: int
    versions: Recent[str, LinkedPage] | None = None

    @property
    def has_path_rules(self) -> bool:
        """Whether a path alone can decide, or set a value."""
        served = self.locator.served
        needs_twins = self.locator.style == "bare" or (
            served is not None and served.clash is not None
        )
        return bool(self.rules.values or self.crawling or self.host.has_rules or needs_twins)

    def host_effects(self, loc: str, look: Look) -> Sequence[HostEffect | None]:
        """What each possible host does with the page at a URL."""
        return (
            self.host.effects("/" + loc[len(self.locator.base) :], look)
            if self.host.has_rules
            else ()
        )

    def locate(
        self, page: str, loc: str, look: Look, *, has_twin: bool
    ) -> tuple[str, Sequence[HostEffect | None]]:
        """The URL of a page, and what hosts do with it there.

        This is the first URL that a known host serves and that may be listed, or `loc` if there is
        none.
        """
        forms = self.locator.forms
        paths = forms.paths(page, self.locator.indexes, has_twin=has_twin) if forms else ()
        urls = [self.locator.encoded(path) for path in paths] or [loc]
        found = [(url, self.host_effects(url, look)) for url in urls]
        for url, effects in found:
            if not any(effect and effect.reason in _UNLISTED for effect in effects):
                return url, effects
        return found[0]

    def is_shown_at(self, page: Candidate, url: str, served_path: str, look: Look) -> bool:
        """Whether a known host serves a page, given by its path, at a URL.

        True if no host is known.
        """
        served, clashes = self.locator.served, is_clash(page.path, page.twin)
        if served and not set(served.escaped).isdisjoint(url[len(self.locator.base) :]):
            return False
        if not self.locator.is_shown_at(page.path, served_path, has_twin=clashes):
            return False
        effects = (
            self.host_effects(self.locator.encoded(served_path), look)
            if self.locator.served
            else ()
        )
        return not any(effect and effect.reason in _AWAY for effect in effects)


class Canonical(NamedTuple):
    """The page that a canonical names: its URL, its path in the site (None outside), and the served
    file.

    `is_shown` is false if the host redirects this form of the file's URL.
    """

    url: str
    href: str
    path: str | None
    file: str | None
    is_shown: bool = True


class Candidate(NamedTuple):
    """A page to check, with the evidence about it.

    `twin` is the file that may own its URL. `effects` are the effects of each possible host.
    `facts`, `canonical` and `kind` (the evidence that it is not a page) are known after the page
    was read.
    """

    path: str
    loc: str
    twin: str | None = None
    overrides: PageOverrides = NO_OVERRIDES
    effects: Sequence[HostEffect | None] = ()
    facts: PageFacts = NO_FACTS
    canonical: Canonical | None = None
    kind: Origin | None = None

    def canonical_loc(self, policy: IndexPolicy) -> str:
        """The listed URL of the page: spelled as in its canonical, or in the site's style."""
        if self.canonical is None or not self.canonical.is_shown:
            return self.loc
        base = policy.locator.base
        return base + self.canonical.url.partition("://")[2][len(base.partition("://")[2]) :]

    def exclude(self, reason: Reason, text: str) -> Excluded:
        """Excludes the page because of something in it."""
        return Excluded(self.path, reason, Origin(self.path, None, text))


def unlisted_by_rule(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """A rule says `list = false`."""
    if page.overrides.list:
        return None
    return Excluded(page.path, Reason.RULE, dict(page.overrides.origins)["list"])


def disallowed(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """robots.txt closes the URL to all configured agents (RFC 9309)."""
    line = policy.crawling.forbids(page.loc) if policy.crawling else None
    return Excluded(page.path, Reason.ROBOTS, line) if line else None


def host_rule(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """Every host that may serve the site closes, redirects or forbids the page (docs/protocol.md
    §5).
    """
    effect = page.effects[0] if page.effects and None not in page.effects else None
    if effect is None:
        return None
    ignored = {Reason.CANONICAL}
    if not policy.respect.noindex:
        ignored.add(Reason.NOINDEX)
    if not policy.respect.not_a_page:
        ignored.add(Reason.NOT_A_PAGE)
    return None if effect.reason in ignored else Excluded(page.path, effect.reason, effect.origin)


def refreshed(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """A meta refresh leads to another page."""
    target = page.facts.metadata.refresh if policy.respect.refresh else None
    url = resolve(target, base_of(page.facts.metadata, page.loc)) if target else None
    path = relative_path(url.partition("?")[0], policy.locator.base) if url else None
    is_twin = page.twin is not None and path == policy.locator.served_paths(page.twin)[0]
    if url is None or (path in policy.locator.served_paths(page.path) and not is_twin):
        return None
    return page.exclude(Reason.REDIRECT, f'<meta http-equiv="refresh"> to {target}')


def not_a_page(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """The file is an app shell, which stands for other pages, or a fragment of one."""
    if not page.kind or not policy.respect.not_a_page or page.facts.kind == OWN_REPORT:
        return None
    return Excluded(page.path, Reason.NOT_A_PAGE, page.kind)


def own_report(page: Candidate, _: IndexPolicy) -> Excluded | None:
    """The file is a report by sitemapper, which is noindex. No setting lists it."""
    return page.exclude(Reason.NOT_A_PAGE, OWN_REPORT) if page.facts.kind == OWN_REPORT else None


def noindex(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """A robots meta forbids indexing, at once or after a date that has passed (docs/protocol.md
    §4).
    """
    if not policy.respect.noindex:
        return None
    tag, date = page.facts.metadata.noindex, page.facts.metadata.unavailable_after
    if tag is None and date is not None and is_past(date, policy.now):
        tag = f"unavailable_after: {date}"
    return page.exclude(Reason.NOINDEX, tag) if tag else None


def canonical_elsewhere(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """The canonical names a URL at which the server shows another file, or none."""
    canonical = page.canonical
    if canonical is None or canonical.file == page.path:
        return None
    if canonical.file is not None and canonical.file == page.twin:
        return _duplicate_of(page, canonical.url)
    return page.exclude(Reason.CANONICAL, f'<link rel="canonical" href="{canonical.href}">')


def duplicate(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """Two files have one URL, and the server prefers the other."""
    served = policy.locator.served
    if served and is_clash(page.path, page.twin):
        return None if served.paths(page.path, has_twin=True) else _duplicate_of(page, page.loc)
    if page.canonical or page.twin is None or policy.locator.loc(page.twin) != page.loc:
        return None
    return _duplicate_of(page, page.loc)


def _duplicate_of(page: Candidate, url: str) -> Excluded:
    return Excluded(
        page.path, Reason.DUPLICATE, Origin(page.twin or "", None, f"is what {url} serves")
    )


def too_long(page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """The URL is too long: the protocol allows fewer than 2,048 characters."""
    loc = page.canonical_loc(policy)
    if len(loc) < MAX_URL_LENGTH:
        return None
    return Excluded(
        page.path, Reason.TOO_LONG, Origin(f"{len(loc)} characters", None, "at most 2,047")
    )


Check = Callable[[Candidate, IndexPolicy], Excluded | None]
PATH_CHECKS: tuple[Check, ...] = (unlisted_by_rule, disallowed, host_rule)
CONTENT_CHECKS: tuple[Check, ...] = (
    host_rule, refreshed, not_a_page, noindex, own_report, canonical_elsewhere, duplicate, too_long,
)  # fmt: skip


def says_nothing(facts: PageFacts, loc: str) -> bool:
    """Whether a page at its only URL contains nothing for a check, a warning or an entry."""
    noindex, unavailable_after, refresh, canonical, _, alternates = facts.metadata
    return (
        (canonical is None or canonical == loc)
        and not (
            noindex or unavailable_after or refresh or facts.kind or alternates or facts.images
        )
        and len(loc) < MAX_URL_LENGTH
    )


def first_match(checks: Sequence[Check], page: Candidate, policy: IndexPolicy) -> Excluded | None:
    """The verdict of the first check that excludes the page, None if no check does."""
    for check in checks:
        if excluded := check(page, policy):
            return excluded
    return None


def canonical_target(page: Candidate, policy: IndexPolicy) -> tuple[str, str | None] | None:
    """The URL that a canonical names, and its path in the site. None if it names the page's URL."""
    href, loc = page.facts.metadata.canonical, page.loc
    if href is None or href == loc or not policy.respect.canonical:
        return None
    url = resolve(href, base_of(page.facts.metadata, loc))
    return None if url is None or url == loc else (url, relative_path(url, policy.locator.base))


def warnings_for(
    page: Candidate, excluded: Excluded | None, policy: IndexPolicy
) -> Iterator[Diagnostic]:
    """Warnings about a verdict: rules of an unknown host, and suspicious canonicals."""
    rules = [
        effect.origin for effect in page.effects if effect and effect.reason is not Reason.CANONICAL
    ]
    if rules and excluded is None and None in page.effects:
        yield Diagnostic(WarningKind.HOST, f"{page.path}, listed ({rules[0]})")
    elif len(rules) > 1 and excluded and excluded.origin == rules[0]:
        yield Diagnostic(WarningKind.HOST, f"{page.path}, not listed ({rules[0]})")
    if page.canonical:
        yield from _about_canonical(page, page.canonical, excluded, policy)


def _about_canonical(
    page: Candidate, canonical: Canonical, excluded: Excluded | None, policy: IndexPolicy
) -> Iterator[Diagnostic]:
    if excluded is None and not canonical.is_shown:
        yield Diagnostic(WarningKind.FORM, f"{canonical.url}, listed as {page.loc}")
    elif excluded is None and not canonical.url.startswith(policy.locator.base):
        yield Diagnostic(WarningKind.SCHEME, page.path)
    if excluded is None or excluded.reason is not Reason.CANONICAL:
        return
    parts = urlsplit(canonical.url)
    if parts.netloc != urlsplit(policy.locator.base).netloc:
        yield Diagnostic(WarningKind.OTHER_ORIGIN, f"{parts.scheme}://{parts.netloc}")
    elif canonical.path is not None and canonical.file is None:
        yield Diagnostic(WarningKind.MISSING, f"{page.path} ({canonical.url})")
