"""A page on its way to a verdict, with the evidence about it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..hosts.rule import Rule
from ..model import NO_FACTS, Excluded, Origin, PageFacts, Reason
from ..syntax.urls import without_scheme
from .overrides import NO_OVERRIDES, PageOverrides

if TYPE_CHECKING:
    from .policy import IndexPolicy


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

    def loc(self, base: str) -> str:
        """The URL with the scheme of the base URL; only the rest is the canonical's."""
        below_base = without_scheme(self.url)[len(without_scheme(base)) :]
        return base + below_base


class Candidate(NamedTuple):
    """A page to check, with the evidence about it.

    `twin` is the file that may own its URL. `rules` are those of each possible host that take the
    page away, None for a host that shows it. With `is_in_circle`, two of them lead to each other.
    With `awaits_canonical`, the page's own canonical may still choose another URL of it.
    `facts`, `canonical` and `kind` (what it is if it is no page) are known after the page was read.
    """

    path: str
    loc: str
    twin: str | None = None
    overrides: PageOverrides = NO_OVERRIDES
    rules: Sequence[Rule | None] = ()
    is_in_circle: bool = False
    awaits_canonical: bool = False
    facts: PageFacts = NO_FACTS
    canonical: Canonical | None = None
    kind: str | None = None

    @property
    def has_one_plain_url(self) -> bool:
        """Whether no rule, host or other file has anything to say about the page."""
        return self.overrides is NO_OVERRIDES and not self.rules and not self.twin

    def text_of(self, signal: str) -> str | None:
        """The text of a signal in the head of the page, None if it has none."""
        return self.facts.metadata.signals.get(signal)

    def canonical_loc(self, policy: IndexPolicy) -> str:
        """The listed URL of the page: spelled as in its canonical, or in the site's style."""
        if self.canonical is None or not self.canonical.is_shown:
            return self.loc
        return self.canonical.loc(policy.locator.base)

    def exclude(self, reason: Reason, text: str) -> Excluded:
        """Excludes the page because of something in it."""
        return Excluded(self.path, reason, Origin(self.path, None, text))

    def exclude_for_twin(self, url: str) -> Excluded:
        """Excludes the page because its twin is shown at a URL."""
        origin = Origin(self.twin or "", None, f"is what {url} serves")
        return Excluded(self.path, Reason.DUPLICATE, origin)
