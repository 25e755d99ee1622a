"""What a run needs, compiled once for all stages."""

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import cache, partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ..config.settings import Dates, GitMap, RuleConfig, Settings
from ..extract.facts import ReadOptions
from ..hosts.find import find_host
from ..hosts.host import Host
from ..lastmod import build_times
from ..lastmod.build_times import FileTimePolicy
from ..lastmod.ledger import LedgerFile, is_first_run
from ..lastmod.resolve import DatePolicy, is_implausible, is_whole
from ..model import Diagnostic, LastMod, Origin, WarningKind
from ..output import formats
from ..pages import extra as extra_urls
from ..pages import overrides, signals
from ..pages.policy import IndexPolicy
from ..recent import Recent
from ..settled import Site
from ..setup.first_pages import FirstPages
from ..setup.linked_folders import follow_links
from ..setup.robots import RobotsFile, make_crawling, read_robots
from ..setup.settle import Origins, Setup
from ..setup.url_forms import StyleSetting, choose_locator
from ..site import walk
from ..syntax import dates
from ..syntax.gitignore import Line, PatternSets


class Plan(NamedTuple):
    """What a run needs, compiled once; picklable, so that any worker can use it.

    `started` is the time of the run in ns. `robots` is the host's robots.txt, None if the base URL
    is not the root of the host. `ledger` is the one to read. `origins` tell where the user's
    entries stand. With `checks_links`, the links of the first pages may raise doubts. `locks` are
    descriptors that no other process may keep open. With `wants_details`, the details of each batch
    are collected.
    """

    site: Site
    root: walk.SiteRoot
    date_policy: DatePolicy
    file_times: FileTimePolicy
    read_options: ReadOptions
    policy: IndexPolicy
    formats: tuple[formats.Format, ...]
    extra: dict[str, extra_urls.Extra]
    reader: FirstPages
    diagnostics: tuple[Diagnostic, ...]
    notes: tuple[str, ...]
    started: int
    robots: RobotsFile | None
    ledger: LedgerFile | None
    git_maps: tuple[GitMap, ...]
    origins: Origins
    checks_links: bool
    jobs: int
    scheduler: str | None
    locks: tuple[int, ...] = ()
    wants_details: bool = False


class _Entries(NamedTuple):
    """The rules and the extra URLs of the configuration, without dates that must not be written.

    `implausible` names those whose dates cannot be the dates of changes.
    """

    rules: PatternSets[overrides.PageRule]
    extra: dict[str, extra_urls.Extra]
    implausible: list[str]


