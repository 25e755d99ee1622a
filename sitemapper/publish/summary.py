"""What publishing would change: the files, the URLs, and what there is to say about them."""

import os

from ..model import Change, FileChange, Summary
from ..observer import Observer
from ..plan import Plan
from ..site import Run
from ..tally import Tally
from .files import PlannedFiles, plan_files
from .losses import check_ledger, check_losses, check_pages
from .messages import list_notes, list_warnings
from .publishing import Publishing
from .shards import OutputFile, Spool
from .url_changes import compare_urls


def summarize(
    tally: Tally, spool: Spool, plan: Plan, publishing: Publishing, observer: Observer
) -> tuple[Summary, list[OutputFile]]:
    """Compares all that a run would publish with what is there. Writes nothing.

    Returns the summary of the changes, and the files in the order of publishing. Raises GuardError
    if the sitemap would have no page, or lose too many URLs or dates. Raises PublishError if
    another tool's sitemap has the name of ours.
    """
    site, run = plan.site, publishing.run
    check_pages(tally, plan, allow_empty=run.allow_empty)
    files = plan_files(tally, spool, plan, publishing)
    rows, rows_of_this_site = tally.ledger_rows
    if rows and not rows_of_this_site:
        check_ledger(tally, plan)  # with the ledger of another site, all URLs would seem to be gone
    urls = compare_urls(files, tally, spool, plan, publishing.previous, observer)
    check_losses(urls, tally, plan, publishing)
    summary = Summary(
        site=site.root,
        sitemap=site.output.sitemap_url,
        listed=tally.listed,
        excluded=tally.excluded,
        pruned=tally.pruned,
        files=_list_changes(files, run),
        warnings=(*tally.warnings, *list_warnings(urls, files, tally, plan, publishing)),
        notes=(*tally.notes, *list_notes(urls, files, plan, publishing, spool)),
        previous=urls.previous,
        changes=urls.counts,
        dated=tally.dated or dict.fromkeys(site.date_sources, 0),
        detected=site.found,
        unmatched=tuple(tally.unmatched),
        compared_with=publishing.previous.place,
        cross_posts=tally.cross_posts,
        gone=urls.gone,
    )
    return summary, [of.file for of in files.compared]


def _list_changes(files: PlannedFiles, run: Run) -> tuple[FileChange, ...]:
    """What happens to each file: first those to publish, in their order, then those to remove.

    A file is named as in the output, and the ledger, which may be elsewhere, by its path.
    """
    changed = []
    for file, change in files.compared:
        name = run.display(file.name) if os.path.isabs(file.name) else file.name
        changed.append(FileChange(name, change, file.urls, file.size))
    changed += [FileChange(name, Change.REMOVED) for name in files.removed]
    return tuple(changed)
