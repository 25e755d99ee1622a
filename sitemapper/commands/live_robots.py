"""The live robots.txt: the answer for it, and how it differs from the built file."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from ..syntax import robots
from ..syntax.urls import resolve

if TYPE_CHECKING:
    from ..net.client import Answer, Fetcher

_REDIRECTS = 5  # crawlers follow at least five (RFC 9309, section 2.3.1.2)
# The lines around what a host writes before the file: `# BEGIN Cloudflare Managed content`.
_BEGIN = "# begin "
_END = "# end "


def robots_answer(fetcher: Fetcher, url: str) -> tuple[str, Answer]:
    """The answer for robots.txt, behind redirects on its host, and the URL that gave it."""
    place = url
    answer = fetcher.get(place, robots.SIZE_LIMIT)
    for _redirect in range(_REDIRECTS):
        if not 300 <= answer.status < 400:
            break
        target = resolve(answer.header("location"), place)
        if not target or not target.startswith(resolve("/", place) or place):
            break
        place = target
        answer = fetcher.get(place, robots.SIZE_LIMIT)
    return place, answer


def first_difference(built: bytes, live: bytes) -> str:
    """The first line that differs between the built and the live text, "" if none does.

    The host may write a block of its own before the built text.
    """
    built_lines = _lines(built)
    live_lines = _without_managed_block(_lines(live), len(built_lines))
    pairs = zip_longest(built_lines, live_lines, fillvalue="")
    for number, (built_line, live_line) in enumerate(pairs, 1):
        if built_line != live_line:
            return f"line {number} is {live_line[:80]!r}, not {built_line[:80]!r}"
    return ""


def _lines(text: bytes) -> list[str]:
    """The lines of a robots.txt, without space around them."""
    return [line.strip() for line in text.decode("utf-8", "replace").strip().splitlines()]


def _without_managed_block(lines: list[str], count: int) -> list[str]:
    """The last `count` lines, if before them is only what a host writes."""
    before = [line for line in lines[: max(0, len(lines) - count)] if line]
    if not before:
        return lines
    begins = before[0].lower().startswith(_BEGIN)
    ends = before[-1].lower().startswith(_END)
    return lines[len(lines) - count :] if begins and ends else lines
