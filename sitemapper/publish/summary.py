"""What publishing would change: the files, the URLs, and what there is to say about them."""

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from urllib.parse import unquote, urljoin

from ..messages import Kind, Message
from ..model import Change, Fate, FileChange, GoneUrl, Summary, UrlChange
from ..observer import Observer
from ..plan import Plan
from ..site import Output, Run, Site
from ..syntax import robots
from ..syntax.urls import problem_of_base
from ..tally import EXAMPLES, Tally
from . import published
from .changes import UrlChanges, compare_urls
from .files import PlannedFiles, list_old_copies, plan_files
from .foreign import OTHER_TOOL, replaced_notes
from .losses import check_ledger, check_losses, check_pages
from .publishing import Publishing
from .shards import Spool

_MAX_OLDER_PERCENT = 10  # of the published dates that may become older without a warning
# No generator writes these files into a site.
_PROJECT_FILES = ("sitemapper.toml", "pyproject.toml", "package.json")


def summarize(
    tally: Tally, spool: Spool, plan: Plan, publishing: Publishing, observer: Observer
) -> tuple[Summary, PlannedFiles]:
    """Compares what a run would publish with what is there, and sums up what changes.

    Writes nothing. Returns the summary, and the files that the caller publishes then. Raises
    GuardError if the sitemap would have no page, or lose too many URLs or dates. Raises
    PublishError if another tool's sitemap has the name of ours.
    """
    site, run = plan.site, publishing.run
    check_pages(tally, plan, allow_empty=run.allow_empty)
    files = plan_files(tally, spool, plan, publishing)
    rows, rows_of_this_site = tally.ledger_rows
    is_ledger_of_other_site = rows and not rows_of_this_site
    if is_ledger_of_other_site:
        # This error comes first. To `check_losses`, all pages in the ledger would seem to be lost.
        check_ledger(tally, plan)
    urls = compare_urls(files, tally, spool, plan, publishing.previous, observer)
    check_losses(urls, tally, plan, publishing)
    summary = Summary(
        site=site.root,
        sitemap=site.output.sitemap_url,
        listed=tally.listed,
        excluded=tally.excluded,
        pruned=tally.pruned,
        files=_list_changes(files, run),
        warnings=(*tally.warnings, *_list_warnings(urls, files, tally, plan, publishing)),
        notes=(*tally.notes, *_list_notes(urls, files, plan, publishing, spool, observer)),
        previous=urls.previous,
        changes=urls.counts,
        dated=tally.dated or dict.fromkeys(site.date_sources, 0),
        detected=site.found,
        unmatched=tuple(tally.unmatched),
        compared_with=publishing.previous.copied_from,
        cross_posts=tally.cross_posts,
        gone=urls.gone,
    )
    return summary, files


def _list_changes(files: PlannedFiles, run: Run) -> tuple[FileChange, ...]:
    """Lists what happens to each file: first those to publish, in their order, then removed ones.

    A file is given by its name in the output. The ledger may be in another folder, so it is given
    by its path.
    """
    changed = []
    for file, change in files.compared:
        name = run.display(file.name) if os.path.isabs(file.name) else file.name
        changed.append(FileChange(name, change, file.urls, file.size))
    changed += [FileChange(name, Change.REMOVED) for name in files.removed]
    return tuple(changed)


def _list_warnings(
    urls: UrlChanges, files: PlannedFiles, tally: Tally, plan: Plan, publishing: Publishing
) -> Iterator[Message]:
    """Warns about what looks wrong in what is published: a message for each kind of mistake.

    For example, that many dates become older, or that robots.txt names a sitemap that is not there.
    """
    site = plan.site
    output = site.output
    yield from _warn_of_older_dates(urls, publishing)
    # The base URL, such as that of a preview.
    problem = problem_of_base(output.base_url)
    if problem:
        yield Message(Kind.BASE_URL, (f"{output.base_url} {problem}",))
    # The folder may be the project, and not the site that is built from it.
    if plan.project_file:
        yield Message(Kind.PROJECT, (plan.project_file,))
    # Our sitemaps that nobody uses any more, and lines of robots.txt that name no file.
    yield from _message_if_any(Kind.LEFT, _list_left(files, output))
    yield from _message_if_any(Kind.STALE_ROBOTS, _list_dead_lines(files, site))
    # Sitemaps of other tools that have the names of ours.
    if not publishing.run.replace:
        yield from _message_if_any(Kind.FOREIGN, files.foreign)
    # No published URL is listed any more, perhaps because base_url is wrong.
    removed = urls.counts[UrlChange.REMOVED]
    are_all_removed = removed and removed == urls.previous
    if tally.listed and are_all_removed:
        yield Message(Kind.REPLACED, (f"{output.name} listed {removed:,}",))
        return
    # Pages that are at another URL now, to which the host may not redirect.
    uncertain = (f"{one.url} is now {one.target}" for one in urls.gone if one.is_uncertain)
    yield from _message_if_any(Kind.FORMS, uncertain)


