"""What verdicts depend on besides the page, compiled once for a run. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..hosts.host import FindKind, Host, HostEffect
from ..model import LinkedPage, Reason
from ..recent import Recent
from ..syntax.gitignore import PatternSets
from ..syntax.urls import Locator, is_clash
from .overrides import PageRule

if TYPE_CHECKING:
    from ..config.settings import Respect
    from ..syntax.crawling import Crawling
    from .candidate import Candidate
    from .signals.signal import Signal

# Effects of a rule at one URL of a page: the page is not served there, or not to be listed.
_AWAY = (Reason.REDIRECT, Reason.CLOSED, Reason.DUPLICATE)
_UNLISTED = (*_AWAY, Reason.NOINDEX)


class Location(NamedTuple):
    """A URL of a page, and the effect of each possible host on it there."""

    loc: str
    effects: Sequence[HostEffect | None]

    @property
    def is_open(self) -> bool:
        """Whether no possible host takes the page away there."""
        return not _has_effect(self.effects, _UNLISTED)

    @property
    def is_final(self) -> bool:
        """Whether every possible host closes it, forbids to list it, or leads to a known place."""
        return all(effect and effect.is_final for effect in self.effects)


class IndexPolicy(NamedTuple):
    """What verdicts depend on besides the page. `now` is in seconds.

    `signals` are those that count, in the order in which they decide. `versions` stores pages by
    their URLs, None if language versions are not needed. `extra_urls` are the comparison keys of
    URLs that are no files, for language versions.
    """

    signals: Sequence[Signal]
    rules: PatternSets[PageRule]
    sections: PatternSets[str]
    locator: Locator
    respect: Respect
    crawling: Crawling | None
    host: Host
    now: int
    versions: Recent[str, LinkedPage] | None = None
    extra_urls: frozenset[str] = frozenset()

    def host_effects(
        self, loc: str, look: FindKind, page: str | None = None
    ) -> Sequence[HostEffect | None]:
        """What each possible host does with a page at a URL; with any, if it is not given."""
        if not self.host.has_rules:
            return ()
        base = self.locator.base
        path = loc[len(base) - 1 :]
        file = ""
        if page is not None:
            file = self.locator.encoded(page)[len(base) - 1 :]
        return self.host.effects(path, look, file)

    def effects_on_missing(self, loc: str, look: FindKind) -> Sequence[HostEffect]:
        """What possible hosts do with a URL that has no file."""
        path = loc[len(self.locator.base) - 1 :]
        return self.host.effects_on_missing(path, look)

    def _urls_of(self, page: str, *, has_twin: bool) -> list[str]:
        """The URLs at which a known host serves a page, the one to list first."""
        forms = self.locator.forms
        if forms is None:
            return []
        paths = forms.paths(page, self.locator.indexes, has_twin=has_twin)
        return [self.locator.encoded(path) for path in paths]

    def locate(self, page: str, loc: str, look: FindKind, *, has_twin: bool) -> Location:
        """The URL that the site would use for a page, and what possible hosts do with it there.

        A known host may serve a page at several URLs, of which the first counts. Without a known
        host, or if it serves the page nowhere, it is `loc`, the URL in the style of the site.
        """
        urls = self._urls_of(page, has_twin=has_twin)
        return self.settle(page, (urls or [loc])[0], look, has_twin=has_twin)

    def settle(self, page: str, url: str, look: FindKind, *, has_twin: bool) -> Location:
        """The URL of a page that would be listed at `url`, after the rules of possible hosts.

        A rule that takes this URL away takes the page away, even if a host still shows the page at
        another one. Only a redirect to another URL of the page gives it that one. Rules of some
        hosts only, those that lead to an unknown place, and those that show something else take
        nothing but this URL away: then the first one without a rule counts.
        """
        known_urls = self._urls_of(page, has_twin=has_twin)
        own_urls = [self.locator.encoded(path) for path in self.locator.served_paths(page)]
        left = [other for other in known_urls or own_urls if other != url]
        first = self._at(page, url, look)
        location = first
        while not location.is_open:
            ahead = [other for other in left if self._leads(location, other)]
            if not ahead:
                break
            location = self._at(page, ahead[0], look)
            left.remove(location.loc)
        leads_to_page = any(self._leads(location, other) for other in own_urls)
        if location.is_open or (location.is_final and not leads_to_page):
            return location
        for other in known_urls:
            at_other = self._at(page, other, look)
            if at_other.is_open:
                return at_other
        return first

    def _at(self, page: str, url: str, look: FindKind) -> Location:
        return Location(url, self.host_effects(url, look, page))

    def _leads(self, location: Location, url: str) -> bool:
        """Whether all possible hosts redirect from a location to another URL."""
        base = self.locator.base
        path = location.loc[len(base) :]
        other = url[len(base) :]
        return all(
            effect and effect.leads_to(f"/{path}", f"/{other}", base) for effect in location.effects
        )

    def has_open_form(self, page: str, look: FindKind, *, has_twin: bool) -> bool:
        """Whether a known host shows a page at some URL, which the page's canonical may name."""
        if self.locator.served is None or not self.respect.canonical:
            return False
        for path in self.locator.served_paths(page):
            if not self.locator.is_shown_at(page, path, has_twin=has_twin):
                continue
            if self._at(page, self.locator.encoded(path), look).is_open:
                return True
        return False

    def is_shown_at(self, page: Candidate, url: str, served_path: str, look: FindKind) -> bool:
        """Whether a known host shows a page at a URL and does not redirect to another form of it.

        True if no host is known. `served_path` is the path of the URL below the base, decoded.
        """
        served = self.locator.served
        if served is None:
            return True
        has_twin = is_clash(page.path, page.twin)
        path = url[len(self.locator.base) :]
        # The host redirects to a URL in which these characters are escaped.
        has_unescaped = any(character in path for character in served.escaped)
        if has_unescaped:
            return False
        if not self.locator.is_shown_at(page.path, served_path, has_twin=has_twin):
            return False
        effects = self.host_effects(self.locator.encoded(served_path), look, page.path)
        return not _has_effect(effects, _AWAY)


def _has_effect(effects: Sequence[HostEffect | None], reasons: Sequence[Reason]) -> bool:
    """Whether any possible host has an effect with one of these reasons."""
    return any(effect and effect.reason in reasons for effect in effects)
