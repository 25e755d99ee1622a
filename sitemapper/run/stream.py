"""The batches of a run with their results: walked, joined with their rows, processed, in order."""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from ..lastmod.ledger import render_extra
from ..model import Batch, BatchResult, Excluded, Listed
from ..plan import Plan
from ..read import walk
from ..select.extra import select_extra
from ..syntax.html import tune_malloc
from .details import batch_details, extra_values
from .process import process, render_entries
from .rows import Rows, open_rows

# Pages that this process parses before it starts others. For fewer, the start takes too long.
MIN_PARSED = 100
# A new theme changes nearly all of the pages that were compared. One page alone may be an edit.
_NEARLY_ALL = 0.9
_MIN_CHANGED = 2


def batch_results(plan: Plan, rows: Rows) -> Iterator[BatchResult]:
    """Yields the results of all pages, batch by batch, and last that of the extra URLs.

    Extra URLs are those that the user lists in `[[urls]]`. One that is also the URL of a page is
    left out, so the pages come first.
    """
    # {key of an extra URL: path of the page with the same URL}
    page_by_extra_key: dict[str, str] = {}
    for result in _results_of_pages(plan, rows):
        page_by_extra_key |= result.extra_owners
        yield result
    # The ledger may have rows after that of the last page, as for an ignored folder zoo/.
    rows_not_walked = rows.finish()
    yield _build_extra_result(plan, page_by_extra_key, rows_not_walked)


def _results_of_pages(plan: Plan, rows: Rows) -> Iterator[BatchResult]:
    """Yields the result of each batch in walk order, with the dates that are right for this run.

    A page that changed since the last build may get the time of this build as its date. But if
    nearly all pages changed, there is a new theme, and no page gets this time. The first thousand
    pages show whether there is one, so no result is yielded until these are processed.
    """
    results = _process_walk(plan, rows)
    first_results: list[tuple[Batch, BatchResult]] = []
    if plan.date_policy.dates_changes_by_build:
        first_results = list(_results_of_first_pages(results, plan))
    is_new_theme = _are_nearly_all_changed(first_results)
    # First the results that were taken from `results` above, then those that are still in it.
    for _batch, result in chain(first_results, results):
        if is_new_theme and result.after_new_theme:  # None if the dates are the same
            yield result.after_new_theme
        else:
            yield result


def _process_walk(plan: Plan, rows: Rows) -> Iterator[tuple[Batch, BatchResult]]:
    """Walks the site, and yields its batches with their results, in walk order."""
    size = walk.BATCH
    if plan.read_options.reads:
        size = max(1, walk.BATCH // 4)  # reading takes longer than listing
    batches = rows.attach_all(walk.resize_batches(walk.walk(plan.root, plan.beginning), size))
    for batch, result in process_all(plan, batches):
        # Before the next batch, because it may ask for what this batch read of its pages.
        rows.store(result)
        yield batch, result


def _results_of_first_pages(
    results: Iterable[tuple[Batch, BatchResult]], plan: Plan
) -> Iterator[tuple[Batch, BatchResult]]:
    """Takes results until the first thousand pages of the site are among them, and yields these.

    These pages are a sample: they show whether nearly all pages of the site changed, as by a new
    theme. Whole batches are taken, so there may be some more pages. With fewer pages in the site,
    all results are taken.
    """
    for batch, result in results:
        yield batch, result
        if batch.pages and walk.sort_key(batch.pages[-1]) >= plan.key_of_thousandth_page:
            return


def _are_nearly_all_changed(results: Iterable[tuple[Batch, BatchResult]]) -> bool:
    """Whether nearly all of the site's first thousand pages are new or changed, as by a new theme.

    `results` are those of the batches that have these pages. False if there are none.
    """
    listed = 0
    changed = 0
    for _batch, result in results:
        listed += result.first_pages
        changed += result.changed_first_pages
    return changed >= max(_MIN_CHANGED, _NEARLY_ALL * listed)


def has_new_theme(plan: Plan) -> bool:
    """Whether a build would find nearly all of the first thousand pages changed, as by a new theme.

    `explain` asks this, because the date of a page depends on it. `explain` itself reads one page
    only, so this function reads and compares the others.
    """
    with open_rows(plan) as rows:
        results = _process_walk(plan, rows)
        return _are_nearly_all_changed(_results_of_first_pages(results, plan))


def process_all(plan: Plan, batches: Iterable[Batch]) -> Iterator[tuple[Batch, BatchResult]]:
    """Processes batches, and yields each with its result, in order.

    - With --scheduler, or --jobs 2 or more, other machines or processes do all the work.
    - With --jobs 1, or on one core, this process does all the work.
    - Otherwise, this process does the first batches, until it has parsed 100 pages. Other processes
      do the rest. For few pages, to start them would take longer than the work.
    """
    has_cluster = plan.scheduler is not None
    has_user_asked_for_others = has_cluster or plan.jobs > 1
    cores = _available_cores()
    may_start_others = has_cluster or (plan.jobs or cores) > 1  # `jobs` is 0 if it is not set
    parsed = 0
    remaining = iter(batches)
    for batch in remaining:
        if has_user_asked_for_others or (may_start_others and parsed >= MIN_PARSED):
            # Imported here: a small site needs no other process.
            from .pool import process_in_pool

            yield from process_in_pool(process, plan, chain([batch], remaining), cores)
            return
        if parsed:  # this run parses pages: keep freed memory for the next tree
            tune_malloc()
        result = process(batch, plan)
        parsed += result.parsed
        yield batch, result


def _available_cores() -> int:
    """Counts the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _build_extra_result(
    plan: Plan, page_by_extra_key: Mapping[str, str], rows_not_walked: bytes
) -> BatchResult:
    """Makes the last result of a run: that of the extra URLs, which the user lists in `[[urls]]`.

    If an extra URL is also the URL of a listed page, `page_by_extra_key` has the path of the page,
    by the key of the URL in `plan.extra`. Such an extra URL is excluded, so that no URL is listed
    twice. `rows_not_walked` are rows of the ledger to keep, of pages that the run did not walk.
    """
    selected = [
        (
            extra,
            select_extra(
                extra, plan.policy, plan.read_options, plan.root, page_by_extra_key.get(key)
            ),
        )
        for key, extra in plan.extra.items()
    ]
    listed = [entry for _, entry in selected if isinstance(entry, Listed)]
    excluded = [entry for _, entry in selected if isinstance(entry, Excluded)]
    lastmods = [entry.lastmod for entry in listed]
    ledger = rows_not_walked
    if "ledger" in plan.date_policy.sources:
        ledger += render_extra(listed)
    details = None
    if plan.wants_details:  # for a report
        details = batch_details(
            # An extra URL has no path in the site, so a report shows the URL in its place.
            listed=[entry._replace(path=entry.loc) for entry in listed],
            excluded=excluded,
            lastmods=lastmods,
            sources=["configuration"] * len(listed),
            values=[extra_values(extra) for extra, entry in selected if isinstance(entry, Listed)],
            now=plan.date_policy.now,
        )
    return BatchResult(
        entries=list(render_entries(listed, lastmods, plan)),
        listed=len(listed),
        excluded=excluded,
        ledger=ledger,
        details=details,
    )
