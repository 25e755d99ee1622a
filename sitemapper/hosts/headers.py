"""Headers that a host adds to a page, and what they say about indexing it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..model import Origin, Reason
from ..syntax.robots import header_forbids
from .rule import Line, Pattern, Rule
from .tables import Entry, entries, tables_of


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
            if any(header.name == "x-robots-tag" for header in headers):
                yield Origin(file, entry.line, entry.pattern)
