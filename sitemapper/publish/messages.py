"""The warnings and notes about what a run publishes."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from ..messages import Kind, Message
from ..model import Change, Fate, GoneUrl, UrlChange
from ..site import Output, Run, Site
from ..syntax import robots
from ..syntax.urls import problem_of_base
from ..tally import EXAMPLES, Tally
from . import published
from .files import PlannedFiles
from .foreign import OTHER_TOOL, replaced_notes
from .robots_lines import list_dead_lines, list_equal_sitemaps
from .shards import Spool

# No generator writes these files into a site.
_PROJECT_FILES = ("sitemapper.toml", "pyproject.toml", "package.json")


class Outcome(NamedTuple):
    """What a run found, and what it does.

    `previous` is the number of URLs published before, None if nothing was. `project` is evidence
    that the site is a project, "" if there is none. With `wants_changes`, each URL of a first run
    was listed as added. `is_of_output` says whether the earlier sitemap was looked for in the
    output. `gone` are the URLs that are not listed any more.
    """

    tally: Tally
    files: PlannedFiles
    changes: dict[UrlChange, int]
    previous: int | None
    project: str
    wants_changes: bool
    is_of_output: bool
    gone: Sequence[GoneUrl]


def list_warnings(outcome: Outcome, site: Site, run: Run) -> Iterator[Message]:
    """The warnings about what is published, each with its number of cases and the first of them.

    They tell of possible mistakes, and of files or robots.txt lines that mislead crawlers.
    """
    output = site.output
    planned = outcome.files
    doubt = problem_of_base(output.base_url)
    if doubt:
        yield Message(Kind.BASE_URL, (f"{output.base_url} {doubt}",))
    if outcome.project:
        yield Message(Kind.PROJECT, (outcome.project,))
    misleading_files = {
        Kind.LEFT: _list_left(planned, output),
        Kind.STALE_ROBOTS: list_dead_lines(planned.robots, planned.names, site),
        Kind.FOREIGN: [] if run.replace else planned.foreign,
    }
    for kind, names in misleading_files.items():
        if names:
            yield Message(kind, tuple(names[:EXAMPLES]), len(names))
    removed = outcome.changes[UrlChange.REMOVED]
    # All URLs that were published before go, and other ones come.
    if outcome.tally.listed and removed and removed == outcome.previous:
        yield Message(Kind.REPLACED, (f"{output.name} listed {removed:,}",))
    else:
        yield from _warn_of_forms(outcome.gone)


def _warn_of_forms(gone: Sequence[GoneUrl]) -> Iterator[Message]:
    """One warning about all URLs of which nobody knows whether the host redirects them."""
    doubtful = [f"{one.url} is now {one.target}" for one in gone if one.is_doubtful]
    if doubtful:
        yield Message(Kind.FORMS, tuple(doubtful[:EXAMPLES]), len(doubtful))


def _list_left(planned: PlannedFiles, output: Output) -> list[str]:
    """The sitemaps that we wrote with other settings, and that nothing names.

    Sitemaps are named by lines of robots.txt, and by the setting `others`.
    """
    urls = robots.sitemap_lines(planned.robots)
    urls += [urljoin(output.base_url, other) for other in output.options.others]
    named = [unquote(url.removeprefix(output.base_url)) for url in urls]
    unclaimed = published.list_unclaimed_sitemaps(output, named)
    return [name for name in unclaimed if name not in planned.names]


def list_notes(outcome: Outcome, site: Site, run: Run, spool: Spool) -> Iterator[Message]:
    """Notes on replaced files, on first runs, and on steps that only the user can do."""
    planned = outcome.files
    replaced = planned.foreign if run.replace else planned.rebuilt
    yield from replaced_notes(replaced, [of.file for of in planned.compared], spool, site)
    if planned.rebuilt and outcome.is_of_output and not run.replace:
        yield Message(Kind.GENERATED_SITEMAP, (site.generator or OTHER_TOOL,))
    yield from _note_lost(outcome.gone)
    if outcome.previous is None:
        yield from _note_first_run(outcome, site, run)
    for name in published.list_old_keys(site.output):
        yield Message(Kind.OLD_KEY, (name,))
    if not outcome.project and not site.label:
        # A folder with a file of a project may not be the built site.
        for name in _PROJECT_FILES:
            if os.path.exists(os.path.join(site.root, name)):
                yield Message(Kind.PROJECT_FILE, (site.root, name))
                break
    if not planned.robots and site.output.writes_robots:
        # robots.txt is not ours to write. At each build, because nobody sees here whether somebody
        # has added the line.
        place = urljoin(site.output.base_url, "/robots.txt")
        yield Message(Kind.ROBOTS_LINE, (place, f"Sitemap: {site.output.sitemap_url}"))
    created = {of.file.name for of in planned.compared if of.change is Change.CREATED}
    if site.output.name in created:
        shards = outcome.tally.shards
        for name in list_equal_sitemaps(planned.robots, site.output, shards, spool):
            yield Message(Kind.SAME_PAGES, (name,))


def _note_lost(gone: Sequence[GoneUrl]) -> Iterator[Message]:
    """The published URLs at which nothing answers any more, and those whose content has moved."""
    lost = [one.url for one in gone if one.fate is Fate.LOST]
    if lost:
        yield Message(Kind.LOST, tuple(lost[:EXAMPLES]), len(lost))
    moved = [f"{one.url} -> {one.target}" for one in gone if one.fate is Fate.MOVED]
    if moved:
        yield Message(Kind.MOVED, tuple(moved[:EXAMPLES]), len(moved))


def _note_first_run(outcome: Outcome, site: Site, run: Run) -> Iterator[Message]:
    """Advice for a run without an earlier sitemap."""
    if site.ledger is None:
        if outcome.wants_changes and outcome.is_of_output:
            yield Message(Kind.CHANGES_OF_FIRST_RUN)
    elif not site.has_live_ledger:
        yield Message(Kind.LEDGER_NEEDED, (run.display(site.ledger),))
