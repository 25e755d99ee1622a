"""Headers that a host adds to a page, and what they say about indexing it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..model import Origin, Reason
from ..syntax.robots import header_forbids
from .conditions import ALWAYS, Condition
from .host import HostEffect
from .matchers import WILDCARD
from .rules import Rule
from .tables import Entry, entries, tables_of

# A URL in a Link header whose relation is canonical (RFC 8288; RFC 6596).
_CANONICAL = re.compile(r"""<([^<>]*+)>[^,<>]*?;\s*rel\s*=\s*["']?canonical\b""", re.IGNORECASE)


class Header(NamedTuple):
    """A header that a rule sets, with its origin. The value None removes it."""

    name: str
    value: str | None
    origin: Origin


def read_headers(values: object, file: str, line: int) -> list[Header]:
    """The headers of a rule: a list of `key` and `value`, or a table, whose lists are joined."""
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


def header_effects(
    headers: Sequence[Header], now: int, *, replaces: bool = False
) -> Iterator[HostEffect | None]:
    """The effects of one rule's headers on a page: noindex, a canonical, a password.

    `X-Robots-Tag: noindex` gives an effect with `Reason.NOINDEX`. None stands for a robots header
    that cancels the noindex of earlier rules: one that removes the header or, with `replaces`, one
    that allows indexing, as the host keeps only the last value.
    """
    robots_headers = [header for header in headers if header.name == "x-robots-tag"]
    forbidding = [header for header in robots_headers if _forbids_indexing(header, now)]
    removing = [header for header in robots_headers if header.value is None]
    cancels_earlier = bool(removing) or (replaces and bool(robots_headers))
    if forbidding:
        yield HostEffect(Reason.NOINDEX, forbidding[0].origin)
    elif cancels_earlier:
        yield None
    for header in headers:
        effect = _other_effect(header)
        if effect is not None:
            yield effect


def _forbids_indexing(header: Header, now: int) -> bool:
    """Whether a robots header, if it is set and not removed, forbids indexing at the time `now`."""
    return header.value is not None and header_forbids(header.value, now)


def _other_effect(header: Header) -> HostEffect | None:
    """The effect of a header that is not about robots."""
    if header.name == "basic-auth":  # a password in Netlify's `_headers`
        return HostEffect(Reason.CLOSED, header.origin)
    if header.name != "link":
        return None
    link = _CANONICAL.search(header.value or "")
    # A placeholder is replaced by a part of the path, so the URL is not known.
    if link is None or re.search(WILDCARD, link[1]):
        return None
    return HostEffect(Reason.CANONICAL, header.origin, link[1])


def always(_: Entry) -> Condition:
    """The condition of an entry in the file of a host that knows none."""
    return ALWAYS


def header_rules_in_json(
    table: Mapping[str, Any],
    text: str,
    file: str,
    now: int,
    keys: Sequence[str] = ("source",),
    condition: Callable[[Entry], Condition] = always,
) -> Iterator[Rule]:
    """The rules in the list `headers` of a project file, with a pattern under one of some keys.

    A later header replaces an earlier one. A rule that may apply or not never excludes pages, but
    cancels what earlier rules say.
    """
    for entry in entries(table, text, "headers", keys):
        holds = condition(entry).holds
        if holds is False:
            continue
        headers = read_headers(entry.table.get("headers"), file, entry.line)
        for effect in header_effects(headers, now, replaces=True):
            if effect is None or holds:
                yield entry.pattern, effect
