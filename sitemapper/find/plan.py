"""The last step of `find`: the plan of a run, with the site's patterns compiled."""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial
from itertools import product
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from ..config.settings import Dates, Settings
from ..errors import SiteError
from ..fs import shown_path
from ..hosts.find import lookup_folders
from ..hosts.host import Host
from ..lastmod.ledger import LedgerFile
from ..lastmod.resolve import is_implausible, is_whole
from ..lastmod.sources import DatePolicy
from ..messages import Kind, Message
from ..model import Detected, LastMod, Origin, Page
from ..plan import Plan, is_first_run_of
from ..read import walk
from ..read.facts import ReadOptions
from ..read.shared_text import remember_shared_texts
from ..recent import Recent
from ..select import extra as extra_urls
from ..select import overrides, signals
from ..select.extra import Extra
from ..select.policy import IndexPolicy
from ..syntax import dates
from ..syntax.gitignore import Line, Patterns, PatternSets
from ..syntax.urls import Locator
from .addresses import check_base_url
from .base_url import CHECKED_PAGES, OtherBase, find_other_base
from .first_pages import FirstPages, note_other_sitemap
from .load import Setup
from .project_files import find_project_in
from .robots import make_crawling, read_robots
from .url_forms import SiteUrls, find_urls
from .versions import note_versions

# The settings of a server of one's own, which are found but not read.
_SERVER_FILES = (
    "Caddyfile", "nginx.conf", "web.config", "serve.json", "render.yaml", ".surgeignore",
    "default.conf",  # of the image of nginx, in `docker/` or `nginx/`
)  # fmt: skip
_FOLDERS_OF_SERVERS = ("", "nginx", "conf.d", "docker", "deploy")


def make_plan(
    setup: Setup,
    now: datetime,
    ledger: LedgerFile | None,
    *,
    locks: tuple[int, ...] = (),
    wants_details: bool = False,
) -> Plan:
    """Makes the plan of a run: all that is decided before the first page is read.

    That is how the site is served, which rules and dates apply, and what to warn of. `ledger` is
    the one to read, None without one. `locks` are the file locks that the run holds. With
    `wants_details`, the run collects the details of each page, which `explain` prints.

    Raises SiteError if there is no site, or ConfigError for faults in `[[urls]]` and the like.
    """
    # 1. How the site is served, and which rules and dates apply.
    settings = setup.settings
    site = setup.site
    run = setup.run
    seconds = int(now.timestamp())
    writer = _make_writer(settings.dates)
    rules, extra, implausible = _read_rules_and_urls(setup, writer, seconds)
    site_urls = find_urls(setup, seconds)
    robots = read_robots(site.root, output=site.output.folder, base_url=site.base_url)
    first_pages = site_urls.beginning.pages
    date_policy = _make_date_policy(setup, ledger, writer, site_urls.locator, seconds)
    policy = IndexPolicy(
        signals=signals.respected(settings.respect),
        rules=rules,
        sections=PatternSets(
            (section.name, _make_lines(section.match)) for section in settings.sitemaps
        ),
        locator=site_urls.locator,
        respect=settings.respect,
        crawling=make_crawling(robots, settings.robots.agents) if settings.respect.robots else None,
        host=site_urls.host,
        now=seconds,
        versions=Recent() if settings.hreflang else None,
        extra_urls=frozenset(extra) if settings.hreflang else frozenset(),
    )
    read_options = _make_read_options(settings, site.date_sources)
    # 2. What to warn of.
    warnings = [*setup.warnings, *_list_warnings(implausible, site_urls.host)]
    notes = list(_list_notes(setup, site_urls))
    # A user who turns all signals off wants no page to be opened.
    if read_options.signals is not None:
        checked_pages = first_pages[:CHECKED_PAGES]
        is_name_set = "name" in settings.sitemap.model_fields_set
        warnings += _warn_of_other_base_url(setup, checked_pages, site_urls.reader)
        notes += note_other_sitemap(
            checked_pages, site_urls.reader, site.output, is_name_set=is_name_set
        )
    # 3. The plan.
    setup.first_look.forget()  # the run reads pages once more, and may need the memory
    plan = Plan(
        site=site,
        root=site_urls.reader.root,
        date_policy=date_policy,
        read_options=read_options,
        policy=policy,
        extra=extra,
        diagnostics=tuple(warnings),
        notes=tuple(notes),
        started=int(now.timestamp() * 1e9),
        gone=_compile_gone(setup),
        max_drop=settings.max_drop,
        project_file=find_project_in(site),
        robots=robots,
        ledger=ledger,
        git_maps=settings.git.map,
        origins=setup.origins,
        jobs=run.jobs,
        scheduler=run.scheduler,
        shared_texts=remember_shared_texts(),
        beginning=site_urls.beginning,
        last_compared=walk.sort_key(first_pages[-1]) if first_pages else b"",
        locks=locks,
        wants_details=wants_details,
    )
    if run.is_check:  # `check` says what may be mended, a build publishes what is wanted
        plan = plan._replace(notes=(*plan.notes, *note_versions(plan, settings)))
    return plan


