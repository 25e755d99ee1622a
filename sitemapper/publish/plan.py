"""Plans the output of a build: its files, their changes, and the messages about them.

Stops if it would replace a good sitemap with one that looks wrong.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from ..errors import GuardError, with_help
from ..model import Change, FileChange, Reason, Shard, ShardSeries, Summary, UrlChange, WarningKind
from ..output import changes, published
from ..output.formats import DatedSitemap
from ..output.shards import OutputFile, Spool, layout
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan
from ..pipeline.stats import RunStats
from ..project.generator import Project
from ..project.search import generators_in
from ..settled import Run, Site
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
    publishing: "Publishing",
    observer: Observer,
    *,
    dry_run: bool,
) -> tuple[Summary, list[OutputFile]]:
    """The changes, and the files in the order of publishing.

    Raises GuardError if publishing would do harm, PublishError if another tool's file is in the
    way.
    """
    site, run = plan.site, publishing.run
    output = _Output(stats, spool, plan, publishing, dry_run=dry_run)
    counts = output.count_changes(observer)
    files = [
        FileChange(
            run.display(f.name) if os.path.isabs(f.name) else f.name,
            change,
            f.urls,
            f.size,
        )
        for f, change in output.files
    ]
    files += [FileChange(name, Change.REMOVED) for name in output.removed]
    summary = Summary(
        site=site.root,
        sitemap=site.output.sitemap_url,
        listed=stats.listed,
        excluded=stats.excluded,
        pruned=stats.pruned,
        files=tuple(files),
        warnings=(*stats.warnings, *output.warnings(counts)),
        notes=(*stats.notes, *output.notes(observer)),
        previous=output.previous,
        changes=counts,
        dated=stats.dated or dict.fromkeys(site.date_sources, 0),
        detected=site.found,
    )
    return summary, [file for file, _ in output.files]


class Publishing(NamedTuple):
    """How a run publishes: what the call asked for, the project, the percentage of URLs that the
    sitemap may lose, and sitemaps of other tools for the index.
    """

    run: Run
    project: Project
    max_drop: float
    others: Sequence[DatedSitemap]


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
        publishing: Publishing,
        *,
        dry_run: bool,
    ) -> None:
        """Raises GuardError and PublishError."""
        self._stats, self._spool, self._plan = stats, spool, plan
        self._site, self._output, self._run = plan.site, plan.site.output, publishing.run
        self._publishing = publishing
        self._ledger = plan.ledger.path if plan.ledger else None
        root = plan.site.root
        found = generators_in(root, frozenset(os.listdir(root)))
        strong = ((generator, file) for generator, file in found if not generator.is_weak)
        evidence = (f"{file} ({g.name} writes to {g.output[0]}/)" for g, file in strong)
        self._project, self.previous = (
            next(evidence, ""),
            published.count(self._output, self._ledger),
        )
        _check_losses(stats, self.previous, plan, publishing, self._project)
        self._rebuilt = [] if self._run.replace else list_rebuilt(plan.site, publishing.project)
        self._robots = self._robots_text()
        files = [*layout(stats.shards, self._output, publishing.others), *self._files_beside()]
        self.files = [
            (
                file,
                published.compare(file, spool, self._output, ignores_dates=self._run.ignores_dates),
            )
            for file in files
        ]
        self.removed, self._foreign = self._others(dry_run=dry_run)

    def _robots_text(self) -> bytes:
        """The robots.txt to publish, without the lines that ours replaces.

        A line with another base URL or name is ours if the file of its name is ours and begins with
        a page below the line's folder. With another name, it may belong to another configuration,
        unless there is no file of this name yet and most pages are the same.
        """
        output, outdated = self._output, []
        here, name = output.base_url, output.name
        if self._plan.robots is None or not self._output.writes_robots:
            return b""
        _, text = self._plan.robots
        lines, is_new = robots.sitemap_lines(text), not published.first_loc(output)
        for url in lines:
            folder, _, old = url.rpartition("/")
            was = output._replace(name=old)
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
        site, output, ledger = self._site, self._output, self._stats.ledger
        if self._robots:
            yield OutputFile(
                "robots.txt", self._robots, None, b"", gzip=False, read_from=self._plan.robots
            )
        if output.key and not output.key_location:
            key = output.key.encode()
            yield OutputFile(f"{output.key}.txt", key, None, b"", gzip=False, mark=key)
        if site.ledger and site.has_live_ledger:
            rows = size = 0
            for row in listed_rows(self._spool.rows(ledger)):
                self._spool.append(_LIVE, row + b"\n")
                rows, size = rows + 1, size + len(row) + 1
            shard, head = Shard(_LIVE, 1, size=size), live_header(rows)
            yield OutputFile(output.live_name, head, shard, b"", gzip=False, mark=LIVE_MARK)
        if site.ledger:
            yield OutputFile(site.ledger, b"", ledger, b"", gzip=False)

    def _others(self, *, dry_run: bool) -> tuple[list[str], list[str]]:
        """The files to remove, and the files of other tools that are replaced or in the way."""
        output, rebuilt = self._output, self._rebuilt
        names = {file.name for file, _ in self.files}
        lines = robots.sitemap_lines(self._plan.robots[1] if self._plan.robots else b"")
        removed = [name for name in published.list_stale_files(output, lines) if name not in names]
        updated = [f.name for f, change in self.files if f.is_sitemap and change is Change.UPDATED]
        foreign = [n for n in updated if n not in rebuilt and published.is_foreign(n, output)]
        removed += [name for name in rebuilt if name not in names]
        if foreign and not (self._run.replace or dry_run):
            raise foreign_error(foreign[0], self._site, self._publishing.project)
        name = output.name + ".gz"  # beside our file, which has no .gz
        is_left = output.options.gzip == "no" and name not in rebuilt
        packed = [name] if is_left and published.is_foreign(name, output) else []
        if self._run.replace:
            removed = packed + removed
        return removed, foreign + packed

    def count_changes(self, observer: Observer) -> dict[UrlChange, int]:
        """The number of URLs added, changed and removed. The observer gets each of them."""
        if self.previous is None and not observer.wants_changes:
            return {UrlChange.ADDED: self._stats.listed, UrlChange.CHANGED: 0, UrlChange.REMOVED: 0}
        locator = self._plan.policy.locator
        counts = dict.fromkeys(UrlChange, 0)
        found = changes.compute_changes(
            self.files, self._stats.ledger, self._spool, self._site, self._ledger, locator
        )
        for change, url, before, after in found:
            observer.changed(change, url, before, after)
            counts[change] += 1
        return counts

    def warnings(
        self, counts: dict[UrlChange, int]
    ) -> Iterator[tuple[WarningKind, int, tuple[str, ...]]]:
        """Possible mistakes, and files or robots.txt lines that mislead crawlers."""
        output, previous = self._output, self.previous
        base_url = output.base_url
        if why := suspicious_base(base_url):
            yield WarningKind.BASE_URL, 1, (f"{base_url} {why}",)
        if self._project:
            yield WarningKind.PROJECT, 1, (self._project,)
        written = {file.name for file, _ in self.files}
        lines = robots.sitemap_lines(self._robots)
        named = [*lines, *(urljoin(base_url, other) for other in output.options.others)]
        paths = [unquote(url.removeprefix(base_url)) for url in named]
        obsolete = [n for n in published.list_foreign_candidates(output, paths) if n not in written]
        dead = []  # lines for sitemaps below our base that do not exist
        for url in lines:
            path = unquote(url.removeprefix(base_url))
            files = (os.path.join(folder, path) for folder in (output.folder, self._site.root))
            is_there = path in written or any(map(os.path.exists, files))
            if url.startswith(base_url) and not is_there:
                dead.append(url)
        foreign = [] if self._run.replace else self._foreign
        found = {
            WarningKind.LEFT: obsolete,
            WarningKind.STALE_ROBOTS: dead,
            WarningKind.FOREIGN: foreign,
        }
        yield from ((kind, len(names), tuple(names[:3])) for kind, names in found.items() if names)
        if previous and counts[UrlChange.REMOVED] == previous and self._stats.listed:
            yield WarningKind.REPLACED, 1, (f"{output.name} listed {previous:,}",)

    def notes(self, observer: Observer) -> Iterator[str]:
        """Notes on replaced files, on first runs, and on steps that only the user can do."""
        site, output = self._site, self._output
        taken = self._foreign if self._run.replace else self._rebuilt
        yield from replaced_note(taken, [file for file, _ in self.files], self._spool, site)
        if self.previous is None:
            yield from self._first_run_note(observer)
        for name in published.list_old_keys(output):
            what = f"{name} contains another key than submit.key"
            yield with_help(what, "delete it, unless another site uses it")
        present = [name for name in _PROJECT_FILES if os.path.exists(os.path.join(site.root, name))]
        if present and not self._project and not site.label:
            what = f"{site.root} contains {present[0]}"
            yield with_help(what, "if it is not the built site, name that folder")
        created = [file.name for file, change in self.files if change is Change.CREATED]
        if not self._robots and self._output.writes_robots and output.name in created:
            root = urljoin(output.base_url, "/robots.txt")
            line = f"Sitemap: {output.base_url}{output.name}"
            yield with_help(
                "a robots.txt counts only at the root of the host",
                f"add this line to {root}: {line} (or submit the sitemap in Search Console)",
            )

    def _first_run_note(self, observer: Observer) -> Iterator[str]:
        """Advice for a run without an earlier sitemap."""
        site = self._site
        if site.ledger is None:
            if observer.wants_changes or self._stats.dated.get("mtime"):
                yield with_help(
                    "there is no earlier sitemap, so every page counts as added",
                    "if your generator empties its folder, use a ledger",
                )
        elif not site.has_live_ledger:
            name = self._run.display(site.ledger)
            yield with_help(
                f"the next build needs {name} to keep the dates",
                "commit it, keep it in CI's cache, or set live = true under [ledger]",
            )


def _check_losses(
    stats: RunStats, previous: int | None, plan: Plan, publishing: Publishing, project: str
) -> None:
    """Raises GuardError if publishing would replace a good sitemap with one that looks wrong.

    `previous` is the number of published URLs, None if nothing is published. `project` is evidence
    that the site is a project, "" if there is none.
    """
    site, run, max_drop = plan.site, publishing.run, publishing.max_drop
    if project and not stats.listed and not run.allow_empty:
        raise GuardError(
            f"{site.root}: {WarningKind.PROJECT.value}: {project}", WarningKind.PROJECT.help
        )
    _check_origins(stats, site)
    left_out = [f"{n:,} {reason.value}" for reason, n in stats.excluded.items()]
    if stats.pruned:
        left_out.append(f"{stats.pruned:,} ignored folder{'s' * (stats.pruned > 1)} not searched")
    why = f"excluded: {', '.join(left_out)}; --dry-run --excluded - lists them" if left_out else ""
    if stats.listed == 0 and not run.allow_empty:
        raise GuardError(
            (
                f"{site.root}: no page to list ({why or 'there is no HTML here'}), so nothing was "
                "published"
            ),
            f"{_why_empty(stats)}; --allow-empty publishes an empty sitemap",
        )
    if _loses(previous or 0, stats.listed, max_drop) and stats.listed:
        raise GuardError(
            f"{site.root}: {stats.listed:,} to list, but {previous:,} are published. The "
            "sitemap would "
            f"lose more than {max_drop:g} %, so nothing was published "
            f"({why or 'none excluded'})",
            "if this is intended, run once with --max-drop 100",
        )
    rows, own = stats.ledger_rows
    if _loses(rows, own, max_drop):
        raise GuardError(
            f"{plan.ledger.label if plan.ledger else ''}: {rows - own:,} of its "
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


def _loses(before: int, after: int, max_drop: float) -> bool:
    return (before - after) * 100 > max_drop * before


def _check_origins(stats: RunStats, site: Site) -> None:
    """Detects the most common mistake: a preview build, with canonicals on another origin."""
    for kind, count, origins in stats.warnings:
        if kind is WarningKind.OTHER_ORIGIN and count > stats.listed:
            raise GuardError(
                f"{site.root}: {count:,} pages name {', '.join(origins)} in their "
                "canonicals, not "
                f"{site.base_url}, so nothing was published",
                f"correct base_url, or build the site for {site.base_url} again; "
                "--no-respect canonical ignores canonicals",
            )
