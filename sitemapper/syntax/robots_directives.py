"""Robots directives of metas and X-Robots-Tag headers: whether they forbid indexing, and from when.

docs/protocol.md §4 has the rules.
"""

from __future__ import annotations

from collections import deque

from .dates import read_http

AGENTS = ("robots", "googlebot")  # the names of metas, and the agents of headers, that count
_FORBIDDING = ("noindex", "none")
_WITH_VALUE = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")


def read_directives(text: str, *, names_agents: bool = False) -> tuple[bool, str | None]:
    """Whether directives, separated by commas, forbid indexing, and the date after which they do, as written.

    With `names_agents`, as in a header, only those for all crawlers or for Googlebot count:
    `googlebot: noindex, nofollow` names an agent; `unavailable_after: 25 Jun …` does not.
    """
    forbids, date, counts = False, None, True
    pieces = deque(text.split(","))
    while pieces:
        name, colon, value = (part.strip() for part in pieces.popleft().partition(":"))
        if names_agents and colon and name.lower() not in _WITH_VALUE:
            counts = name.lower() in ("", "*", *AGENTS)
            name, colon, value = (part.strip() for part in value.partition(":"))
        if name.lower() == "unavailable_after":
            words = [value]
            # A date may hold commas ("Wed, 01 May 2024"); a directive behind it holds no digit.
            while pieces and any(map(str.isdigit, pieces[0].partition(":")[0])):
                words.append(pieces.popleft())
            date = date or (",".join(words).strip() if counts and colon else None)
        forbids |= counts and not colon and name.lower() in _FORBIDDING
    return forbids, date or None


def header_forbids(value: str, now: int) -> bool:
    """Whether an X-Robots-Tag forbids indexing at a time, in seconds, to all crawlers or to Googlebot."""
    forbids, date = read_directives(value, names_agents=True)
    return forbids or (date is not None and is_past(date, now))


def is_past(text: str, now: int) -> bool:
    """Whether the date of an `unavailable_after` has passed; Google ignores one that is not valid."""
    try:
        return read_http(text).seconds < now
    except ValueError:
        return False
