"""`build`: the stream into a spool, compared with what is published, guarded, and published."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from urllib.parse import unquote, urljoin

from ..config.settings import Settings
from ..errors import ConfigError, GuardError, PublishError, with_help
from ..fs import relative
from ..model import Change, FileChange, Shard, ShardSeries, Summary, UrlChange, WarningKind
from ..output import changes, published, write
from ..output.lock import all_locked
from ..output.shards import OutputFile, layout
from ..output.spool import Spool
from ..output.xml import DatedSitemap
from ..pipeline import run, safety
from ..pipeline.evidence import live_ledger
from ..pipeline.external_sitemaps import read_others
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan, available_cores, make_plan
from ..pipeline.stats import RunStats
from ..project import generators
from ..site.walk import check_root
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK, listed_rows, live_header
from ..syntax.urls import suspicious_base

_LIVE = ShardSeries("ledger", "live")
_PROJECT_FILES = (
    "sitemapper.toml",
    "pyproject.toml",
    "package.json",
)  # which no generator writes into a site


def build(
    settings: Settings,
    *,
    now: datetime,
    dry_run: bool = False,
    observer: Observer | None = None,
    cache: str | None = None,
) -> Summary:
    """Builds and publishes the sitemaps of a site; with `dry_run`, writes nothing.

    `cache` is a folder of this machine for what was learnt about pages; it is made if it is missing.
    Raises SitemapperError for what a user can fix; nothing published is lost then.
    """
    observer = observer or Observer()
    check_root(settings.site, settings.site_prefix)
    _check_scope(settings)
    _check_ledger(settings)
    output = settings.output_dir
    locks: tuple[int, ...] = ()
    with ExitStack() as stack:
        if not dry_run:
            # Locked before anything is read: an older run must not publish over a newer one.
            ledger = [settings.ledger_file] if settings.ledger_file else []
            with write.os_errors_as_publish_error(output):
                locks = stack.enter_context(all_locked(output, ledger))
                write.check_unchanged(settings.read_from)
                write.remove(published.stale_temp_files(settings), output)
        with write.os_errors_as_publish_error(output):
            others = read_others(settings)
            settings, ledger_notes = stack.enter_context(live_ledger(settings))
        plan = make_plan(settings, now)
        notes = (*plan.notes, *ledger_notes)
        plan = plan._replace(locks=locks, notes=notes, wants_details=observer.wants_details)
        with write.os_errors_as_publish_error(output), Spool(None if dry_run else output) as spool:
            stats = run.run(plan, spool, observer, cache)
            observer.phase("writing")
            summary, files = _plan_output(stats, spool, plan, observer, others, dry_run=dry_run)
            lists = observer.files(summary)
            done = () if dry_run else summary.files
            write.write(done, files, spool, output, lists=lists, threads=available_cores())
            return summary


def _check_scope(settings: Settings) -> None:
    output, root = os.path.realpath(settings.output_dir), os.path.realpath(settings.site)
    inside = relative(output, root).replace(os.sep, "/")
    if inside == "." or inside.startswith("..") or os.path.isabs(inside):
        return
    place = urljoin(settings.base_url, inside) + "/"
    error = with_help(
        f"output: a sitemap in {inside}/ is served below {place} and may list only URLs there "
        "(sitemaps.org, sitemap file location)",
        "write it to the site's own folder; only a Sitemap: line in robots.txt may cross that border, "
        "and not every crawler follows it",
    )
    raise ConfigError((error,))


def _check_ledger(settings: Settings) -> None:
    folder = os.path.dirname(settings.ledger_file) if settings.ledger_file else ""
    if folder and not os.path.isdir(folder):
        raise PublishError(f"{folder}: is not a folder", "create it, or change [ledger] path or --ledger")


def _plan_output(
    stats: RunStats,
    spool: Spool,
    plan: Plan,
    observer: Observer,
    others: Sequence[DatedSitemap],
    *,
    dry_run: bool,
) -> tuple[Summary, list[OutputFile]]:
    """What would change. Raises GuardError where that would do harm."""
    settings = plan.settings
    previous = published.count(settings)
    project = _project_evidence(settings.site)
    if project and not stats.listed and not settings.allow_empty:
        raise GuardError(f"{settings.site}: {WarningKind.PROJECT.value}: {project}", WarningKind.PROJECT.help)
    safety.check_losses(stats, previous, settings)
    robots_text = _robots(plan, stats, spool)
    files = _list_files(robots_text, stats, spool, plan, others)
    compared = [(file, published.compare(file, spool, settings)) for file in files]
    names = {file.name for file in files}
    removed = [name for name in published.list_own_files(settings) if name not in names]
    updated = [file.name for file, change in compared if file.is_sitemap and change is Change.UPDATED]
    foreign = [name for name in updated if published.is_foreign(name, settings)]
    if foreign and not (settings.replace or dry_run):
        raise foreign_error(foreign[0], settings)
    if settings.replace:
        removed = _foreign_gzip(settings) + removed
        foreign += _foreign_gzip(settings)
    counts = {UrlChange.ADDED: stats.listed, UrlChange.CHANGED: 0, UrlChange.REMOVED: 0}
    if previous is not None or observer.wants_changes:
        new = [file for file, change in compared if change is not Change.KEPT]
        url_changes = changes.compute_changes(new, files, stats.ledger, spool, settings, plan.policy.locator)
        counts = _report_changes(url_changes, observer)
    warnings = [*stats.warnings, *_warnings(robots_text, files, project, settings)]
    if foreign and not settings.replace:
        warnings.append((WarningKind.TAKEN, len(foreign), tuple(foreign[:3])))
    if previous and counts[UrlChange.REMOVED] == previous and stats.listed:
        warnings.append((WarningKind.REPLACED, 1, (f"all {previous:,} of {settings.sitemap.name}",)))
    first_run = _first_run_note(stats, observer, settings) if previous is None else ()
    summary = Summary(
        site=settings.site,
        sitemap=settings.base_url + settings.sitemap.name,
        listed=stats.listed,
        excluded=stats.excluded,
        pruned=stats.pruned,
        files=(
            *(
                FileChange(
                    settings.display_path(f.name) if os.path.isabs(f.name) else f.name, c, f.urls, f.size
                )
                for f, c in compared
            ),
            *(FileChange(name, Change.REMOVED) for name in removed),
        ),
        warnings=tuple(warnings),
        notes=(
            *stats.notes,
            *_replaced_note(foreign, settings),
            *first_run,
            *_notes(robots_text, project, settings),
        ),
        previous=previous,
        changes=counts,
        dated=stats.dated or dict.fromkeys(settings.date_sources, 0),
        detected=settings.detected,
    )
    return summary, files


def _list_files(
    robots_text: bytes | None, stats: RunStats, spool: Spool, plan: Plan, others: Sequence[DatedSitemap]
) -> list[OutputFile]:
    """Every file to publish, in the order in which they must appear; the ledger is last."""
    settings = plan.settings
    files = layout(stats.shards, settings, others)
    if robots_text is not None:
        files.append(OutputFile("robots.txt", robots_text, None, b"", gzip=False, read_from=plan.robots))
    if settings.submit.key and not settings.submit.key_location:
        key = settings.submit.key.encode()
        files.append(OutputFile(f"{settings.submit.key}.txt", key, None, b"", gzip=False, mark=key))
    if settings.ledger_file:
        files += [_live_ledger_file(stats.ledger, spool, settings)] if settings.ledger.live else []
        files.append(OutputFile(settings.ledger_file, b"", stats.ledger, b"", gzip=False))
    return files


def _live_ledger_file(ledger: Shard, spool: Spool, settings: Settings) -> OutputFile:
    """The ledger as it is published: without pages that are not listed."""
    rows = size = 0
    for row in listed_rows(spool.rows(ledger)):
        spool.append(_LIVE, row + b"\n")
        rows, size = rows + 1, size + len(row) + 1
    shard = Shard(_LIVE, 1, size=size)
    return OutputFile(settings.live_name, live_header(rows), shard, b"", gzip=False, mark=LIVE_MARK)


def _report_changes(url_changes: changes.Changes, observer: Observer) -> dict[UrlChange, int]:
    """Passes each change to the observer, and counts them."""
    counts = dict.fromkeys(UrlChange, 0)
    for change, url, before, after in url_changes:
        observer.changed(change, url, before, after)
        counts[change] += 1
    return counts


def foreign_error(name: str, settings: Settings) -> PublishError:
    """The error about a sitemap of another tool; its help names the setting of the project's generator."""
    folder = settings.project or settings.site
    known = generators.generators_in(folder, frozenset(os.listdir(folder)))
    help = WarningKind.TAKEN.help
    if known and not known[0][0].is_weak:
        help = help.replace("turn off the tool that writes it", known[0][0].own_sitemap)
    path = os.path.join(settings.output_dir, name)
    return PublishError(f"{path}: not replaced, because sitemapper did not write it", help)


