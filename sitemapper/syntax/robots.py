"""robots.txt: which URLs it closes, its Sitemap lines, and the text with ours. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..model import Origin

if TYPE_CHECKING:
    from protego import Protego

SIZE_LIMIT = 500 * 1024  # bytes; crawlers need not read more (RFC 9309 §2.5, Google)
# Google and RFC 9309 §2.2.4: the key in any case, spaces around the colon, CR, LF or CRLF at the end.
_SITEMAP = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:([^\r\n#]*)")
_BOM = b"\xef\xbb\xbf"
# As Google reads it: the commonest misspellings count, and a colon may be missing between two words.
_LINE = re.compile(
    r"\s*(?:(user[- ]?agent)|(allow)|dis(?:allow|sallow|salow|alow|allaw)|diasllow)"
    r"(?:\s*:\s*|[ \t]+(?=[^#\s]+\s*(?:#|$)))([^#\s]*)",
    re.IGNORECASE,
)
# Characters of a rule that may match others in a URL: wildcards, escapes, and what is encoded.
_SPECIAL = re.compile(r"[^A-Za-z0-9/\-._~!&'()+,;=:@]")
_BLOCK = 64  # rules that are tried one by one, to find the one that closes a page


def sitemap_lines(text: bytes) -> list[str]:
    """The URLs of the `Sitemap:` lines, in order."""
    lines = text.removeprefix(_BOM).replace(b"\r", b"\n")
    return [url.strip().decode("utf-8", "replace") for url in _SITEMAP.findall(lines)]


def with_sitemap(text: bytes, url: str, outdated: Iterable[str] = ()) -> bytes:
    """The text with a line that names the sitemap, in place of our outdated one; unchanged if it has one."""
    for old in outdated:
        if url in sitemap_lines(text):
            break
        ours = rb"(?<![^\r\n\xbf])Sitemap: %b(?=[\r\n]|\Z)" % re.escape(old.encode())  # \xbf ends the BOM
        text = re.sub(ours, b"Sitemap: " + url.encode(), text, count=1)
    if url in sitemap_lines(text):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    joint = b"" if not text.removeprefix(_BOM) or text.endswith((b"\n", b"\r")) else newline
    return text + joint + b"Sitemap: " + url.encode() + newline


class PathRule(NamedTuple):
    """One Allow or Disallow: its line, the text of the line, its key and its path."""

    line: int
    text: str
    key: str
    path: str


class Agent(NamedTuple):
    """The rules for one agent, and the literal beginnings of its Disallow rules."""

    matcher: Protego
    closed: tuple[str, ...]

    def forbids(self, loc: str, path: str) -> bool:
        """Whether the agent may not fetch a URL: a path with none of the beginnings is open."""
        return path.startswith(self.closed) and not self.matcher.can_fetch(loc, "*")


class Block(NamedTuple):
    """Some Disallow rules: all in one matcher, and each in its own."""

    matcher: Protego
    rules: tuple[tuple[Protego, PathRule], ...]


class Crawling(NamedTuple):
    """Which URLs robots.txt closes to all of the configured agents, by the groups of RFC 9309.

    protego compares the paths. It is given one group, because it also accepts the beginning of an agent's
    name. `blocks` are the Disallow rules of the first agent, the longest first, as those count.
    """

    agents: tuple[Agent, ...]
    blocks: tuple[Block, ...]

    @property
    def allows_all(self) -> bool:
        """Whether some agent may fetch everything."""
        return any(not agent.closed for agent in self.agents)

    def forbids(self, loc: str) -> Origin | None:
        """The rule that closes a URL; None if any of the agents may fetch it."""
        path = loc[loc.index("/", loc.index("://") + 3) :]
        if not all(agent.forbids(loc, path) for agent in self.agents):
            return None
        block = next(block for block in self.blocks if not block.matcher.can_fetch(loc, "*"))
        rule = next(rule for matcher, rule in block.rules if not matcher.can_fetch(loc, "*"))
        return Origin("robots.txt", rule.line, rule.text)


def crawling(text: bytes, agents: Sequence[str]) -> Crawling:
    """The rules of a robots.txt for some agents, without its byte order mark."""
    groups = list(_groups(text[:SIZE_LIMIT].removeprefix(_BOM).decode("utf-8", "replace")))
    first, *others = [_rules(groups, _token(agent)) for agent in agents]
    longest = sorted((r for r in first if r.key == "disallow"), key=lambda rule: -len(rule.path))
    parts = [longest[start : start + _BLOCK] for start in range(0, len(longest), _BLOCK)]
    blocks = (Block(_matcher(part), tuple((_matcher([rule]), rule) for rule in part)) for part in parts)
    return Crawling(tuple(map(_agent, (first, *others))), tuple(blocks))


def _agent(rules: list[PathRule]) -> Agent:
    closed = {_SPECIAL.split(rule.path, maxsplit=1)[0] for rule in rules if rule.key == "disallow"}
    return Agent(_matcher(rules), tuple(sorted(closed)))


def _rules(groups: list[tuple[set[str], list[PathRule]]], name: str) -> list[PathRule]:
    """The rules of an agent's groups together, or else of those of `*` (RFC 9309 §2.2.1)."""
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
            rules.append(PathRule(number, row.strip(), "allow" if match[2] else "disallow", match[3]))
    yield names, rules


def _token(agent: str) -> str:
    """The product token of an agent, in lower case: `googlebot` of `Googlebot/2.1`."""
    return "*" if agent.startswith("*") else re.split(r"[^a-z_-]", agent.lower(), maxsplit=1)[0]


def _matcher(rules: Iterable[PathRule]) -> Protego:
    # Imported here: many sites have no robots.txt.
    from protego import Protego

    return Protego.parse("User-agent: *\n" + "".join(f"{rule.key}: {rule.path}\n" for rule in rules))
