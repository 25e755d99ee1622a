"""robots.txt: its Sitemap lines, and the URLs that it closes; robots directives of pages. Pure.

RFC 9309 has the rules for robots.txt. Google's "Robots meta tag" has those for directives in metas
and X-Robots-Tag headers.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..model import Origin
from .dates import Writer, mail_moment, read

if TYPE_CHECKING:
    from protego import Protego

SIZE_LIMIT = 500 * 1024  # bytes; crawlers need not read more (RFC 9309 §2.5, Google)
# RFC 9309 §2.2.4, and Google: the key in any case, spaces around the colon.
_SITEMAP = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:([^\r\n#]*)")
BOM = b"\xef\xbb\xbf"
AGENTS = ("robots", "googlebot")  # the names of metas, and the agents of headers, that count
_FORBIDDING = ("noindex", "none")
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
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


def sitemap_lines(text: bytes) -> list[str]:
    """Finds the sitemaps that a robots.txt names: `Sitemap: /a.xml` → `["/a.xml"]`, in order."""
    lines = text.removeprefix(BOM).replace(b"\r", b"\n")
    return [url.strip().decode("utf-8", "replace") for url in _SITEMAP.findall(lines)]


def with_sitemap(text: bytes, url: str, outdated: Iterable[str] = ()) -> bytes:
    """Adds a `Sitemap:` line for the URL to the text of a robots.txt that does not have it yet.

    The line replaces the line for an `outdated` URL, such as that of a sitemap that was renamed. If
    the text has no line for an outdated URL, the new one is added at the end.
    """
    line = b"Sitemap: " + url.encode()
    updated = text
    for old_url in outdated:
        if url in sitemap_lines(updated):
            break
        # Only a whole line, as we write it: before it is nothing, a line end, or the byte order
        # mark, which ends in \xbf.
        old_line = rb"(?<![^\r\n\xbf])Sitemap: %b(?=[\r\n]|\Z)" % re.escape(old_url.encode())
        updated = re.sub(old_line, line, updated, count=1)
    if url in sitemap_lines(updated):
        return updated
    newline = b"\r\n" if b"\r\n" in updated else b"\n"  # as in the other lines
    is_empty = not updated.removeprefix(BOM)
    if not is_empty and not updated.endswith((b"\n", b"\r")):
        updated += newline
    return updated + line + newline


class Indexing(NamedTuple):
    """Whether robots directives forbid to index a page.

    `unavailable_after` is the date after which they do, as written. None without such a date.
    """

    is_forbidden: bool
    unavailable_after: str | None


def read_directives(text: str, *, names_agents: bool = False) -> Indexing:
    """Reads whether the directives of a robots meta or header forbid indexing, and after what date.

        noindex, nofollow                 → forbidden
        max-snippet: 20                   → not forbidden
        unavailable_after: 25 Jun 2030    → forbidden after "25 Jun 2030"

    With `names_agents`, as in a header, a directive may begin with the name of a crawler, which
    holds for all that follow. Only those for every crawler or for Googlebot count: `bingbot:
    noindex, googlebot: nofollow` forbids nothing.
    """
    is_forbidden = False
    date = ""  # the first one counts
    is_for_us = True  # until a directive names a crawler other than Googlebot
    parts = deque(text.split(","))  # each is a directive, or a piece of a date
    while parts:
        name, colon, value = _split_directive(parts.popleft())
        if names_agents and colon and name not in _WITH_VALUE:
            # `bingbot: noindex`: a crawler, and the first directive for it.
            is_for_us = name in ("", "*", *AGENTS)
            name, colon, value = _split_directive(value)
        if name == "unavailable_after":
            # A date may have commas, as in `Wed, 01 May 2024 12:00`. Then the next parts are pieces
            # of it, also if it is for another crawler.
            while parts and _is_piece_of_date(parts[0]):
                value += f",{parts.popleft()}"
            if is_for_us and colon and not date:
                date = value.strip()
        elif is_for_us and not colon and name in _FORBIDDING:
            is_forbidden = True
    return Indexing(is_forbidden, unavailable_after=date or None)


def _is_piece_of_date(part: str) -> bool:
    """Whether what follows a comma goes on with a date: ` 01 May 2024 12:00`, but not ` noindex`.

    The name of a directive, which is before its colon, has no digit.
    """
    name = part.partition(":")[0]
    return re.search(r"\d", name) is not None


def _split_directive(text: str) -> tuple[str, str, str]:
    """Splits a directive at its first colon: ` Max-Snippet: 20` → `max-snippet`, `:` and `20`."""
    name, colon, value = text.partition(":")
    return name.strip().lower(), colon, value.strip()


def header_forbids(value: str, now: int) -> bool:
    """Whether the value of an X-Robots-Tag header forbids every crawler or Googlebot to index.

    `noindex` does. `unavailable_after: 25 Jun 2010` does if `now`, in seconds, is later.
    """
    is_forbidden, date = read_directives(value, names_agents=True)
    if is_forbidden:
        return True
    return date is not None and is_past(date, now)


def is_past(text: str, now: int) -> bool:
    """Whether the date of a robots directive `unavailable_after` is before `now`, in seconds.

    The date is in the format of mail, as in Google's example `25 Jun 2010 15:00:00 PST`, or in any
    other unambiguous format. False for a text that is no date: Google ignores such a directive.
    """
    second = mail_moment(text)
    if second is not None:
        return second < now
    try:
        return read(text, Writer()).seconds < now
    except ValueError:
        return False


# --- the URLs that a robots.txt closes (RFC 9309)


class PathRule(NamedTuple):
    """One Allow or Disallow rule of a robots.txt.

    `line` and `text` are where and how it is written. For `Disallow: /a/*.pdf`, `key` is
    `disallow`, `path` is `/a/*.pdf`, and `beginning` is `/a/`, the part before the first wildcard.
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

    def disallows(self, loc: str, path: str) -> bool:
        """Whether this rule forbids fetching a URL, as if it were the only one in robots.txt.

        `Disallow: /a/` and `https://example.com/a/b` → true. `path` is the part of the URL `loc`
        after its host: `/a/b`.
        """
        return not _may_fetch(self.directive, self.beginning, loc, path)


