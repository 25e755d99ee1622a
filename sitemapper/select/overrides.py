"""`[[rules]]`: the values of pages in the configuration.

For each key, the last matching rule wins.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from ..model import LastMod, Origin
from ..syntax.gitignore import Patterns


class PageRule(NamedTuple):
    """One entry of `[[rules]]`: its patterns, and the values that it sets for the pages they match.

    A key that it does not set is None.
    """

    origin: Origin
    patterns: Patterns
    changefreq: str | None
    priority: str | None
    lastmod: LastMod | None
    list: bool | None


class PageOverrides(NamedTuple):
    """The values that `[[rules]]` set for one page. For each key, the last matching rule wins."""

    changefreq: str | None = None
    priority: str | None = None
    lastmod: LastMod | None = None
    list: bool = True
    # Each key with the rule that sets it, in the order of the rules; the last one of a key counts.
    origins: tuple[tuple[str, Origin], ...] = ()

    @property
    def rules(self) -> Sequence[Origin]:
        """The origins of the rules that set a value of the page, such as `sitemapper.toml:12`.

        A rule that sets two keys, such as `priority` and `lastmod`, is in the list twice.
        """
        return [origin for _, origin in self.origins]


KEYS = ("changefreq", "priority", "lastmod", "list")
NO_OVERRIDES = PageOverrides()


def match_overrides(rules: Iterable[PageRule], path: str) -> PageOverrides:
    """Collects the values that `[[rules]]` set for the page at `path`.

    If several matching rules set the same key, the last one wins. With `priority = 0.5` for all
    pages, and after it `priority = 0.8` for `docs/`: 0.8 for `docs/a.html`.
    """
    overrides = NO_OVERRIDES
    for rule in rules:
        if not rule.patterns.matches(path):
            continue
        all_values = {key: getattr(rule, key) for key in KEYS}
        values = {key: value for key, value in all_values.items() if value is not None}
        origins = [(key, rule.origin) for key in values]
        overrides = overrides._replace(**values, origins=(*overrides.origins, *origins))
    return overrides


def first_section(sections: Mapping[str, Patterns], path: str) -> str:
    """Finds the name of the first entry of `[[sitemaps]]` whose patterns match a page.

    `blog/a.html` → `blog`, if the entry of this name has the pattern `/blog/`. "" if no entry
    matches. The page is then listed in a numbered sitemap, such as `sitemap-1.xml`.
    """
    for name, patterns in sections.items():
        if patterns.matches(path):
            return name
    return ""


def format_priority(value: float) -> str:
    """Formats a priority for the sitemap: 0.80 → `0.8`, 1 → `1.0`, 0.55 → `0.55`."""
    whole, _, decimals = f"{Decimal(str(abs(value))):.9f}".partition(".")  # -0.0 has a sign
    decimals = decimals.rstrip("0") or "0"
    return f"{whole}.{decimals}"
