"""robots.txt (RFC 9309), and the directives of robots metas and X-Robots-Tag headers. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..model import Origin
from .dates import Writer, mail_moment, read_date

if TYPE_CHECKING:
    from protego import Protego

_SIZE_LIMIT = 500 * 1024  # bytes; crawlers need not read more (RFC 9309 §2.5, Google)
# As Google reads it: common misspellings count, and the colon may be missing between two words.
_LINE = re.compile(
    r"""
    \s* (?: (?P<agent>user[-\x20]?agent) | (?P<allow>allow)
        | dis(?:allow|sallow|salow|alow|allaw) | diasllow )
    (?: \s*:\s* | [\x20\t]+ (?= [^\#\s]+ \s* (?:\#|$) ) )
    (?P<value>[^\#\s]*)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SITEMAP = re.compile(rb"(?im)^[ \t]*site-?map[ \t]*:([^#\n]*)")
# Where the literal beginning of a path ends: wildcards, escapes, and what is encoded in URLs.
_SPECIAL = re.compile(r"[^A-Za-z0-9/\-._~!&'()+,;=:@]")
# The date goes on behind a comma where a digit follows: `, 01 May 2024`, but not `, noindex`.
_DATE = re.compile(r"(?:^|,)\s*unavailable_after\s*:([^,]*(?:,[^,:]*\d[^,]*)*)", re.IGNORECASE)


def sitemap_lines(text: bytes) -> list[str]:
    """The URLs of the `Sitemap:` lines of a robots.txt, in order."""
    lines = text.removeprefix(b"\xef\xbb\xbf").replace(b"\r", b"\n")
    return [url.strip().decode("utf-8", "replace") for url in _SITEMAP.findall(lines)]


class _Rule(NamedTuple):
    line: int
    text: str
    is_allow: bool
    path: str


class Crawling:
    """The URLs that a robots.txt closes to all crawlers without a group of their own."""

    def __init__(self, text: bytes) -> None:
        decoded = text[:_SIZE_LIMIT].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        self._rules = _rules_for_all(decoded)
        closing = [rule for rule in self._rules if not rule.is_allow]
        self._closing = sorted(closing, key=lambda rule: len(rule.path), reverse=True)
        self._beginnings = tuple(_SPECIAL.split(rule.path)[0] for rule in closing)
        self.allows_all = not closing

    def forbids(self, url: str) -> Origin | None:
        """The line that closes a URL: the longest one that matches (RFC 9309 §2.2.2)."""
        path = "/" + url.split("/", 3)[3]
        if not path.startswith(self._beginnings):
            return None
        if _matcher(tuple(self._rules)).can_fetch(url, "*"):
            return None
        for rule in self._closing:
            if not _matcher((rule,)).can_fetch(url, "*"):
                return Origin("robots.txt", rule.line, rule.text)
        return None


def _rules_for_all(text: str) -> list[_Rule]:
    """The rules of all groups for `*`. Lines such as `Sitemap:` do not end a group."""
    rules: list[_Rule] = []
    is_for_all = False
    is_after_rule = True
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        match = _LINE.match(line)
        if match is None:
            continue
        if match["agent"]:
            if is_after_rule:
                is_for_all = False
            is_for_all = is_for_all or match["value"].startswith("*")
            is_after_rule = False
            continue
        is_after_rule = True
        if is_for_all and match["value"]:
            is_allow = match["allow"] is not None
            rules.append(_Rule(number, line.strip(), is_allow, match["value"]))
    return rules


@lru_cache(1 << 12)
def _matcher(rules: tuple[_Rule, ...]) -> Protego:
    from protego import Protego  # many sites have no robots.txt

    lines = [f"{'allow' if rule.is_allow else 'disallow'}: {rule.path}" for rule in rules]
    return Protego.parse("\n".join(["user-agent: *", *lines]))


def forbids_index(directives: str, now: int) -> bool:
    """Whether directives such as `noindex, nofollow` forbid to index a page at a time in seconds.

    `unavailable_after: 25 Jun 2010 15:00:00 PST` does after that date; directives may follow it.
    Whole tokens count: `max-image-preview:none` forbids nothing.
    """
    tokens = [token.strip().lower() for token in directives.split(",")]
    if "noindex" in tokens or "none" in tokens:
        return True
    return any(_is_past(date.strip(), now) for date in _DATE.findall(directives))


def _is_past(text: str, now: int) -> bool:
    """Whether a date is before `now`. False for what is no date: Google ignores it."""
    second = mail_moment(text)
    if second is not None:
        return second < now
    try:
        return read_date(text, Writer()).seconds < now
    except ValueError:
        return False
