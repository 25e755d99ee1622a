"""The warnings and notes about what a run publishes."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from ..errors import with_help
from ..messages import Kind, Message
from ..model import Change, Fate, GoneUrl, UrlChange
from ..site import Output, Run, Site
from ..syntax import robots
from ..syntax.urls import suspicious_base
from ..tally import EXAMPLES, Tally
from . import published
from .files import PlannedFiles
from .foreign import OTHER_TOOL, replaced_note
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
    doubt = suspicious_base(output.base_url)
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


def list_notes(outcome: Outcome, site: Site, run: Run, spool: Spool) -> Iterator[str]:
    """Notes on replaced files, on first runs, and on steps that only the user can do."""
    planned = outcome.files
    replaced = planned.foreign if run.replace else planned.rebuilt
    yield from replaced_note(replaced, [of.file for of in planned.compared], spool, site)
    if planned.rebuilt and outcome.is_of_output and not run.replace:
        whose = site.generator or OTHER_TOOL
        yield with_help(
            f"the sitemap of {whose} is not what sitemapper published, so it protects no URL from "
            "being lost",
            "compare with the published one: --previous live",
        )
    yield from _note_lost(outcome.gone)
    if outcome.previous is None:
        yield from _note_first_run(outcome, site, run)
    for name in published.list_old_keys(site.output):
        what = f"{name} contains another key than submit.key"
        yield with_help(what, "delete it, unless another site uses it")
    if not outcome.project and not site.label:
        yield from _note_project_file(site.root)
    if not planned.robots and site.output.writes_robots:
        yield from _note_missing_line(site.output)
    if site.output.name in _created(planned):
        shards = outcome.tally.shards
        for name in list_equal_sitemaps(planned.robots, site.output, shards, spool):
            yield with_help(
                f"robots.txt also names {name}, where sitemapper listed the same pages",
                "if it is the former name of this sitemap, delete that file and its line",
            )


def _note_lost(gone: Sequence[GoneUrl]) -> Iterator[str]:
    """The published URLs at which nothing answers any more, and those whose content has moved."""
    lost = [one.url for one in gone if one.fate is Fate.LOST]
    if len(lost) == 1:
        yield with_help(
            f"1 published URL leads nowhere now: {lost[0]}",
            "redirect it, or name it in [check] gone if it is gone on purpose",
        )
    elif lost:
        yield with_help(
            f"{len(lost):,} published URLs lead nowhere now: {_first(lost)}",
            "redirect them, or name them in [check] gone if they are gone on purpose",
        )
    moved = [f"{one.url} -> {one.target}" for one in gone if one.fate is Fate.MOVED]
    if len(moved) == 1:
        yield with_help(
            f"1 published URL has moved without a redirect: {moved[0]}",
            "redirect it to its new URL, as --redirects FILE writes it",
        )
    elif moved:
        yield with_help(
            f"{len(moved):,} published URLs have moved without a redirect: {_first(moved)}",
            "redirect each of them to its new URL, as --redirects FILE writes it",
        )


def _first(texts: Sequence[str]) -> str:
    """The first texts, and how many more there are."""
    first = "; ".join(texts[:EXAMPLES])
    others = len(texts) - EXAMPLES
    return f"{first}; and {others:,} more" if others > 0 else first


def _note_first_run(outcome: Outcome, site: Site, run: Run) -> Iterator[str]:
    """Advice for a run without an earlier sitemap."""
    if site.ledger is None:
        if outcome.wants_changes and outcome.is_of_output:
            yield with_help(
                "there is no earlier sitemap, so every page counts as added",
                "if your generator empties its folder, compare with the live one: --previous live",
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


def _note_missing_line(output: Output) -> Iterator[str]:
    """The line for a robots.txt that is not ours to write.

    At each build, because nobody sees here whether somebody has added it.
    """
    place = urljoin(output.base_url, "/robots.txt")
    line = f"Sitemap: {output.sitemap_url}"
    advice = "or submit the sitemap in Search Console; robots.write = false ends this note"
    yield f"add this line to {place}: {line} ({advice})"


def _created(planned: PlannedFiles) -> set[str]:
    """The names of the files that are new."""
    return {of.file.name for of in planned.compared if of.change is Change.CREATED}
