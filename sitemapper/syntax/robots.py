"""robots.txt: closed URLs, Sitemap lines, and the text with our line; robots directives. Pure.

docs/protocol.md §4 has the rules for directives in metas and X-Robots-Tag headers.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..model import Origin
from .dates import read_http

if TYPE_CHECKING:
    from protego import Protego

SIZE_LIMIT = 500 * 1024  # bytes; crawlers need not read more (RFC 9309 §2.5, Google)
# Google and RFC 9309 §2.2.4: the key in any case, spaces around the colon, CR, LF or CRLF at the
# end.
_SITEMAP = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:([^\r\n#]*)")
_BOM = b"\xef\xbb\xbf"
# As Google reads it: common misspellings count, and the colon may be missing between two words.
_LINE = re.compile(
    r"\s*(?:(user[- ]?agent)|(allow)|dis(?:allow|sallow|salow|alow|allaw)|diasllow)"
    r"(?:\s*:\s*|[ \t]+(?=[^#\s]+\s*(?:#|$)))([^#\s]*)",
    re.IGNORECASE,
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
    for old in outdated:
        if url in sitemap_lines(text):
            break
        ours = rb"(?<![^\r\n\xbf])Sitemap: %b(?=[\r\n]|\Z)" % re.escape(
            old.encode()
        )  # \xbf ends the BOM
        text = re.sub(ours, b"Sitemap: " + url.encode(), text, count=1)
    if url in sitemap_lines(text):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    joint = b"" if not text.removeprefix(_BOM) or text.endswith((b"\n", b"\r")) else newline
    return text + joint + b"Sitemap: " + url.encode() + newline


class PathRule(NamedTuple):
    """One Allow or Disallow:

    its line number and text, its key and its path, and the path's literal start.
    """

    line: int
    text: str
    key: str
    path: str
    beginning: str


class Crawling(NamedTuple):
    """The URLs that robots.txt closes to all configured agents, by the groups of RFC 9309.

    protego compares the paths. It gets only one group, because it also accepts prefixes of an
    agent's name. `agents` are the rules for each agent, and the literal prefixes of its Disallow
    rules. `rules` are those of the first agent with their matchers, the longest first, because that
    one counts.
    """

    agents: tuple[tuple[Protego, tuple[str, ...]], ...]
    rules: tuple[tuple[Protego, PathRule], ...]

    @property
    def allows_all(self) -> bool:
        """Whether some agent may fetch everything."""
        return any(not closed for _, closed in self.agents)

    def forbids(self, loc: str) -> Origin | None:
        """The rule that closes a URL, None if any of the agents may fetch it."""
        path = loc[loc.index("/", loc.index("://") + 3) :]
        # A path with none of these prefixes is open.
        if any(
            not path.startswith(closed) or agent.can_fetch(loc, "*")
            for agent, closed in self.agents
        ):
            return None
        rules = ((matcher, rule) for matcher, rule in self.rules if path.startswith(rule.beginning))
        rule = next(rule for matcher, rule in rules if not matcher.can_fetch(loc, "*"))
        return Origin("robots.txt", rule.line, rule.text)


def crawling(text: bytes, agents: Sequence[str]) -> Crawling:
    """The rules of a robots.txt for some agents, without its byte order mark."""
    groups = list(_groups(text[:SIZE_LIMIT].removeprefix(_BOM).decode("utf-8", "replace")))
    by_agent = [_rules(groups, _token(agent)) for agent in agents]
    closing = [[rule for rule in rules if rule.key == "disallow"] for rules in by_agent]
    beginnings = (tuple(dict.fromkeys(rule.beginning for rule in rules)) for rules in closing)
    longest = sorted(closing[0], key=lambda rule: -len(rule.path))
    own = zip(map(_matcher, by_agent), beginnings, strict=True)
    return Crawling(tuple(own), tuple((_matcher([rule]), rule) for rule in longest))


def _rules(groups: list[tuple[set[str], list[PathRule]]], name: str) -> list[PathRule]:
    """The rules of all groups of an agent, or else those of `*` (RFC 9309 §2.2.1)."""
    agent = name if any(name in names for names, _ in groups) else "*"
    return [rule for names, rules in groups if agent in names for rule in rules if rule.path]


def _groups(text: str) -> Iterator[tuple[set[str], list[PathRule]]]:
    """The agents and rules of each group; other lines do not end a group."""
    names: set[str] = set()
    rules: list[PathRule] = []
    for number, row in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        match = _LINE.match(row)
        if not match:
            continue
        if match[1]:
            if rules:
                yield names, rules
                names, rules = set(), []
            names.add(_token(match[3]))
        elif names:
            beginning = _SPECIAL.split(match[3], maxsplit=1)[0]
            key = "allow" if match[2] else "disallow"
            rules.append(PathRule(number, row.strip(), key, match[3], beginning))
    yield names, rules


def _token(agent: str) -> str:
    """The product token of an agent, in lower case: `googlebot` of `Googlebot/2.1`."""
    return "*" if agent.startswith("*") else re.split(r"[^a-z_-]", agent.lower(), maxsplit=1)[0]


def _matcher(rules: Iterable[PathRule]) -> Protego:
    # Imported here: many sites have no robots.txt.
    from protego import Protego

    return Protego.parse(
        "User-agent: *\n" + "".join(f"{rule.key}: {rule.path}\n" for rule in rules)
    )


def read_directives(text: str, *, names_agents: bool = False) -> tuple[bool, str | None]:
    """Whether comma-separated directives forbid indexing, and the date after which they do, as
    written.

    With `names_agents`, as in a header, only those for all crawlers or for Googlebot count:
    `googlebot: noindex, nofollow` names an agent; `unavailable_after: 25 Jun …` does not.
    """
    forbids, date, counts = False, None, True
    pieces = deque(text.split(","))
    while pieces:
        name, colon, value = (part.strip() for part in pieces.popleft().partition(":"))
        if names_agents and colon and name.lower() not in _WITH_VALUE:
            counts = name.lower() in ("", "*", *AGENTS)
            name, colon, value = (part.strip() for part in value.partition(":"))
        if name.lower() == "unavailable_after":
            words = [value]
            # A date may contain commas ("Wed, 01 May 2024"). A directive after it contains no
            # digit.
            while pieces and any(map(str.isdigit, pieces[0].partition(":")[0])):
                words.append(pieces.popleft())
            date = date or (",".join(words).strip() if counts and colon else None)
        forbids |= counts and not colon and name.lower() in _FORBIDDING
    return forbids, date or None


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
