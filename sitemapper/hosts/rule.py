"""One rule of a host: the paths that it is for, and what it does with the page at such a path.

Each host has a language of its own for paths. Its file translates this language into a `Pattern`.
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
_SEGMENTS = "[^/]+(?:/[^/]+)*"
# The end of a group that fills its segment: a slash or the end of the path follows.
_WHOLE_SEGMENT = r"\[\^/\]\+\)+\??(?=/|\(\?:/|\$|$)"
_REPEATS = r"(?<!\\)(?:[*+]|\{\d+,\})"  # without a limit
# With two, the worst path of 2,000 characters takes a tenth of a second; usual ones, microseconds.
_MAX_REPEATS = 2


class Pattern(NamedTuple):
    """The URL paths that a rule is for.

    Each path begins with `start`, and `regex` matches the rest of it: for `/blog/*`, these are
    `/blog/` and `^(.*)$`. If `regex` is None, the path is `start` itself, as for `/about`. A path
    is excepted if `excepted` matches its rest.
    """

    start: str
    regex: LinearRegex | None = None
    excepted: LinearRegex | None = None

    def matches(self, path: str) -> bool:
        """Says whether the rule is for a path: `/blog/*` is for `/blog/a`. Takes linear time."""
        if not path.startswith(self.start):
            return False
        rest = path[len(self.start) :]
        if self.excepted and self.excepted.is_in(rest):
            return False
        if self.regex is None:
            return not rest
        return self.regex.is_in(rest)

    @property
    def is_of_all_paths(self) -> bool:
        """Whether this is a catch-all, such as `/*`, `/:path*` or `^(.*)$`."""
        return self.matches(_MADE_UP)


class Rule(NamedTuple):
    r"""A rule in a file of a host, whose line is its origin.

    `action` says what it does with a page:

        REDIRECT               it leads to the target
        DUPLICATE              it shows the target in its place
        CLOSED, NOT_A_PAGE     it takes the page away
        NOINDEX, CANONICAL     it adds a header that forbids indexing, or names the canonical
        None                   it leaves the page alone

    `target` is a template of `re.Match.expand`, such as `/new/\g<1>`. A rule that is not `forced`
    is only for paths without a file, one that `needs_file` only for paths with one.
    """

    source: Pattern
    action: Reason | None
    origin: Origin
    target: str = ""
    forced: bool = True
    needs_file: bool = False

    def target_at(self, path: str) -> str:
        r"""Says where the rule leads from a path: with `/a/*` and `/b/\g<splat>`, `/a/c` → `/b/c`.

        "" if that is not known, because Python cannot find the groups, or not quickly. Letter case
        does not count, because the host has matched the path already.
        """
        # A target is a template of `re.Match.expand`, in which a backslash is written twice.
        has_groups = r"\g<" in self.target
        if self.source.regex is None or not has_groups:
            return self.target.replace(r"\\", "\\")
        start = self.source.start
        regex = self.source.regex.text
        if not path.lower().startswith(start.lower()) or not _takes_short_time(regex):
            return ""
        try:
            match = re.search(regex, path[len(start) :], re.IGNORECASE)
            return match.expand(self.target) if match else ""
        except (re.error, IndexError):  # Python cannot read the expression, or `$3` has no group
            return ""


def _takes_short_time(regex: str) -> bool:
    """Says whether Python finds the groups of an expression quickly. If not, no target is known.

    The groups are what a target such as `/b/$1` repeats. The engine that matches paths finds none.
    Python does, but it tries one length of a repeated part after the other, so `(.*)(.*)(.*)x`
    would take minutes for a long path. So at most two parts may have any length, and an expression
    without `^` counts as one more, because it may begin anywhere.

    `[^/]+` does not count where it fills a segment, because it can only end at the next slash:

        ^(?:/(?P<a>[^/]+))(?:/(?P<b>.*))$    as it is
        ^(?:/(?P<a>))(?:/(?P<b>.*))$         without it: one part may have any length
    """
    without_segments = re.sub(_WHOLE_SEGMENT, ")", regex.replace(_SEGMENTS, "[^/]+"))
    repeats = len(re.findall(_REPEATS, without_segments))
    has_repeated_group = re.search(r"(?<!\\)\)[*+{]", without_segments) is not None
    begins_anywhere = not regex.startswith(("^", "(?i)^"))
    return not has_repeated_group and repeats + begins_anywhere <= _MAX_REPEATS


# What a reader makes of a line: a rule, or the place of a line that is not certain, so no rule.
Line = Rule | Origin


def read_rule(
    read: Callable[[str], Pattern],
    source: str,
    action: Reason | None,
    origin: Origin,
    target: str = "",
    *,
    forced: bool = True,
) -> Line:
    """Makes a rule for the paths of a source: from `/a` to the target `/b`, for instance.

    `read` translates the source to a pattern. If it raises ValueError, the result is only the place
    of the line, which is then reported as not read.
    """
    try:
        pattern = read(source)
    except ValueError:
        return origin
    template = _make_template(target, pattern)
    return Rule(pattern, action, origin, target=template, forced=forced)


def _make_template(target: str, pattern: Pattern) -> str:
    r"""Makes a target a template of `re.Match.expand`: `/b/:splat` → `/b/\g<splat>`.

    `$1` → `\g<1>`. A name that is not in the source is plain text, as in `https://a.example:b/`.
    """
    plain = target.replace("\\", r"\\")  # `expand` takes two backslashes for one
    if pattern.regex is None:
        return plain
    names = re.findall(r"\?P<(\w+)>", pattern.regex.text)

    def group_of(reference: re.Match[str]) -> str:
        r"""Writes a reference as a group: `$1` → `\g<1>`, `:splat` → `\g<splat>`."""
        if reference["number"]:
            return rf"\g<{reference['number']}>"
        name = reference["name"]
        return rf"\g<{name}>" if name in names else reference[0]

    return re.sub(_REFERENCE, group_of, plain)


def checked(text: str) -> LinearRegex:
    """Compiles an expression that a user wrote. Raises ValueError if it cannot be compiled."""
    regex = LinearRegex(text)
    _ = regex.is_in  # which compiles it
    return regex


def wildcards(source: str, *, is_loose: bool = False) -> Pattern:
    """Translates a source in which `*` stands for any text, and `:name` for one segment.

    With `is_loose`, the pattern is for paths in lower case without a final slash. A star may then
    be absent, together with the slash before it:

    | source      | `is_loose` | start of paths | expression for the rest                       |
    |-------------|------------|----------------|-----------------------------------------------|
    | `/a/:x/*`   | no         | `/a/`          | `^(?P<x>[^/]+)/(?P<splat>.*)$`                |
    | `/a/*`      | yes        | `/a`           | `^(?:/(?P<splat>.*))?$`, so it matches `/a`   |
    """
    path = encode_path(source)
    if is_loose:
        path = path.removesuffix("/")
    # `re.split` gives literal texts and wildcards in turn: `["/a/", ":x", "/", "*", ""]`, or with
    # `is_loose`, `["/a/", ":x", "", "/*", ""]`.
    parts = re.split(_LOOSE_WILDCARD if is_loose else WILDCARD, path)
    start, *literals = [literal.lower() if is_loose else literal for literal in parts[::2]]
    wildcards_in_source = parts[1::2]
    if not wildcards_in_source:
        return Pattern(start)
    regex = ""
    for wildcard, literal_after in zip(wildcards_in_source, literals, strict=True):
        is_star = wildcard.endswith("*")
        name = "splat" if is_star else wildcard.removeprefix(":")
        text = ".*" if is_star else "[^/]+"
        # A second group of the same name would be an error.
        group = f"(?:{text})" if f"<{name}>" in regex else f"(?P<{name}>{text})"
        regex += f"(?:/{group})?" if wildcard == "/*" else group
        regex += re.escape(literal_after)
    return Pattern(start, LinearRegex(f"^{regex}$"))


def loose_spellings(path: str) -> Sequence[str]:
    """Gives two spellings of a path, for a host that ignores letter case: `/A/` → `/A/`, `/a`.

    Its patterns are in lower case and without a final slash, so the second one matches them. The
    path itself comes first, so that `/b/:splat` gets the letters of the path from it.
    """
    return (path, path.lower().removesuffix("/"))


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
        rules: Iterable[Rule] = (),
        spellings_of: Callable[[str], Sequence[str]] = exact_spelling,
    ) -> None:
        self.rules = tuple(rules)
        self._spellings_of = spellings_of
        # For each start of a pattern, such as `/blog/`, the places of its rules in `rules`.
        self._numbers_by_start: dict[str, list[int]] = {}
        for number, rule in enumerate(self.rules):
            self._numbers_by_start.setdefault(rule.source.start, []).append(number)
        self._start_lengths = sorted({len(start) for start in self._numbers_by_start})

    def matching(self, path: str) -> Iterator[Rule]:
        """Yields the rules whose patterns match a URL path, in the order of the file.

        A file may have thousands of rules. So only those are compared that have the same start as
        the path: for `/blog/a`, those for `/blog/*`, `/*` and `/blog/a`.
        """
        numbers: set[int] = set()
        for spelling in self._spellings_of(path):
            for length in self._start_lengths:
                for number in self._numbers_by_start.get(spelling[:length], ()):
                    if self.rules[number].source.matches(spelling):
                        numbers.add(number)
        for number in sorted(numbers):  # in the order of the file, where the first one decides
            yield self.rules[number]

    def target_at(self, rule: Rule, path: str) -> str:
        """Says where a rule leads from a path: `/a/* /b/:splat` from `/a/c` → `/b/c`.

        "" if that is not known.
        """
        for spelling in self._spellings_of(path):
            target = rule.target_at(spelling)
            if target:
                return target
        return ""


def error_page(target: str, origin: Origin) -> Iterator[Rule]:
    """Yields rules that leave out the page that a host shows for missing paths.

    `/404.html` → one rule for `/404.html`, and one for `/404`, its other URL. No rule for a
    folder's page: a single-page application shows its home page for all paths.
    """
    if not target.startswith("/") or target.endswith(("/", "/index.html")):
        return
    for path in dict.fromkeys((target, target.removesuffix(".html"))):
        yield Rule(Pattern(encode_path(path)), Reason.NOT_A_PAGE, origin)
