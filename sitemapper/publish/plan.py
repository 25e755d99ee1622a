"""What a build would put in place: its files, what becomes of each of them, and what to say about it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from ..config.settings import Settings
from ..errors import with_help
from ..model import Shard, ShardSeries, WarningKind
from ..output import changes, published
from ..output.shards import OutputFile, layout
from ..output.spool import Spool
from ..output.xml import DatedSitemap
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan
from ..pipeline.stats import RunStats
from ..project import generators
from ..summary import Change, FileChange, Summary, UrlChange
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK, listed_rows, live_header
from ..syntax.urls import suspicious_base
from .foreign import foreign_error, foreign_gzip, list_rebuilt, replaced_note
from .losses import check_losses
from .robots_lines import dead_lines, robots_text

_LIVE = ShardSeries("ledger", "live")
# No generator writes these into a site.
_PROJECT_FILES = ("sitemapper.toml", "pyproject.toml", "package.json")
_Warnings = Iterator[tuple[WarningKind, int, tuple[str, ...]]]


class _Output(NamedTuple):
    """The files to publish with what becomes of each, the names to remove, and those of other tools.

    `robots` is the text of robots.txt, None if it is not ours to write; `project` shows that the site is
    a project, "" if nothing does; `previous` counts the URLs that are published now, None if nothing is.
    """

    files: list[OutputFile]
    changes: list[Change]
    removed: list[str]
    foreign: list[str]
    rebuilt: list[str]
    robots: bytes | None
    project: str
    previous: int | None


def plan_output(
    stats: RunStats,
    spool: Spool,
    plan: Plan,
    observer: Observer,
    others: Sequence[DatedSitemap],
    *,
    dry_run: bool,
) -> tuple[Summary, list[OutputFile]]:
    """What would change, and the files in the order in which they must appear.

    Raises GuardError where that would do harm, PublishError where a file of another tool is in the way.
    """
    settings = plan.settings
    project, previous = _project_evidence(settings.site), published.count(settings)
    check_losses(stats, previous, settings, project)
    rebuilt = [] if settings.replace else list_rebuilt(settings)
    text = robots_text(plan, stats, spool, rebuilt)
    files = _list_files(text, stats, spool, plan, others)
    changed = [published.compare(file, spool, settings) for file in files]
    removed, foreign = _others(files, changed, rebuilt, plan, dry_run=dry_run)
    output = _Output(files, changed, removed, foreign, rebuilt, text, project, previous)
    counts = _count_changes(output, stats, spool, plan, observer)
    summary = Summary(
        site=settings.site,
        sitemap=settings.base_url + settings.sitemap.name,
        listed=stats.listed,
        excluded=stats.excluded,
        pruned=stats.pruned,
        files=tuple(_file_changes(output, settings)),
        warnings=(*stats.warnings, *_warnings(output, stats, counts, settings)),
        notes=(*stats.notes, *_notes(output, stats, spool, observer, settings)),
        previous=previous,
        changes=counts,
        dated=stats.dated or dict.fromkeys(settings.date_sources, 0),
        detected=settings.detected,
    )
    return summary, files


def _list_files(
    text: bytes | None, stats: RunStats, spool: Spool, plan: Plan, others: Sequence[DatedSitemap]
) -> list[OutputFile]:
    """Every file to publish, in the order in which they must appear; the ledger is last."""
    settings = plan.settings
    files = layout(stats.shards, settings, others)
    if text is not None:
        files.append(OutputFile("robots.txt", text, None, b"", gzip=False, read_from=plan.robots))
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


def _others(
    files: list[OutputFile], changed: list[Change], rebuilt: list[str], plan: Plan, *, dry_run: bool
) -> tuple[list[str], list[str]]:
    """The files to remove, and those of other tools that are replaced or in the way. Raises PublishError."""
    settings, names = plan.settings, {file.name for file in files}
    lines = robots.sitemap_lines(plan.robots[1] if plan.robots else b"")
    removed = [name for name in published.list_stale_files(settings, lines) if name not in names]
    updated = [f.name for f, c in zip(files, changed, strict=True) if f.is_sitemap and c is Change.UPDATED]
    foreign = [n for n in updated if n not in rebuilt and published.is_foreign(n, settings)]
    removed += [name for name in rebuilt if name not in names]
    if foreign and not (settings.replace or dry_run):
        raise foreign_error(foreign[0], settings)
    packed = [name for name in foreign_gzip(settings) if name not in rebuilt]
    return packed + removed if settings.replace else removed, foreign + packed


def _count_changes(
    output: _Output, stats: RunStats, spool: Spool, plan: Plan, observer: Observer
) -> dict[UrlChange, int]:
    """How many URLs are added, changed and removed; the observer gets each of them."""
    if output.previous is None and not observer.wants_changes:
        return {UrlChange.ADDED: stats.listed, UrlChange.CHANGED: 0, UrlChange.REMOVED: 0}
    new = [f for f, c in zip(output.files, output.changes, strict=True) if c is not Change.KEPT]
    url_changes = changes.compute_changes(
        new, output.files, stats.ledger, spool, plan.settings, plan.policy.locator
    )
    counts = dict.fromkeys(UrlChange, 0)
    for change, url, before, after in url_changes:
        observer.changed(change, url, before, after)
        counts[change] += 1
    return counts


def _file_changes(output: _Output, settings: Settings) -> Iterator[FileChange]:
    for file, change in zip(output.files, output.changes, strict=True):
        name = settings.display_path(file.name) if os.path.isabs(file.name) else file.name
        yield FileChange(name, change, file.urls, file.size)
    yield from (FileChange(name, Change.REMOVED) for name in output.removed)


def _warnings(
    output: _Output, stats: RunStats, counts: dict[UrlChange, int], settings: Settings
) -> _Warnings:
    """What looks like a mistake, and what in the output or in robots.txt misleads crawlers."""
    if why := suspicious_base(settings.base_url):
        yield WarningKind.BASE_URL, 1, (f"{settings.base_url} {why}",)
    if output.project:
        yield WarningKind.PROJECT, 1, (output.project,)
    written = {file.name for file in output.files}
    lines = robots.sitemap_lines(output.robots or b"")
    lines += [urljoin(settings.base_url, other) for other in settings.sitemap.others]
    named = [unquote(url.removeprefix(settings.base_url)) for url in lines]
    obsolete = [name for name in published.list_foreign_candidates(settings, named) if name not in written]
    if obsolete:
        yield WarningKind.LEFT, len(obsolete), tuple(obsolete[:3])
    if dead := dead_lines(output.robots or b"", output.files, settings):
        yield WarningKind.STALE_ROBOTS, len(dead), tuple(dead[:3])
    if output.foreign and not settings.replace:
        yield WarningKind.FOREIGN, len(output.foreign), tuple(output.foreign[:3])
    previous = output.previous
    if previous and counts[UrlChange.REMOVED] == previous and stats.listed:
        yield WarningKind.REPLACED, 1, (f"{settings.sitemap.name} listed {previous:,}",)


def _project_evidence(site: str) -> str:
    """What shows that the folder holds a project; "" if nothing does."""
    for generator, file in generators.generators_in(site, frozenset(os.listdir(site))):
        if not generator.is_weak:
            return f"{file} ({generator.name} writes to {generator.output.split()[0]}/)"
    return ""


def _notes(
    output: _Output, stats: RunStats, spool: Spool, observer: Observer, settings: Settings
) -> Iterator[str]:
    """What is taken over, what matters for a first run, and what only the user can do."""
    taken = output.foreign if settings.replace else output.rebuilt
    yield from replaced_note(taken, output.files, spool, settings)
    if output.previous is None:
        yield from _first_run_note(stats, observer, settings)
    for name in published.list_old_keys(settings):
        yield with_help(
            f"{name} contains another key than submit.key", "delete it, unless another site uses it"
        )
    present = [name for name in _PROJECT_FILES if os.path.exists(os.path.join(settings.site, name))]
    if present and not output.project and not settings.site_prefix:
        yield with_help(
            f"{settings.site} contains {present[0]}", "if it is not the built site, name that folder"
        )
    created = [f.name for f, c in zip(output.files, output.changes, strict=True) if c is Change.CREATED]
    if output.robots is None and settings.robots.write and settings.sitemap.name in created:
        root = urljoin(settings.base_url, "/robots.txt")
        line = f"Sitemap: {settings.base_url}{settings.sitemap.name}"
        yield with_help(
            "a robots.txt counts only at the root of the host",
            f"add this line to {root}: {line} (or submit the sitemap in Search Console)",
        )


def _first_run_note(stats: RunStats, observer: Observer, settings: Settings) -> Iterator[str]:
    """Advice for a run without an earlier sitemap."""
    if settings.ledger_file is None:
        if observer.wants_changes or stats.dated.get("mtime"):
            yield with_help(
                "there is no earlier sitemap, so every page counts as added",
                "if your generator empties its folder, use a ledger",
            )
    elif not settings.ledger.live:
        name = settings.display_path(settings.ledger_file)
        yield with_help(
            f"the next build needs {name} to keep the dates",
            "commit it, keep it in CI's cache, or set live = true under [ledger]",
        )
