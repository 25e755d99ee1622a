"""`[[rules]]` and `[[sitemaps]]`: the values of pages."""

from collections.abc import Sequence
from datetime import UTC
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ..config.load import Config
from ..config.model import ExtraUrl, Rule
from ..model import NO_VALUES, Line, Origin, Values
from ..syntax.dates import Writer, read_date
from ..syntax.patterns import Patterns


class _Rule(NamedTuple):
    patterns: Patterns
    values: Values
    origin: Origin
    is_listed: bool | None


class PageRules:
    """Finds the values of pages. Pages that the same rules match share one value."""

    def __init__(self, config: Config) -> None:
        self._rules: list[_Rule] = []
        for index, rule in enumerate(config.settings.rules):
            origin = config.origins[f"rules[{index}]"]
            origin = origin._replace(text=", ".join(rule.match))
            values = values_in(rule, config)
            self._rules.append(_Rule(_patterns(rule.match), values, origin, rule.list))
        self._sections = [(one.name, _patterns(one.match)) for one in config.settings.sitemaps]
        self._shared: dict[Values, Values] = {NO_VALUES: NO_VALUES}

    def __bool__(self) -> bool:
        return bool(self._rules or self._sections)

    def values_of(self, path: str) -> tuple[Values, Origin | None]:
        """The values of a page: for each key, the last rule that sets it wins.

        With them, the rule that says `list = false`, None if the page may be listed.
        """
        values = NO_VALUES
        unlisted: Origin | None = None
        for rule in self._rules:
            if not rule.patterns.covers(path):
                continue
            written = {key: value for key, value in rule.values._asdict().items() if value}
            values = values._replace(**written)
            if rule.is_listed is not None:
                unlisted = None if rule.is_listed else rule.origin
        for name, patterns in self._sections:
            if patterns.covers(path):
                values = values._replace(section=name)
                break
        return self._shared.setdefault(values, values), unlisted

    def origins_of(self, path: str) -> dict[str, Origin]:
        """The rule that decides each value of a page, by the value's name."""
        origins: dict[str, Origin] = {}
        for rule in self._rules:
            if rule.patterns.covers(path):
                set_keys = [key for key, value in rule.values._asdict().items() if value]
                origins |= dict.fromkeys(set_keys, rule.origin)
        return origins


def _patterns(texts: Sequence[str]) -> Patterns:
    return Patterns(Line(text, Origin("match")) for text in texts)


def values_in(entry: Rule | ExtraUrl, config: Config) -> Values:
    """The values that an entry of `[[rules]]` or `[[urls]]` sets, as the sitemap has them."""
    dates = config.settings.dates
    zone = UTC if dates.timezone == "UTC" else ZoneInfo(dates.timezone)
    writer = Writer(zone, date_only=dates.date_only)
    return Values(
        changefreq=entry.changefreq,
        priority=None if entry.priority is None else f"{Decimal(str(entry.priority)):f}",
        lastmod=None if entry.lastmod is None else read_date(entry.lastmod, writer).text,
    )
