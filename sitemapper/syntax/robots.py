"""robots.txt: Sitemap lines, and the text with our line; robots directives. Pure.

docs/protocol.md §4 has the rules for directives in metas and X-Robots-Tag headers.
"""

import re
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from .dates import Writer, mail_moment, read

SIZE_LIMIT = 500 * 1024  # bytes; crawlers need not read more (RFC 9309 §2.5, Google)
# RFC 9309 §2.2.4, and Google: the key in any case, spaces around the colon.
_SITEMAP = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:([^\r\n#]*)")
BOM = b"\xef\xbb\xbf"
AGENTS = ("robots", "googlebot")  # the names of metas, and the agents of headers, that count
_FORBIDDING = ("noindex", "none")
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")


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
            return updated
        # Only a whole line, as we write it. It may follow the byte order mark, which ends in \xbf.
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
    """Reads whether the directives of a robots meta or header forbid to index, and from when on.

        noindex, nofollow                 → forbidden
        max-snippet: 20                   → not forbidden
        unavailable_after: 25 Jun 2030    → forbidden after "25 Jun 2030"

    With `names_agents`, as in a header, a directive may begin with the name of a crawler, which
    holds for all that follow. Only those for every crawler or for Googlebot count: `bingbot:
    noindex, googlebot: nofollow` forbids nothing.
    """
    is_forbidden = False
    date = ""
    is_for_us = True  # whether the directives are for every crawler or for Googlebot
    parts = deque(text.split(","))
    while parts:
        name, colon, value = _split_directive(parts.popleft())
        if names_agents and colon and name not in _WITH_VALUE:
            # What stands before the colon is a crawler's name.
            is_for_us = name in ("", "*", *AGENTS)
            name, colon, value = _split_directive(value)
        if name == "unavailable_after":
            # A date may contain commas, as in `Wed, 01 May 2024`. A part with a digit belongs to
            # it, because no directive has a digit in its name. The parts are taken also if the date
            # is for another crawler, so that none is read as a directive.
            while parts and re.search(r"\d", parts[0].partition(":")[0]):
                value += f",{parts.popleft()}"
            if is_for_us and colon and not date:
                date = value.strip()
        elif is_for_us and not colon and name in _FORBIDDING:
            is_forbidden = True
    return Indexing(is_forbidden, unavailable_after=date or None)


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
    """Whether the date of an `unavailable_after` is before `now`, which is in seconds.

    `25 Jun 2010 15:00:00 PST` (Google's example), or any other unambiguous date. False for a text
    that is not a date, because Google ignores such a directive.
    """
    second = mail_moment(text)
    if second is not None:
        return second < now
    try:
        return read(text, Writer()).seconds < now
    except ValueError:
        return False
