"""robots.txt (RFC 9309), and the directives of robots metas and X-Robots-Tag headers. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from ..model import Origin
from .dates import Writer, mail_moment, read_date

if TYPE_CHECKING:
    from protego import Protego

# Before the directives of a header, the crawler for which they are.
_FOR_GOOGLE = re.compile(r"^\s*(?:\*|robots|googlebot)\s*:", re.IGNORECASE)
_FOR_OTHERS = re.compile(r"\s*+(?!max-|unavailable_after)[^:,]+:", re.IGNORECASE)
_CLOSING = re.compile(r"\s*dis?[a-z]+[\s:]+[^\s#]", re.IGNORECASE)  # as protego reads it
# The date goes on behind a comma where a digit follows: `, 01 May 2024`, but not `, noindex`.
_DATE = re.compile(r"(?:^|,)\s*unavailable_after\s*:([^,]*(?:,[^,:]*\d[^,]*)*)", re.IGNORECASE)


def sitemap_lines(text: bytes) -> list[str]:
    """The URLs of the `Sitemap:` lines of a robots.txt, in order."""
    return list(_parse(_decode(text)).sitemaps) if text else []


class Crawling:
    """The URLs that a robots.txt closes to all crawlers without a group of their own."""

    def __init__(self, text: bytes) -> None:
        self._lines = _decode(text).splitlines()
        self.allows_all = not any(map(_CLOSING.match, self._lines))

    def forbids(self, url: str) -> Origin | None:
        """The line that closes a URL: without the lines below it, the URL is closed as well."""
        if self.allows_all or not self._forbids(url, len(self._lines)):
            return None
        counts = range(len(self._lines) + 1)
        number = bisect_left(counts, True, key=lambda count: self._forbids(url, count))
        return Origin("robots.txt", number, self._lines[number - 1].strip())

    def _forbids(self, url: str, count: int) -> bool:
        """Whether the first lines close a URL."""
        return not _parse("\n".join(self._lines[:count])).can_fetch(url, "*")


def _decode(text: bytes) -> str:
    return text.decode("utf-8-sig", "replace")


@lru_cache(16)  # as many as `forbids` needs to find a line
def _parse(text: str) -> Protego:
    from protego import Protego  # many sites have no robots.txt

    return Protego.parse(text)


def forbids_index(directives: str, now: int) -> bool:
    """Whether directives such as `noindex, nofollow` forbid to index a page at a time in seconds.

    `unavailable_after: 25 Jun 2010 15:00:00 PST` does after that date; directives may follow it.
    Whole tokens count: `max-image-preview:none` forbids nothing, nor does `bingbot: noindex`.
    """
    directives = _FOR_GOOGLE.sub("", directives)
    if _FOR_OTHERS.match(directives):
        return False
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
