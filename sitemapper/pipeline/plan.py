"""Settings made ready for use, once for a run: what every stage is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timezone
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sitemapper import lastmod
from sitemapper.config.settings import Settings
from sitemapper.lastmod import content
from sitemapper.model import Origin, Warned
from sitemapper.output import extensions, formats
from sitemapper.pages import extra as extra_urls
from sitemapper.pages import reasons as judge
from sitemapper.pages import rules as page_rules
from sitemapper.pipeline import around as site_files
from sitemapper.site import walk as walking
from sitemapper.syntax import dates
from sitemapper.syntax.gitignore import Line, Patterns
from sitemapper.syntax.urls import Locator


class Plan(NamedTuple):
    """Settings made ready for use, once; picklable, so that any worker can hold it.

    `started` is the moment of the run, in ns.
    """

    settings: Settings
    folder: walking.Folder
    dating: lastmod.Dating
    content: content.Rule | None
    law: judge.Law
    sections: tuple[tuple[str, Patterns], ...]
    formats: tuple[formats.Format, ...]
    extensions: tuple[extensions.Extension, ...]
    extra: dict[str, extra_urls.Extra]
    warned: tuple[Warned, ...]
    notes: tuple[str, ...]
    started: int

    @property
    def reads(self) -> str:
        """What is read of pages, "" for nothing: what is cached of them is good for the same only."""
        heads = self.law.reads_heads or bool(self.extensions)
        wanted = (heads, "page" in self.dating.sources, self.content and self.content.mark)
        return repr(wanted) if any(wanted) else ""


def make_plan(settings: Settings, now: datetime) -> Plan:
    """Compiles what a run needs. Raises SiteError if there is no site, ConfigError for bad lists."""
    writer = dates.Writer(_zone(settings.dates.timezone), date_only=settings.dates.date_only)
    seconds = int(now.timestamp())
    law_rules, extra = tuple(_rules(settings, writer)), extra_urls.read(settings, writer)
    fixed = [(str(rule.origin), rule.lastmod) for rule in law_rules]
    fixed += [(loc, extra[loc].listed.lastmod) for loc in extra]
    doubted = {about: why for about, date in fixed if date and (why := lastmod.doubt(date, seconds))}
    folder = walking.folder(settings)
    host = site_files.host(settings)
    style, proof = site_files.style(settings, folder, host)
    return Plan(
        settings,
        folder,
        lastmod.Dating(settings.lastmod, seconds, settings.source_date_epoch, writer),
        content.rule(settings.ledger.drop) if "ledger" in settings.lastmod else None,
        judge.Law(
            tuple(r._replace(lastmod=None) if str(r.origin) in doubted else r for r in law_rules),
            Locator(settings.base_url, style),
            settings.respect,
            site_files.crawling(settings),
            host,
            seconds,
        ),
        tuple((section.name, _patterns(section.match)) for section in settings.sitemaps),
        tuple(f for f in formats.ALL if f.extension == "xml" or settings.sitemap.text),
        extensions.wanted(settings),
        {loc: more.undated() if loc in doubted else more for loc, more in extra.items()},
        tuple(Warned(why, about) for about, why in doubted.items()),
        (proof,) if proof else (),
        int(now.timestamp() * 1e9),
    )


def _zone(name: str) -> timezone | ZoneInfo:
    return UTC if name == "UTC" else ZoneInfo(name)


def _patterns(match: Sequence[str]) -> Patterns:
    return Patterns(Line(text, Origin("match", None, text)) for text in match)


def _rules(settings: Settings, writer: dates.Writer) -> Iterator[page_rules.Rule]:
    origins = settings.rule_origins or [Origin(f"rules[{n}]") for n in range(len(settings.rules))]
    for rule, origin in zip(settings.rules, origins, strict=True):
        fixed = None if rule.lastmod is None else dates.read(rule.lastmod, writer)
        priority = None if rule.priority is None else formats.priority(rule.priority)
        yield page_rules.Rule(_patterns(rule.match), origin, rule.changefreq, priority, fixed, rule.list)
