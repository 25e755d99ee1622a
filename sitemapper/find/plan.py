"""The last step of `find`: the plan of a run, with the site's patterns compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from ..config.settings import Settings
from ..lastmod.ledger import LedgerFile
from ..lastmod.resolve import is_implausible, is_whole
from ..lastmod.sources import DatePolicy
from ..messages import Kind, Message
from ..model import LastMod, Origin
from ..plan import Plan, is_first_run_of
from ..read import walk
from ..read.facts import ReadOptions
from ..read.shared_text import empty_shared_texts
from ..recent import Recent
from ..select import extra as extra_urls
from ..select import overrides, signals
from ..select.extra import Extra
from ..select.policy import IndexPolicy
from ..site import RobotsFile
from ..syntax import dates
from ..syntax.gitignore import Line, Patterns
from ..syntax.urls import Locator
from .checks import CHECKED_PAGES, list_notes, list_warnings
from .first_look import read_robots
from .load import Setup
from .project_files import describe_project_in
from .url_forms import SiteUrls, find_urls

if TYPE_CHECKING:
    from ..syntax.robots import Crawling


def make_plan(
    setup: Setup,
    now: datetime,
    ledger: LedgerFile | None,
    *,
    locks: tuple[int, ...] = (),
    wants_details: bool = False,
) -> Plan:
    """Makes the plan of a run: all that is decided before the run reads its pages one by one.

    It says how the site is served, which rules and dates apply, and what to warn of. The run and
    its worker processes only follow the plan, so each page is decided in the same way.

    `now` is the time of the run. `ledger` is the one to read, None without one. `locks` are the
    file locks that the run holds. With `wants_details`, the run collects the details of each page,
    which `explain` prints.

    Raises SiteError if there is no site, or ConfigError for faults in `[[urls]]` and the like.
    """
    settings = setup.settings
    site = setup.site
    seconds = int(now.timestamp())
    # 1. What the user has written: rules for pages, URLs that are no pages, and how dates look.
    zone = UTC if settings.dates.timezone == "UTC" else ZoneInfo(settings.dates.timezone)
    writer = dates.Writer(zone, date_only=settings.dates.date_only)
    rules, extra, implausible = _read_rules_and_urls(setup, writer, seconds)
    # 2. How the site is served, by its first pages, its host and its robots.txt.
    site_urls = find_urls(setup, seconds)
    robots = read_robots(site.root, output=site.output.folder, base_url=site.base_url)
    first_pages = site_urls.beginning.pages
    # 3. What to warn of. Some first pages are compared with the settings. If the user wants no page
    # to be opened, the run reads no tags such as noindex from pages: `signals` are None.
    read_options = _make_read_options(settings, site.date_sources)
    compared_pages = first_pages[:CHECKED_PAGES] if read_options.signals is not None else ()
    warnings = [*setup.warnings, *(Message(Kind.IMPLAUSIBLE, (name,)) for name in implausible)]
    warnings += list_warnings(setup, site_urls, compared_pages)
    notes = list(list_notes(setup, site_urls, compared_pages))
    # 4. The plan. The run reads pages once more, so the bytes that were read for it are not needed.
    setup.first_look.forget()
    plan = Plan(
        # The site, and which of its pages are listed.
        site=site,
        root=site_urls.reader.root,
        beginning=site_urls.beginning,  # of the walk, which the run continues
        read_options=read_options,
        policy=_make_index_policy(setup, site_urls, robots, rules, extra, seconds),
        extra=extra,
        shared_texts=empty_shared_texts(),
        robots=robots,
        project_file=describe_project_in(site),
        # Their dates.
        date_policy=_make_date_policy(setup, ledger, writer, site_urls.locator, seconds),
        git_maps=settings.git.map,
        ledger=ledger,
        started=int(now.timestamp() * 1e9),  # in nanoseconds, as the times of files
        # The run compares the content of the pages up to this one with the ledger. So it finds out
        # whether nearly all pages changed, as after a change of the template.
        key_of_thousandth_page=walk.sort_key(first_pages[-1]) if first_pages else b"",
        # The comparison with the published sitemap.
        gone=_compile_gone(setup),
        max_drop=settings.max_drop,
        # Messages and processes.
        diagnostics=tuple(warnings),
        notes=tuple(notes),
        origins=setup.origins,
        jobs=setup.run.jobs,
        scheduler=setup.run.scheduler,
        locks=locks,
        wants_details=wants_details,
    )
    if setup.run.is_check:  # `check` says what may be mended, a build publishes what is wanted
        # Imported here: a build does not need it.
        from .versions import note_versions

        plan = plan._replace(notes=(*plan.notes, *note_versions(plan, settings)))
    return plan


def _make_index_policy(
    setup: Setup,
    site_urls: SiteUrls,
    robots: RobotsFile | None,
    rules: Sequence[overrides.PageRule],
    extra: Mapping[str, Extra],
    now: int,
) -> IndexPolicy:
    """Makes the policy that decides whether a page is listed, and at which URL.

    It has the site's URL forms, the signals that are respected, and the rules of the user, of
    robots.txt and of the host. `now` is the time of the run in seconds.
    """
    settings = setup.settings
    return IndexPolicy(
        signals=signals.respected(settings.respect),
        rules=rules,
        sections={
            section.name: Patterns(_make_lines(section.match)) for section in settings.sitemaps
        },
        locator=site_urls.locator,
        respect=settings.respect,
        crawling=_make_crawling(robots, settings),
        host=site_urls.host,
        now=now,
        # With `hreflang`, the language versions of a page are listed together if they link to each
        # other. `Recent` keeps the links of pages until those of the other versions are read.
        versions=Recent() if settings.hreflang else None,
        extra_urls=frozenset(extra) if settings.hreflang else frozenset(),
    )


def _make_crawling(robots: RobotsFile | None, settings: Settings) -> Crawling | None:
    """Parses the rules of a robots.txt for the crawlers of `[robots] agents`.

    With the rules, the caller leaves out the URLs that are closed to all of these crawlers. None if
    the file closes nothing to them, as most do, or if robots.txt is not respected.
    """
    # Lines that close a path, also misspelt ones such as "Dissallow:", begin with "di". Without
    # them, a run needs no protego.
    if not settings.respect.robots or robots is None or b"di" not in robots.text.lower():
        return None
    # Imported here: many robots.txt close nothing.
    from ..syntax.robots import read_crawling

    crawling = read_crawling(robots.text, settings.robots.agents)
    return None if crawling.allows_all else crawling


def _read_rules_and_urls(
    setup: Setup, writer: dates.Writer, now: int
) -> tuple[Sequence[overrides.PageRule], dict[str, Extra], Iterable[str]]:
    """Reads the user's rules and extra URLs, without the dates that a sitemap cannot have.

    Rules are `[[rules]]`. Extra URLs are `[[urls]]`, and those in the files of `extra`.

    Returns the rules, the extra URLs by their keys, and the places of implausible dates, such as
    `sitemapper.toml:8: blog/`, for a warning. `now` is the time of the run in seconds. Raises
    ConfigError.
    """
    settings = setup.settings
    needs_day = settings.sitemap.schema_location  # the XML schema allows no 2026-03
    places_of_implausible: dict[str, None] = {}  # in order, each place once

    def can_be_written(date: LastMod) -> bool:
        """Whether a sitemap can have a date: no 2099-01-01, and no 2026-03 if it needs a day."""
        return not is_implausible(date, now) and (is_whole(date) or not needs_day)

    # 1. The rules.
    rules = []
    for config, origin in zip(settings.rules, setup.origins.rules, strict=True):
        priority = None
        if config.priority is not None:
            priority = overrides.format_priority(config.priority)
        lastmod = dates.read(config.lastmod, writer) if config.lastmod else None
        if lastmod and is_implausible(lastmod, now):
            places_of_implausible[str(origin)] = None
        rule = overrides.PageRule(
            origin=origin,
            patterns=Patterns(_make_lines(config.match)),
            changefreq=config.changefreq,
            priority=priority,
            lastmod=lastmod if lastmod and can_be_written(lastmod) else None,
            list=config.list,
        )
        rules.append(rule)
    # 2. The extra URLs.
    source = extra_urls.ExtraSource(settings.urls, setup.origins.urls, settings.extra)
    extra = extra_urls.read(source, setup.site.base_url, setup.run.cwd, writer)
    for key, url in extra.items():
        date = url.listed.lastmod
        if date and is_implausible(date, now):
            places_of_implausible[url.listed.loc] = None
        if date and not can_be_written(date):
            extra[key] = url.undated()
    return rules, extra, places_of_implausible


def _make_date_policy(
    setup: Setup, ledger: LedgerFile | None, writer: dates.Writer, locator: Locator, now: int
) -> DatePolicy:
    """Makes the policy for dating pages: the sources in order, and which of their dates count.

    `now` is the time of the run in seconds.
    """
    site = setup.site
    sources = site.date_sources
    # A build or a copy gives its own time to all files, so such times date no page. But somebody
    # who chooses `lastmod = ["mtime"]` alone wants all times.
    wants_all_times = sources == ("mtime",) and not site.is_auto_dated
    return DatePolicy(
        sources=sources,
        now=now,
        source_date_epoch=setup.run.epoch,
        writer=writer,
        locator=locator,
        skips_times_of_builds="mtime" in sources and not wants_all_times,
        is_generated=bool(site.generator),
        # At the first run, there is no earlier content, so that each page counts as changed.
        is_nearly_all_changed=is_first_run_of(ledger),
        needs_days=setup.settings.sitemap.schema_location,  # the schema allows no 2026-03
    )


def _make_read_options(settings: Settings, sources: tuple[str, ...]) -> ReadOptions:
    """Decides what a run reads from pages: signals such as noindex, dates, digests, images.

    With all signals off and `lastmod = ["git"]`, it reads nothing, and opens no page.
    """
    needs_page = any(signal.needs_page for signal in signals.respected(settings.respect))
    needs_heads = needs_page or settings.hreflang or settings.images
    digest = None
    if "ledger" in sources:
        # Imported here: most runs read no content.
        from ..read.content import make_rule

        digest = make_rule(settings.ledger.drop)
    return ReadOptions(
        signals=signals.head_signals() if needs_heads else None,
        dates="page" in sources,
        digest=digest,
        images=settings.images,
    )


def _make_lines(match: Sequence[str]) -> Iterator[Line]:
    """Turns the patterns of a key `match` into lines, for the compiler of ignore files."""
    return (Line(text, Origin("match", None, text)) for text in match)


def _compile_gone(setup: Setup) -> Patterns:
    """Compiles the patterns of `[check] gone`: URLs that may be missing on purpose.

    A URL that was copied from a message counts as its path: `https://a.example/old/` → `/old/`.
    """
    base_url = setup.site.base_url
    lines = []
    for text, origin in zip(setup.settings.check.gone, setup.origins.gone, strict=True):
        pattern = text
        if text.startswith(base_url):
            pattern = "/" + unquote(text.removeprefix(base_url))
        lines.append(Line(pattern, origin))
    return Patterns(lines)
