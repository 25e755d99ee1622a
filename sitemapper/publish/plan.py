"""Plans the output of a build: its files, their changes, and the messages about them.

Stops if it would replace a good sitemap with one that looks wrong.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from urllib.parse import unquote, urljoin

from ..config.settings import Settings
from ..errors import GuardError, with_help
from ..model import Change, FileChange, Reason, Shard, ShardSeries, Summary, UrlChange, WarningKind
from ..output import changes, published
from ..output.formats import DatedSitemap
from ..output.shards import OutputFile, Spool, layout
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan
from ..pipeline.stats import RunStats
from ..project.generators import generators_in
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK, listed_rows, live_header
from ..syntax.urls import suspicious_base
from .foreign import foreign_error, list_rebuilt, replaced_note

_LIVE = ShardSeries("ledger", "live")
# No generator writes these files into a site.
_PROJECT_FILES = ("sitemapper.toml", "pyproject.toml", "package.json")
_ADVICE = {
    Reason.NOINDEX: "build the site as for production; --no-respect noindex lists such pages",
    Reason.CANONICAL: (
        "correct base_url or the canonicals; --no-respect canonical ignores canonicals"
    ),
    Reason.ROBOTS: "correct robots.txt; --no-respect robots lists such pages",
    Reason.REDIRECT: "name the folder to which they lead; --no-respect refresh lists such pages",
    Reason.NOT_FOLLOWED: "copy the pages into the site, instead of links",
}


def plan_output(
    stats: RunStats,
    spool: Spool,
    plan: Plan,
    observer: Observer,
    others: Sequence[DatedSitemap],
    *,
    dry_run: bool,
) -> tuple[Summary, list[OutputFile]]:
    """The changes, and the files in the order of publishing.

    Raises GuardError if publishing would do harm, PublishError if another tool's file is in the
    way.
    """
    settings = plan.settings
    output = _Output(stats, spool, plan, others, dry_run=dry_run)
    counts = output.count_changes(observer)
    files = [
        FileChange(
            settings.display_path(f.name) if os.path.isabs(f.name) else f.name,
            change,
            f.urls,
            f.size,
        )
        for f, change in output.files
    ]
    files += [FileChange(name, Change.REMOVED) for name in output.removed]
    summary = Summary(
        site=settings.site,
        sitemap=settings.base_url + settings.sitemap.name,
        listed=stats.listed,
        excluded=stats.excluded,
        pruned=stats.pruned,
        files=tuple(files),
        warnings=(*stats.warnings, *output.warnings(counts)),
        notes=(*stats.notes, *output.notes(observer)),
        previous=output.previous,
        changes=counts,
        dated=stats.dated or dict.fromkeys(settings.date_sources, 0),
        detected=settings.detected,
    )
    return summary, [file for file, _ in output.files]


class _Output:
    """The output of a run: the files, their changes, and the names to remove.

    `_project` is evidence that the site is a project, "" if there is none. `previous` is the number
    of published URLs, None if nothing is published. Of the sitemaps of other tools, `_rebuilt` are
    those that each build of the project writes, and `_foreign` are those in the way. `_robots` is
    the text of robots.txt, empty if we may not write it.
    """

    def __init__(
        self,
        stats: RunStats,
        spool: Spool,
        plan: Plan,
        others: Sequence[DatedSitemap],
        *,
        dry_run: bool,
    ) -> None:
        """Raises GuardError and PublishError."""
        settings = plan.settings
        self._stats, self._spool, self._plan, self._settings = stats, spool, plan, settings
        found = generators_in(settings.site, frozenset(os.listdir(settings.site)))
        strong = ((generator, file) for generator, file in found if not generator.is_weak)
        evidence = (f"{file} ({g.name} writes to {g.output.split()[0]}/)" for g, file in strong)
        self._project, self.previous = next(evidence, ""), published.count(settings)
        _check_losses(stats, self.previous, settings, self._project)
        self._rebuilt = [] if settings.replace else list_rebuilt(settings)
        self._robots = self._robots_text()
        files = [*layout(stats.shards, settings, others), *self._files_beside()]
        self.files = [(file, published.compare(file, spool, settings)) for file in files]
        self.removed, self._foreign = self._others(dry_run=dry_run)

    def _robots_text(self) -> bytes:
        """The robots.txt to publish, without the lines that ours replaces.

        A line with another base URL or name is ours if the file of its name is ours and begins with
        a page below the line's folder. With another name, it may belong to another configuration,
        unless there is no file of this name yet and most pages are the same.
        """
        settings, outdated = self._settings, []
        here, name = settings.base_url, settings.sitemap.name
        if self._plan.robots is None or not settings.robots.write:
            return b""
        _, text = self._plan.robots
        lines, is_new = robots.sitemap_lines(text), not published.first_loc(settings)
        for url in lines:
            folder, _, old = url.rpartition("/")
            was = settings.model_copy(
                update={"sitemap": settings.sitemap.model_copy(update={"name": old})}
            )
            first = ""
            with suppress(OSError):  # an unreadable file is not ours
                first = published.first_loc(was) if old == name or is_new else ""
            if not first.startswith(f"{folder}/") or (old == name and first.startswith(here)):
                continue
            if old == name or changes.is_renamed(was, self._stats.shards, self._spool):
                outdated.append(url)
        gone = {here + rebuilt for rebuilt in self._rebuilt if rebuilt != name}
        outdated += [url for url in lines if unquote(url) in gone]
        return robots.with_sitemap(text, here + name, outdated)

    def _files_beside(self) -> Iterator[OutputFile]:
        """The files besides the sitemaps. The ledger is last."""
        settings, ledger = self._settings, self._stats.ledger
        if self._robots:
            yield OutputFile(
                "robots.txt", self._robots, None, b"", gzip=False, read_from=self._plan.robots
            )
        if settings.submit.key and not settings.submit.key_location:
            key = settings.submit.key.encode()
            yield OutputFile(f"{settings.submit.key}.txt", key, None, b"", gzip=False, mark=key)
        if settings.ledger_file and settings.ledger.live:
            rows = size = 0
            for row in listed_rows(self._spool.rows(ledger)):
                self._spool.append(_LIVE, row + b"\n")
                rows, size = rows + 1, size + len(row) + 1
            shard, head = Shard(_LIVE, 1, size=size), live_header(rows)
            yield OutputFile(settings.live_name, head, shard, b"", gzip=False, mark=LIVE_MARK)
        if settings.ledger_file:
            yield OutputFile(settings.ledger_file, b"", ledger, b"", gzip=False)

    def _others(self, *, dry_run: bool) -> tuple[list[str], list[str]]:
        """The files to remove, and the files of other tools that are replaced or in the way."""
        settings, rebuilt = self._settings, self._rebuilt
        names = {file.name for file, _ in self.files}
        lines = robots.sitemap_lines(self._plan.robots[1] if self._plan.robots else b"")
        removed = [
            name for name in published.list_stale_files(settings, lines) if name not in names
        ]
        updated = [f.name for f, change in self.files if f.is_sitemap and change is Change.UPDATED]
        foreign = [n for n in updated if n not in rebuilt and published.is_foreign(n, settings)]
        removed += [name for name in rebuilt if name not in names]
        if foreign and not (settings.replace or dry_run):
            raise foreign_error(foreign[0], settings)
        name = settings.sitemap.name + ".gz"  # beside our file, which has no .gz
        is_left = settings.sitemap.gzip == "no" and name not in rebuilt
        packed = [name] if is_left and published.is_foreign(name, settings) else []
        if settings.replace:
            removed = packed + removed
        return removed, foreign + packed

    def count_changes(self, observer: Observer) -> dict[UrlChange, int]:
        """The number of URLs added, changed and removed. The observer gets each of them."""
        if self.previous is None and not observer.wants_changes:
            return {UrlChange.ADDED: self._stats.listed, UrlChange.CHANGED: 0, UrlChange.REMOVED: 0}
        locator = self._plan.policy.locator
        counts = dict.fromkeys(UrlChange, 0)
        found = changes.compute_changes(
            self.files, self._stats.ledger, self._spool, self._settings, locator
        )
        for change, url, before, after in found:
            observer.changed(change, url, before, after)
            counts[change] += 1
        return counts

    def warnings(
        self, counts: dict[UrlChange, int]
    ) -> Iterator[tuple[WarningKind, int, tuple[str, ...]]]:
        """Possible mistakes, and files or robots.txt lines that mislead crawlers."""
        settings, previous = self._settings, self.previous
        if why := suspicious_base(settings.base_url):
            yield WarningKind.BASE_URL, 1, (f"{settings.base_url} {why}",)
        if self._project:
            yield WarningKind.PROJECT, 1, (self._project,)
        written = {file.name for file, _ in self.files}
        lines = robots.sitemap_lines(self._robots)
        named = [*lines, *(urljoin(settings.base_url, other) for other in settings.sitemap.others)]
        paths = [unquote(url.removeprefix(settings.base_url)) for url in named]
        obsolete = [
            n for n in published.list_foreign_candidates(settings, paths) if n not in written
        ]
        dead = []  # lines for sitemaps below our base that do not exist
        for url in lines:
            path = unquote(url.removeprefix(settings.base_url))
            files = (os.path.join(folder, path) for folder in (settings.output_dir, settings.site))
            is_there = path in written or any(map(os.path.exists, files))
            if url.startswith(settings.base_url) and not is_there:
                dead.append(url)
        foreign = [] if settings.replace else self._foreign
        found = {
            WarningKind.LEFT: obsolete,
            WarningKind.STALE_ROBOTS: dead,
            WarningKind.FOREIGN: foreign,
        }
        yield from ((kind, len(names), tuple(names[:3])) for kind, names in found.items() if names)
        if previous and counts[UrlChange.REMOVED] == previous and self._stats.listed:
            yield WarningKind.REPLACED, 1, (f"{settings.sitemap.name} listed {previous:,}",)

    def notes(self, observer: Observer) -> Iterator[str]:
        """Notes on replaced files, on first runs, and on steps that only the user can do."""
        settings = self._settings
        taken = self._foreign if settings.replace else self._rebuilt
        yield from replaced_note(taken, [file for file, _ in self.files], self._spool, settings)
        if self.previous is None:
            yield from self._first_run_note(observer)
        for name in published.list_old_keys(settings):
            what = f"{name} contains another key than submit.key"
            yield with_help(what, "delete it, unless another site uses it")
        present = [
            name for name in _PROJECT_FILES if os.path.exists(os.path.join(settings.site, name))
        ]
        if present and not self._project and not settings.site_prefix:
            what = f"{settings.site} contains {present[0]}"
            yield with_help(what, "if it is not the built site, name that folder")
        created = [file.name for file, change in self.files if change is Change.CREATED]
        if not self._robots and settings.robots.write and settings.sitemap.name in created:
            root = urljoin(settings.base_url, "/robots.txt")
            line = f"Sitemap: {settings.base_url}{settings.sitemap.name}"
            yield with_help(
                "a robots.txt counts only at the root of the host",
                f"add this line to {root}: {line} (or submit the sitemap in Search Console)",
            )

    def _first_run_note(self, observer: Observer) -> Iterator[str]:
        """Advice for a run without an earlier sitemap."""
        settings = self._settings
        if settings.ledger_file is None:
            if observer.wants_changes or self._stats.dated.get("mtime"):
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


def _check_losses(stats: RunStats, previous: int | None, settings: Settings, project: str) -> None:
    """Raises GuardError if publishing would replace a good sitemap with one that looks wrong.

    `previous` is the number of published URLs, None if nothing is published. `project` is evidence
    that the site is a project, "" if there is none.
    """
    if project and not stats.listed and not settings.allow_empty:
        raise GuardError(
            f"{settings.site}: {WarningKind.PROJECT.value}: {project}", WarningKind.PROJECT.help
        )
    _check_origins(stats, settings)
    left_out = [f"{n:,} {reason.value}" for reason, n in stats.excluded.items()]
    if stats.pruned:
        left_out.append(f"{stats.pruned:,} ignored folder{'s' * (stats.pruned > 1)} not searched")
    why = f"excluded: {', '.join(left_out)}; --dry-run --excluded - lists them" if left_out else ""
    if stats.listed == 0 and not settings.allow_empty:
        raise GuardError(
            (
                f"{settings.site}: no page to list ({why or 'there is no HTML here'}), so nothing was "
                "published"
            ),
            f"{_why_empty(stats)}; --allow-empty publishes an empty sitemap",
        )
    if _loses(previous or 0, stats.listed, settings) and stats.listed:
        raise GuardError(
            f"{settings.site}: {stats.listed:,} to list, but {previous:,} are published. The "
            "sitemap would "
            f"lose more than {settings.max_drop:g} %, so nothing was published "
            f"({why or 'none excluded'})",
            "if this is intended, run once with --max-drop 100",
        )
    rows, own = stats.ledger_rows
    if _loses(rows, own, settings):
        raise GuardError(
            f"{settings.display_path(settings.ledger_to_read or '')}: {rows - own:,} of its "
            f"{rows:,} pages "
            "are not in this site, so nothing was published",
            "if it belongs to another site, give each site its own [ledger] path; if the pages "
            "are gone, "
            "run once with --max-drop 100",
        )


def _why_empty(stats: RunStats) -> str:
    commonest = max(stats.excluded, key=stats.excluded.__getitem__, default=Reason.IGNORED)
    doubts = [about[0] for kind, _, about in stats.warnings if kind is WarningKind.BASE_URL]
    if commonest is Reason.CANONICAL and doubts:
        return f"correct base_url: {doubts[0]}"
    return _ADVICE.get(commonest, "check the folder, `include` and `ignore`")


def _loses(before: int, after: int, settings: Settings) -> bool:
    return (before - after) * 100 > settings.max_drop * before


def _check_origins(stats: RunStats, settings: Settings) -> None:
    """Detects the most common mistake: a preview build, with canonicals on another origin."""
    for kind, count, origins in stats.warnings:
        if kind is WarningKind.OTHER_ORIGIN and count > stats.listed:
            raise GuardError(
                f"{settings.site}: {count:,} pages name {', '.join(origins)} in their "
                "canonicals, not "
                f"{settings.base_url}, so nothing was published",
                f"correct base_url, or build the site for {settings.base_url} again; "
                "--no-respect canonical ignores canonicals",
            )
