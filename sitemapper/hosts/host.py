"""A host as the other rooms see it: the URL forms in which it serves pages, and its rules."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ..model import Form, Origin, Reason
from ..syntax.robots import forbids_index
from ..syntax.urls import encode_path, origin_of, resolve

# In a target, `:name` and `$1` stand for what the source has matched.
_REFERENCE = re.compile(r":([A-Za-z_]\w*)\*?|\$(\d)", re.ASCII)


# exact: `_redirects` on Cloudflare. loose: the same where letter case and a final slash do not
# count, as on Netlify. vercel: what people write of path-to-regexp.
Syntax = Literal["exact", "loose", "vercel"]

_NAME = r":[A-Za-z_]\w*+"
_WILDCARDS: dict[Syntax, str] = {
    "exact": rf"(\*|{_NAME})",
    "loose": rf"(/?\*|{_NAME})",
    "vercel": rf"(/{_NAME}\*|(?:{_NAME})?\(\.\*\)|{_NAME}(?![*+?(]))",
}


class ServedForms(NamedTuple):
    """The URL forms in which a host serves pages without a redirect. The first is its own choice.

    `folder` is for the pages of folders (`a/index.html`), `page` for all others (`b.html`).
    """

    folder: tuple[Form, ...]
    page: tuple[Form, ...]


class Source(NamedTuple):
    """The URL paths that a rule is for, such as `/blog/*`."""

    start: str  # the text before the first wildcard, in lower case
    regex: re.Pattern[str]  # its groups are what the wildcards stand for

    @property
    def is_of_all_paths(self) -> bool:
        """Whether this is a catch-all, such as `/*`: it matches paths that no site has."""
        return bool(self.regex.fullmatch("/no-such-page") and self.regex.fullmatch("/no/such/page"))


class Rule(NamedTuple):
    """What a host does at the URL paths of a source.

    `action` is REDIRECT, DUPLICATE (a rewrite: the target is shown there), CLOSED, NOINDEX, or None
    for a rule that only takes these paths from other ones. Where there is a file, only a rule that
    `is_forced` applies.
    """

    source: Source
    action: Reason | None
    origin: Origin
    target: str = ""
    is_forced: bool = True
    directives: str = ""  # of a header: "noindex, nofollow"


class Rules:
    """Rules in their order. Each is found by the text before its first wildcard.

    A site may have thousands of rules, and to try each at every URL would take long.
    """

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        """Groups the rules by the text before their first wildcard: `/blog/` for `/blog/*`."""
        self._rules = tuple(rules)
        self._indexes_by_start: dict[str, list[int]] = {}
        for index, rule in enumerate(self._rules):
            self._indexes_by_start.setdefault(rule.source.start, []).append(index)
        self._start_lengths = sorted({len(start) for start in self._indexes_by_start})

    def __bool__(self) -> bool:
        """Whether there is any rule."""
        return bool(self._rules)

    def at(self, url_path: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Yields the rules that match a URL path, in order, each with its match.

        The match has the texts that the wildcards stand for: `tea` for `/blog/*` at `/blog/tea`.
        """
        # A start is in lower case, because in some hosts' rules letter case does not count. The
        # expression of a rule says whether it does.
        lower_path = url_path.lower()
        indexes: list[int] = []
        for length in self._start_lengths:
            indexes += self._indexes_by_start.get(lower_path[:length], ())
        for index in sorted(indexes):
            rule = self._rules[index]
            match = rule.source.regex.fullmatch(url_path)
            if match:
                yield rule, match


