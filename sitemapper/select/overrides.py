"""`[[rules]]`: the values of pages in the configuration.

For each key, the last matching rule wins.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..model import LastMod, Origin
from ..syntax.gitignore import PatternSets


class PageRule(NamedTuple):
    """One compiled rule. None means that it does not set this value."""

    origin: Origin
    changefreq: str | None
    priority: str | None
    lastmod: LastMod | None
    list: bool | None


class PageOverrides(NamedTuple):
    """The values that rules set for one page, and which rule set each key. The last rule wins."""

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
    """The values that rules set for a page. For each key, the last matching rule wins."""
    overrides = NO_OVERRIDES
    for rule in rules.matching(path):
        values = _values_of(rule)
        origins = [(key, rule.origin) for key in values]
        overrides = overrides._replace(**values, origins=(*overrides.origins, *origins))
    return overrides


def _values_of(rule: PageRule) -> dict[str, Any]:
    """The values that a rule sets, by their keys."""
    values = {key: getattr(rule, key) for key in KEYS}
    return {key: value for key, value in values.items() if value is not None}


def first_section(sections: PatternSets[str], path: str) -> str:
    """The name of the first section with a matching pattern, "" if there is none."""
    if not sections.values:
        return ""
    return next(iter(sections.matching(path)), "")