def _foreign_gzip(settings: Settings) -> list[str]:
    """The compressed sitemap of another tool that lies beside ours."""
    name = settings.sitemap.name + ".gz"
    return [name] if settings.sitemap.gzip == "no" and published.is_foreign(name, settings) else []


def _replaced_note(foreign: list[str], settings: Settings) -> Iterator[str]:
    if foreign and settings.replace:
        counts = (f"{name} ({published.count_locs(name, settings):,} <loc>)" for name in foreign)
        yield f"replaces what another tool wrote: {', '.join(counts)}"


def _warnings(
    robots_text: bytes | None, files: list[OutputFile], project: str, settings: Settings
) -> Iterator[tuple[WarningKind, int, tuple[str, ...]]]:
    """What looks like a mistake, and what in the output or in robots.txt misleads crawlers."""
    if why := suspicious_base(settings.base_url):
        yield WarningKind.BASE_URL, 1, (f"{settings.base_url} {why}",)
    if project:
        yield WarningKind.PROJECT, 1, (project,)
    if not settings.replace and (foreign := _foreign_gzip(settings)):
        yield WarningKind.FOREIGN, 1, tuple(foreign)
    written = {file.name for file in files}
    lines = robots.sitemap_lines(robots_text or b"")
    lines += [urljoin(settings.base_url, other) for other in settings.sitemap.others]
    named = [unquote(url.removeprefix(settings.base_url)) for url in lines]
    obsolete = [name for name in published.list_foreign_candidates(settings, named) if name not in written]
    if obsolete:
        yield WarningKind.LEFT, len(obsolete), tuple(obsolete[:3])
    if dead := _dead_robots_lines(robots_text or b"", files, settings):
        yield WarningKind.STALE_ROBOTS, len(dead), tuple(dead[:3])