def _warn_of_older_dates(urls: UrlChanges, publishing: Publishing) -> Iterator[Message]:
    """Warns if more than a tenth of the published dates become older.

    A page gets an older date if its last edit is undone, for instance. If many pages do at once,
    the dates probably come from another source than before. The dates of removed URLs do not count.
    """
    older = urls.dates.older
    if not older:  # the usual case, in which the published dates need not be counted
        return
    dates_before = publishing.previous.count_dates() - urls.dates.of_removed_urls
    if older * 100 > _MAX_OLDER_PERCENT * dates_before:
        share = f"{older:,} of {dates_before:,}, the first is {urls.dates.first_older}"
        yield Message(Kind.OLDER, (share,))


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

    For example, `sitemap-pages.xml` after the setting `name` has changed to `sitemap.xml`. Not
    listed are the files that this run writes, and sitemaps that robots.txt or the setting `others`
    names.
    """
    urls_in_use = robots.sitemap_lines(files.robots)
    urls_in_use += [urljoin(output.base_url, other) for other in output.options.others]
    names_in_use = [unquote(url.removeprefix(output.base_url)) for url in urls_in_use]
    written = files.names
    unclaimed = published.list_unclaimed_sitemaps(output, names_in_use)
    return [name for name in unclaimed if name not in written]


def _list_dead_lines(files: PlannedFiles, site: Site) -> Iterator[str]:
    """Lists the URLs in `Sitemap:` lines of robots.txt for which there is no file: dead lines.

    The file is looked for among the files that the run writes, in the output, and in the site. URLs
    that are not below our base URL are not checked, because their files are elsewhere.
    """
    output = site.output
    written = files.names
    for url in robots.sitemap_lines(files.robots):
        if not url.startswith(output.base_url):
            continue
        path = unquote(url.removeprefix(output.base_url))
        places = (os.path.join(output.folder, path), os.path.join(site.root, path))
        if path not in written and not any(map(os.path.exists, places)):
            yield url


def _list_notes(
    urls: UrlChanges,
    files: PlannedFiles,
    plan: Plan,
    publishing: Publishing,
    spool: Spool,
    observer: Observer,
) -> Iterator[Message]:
    """Yields the notes on what a run publishes, in the order in which the user reads them.

    A note is no warning: it says what a user may want to know, not what is wrong.
    """
    site = plan.site
    # Sitemaps of other tools that ours replace: those of the project's generator in any case, and
    # others only with --replace.
    new_files = [compared.file for compared in files.compared]
    replaced = [*files.generated, *files.foreign] if publishing.run.replace else files.generated
    yield from replaced_notes(replaced, new_files, spool, site)
    # Files such as an outdated robots.txt.gz, which a server may send in place of our robots.txt.
    yield from _message_if_any(Kind.OLD_COPIES, list_old_copies(files, spool, site.output))
    # The generator has overwritten our last sitemap, so it is not known which URLs that one had.
    if files.generated and publishing.previous.is_of_output:
        yield Message(Kind.GENERATED_SITEMAP, (site.generator or OTHER_TOOL,))
    # Published URLs that are gone.
    yield from _notes_on_gone(urls.gone)
    # What the user has to do.
    if urls.previous is None:  # nothing was published before
        yield from _notes_on_first_run(site, publishing, observer)
    yield from _notes_on_project_folder(plan)
    if not files.robots and site.output.writes_robots:
        # At each build, because nobody sees here whether somebody has added the line.
        yield note_robots_line(site.output)


def _notes_on_project_folder(plan: Plan) -> Iterator[Message]:
    """Yields a note if the site's folder seems to be the project, as one with `package.json` does.

    The built site is then often a folder in it. No note if a warning already says so
    (`plan.project_file`), or if the user has set the folder in a file or the environment.
    """
    site = plan.site
    if plan.project_file or site.label:
        return
    for name in _PROJECT_FILES:
        if os.path.exists(os.path.join(site.root, name)):
            yield Message(Kind.PROJECT_FILE, (site.root, name))
            return


def _notes_on_gone(gone: Collection[GoneUrl]) -> Iterator[Message]:
    """Makes notes on published URLs that are not listed now: lost URLs, and moved ones.

    A URL has moved if its content is at another URL now: `/old -> /new`.
    """
    lost = (one.url for one in gone if one.fate is Fate.LOST)
    yield from _message_if_any(Kind.LOST, lost)
    moved = [one for one in gone if one.fate is Fate.MOVED]
    yield from _message_if_any(Kind.MOVED, (f"{one.url} -> {one.target}" for one in moved))


def _notes_on_first_run(
    site: Site, publishing: Publishing, observer: Observer
) -> Iterator[Message]:
    """Yields a note if the next run may have nothing to compare with, as this first run has.

    The generator may empty the output, or the next run may be on a new machine. What the user can
    do depends on the ledger:

    - no ledger: compare with the live sitemap
    - a ledger in a local file: keep the file
    - a live ledger: nothing, because the next run reads the ledger from the site's host
    """
    if site.ledger is None:
        # Without an earlier sitemap, a list of changes has all URLs as added. If `previous` is not
        # "output", the user has already chosen what to compare with.
        if observer.wants_changes and publishing.previous.is_of_output:
            yield Message(Kind.CHANGES_OF_FIRST_RUN)
    elif not site.live_ledger:
        yield Message(Kind.LEDGER_NEEDED, (publishing.run.display(site.ledger),))


def note_robots_line(output: Output) -> Message:
    """Makes the note that says which `Sitemap:` line to add to the robots.txt of the host.

    For a site at `https://a.example/blog/`, this file is `https://a.example/robots.txt`. It is not
    part of the site, so we do not write it.
    """
    place = urljoin(output.base_url, "/robots.txt")
    return Message(Kind.ROBOTS_LINE, (place, f"Sitemap: {output.sitemap_url}"))
