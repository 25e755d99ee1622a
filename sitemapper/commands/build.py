"""`build`: find the site; then read, select and date its pages; then publish."""

from datetime import datetime
from functools import partial

from ..errors import GuardError
from ..find.load import Setup
from ..find.plan import make_plan
from ..messages import Kind, Message
from ..model import Summary
from ..observer import Observer
from ..plan import Plan
from ..publish.publishing import open_publishing
from ..publish.shards import Cutter, Spool
from ..publish.summary import summarize
from ..publish.write import os_errors_as_publish_error, write
from ..run.conclude import conclude
from ..run.rows import open_rows
from ..run.stream import batch_results
from ..tally import Tally


def build(
    setup: Setup,
    *,
    now: datetime,
    dry_run: bool = False,
    observer: Observer | None = None,
) -> Summary:
    """Builds and publishes the sitemaps of a site, and returns a summary of what has changed.

    A dry run only says what would change. `now` is the time of the run, and `observer` is called
    for each event. Raises SitemapperError for errors that a user can fix. Published files then stay
    as they are.
    """
    observer = observer or Observer()
    site, run, settings = setup.site, setup.run, setup.settings
    output = site.output
    with open_publishing(site, run, settings.previous, is_dry=dry_run) as publishing:
        # Find. It ends with a plan, after which nothing is looked for any more.
        plan = make_plan(
            setup,
            now,
            publishing.ledger,
            locks=publishing.locks.descriptors,
            wants_details=observer.wants_details,
        )
        tally = Tally()
        tally.warn([*plan.diagnostics, *publishing.locks.warnings])
        tally.notes += [*plan.notes, *publishing.notes]

        # Entries wait in temporary files until all pages are read. Those of a dry run are in the
        # system's folder for such files.
        spool_folder = None if dry_run else output.folder
        with os_errors_as_publish_error(output), Spool(spool_folder) as spool:
            # Read, select and date each page.
            _process_pages(plan, spool, tally, observer)
            conclude(tally, plan)

            # Publish: compare with what is there, and replace what differs.
            observer.phase("writing")
            summary, files = summarize(tally, spool, plan, publishing, observer)
            if settings.check.required and not run.is_check:
                _check_required(setup, now)
            lists = observer.files(summary)  # such as the list of `--changes`, also of a dry run
            replaced = () if dry_run else files.replaced
            removed = () if dry_run else files.removed
            write(replaced, removed, spool, output.folder, lists=lists)
            return summary


def _process_pages(plan: Plan, spool: Spool, tally: Tally, observer: Observer) -> None:
    """Reads, selects, dates and renders each page of the site, and cuts the entries into shards.

    A shard is a group of entries that becomes one file. Fills `tally` with numbers, shards and
    messages, and the temporary files of `spool` with the bytes of sitemaps and ledger. `observer`
    gets the events that users see, such as each excluded page.
    """
    cutter = Cutter(spool, plan.site.output)
    on_dating = partial(observer.phase, "dating")
    with open_rows(plan, on_dating) as rows:
        observer.phase("reading" if plan.read_options.reads else "listing")
        for result in batch_results(plan, rows):  # each is for some hundred pages
            tally.add(result)
            for excluded in result.excluded:
                observer.excluded(excluded)
            if result.details:  # only for an observer that wants them
                observer.details(result.details)
            observer.walked(result.listed + len(result.excluded))
            # The bytes of the ledger, and of the sitemaps.
            spool.append(tally.ledger.series, result.ledger)
            for entries in result.entries:
                cutter.add(entries)
    tally.warn(rows.diagnostics)
    tally.notes += rows.notes
    tally.ledger_rows = rows.ledger_rows
    tally.no_git = rows.no_git
    tally.shards = cutter.close()
    # A new page in a full shard moves its last entry into the next one, so that several files
    # change. A note says so.
    if cutter.cuts_at_limit:
        tally.notes.append(Message(Kind.SPLIT, cases=cutter.cuts_at_limit))


def _check_required(setup: Setup, now: datetime) -> None:
    """Raises GuardError if a URL of `[check] required` would not be listed, with the reason."""
    # Imported here: few sites have required URLs, and `explain` imports this module.
    from .explain import list_missing

    missing = list(list_missing(setup, now))
    if missing:
        raise GuardError(
            f"[check] required: {'; '.join(missing)}, so nothing was published",
            "list the page again, or take its URL out of `required`",
        )
