"""The decision about a page. Pure: everything it needs is an argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import NamedTuple, cast
from urllib.parse import urlsplit

from sitemapper.config.settings import Respect
from sitemapper.model import Caution, Excluded, Head, LastMod, Listed, Origin, Page, Reason, Verdict, Warned
from sitemapper.pages import rules as page_rules
from sitemapper.pages.rules import Rule
from sitemapper.syntax import dates
from sitemapper.syntax.hosts import Host
from sitemapper.syntax.robots import Crawling
from sitemapper.syntax.urls import MAX_LENGTH, Locator, below, resolve

# What Listed(...) does, without the Python call in between: 0.13 µs for 0.22.
_new_listed = cast(Callable[[tuple[object, ...]], Listed], partial(tuple.__new__, Listed))


class Law(NamedTuple):
    """What verdicts depend on besides the page."""

    rules: tuple[Rule, ...]
    locator: Locator
    respect: Respect
    crawling: Crawling | None
    host: Host
    now: int

    @property
    def netloc(self) -> str:
        """The host that the site is served at."""
        return urlsplit(self.locator.base).netloc

    @property
    def reads_heads(self) -> bool:
        """Whether a page's own words can matter."""
        return self.respect.noindex or self.respect.canonical or self.respect.refresh

    @property
    def knows_paths(self) -> bool:
        """Whether a path alone can decide or carry a value."""
        return bool(self.rules or self.crawling or self.host.has_rules)


class Canonical(NamedTuple):
    """The page that a canonical names: URL, path in this site (None outside), and the file served there."""

    url: str
    href: str
    path: str | None
    served: str | None = None


class Case(NamedTuple):
    """One page with the evidence about it. `twin` is the file that may own its URL."""

    page: Page
    loc: str
    head: Head
    canonical: Canonical | None
    twin: str | None


class Decision(NamedTuple):
    """A verdict, and what deserves a warning about it."""

    verdict: Verdict
    warned: tuple[Warned, ...] = ()


def all_listed(paths: Sequence[str], locs: Sequence[str], lastmods: Sequence[LastMod | None]) -> list[Listed]:
    """The entries of pages that nothing can exclude or give a value."""
    plain = zip(paths, locs, lastmods, repeat(None), repeat(None), repeat(""))
    return list(map(_new_listed, plain))


def by_path(path: str, loc: str, law: Law) -> Decision | None:
    """What the path alone decides, before a file is opened."""
    said = page_rules.values(law.rules, path)
    if not said.list:
        return Decision(Excluded(path, Reason.RULE, dict(said.origins)["list"]))
    closed = law.crawling.forbids(loc) if law.crawling else None
    if closed:
        return Decision(Excluded(path, Reason.ROBOTS, closed))
    effect = law.host.effect(law.netloc, "/" + loc[len(law.locator.base) :]) if law.host.has_rules else None
    if effect is None or (effect.reason is Reason.NOINDEX and not law.respect.noindex):
        return None
    warned = () if law.host.is_certain else (Warned(Caution.HOST, f"{path} ({effect.origin})"),)
    return Decision(Excluded(path, *effect), warned)


def plain(path: str, loc: str, head: Head) -> Decision | None:
    """The verdict on the commonest page, which `judge` would give too at four times the cost.

    No path rule and no other file matters, and the head says nothing but, perhaps, its own URL.
    """
    noindex, unavailable_after, refresh, canonical, _, _ = head
    if noindex or unavailable_after or refresh or (canonical is not None and canonical != loc):
        return None
    return None if len(loc) >= MAX_LENGTH else Decision(_new_listed((path, loc, None, None, None, "")))


def named(head: Head, loc: str, law: Law) -> Canonical | None:
    """The page that a canonical names, None if it names this very URL or is not to be respected."""
    if head.canonical is None or head.canonical == loc or not law.respect.canonical:
        return None
    url = resolve(head.canonical, _base(head, loc))
    if url is None or url == loc:
        return None
    return Canonical(url, head.canonical, below(url, law.locator.base))


def _base(head: Head, loc: str) -> str:
    return (resolve(head.base, loc) if head.base else None) or loc


def judge(case: Case, law: Law) -> Decision:
    """Whether a page that its path did not exclude is listed, and with which values."""
    page, loc, head = case.page, case.loc, case.head
    refresh = head.refresh if law.respect.refresh else None
    if refresh and _leads_away(refresh, head, loc, law.locator.forms(page.path), law):
        return Decision(_by_tag(page, Reason.REDIRECT, f'<meta http-equiv="refresh"> to {refresh}'))
    forbidding = _noindex(head, law) if law.respect.noindex else None
    if forbidding:
        return Decision(_by_tag(page, Reason.NOINDEX, forbidding))
    disputed = law.host.has_rules and law.host.disputed(law.netloc, "/" + loc[len(law.locator.base) :])
    warned = (Warned(Caution.DISPUTED, f"{page.path} ({disputed})"),) if disputed else ()
    if case.canonical:
        if case.canonical.served != page.path:
            return _elsewhere(case, case.canonical, law)
        if not case.canonical.url.startswith(law.locator.base):
            warned = (*warned, Warned(Caution.SCHEME, page.path))
        loc = law.locator.encoded(case.canonical.path or "")
    elif case.twin is not None and law.locator.form(case.twin) == law.locator.form(page.path):
        owner = Origin(case.twin, None, f"is what {loc} serves")
        return Decision(Excluded(page.path, Reason.DUPLICATE, owner))
    if len(loc) >= MAX_LENGTH:
        too_long = Origin(f"{len(loc)} characters", None, "at most 2,047")
        return Decision(Excluded(page.path, Reason.TOO_LONG, too_long))
    said = page_rules.values(law.rules, page.path)
    return Decision(Listed(page.path, loc, said.lastmod, said.changefreq, said.priority), warned)


def _leads_away(target: str, head: Head, loc: str, forms: tuple[str, ...], law: Law) -> bool:
    """Whether a refresh leads to another page than this one."""
    url = resolve(target, _base(head, loc))
    return url is not None and below(url.partition("?")[0], law.locator.base) not in forms


def _by_tag(page: Page, reason: Reason, text: str) -> Excluded:
    return Excluded(page.path, reason, Origin(page.path, None, text))


def _noindex(head: Head, law: Law) -> str | None:
    """What keeps the page out of the index: the tag, or a date that has passed."""
    if head.noindex or not head.unavailable_after:
        return head.noindex
    try:
        date = dates.read(head.unavailable_after, dates.Writer())
    except ValueError:
        return None  # Google: a rule whose date is not valid is ignored
    return f"unavailable_after: {head.unavailable_after}" if date.seconds < law.now else None


def _elsewhere(case: Case, canonical: Canonical, law: Law) -> Decision:
    """The page says that another one stands for it."""
    path, url = case.page.path, canonical.url
    if canonical.served is not None and canonical.served == case.twin:
        owner = Origin(case.twin, None, f"is what {url} serves")
        return Decision(Excluded(path, Reason.DUPLICATE, owner))
    verdict = _by_tag(case.page, Reason.CANONICAL, f'<link rel="canonical" href="{canonical.href}">')
    if urlsplit(url).netloc != urlsplit(law.locator.base).netloc:
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        return Decision(verdict, (Warned(Caution.OTHER_ORIGIN, origin),))
    missing = canonical.path is not None and canonical.served is None
    return Decision(verdict, (Warned(Caution.MISSING, f"{path} ({url})"),) if missing else ())
