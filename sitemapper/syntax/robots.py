"""robots.txt: Sitemap lines, and the text with our line; robots directives. Pure.

docs/protocol.md §4 has the rules for directives in metas and X-Robots-Tag headers.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .dates import read_http

SIZE_LIMIT = 500 * 1024  # bytes; crawlers need not read more (RFC 9309 §2.5, Google)
# RFC 9309 §2.2.4, and Google: the key in any case, spaces around the colon.
_SITEMAP = re.compile(rb"(?im)^[ \t]*sitemap[ \t]*:([^\r\n#]*)")
BOM = b"\xef\xbb\xbf"
AGENTS = ("robots", "googlebot")  # the names of metas, and the agents of headers, that count
_FORBIDDING = ("noindex", "none")
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")


def sitemap_lines(text: bytes) -> list[str]:
    """The URLs of the `Sitemap:` lines, in order."""
    lines = text.removeprefix(BOM).replace(b"\r", b"\n")
    return [url.strip().decode("utf-8", "replace") for url in _SITEMAP.findall(lines)]


def with_sitemap(text: bytes, url: str, outdated: Iterable[str] = ()) -> bytes:
    """The text with a line for the sitemap: at the place of an `outdated` one of ours, else at the
    end.

    Unchanged if it has the line.
    """
    line = b"Sitemap: " + url.encode()
    updated = text
    for old_url in outdated:
        if url in sitemap_lines(updated):
            return updated
        # A whole line; \xbf ends the byte order mark.
        old_line = rb"(?<![^\r\n\xbf])Sitemap: %b(?=[\r\n]|\Z)" % re.escape(old_url.encode())
        updated = re.sub(old_line, line, updated, count=1)
    if url in sitemap_lines(updated):
        return updated
    newline = b"\r\n" if b"\r\n" in updated else b"\n"
    is_empty = not updated.removeprefix(BOM)
    if not is_empty and not updated.endswith((b"\n", b"\r")):
        updated += newline
    return updated + line + newline


class Indexing(NamedTuple):
    """What robots directives say about indexing: whether they forbid it, and a date, as written,
    after which they do. The date is None if they name none.
    """

    is_forbidden: bool
    unavailable_after: str | None


def read_directives(text: str, *, names_agents: bool = False) -> Indexing:
    """What comma-separated directives say: `noindex, unavailable_after: 25 Jun 2030` says both.

    With `names_agents`, as in a header, only directives for all crawlers or for Googlebot count:
    `googlebot: noindex, nofollow` names an agent for all that follow; `unavailable_after: 25 Jun …`
    does not.
    """
    is_forbidden = False
    date = ""
    is_for_us = True
    parts = deque(text.split(","))
    while parts:
        directive = _directive(parts.popleft())
        if names_agents and directive.has_value and directive.name not in _WITH_VALUE:
            is_for_us = directive.name in ("", "*", *AGENTS)
            directive = _directive(directive.value)
        if directive.name == "unavailable_after":
            # A date may contain commas. Its parts are no directives, whomever it is for.
            date_parts = [directive.value, *_take_rest_of_date(parts)]
            if is_for_us and directive.has_value and not date:
                date = ",".join(date_parts).strip()
        elif is_for_us and not directive.has_value and directive.name in _FORBIDDING:
            is_forbidden = True
    return Indexing(is_forbidden, date or None)


class _Directive(NamedTuple):
    """`name` in lower case, or `name: value`."""

    name: str
    has_value: bool
    value: str


def _directive(text: str) -> _Directive:
    name, colon, value = text.partition(":")
    return _Directive(name.strip().lower(), colon != "", value.strip())


def _take_rest_of_date(parts: deque[str]) -> Iterator[str]:
    """Takes the parts of a date behind its first comma: ` 01 May 2024` of `Wed, 01 May 2024`.

    A part with a digit belongs to the date, because the name of a directive contains none.
    """
    while parts:
        name = parts[0].partition(":")[0]
        if not any(char.isdigit() for char in name):
            return
        yield parts.popleft()


def header_forbids(value: str, now: int) -> bool:
    """Whether an X-Robots-Tag forbids all crawlers or Googlebot to index, at a time in seconds."""
    is_forbidden, date = read_directives(value, names_agents=True)
    if is_forbidden:
        return True
    return date is not None and is_past(date, now)


def is_past(text: str, now: int) -> bool:
    """Whether the date of an `unavailable_after` has passed.

    As for Google, invalid dates are ignored.
    """
    try:
        return read_http(text).seconds < now
    except ValueError:
        return False
