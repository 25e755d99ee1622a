"""The settings of a run, compiled once for all stages."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ..config.settings import Settings
from ..extract.facts import ReadOptions
from ..hosts.find import find_host
from ..lastmod import build_times
from ..lastmod.resolve import DatePolicy, is_implausible, is_whole
from ..model import Diagnostic, Origin, WarningKind
from ..output import formats
from ..pages import extra as extra_urls
from ..pages import overrides, signals
from ..pages.policy import IndexPolicy
from ..project import site_urls
from ..recent import Recent
from ..setup.robots import RobotsFile, make_crawling, read_robots
from ..site import walk
from ..syntax import dates
from ..syntax.gitignore import Line, PatternSets


class Plan(NamedTuple):
    """The settings of a run, compiled once; picklable, so that any worker can use them.

    `started` is the time of the run in ns. `robots` is the host's robots.txt,
    None if the base URL is not the root of the host. These files are not read again. `locks` are
    descriptors that no other process may keep open. With `wants_details`, the details of each batch
    are collected.
    """

    settings: Settings
    root: walk.SiteRoot
    date_policy: DatePolicy
    read_options: ReadOptions
    policy: IndexPolicy
    formats: tuple[formats.Format, ...]
    extra: dict[str, extra_urls.Extra]
    diagnostics: tuple[Diagnostic, ...]
    notes: tuple[str, ...]
    started: int
    robots: RobotsFile | None
    locks: tuple[int, ...] = ()
    wants_details: bool = False


def make_plan(settings: Settings, now: datetime) -> Plan:
    """Compiles what a run needs.

    Raises SiteError if there is no site, ConfigError for bad lists.
    """
    zone = UTC if settings.dates.timezone == "UTC" else ZoneInfo(settings.dates.timezone)
    writer = dates.Writer(zone, date_only=settings.dates.date_only)
    seconds = int(now.timestamp())
    rules, extra = tuple(_rules(settings, writer)), extra_urls.read(settings, writer)
    fixed = [(str(rule.origin), rule.lastmod) for rule in rules]
    fixed += [(more.listed.loc, more.listed.lastmod) for more in extra.values()]
    implausible = dict.fromkeys(
        about for about, date in fixed if date and is_implausible(date, seconds)
    )
    needs_days = settings.sitemap.schema_location  # which does not allow dates without a day
    vague = [about for about, date in fixed if date and not is_whole(date)] if needs_days else []
    undated = {*implausible, *vague}
    root = walk.folder(settings.site, settings.ignore_lines, settings.include, settings.site_prefix)
    root = site_urls.with_links(settings, root)
    robots = read_robots(settings.site, output=settings.output_dir, base_url=settings.base_url)
    host = find_host(
        settings.site,
        configured=settings.host,
        builder=settings.builder,
        base_url=settings.base_url,
        cwd=settings.cwd,
        now=seconds,
    )
    diagnostics = [Diagnostic(WarningKind.IMPLAUSIBLE, about) for about in implausible]
    if host.is_known and len(host.names) > 1:
        diagnostics.append(Diagnostic(WarningKind.HOSTS, ", ".join(host.names)))
    first_pages = cache(partial(walk.first_pages, root))
    locator, proof = site_urls.choose_locator(settings, root, host, first_pages)
    date_policy = DatePolicy(
        sources=settings.date_sources,
        now=seconds,
        source_date_epoch=settings.source_date_epoch,
        writer=writer,
        locator=locator,
        omits_file_times=build_times.are_expected(settings, first_pages, seconds),
        needs_days=needs_days,
    )
    policy = IndexPolicy(
        signals=signals.respected(settings.respect),
        rules=PatternSets(
            (
                rule._replace(lastmod=None) if str(rule.origin) in undated else rule,
                _lines(config.match),
            )
            for rule, config in zip(rules, settings.rules, strict=True)
        ),
        sections=PatternSets(
            (section.name, _lines(section.match)) for section in settings.sitemaps
        ),
        locator=locator,
        respect=settings.respect,
        crawling=make_crawling(robots, settings.robots.agents) if settings.respect.robots else None,
        host=host,
        now=seconds,
        versions=Recent() if settings.hreflang else None,
    )
    return Plan(
        settings=settings,
        root=root,
        date_policy=date_policy,
        read_options=_read_options(settings),
        policy=policy,
        formats=formats.enabled(settings),
        extra={
            key: more.undated() if more.listed.loc in undated else more
            for key, more in extra.items()
        },
        diagnostics=tuple(diagnostics),
        notes=(*((proof,) if proof else ()), *host.notes),
        started=int(now.timestamp() * 1e9),
        robots=robots,
    )


def available_cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _read_options(settings: Settings) -> ReadOptions:
    digest = None
    if "ledger" in settings.date_sources:
        # Imported here: most runs read no content.
        from ..extract.content import make_rule

        digest = make_rule(settings.ledger.drop)
    return ReadOptions(
        signals=signals.in_heads() if _needs_heads(settings) else None,
        dates="page" in settings.date_sources,
        digest=digest,
        images=settings.images,
    )


def _needs_heads(settings: Settings) -> bool:
    """Whether a signal in the head may exclude a page, or an entry needs the links of the head."""
    if settings.hreflang or settings.images:
        return True
    return any(signal.needs_page for signal in signals.respected(settings.respect))


def _lines(match: Sequence[str]) -> Iterator[Line]:
    return (Line(text, Origin("match", None, text)) for text in match)


def _rules(settings: Settings, writer: dates.Writer) -> Iterator[overrides.PageRule]:
    origins = settings.rule_origins or [Origin(f"rules[{n}]") for n in range(len(settings.rules))]
    for rule, origin in zip(settings.rules, origins, strict=True):
        fixed = None if rule.lastmod is None else dates.read(rule.lastmod, writer)
        priority = None if rule.priority is None else formats.priority(rule.priority)
        yield overrides.PageRule(origin, rule.changefreq, priority, fixed, rule.list)
