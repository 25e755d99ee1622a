"""What static hosts do to pages: redirects and headers, by the rules of each host (docs/protocol.md §5).

A new host is a file here, a line in ALL and its name in config.choices. Pure: texts in, effects out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from . import cloudflare, firebase, netlify, vercel
from .files import HostEffect, Hosting, HostRules, Provider, read_table

ALL = (cloudflare.HOST, firebase.HOST, netlify.HOST, vercel.HOST)
MARKERS = tuple(sorted({name for host in ALL for name in host.markers}))
FILES = tuple(sorted({name for host in ALL for name in host.files}))


class Host(NamedTuple):
    """The hosts that the site may be on, and the rules of each; a decision takes all of them."""

    names: tuple[str, ...]
    rules: tuple[HostRules, ...]

    @property
    def has_rules(self) -> bool:
        """Whether there is a rule that could match a page."""
        return any(rules.redirects.effects or rules.headers.effects for rules in self.rules)

    def effects(self, path: str) -> Sequence[HostEffect | None]:
        """What each possible host does to the page at a URL path."""
        return [rules.effect(path) for rules in self.rules]


def choose(configured: str, texts: Mapping[str, str], netloc: str, now: int) -> Host:
    """The host of a site: as configured, or for `auto` those with a marker, or else all that need none.

    `texts` holds the markers that were found and the FILES of the site; `netloc` is the site's host name.
    A date in a header forbids indexing if it is before `now`, in seconds. Raises ValueError for a text that
    a host refuses.
    """
    recognised = [host for host in ALL if not texts.keys().isdisjoint(host.markers)]
    chosen = [host for host in ALL if host.name == configured]
    if configured == "auto":
        chosen = recognised or [host for host in ALL if host.files]
    return Host(tuple(host.name for host in chosen), tuple(host.read(texts, netloc, now) for host in chosen))


def of_builder(env: Mapping[str, str]) -> str:
    """The host on whose builder the environment is; "" elsewhere."""
    return next((host.name for host in ALL if any(env.get(name) for name in host.variables)), "")


def hosting(name: str, text: str) -> list[tuple[Provider, Hosting]]:
    """What the project file of a host publishes; nothing if it does not describe hosting.

    Raises ValueError with a message for the user for a broken file.
    """
    readers = [host for host in ALL if name in host.markers]
    return [(host, target) for host in readers for target in host.hosting(read_table(name, text))]
