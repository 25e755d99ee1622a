"""`[[rules]]`: which values a page gets from the configuration. Later rules win, key by key."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..model import LastMod, Origin
from ..syntax.gitignore import PatternSets


class PageRule(NamedTuple):
    """One rule, compiled; None means that it says nothing about that value."""

    origin: Origin
    changefreq: str | None
    priority: str | None
    lastmod: LastMod | None
    list: bool | None


class PageOverrides(NamedTuple):
    """What the rules say about one page, and which rule set each key (the last one counts)."""

    changefreq: str | None = None
    priority: str | None = None
    lastmod: LastMod | None = None
    list: bool = True
    origins: tuple[tuple[str, Origin], ...] = ()

    @property
    def rules(self) -> Sequence[Origin]:
        """The rules that match the page."""
        return [origin for _, origin in self.origins]


KEYS = ("changefreq", "priority", "lastmod", "list")
NO_OVERRIDES = PageOverrides()


def match_overrides(rules: PatternSets[PageRule], path: str) -> PageOverrides:
    """The values of a page: for each key, of the last rule that matches and has it."""
    overrides = NO_OVERRIDES
    for rule in rules.matching(path):
        values: dict[str, Any] = {key: getattr(rule, key) for key in KEYS if getattr(rule, key) is not None}
        origins = ((key, rule.origin) for key in values)
        overrides = overrides._replace(**values, origins=(*overrides.origins, *origins))
    return overrides


def first_section(sections: PatternSets[str], path: str) -> str:
    """The name of the first section whose patterns match, "" for none."""
    return next(iter(sections.matching(path)), "") if sections.values else ""
