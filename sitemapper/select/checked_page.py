"""A page while the signals are checked, with what is known of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..hosts.rule import Rule
from ..model import NO_FACTS, Excluded, Origin, PageFacts, Reason
from ..syntax.urls import is_clash, without_scheme
from .overrides import NO_OVERRIDES, PageOverrides

if TYPE_CHECKING:
    from .policy import IndexPolicy


class Canonical(NamedTuple):
    """The URL that a page's canonical names, and the page of this site that is shown there.

    `href` is the text in the page, and `url` is absolute: "../c/" and `https://a.example/c/`.
    `path` is that of the URL below the base URL, `c/`, None for a URL of another site. `file` is
    the file that a server shows there, `c/index.html`, None if the site has none. `is_shown` is
    False if the host redirects from this URL of the page to another, as from /b.html to /b.
    """

    url: str
    href: str
    path: str | None
    file: str | None
    is_shown: bool = True

    def loc(self, base: str) -> str:
        """Gives the URL the scheme of the base: `http://a.example/b` → `https://a.example/b`."""
        below_base = without_scheme(self.url)[len(without_scheme(base)) :]
        return base + below_base


class CheckedPage(NamedTuple):
    """A page to which the checks of the signals are applied.

    `loc` is the URL at which it would be listed, and `other_file` the file that may have this URL
    instead. `overrides` are the values that `[[rules]]` set. `rules` are the rules by which each
    possible host takes the page away, None for a host that shows it. With `is_in_circle`, two
    redirects of a host lead to each other. With `waits_for_canonical`, no rule of a host excludes
    the page yet, because its canonical may choose another URL of it. `facts`, `canonical` and
    `kind` are set when the page was read. `kind` says what the file is if it is no page.
    """

    path: str
    loc: str
    other_file: str | None = None
    overrides: PageOverrides = NO_OVERRIDES
    rules: Sequence[Rule | None] = ()
    is_in_circle: bool = False
    waits_for_canonical: bool = False
    facts: PageFacts = NO_FACTS
    canonical: Canonical | None = None
    kind: str | None = None

    @property
    def has_clash(self) -> bool:
        """Whether this page and `other_file` share a name, as `b.html` and `b/index.html` do."""
        return is_clash(self.path, self.other_file)

    @property
    def names_itself(self) -> bool:
        """Whether the page's canonical names this page itself, by any URL at which it is shown.

        For `b.html`, both `<link rel="canonical" href="/b">` and `href="/b.html"` do.
        """
        return self.canonical is not None and self.canonical.file == self.path

    def text_of(self, signal: str) -> str | None:
        """Gives the text that was read in the head of the page for a signal, None if it has none.

        "noindex" → `<meta name="robots" content="noindex">`, and "canonical" → the `href` as
        written, such as `../c/`.
        """
        return self.facts.metadata.signals.get(signal)

    def canonical_loc(self, policy: IndexPolicy) -> str:
        """Decides the URL at which to list a page: its canonical, or else `loc`.

        Only for a page without a canonical, or with one that names the page itself. For `b.html`,
        whose `loc` is /b:

            no canonical              /b
            the canonical is /b/      /b/, if the host shows the page there, too (`is_shown`)
            the canonical is /b.html  /b, if the host redirects from /b.html to /b

        The result has the scheme of the base URL, even if the canonical has http.
        """
        if self.canonical is None or not self.canonical.is_shown:
            return self.loc
        return self.canonical.loc(policy.locator.base)

    def exclude(self, reason: Reason, text: str) -> Excluded:
        """Excludes the page for a reason, with the text in it that decided, such as a `<meta>`."""
        return Excluded(self.path, reason, Origin(self.path, None, text))

    def exclude_for_other_file(self, url: str) -> Excluded:
        """Excludes the page as a duplicate, because the server shows `other_file` at the URL.

        Users read `b/index.html: is what https://a.example/b/ serves` as the reason for `b.html`.
        """
        origin = Origin(self.other_file or "", None, f"is what {url} serves")
        return Excluded(self.path, Reason.DUPLICATE, origin)
