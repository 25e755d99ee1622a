"""The hosts that a site may be on, and the rules of each."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..messages import Message
from ..model import Origin, Reason
from ..syntax.gitignore import Line as IgnoreLine
from ..syntax.gitignore import Patterns, compile_line
from ..syntax.settings_files import lines_of
from ..syntax.urls import UrlForms
from .rule import Line, Rule, RuleTable, exact_texts


class HostRules(NamedTuple):
    """What the files of one host say about pages.

    `forms` are the URL forms in which it shows pages. `moves` are its redirects, rewrites and
    denials, of which the first that matches decides; all `headers` that match count. `ignored`
    matches files that are not uploaded. `unread` are lines that are not certain, so no rules. With
    `ignores_circles`, the host shows a page that a rule redirects to its own URL.
    """

    forms: UrlForms
    moves: RuleTable
    headers: RuleTable
    ignored: Patterns | None = None
    unread: tuple[Origin, ...] = ()
    ignores_circles: bool = False

    def move_at(self, path: str, *, has_file: bool = True) -> Rule | None:
        """The rule that redirects, replaces or closes a URL path, None if there is none.

        The first rule that matches decides, also one that leaves a page alone. The target of the
        returned rule is that for this path, "" if it is not known. `has_file` says whether the site
        has a page at this path.
        """
        rules = self.moves.matching(path)
        rule = next((rule for rule in rules if has_file or not rule.needs_file), None)
        if rule is None or rule.action is None or (has_file and not rule.forced):
            return None
        return rule._replace(target=self.moves.target_at(rule, path))

    def header_at(self, path: str) -> Rule | None:
        """The header of a URL path that takes the page away, or else the one with its canonical.

        `X-Robots-Tag: noindex` takes a page away, unless a later rule without an action takes this
        back. Of several headers, it is the first.
        """
        exclusion: Rule | None = None
        canonical: Rule | None = None
        for rule in self.headers.matching(path):
            if rule.action is None:
                exclusion = None
            elif rule.action is Reason.CANONICAL:
                canonical = canonical or rule
            else:
                exclusion = exclusion or rule
        return exclusion or canonical

    def ignoring_line(self, file: str) -> Origin | None:
        """The line because of which a file of the site is not uploaded, None if it is."""
        pattern = self.ignored.deciding_pattern(file) if self.ignored else None
        if pattern is None or pattern.negated:
            return None
        return pattern.origin


def make_rules(
    forms: UrlForms,
    moves: Iterable[Line] = (),
    headers: Iterable[Line] = (),
    *,
    texts_of: Callable[[str], Sequence[str]] = exact_texts,
    ignored: Iterable[IgnoreLine | Origin] = (),
) -> HostRules:
    """The rules of a host from what its reader made of each line: a rule, or an unread line.

    `texts_of` gives the texts of a URL path that its patterns match. `ignored` are the lines that
    say what is not uploaded.
    """
    all_moves = list(moves)
    all_headers = list(headers)
    unread = [line for line in (*all_moves, *all_headers) if isinstance(line, Origin)]
    patterns: list[IgnoreLine] = []
    for line in ignored:
        if isinstance(line, Origin):
            unread.append(line)
            continue
        try:
            compile_line(line)
        except ValueError:
            unread.append(line.origin)
        else:
            patterns.append(line)
    return HostRules(
        forms=forms,
        moves=RuleTable((rule for rule in all_moves if isinstance(rule, Rule)), texts_of),
        headers=RuleTable((rule for rule in all_headers if isinstance(rule, Rule)), texts_of),
        ignored=Patterns(patterns) if patterns else None,
        unread=tuple(dict.fromkeys(unread)),
    )


def ignore_lines(file: str, text: str) -> list[IgnoreLine]:
    """The lines of a file in gitignore syntax that names what is not uploaded."""
    rows = enumerate(lines_of(text), 1)
    return [IgnoreLine(row, Origin(file, number, row.strip())) for number, row in rows]


class Host(NamedTuple):
    """The hosts that the site may be on, with the rules of each.

    A page is left out only if all of them take it away. `is_known` if the project or the user names
    the hosts. `unread` is a note on lines and files that are not read, None if there are none.
    """

    names: tuple[str, ...]
    rules: tuple[HostRules, ...]
    is_known: bool = True
    unread: Message | None = None

    @property
    def has_rules(self) -> bool:
        """Whether any rule could match a page."""
        return any(rules.moves.rules or rules.headers.rules for rules in self.rules)

    @property
    def may_ignore_files(self) -> bool:
        """Whether every possible host may leave out files of the site."""
        return bool(self.rules) and all(rules.ignored for rules in self.rules)

    def ignoring_line(self, file: str) -> Origin | None:
        """The line because of which no possible host has a file of the site, None if one has it."""
        lines = [rules.ignoring_line(file) for rules in self.rules]
        return lines[0] if lines and all(lines) else None

    @property
    def forms(self) -> UrlForms | None:
        """The URL forms in which all hosts show pages; None for unknown hosts, or without such."""
        forms_of_hosts = [rules.forms for rules in self.rules]
        if not self.is_known or not forms_of_hosts:
            return None  # for a guessed host, canonicals and links choose
        if len(forms_of_hosts) == 1:
            return forms_of_hosts[0]
        folder = _in_all([forms.folder for forms in forms_of_hosts])
        page = _in_all([forms.page for forms in forms_of_hosts])
        if not folder or not page:
            return None
        return UrlForms(folder, page)


def _in_all(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What all lists contain, in the order of the first."""
    return tuple(form for form in lists[0] if all(form in forms for forms in lists))


NO_HOST = Host((), ())
