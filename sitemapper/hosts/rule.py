"""One rule of a host: the paths that it is for, and what it does with the page at such a path.

Each host has a language of its own for paths. Its file translates this language into a `Pattern`.

Some lines have an effect that nobody can work out from the files, such as a redirect for visitors
of one country. The reader of the host then returns the `Origin` of the line in place of a `Rule`.
Such a line takes no page away, and a note to the user says that it was not read.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..model import Origin, Reason
from ..syntax.linear import LinearRegex
from ..syntax.urls import encode_path

# In the sources of Netlify and Cloudflare, a star matches any text, a name a part of one segment.
WILDCARD = r"(\*|:[A-Za-z]\w*)"
_LOOSE_WILDCARD = r"(/?\*|:[A-Za-z]\w*)"
# In a target, `:name` and `$1` stand for text of the source.
_REFERENCE = r":(?P<name>[A-Za-z_]\w*)[*+?]?|\$(?P<number>\d)"
# No site has a page with this name, so a rule for it is for all paths.
_MADE_UP = "/sitemapper-asks-for-a-page-that-is-not-there"
# A segment or several, as `:x` and `:x*` match them: `[^/]+` and `[^/]+(?:/[^/]+)*`.
_SEGMENT = "[^/]+"
SEGMENTS = "[^/]+(?:/[^/]+)*"
# A segment to the end of its group, such as `[^/]+)`, before a slash or the end of the path.
_SEGMENT_IN_SLASHES = r"\[\^/\]\+\)+\??(?=/|\(\?:/|\$|$)"
_UNLIMITED_REPETITION = r"(?<!\\)[*+]"
# With two, the worst path of 2,000 characters takes a tenth of a second; usual ones, microseconds.
_MAX_REPEATS = 2


class Pattern(NamedTuple):
    """The URL paths that a rule is for.

    Each path begins with `start`, and `regex` matches the rest of it: for `/blog/*`, these are
    `/blog/` and `^(.*)$`. If `regex` is None, the path is `start` itself, as for `/about`.
    """

    start: str
    regex: LinearRegex | None = None

    def matches(self, path: str) -> bool:
        """Says whether a rule with this pattern is for a URL path: `/blog/*` is for `/blog/a`."""
        if not path.startswith(self.start):
            return False
        rest = path[len(self.start) :]
        if self.regex is None:
            return not rest
        return self.regex.is_in(rest)

    def find_groups(self, path: str) -> re.Match[str] | None:
        r"""Finds for which text of a path each wildcard of the pattern stands.

        The pattern of `/a/*` has the start `/a/` and the regex `^(?P<splat>.*)$`, with a group for
        the star. In the path `/a/c`, the rest after the start is `c`, so the group `splat` is `c`.

        None if the path does not match, or if the search could take long.
        """
        # `LinearRegex` is always quick, but gives no groups. `re` gives them, but may take minutes.
        if self.regex is None or not _takes_short_time(self.regex.text):
            return None
        # Letter case is ignored: on Netlify, the pattern of `/a/*` also matches `/A/C`.
        if not path.lower().startswith(self.start.lower()):
            return None
        rest = path[len(self.start) :]
        return re.search(self.regex.text, rest, re.IGNORECASE)

    @property
    def is_of_all_paths(self) -> bool:
        """Whether this is a catch-all, such as `/*`, `/:path*` or `^(.*)$`."""
        return self.matches(_MADE_UP)


class Rule(NamedTuple):
    r"""A rule in a file of a host: the paths that it is for (`source`), and what it does there.

    `origin` is its line. `action` says what it does with a page:

        REDIRECT               it leads to the target
        DUPLICATE              it shows the target in its place
        CLOSED, NOT_A_PAGE     it takes the page away
        NOINDEX, CANONICAL     it adds a header that forbids indexing, or names the canonical
        None                   it leaves the page alone

    `target` is a template of `re.Match.expand`, such as `/new/\g<1>`. A rule that is not `forced`
    is only for paths without a file.
    """

    source: Pattern
    action: Reason | None
    origin: Origin
    target: str = ""
    forced: bool = True

    def target_at(self, path: str) -> str:
        r"""Works out where the rule leads from a path that it matches. "" if that is not possible.

        | line               | `target`, a template  | path    | result  |
        |--------------------|-----------------------|---------|---------|
        | `/a/* /b/:splat`   | `/b/\g<splat>`        | `/a/c`  | `/b/c`  |
        | `/a/* /b\c`        | `/b\\c`               | `/a/c`  | `/b\c`  |
        """
        has_one_target = self.source.regex is None or r"\g<" not in self.target
        if has_one_target:  # for all paths
            return self.target.replace(r"\\", "\\")  # in a template, `\\` is one backslash
        groups = self.source.find_groups(path)  # for `/a/*`, `splat` is `c`
        try:
            return groups.expand(self.target) if groups else ""
        except (re.error, IndexError):  # the target has `$3`, and the source two groups
            return ""


def _takes_short_time(regex: str) -> bool:
    """Says whether Python's `re` finds the groups of an expression quickly, however long the path.

    A target such as `/b/$1` needs the groups. `LinearRegex` is always quick, but gives no groups.
    `re` gives them, but tries each length of each repetition: `(.*)(.*)(.*)x` would take minutes
    for a long path. So at most two repetitions without a limit are allowed:

    | expression                     | result | because                                           |
    |--------------------------------|--------|---------------------------------------------------|
    | `^/(.*)/(.*)$`                 | True   | it has two repetitions                            |
    | `^/(.*)/(.*)/(.*)$`            | False  | it has three repetitions                          |
    | `^/([^/]+)/([^/]+)/([^/]+)$`   | True   | `[^/]+` between slashes does not count            |
    """
    # `[^/]+` between two slashes takes no time, because it can only end at the next slash.
    with_single_segments = regex.replace(SEGMENTS, _SEGMENT)
    counted = re.sub(_SEGMENT_IN_SLASHES, "", with_single_segments)
    return len(re.findall(_UNLIMITED_REPETITION, counted)) <= _MAX_REPEATS


def read_rule(
    translate: Callable[[str], Pattern],
    source: str,
    action: Reason | None,
    origin: Origin,
    target: str = "",
    *,
    forced: bool = True,
) -> Rule | Origin:
    """Makes the Rule of a line: `/a/* /b/:splat 301` redirects from `/a/*` to `/b/:splat`.

    `translate` makes a pattern of the source, `/a/*`, which is in the host's own language. It
    raises ValueError for a source that it cannot read. Then the result is only the `origin` of the
    line, which a note to the user names as not read.

    A rule with the action None changes no page, but keeps later rules from its paths. A rule that
    is not `forced` is only for paths without a file.
    """
    try:
        pattern = translate(source)
    except ValueError:
        return origin
    template = _make_template(target, pattern)
    return Rule(pattern, action, origin, target=template, forced=forced)


def _make_template(target: str, pattern: Pattern) -> str:
    r"""Turns the target of a rule into a template for `re.Match.expand`.

    `pattern` is the source of the rule. For the source `/a/*`, whose star has the name `splat`:

        /b/:splat              → `/b/\g<splat>`
        /b/$1                  → `/b/\g<1>`
        https://a.example:b/   → as it is, because the source has no name `b`
    """
    escaped = target.replace("\\", r"\\")  # `expand` takes two backslashes for one
    if pattern.regex is None:  # the source has no wildcard to refer to
        return escaped
    names = re.findall(r"\?P<(\w+)>", pattern.regex.text)

    def group_of(reference: re.Match[str]) -> str:
        r"""Writes a reference as a group: `$1` → `\g<1>`, `:splat` → `\g<splat>`."""
        if reference["number"]:
            return rf"\g<{reference['number']}>"
        name = reference["name"]
        if name in names:
            return rf"\g<{name}>"
        return reference[0]  # no group of the source: the text stays as it is

    return re.sub(_REFERENCE, group_of, escaped)


def compile_regex(text: str) -> LinearRegex:
    """Compiles an expression now. Raises ValueError if it has a name twice, for example."""
    regex = LinearRegex(text)
    _ = regex.is_in  # compiles it now, and not when the first path is compared
    return regex


def wildcards(source: str, *, is_loose: bool = False) -> Pattern:
    """Translates the source of a rule to a pattern: `*` stands for any text, `:x` for a segment.

    A pattern has the text before the first wildcard, with which paths begin, and an expression for
    the rest of a path:

    | source      | beginning  | expression for the rest                               |
    |-------------|------------|-------------------------------------------------------|
    | `/about`    | `/about`   | None: the path ends here                              |
    | `/A/:x/*`   | `/A/`      | `^(?P<x>[^/]+)/(?P<splat>.*)$`                        |
    | `/A/:x/*`   | `/a/`      | `^(?P<x>[^/]+)(?:/(?P<splat>.*))?$`, with `is_loose`  |

    `is_loose` is for hosts that ignore letter case and a final slash, such as Netlify. The pattern
    is then in lower case, and the slash before a star is part of the wildcard: `/A/*` also matches
    `/a`, where `/*` stands for nothing.
    """
    path = encode_path(source)
    if is_loose:
        # The text before the first wildcard, each wildcard, and the text after each. For `/A/:x/*`:
        # `/A/`, `:x`, "", `/*` and "".
        texts = re.split(_LOOSE_WILDCARD, path.removesuffix("/"))
        texts[::2] = map(str.lower, texts[::2])  # not the names of wildcards
    else:
        texts = re.split(WILDCARD, path)  # `/A/`, `:x`, `/`, `*` and ""
    start = texts[0]
    if len(texts) == 1:  # no wildcard
        return Pattern(start)
    regex = ""
    for found, text in zip(texts[1::2], texts[2::2], strict=True):
        regex += _regex_of_wildcard(found, regex) + re.escape(text)
    return Pattern(start, LinearRegex(f"^{regex}$"))


def _regex_of_wildcard(wildcard: str, regex_before: str) -> str:
    """Translates a wildcard to an expression with a group, by whose name a target refers to it.

    `:x`   → `(?P<x>[^/]+)`            a segment
    `*`    → `(?P<splat>.*)`           any text
    `/*`   → `(?:/(?P<splat>.*))?`     a slash and any text, or nothing

    If `regex_before`, the expression of the parts before, has a group of this name, the new group
    gets no name. A second group of the same name would be an error.
    """
    is_star = wildcard.endswith("*")
    name = "splat" if is_star else wildcard.removeprefix(":")
    text = ".*" if is_star else "[^/]+"
    group = f"(?:{text})" if f"<{name}>" in regex_before else f"(?P<{name}>{text})"
    return f"(?:/{group})?" if wildcard == "/*" else group


def loose_spellings(path: str) -> Sequence[str]:
    """Gives two spellings of a path, for a host that ignores letter case and a final slash.

    `/A/Tea/` → `/A/Tea/` and `/a/tea`. The second one is compared with the patterns of such a host,
    which are in lower case and have no final slash. The first one is for the target of a redirect,
    which keeps the letters: `/a/* /b/:splat` leads from `/A/Tea` to `/b/Tea`.
    """
    in_lower_case = path.lower().removesuffix("/")
    return (path, in_lower_case)


def exact_spelling(path: str) -> Sequence[str]:
    """Gives the path alone, for a host that compares it as it is: `/A/` → `/A/`."""
    return (path,)


class RuleTable:
    """The rules of a host in the order of its file, of which `matching` finds those for a path.

    A rule matches if its pattern matches one of the spellings of the path. `spellings_of` gives
    them: on Netlify, `/A/` is also `/a`.
    """

    def __init__(
        self,
        lines: Iterable[Rule | Origin],
        spellings_of: Callable[[str], Sequence[str]] = exact_spelling,
    ) -> None:
        """Keeps the lines that are rules, and indexes the rules by the beginning of their paths.

        A line that is only an `Origin` has no known effect, and is left out.

        A file may have thousands of rules. With the index, `matching` compares a path only with the
        rules that begin as the path does. `spellings_of` gives the spellings of a URL path that the
        host compares with its patterns: on Netlify, `/A/` is also `/a`.
        """
        self.rules = tuple(line for line in lines if isinstance(line, Rule))
        self._spellings_of = spellings_of
        # For each start of paths, such as `/blog/` for `/blog/*`, the indexes of rules in `rules`.
        self._indexes_by_start: dict[str, list[int]] = {}
        for index, rule in enumerate(self.rules):
            self._indexes_by_start.setdefault(rule.source.start, []).append(index)
        self._start_lengths = sorted({len(start) for start in self._indexes_by_start})

    def matching(self, path: str) -> Iterator[Rule]:
        """Yields the rules whose patterns match a URL path, in the order of the file.

        A file may have thousands of rules. So a path is compared only with the rules that have the
        same start: `/blog/a` with the rules for `/blog/*`, `/*` and `/blog/a`.
        """
        indexes: set[int] = set()
        for spelling in self._spellings_of(path):
            for length in self._start_lengths:
                for index in self._indexes_by_start.get(spelling[:length], ()):
                    if self.rules[index].source.matches(spelling):
                        indexes.add(index)
        for index in sorted(indexes):  # in the order of the file, where the first one decides
            yield self.rules[index]

    def target_at(self, rule: Rule, path: str) -> str:
        """Says where a rule leads from a path that it matches; "" if that cannot be worked out.

        `/a/* /b/:splat` leads from `/a/c` to `/b/c`.
        """
        for spelling in self._spellings_of(path):
            target = rule.target_at(spelling)
            if target:
                return target
        return ""


def error_page(target: str, origin: Origin) -> Iterator[Rule]:
    """Yields rules that leave a host's error page out of the sitemap: `/404.html`, for example.

    The `target` `/404.html` gives a rule for `/404.html`, and one for `/404`, its other URL. The
    page of a folder, such as `/`, gives no rule: a single-page application shows its home page for
    all paths, and this page has to be listed.
    """
    if not target.startswith("/") or target.endswith(("/", "/index.html")):
        return
    for path in dict.fromkeys((target, target.removesuffix(".html"))):
        yield Rule(Pattern(encode_path(path)), Reason.NOT_A_PAGE, origin)
