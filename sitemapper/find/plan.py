"""The last step of `find`: the plan of a run, with the site's patterns compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from ..config.settings import Settings
from ..lastmod.ledger import LedgerFile
from ..lastmod.resolve import is_implausible, is_whole
from ..lastmod.sources import DatePolicy
from ..messages import Kind, Message
from ..model import LastMod, Origin
from ..plan import Plan, with_ledger
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
    warnings = [*setup.warnings, *(Message(Kind.IMPLAUSIBLE, (place,)) for place in implausible)]
    # 2. How the site is served, by its first pages, its host and its robots.txt.
    site_urls = find_urls(setup, seconds)
    robots = read_robots(site.root, output=site.output.folder, base_url=site.base_url)
    first_pages = site_urls.beginning.pages
    # 3. What to warn of. The canonicals and links of some pages are compared with the settings,
    # unless the user wants nothing to be read in the heads of pages.
    read_options = _make_read_options(settings, site.date_sources)
    compared_pages = first_pages[:CHECKED_PAGES] if read_options.signals is not None else ()
    warnings += list_warnings(setup, site_urls, compared_pages)
    notes = list(list_notes(setup, site_urls, compared_pages))
    setup.first_look.forget()  # no later step needs the bytes of the first pages
    # 4. The plan.
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
        date_policy=_make_date_policy(setup, writer, site_urls.locator, seconds),
        git_maps=settings.git.map,
        ledger=None,  # `with_ledger` sets it below, with what it changes in the policy
        # The first pages are about 1000, or all of a smaller site. The run compares them with the
        # ledger, to find out whether nearly all pages changed, as by a new theme.
        key_of_thousandth_page=walk.sort_key(first_pages[-1]) if first_pages else b"",
        # The comparison with the published sitemap.
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
    plan = with_ledger(plan, ledger)
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
    robots.txt and of the host. `extra` are the user's URLs that are no files, by their keys. `now`
    is the time of the run in seconds.
    """
    settings = setup.settings
    needs_versions = settings.hreflang
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
        # Two language versions of a page are listed with each other only if each links to the other
        # one. `Recent` keeps what was read of the first until the second is read. A version may
        # also be an extra URL, which is not read.
        versions=Recent() if needs_versions else None,
        extra_urls=frozenset(extra) if needs_versions else frozenset(),
    )


def _make_crawling(robots: RobotsFile | None, settings: Settings) -> Crawling | None:
    """Parses the rules of a robots.txt for all crawlers.

    With the rules, the caller leaves out the URLs that are closed to them. None if the file closes
    nothing, as most do, or if robots.txt is not respected.
    """
    # Lines that close a path, also misspelt ones such as "Dissallow:", begin with "di". Without
    # them, a run needs no protego.
    if not settings.respect.robots or robots is None or b"di" not in robots.text.lower():
        return None
    # Imported here: many robots.txt close nothing.
    from ..syntax.robots import read_crawling

    crawling = read_crawling(robots.text)
    return None if crawling.allows_all else crawling


class _Listing(NamedTuple):
    """What a user has written of single pages and URLs, without dates that cannot be written.

    - `rules` are `[[rules]]`
    - `extra` are the URLs of `[[urls]]`, by their keys
    - `implausible` are the places of dates such as 2099-01-01, for a warning: the rule at
      `sitemapper.toml:8: blog/`, or the extra URL
    """

    rules: Sequence[overrides.PageRule]
    extra: dict[str, Extra]
    implausible: Iterable[str]


def _read_rules_and_urls(setup: Setup, writer: dates.Writer, now: int) -> _Listing:
    """Reads the user's rules and extra URLs. `now` is the time of the run in seconds.

    Two kinds of dates are removed: implausible ones, of which the user is warned, and those without
    a day if the sitemap names its XML schema. Raises ConfigError for faults in the extra URLs.
    """
    settings = setup.settings
    rules = _read_rules(setup, writer)
    extra = extra_urls.read(settings.urls, setup.origins.urls, setup.site.base_url, writer)
    # 1. The implausible dates, each place once.
    dates_of_rules = ((str(rule.origin), rule.lastmod) for rule in rules)
    dates_of_urls = ((url.listed.loc, url.listed.lastmod) for url in extra.values())
    implausible: dict[str, None] = {}
    for place, date in chain(dates_of_rules, dates_of_urls):
        if date and is_implausible(date, now):
            implausible[place] = None
    # 2. All dates that cannot be written.
    needs_day = settings.sitemap.schema_location  # the XML schema allows no 2026-03

    def cannot_be_written(date: LastMod | None) -> bool:
        """Whether there is a date that a sitemap cannot have."""
        return date is not None and (
            is_implausible(date, now) or (needs_day and not is_whole(date))
        )

    for index, rule in enumerate(rules):
        if cannot_be_written(rule.lastmod):
            rules[index] = rule._replace(lastmod=None)
    for key, url in extra.items():
        if cannot_be_written(url.listed.lastmod):
            extra[key] = url.undated()
    return _Listing(rules, extra, implausible)


def _read_rules(setup: Setup, writer: dates.Writer) -> list[overrides.PageRule]:
    """Reads `[[rules]]`: compiles their patterns, and formats their values for the sitemap."""
    rules = []
    for config, origin in zip(setup.settings.rules, setup.origins.rules, strict=True):
        priority = None
        if config.priority is not None:
            priority = overrides.format_priority(config.priority)
        rule = overrides.PageRule(
            origin=origin,
            patterns=Patterns(_make_lines(config.match)),
            changefreq=config.changefreq,
            priority=priority,
            lastmod=dates.read(config.lastmod, writer) if config.lastmod else None,
            list=config.list,
        )
        rules.append(rule)
    return rules


def _make_date_policy(setup: Setup, writer: dates.Writer, locator: Locator, now: int) -> DatePolicy:
    """Makes the policy for dating pages: the sources in order, and which of their dates count.

    `now` is the time of the run in seconds.
    """
    site = setup.site
    sources = site.date_sources
    # With `lastmod = ["mtime"]`, a person asks for the times of all files. Otherwise, a file time
    # is skipped if it only shows when a build or a copy wrote the file.
    wants_all_file_times = sources == ("mtime",) and not site.is_auto_dated
    skips_times_of_builds = "mtime" in sources and not wants_all_file_times
    # The XML schema, to which the sitemap refers with this setting, does not allow `2026-03`.
    needs_days = setup.settings.sitemap.schema_location
    return DatePolicy(
        sources=sources,
        now=now,
        source_date_epoch=setup.run.epoch,
        writer=writer,
        locator=locator,
        skips_times_of_builds=skips_times_of_builds,
        is_generated=bool(site.generator),
        needs_days=needs_days,
    )


def _make_read_options(settings: Settings, sources: tuple[str, ...]) -> ReadOptions:
    """Decides what a run reads in pages: signals such as noindex, dates, digests, images.

    `sources` are those of dates. With `lastmod = ["git"]` and `[respect]` turned off, the run reads
    nothing and opens no page.
    """
    has_signals_in_pages = any(signal.needs_page for signal in signals.respected(settings.respect))
    # Language versions are links in the head, and so is the base of the URLs of images. Both are
    # read together with the signals.
    needs_heads = has_signals_in_pages or settings.hreflang or settings.images
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