def _list_notes(setup: Setup, site_urls: SiteUrls) -> Iterator[Message]:
    """Yields notes: why the site has its URL forms, and which settings of a server are not read."""
    if site_urls.reason:
        yield Message(Kind.URL_STYLE, (site_urls.locator.style, site_urls.reason))
    if site_urls.host.unread:
        yield site_urls.host.unread
    if not site_urls.style.is_written:
        yield from note_server_file(site_urls.host, setup.site.root, setup.run.cwd)


def note_server_file(host: Host, site: str, cwd: str) -> Iterator[Message]:
    """Notes that the settings of a server, such as `nginx.conf`, are there but not read.

    Only the first such file is named. It may be in the site, in a folder of its project, or there
    in `docker/` or the like. There is no note if the site has a host whose rules are read.
    """
    if host.is_known:
        return
    for folder in lookup_folders(site, cwd):
        for place, name in product(_FOLDERS_OF_SERVERS, _SERVER_FILES):
            file = os.path.join(folder, place, name)
            if os.path.lexists(file):
                yield Message(Kind.SERVER_FILE, (shown_path(file, cwd),))
                return


def _warn_of_other_base_url(
    setup: Setup, first_pages: Sequence[Page], reader: FirstPages
) -> Iterator[Message]:
    """Warns if the built pages have another base URL than the settings.

    `it is https://a.example/, but the canonicals name https://b.example/ (9 of 10)`. This is only a
    warning if a person wrote the base URL. Raises SiteError if it was found in the project: nobody
    has chosen it, and all URLs would be wrong.
    """
    other = find_other_base(first_pages, reader, setup.run.cwd)
    if other is None:
        return
    for setting in setup.site.found:
        if setting.key == "base_url":
            raise _error_of_found_base(setting, other)
    yield Message(Kind.BASE_URL, (f"it is {reader.base_url}, but {other.clause}",))


def _error_of_found_base(base_url: Detected, other: OtherBase) -> SiteError:
    """Makes the error for a base URL of the project, if the built pages have another one.

    `the base URL is https://a.example/ (hugo.toml:2: baseURL), but …`. It advises to pass the other
    one as --base-url, unless that is the address of a preview or of this machine.
    """
    help = f"build the site again for {base_url.value}"
    usable_base, _ = check_base_url(other.base_url)
    if usable_base:
        help = f"pass the right one as --base-url, or {help}"
    return SiteError(
        f"the base URL is {base_url.value} ({base_url.origin}), but {other.clause}, "
        "so nothing was published",
        help,
    )


def _list_warnings(implausible: Iterable[str], host: Host) -> Iterator[Message]:
    """Yields warnings of implausible dates in the settings, and of files of several hosts.

    A date is implausible in the future, or before the first web page: `lastmod = "1970-01-01"`.
    """
    for rule_or_url in implausible:
        yield Message(Kind.IMPLAUSIBLE, (rule_or_url,))
    if host.is_known and len(host.names) > 1:
        yield Message(Kind.HOSTS, (", ".join(host.names),))


