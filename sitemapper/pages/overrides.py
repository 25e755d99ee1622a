"""`[[rules]]`: which values a page gets from the configuration. Later rules win, key by key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..model import LastMod, Origin
from ..syntax.gitignore import Patterns


class PageRule(NamedTuple):
    """One rule, compiled; None means that it says nothing about that value."""

    patterns: Patterns
    origin: Origin
    changefreq: str | None
    priority: str | None
    lastmod: LastMod | None
    list: bool | None


class PageOverrides(NamedTuple):
    """What the rules say about one page, and which rules said it (by key; the last one counts)."""

    changefreq: str | None = None
    priority: str | None = None
    lastmod: LastMod | None = None
    list: bool = True
    origins: tuple[tuple[str, Origin], ...] = ()


KEYS = ("changefreq", "priority", "lastmod", "list")
NO_OVERRIDES = PageOverrides()


def values(rules: Iterable[PageRule], path: str) -> PageOverrides:
    """The values of a page: for each key, of the last rule that matches and has it."""
    found = NO_OVERRIDES
    for rule in rules:
        said: dict[str, Any] = {key: getattr(rule, key) for key in KEYS if getattr(rule, key) is not None}
        if said and rule.patterns.matches(path):
            origins = ((key, rule.origin) for key in said)
            found = found._replace(**said, origins=(*found.origins, *origins))
    return found


def first_section(sections: Iterable[tuple[str, Patterns]], path: str) -> str:
    """The name of the first section whose patterns match, "" for none."""
    return next((name for name, patterns in sections if patterns.matches(path)), "")
