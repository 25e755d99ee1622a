"""The hosts that a site may be on, and the rules of each."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..messages import Message
from ..model import Origin, Reason
from ..syntax.gitignore import Line as IgnoreLine
from ..syntax.gitignore import Patterns, compile_line
from ..syntax.settings_files import lines_of
from ..syntax.urls import UrlForms
from .rule import Line, Rule, RuleTable, exact_spelling


class HostRules(NamedTuple):
    """What the files of one host say about pages.

    `forms` are the URL forms in which it shows pages. `moves` are its redirects, rewrites and
    denials, of which the first that matches decides. All `headers` that match count. `ignored`
    matches files that are not uploaded. `unread` are the places of lines whose effect is not
    certain. With `ignores_self_redirects`, the host shows a page that a rule redirects to its own
    URL: `/a /a 301` has no effect.
    """

    forms: UrlForms
    moves: RuleTable
    headers: RuleTable
    ignored: Patterns | None = None
    unread: tuple[Origin, ...] = ()
    ignores_self_redirects: bool = False

    def move_at(self, path: str, *, has_file: bool = True) -> Rule | None:
        """The rule that redirects, replaces or closes a URL path, None if the page is shown.

        For `/a/c`, the rule `/a/* /b/:splat 301!` is returned with the target `/b/c`, or "" if the
        target is not known. The first rule that matches decides. So the result is also None if that
        rule leaves pages alone, or is not forced and the site has a page at the path (`has_file`).
        """
        rules = self.moves.matching(path)
        rule = next((rule for rule in rules if has_file or not rule.needs_file), None)
        if rule is None or rule.action is None or (has_file and not rule.forced):
            return None
        return rule._replace(target=self.moves.target_at(rule, path))

    def header_at(self, path: str) -> Rule | None:
        """The header because of which the page at a URL path is left out, or else its canonical.

        `X-Robots-Tag: noindex` leaves a page out, unless a later rule without an action, such as
        `! X-Robots-Tag`, takes that back. Of several such headers, the first is returned. None if
        no header decides about the page.
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
        """The line that keeps a file from being uploaded: `drafts/` for `drafts/a.html`.

        None if the file is uploaded, as also after a later line `!drafts/`.
        """
        pattern = self.ignored.deciding_pattern(file) if self.ignored else None
        if pattern is None or pattern.negated:
            return None
        return pattern.origin


def make_rules(
    forms: UrlForms,
    moves: Iterable[Line] = (),
    headers: Iterable[Line] = (),
    *,
    spellings_of: Callable[[str], Sequence[str]] = exact_spelling,
    ignored: Iterable[IgnoreLine | Origin] = (),
) -> HostRules:
    """Puts together the rules of a host, and the places of lines that are not read.

    `moves`, `headers` and `ignored` have a rule or, for a line that is not certain, its place.
    `ignored` are lines in gitignore syntax that say what is not uploaded: one that is no pattern is
    not read. `spellings_of` gives the spellings of a URL path with which patterns are compared.
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
        moves=RuleTable((rule for rule in all_moves if isinstance(rule, Rule)), spellings_of),
        headers=RuleTable((rule for rule in all_headers if isinstance(rule, Rule)), spellings_of),
        ignored=Patterns(patterns) if patterns else None,
        unread=tuple(dict.fromkeys(unread)),
    )


def ignore_lines(file: str, text: str) -> list[IgnoreLine]:
    """The lines of a file in gitignore syntax, such as `.vercelignore`, with their places."""
    lines: list[IgnoreLine] = []
    for number, line in enumerate(lines_of(text), 1):
        lines.append(IgnoreLine(line, Origin(file, number, line.strip())))
    return lines


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
        """The line of the first host that keeps a file of the site from being uploaded.

        None if one of the possible hosts uploads it.
        """
        lines = [rules.ignoring_line(file) for rules in self.rules]
        is_uploaded = not lines or None in lines
        return None if is_uploaded else lines[0]

    @property
    def forms(self) -> UrlForms | None:
        """The URL forms in which all of the possible hosts show pages.

        If one shows `b.html` at `/b.html` and `/b`, and the other only at `/b`, it is `/b`. None if
        the hosts have no form in common, or are only a guess.
        """
        forms_of_hosts = [rules.forms for rules in self.rules]
        if not self.is_known or not forms_of_hosts:
            return None  # for a guessed host, canonicals and links choose
        if len(forms_of_hosts) == 1:
            return forms_of_hosts[0]
        folder = _common_forms([forms.folder for forms in forms_of_hosts])
        page = _common_forms([forms.page for forms in forms_of_hosts])
        if not folder or not page:
            return None
        return UrlForms(folder, page)


def _common_forms(forms_of_hosts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The URL forms of all hosts, in the order of the first: `a/`, `a` and `a` → `a`."""
    forms_of_first = forms_of_hosts[0]
    return tuple(form for form in forms_of_first if all(form in forms for forms in forms_of_hosts))


NO_HOST = Host((), ())
