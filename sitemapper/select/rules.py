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
    patterns: Patterns
    written: Mapping[str, str]  # the values that it sets, by the fields of `Values`
    origin: Origin
    is_listed: bool | None


class PageRules:
    """Finds the values of pages. Pages with the same values share them."""

    def __init__(self, config: Config) -> None:
        self._rules: list[_Rule] = []
        for index, rule in enumerate(config.settings.rules):
            values = _values_in(rule, config)._asdict()
            written = {key: value for key, value in values.items() if value}
            origin = config.origins[f"rules[{index}]"]._replace(text=", ".join(rule.match))
            self._rules.append(_Rule(_patterns(rule.match), written, origin, rule.list))
        self._sections = [
            (section.name, _patterns(section.match)) for section in config.settings.sitemaps
        ]
        self._shared: dict[Values, Values] = {NO_VALUES: NO_VALUES}

    def values_of(self, path: str) -> tuple[Values, Origin | None]:
        """The values of a page, and the rule that says `list = false`, None if it may be listed.

        For each key, the last rule that sets it wins.
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
        return self._shared.setdefault(values, values), unlisted

    def origins_of(self, path: str) -> dict[str, Origin]:
        """The rule that decides each value of a page, by the value's name."""
        origins: dict[str, Origin] = {}
        for rule in self._matching(path):
            origins |= dict.fromkeys(rule.written, rule.origin)
        return origins

    def _matching(self, path: str) -> list[_Rule]:
        return [rule for rule in self._rules if rule.patterns.covers(path)]


def _patterns(texts: Sequence[str]) -> Patterns:
    return Patterns(Line(text, Origin("match")) for text in texts)


def _values_in(entry: Rule | ExtraUrl, config: Config) -> Values:
    """The values that an entry of `[[rules]]` or `[[urls]]` sets, as the sitemap has them."""
    dates = config.settings.dates
    zone = UTC if dates.timezone == "UTC" else ZoneInfo(dates.timezone)
    writer = Writer(zone, date_only=dates.date_only)
    return Values(
        changefreq=entry.changefreq,
        # Without more places, no number has an exponent, which is none of XML Schema: 1e-05.
        priority=None if entry.priority is None else str(round(entry.priority, 4)),
        lastmod=None if entry.lastmod is None else read_date(entry.lastmod, writer).text,
    )


def select_extra_urls(
    site: Site, owners: Mapping[str, Page], crawling: Crawling
) -> tuple[list[Listed], list[Excluded]]:
    """Lists the entries of `[[urls]]`, unless a page has the URL or robots.txt closes it.

    `owners` are the listed pages by their URLs. Raises SitemapperError, with a line for each, for
    URLs that no sitemap at the base URL may list.
    """
    config = site.found.config
    if not config.settings.urls:
        return [], []
    taken = {comparison_key(url): page.path for url, page in owners.items()}
    kept: list[Listed] = []
    refused: list[Excluded] = []
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
        line = crawling.closing_line(url)
        if key in taken:
            duplicate = origin._replace(text=f"is the URL of {taken[key]}")
            refused.append(Excluded(url, Reason.DUPLICATE, duplicate, url))
        elif line:
            refused.append(Excluded(url, Reason.ROBOTS, line, url))
        else:
            taken[key] = str(origin)
            kept.append(Listed(None, url, _values_in(entry, config)))
    if faults:
        help = "a sitemap may only list URLs of its host, at or below its own folder"
        raise SitemapperError("\n".join(faults), help)
    return sorted(kept, key=lambda entry: entry.url), refused