class Crawling(NamedTuple):
    """The URLs that a robots.txt closes to all crawlers (RFC 9309).

    `lines` are its rules for `*` as one text. `closed_beginnings` are the paths of the Disallow
    rules up to their first wildcard, such as `/a/` for `Disallow: /a/*.pdf`. `disallows` are these
    rules, the longest first. A message shows one of them.

    protego compares the paths. All rules stay texts until a path begins like one of them, so they
    are cheap to send to a worker.
    """

    lines: str
    closed_beginnings: tuple[str, ...]
    disallows: tuple[PathRule, ...]

    @property
    def allows_all(self) -> bool:
        """Whether there is no Disallow rule, so that crawlers may fetch every URL."""
        return not self.closed_beginnings

    def forbids(self, loc: str) -> Origin | None:
        """The line of robots.txt that closes a URL. None if crawlers may fetch it.

        `Disallow: /a/` → that line for `https://example.com/a/b`.
        """
        path = "/" + loc.split("/", 3)[3]  # after the scheme and the host: `https://a.example/`
        if _may_fetch(self.lines, self.closed_beginnings, loc, path):
            return None
        # One of the Disallow rules matches the URL. If several do, the longest counts (RFC 9309
        # §2.2.2). They are sorted by length.
        rule = next(rule for rule in self.disallows if rule.disallows(loc, path))
        return Origin("robots.txt", rule.line, rule.text)


def read_crawling(text: bytes) -> Crawling:
    """Reads which URLs a robots.txt closes to all crawlers, by its rules for `*`."""
    decoded = text[:SIZE_LIMIT].removeprefix(BOM).decode("utf-8", "replace")
    rules = _rules_for_all(_read_groups(decoded))
    # Only a Disallow rule closes a path. An Allow rule opens a part of what another rule closes.
    disallows = [rule for rule in rules if rule.key == "disallow"]
    beginnings = [rule.beginning for rule in disallows]
    disallows.sort(key=lambda rule: len(rule.path), reverse=True)
    return Crawling(
        lines="".join(rule.directive for rule in rules),
        closed_beginnings=tuple(dict.fromkeys(beginnings)),  # each once
        disallows=tuple(disallows),
    )


class _Group(NamedTuple):
    """The crawlers of some `User-agent` lines, such as `googlebot`, and the rules for them."""

    agents: set[str]
    rules: list[PathRule]


def _rules_for_all(groups: Iterable[_Group]) -> list[PathRule]:
    """Collects the rules for `*` from all groups that name it."""
    rules: list[PathRule] = []
    for group in groups:
        if "*" in group.agents:
            # A rule without a path, such as `Disallow:`, closes nothing (RFC 9309 §2.2.2).
            rules += [rule for rule in group.rules if rule.path]
    return rules


def _read_groups(text: str) -> Iterator[_Group]:
    """Yields the groups of a robots.txt: the crawlers of each, and the rules for them.

    A `User-agent` line after a rule begins the next group. Several of them above the same rules
    belong to one group. Other lines, such as `Sitemap:`, do not end a group.
    """
    agents: set[str] = set()
    rules: list[PathRule] = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        match = _LINE.match(line)
        if not match:
            continue
        value = match["value"]
        if match["agent"]:
            if rules:
                # Rules stand above this line, so the group before it is complete.
                yield _Group(agents, rules)
                agents = set()
                rules = []
            agents.add(_crawler_name(value))
        elif agents:
            beginning = _SPECIAL.split(value, maxsplit=1)[0]
            key = "allow" if match["allow"] else "disallow"
            rules.append(
                PathRule(line=number, text=line.strip(), key=key, path=value, beginning=beginning)
            )
    yield _Group(agents, rules)


def _crawler_name(agent: str) -> str:
    """The name of a crawler in lower case, without its version: `Googlebot/2.1` → `googlebot`."""
    if agent.startswith("*"):
        return "*"
    return re.split(r"[^a-z_-]", agent.lower(), maxsplit=1)[0]


def _may_fetch(lines: str, closed_beginnings: str | tuple[str, ...], loc: str, path: str) -> bool:
    """Whether the rules for all crawlers, as lines of a robots.txt, allow to fetch a URL.

    With the lines `disallow: /a/*.pdf`, `https://example.com/a/b.pdf` → false.

    - `path` is the part of the URL `loc` after its host: `/a/b.pdf`.
    - `closed_beginnings` are the paths of the Disallow rules up to their first wildcard: `/a/`.
    """
    # Most paths begin with none of these, so they need no slow call of protego.
    if not path.startswith(closed_beginnings):
        return True
    return _matcher(lines).can_fetch(loc, "*")


@lru_cache(1 << 16)  # more rules than fit into a robots.txt that is read
def _matcher(lines: str) -> Protego:
    """protego's matcher for some rules for all crawlers, given as lines."""
    # Imported here: many sites have no robots.txt.
    from protego import Protego

    return Protego.parse(f"User-agent: *\n{lines}")