def read_source(text: str, syntax: Syntax) -> Source | None:
    """Reads the source of a rule, such as `/blog/*`, into a regular expression.

    Returns None if it is not understood. In the syntax of Vercel, `:x`, `/:x*`, `(.*)` and `:x(.*)`
    are wildcards. All else stands for itself there, so that it matches no page.
    """
    if not text:
        return None
    path = encode_path(text)
    if syntax == "loose":
        path = path.removesuffix("/")

    # Of `/a/:x/b/*` on Netlify: the start `/a/`, the wildcards `:x` and `/*`, and the texts after
    # each of them, `/b` and "".
    start, *parts = re.split(_WILDCARDS[syntax], path)
    wildcards = parts[::2]
    texts = parts[1::2]

    # Two `*`, or two wildcards in one segment of the path, could take very long to match.
    if sum("*" in wildcard for wildcard in wildcards) > 1:
        return None
    for between, wildcard in zip(texts, wildcards[1:], strict=False):
        if "/" not in between + wildcard:
            return None

    expression = re.escape(start)
    for wildcard, after in zip(wildcards, texts, strict=True):
        expression += _regex_of(wildcard) + re.escape(after)
    if syntax == "loose":
        expression = f"(?i:{expression})/?"
    try:
        return Source(start.lower(), re.compile(expression))
    except re.error:  # two wildcards have one name
        return None


def _regex_of(wildcard: str) -> str:
    """The expression that a wildcard stands for, as a group: `:x` → `(?P<x>[^/]+)`.

    The group has the name by which a target refers to it. For `*`, this is `splat`.
    """
    if wildcard == "(.*)":
        return wildcard  # it is an expression, to which a target refers as `$1`
    written_name = re.search(r"\w+", wildcard)
    name = written_name[0] if written_name else "splat"
    if wildcard.startswith("/"):  # `/a/*` is for `/a`, too, and so is `/a/:x*` on Vercel
        text = "[^/]+(?:/[^/]+)*" if written_name else ".*"
        return f"(?:/(?P<{name}>{text}))?"
    text = ".*" if "*" in wildcard else "[^/]+"
    return f"(?P<{name}>{text})"


class Host(NamedTuple):
    """The host of a site. All URL paths are encoded, and begin with a slash at the base URL."""

    name: str  # "none" for no host, and for one that is not known
    origin: Origin | None = None  # what names it
    is_certain: bool = False  # written by a person, or it runs this build: it overrules canonicals
    forms: ServedForms | None = None  # None if the host is not known
    moves: Rules = Rules()
    headers: Rules = Rules()

    def move_at(self, url_path: str, *, has_file: bool = True) -> Rule | None:
        """Finds the redirect, rewrite or denial at a URL path, with its target for this path.

        `has_file` says whether a page is there: then no rewrite, and on some hosts only a forced
        redirect applies. The target is a URL, or a path such as `/b` from the root of the host.
        """
        # Hosts apply only the first rule that matches, even if a page then wins over it.
        for rule, match in self.moves.at(url_path):
            page_wins = has_file and not rule.is_forced
            if rule.action is None or page_wins:
                return None
            return rule._replace(target=_fill_in(rule.target, match))
        return None

    def header_at(self, url_path: str, now: int) -> Rule | None:
        """Finds the header X-Robots-Tag that keeps the page at a URL path out of indexes.

        `now` is a time in seconds, for a directive such as `unavailable_after`.
        """
        for rule, _ in self.headers.at(url_path):
            if forbids_index(rule.directives, now):
                return rule
        return None


def _fill_in(target: str, match: re.Match[str]) -> str:
    """Fills into a rule's target what the wildcards of its source have matched.

    For a rule from `/a/*` to `/b/:splat`, at `/a/c`, this is `/b/c`. `match` is that of the source
    with `/a/c`. A reference to a wildcard that the source does not have stays as it is.
    """

    def text_of(reference: re.Match[str]) -> str:
        wildcard = reference[1] or int(reference[2])  # the name in `:splat`, the number in `$1`
        try:
            return match[wildcard] or ""  # a wildcard may match nothing
        except IndexError:  # the source has no such wildcard
            return reference[0]

    return _REFERENCE.sub(text_of, target)


def target_url(target: str, base_url: str) -> str:
    """The absolute URL of a rule's target, "" if it is none.

    At the base URL https://a.example/docs/, people write both `/docs/b` and `/b` for
    https://a.example/docs/b.
    """
    base_path = base_url.removeprefix(origin_of(base_url))
    is_absolute = "://" in target or target.startswith("//")
    if not is_absolute and not target.startswith(base_path):
        target = base_url + target.lstrip("/")
    return resolve(target, base_url) or ""
