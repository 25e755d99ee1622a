"""The last step of `find`: the plan of a run, with the site's rules compiled."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from ..config.settings import Dates, RuleConfig, Settings
from ..errors import SiteError
from ..hosts.host import Host
from ..lastmod.ledger import LedgerFile
from ..lastmod.resolve import DatePolicy, is_implausible, is_whole
from ..model import Detected, Diagnostic, LastMod, Origin, Page, WarningKind
from ..plan import Plan, is_first_run_of
from ..read import walk
from ..read.facts import ReadOptions
from ..read.shared_text import remember_shared_texts
from ..recent import Recent
from ..select import extra as extra_urls
from ..select import overrides, signals
from ..select.policy import IndexPolicy
from ..site import Site
from ..syntax import dates
from ..syntax.gitignore import Line, Patterns, PatternSets
from .addresses import check_base
from .base_url import CHECKED_PAGES, OtherBase, find_other_base
from .first_pages import FirstPages, note_other_sitemap
from .robots import make_crawling, read_robots
from .server_files import note_server_file
from .settle import Setup
from .url_forms import SiteUrls, find_urls

# The `lastmod` of a rule or an extra URL, behind the name by which messages call it.
_ConfiguredDate = tuple[str, LastMod]


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
    found = find_urls(setup, seconds)
    robots = read_robots(site.root, output=site.output.folder, base_url=site.base_url)
    first_pages = found.beginning.pages
    date_policy = DatePolicy(
        sources=site.date_sources,
        now=seconds,
        source_date_epoch=run.epoch,
        writer=writer,
        locator=found.locator,
        judges_file_times=_judges_file_times(site),
        is_generated=bool(site.generator),
        doubts_changes=is_first_run_of(ledger),
        needs_days=_needs_days(settings),
    )
    policy = IndexPolicy(
        signals=signals.respected(settings.respect),
        rules=entries.rules,
        sections=PatternSets(
            (section.name, _lines(section.match)) for section in settings.sitemaps
        ),
        locator=found.locator,
        respect=settings.respect,
        crawling=make_crawling(robots, settings.robots.agents) if settings.respect.robots else None,
        host=found.host,
        now=seconds,
        versions=Recent() if settings.hreflang else None,
        extra_urls=frozenset(entries.extra) if settings.hreflang else frozenset(),
    )
    read_options = _read_options(settings, site.date_sources)
    reads_heads = read_options.signals is not None
    warnings = [*setup.warnings, *_warnings(entries, found.host)]
    notes = [found.proof, *found.host.notes] if found.proof else [*found.host.notes]
    notes += _note_server_file(setup, found)
    if reads_heads:
        warnings += _check_base_url(setup, first_pages[:CHECKED_PAGES], found.reader)
        notes += _note_sitemap_links(setup, first_pages[:CHECKED_PAGES], found.reader)
    setup.look.forget()
    return Plan(
        site=site,
        root=found.reader.root,
        date_policy=date_policy,
        read_options=read_options,
        policy=policy,
        extra=entries.extra,
        diagnostics=tuple(warnings),
        notes=tuple(notes),
        started=int(now.timestamp() * 1e9),
        gone=_patterns_of_gone(setup),
        max_drop=settings.max_drop,
        robots=robots,
        ledger=ledger,
        git_maps=settings.git.map,
        origins=setup.origins,
        jobs=run.jobs,
        scheduler=run.scheduler,
        shared_texts=remember_shared_texts(),
        beginning=found.beginning,
        last_compared=walk.sort_key(first_pages[-1]) if first_pages else b"",
    )


def _check_base_url(
    setup: Setup, first_pages: Sequence[Page], reader: FirstPages
) -> Iterator[Diagnostic]:
    """The warning about a base URL that somebody wrote, where the built pages name another one.

    Raises SiteError if it was found, because then nobody has said it.
    """
    other = find_other_base(first_pages, reader, setup.run.cwd)
    if other is None:
        return
    base_url = reader.base_url
    for value in setup.site.found:
        if value.key == "base_url":
            raise _error_of_found_base(value, other)
    yield Diagnostic(WarningKind.BASE_URL, f"it is {base_url}, but {other.clause}")


def _error_of_found_base(found: Detected, other: OtherBase) -> SiteError:
    """The error for a base URL that was found, where the built pages name another one."""
    help = f"build the site again for {found.value}"
    usable_base, _ = check_base(other.base_url)  # no preview, nor this machine
    if usable_base:
        help = f"pass the right one as --base-url, or {help}"
    return SiteError(
        f"the base URL is {found.value} ({found.origin}), but {other.clause}, "
        "so nothing was published",
        help,
    )


def _note_server_file(setup: Setup, found: SiteUrls) -> Iterator[str]:
    """The note about a file of a server, unless somebody set `url_style`."""
    if found.style.is_written:
        return
    note = note_server_file(found.host, setup.site.root, setup.run.cwd)
    if note:
        yield note


def _note_sitemap_links(
    setup: Setup, first_pages: Sequence[Page], reader: FirstPages
) -> Iterator[str]:
    """The note about pages that link to another sitemap than the one to write."""
    note = note_other_sitemap(
        first_pages,
        reader,
        setup.site.output,
        is_named="name" in setup.settings.sitemap.model_fields_set,
    )
    if note:
        yield note


def _warnings(entries: _Entries, host: Host) -> Iterator[Diagnostic]:
    """What is wrong with the configuration, known before the first page is read."""
    for about in entries.implausible:
        yield Diagnostic(WarningKind.IMPLAUSIBLE, about)
    if host.is_known and len(host.names) > 1:
        yield Diagnostic(WarningKind.HOSTS, ", ".join(host.names))


def _read_entries(setup: Setup, writer: dates.Writer, now: int) -> _Entries:
    """Reads `[[rules]]`, `[[urls]]` and the lists in `extra`.

    Removes the `lastmod` of a rule or a URL if it is implausible at `now`, in seconds, or has no
    day where the sitemap's schema requires one. Raises ConfigError for bad lists.
    """
    settings = setup.settings
    source = extra_urls.ExtraSource(settings.urls, setup.origins.urls, settings.extra)
    extra = extra_urls.read(source, setup.site.base_url, setup.run.cwd, writer)
    rules = [
        _make_rule(rule, origin, writer)
        for rule, origin in zip(settings.rules, setup.origins.rules, strict=True)
    ]
    configured_dates = list(_configured_dates(rules, extra))
    implausible = _name_implausible(configured_dates, now)
    names_to_undate = set(implausible)
    if _needs_days(settings):
        names_to_undate.update(_name_without_day(configured_dates))
    return _Entries(
        rules=_compile_rules(rules, settings.rules, names_to_undate),
        extra=_without_dates(extra, names_to_undate),
        implausible=implausible,
    )


def _make_rule(rule: RuleConfig, origin: Origin, writer: dates.Writer) -> overrides.PageRule:
    """What a rule sets, in the form in which it is written."""
    fixed = None
    if rule.lastmod is not None:
        fixed = dates.read(rule.lastmod, writer)
    priority = None
    if rule.priority is not None:
        priority = overrides.format_priority(rule.priority)
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


def _configured_dates(
    rules: Iterable[overrides.PageRule], extra: Mapping[str, extra_urls.Extra]
) -> Iterator[_ConfiguredDate]:
    """The dates of the rules and the extra URLs that have one."""
    for rule in rules:
        if rule.lastmod:
            yield str(rule.origin), rule.lastmod
    for extra_url in extra.values():
        listed = extra_url.listed
        if listed.lastmod:
            yield listed.loc, listed.lastmod


def _name_implausible(configured_dates: Iterable[_ConfiguredDate], now: int) -> list[str]:
    """The names of the dates that cannot be those of a change, each once."""
    names = [name for name, date in configured_dates if is_implausible(date, now)]
    return list(dict.fromkeys(names))


def _name_without_day(configured_dates: Iterable[_ConfiguredDate]) -> list[str]:
    """The names of the dates without a day, such as 2026-03."""
    return [name for name, date in configured_dates if not is_whole(date)]


def _without_dates(
    extra: Mapping[str, extra_urls.Extra], urls_to_undate: Container[str]
) -> dict[str, extra_urls.Extra]:
    """All extra URLs by their keys, but some without their dates."""
    result = {}
    for key, extra_url in extra.items():
        if extra_url.listed.loc in urls_to_undate:
            result[key] = extra_url.undated()
        else:
            result[key] = extra_url
    return result


def _compile_rules(
    rules: Iterable[overrides.PageRule],
    configs: Iterable[RuleConfig],
    names_to_undate: Container[str],
) -> PatternSets[overrides.PageRule]:
    """All rules with their compiled patterns, but some without their dates.

    `configs` are the same rules, in the same order, as in the configuration.
    """
    rules_with_patterns = []
    for rule, config in zip(rules, configs, strict=True):
        is_undated = str(rule.origin) in names_to_undate
        compiled = rule._replace(lastmod=None) if is_undated else rule
        rules_with_patterns.append((compiled, _lines(config.match)))
    return PatternSets(rules_with_patterns)


def _judges_file_times(site: Site) -> bool:
    """Whether times of a copy or a build date no page.

    Somebody who names `mtime` alone wants the times as they are.
    """
    sources = site.date_sources
    return "mtime" in sources and (site.is_auto_dated or len(sources) > 1)


def _read_options(settings: Settings, sources: tuple[str, ...]) -> ReadOptions:
    """What is read from pages. Nothing, if neither verdicts nor dates need it."""
    digest = None
    if "ledger" in sources:
        # Imported here: most runs read no content.
        from ..read.content import make_rule

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
    """The patterns of a key `match`, as lines to compile."""
    return (Line(text, Origin("match", None, text)) for text in match)


def _patterns_of_gone(setup: Setup) -> Patterns:
    """The patterns of `[check] gone`. A URL, as messages have it, stands for its path."""
    base_url = setup.site.base_url
    lines = []
    for text, origin in zip(setup.settings.check.gone, setup.origins.gone, strict=True):
        pattern = text
        if text.startswith(base_url):
            pattern = "/" + unquote(text.removeprefix(base_url))
        lines.append(Line(pattern, origin))
    return Patterns(lines)