def _project_evidence(site: str) -> str:
    """What shows that the folder holds a project; "" if nothing does."""
    for generator, file in generators.generators_in(site, frozenset(os.listdir(site))):
        if not generator.is_weak:
            return f"{file} ({generator.name} writes to {generator.output.split()[0]}/)"
    return ""


def _dead_robots_lines(text: bytes, files: Iterable[OutputFile], settings: Settings) -> list[str]:
    """The sitemaps below our base that robots.txt names and that do not exist."""
    ours = [url for url in robots.sitemap_lines(text) if url.startswith(settings.base_url)]
    written = {file.name for file in files}
    folders = (settings.output_dir, settings.site)

    def exists(path: str) -> bool:
        return path in written or any(os.path.exists(os.path.join(folder, path)) for folder in folders)

    return [url for url in ours if not exists(unquote(url.removeprefix(settings.base_url)))]


def _notes(robots_text: bytes | None, project: str, settings: Settings) -> Iterator[str]:
    """What only the user can do."""
    present = [name for name in _PROJECT_FILES if os.path.exists(os.path.join(settings.site, name))]
    if present and not project:
        yield f"{settings.site} holds {present[0]}: is it the built site? If not, name that folder"
    if robots_text is None and settings.robots.write:
        root = urljoin(settings.base_url, "/robots.txt")
        line = f"Sitemap: {settings.base_url}{settings.sitemap.name}"
        yield f"robots.txt belongs to the root of the host: add the line “{line}” to {root}"


def _first_run_note(stats: RunStats, observer: Observer, settings: Settings) -> Iterator[str]:
    """What to know of a run without an earlier sitemap, where the user can do something about it."""
    if settings.ledger_file is None:
        if observer.wants_changes or stats.dated.get("mtime"):
            yield (
                "no earlier sitemap to compare with, so every page counts as added; if your generator "
                "empties its folder, use a ledger"
            )
    elif not settings.ledger.live:
        name = settings.display_path(settings.ledger_file)
        yield (
            f"the next run needs {name} to keep the dates: commit it, keep it in CI's cache, or set "
            "live = true under [ledger]"
        )


def _robots(plan: Plan, stats: RunStats, spool: Spool) -> bytes | None:
    """The robots.txt to publish; None if it is not ours to write."""
    settings = plan.settings
    if plan.robots is None or not settings.robots.write:
        return None
    obsolete = list(_obsolete_robots_lines(plan.robots[1], stats, spool, settings))
    return robots.with_sitemap(plan.robots[1], settings.base_url + settings.sitemap.name, obsolete)


def _obsolete_robots_lines(text: bytes, stats: RunStats, spool: Spool, settings: Settings) -> Iterator[str]:
    """What robots.txt names of earlier runs: this sitemap under another base URL or under another name."""
    name, base, first = settings.sitemap.name, settings.base_url, published.first_loc(settings)
    lines = robots.sitemap_lines(text)
    renamed = set(published.list_foreign_candidates(settings)) if lines and not first else ()
    for url in lines:
        old = url.removeprefix(base)
        moved = url.endswith(f"/{name}") and first.startswith(url.removesuffix(name))
        if (moved and not first.startswith(base)) or (
            old in renamed and changes.is_renamed(old, stats.shards, spool, settings)
        ):
            yield url
