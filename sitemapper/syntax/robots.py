"""robots.txt: closed URLs, Sitemap lines, and the text with our line; robots directives. Pure.

docs/protocol.md §4 has the rules for directives in metas and X-Robots-Tag headers.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..model import Origin
from .dates import read_http

if TYPE_CHECKING:
    from protego import Protego

SIZE_LIMIT = 500 * 1024  # bytes; crawlers need not read more (RFC 9309 §2.5, Google)
# RFC 9309 §2.2.4, and Google: the key in any case, spaces around the colon.
_SITEMAP = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:([^\r\n#]*)")
_BOM = b"\xef\xbb\xbf"
# As Google reads it: common misspellings count, and the colon may be missing between two words.
_LINE = re.compile(
    r"""
    \s* (?: (?P<agent>user[-\x20]?agent) | (?P<allow>allow)
        | dis(?:allow|sallow|salow|alow|allaw) | diasllow )
    (?: \s*:\s* | [\x20\t]+ (?= [^\#\s]+ \s* (?:\#|$) ) )  # a colon, or space before one word
    (?P<value>[^\#\s]*)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Characters of a rule that may match others in a URL: wildcards, escapes, and encoded characters.
_SPECIAL = re.compile(r"[^A-Za-z0-9/\-._~!&'()+,;=:@]")
AGENTS = ("robots", "googlebot")  # the names of metas, and the agents of headers, that count
_FORBIDDING = ("noindex", "none")
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")


def sitemap_lines(text: bytes) -> list[str]:
    """The URLs of the `Sitemap:` lines, in order."""
    lines = text.removeprefix(_BOM).replace(b"\r", b"\n")
    return [url.strip().decode("utf-8", "replace") for url in _SITEMAP.findall(lines)]


def with_sitemap(text: bytes, url: str, outdated: Iterable[str] = ()) -> bytes:
    """The text with a line for the sitemap instead of our outdated one.

    Unchanged if it has the line.
    """
    line = b"Sitemap: " + url.encode()
    for old in outdated:
        if url in sitemap_lines(text):
            return text
        # A whole line; \xbf ends the byte order mark.
        old_line = rb"(?<![^\r\n\xbf])Sitemap: %b(?=[\r\n]|\Z)" % re.escape(old.encode())
        text = re.sub(old_line, line, text, count=1)
    if url in sitemap_lines(text):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    is_empty = not text.removeprefix(_BOM)
    if not is_empty and not text.endswith((b"\n", b"\r")):
        text += newline
    return text + line + newline


class PathRule(NamedTuple):
    """One Allow or Disallow: its line number and text, and its key and path.

    `beginning` is the part of the path before the first character that may match others.
    """

    line: int
    text: str
    key: str
    path: str
    beginning: str

    @property
    def directive(self) -> str:
        """The rule as a line."""
        return f"{self.key}: {self.path}\n"


class Agent(NamedTuple):
    """The rules for one agent as a text, and the literal beginnings of its Disallow rules."""

    rules: str
    closed: tuple[str, ...]

    def may_fetch(self, loc: str, path: str) -> bool:
        """Whether the rules allow a URL, given with its path."""
        # Only if a rule may close the path, protego is asked.
        return not path.startswith(self.closed) or _matcher(self.rules).can_fetch(loc, "*")


class Crawling(NamedTuple):
    """The URLs that robots.txt closes to all configured agents, by the groups of RFC 9309.

    protego compares the paths. It gets only one group, because it also accepts prefixes of an
    agent's name. `rules` are the Disallow rules of the first agent, the longest first, because that
    one counts (RFC 9309 §2.2.2). All rules stay texts until a path begins like them, so they are
    cheap to send to a worker.
    """

    agents: tuple[Agent, ...]
    rules: tuple[PathRule, ...]

    @property
    def allows_all(self) -> bool:
        """Whether some agent may fetch everything."""
        return any(not agent.closed for agent in self.agents)

    def forbids(self, loc: str) -> Origin | None:
        """The rule that closes a URL, None if any of the agents may fetch it."""
        path = loc[loc.index("/", loc.index("://") + len("://")) :]
        if any(agent.may_fetch(loc, path) for agent in self.agents):
            return None
        possible = (rule for rule in self.rules if path.startswith(rule.beginning))
        longest = next(
            rule for rule in possible if not _matcher(rule.directive).can_fetch(loc, "*")
        )
        return Origin("robots.txt", longest.line, longest.text)


def crawling(text: bytes, agents: Sequence[str]) -> Crawling:
    """The rules of a robots.txt for some agents, without its byte order mark."""
    groups = list(_groups(text[:SIZE_LIMIT].removeprefix(_BOM).decode("utf-8", "replace")))
    by_agent = [_rules(groups, _token(agent)) for agent in agents]
    longest_first = sorted(_closing(by_agent[0]), key=lambda rule: -len(rule.path))
    return Crawling(
        tuple(Agent(_directives(rules), _beginnings(rules)) for rules in by_agent),
        tuple(longest_first),
    )


def _closing(rules: list[PathRule]) -> list[PathRule]:
    return [rule for rule in rules if rule.key == "disallow"]


def _beginnings(rules: list[PathRule]) -> tuple[str, ...]:
    """The beginnings of all paths that the rules may close."""
    return tuple(dict.fromkeys(rule.beginning for rule in _closing(rules)))


def _rules(groups: list[tuple[set[str], list[PathRule]]], name: str) -> list[PathRule]:
    """The rules of all groups of an agent, or else those of `*` (RFC 9309 §2.2.1)."""
    has_own = any(name in names for names, _ in groups)
    agent = name if has_own else "*"
    return [rule for names, rules in groups if agent in names for rule in rules if rule.path]


def _groups(text: str) -> Iterator[tuple[set[str], list[PathRule]]]:
    """The agents and rules of each group; other lines do not end a group."""
    names: set[str] = set()
    rules: list[PathRule] = []
    for number, row in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        match = _LINE.match(row)
        if not match:
            continue
        value = match["value"]
        if match["agent"]:
            if rules:
                yield names, rules
                names = set()
                rules = []
            names.add(_token(value))
        elif names:
            beginning = _SPECIAL.split(value, maxsplit=1)[0]
            key = "allow" if match["allow"] else "disallow"
            rules.append(PathRule(number, row.strip(), key, value, beginning))
    yield names, rules


def _token(agent: str) -> str:
    """The product token of an agent, in lower case: `googlebot` of `Googlebot/2.1`."""
    if agent.startswith("*"):
        return "*"
    return re.split(r"[^a-z_-]", agent.lower(), maxsplit=1)[0]


def _directives(rules: Iterable[PathRule]) -> str:
    return "".join(rule.directive for rule in rules)


@lru_cache(1 << 16)  # more rules than fit into a robots.txt that is read
def _matcher(directives: str) -> Protego:
    # Imported here: many sites have no robots.txt.
    from protego import Protego

    return Protego.parse(f"User-agent: *\n{directives}")


def read_directives(text: str, *, names_agents: bool = False) -> tuple[bool, str | None]:
    """Whether comma-separated directives forbid indexing, and the date after which they do.

    The date is as written. With `names_agents`, as in a header, only directives for all crawlers or
    for Googlebot count: `googlebot: noindex, nofollow` names an agent; `unavailable_after: 25 Jun …`
    does not.
    """
    forbids = False
    date = ""
    counts = True
    parts = deque(text.split(","))
    while parts:
        directive = _directive(parts.popleft())
        if names_agents and directive.has_value and directive.name not in _WITH_VALUE:
            counts = directive.name in ("", "*", *AGENTS)
            directive = _directive(directive.value)
        if directive.name == "unavailable_after":
            words = [directive.value, *_rest_of_date(parts)]
            if counts and directive.has_value and not date:
                date = ",".join(words).strip()
        elif counts and not directive.has_value and directive.name in _FORBIDDING:
            forbids = True
    return forbids, date or None


class _Directive(NamedTuple):
    """`name` in lower case, or `name: value`."""

    name: str
    has_value: bool
    value: str


def _directive(text: str) -> _Directive:
    name, colon, value = text.partition(":")
    return _Directive(name.strip().lower(), bool(colon), value.strip())


def _rest_of_date(parts: deque[str]) -> Iterator[str]:
    """Takes the parts after a comma in a date, as in `Wed, 01 May 2024`.

    The name of a directive contains no digit.
    """
    while parts and any(map(str.isdigit, parts[0].partition(":")[0])):
        yield parts.popleft()


def header_forbids(value: str, now: int) -> bool:
    """Whether an X-Robots-Tag forbids all crawlers or Googlebot to index, at a time in seconds."""
    forbids, date = read_directives(value, names_agents=True)
    return forbids or (date is not None and is_past(date, now))


def is_past(text: str, now: int) -> bool:
    """Whether the date of an `unavailable_after` has passed.

    As for Google, invalid dates are ignored.
    """
    try:
        return read_http(text).seconds < now
    except ValueError:
        return False
