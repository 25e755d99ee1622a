"""What a static host adds to a page: redirects and headers from `_redirects` and `_headers`.

Each host has its own precedence (docs/PROTOCOL §5), so each has its own file and one line in ALL. Pure:
texts in, effects out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from sitemapper.model import Origin
from sitemapper.syntax.hosts import cloudflare, netlify
from sitemapper.syntax.hosts.files import Effect, HostFiles, expression

Rule = Callable[[HostFiles, str, str], Effect | None]
ALL: dict[str, tuple[str, Rule]] = {
    "cloudflare": ("wrangler.toml", cloudflare.effect),
    "netlify": ("netlify.toml", netlify.effect),
}


class Host(NamedTuple):
    """The hosts whose rules must agree, and their files; no hosts, no rules.

    `touched` matches every path that some rule may speak about, so that most pages cost one look.
    """

    names: tuple[str, ...]
    files: HostFiles
    touched: re.Pattern[str]

    @property
    def has_rules(self) -> bool:
        """Whether there is anything that could touch a page."""
        return bool(self.names and (self.files.redirects or self.files.headers))

    @property
    def is_certain(self) -> bool:
        """Whether one host is known; where two must agree, a decision deserves a warning."""
        return len(self.names) == 1

    def effect(self, netloc: str, path: str) -> Effect | None:
        """What happens to a page at a URL path; None if it is served, or if the hosts disagree."""
        effects = self._effects(netloc, path)
        return effects[0] if effects and None not in effects else None

    def disputed(self, netloc: str, path: str) -> Origin | None:
        """The rule by which some of the hosts would leave a page out, and some would not."""
        effects = self._effects(netloc, path)
        return next((effect.origin for effect in effects if effect), None) if None in effects else None

    def _effects(self, netloc: str, path: str) -> list[Effect | None]:
        if not self.has_rules or not self.touched.fullmatch(path):
            return []
        return [ALL[name][1](self.files, netloc, path) for name in self.names]


def choose(configured: str, project_files: frozenset[str], files: HostFiles) -> Host:
    """The host of a site: as configured, or by netlify.toml or wrangler.toml beside the configuration."""
    patterns = [rule.source for rule in files.redirects] + [header.pattern for header in files.headers]
    paths = {re.sub(r"^https?://[^/]*", "", pattern) or "/" for pattern in patterns}
    regexes = sorted(expression(path, any_case=True, any_slash=True).pattern for path in paths)
    touched = re.compile("|".join(regexes), re.IGNORECASE)
    known = tuple(name for name, (marker, _) in ALL.items() if marker in project_files)
    names = {"none": (), "github": (), "auto": known if len(known) == 1 else tuple(ALL)}
    return Host(names.get(configured, (configured,)), files, touched)
