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
        """`text` is that of the robots.txt, b"" if there is none."""
        self._lines = _decode(text).splitlines()
        self.allows_all = not any(map(_CLOSING.match, self._lines))

    def closing_line(self, url: str) -> Origin | None:
        """Finds the line that closes a URL to crawlers; None if they may read it.

        protego does not say which line decides. But with more and more lines of the file, there is
        a first one with which the URL is closed. A binary search finds it in few steps.
        """
        total = len(self._lines)
        if self.allows_all or not self._is_closed(url, total):
            return None
        numbers = range(total + 1)
        number = bisect_left(numbers, True, key=lambda lines: self._is_closed(url, lines))
        return Origin("robots.txt", number, self._lines[number - 1].strip())

    def _is_closed(self, url: str, lines: int) -> bool:
        """Whether the file would close a URL if it had only its first `lines` lines."""
        return not _parse("\n".join(self._lines[:lines])).can_fetch(url, "*")


def _decode(text: bytes) -> str:
    return text.decode("utf-8-sig", "replace")


@lru_cache(16)  # about as many as `closing_line` needs for one URL
def _parse(text: str) -> Protego:
    from protego import Protego  # many sites have no robots.txt

    return Protego.parse(text)


def forbids_index(directives: str, now: int) -> bool:
    """Whether directives such as `noindex, nofollow` forbid search engines to index a page.

    They are the content of a robots meta or of an X-Robots-Tag header. `unavailable_after: 25 Jun
    2010 15:00:00 PST` forbids it after that date. `now` is in seconds since the epoch.
    """
    directives = _FOR_GOOGLE.sub("", directives)
    if _FOR_OTHERS.match(directives):  # for one crawler only: `bingbot: noindex`
        return False
    # Whole tokens are compared, because `max-image-preview:none` forbids nothing.
    tokens = [token.strip().lower() for token in directives.split(",")]
    if "noindex" in tokens or "none" in tokens:
        return True
    return any(_is_past(date.strip(), now) for date in _DATE.findall(directives))


def _is_past(text: str, now: int) -> bool:
    """Whether a date is before `now`. A text that is no date is not: Google ignores it."""
    second = mail_moment(text)  # the form that Google names: 25 Jun 2010 15:00:00 PST
    if second is not None:
        return second < now
    try:
        return read_date(text, Writer()).seconds < now
    except ValueError:
        return False
