"""Headers that a host adds to a page, and what they say about indexing it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..model import Origin, Reason
from ..syntax.robots import header_forbids
from .rule import WILDCARD, Line, Pattern, Rule
from .tables import Entry, entries, tables_of

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
_DECIDING_HEADERS = ("x-robots-tag", "link")


class Header(NamedTuple):
    """A header that a rule sets, by its name in lower case. The value None removes it."""

    name: str
    value: str | None
    origin: Origin


def read_headers(values: object, file: str, line: int) -> list[Header]:
    """Reads the headers in a rule of a project file, which has one of two notations:

    [{"key": "X-Robots-Tag", "value": "noindex"}]    Vercel, Firebase
    {"X-Robots-Tag": "noindex"}                      Azure, Netlify
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
    """Yields a rule for each kind of header of a block that decides about the pages of its source.

    Several headers X-Robots-Tag give one rule, with the first that forbids indexing.

    X-Robots-Tag: noindex          → NOINDEX
    ! X-Robots-Tag                 → no action, which takes the noindex of earlier blocks back
    X-Robots-Tag: all              → the same if the host keeps only the last value (`replaces`)
    Link: </a>; rel="canonical"    → CANONICAL, with the target /a
    Basic-Auth: me:secret          → CLOSED
    """
    robots_headers = [header for header in headers if header.name == "x-robots-tag"]
    forbidding = [header for header in robots_headers if header_forbids(header.value or "", now)]
    removing = [header for header in robots_headers if header.value is None]
    if forbidding:
        yield Rule(source, Reason.NOINDEX, forbidding[0].origin)
    elif removing or (replaces and robots_headers):
        yield Rule(source, None, robots_headers[0].origin)
    for header in headers:
        if header.name == "basic-auth":  # a password in Netlify's `_headers`
            yield Rule(source, Reason.CLOSED, header.origin)
        link = _CANONICAL.search(header.value or "") if header.name == "link" else None
        # For `</:splat>`, the host puts a part of the path in, so the URL is not known.
        if link and not re.search(WILDCARD, link["url"]):
            yield Rule(source, Reason.CANONICAL, header.origin, link["url"])


def header_rules_in_json(
    table: Mapping[str, Any],
    text: str,
    file: str,
    now: int,
    read: Callable[[Entry], Pattern],
    keys: Sequence[str] = ("source",),
) -> Iterator[Line]:
    """Reads the list `headers` of a project file of Vercel or Firebase.

    {"source": "/a", "headers": [{"key": "X-Robots-Tag", "value": "noindex"}]} → NOINDEX for `/a`

    The last header with a name counts. `read` translates the pattern of an entry, which is under
    one of `keys`. If it raises ValueError, the entry gives only the place of its line, so that the
    user is told of it, and only if a header could leave a page out.
    """
    for entry in entries(table, text, "headers", keys):
        headers = read_headers(entry.table.get("headers"), file, entry.line)
        try:
            yield from header_rules(read(entry), headers, now, replaces=True)
        except ValueError:
            if any(header.name in _DECIDING_HEADERS for header in headers):
                yield Origin(file, entry.line, entry.pattern)
