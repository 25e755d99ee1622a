"""The batches of a run with their results: walked, joined with their rows, processed, in order."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ..lastmod.ledger import render_extra
from ..lastmod.resolve import BatchDates
from ..model import Batch, BatchDetails, BatchResult, Excluded, Listed
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
    """Yields the results of all batches in walk order, and last that of the extra URLs.

    If nearly all of the first thousand pages are new or changed, the reason is a new theme, and the
    time of the build is the date of none. Then each batch yields its result in `if_all_changed`
    instead of the usual one. The first results are held back until this is decided.
    """
    # The extra URLs that are also the URL of a page: the page's path, by the URL's comparison key.
    owners: dict[str, str] = {}
    results = _process_walk(plan, rows)
    # First the batches of the first thousand pages, and then, in the loop, the others.
    first_results = list(_results_of_first_pages(results, plan))
    are_all_changed = _are_nearly_all_changed(first_results)
    for _, usual_result in chain(first_results, results):
        result = usual_result
        if are_all_changed and usual_result.if_all_changed:
            result = usual_result.if_all_changed
        owners |= result.extra_owners
        yield result
    yield _build_extra_result(plan, owners, rows.finish())


def _process_walk(plan: Plan, rows: Rows) -> Iterator[tuple[Batch, BatchResult]]:
    """Walks the site, and yields its batches with their results, in walk order.

    What a batch read of its pages is stored in the cache before the next batch is yielded.
    """
    size = walk.BATCH
    if plan.read_options.reads:
        size = max(1, walk.BATCH // 4)  # reading takes longer than listing
    batches = rows.attach_all(walk.batches(walk.walk(plan.root, plan.beginning), size))
    for batch, result in process_all(plan, batches):
        rows.store(batch, result)  # before later batches ask for what this one read of them
        yield batch, result


def _results_of_first_pages(
    results: Iterable[tuple[Batch, BatchResult]], plan: Plan
) -> Iterator[tuple[Batch, BatchResult]]:
    """Takes the first results, up to the batch that has the thousandth page of the site.

    Yields nothing if the dates do not depend on how many pages changed.
    """
    if not plan.date_policy.dates_changes_by_build:
        return
    for batch, result in results:
        yield batch, result
        if batch.pages and walk.sort_key(batch.pages[-1]) >= plan.last_compared:
            return


def _are_nearly_all_changed(results: Iterable[tuple[Batch, BatchResult]]) -> bool:
    """Whether nearly all of the site's first thousand pages are new or changed, as by a new theme.

    `results` are those of the batches that have these pages. False if there are none.
    """
    # `compared` of a result is a pair: how many pages are among the first thousand, and how many of
    # these changed.
    listed = 0
    changed = 0
    for _, result in results:
        listed_here, changed_here = result.compared
        listed += listed_here
        changed += changed_here
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

    --scheduler, or --jobs 2    other machines or processes do all the work
    --jobs 1, or one core       this process does all the work
    otherwise                   this process parses 100 pages, and others do the rest
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
        if parsed:  # so this run parses pages, and needs memory for their trees
            tune_malloc()
        result = process(batch, plan)
        parsed += result.parsed
        yield batch, result


def _available_cores() -> int:
    """Counts the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _build_extra_result(plan: Plan, owners: Mapping[str, str], last_rows: bytes) -> BatchResult:
    """Makes the last result of a run: that of the extra URLs of the configuration.

    `owners` are the paths of pages that have an extra URL as their own, by the URL's comparison
    key. Such a URL is listed with its page, and excluded here. `last_rows` are the rows of the
    ledger that come after the last batch. The rows of extra URLs are written after them.
    """
    selected = [
        select_extra(extra, plan.policy, plan.read_options, plan.root, owners.get(key))
        for key, extra in plan.extra.items()
    ]
    listed = [entry for entry in selected if isinstance(entry, Listed)]
    excluded = [entry for entry in selected if isinstance(entry, Excluded)]
    dates = [entry.lastmod for entry in listed]
    rows = last_rows
    if "ledger" in plan.date_policy.sources:
        rows += render_extra(listed)
    details = None
    if plan.wants_details:
        details = _extra_details(plan, listed, excluded)
    return BatchResult(
        entries=list(render_entries(listed, dates, plan)),
        listed=len(listed),
        excluded=excluded,
        diagnostics=(),
        ledger=rows,
        details=details,
    )


def _extra_details(
    plan: Plan, listed: Sequence[Listed], excluded: Sequence[Excluded]
) -> BatchDetails:
    """Makes the counts and values of the extra URLs for a report.

    In the report, an extra URL has the URL itself as its path. Its date needs no source, because
    `batch_details` counts a date without one as set in the configuration.
    """
    locs = {entry.loc for entry in listed}
    values = [extra_values(extra) for extra in plan.extra.values() if extra.listed.loc in locs]
    lastmods = [entry.lastmod for entry in listed]
    count = len(listed)
    dates = BatchDates(lastmods, sources=[""] * count, causes=[None] * count)
    urls = [entry._replace(path=entry.loc) for entry in listed]
    return batch_details(urls, excluded, dates, values, plan.date_policy.now)