def _read_rules_and_urls(
    setup: Setup, writer: dates.Writer, now: int
) -> tuple[PatternSets[overrides.PageRule], dict[str, Extra], list[str]]:
    """Reads `[[rules]]`, `[[urls]]` and the files of `extra`, without dates that cannot be written.

    Returns three values:

    - the rules, with their patterns
    - the extra URLs, by their keys
    - where implausible dates stand, for a warning: `sitemapper.toml:8: blog/`, or the extra URL

    `now` is the time of the run in seconds: later dates are implausible. Raises ConfigError.
    """
    # 1. All rules and URLs, with the places of implausible dates.
    settings = setup.settings
    rules = _read_rules(setup, writer)
    source = extra_urls.ExtraSource(settings.urls, setup.origins.urls, settings.extra)
    extra = extra_urls.read(source, setup.site.base_url, setup.run.cwd, writer)
    dated = [(str(rule.origin), rule.lastmod) for rule in rules]
    dated += [(url.listed.loc, url.listed.lastmod) for url in extra.values()]
    names = [name for name, date in dated if date and is_implausible(date, now)]
    # 2. The same without the dates that cannot be written.
    is_written = partial(_is_written, now=now, needs_day=settings.sitemap.schema_location)
    for key, extra_url in extra.items():
        if not is_written(extra_url.listed.lastmod):
            extra[key] = extra_url.undated()
    rules_with_patterns = []
    for rule, config in zip(rules, settings.rules, strict=True):
        lastmod = rule.lastmod if is_written(rule.lastmod) else None
        rules_with_patterns.append((rule._replace(lastmod=lastmod), _make_lines(config.match)))
    return PatternSets(rules_with_patterns), extra, list(dict.fromkeys(names))


def _read_rules(setup: Setup, writer: dates.Writer) -> list[overrides.PageRule]:
    """Reads what each of `[[rules]]` sets, with priorities and dates as the sitemap has them.

    `priority = 0.50` → `0.5`, and a date in the time zone of `[dates]`.
    """
    rules = []
    for config, origin in zip(setup.settings.rules, setup.origins.rules, strict=True):
        priority = None
        if config.priority is not None:
            priority = overrides.format_priority(config.priority)
        rules.append(
            overrides.PageRule(
                origin=origin,
                changefreq=config.changefreq,
                priority=priority,
                lastmod=dates.read(config.lastmod, writer) if config.lastmod else None,
                list=config.list,
            )
        )
    return rules


def _is_written(date: LastMod | None, now: int, *, needs_day: bool) -> bool:
    """Whether a date of the settings can be written to the sitemap.

    A date after `now` cannot. With `needs_day`, neither can one without a day, such as 2026-03,
    which the XML schema does not allow.
    """
    if date is None:
        return False
    return not is_implausible(date, now) and (is_whole(date) or not needs_day)


def _make_date_policy(
    setup: Setup, ledger: LedgerFile | None, writer: dates.Writer, locator: Locator, now: int
) -> DatePolicy:
    """Makes the policy for dating pages: the sources in order, and which of their dates count.

    `now` is the time of the run in seconds.
    """
    site = setup.site
    sources = site.date_sources
    # Somebody who chooses `lastmod = ["mtime"]` alone wants all times, also those of a copy.
    wants_all_times = sources == ("mtime",) and not site.is_auto_dated
    return DatePolicy(
        sources=sources,
        now=now,
        source_date_epoch=setup.run.epoch,
        writer=writer,
        locator=locator,
        skips_times_of_builds="mtime" in sources and not wants_all_times,
        is_generated=bool(site.generator),
        is_nearly_all_changed=is_first_run_of(ledger),
        needs_days=setup.settings.sitemap.schema_location,  # the schema allows no 2026-03
    )


def _make_writer(dates_settings: Dates) -> dates.Writer:
    """Makes the writer of dates in the time zone and the format of `[dates]`."""
    zone: tzinfo = UTC
    if dates_settings.timezone != "UTC":
        zone = ZoneInfo(dates_settings.timezone)
    return dates.Writer(zone, date_only=dates_settings.date_only)


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
        signals=signals.in_heads() if needs_heads else None,
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
