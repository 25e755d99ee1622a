"""The text of `_redirects` and `_headers`: lines to rules, patterns to regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from sitemapper.model import Origin, Reason
from sitemapper.syntax.urls import encode_path

REDIRECTS, HEADERS = "_redirects", "_headers"
_KNOWN = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_AGENTS = ("", "googlebot", "robots", "*")


class Effect(NamedTuple):
    """What a rule does to a page that exists: why it is left out, and which line says so."""

    reason: Reason
    origin: Origin


class Redirect(NamedTuple):
    """One line of `_redirects`: where it applies, its status, `!`, and whether it is conditional."""

    line: int
    text: str
    source: str
    status: int | None
    forced: bool
    conditional: bool

    @property
    def effect(self) -> Effect:
        """The redirect as an effect."""
        return Effect(Reason.REDIRECT, Origin(REDIRECTS, self.line, self.text))


class Header(NamedTuple):
    """One X-Robots-Tag of `_headers` and the pattern above it; `value` None detaches it."""

    line: int
    pattern: str
    value: str | None

    @property
    def effect(self) -> Effect:
        """The header as an effect."""
        return Effect(Reason.NOINDEX, Origin(HEADERS, self.line, f"X-Robots-Tag: {self.value}"))


class HostFiles(NamedTuple):
    """What a site's two host files say."""

    redirects: tuple[Redirect, ...] = ()
    headers: tuple[Header, ...] = ()


def read(redirects: str, headers: str) -> HostFiles:
    """The rules of both texts; lines that say nothing are passed over, as the hosts do."""
    return HostFiles(tuple(_redirects(redirects)), tuple(_headers(headers)))


def _redirects(text: str) -> Iterator[Redirect]:
    for number, row in enumerate(text.splitlines(), 1):
        words = row.partition(" #")[0].split()
        if len(words) < 2 or words[0].startswith("#"):
            continue
        source, *rest = words
        queries = [w for w in rest[:-1] if re.fullmatch(r"[\w-]+=\S*", w)]
        rest = [w for w in rest if w not in queries]
        status = next((w for w in rest[1:] if re.fullmatch(r"\d{3}!?", w)), None)
        conditions = [w for w in rest[1:] if "=" in w]
        yield Redirect(
            number,
            " ".join(words),
            source,
            int(status[:3]) if status else None,
            forced=bool(status and status.endswith("!")),
            conditional=bool(queries or conditions),
        )


def _headers(text: str) -> Iterator[Header]:
    pattern = None
    for number, row in enumerate(text.splitlines(), 1):
        line = row.strip()
        if not line or line.startswith("#"):
            continue
        if not row[0].isspace():
            pattern = line
            continue
        name, colon, value = line.partition(":")
        detached = line.startswith("!") and line[1:].strip().lower() == "x-robots-tag"
        if pattern and (detached or (colon and name.strip().lower() == "x-robots-tag")):
            yield Header(number, pattern, None if detached else value.strip())


@lru_cache(maxsize=4_096)
def expression(pattern: str, *, any_case: bool = False, any_slash: bool = False) -> re.Pattern[str]:
    """The regular expression of a path or URL pattern: `*` matches all, `:name` one segment."""
    parts = re.split(r"(\*|:[A-Za-z]\w*)", encode_path(pattern))
    parts[::2] = map(re.escape, parts[::2])
    for n in range(1, len(parts), 2):
        if parts[n] != "*":
            parts[n] = "[^/]+"
        elif parts[n + 2 : n + 3] == ["*"]:
            # The first place that fits will do: else seven stars in one pattern take seconds for a path.
            parts[n : n + 2] = f"(?>.*?{parts[n + 1]})", ""
        else:
            parts[n] = ".*"
    regex = "".join(parts)
    if any_slash:
        regex = regex.removesuffix("/") + "/?"
    return re.compile(regex, re.IGNORECASE if any_case else 0)


def forbids(value: str) -> bool:
    """Whether an X-Robots-Tag keeps a page out of the index, for all crawlers or for Googlebot.

    `googlebot: noindex, nofollow` names an agent; `unavailable_after: 25 Jun …` does not.
    """
    agent = ""
    for token in value.lower().split(","):
        name, colon, rest = token.partition(":")
        if colon and name.strip() not in _KNOWN:
            agent, token = name.strip(), rest
        if agent in _AGENTS and token.strip() in ("noindex", "none"):
            return True
    return False
