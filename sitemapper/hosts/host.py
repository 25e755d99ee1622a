"""The hosts that a site may be on, and the rules of each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ..messages import Message
from ..model import Origin, Reason
from ..syntax.urls import UrlForms
from .rule import Rule, RuleTable, exact_spelling

# The key of the site's folder among the texts that a host's reader takes. The folder is relative to
# the project file.
SITE = ""


class HostRules(NamedTuple):
    """What the files of one host say about pages.

    `forms` are the URL forms in which it shows pages. `moves` are its redirects, rewrites and
    denials, of which the first that matches decides. All `headers` that match count. `unread` are
    the origins of lines whose effect is not certain. With `ignores_self_redirects`, the host shows
    a page that a rule redirects to its own URL: `/a /a 301` has no effect.
    """

    forms: UrlForms
    moves: RuleTable
    headers: RuleTable
    unread: tuple[Origin, ...] = ()
    ignores_self_redirects: bool = False

    def move_at(self, path: str, *, has_file: bool = True) -> Rule | None:
        """Finds the rule that redirects, replaces or closes a URL path; None if no rule changes it.

        `has_file` says whether the site has a page at the path. The first rule that matches it
        decides:

        | the first rule that matches       | a page is there    | no page is there      |
        |-----------------------------------|--------------------|-----------------------|
        | without an action                 | None               | None                  |
        | not forced: `/a/* /b/:splat 301`  | None               | the rule              |
        | forced: `/a/* /b/:splat 301!`     | the rule           | the rule              |

        The result is the rule with its target for this path: for `/a/c`, the target is `/b/c`. It
        is "" if the target cannot be worked out.
        """
        for rule in self.moves.matching(path):
            is_overruled_by_file = has_file and not rule.forced
            if rule.action is None or is_overruled_by_file:
                return None
            return rule._replace(target=self.moves.target_at(rule, path))
        return None

    def header_at(self, path: str) -> Rule | None:
        """Finds the header by which the page at a URL path is left out, or gets its canonical.

        None if no header does either. All headers for a path count, in their order:

        | headers for the path                              | result                             |
        |---------------------------------------------------|------------------------------------|
        | `X-Robots-Tag: noindex`                           | this one: the page is left out     |
        | `X-Robots-Tag: noindex`, then `! X-Robots-Tag`    | None: `!` removes the first        |
        | `Link: </a>; rel="canonical"`                     | this one: the canonical is /a      |
        | `Link: </a>; rel="canonical"`, then a noindex     | the noindex: the page is left out  |

        Of two headers with the same effect, the first is the reason that users see.
        """
        exclusions: list[Rule] = []
        canonical: Rule | None = None
        for rule in self.headers.matching(path):
            if rule.action is Reason.CANONICAL:
                canonical = canonical or rule
            elif rule.action is not None:  # such as a noindex, or a password (CLOSED)
                exclusions.append(rule)
            else:
                # `! X-Robots-Tag` cancels each noindex before it. So does `X-Robots-Tag: all` on a
                # host that sends only the last of several. A password is still needed.
                exclusions = [other for other in exclusions if other.action is not Reason.NOINDEX]
        return exclusions[0] if exclusions else canonical


def make_rules(
    forms: UrlForms,
    moves: Iterable[Rule | Origin] = (),
    headers: Iterable[Rule | Origin] = (),
    *,
    spellings_of: Callable[[str], Sequence[str]] = exact_spelling,
) -> HostRules:
    """Makes the `HostRules` of a host from the lines that its reader found in the host's files.

    Each line is a `Rule`, or an `Origin` if its effect is not certain: `_redirects:3` for a
    redirect of visitors from one country. An `Origin` has no effect on pages. It is kept in
    `unread`, for a note to the user.

    - `moves` are the redirects, rewrites and denials, and `headers` the lines with headers
    - `spellings_of` gives the spellings of a URL path that are compared with the rules: on Netlify,
      `/A/` and also `/a`
    """
    all_moves = list(moves)
    all_headers = list(headers)
    unread = [line for line in (*all_moves, *all_headers) if isinstance(line, Origin)]
    return HostRules(
        forms=forms,
        moves=RuleTable(all_moves, spellings_of),  # `RuleTable` leaves out the origins
        headers=RuleTable(all_headers, spellings_of),
        unread=tuple(dict.fromkeys(unread)),
    )


class Host(NamedTuple):
    """The hosts that the site may be on, with the rules of each.

    A page is left out only if all of these hosts take it away. `is_known` says that the project or
    the user names the hosts, so that they are no guess. `unread` is a note to the user on lines
    that are not read, None if there are none.
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
    def forms(self) -> UrlForms | None:
        """The URL forms that work on all of the hosts on which the site may be.

        If one host shows `b.html` at `/b.html` and `/b`, and another host only at `/b`, the result
        has only `/b`. None if the hosts have no form in common, or are only a guess. The URL forms
        are then found by the site's canonicals and links.
        """
        forms_of_hosts = [rules.forms for rules in self.rules]
        if not self.is_known or not forms_of_hosts:
            return None
        if len(forms_of_hosts) == 1:
            return forms_of_hosts[0]
        folder = _common_forms([forms.folder for forms in forms_of_hosts])
        page = _common_forms([forms.page for forms in forms_of_hosts])
        if not folder or not page:
            return None
        return UrlForms(folder=folder, page=page)


def _common_forms(forms_of_hosts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Picks the URL forms that every host has, in the order of the first host.

    `("a/", "a")` of one host and `("a",)` of another → `("a",)`.
    """
    forms_of_first = forms_of_hosts[0]
    return tuple(form for form in forms_of_first if all(form in forms for forms in forms_of_hosts))


NO_HOST = Host(names=(), rules=())


class Hosting(NamedTuple):
    """A folder that a project file publishes: `publish = "out"` → the key `publish` and `out`.

    `folders` has several folders if the file can mean any of them: the first that exists counts.
    They are relative to the folder of the file. `key` and `folders` are empty if the file describes
    hosting, and names no folder.
    """

    key: str = ""
    folders: tuple[str, ...] = ()


class Reader(NamedTuple):
    """How the files of a host are read.

    - `read` takes the texts of the host's files by name, the site's base URL, and the time of the
      run in seconds. It raises ValueError for a text that the host rejects.
    - `hosting` takes the table in a project file and returns what it publishes: nothing if it does
      not describe hosting, more than one item if it has several targets. Hosts without a project
      file have none.
    """

    read: Callable[[Mapping[str, str], str, int], HostRules]
    hosting: Callable[[Mapping[str, Any]], tuple[Hosting, ...]] = lambda _: ()


def netloc_of(base_url: str) -> str:
    """Gives the host name of a base URL, with its port: `https://a.test:80/b/` → `a.test:80`.

    A base URL without a scheme, such as `a.test`, is returned as it is.
    """
    return urlsplit(base_url).netloc or base_url