def make_plan(setup: Setup, now: datetime, ledger: LedgerFile | None) -> Plan:
    """Compiles what a run needs. Raises SiteError if there is no site, ConfigError for bad lists.

    `ledger` is the one to read, None if there is none.
    """
    settings = setup.settings
    site = setup.site
    run = setup.run
    seconds = int(now.timestamp())
    writer = _make_writer(settings.dates)
    entries = _read_entries(setup, writer, seconds)
    reader = _open_site(settings, site)
    robots = read_robots(site.root, output=site.output.folder, base_url=site.base_url)
    host = find_host(
        site.root,
        configured=settings.host,
        builder=run.builder,
        base_url=site.base_url,
        cwd=run.cwd,
        now=seconds,
    )
    first_pages = cache(partial(walk.first_pages, reader.root))
    locator, proof = choose_locator(_style_setting(settings, site), reader, host, first_pages)
    file_times = FileTimePolicy(site, settings.dates.guard, _is_first_run(ledger))
    date_policy = DatePolicy(
        sources=site.date_sources,
        now=seconds,
        source_date_epoch=run.epoch,
        writer=writer,
        locator=locator,
        omits_file_times=build_times.are_expected(file_times, first_pages, seconds),
        needs_days=_needs_days(settings),
    )
    policy = IndexPolicy(
        signals=signals.respected(settings.respect),
        rules=entries.rules,
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
    read_options = _read_options(settings, site.date_sources)
    reads_heads = read_options.signals is not None
    return Plan(
        site=site,
        root=reader.root,
        date_policy=date_policy,
        file_times=file_times,
        read_options=read_options,
        policy=policy,
        formats=formats.enabled(site.output),
        extra=entries.extra,
        reader=reader,
        diagnostics=tuple(_warnings(entries, host)),
        notes=(proof, *host.notes) if proof else host.notes,
        started=int(now.timestamp() * 1e9),
        robots=robots,
        ledger=ledger,
        git_maps=settings.git.map,
        origins=setup.origins,
        checks_links=reads_heads and "url_style" not in settings.model_fields_set,
        jobs=run.jobs,
        scheduler=run.scheduler,
    )


def _open_site(settings: Settings, site: Site) -> FirstPages:
    """The reader of the site's first pages, with the folders that they link to.

    Raises SiteError.
    """
    reader = FirstPages(
        root=walk.folder(site.root, site.ignore, site.include, site.label),
        base_url=site.base_url,
        follows_canonicals=settings.respect.canonical,
    )
    return reader._replace(root=follow_links(reader, follows_refresh=settings.respect.refresh))


def _warnings(entries: _Entries, host: Host) -> Iterator[Diagnostic]:
    """What is wrong before the first page is read."""
    for about in entries.implausible:
        yield Diagnostic(WarningKind.IMPLAUSIBLE, about)
    if host.is_known and len(host.names) > 1:
        yield Diagnostic(WarningKind.HOSTS, ", ".join(host.names))


def _read_entries(setup: Setup, writer: dates.Writer, now: int) -> _Entries:
    """The rules and the extra URLs; `now` in seconds. Raises ConfigError for bad lists."""
    settings = setup.settings
    source = extra_urls.ExtraSource(settings.urls, setup.origins.urls, settings.extra)
    extra = extra_urls.read(source, setup.site.base_url, setup.run.cwd, writer)
    rules = [
        _make_rule(rule, origin, writer)
        for rule, origin in zip(settings.rules, setup.origins.rules, strict=True)
    ]
    fixed = _fixed_dates(rules, extra)
    implausible = _implausible(fixed, now)
    undated = set(implausible)
    if _needs_days(settings):
        undated.update(_vague(fixed))
    return _Entries(
        _compile_rules(rules, settings.rules, undated), _without_dates(extra, undated), implausible
    )


def _make_rule(rule: RuleConfig, origin: Origin, writer: dates.Writer) -> overrides.PageRule:
    """What a rule sets, in the form in which it is written."""
    fixed = None
    if rule.lastmod is not None:
        fixed = dates.read(rule.lastmod, writer)
    priority = None
    if rule.priority is not None:
        priority = formats.priority(rule.priority)
    return overrides.PageRule(origin, rule.changefreq, priority, fixed, rule.list)


def _needs_days(settings: Settings) -> bool:
    """Whether dates need a day. The XML schema that entries then name allows no others."""
    return settings.sitemap.schema_location


def _make_writer(dates_settings: Dates) -> dates.Writer:
    """The writer of dates in the zone of `[dates]`."""
    zone: tzinfo = UTC
    if dates_settings.timezone != "UTC":
        zone = ZoneInfo(dates_settings.timezone)
    return dates.Writer(zone, date_only=dates_settings.date_only)


def _fixed_dates(
    rules: Iterable[overrides.PageRule], extra: Mapping[str, extra_urls.Extra]
) -> list[tuple[str, LastMod]]:
    """The dates that the configuration gives, each with what it is about."""
    fixed = []
    for rule in rules:
        if rule.lastmod:
            fixed.append((str(rule.origin), rule.lastmod))
    for more in extra.values():
        if more.listed.lastmod:
            fixed.append((more.listed.loc, more.listed.lastmod))
    return fixed


def _implausible(fixed: Iterable[tuple[str, LastMod]], now: int) -> list[str]:
    """What has a date that cannot be that of a change, each once."""
    return list(dict.fromkeys(about for about, date in fixed if is_implausible(date, now)))


def _vague(fixed: Iterable[tuple[str, LastMod]]) -> list[str]:
    """What has a date without a day."""
    return [about for about, date in fixed if not is_whole(date)]


def _without_dates(
    extra: Mapping[str, extra_urls.Extra], undated: Container[str]
) -> dict[str, extra_urls.Extra]:
    """The extra URLs, those among `undated` without their dates."""
    kept = {}
    for key, more in extra.items():
        kept[key] = more.undated() if more.listed.loc in undated else more
    return kept


def _compile_rules(
    rules: Iterable[overrides.PageRule], written: Iterable[RuleConfig], undated: Container[str]
) -> PatternSets[overrides.PageRule]:
    """The rules with their patterns, those among `undated` without their dates."""
    sets = []
    for rule, config in zip(rules, written, strict=True):
        kept = rule
        if str(rule.origin) in undated:
            kept = rule._replace(lastmod=None)
        sets.append((kept, _lines(config.match)))
    return PatternSets(sets)


def _style_setting(settings: Settings, site: Site) -> StyleSetting:
    """The setting `url_style`, and who set it."""
    return StyleSetting(
        settings.url_style,
        is_set="url_style" in settings.model_fields_set,
        is_found=any(value.key == "url_style" for value in site.found),
    )


def _is_first_run(file: LedgerFile | None) -> bool:
    return file is not None and is_first_run(file.path)


def available_cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read_options(settings: Settings, sources: tuple[str, ...]) -> ReadOptions:
    """What is read from pages. Nothing, if neither verdicts nor dates need it."""
    digest = None
    if "ledger" in sources:
        # Imported here: most runs read no content.
        from ..extract.content import make_rule

        digest = make_rule(settings.ledger.drop)
    return ReadOptions(
        signals=signals.in_heads() if _needs_heads(settings) else None,
        dates="page" in sources,
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
