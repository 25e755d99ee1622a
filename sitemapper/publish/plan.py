"""Plans the output of a build: what is published, what changes, and the messages about it."""

import os

from ..model import Change, FileChange, Summary, UrlChange
from ..output import changes
from ..output.published import Previous, open_previous
from ..output.shards import OutputFile, Spool
from ..pipeline.observer import Observer
from ..pipeline.plan import Plan
from ..pipeline.stats import RunStats
from ..project.search import generators_in
from ..settled import Run
from .files import PlannedFiles, Publishing, plan_files
from .losses import check_losses
from .messages import Outcome, list_notes, list_warnings


def plan_output(
    stats: RunStats, spool: Spool, plan: Plan, publishing: Publishing, observer: Observer
) -> tuple[Summary, list[OutputFile]]:
    """The changes, and the files in the order of publishing.

    Raises GuardError if publishing would do harm, PublishError if another tool's file is in the
    way.
    """
    site, run = plan.site, publishing.run
    project = _find_project(site.root)
    previous = open_previous(site.output, plan.ledger.path if plan.ledger else None)
    published_urls = previous.count_urls()
    check_losses(
        stats,
        plan,
        published_urls or 0,
        project,
        allow_empty=run.allow_empty,
        max_drop=publishing.max_drop,
    )
    files = plan_files(stats, spool, plan, publishing)
    if published_urls is None and not observer.wants_changes:
        counts = {**dict.fromkeys(UrlChange, 0), UrlChange.ADDED: stats.listed}
    else:
        counts = _count_changes(files, stats, spool, plan, previous, observer)
    outcome = Outcome(stats, files, counts, published_urls, project, observer.wants_changes)
    summary = Summary(
        site=site.root,
        sitemap=site.output.sitemap_url,
        listed=stats.listed,
        excluded=stats.excluded,
        pruned=stats.pruned,
        files=_list_changes(files, run),
        warnings=(*stats.warnings, *list_warnings(outcome, site, run)),
        notes=(*stats.notes, *list_notes(outcome, site, run, spool)),
        previous=published_urls,
        changes=counts,
        dated=stats.dated or dict.fromkeys(site.date_sources, 0),
        detected=site.found,
    )
    return summary, [of.file for of in files.compared]


def _find_project(root: str) -> str:
    """Evidence that the site's folder is a project and not the built site, "" if there is none."""
    for generator, file in generators_in(root, frozenset(os.listdir(root))):
        if not generator.is_weak:
            folder = generator.output[0]
            return f"{file} ({generator.name} writes to {folder}/)"
    return ""


def _list_changes(files: PlannedFiles, run: Run) -> tuple[FileChange, ...]:
    """What happens to each file, by its name in the output or, outside of it, its path."""
    changed = []
    for file, change in files.compared:
        name = run.display(file.name) if os.path.isabs(file.name) else file.name
        changed.append(FileChange(name, change, file.urls, file.size))
    changed += [FileChange(name, Change.REMOVED) for name in files.removed]
    return tuple(changed)


def _count_changes(
    files: PlannedFiles,
    stats: RunStats,
    spool: Spool,
    plan: Plan,
    previous: Previous,
    observer: Observer,
) -> dict[UrlChange, int]:
    """The number of URLs added, changed and removed. The observer gets each of them."""
    counts = dict.fromkeys(UrlChange, 0)
    rows = changes.LedgerRows(stats.ledger, spool, plan.policy.locator)
    for change, url, before, after in changes.compute_changes(files.compared, rows, previous):
        observer.changed(change, url, before, after)
        counts[change] += 1
    return counts
