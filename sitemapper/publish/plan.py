"""What a build would put in place: its files, what becomes of each of them, and what to say about it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from ..config.settings import Settings
from ..errors import with_help
from ..model import Shard, ShardSeries, WarningKind
from ..output import changes, published
from ..output.formats import DatedSitemap
from ..output.shards import OutputFile, Spool, layout
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan
from ..pipeline.stats import RunStats
from ..project.generators import generators_in
from ..summary import Change, FileChange, Summary, UrlChange
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK, listed_rows, live_header
from ..syntax.urls import suspicious_base
from .foreign import foreign_error, list_rebuilt, replaced_note
from .losses import check_losses

_LIVE = ShardSeries("ledger", "live")
# No generator writes these into a site.
_PROJECT_FILES = ("sitemapper.toml", "pyproject.toml", "package.json")


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
    text = _robots_text(plan, stats, spool, rebuilt)
    files = _list_files(text, stats, spool, plan, others)
    changed = [(file, published.compare(file, spool, settings)) for file in files]
    removed, foreign = _others(changed, rebuilt, plan, dry_run=dry_run)
    output = _Output(
        stats, spool, plan, observer, changed, removed, foreign, rebuilt, text or b"", project, previous
    )
    counts = output.count_changes()
    summary = Summary(
        site=settings.site,
        sitemap=settings.base_url + settings.sitemap.name,
        listed=stats.listed,
        excluded=stats.excluded,
        pruned=stats.pruned,
        files=tuple(output.file_changes()),
        warnings=(*stats.warnings, *output.warnings(counts)),
        notes=(*stats.notes, *output.notes()),
        previous=previous,
        changes=counts,
        dated=stats.dated or dict.fromkeys(settings.date_sources, 0),
        detected=settings.detected,
    )
    return summary, files


def _project_evidence(site: str) -> str:
    """What shows that the folder holds a project; "" if nothing does."""
    for generator, file in generators_in(site, frozenset(os.listdir(site))):
        if not generator.is_weak:
            return f"{file} ({generator.name} writes to {generator.output.split()[0]}/)"
    return ""


def _robots_text(plan: Plan, stats: RunStats, spool: Spool, rebuilt: Sequence[str]) -> bytes | None:
    """The robots.txt to publish, without what ours replaces; None if it is not ours to write."""
    settings = plan.settings
    if plan.robots is None or not settings.robots.write:
        return None
    outdated = list(_outdated_lines(plan.robots[1], stats, spool, settings))
    gone = {settings.base_url + name for name in rebuilt if name != settings.sitemap.name}
    outdated += [url for url in robots.sitemap_lines(plan.robots[1]) if unquote(url) in gone]
    return robots.with_sitemap(plan.robots[1], settings.base_url + settings.sitemap.name, outdated)


def _outdated_lines(text: bytes, stats: RunStats, spool: Spool, settings: Settings) -> Iterator[str]:
    """Lines of ours for a URL at which this sitemap is no more: with another base URL or another name.

    A line is ours if the file of its name is, and begins with a page below the line's folder. Of another name
    it may be another configuration's, unless there is none of this name yet, and most pages are the same.
    """
    here, name = settings.base_url, settings.sitemap.name
    is_new = not published.first_loc(settings)
    for url in robots.sitemap_lines(text):
        folder, _, old = url.rpartition("/")
        was = settings.model_copy(update={"sitemap": settings.sitemap.model_copy(update={"name": old})})
        first = ""
        with suppress(OSError):  # what cannot be read is not ours
            first = published.first_loc(was) if old == name or is_new else ""
        if not first.startswith(f"{folder}/") or (old == name and first.startswith(here)):
            continue
        if old == name or changes.is_renamed(was, stats.shards, spool):
            yield url


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
    changed: Sequence[tuple[OutputFile, Change]], rebuilt: list[str], plan: Plan, *, dry_run: bool
) -> tuple[list[str], list[str]]:
    """The files to remove, and those of other tools that are replaced or in the way. Raises PublishError."""
    settings, names = plan.settings, {file.name for file, _ in changed}
    lines = robots.sitemap_lines(plan.robots[1] if plan.robots else b"")
    removed = [name for name in published.list_stale_files(settings, lines) if name not in names]
    updated = [f.name for f, change in changed if f.is_sitemap and change is Change.UPDATED]
    foreign = [n for n in updated if n not in rebuilt and published.is_foreign(n, settings)]
    removed += [name for name in rebuilt if name not in names]
    if foreign and not (settings.replace or dry_run):
        raise foreign_error(foreign[0], settings)
    name = settings.sitemap.name + ".gz"  # beside ours, where ours has none
    is_left = settings.sitemap.gzip == "no" and name not in rebuilt and published.is_foreign(name, settings)
    packed = [name] if is_left else []
    return packed + removed if settings.replace else removed, foreign + packed


class _Output(NamedTuple):
    """A run with the files to publish, what becomes of each, the names to remove, and those of other tools.

    `robots` is the text of robots.txt, empty if it is not ours to write; `project` shows that the site is
    a project, "" if nothing does; `previous` counts the URLs that are published now, None if nothing is.
    """

    stats: RunStats
    spool: Spool
    plan: Plan
    observer: Observer
    files: list[tuple[OutputFile, Change]]
    removed: list[str]
    foreign: list[str]
    rebuilt: list[str]
    robots: bytes
    project: str
    previous: int | None

    def file_changes(self) -> Iterator[FileChange]:
        """What becomes of each file, as a user is to read it."""
        for file, change in self.files:
            name = file.name
            name = self.plan.settings.display_path(name) if os.path.isabs(name) else name
            yield FileChange(name, change, file.urls, file.size)
        yield from (FileChange(name, Change.REMOVED) for name in self.removed)

    def count_changes(self) -> dict[UrlChange, int]:
        """How many URLs are added, changed and removed; the observer gets each of them."""
        if self.previous is None and not self.observer.wants_changes:
            return {UrlChange.ADDED: self.stats.listed, UrlChange.CHANGED: 0, UrlChange.REMOVED: 0}
        url_changes = changes.compute_changes(
            self.files, self.stats.ledger, self.spool, self.plan.settings, self.plan.policy.locator
        )
        counts = dict.fromkeys(UrlChange, 0)
        for change, url, before, after in url_changes:
            self.observer.changed(change, url, before, after)
            counts[change] += 1
        return counts

    def warnings(self, counts: dict[UrlChange, int]) -> Iterator[tuple[WarningKind, int, tuple[str, ...]]]:
        """What looks like a mistake, and what in the output or in robots.txt misleads crawlers."""
        settings, previous = self.plan.settings, self.previous
        if why := suspicious_base(settings.base_url):
            yield WarningKind.BASE_URL, 1, (f"{settings.base_url} {why}",)
        if self.project:
            yield WarningKind.PROJECT, 1, (self.project,)
        written = {file.name for file, _ in self.files}
        lines = robots.sitemap_lines(self.robots)
        named = [*lines, *(urljoin(settings.base_url, other) for other in settings.sitemap.others)]
        paths = [unquote(url.removeprefix(settings.base_url)) for url in named]
        obsolete = [n for n in published.list_foreign_candidates(settings, paths) if n not in written]
        dead = [url for url in lines if self._is_dead(url, written)]
        foreign = [] if settings.replace else self.foreign
        found = {WarningKind.LEFT: obsolete, WarningKind.STALE_ROBOTS: dead, WarningKind.FOREIGN: foreign}
        yield from ((kind, len(names), tuple(names[:3])) for kind, names in found.items() if names)
        if previous and counts[UrlChange.REMOVED] == previous and self.stats.listed:
            yield WarningKind.REPLACED, 1, (f"{settings.sitemap.name} listed {previous:,}",)

    def _is_dead(self, url: str, written: set[str]) -> bool:
        """Whether a line of robots.txt names a sitemap below our base that does not exist."""
        settings = self.plan.settings
        path = unquote(url.removeprefix(settings.base_url))
        places = (os.path.join(folder, path) for folder in (settings.output_dir, settings.site))
        is_ours = url.startswith(settings.base_url)
        return is_ours and path not in written and not any(map(os.path.exists, places))

    def notes(self) -> Iterator[str]:
        """What is taken over, what matters for a first run, and what only the user can do."""
        settings = self.plan.settings
        taken = self.foreign if settings.replace else self.rebuilt
        yield from replaced_note(taken, [file for file, _ in self.files], self.spool, settings)
        if self.previous is None:
            yield from self._first_run_note()
        for name in published.list_old_keys(settings):
            yield with_help(
                f"{name} contains another key than submit.key", "delete it, unless another site uses it"
            )
        present = [name for name in _PROJECT_FILES if os.path.exists(os.path.join(settings.site, name))]
        if present and not self.project and not settings.site_prefix:
            yield with_help(
                f"{settings.site} contains {present[0]}", "if it is not the built site, name that folder"
            )
        created = [file.name for file, change in self.files if change is Change.CREATED]
        if not self.robots and settings.robots.write and settings.sitemap.name in created:
            root = urljoin(settings.base_url, "/robots.txt")
            line = f"Sitemap: {settings.base_url}{settings.sitemap.name}"
            yield with_help(
                "a robots.txt counts only at the root of the host",
                f"add this line to {root}: {line} (or submit the sitemap in Search Console)",
            )

    def _first_run_note(self) -> Iterator[str]:
        """Advice for a run without an earlier sitemap."""
        settings = self.plan.settings
        if settings.ledger_file is None:
            if self.observer.wants_changes or self.stats.dated.get("mtime"):
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
