"""The warnings and notes about what a run publishes."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from urllib.parse import unquote, urljoin

from ..messages import Kind, Message
from ..model import Fate, UrlChange
from ..plan import Plan
from ..site import Output, Site
from ..syntax import robots
from ..syntax.urls import problem_of_base
from ..tally import EXAMPLES, Tally
from . import published
from .files import PlannedFiles, list_old_copies
from .foreign import OTHER_TOOL, replaced_notes
from .publishing import Publishing
from .robots_lines import list_dead_lines
from .shards import Spool
from .url_changes import UrlChanges

_MAX_OLDER = 10  # percent of the published dates
# No generator writes these files into a site.
_PROJECT_FILES = ("sitemapper.toml", "pyproject.toml", "package.json")


def list_warnings(
    urls: UrlChanges, files: PlannedFiles, tally: Tally, plan: Plan, publishing: Publishing
) -> Iterator[Message]:
    """The warnings about what is published, each with its number of cases and the first of them.

    They are about possible mistakes, and about files or robots.txt lines that mislead crawlers.
    """
    site = plan.site
    output = site.output
    count = urls.dates.older
    if count:
        dates = publishing.previous.count_dates() - urls.dates.gone_with_urls
        # A page that loses an edit gets an older date. Many at once are a sign of another source.
        if count * 100 > _MAX_OLDER * dates:
            share = f"{count:,} of {dates:,}, the first is {urls.dates.first_older}"
            yield Message(Kind.OLDER, (share,))
    problem = problem_of_base(output.base_url)
    if problem:
        yield Message(Kind.BASE_URL, (f"{output.base_url} {problem}",))
    if plan.project_file:
        yield Message(Kind.PROJECT, (plan.project_file,))
    yield from _count(Kind.LEFT, _list_left(files, output))
    yield from _count(Kind.STALE_ROBOTS, list_dead_lines(files.robots, files.names, site))
    if not publishing.run.replace:
        yield from _count(Kind.FOREIGN, files.foreign)
    removed = urls.counts[UrlChange.REMOVED]
    # All URLs that were published before go, and other ones come.
    if tally.listed and removed and removed == urls.previous:
        yield Message(Kind.REPLACED, (f"{output.name} listed {removed:,}",))
        return
    doubtful = (f"{one.url} is now {one.target}" for one in urls.gone if one.is_doubtful)
    yield from _count(Kind.FORMS, doubtful)


def _count(kind: Kind, subjects: Iterable[str]) -> Iterator[Message]:
    """One message about all subjects, with their number and the first of them. None for none."""
    subjects = iter(subjects)
    first = tuple(islice(subjects, EXAMPLES))
    if first:
        yield Message(kind, first, len(first) + sum(1 for _ in subjects))


def _list_left(files: PlannedFiles, output: Output) -> list[str]:
    """The sitemaps that we wrote with other settings, and that nothing names.

    Sitemaps are named by lines of robots.txt, and by the setting `others`.
    """
    urls = robots.sitemap_lines(files.robots)
    urls += [urljoin(output.base_url, other) for other in output.options.others]
    named = [unquote(url.removeprefix(output.base_url)) for url in urls]
    unclaimed = published.list_unclaimed_sitemaps(output, named)
    return [name for name in unclaimed if name not in files.names]


def list_notes(
    urls: UrlChanges, files: PlannedFiles, plan: Plan, publishing: Publishing, spool: Spool
) -> Iterator[Message]:
    """Notes on replaced files, on first runs, and on steps that only the user can do."""
    site = plan.site
    output = site.output
    new_files = [of.file for of in files.compared]
    replaced = [*files.generated, *files.foreign] if publishing.run.replace else files.generated
    yield from replaced_notes(replaced, new_files, spool, site)
    yield from _count(Kind.OLD_COPIES, list_old_copies(files, spool, output))
    if files.generated and publishing.previous.is_of_output:
        yield Message(Kind.GENERATED_SITEMAP, (site.generator or OTHER_TOOL,))
    yield from _count(Kind.LOST, (one.url for one in urls.gone if one.fate is Fate.LOST))
    moved = [one for one in urls.gone if one.fate is Fate.MOVED]
    yield from _count(Kind.MOVED, (f"{one.url} -> {one.target}" for one in moved))
    without_rule = [one.url for one in moved if not one.remedy]
    yield from _count(Kind.MOVED_WITHOUT_RULE, without_rule)
    if urls.previous is None:
        yield from _note_first_run(urls, publishing, site)
    if not plan.project_file and not site.label:
        # A folder with a file of a project may not be the built site.
        for name in _PROJECT_FILES:
            if os.path.exists(os.path.join(site.root, name)):
                yield Message(Kind.PROJECT_FILE, (site.root, name))
                break
    if not files.robots and output.writes_robots:
        # At each build, because nobody sees here whether somebody has added the line.
        yield note_robots_line(output)


def note_robots_line(output: Output) -> Message:
    """The line for the robots.txt at the root of the host, which is not ours to write."""
    place = urljoin(output.base_url, "/robots.txt")
    return Message(Kind.ROBOTS_LINE, (place, f"Sitemap: {output.sitemap_url}"))


def _note_first_run(urls: UrlChanges, publishing: Publishing, site: Site) -> Iterator[Message]:
    """Advice for a run without an earlier sitemap."""
    if site.ledger is None:
        if urls.has_all and publishing.previous.is_of_output:
            yield Message(Kind.CHANGES_OF_FIRST_RUN)
    elif not site.has_live_ledger:
        yield Message(Kind.LEDGER_NEEDED, (publishing.run.display(site.ledger),))
