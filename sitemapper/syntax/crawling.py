"""The URLs that a robots.txt closes to crawlers (RFC 9309). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..model import Origin
from .robots import BOM, SIZE_LIMIT

if TYPE_CHECKING:
    from protego import Protego

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

    def closes(self, loc: str, path: str) -> bool:
        """Whether the rule alone closes a URL, given with its path."""
        # Few paths begin like a rule. Only for these, protego compares the wildcards.
        return path.startswith(self.beginning) and not _matcher(self.directive).can_fetch(loc, "*")


class Agent(NamedTuple):
    """The rules for one agent as a text, and the literal beginnings of its Disallow rules."""

    rules: str
    closed: tuple[str, ...]

    def may_fetch(self, loc: str, path: str) -> bool:
        """Whether the rules allow a URL, given with its path."""
        may_be_closed = path.startswith(self.closed)
        if not may_be_closed:
            return True  # most paths: without a call of protego
        return _matcher(self.rules).can_fetch(loc, "*")


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
        host_start = loc.index("://") + len("://")
        path_start = loc.index("/", host_start)
        path = loc[path_start:]
        if any(agent.may_fetch(loc, path) for agent in self.agents):
            return None
        # The first agent may not fetch the URL, so one of its rules closes it: `next` finds one.
        longest_rule = next(rule for rule in self.rules if rule.closes(loc, path))
        return Origin("robots.txt", longest_rule.line, longest_rule.text)


def read_crawling(text: bytes, agents: Sequence[str]) -> Crawling:
    """The rules of a robots.txt for some agents, without its byte order mark."""
    decoded = text[:SIZE_LIMIT].removeprefix(BOM).decode("utf-8", "replace")
    groups = list(_groups(decoded))
    rules_by_agent = [_rules_for(_token(agent), groups) for agent in agents]
    closing = [[rule for rule in rules if rule.key == "disallow"] for rules in rules_by_agent]
    longest_first = sorted(closing[0], key=lambda rule: len(rule.path), reverse=True)
    parsed = []
    for rules, disallowing in zip(rules_by_agent, closing, strict=True):
        directives = "".join(rule.directive for rule in rules)
        beginnings = dict.fromkeys(rule.beginning for rule in disallowing)
        parsed.append(Agent(directives, tuple(beginnings)))
    return Crawling(tuple(parsed), tuple(longest_first))


class _Group(NamedTuple):
    """The product tokens of some agents, and the rules for them."""

    agents: set[str]
    rules: list[PathRule]


def _rules_for(agent: str, groups: list[_Group]) -> list[PathRule]:
    """The rules of all groups of an agent, or else those of `*` (RFC 9309 §2.2.1)."""
    is_named = any(agent in group.agents for group in groups)
    name = agent if is_named else "*"
    rules: list[PathRule] = []
    for group in groups:
        if name in group.agents:
            # A rule without a path closes nothing (RFC 9309 §2.2.2).
            rules += [rule for rule in group.rules if rule.path]
    return rules


def _groups(text: str) -> Iterator[_Group]:
    """The agents and rules of each group.

    A line for an agent begins a group, unless it follows such a line. Other lines, such as
    `Sitemap:`, do not end a group.
    """
    agents: set[str] = set()
    rules: list[PathRule] = []
    for number, row in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        match = _LINE.match(row)
        if not match:
            continue
        value = match["value"]
        if match["agent"]:
            if rules:
                yield _Group(agents, rules)
                agents = set()
                rules = []
            agents.add(_token(value))
        elif agents:
            beginning = _SPECIAL.split(value, maxsplit=1)[0]
            key = "allow" if match["allow"] else "disallow"
            rules.append(PathRule(number, row.strip(), key, value, beginning))
    yield _Group(agents, rules)


def _token(agent: str) -> str:
    """The product token of an agent, in lower case: `googlebot` of `Googlebot/2.1`."""
    if agent.startswith("*"):
        return "*"
    return re.split(r"[^a-z_-]", agent.lower(), maxsplit=1)[0]


@lru_cache(1 << 16)  # more rules than fit into a robots.txt that is read
def _matcher(directives: str) -> Protego:
    """protego's matcher for some rules, which are for all agents."""
    # Imported here: many sites have no robots.txt.
    from protego import Protego

    return Protego.parse(f"User-agent: *\n{directives}")
