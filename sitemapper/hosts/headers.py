"""Headers that a host adds to a page, and what they say about indexing it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model import Origin, Reason
from ..syntax.robots import header_forbids
from .rule import WILDCARD, Pattern, Rule
from .tables import tables_of

# A link with the relation `canonical` in a Link header (RFC 8288; RFC 6596).
_CANONICAL = re.compile(
    r"""
    <(?P<url>[^<>]*+)>             # </a>
    [^,<>]*?                       # ; type="text/html"
    ;\s*rel\s*=\s*["']?canonical\b  # ; rel="canonical"
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Headers that may leave a page out. A line that is not certain is only worth a note with these.
DECIDING_HEADERS = ("x-robots-tag", "link")


class Header(NamedTuple):
    """A header that a rule sets, by its name in lower case. The value None removes it."""

    name: str
    value: str | None
    origin: Origin


def read_headers(values: object, file: str, line: int) -> list[Header]:
    """Reads the headers in a rule of a project file, which has one of two notations:

    [{"key": "X-Robots-Tag", "value": "noindex"}]    Vercel
    {"X-Robots-Tag": "noindex"}                      Netlify
    {"X-Robots-Tag": ["noindex", "nofollow"]}        the same: a list is joined by commas
    """
    if isinstance(values, dict):
        pairs = list(values.items())
    else:
        pairs = [(header.get("key"), header.get("value")) for header in tables_of(values)]
    headers: list[Header] = []
    for key, value in pairs:
        name = str(key)
        text = str(value)
        if isinstance(value, list):
            text = ", ".join(map(str, value))
        origin = Origin(file, line, f"{name}: {text}")
        headers.append(Header(name.lower(), None if value is None else text, origin))
    return headers


def header_rules(
    source: Pattern, headers: Sequence[Header], now: int, *, replaces: bool = False
) -> Iterator[Rule]:
    """Yields a rule for each header that decides whether pages are listed.

    The rules are for the pages at `source`, the URL paths for which the host sends the `headers`.
    For `/drafts/*` with `X-Robots-Tag: noindex`: one rule, by which no page below `/drafts/` is
    listed. Only these headers give a rule:

    X-Robots-Tag: noindex          → NOINDEX
    X-Robots-Tag: all              → perhaps one that cancels an earlier noindex (`_robots_rules`)
    Basic-Auth: me:secret          → CLOSED, because visitors need the password
    Link: </a>; rel="canonical"    → CANONICAL, with the target /a

    `replaces` is for a host that sends only the last of several headers with the same name, such as
    Vercel. Of `X-Robots-Tag: noindex` and then `X-Robots-Tag: all`, only the second counts.
    """
    if replaces:  # a later header has the place of an earlier one with its name
        headers = list({header.name: header for header in headers}.values())
    robots_headers = [header for header in headers if header.name == "x-robots-tag"]
    yield from _robots_rules(source, robots_headers, now, replaces=replaces)
    for header in headers:
        if header.name == "basic-auth":  # only Netlify has it, in `_headers`
            yield Rule(source, Reason.CLOSED, header.origin)
        link = None
        if header.name == "link":
            link = _CANONICAL.search(header.value or "")
        # For `</:splat>`, the host puts a part of the path in, so there is no one URL.
        if link and not re.search(WILDCARD, link["url"]):
            yield Rule(source, Reason.CANONICAL, header.origin, link["url"])


def _robots_rules(
    source: Pattern, robots_headers: Sequence[Header], now: int, *, replaces: bool
) -> Iterator[Rule]:
    """Yields one rule, or none, for the headers X-Robots-Tag of the pages at `source`.

    With `replaces`, the host sends only the last header of a page, which replaces earlier headers.

    | headers                                 | result                                             |
    |-----------------------------------------|----------------------------------------------------|
    | `X-Robots-Tag: noindex`                 | a rule with the action NOINDEX: pages are left out |
    | `! X-Robots-Tag`                        | a rule without an action: it cancels earlier rules |
    | `X-Robots-Tag: all`, with `replaces`    | a rule without an action: it cancels earlier rules |
    | `X-Robots-Tag: all`, without `replaces` | none, so an earlier noindex still counts           |
    """
    forbidding = [header for header in robots_headers if header_forbids(header.value or "", now)]
    if forbidding:
        yield Rule(source, Reason.NOINDEX, forbidding[0].origin)
        return
    # `! X-Robots-Tag` has no value.
    removes_earlier = any(header.value is None for header in robots_headers)
    if removes_earlier or (replaces and robots_headers):
        yield Rule(source, None, robots_headers[0].origin)
