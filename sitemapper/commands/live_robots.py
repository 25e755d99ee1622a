"""The live robots.txt: the answer for it, and how it differs from the built file."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from ..syntax import robots
from ..syntax.urls import resolve

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

_MAX_REDIRECTS = 5  # crawlers follow at least five (RFC 9309, section 2.3.1.2)
# The lines around what a host writes before the file: `# BEGIN Cloudflare Managed content`.
_BEGIN = "# begin "
_END = "# end "


def robots_answer(fetcher: Fetcher, url: str) -> tuple[str, Answer]:
    """Requests robots.txt, and returns the URL that answered at last, with its answer.

    Follows five redirects at most. One that leads to another host, or is invalid, is not followed,
    so that the redirect itself is the answer.
    """
    place = url
    answer = fetcher.get(place, robots.SIZE_LIMIT)
    for _redirect in range(_MAX_REDIRECTS):
        if not 300 <= answer.status < 400:
            break
        target = resolve(answer.header("location"), place)
        top_of_host = resolve("/", place) or place
        if not target or not target.startswith(top_of_host):
            break
        place = target
        answer = fetcher.get(place, robots.SIZE_LIMIT)
    return place, answer


def first_difference(built: bytes, live: bytes) -> str:
    """Names the first line that differs in the built and the live robots.txt.

    "line 2 is 'Disallow: /', not 'Disallow: /a'". "" if no line differs. A block that the host
    itself writes before the built text is no difference.
    """
    built_lines = _lines(built)
    live_lines = _without_managed_block(_lines(live), len(built_lines))
    pairs = zip_longest(built_lines, live_lines, fillvalue="")
    for number, (built_line, live_line) in enumerate(pairs, 1):
        if built_line != live_line:
            return f"line {number} is {live_line[:80]!r}, not {built_line[:80]!r}"
    return ""


def _lines(text: bytes) -> list[str]:
    """Splits a robots.txt into lines, without spaces around them, or empty lines at both ends."""
    return [line.strip() for line in text.decode("utf-8", "replace").strip().splitlines()]


def _without_managed_block(lines: list[str], count: int) -> list[str]:
    """Removes the block that a host wrote before the text of a live robots.txt, if there is one.

    That is all but the last `count` lines, which is the number of lines in the built file. It
    begins with `# BEGIN Cloudflare Managed content`, and ends with `# END …`. If the lines before
    the last `count` are no such block, all lines are returned.
    """
    before = [line for line in lines[: max(0, len(lines) - count)] if line]
    if not before:
        return lines
    has_begin = before[0].lower().startswith(_BEGIN)
    has_end = before[-1].lower().startswith(_END)
    return lines[len(lines) - count :] if has_begin and has_end else lines
