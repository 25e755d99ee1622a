"""What the configuration says of single pages: `[[rules]]`, `[[sitemaps]]` and `[[urls]]`."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ..config.load import Config
from ..config.model import ExtraUrl, Rule
from ..messages import SitemapperError
from ..model import NO_VALUES, Excluded, Line, Listed, Origin, Page, Reason, Site, Values
from ..syntax.dates import Writer, read_date
from ..syntax.patterns import Patterns
from ..syntax.robots import Crawling
from ..syntax.urls import SESSION_IDS, comparison_key, resolve

# Parameters that create a new URL of the same page for each visit.
_SESSION_ID = re.compile(
    rf";(?:{SESSION_IDS})=[^/;?]*|(?:(?<=\?)|&)(?:{SESSION_IDS})=[^&]*", re.IGNORECASE
)


class _Rule(NamedTuple):
    """An entry of `[[rules]]`."""

    patterns: Patterns
    written: Mapping[str, str]  # the values that it sets, by the fields of `Values`
    origin: Origin
    is_listed: bool | None  # its key `list`, None if it is not set


class PageRules:
    """Finds what `[[rules]]` and `[[sitemaps]]` say of a page, such as its priority."""

    def __init__(self, config: Config) -> None:
        """Compiles the patterns of all entries once, before they are matched with each page."""
        self._rules: list[_Rule] = []
        for index, rule in enumerate(config.settings.rules):
            values = _values_in(rule, config)._asdict()
            # A key that the rule does not set must not hide the value of an earlier rule.
            written = {key: value for key, value in values.items() if value}
            origin = config.origins[f"rules[{index}]"]._replace(text=", ".join(rule.match))
            self._rules.append(_Rule(_patterns(rule.match), written, origin, rule.list))

        self._sections = [
            (section.name, _patterns(section.match)) for section in config.settings.sitemaps
        ]

        # Many pages have equal values. They share the first of these objects, which saves memory.
        self._first_equal: dict[Values, Values] = {NO_VALUES: NO_VALUES}

    def values_of(self, path: str) -> tuple[Values, Origin | None]:
        """Returns the values of a page, and the rule that leaves it out (None if it is listed).

        For each key, the last rule that sets it wins. So a rule with `list = true` brings back a
        page that an earlier rule with `list = false` has left out. The first section that matches
        wins.
        """
        values = NO_VALUES
        unlisted: Origin | None = None
        for rule in self._matching(path):
            values = values._replace(**rule.written)
            if rule.is_listed is not None:
                unlisted = None if rule.is_listed else rule.origin

        for name, patterns in self._sections:
            if patterns.covers(path):
                values = values._replace(section=name)
                break
        return self._first_equal.setdefault(values, values), unlisted

    def origins_of(self, path: str) -> dict[str, Origin]:
        """Returns, by the name of each value that a rule sets for a page, where that rule stands.

        Such as `{"priority": Origin("sitemapper.toml", 12)}`. The command `explain` prints them.
        """
        origins: dict[str, Origin] = {}
        for rule in self._matching(path):
            for name in rule.written:
                origins[name] = rule.origin  # of the last rule, because it wins
        return origins

    def _matching(self, path: str) -> list[_Rule]:
        """The rules whose patterns match the path of a page, in order."""
        return [rule for rule in self._rules if rule.patterns.covers(path)]


def _patterns(texts: Sequence[str]) -> Patterns:
    return Patterns(Line(text, Origin("match")) for text in texts)


def _values_in(entry: Rule | ExtraUrl, config: Config) -> Values:
    """The values that an entry of `[[rules]]` or `[[urls]]` sets, in the notation of sitemaps.

    The priority is a text such as `0.8`, and the date is in the time zone of the settings.
    """
    dates = config.settings.dates
    zone = UTC if dates.timezone == "UTC" else ZoneInfo(dates.timezone)
    writer = Writer(zone, date_only=dates.date_only)
    return Values(
        changefreq=entry.changefreq,
        # Python writes 0.00001 as `1e-05`, which XML Schema does not allow as a decimal. A number
        # with at most four places has no exponent.
        priority=None if entry.priority is None else str(round(entry.priority, 4)),
        lastmod=None if entry.lastmod is None else read_date(entry.lastmod, writer).text,
    )


def select_extra_urls(
    site: Site, owners: Mapping[str, Page], crawling: Crawling
) -> tuple[list[Listed], list[Excluded]]:
    """Divides the entries of `[[urls]]` into listed and excluded ones.

    An entry is excluded if a listed page or an earlier entry has its URL, or if robots.txt
    disallows it. `owners` are the listed pages by their URLs. Raises SitemapperError for URLs that
    are not below the base URL, with one line for each.
    """
    config = site.found.config
    if not config.settings.urls:
        return [], []  # the keys of all pages, below, would be made in vain
    owner_by_key = {comparison_key(url): page.path for url, page in owners.items()}
    listed: list[Listed] = []
    excluded: list[Excluded] = []
    faults: list[str] = []
    for index, entry in enumerate(config.settings.urls):
        origin = config.origins[f"urls[{index}]"]
        url = resolve(entry.loc, "")
        if url is None or not url.startswith(site.base_url):
            faults.append(f"{origin}: loc: {entry.loc} is not below {site.base_url}")
            continue

        # `?sid=1&a=2` → `?a=2`, and no `?` stays at the end.
        url = _SESSION_ID.sub("", url).replace("?&", "?").rstrip("?")
        key = comparison_key(url)
        robots_line = crawling.closing_line(url)
        if key in owner_by_key:
            duplicate = origin._replace(text=f"is the URL of {owner_by_key[key]}")
            excluded.append(Excluded(url, Reason.DUPLICATE, duplicate, url))
        elif robots_line:
            excluded.append(Excluded(url, Reason.ROBOTS, robots_line, url))
        else:
            owner_by_key[key] = str(origin)
            listed.append(Listed(None, url, _values_in(entry, config)))

    if faults:
        help = "a sitemap may only list URLs of its host, at or below its own folder"
        raise SitemapperError("\n".join(faults), help)
    return sorted(listed, key=lambda entry: entry.url), excluded
