"""A page while the signals are checked, with what is known of it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..model import NO_FACTS, Excluded, Origin, PageFacts, Reason
from ..syntax.urls import is_clash, without_scheme
from .overrides import NO_OVERRIDES, PageOverrides

if TYPE_CHECKING:
    from .policy import Location


class Canonical(NamedTuple):
    """The URL that a page's canonical names, and the page of this site that is shown there.

    `href` is the text in the page, and `url` is absolute: "../c/" and `https://a.example/c/`.
    `path` is that of the URL below the base URL, `c/`, None for a URL of another site. `file` is
    the file that a server shows there, `c/index.html`, None if the site has none.
    """

    url: str
    href: str
    path: str | None
    file: str | None

    def loc(self, base: str) -> str:
        """Gives the URL the scheme of the base: `http://a.example/b` → `https://a.example/b`."""
        below_base = without_scheme(self.url)[len(without_scheme(base)) :]
        return base + below_base


class CheckedPage(NamedTuple):
    """A page to which the checks of the signals are applied.

    `loc` is the URL that the page has by its path and the redirects of its host. Relative links in
    the page are resolved against it. `other_file` is another file that may have this URL.

    `location` is where the page would be listed, with the rules that hosts have there. It is at
    `loc`, unless the canonical names the page itself by another URL.

    `overrides` are the values that `[[rules]]` set. With `is_read`, the page was read, and has its
    `facts`, `canonical` and `kind`. `kind` says what the file is if it is no page.
    """

    path: str
    loc: str
    location: Location
    other_file: str | None = None
    overrides: PageOverrides = NO_OVERRIDES
    is_read: bool = False
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

    def exclude(self, reason: Reason, text: str) -> Excluded:
        """Excludes the page for a reason, with the text in it that decided, such as a `<meta>`."""
        return Excluded(self.path, reason, Origin(self.path, None, text))

    def exclude_for_other_file(self, url: str) -> Excluded:
        """Excludes the page as a duplicate, because the server shows `other_file` at the URL.

        Users read `b/index.html: is what https://a.example/b/ serves` as the reason for `b.html`.
        """
        origin = Origin(self.other_file or "", None, f"is what {url} serves")
        return Excluded(self.path, Reason.DUPLICATE, origin)
