"""The warnings and notes about what a run publishes."""

import os
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from ..errors import with_help
from ..model import Change, UrlChange, WarningKind
from ..output import published
from ..output.shards import Spool
from ..pipeline.stats import EXAMPLES, RunStats
from ..settled import Output, Run, Site
from ..syntax import robots
from ..syntax.urls import suspicious_base
from .files import PlannedFiles
from .foreign import replaced_note
from .robots_lines import list_dead_lines

# No generator writes these files into a site.
_PROJECT_FILES = ("sitemapper.toml", "pyproject.toml", "package.json")

Warnings = Iterator[tuple[WarningKind, int, tuple[str, ...]]]


class Outcome(NamedTuple):
    """What a run found, and what it does.

    `previous` is the number of URLs published before, None if nothing was. `project` is evidence
    that the site is a project, "" if there is none. With `wants_changes`, each URL of a first run
    was listed as added.
    """

    stats: RunStats
    files: PlannedFiles
    changes: dict[UrlChange, int]
    previous: int | None
    project: str
    wants_changes: bool


def list_warnings(outcome: Outcome, site: Site, run: Run) -> Warnings:
    """Possible mistakes, and files or robots.txt lines that mislead crawlers."""
    output = site.output
    planned = outcome.files
    doubt = suspicious_base(output.base_url)
    if doubt:
        yield WarningKind.BASE_URL, 1, (f"{output.base_url} {doubt}",)
    if outcome.project:
        yield WarningKind.PROJECT, 1, (outcome.project,)
    found = {
        WarningKind.LEFT: _list_left(planned, output),
        WarningKind.STALE_ROBOTS: list_dead_lines(planned.robots, planned.names, site),
        WarningKind.FOREIGN: [] if run.replace else planned.foreign,
    }
    for kind, about in found.items():
        if about:
            yield kind, len(about), tuple(about[:EXAMPLES])
    removed = outcome.changes[UrlChange.REMOVED]
    if outcome.stats.listed and removed and removed == outcome.previous:
        yield WarningKind.REPLACED, 1, (f"{output.name} listed {removed:,}",)


def _list_left(planned: PlannedFiles, output: Output) -> list[str]:
    """The sitemaps that we wrote with other settings, and that nothing names."""
    named = robots.sitemap_lines(planned.robots)
    named += [urljoin(output.base_url, other) for other in output.options.others]
    paths = [unquote(url.removeprefix(output.base_url)) for url in named]
    written = planned.names
    candidates = published.list_foreign_candidates(output, paths)
    return [name for name in candidates if name not in written]


def list_notes(outcome: Outcome, site: Site, run: Run, spool: Spool) -> Iterator[str]:
    """Notes on replaced files, on first runs, and on steps that only the user can do."""
    planned = outcome.files
    replaced = planned.foreign if run.replace else planned.rebuilt
    yield from replaced_note(replaced, [of.file for of in planned.compared], spool, site)
    if outcome.previous is None:
        yield from _note_first_run(outcome, site, run)
    for name in published.list_old_keys(site.output):
        what = f"{name} contains another key than submit.key"
        yield with_help(what, "delete it, unless another site uses it")
    if not outcome.project and not site.label:
        yield from _note_project_file(site.root)
    if not planned.robots and site.output.writes_robots:
        yield from _note_missing_line(planned, site.output)


def _note_first_run(outcome: Outcome, site: Site, run: Run) -> Iterator[str]:
    """Advice for a run without an earlier sitemap."""
    if site.ledger is None:
        if outcome.wants_changes or outcome.stats.dated.get("mtime"):
            yield with_help(
                "there is no earlier sitemap, so every page counts as added",
                "if your generator empties its folder, use a ledger",
            )
    elif not site.has_live_ledger:
        yield with_help(
            f"the next build needs {run.display(site.ledger)} to keep the dates",
            "commit it, keep it in CI's cache, or set live = true under [ledger]",
        )


def _note_project_file(root: str) -> Iterator[str]:
    """Doubts that a folder with a file of a project is the built site."""
    for name in _PROJECT_FILES:
        if os.path.exists(os.path.join(root, name)):
            yield with_help(
                f"{root} contains {name}", "if it is not the built site, name that folder"
            )
            return


def _note_missing_line(planned: PlannedFiles, output: Output) -> Iterator[str]:
    """The line for a robots.txt that is not ours to write, when the sitemap is new."""
    created = {of.file.name for of in planned.compared if of.change is Change.CREATED}
    if output.name not in created:
        return
    place = urljoin(output.base_url, "/robots.txt")
    line = f"Sitemap: {output.sitemap_url}"
    yield with_help(
        "a robots.txt counts only at the root of the host",
        f"add this line to {place}: {line} (or submit the sitemap in Search Console)",
    )
