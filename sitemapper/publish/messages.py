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

_MAX_OLDER_PERCENT = 10  # of the published dates that may become older without a warning
# No generator writes these files into a site.
_PROJECT_FILES = ("sitemapper.toml", "pyproject.toml", "package.json")


def list_warnings(
    urls: UrlChanges, files: PlannedFiles, tally: Tally, plan: Plan, publishing: Publishing
) -> Iterator[Message]:
    """Warns about what is published, each time with the number of cases and the first of them.

    The warnings are about possible mistakes in dates, base URL and folder, about sitemaps that
    nobody uses, dead lines of robots.txt, and URLs that may not be redirected. If all published
    URLs are replaced by others, that is the only warning about URLs.
    """
    site = plan.site
    output = site.output
    older = urls.dates.older
    if older:
        dates_before = publishing.previous.count_dates() - urls.dates.gone_with_urls
        # One page gets an older date if its last edit is undone. If many do at once, the dates
        # probably come from another source than before.
        if older * 100 > _MAX_OLDER_PERCENT * dates_before:
            share = f"{older:,} of {dates_before:,}, the first is {urls.dates.first_older}"
            yield Message(Kind.OLDER, (share,))
    problem = problem_of_base(output.base_url)
    if problem:
        yield Message(Kind.BASE_URL, (f"{output.base_url} {problem}",))
    if plan.project_file:
        yield Message(Kind.PROJECT, (plan.project_file,))
    # Files and lines that mislead crawlers.
    yield from _message_if_any(Kind.LEFT, _list_left(files, output))
    dead_lines = list_dead_lines(files.robots, files.names, site)
    yield from _message_if_any(Kind.STALE_ROBOTS, dead_lines)
    if not publishing.run.replace:
        yield from _message_if_any(Kind.FOREIGN, files.foreign)
    removed = urls.counts[UrlChange.REMOVED]
    are_all_replaced = tally.listed and removed and removed == urls.previous
    if are_all_replaced:
        yield Message(Kind.REPLACED, (f"{output.name} listed {removed:,}",))
        return
    doubtful = (f"{one.url} is now {one.target}" for one in urls.gone if one.is_doubtful)
    yield from _message_if_any(Kind.FORMS, doubtful)


def _message_if_any(kind: Kind, subjects: Iterable[str]) -> Iterator[Message]:
    """Makes one message about all subjects, such as URLs: their number, and the first few of them.

    No message if there is no subject.
    """
    subjects = iter(subjects)
    first = tuple(islice(subjects, EXAMPLES))
    if first:
        yield Message(kind, first, len(first) + sum(1 for _ in subjects))


def _list_left(files: PlannedFiles, output: Output) -> list[str]:
    """Lists the sitemaps in the output that we wrote with other settings, and that nobody uses now.

    A sitemap that a line of robots.txt or the setting `others` names is in use.
    """
    urls_in_use = robots.sitemap_lines(files.robots)
    urls_in_use += [urljoin(output.base_url, other) for other in output.options.others]
    names_in_use = [unquote(url.removeprefix(output.base_url)) for url in urls_in_use]
    unclaimed = published.list_unclaimed_sitemaps(output, names_in_use)
    return [name for name in unclaimed if name not in files.names]


def list_notes(
    urls: UrlChanges, files: PlannedFiles, plan: Plan, publishing: Publishing, spool: Spool
) -> Iterator[Message]:
    """Notes on replaced files, on first runs, and on steps that only the user can do."""
    site = plan.site
    output = site.output
    # What is replaced, and outdated copies of it.
    new_files = [of.file for of in files.compared]
    replaced = [*files.generated, *files.foreign] if publishing.run.replace else files.generated
    yield from replaced_notes(replaced, new_files, spool, site)
    yield from _message_if_any(Kind.OLD_COPIES, list_old_copies(files, spool, output))
    if files.generated and publishing.previous.is_of_output:
        yield Message(Kind.GENERATED_SITEMAP, (site.generator or OTHER_TOOL,))
    # URLs that are gone.
    lost = (one.url for one in urls.gone if one.fate is Fate.LOST)
    yield from _message_if_any(Kind.LOST, lost)
    moved = [one for one in urls.gone if one.fate is Fate.MOVED]
    yield from _message_if_any(Kind.MOVED, (f"{one.url} -> {one.target}" for one in moved))
    without_rule = [one.url for one in moved if not one.remedy]
    yield from _message_if_any(Kind.MOVED_WITHOUT_RULE, without_rule)
    # First runs, and steps for the user.
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
    """Makes the note which line to add to the robots.txt at the root of the host.

    For a site at `https://a.example/blog/`, that file is not in the site, so we do not write it.
    """
    place = urljoin(output.base_url, "/robots.txt")
    return Message(Kind.ROBOTS_LINE, (place, f"Sitemap: {output.sitemap_url}"))


def _note_first_run(urls: UrlChanges, publishing: Publishing, site: Site) -> Iterator[Message]:
    """Notes for a run without an earlier sitemap, which has nothing to compare its URLs with.

    Without a ledger, that all URLs in a list of changes are new. With one that is not published,
    that the ledger has to be kept for the next run.
    """
    if site.ledger is None:
        if urls.has_all and publishing.previous.is_of_output:
            yield Message(Kind.CHANGES_OF_FIRST_RUN)
    elif not site.has_live_ledger:
        yield Message(Kind.LEDGER_NEEDED, (publishing.run.display(site.ledger),))
