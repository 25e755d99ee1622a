"""robots.txt as text: may a URL be crawled, which Sitemap lines it has, and the text with ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from protego import Protego

from sitemapper.model import Origin

# Google and RFC 9309 §2.2.4: the key in any case, spaces around the colon, CR, LF or CRLF at the end.
_SITEMAP = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:([^\r\n#]*)")
_BOM = b"\xef\xbb\xbf"


def sitemap_lines(text: bytes) -> list[str]:
    """The URLs that `Sitemap:` lines name, in order."""
    lines = text.removeprefix(_BOM).replace(b"\r", b"\n")
    return [url.strip().decode("utf-8", "replace") for url in _SITEMAP.findall(lines)]


def with_sitemap(text: bytes, url: str) -> bytes:
    """The text with a line naming the sitemap, itself if there is one already."""
    if url in sitemap_lines(text):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    joint = b"" if not text.removeprefix(_BOM) or text.endswith((b"\n", b"\r")) else newline
    return text + joint + b"Sitemap: " + url.encode() + newline


SIZE_LIMIT = 500 * 1024  # bytes; what lies behind need not be read (RFC 9309 §2.5, Google)
_LINE = re.compile(r"\s*(user-agent|allow|disallow)\s*:\s*([^#\s]*)", re.IGNORECASE)
# What does not stand for itself in rules and in our URLs: wildcards, escapes, what is encoded.
_SPECIAL = re.compile(r"[^A-Za-z0-9/\-._~!&'()+,;=:@]")


class Rule(NamedTuple):
    """One Allow or Disallow: its line, the line's text, and what it is about."""

    line: int
    text: str
    key: str
    path: str


class Agent(NamedTuple):
    """The rules for one agent; `closed` are the literal beginnings of its Disallow rules."""

    rules: tuple[Rule, ...]
    matcher: Protego
    closed: tuple[str, ...]

    def forbids(self, loc: str, path: str) -> bool:
        """Whether the agent may not fetch a URL: a path with none of the beginnings is open."""
        return path.startswith(self.closed) and not self.matcher.can_fetch(loc, "*")


class Crawling(NamedTuple):
    """Which URLs robots.txt closes to all of the configured agents: groups as RFC 9309 has them.

    protego compares the paths; it is given one group, because it takes agents by their beginnings.
    """

    agents: tuple[Agent, ...]

    @property
    def closes_nothing(self) -> bool:
        """Whether some agent may fetch all."""
        return any(not agent.closed for agent in self.agents)

    def forbids(self, loc: str) -> Origin | None:
        """Where robots.txt closes a URL; None if any of the agents may fetch it."""
        path = loc[loc.index("/", loc.index("://") + 3) :]
        if not all(agent.forbids(loc, path) for agent in self.agents):
            return None
        rules = sorted((r for r in self.agents[0].rules if r.key == "disallow"), key=lambda r: -len(r.path))
        rule = next(r for r in rules if not _alone(r).can_fetch(loc, "*"))
        return Origin("robots.txt", rule.line, rule.text)


def crawling(text: bytes, agents: Sequence[str]) -> Crawling:
    """The rules of a robots.txt for some agents; a byte order mark is no part of it."""
    groups = list(_groups(text[:SIZE_LIMIT].removeprefix(_BOM).decode("utf-8", "replace")))
    return Crawling(tuple(_agent(groups, _token(agent)) for agent in agents))


def _agent(groups: list[tuple[set[str], list[Rule]]], name: str) -> Agent:
    """The groups of an agent merged, or else those of `*` (RFC 9309 §2.2.1)."""
    wanted = name if any(name in names for names, _ in groups) else "*"
    rules = tuple(rule for names, found in groups if wanted in names for rule in found if rule.path)
    closed = {_beginning(rule.path) for rule in rules if rule.key == "disallow"}
    return Agent(rules, _matcher(rules), tuple(sorted(closed)))


def _groups(text: str) -> Iterator[tuple[set[str], list[Rule]]]:
    """Agents and rules of each group; lines of other kinds end no group."""
    names: set[str] = set()
    rules: list[Rule] = []
    for number, row in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        found = _LINE.match(row)
        if not found:
            continue
        key = found[1].lower()
        if key == "user-agent":
            if rules:
                yield names, rules
                names, rules = set(), []
            names.add(_token(found[2]))
        elif names:
            rules.append(Rule(number, row.strip(), key, found[2]))
    yield names, rules


def _token(agent: str) -> str:
    """The product token of an agent, in small letters: `googlebot` of `Googlebot/2.1`."""
    return "*" if agent.startswith("*") else re.split(r"[^a-z_-]", agent.lower(), maxsplit=1)[0]


@lru_cache(1000)
def _alone(rule: Rule) -> Protego:
    return _matcher([rule])


def _matcher(rules: Iterable[Rule]) -> Protego:
    return Protego.parse("User-agent: *\n" + "".join(f"{rule.key}: {rule.path}\n" for rule in rules))


def _beginning(path: str) -> str:
    return _SPECIAL.split(path, maxsplit=1)[0]
