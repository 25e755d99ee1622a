"""Plans the output of a build: what is published, what changes, and the messages about it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ..model import Change, FileChange, GoneUrl, Origin, Summary, UrlChange
from ..observer import Observer
from ..plan import Plan
from ..site import Run
from ..tally import Tally
from . import changes
from .date_losses import DateLosses
from .files import PlannedFiles, Publishing, plan_files
from .losses import (
    check_home_page,
    check_host,
    check_ledger,
    check_pages,
    check_unreadable,
    check_urls,
)
from .messages import Outcome, list_notes, list_warnings
from .redirects import list_redirect_notes, with_remedies
from .shards import OutputFile, Spool


def summarize(
    tally: Tally,
    spool: Spool,
    plan: Plan,
    publishing: Publishing,
    observer: Observer,
) -> tuple[Summary, list[OutputFile]]:
    """The summary of what publishing changes, and the files in the order of publishing.

    Raises GuardError if publishing would do harm, PublishError if another tool's file is in the
    way.
    """
    site, run = plan.site, publishing.run
    previous = publishing.previous
    published_urls = previous.count_urls()
    max_drop = plan.max_drop
    check_pages(tally, plan, allow_empty=run.allow_empty)
    files = plan_files(tally, spool, plan, publishing)
    dates = DateLosses(previous)
    ledger_rows = changes.LedgerRows(tally.ledger, spool, plan.policy.locator)
    is_first_build = published_urls is None
    if is_first_build and not observer.wants_changes:
        # Nobody asks for each URL, and all of them are new.
        counts = dict.fromkeys(UrlChange, 0)
        counts[UrlChange.ADDED] = tally.listed
        removed: list[str] = []
    else:
        url_changes = changes.compute_changes(files.compared, ledger_rows, previous)
        counts, removed = _count_changes(url_changes, observer, dates)
    rows, rows_of_this_site = tally.ledger_rows
    is_ledger_of_others = rows > 0 and rows_of_this_site == 0
    if plan.ledger and is_ledger_of_others:  # it would also explain why URLs seem to be gone
        check_ledger(tally, plan.ledger.label, max_drop)
    classified = _classify_removed(removed, ledger_rows, plan, publishing, tally.unreadable_folders)
    gone = with_remedies(classified, plan, observer)
    if published_urls and max_drop < 100:
        if previous.is_of_output:
            check_host(site.base_url, published_urls, gone)
        check_unreadable(site.root, tally.unreadable_folders, gone)
        check_home_page(site, gone)
    check_urls(tally, site.root, published_urls or 0, gone, max_drop)
    if plan.ledger:
        check_ledger(tally, plan.ledger.label, max_drop, gone)
    if not run.ignores_dates:
        dates.check(tally, plan, max_drop)
    outcome = Outcome(
        tally=tally,
        files=files,
        changes=counts,
        previous=published_urls,
        project=plan.project_file,
        wants_changes=observer.wants_changes,
        is_of_output=previous.is_of_output,
        gone=gone,
    )
    summary = Summary(
        site=site.root,
        sitemap=site.output.sitemap_url,
        listed=tally.listed,
        excluded=tally.excluded,
        pruned=tally.pruned,
        files=_list_changes(files, run),
        warnings=(*tally.warnings, *dates.warnings(), *list_warnings(outcome, site, run)),
        notes=(*tally.notes, *list_notes(outcome, site, run, spool), *list_redirect_notes(gone)),
        previous=published_urls,
        changes=counts,
        dated=tally.dated or dict.fromkeys(site.date_sources, 0),
        detected=site.found,
        unmatched=tuple(tally.unmatched),
        compared_with=previous.place,
        cross_posts=tally.cross_posts,
        gone=gone,
    )
    return summary, [of.file for of in files.compared]


def _list_changes(files: PlannedFiles, run: Run) -> tuple[FileChange, ...]:
    """What happens to each file, by its name in the output or, outside of it, its path."""
    changed = []
    for file, change in files.compared:
        name = file.name
        if os.path.isabs(name):
            name = run.display(name)
        changed.append(FileChange(name, change, file.urls, file.size))
    changed += [FileChange(name, Change.REMOVED) for name in files.removed]
    return tuple(changed)


def _classify_removed(
    removed: Sequence[str],
    rows: changes.LedgerRows,
    plan: Plan,
    publishing: Publishing,
    unreadable: Mapping[str, Origin],
) -> tuple[GoneUrl, ...]:
    """What became of the removed URLs. `rows` are those of the new ledger."""
    if not removed:
        return ()
    # Imported here: most runs remove no URL.
    from .gone import classify_gone
    from .moved import find_moved

    find = partial(find_moved, previous=publishing.previous, rows=rows)
    return classify_gone(removed, plan, plan.gone, find, unreadable)


def _count_changes(
    url_changes: Iterable[tuple[UrlChange, str, str, str]], observer: Observer, dates: DateLosses
) -> tuple[dict[UrlChange, int], list[str]]:
    """The number of URLs added, changed and removed, and those that are removed.

    The observer and `dates` get each of them.
    """
    counts = dict.fromkeys(UrlChange, 0)
    removed: list[str] = []
    for change, url, before, after in url_changes:
        observer.changed(change, url, before, after)
        dates.add(change, url, before, after)
        counts[change] += 1
        if change is UrlChange.REMOVED:
            removed.append(url)
    return counts, removed
