"""What the rest of the package knows about the host of a site: its rules, and their effects on a
page.

Nothing here knows how a host writes its rules.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..messages import Message
from ..model import Origin, Reason
from ..syntax.urls import UrlForms
from .moves import Move

# Returns the type of a path of the site: "f" for a file, "d" for a folder, or "".
FindKind = Callable[[str], str]


class HostEffect(NamedTuple):
    """The effect of a rule on an existing page: the reason to leave it out, and the line.

    `target` is the URL of a canonical, or the path to which a rule leads. At that path, the rule
    does nothing. `move` is what the rule says about it. A redirect with neither leads to a place
    that is not known.
    """

    reason: Reason
    origin: Origin
    target: str = ""
    move: Move | None = None

    @property
    def is_final(self) -> bool:
        """Whether the rule says what becomes of the page: closed, not for search, or led where."""
        if self.reason is Reason.REDIRECT:
            return bool(self.move or self.target)
        return self.reason in (Reason.CLOSED, Reason.NOINDEX)

    def leads_to(self, path: str, other: str, base: str) -> bool:
        """Whether this is a redirect from a URL path to another one, below a base URL."""
        if self.reason is not Reason.REDIRECT:
            return False
        if self.move:
            return self.move.may_lead(path, other, base)
        return self.target == other

    def target_at(self, path: str) -> str:
        """Where the rule leads from a URL path: a path or a URL, "" if that is not known."""
        if self.move:
            return self.move.target_at(path) or ""
        return self.target


class Unknown(NamedTuple):
    """A rule of which nobody can tell whether it applies to a page, and why.

    It never excludes a page, and never moves one.
    """

    origin: Origin
    why: str

    def __str__(self) -> str:
        return f"{self.origin} ({self.why})"


NOT_UNDERSTOOD = "not understood"


# Returns the effects of all rules that match a URL path, in the order of the rules.
Find = Callable[[str, FindKind], Sequence[HostEffect | None]]


def nothing_there(_: str) -> str:
    """The kind of any path in a site without files."""
    return ""


class HostRules(NamedTuple):
    """The rules of one host. The first matching redirect decides; None serves the page.

    Then all matching headers apply, and None cancels those before it. `forms` are the forms of
    URLs. `skipped` are the rules that may apply or not. `withhold` returns the line because of
    which a file of the site is not uploaded. `fallbacks` are the rules for paths without a file,
    None if they are the same as those for pages. `unread` are the lines that could take a page away
    and are not read.
    """

    redirects: Find | None
    headers: Find | None
    forms: UrlForms
    skipped: tuple[Unknown, ...] = ()
    withhold: Callable[[str], Origin | None] | None = None
    fallbacks: Find | None = None
    unread: tuple[Origin, ...] = ()

    def effect(
        self, path: str, look: FindKind = nothing_there, page: str = ""
    ) -> HostEffect | None:
        """The effect on a page at a URL path, None if it is served and may be indexed.

        `page` is the path of its URL with the full name of its file, such as `/a/index.html`.
        """
        by_redirects = _effect_of_redirects(self.redirects, path, look, page)
        return by_redirects or self._effect_of_headers(path, look)

    def effect_on_missing(self, path: str, look: FindKind) -> HostEffect | None:
        """The effect on a URL path at which the site has no file, None if no rule is for it."""
        redirects = self.fallbacks or self.redirects
        return _effect_of_redirects(redirects, path, look, page="")

    def _effect_of_headers(self, path: str, look: FindKind) -> HostEffect | None:
        """The first header that excludes the page, unless a later one cancels it, or the first
        canonical.
        """
        if self.headers is None:
            return None
        exclusion: HostEffect | None = None
        canonical: HostEffect | None = None
        for effect in self.headers(path, look):
            if effect is None:
                exclusion = None  # a robots header that allows indexing again
            elif effect.reason is Reason.CANONICAL:
                canonical = canonical or effect
            else:
                exclusion = exclusion or effect
        return exclusion or canonical


def _effect_of_redirects(
    redirects: Find | None, path: str, look: FindKind, page: str
) -> HostEffect | None:
    """The effect of the first redirect that matches and does not lead to the page itself."""
    if redirects is None:
        return None
    own_files = [page] if page else [path, f"{path}index.html"]
    for effect in redirects(path, look):
        if effect is None:
            return None
        shows_page = effect.reason is Reason.DUPLICATE and effect.target in own_files
        if effect.target != path and not shows_page:
            return effect
    return None


class Host(NamedTuple):
    """The hosts that the site may be on, with the rules of each. A decision needs all of them.

    `is_known` if the project or the user names them. `notes` list what was not read. `unread` is a
    note on lines that are not read, for those who ask for details.
    """

    names: tuple[str, ...]
    rules: tuple[HostRules, ...]
    is_known: bool = True
    notes: tuple[Message, ...] = ()
    unread: Message | None = None

    @property
    def has_rules(self) -> bool:
        """Whether any rule could match a page."""
        return any(rules.redirects or rules.headers for rules in self.rules)

    @property
    def may_withhold(self) -> bool:
        """Whether every possible host may leave out files of the site."""
        return bool(self.rules) and all(rules.withhold for rules in self.rules)

    def withheld_by(self, path: str) -> Origin | None:
        """The line because of which no possible host has a file of the site, None if one has it."""
        lines: list[Origin] = []
        for rules in self.rules:
            line = rules.withhold(path) if rules.withhold else None
            if line is None:
                return None
            lines.append(line)
        return next(iter(lines), None)

    @property
    def forms(self) -> UrlForms | None:
        """The forms of URLs that all hosts serve.

        None if they are not known, or if there are none.
        """
        forms_of_hosts = [rules.forms for rules in self.rules]
        if not self.is_known or not forms_of_hosts:
            return None
        if len(forms_of_hosts) == 1:
            return forms_of_hosts[0]
        folder = _in_all([forms.folder for forms in forms_of_hosts])
        page = _in_all([forms.page for forms in forms_of_hosts])
        if not folder or not page:
            return None
        return UrlForms(folder, page)

    def effects(
        self, path: str, look: FindKind = nothing_there, page: str = ""
    ) -> Sequence[HostEffect | None]:
        """The effect of each possible host on a page at a URL path."""
        return [rules.effect(path, look, page) for rules in self.rules]

    def effects_on_missing(self, path: str, look: FindKind) -> list[HostEffect]:
        """The effects of possible hosts on a URL path at which the site has no file."""
        effects = [rules.effect_on_missing(path, look) for rules in self.rules]
        return [effect for effect in effects if effect]


def _in_all(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What all lists contain, in the order of the first."""
    return tuple(form for form in lists[0] if all(form in forms for forms in lists))


NO_HOST = Host((), ())
