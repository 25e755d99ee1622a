"""The batches of a run with their results: walked, joined with their rows, processed, in order."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ..lastmod.file_times import changed_nearly_all
from ..lastmod.ledger import render_extra
from ..lastmod.resolve import BatchDates
from ..model import Batch, BatchDetails, BatchResult, Excluded, Listed
from ..plan import Plan
from ..read import walk
from ..select.alone import select_extra
from ..syntax.html import tune_malloc
from .details import batch_details, extra_values
from .process import process, render_entries
from .rows import Rows, open_rows

# Pages that this process parses alone, because for fewer, starting others does not pay.
MIN_PARSED = 100


def batch_results(plan: Plan, rows: Rows) -> Iterator[BatchResult]:
    """The processed batches in walk order, then the extra URLs that no page of the site has.

    If nearly all pages are new or changed, another theme changed them, and the time of the build
    dates none of them. Only the first thousand pages show that, so their results wait. Each result
    contains another one for this case.
    """
    owners: dict[str, str] = {}  # the paths of pages whose URL is also an extra one, by its key
    results = _process_walk(plan, rows)
    first_results = list(_until_last_compared(results, plan))
    are_all_changed = _are_nearly_all_changed(first_results)
    for _, processed in chain(first_results, results):
        result = processed
        if are_all_changed and processed.if_all_changed:
            result = processed.if_all_changed
        owners |= result.extra_owners
        yield result
    yield _extra_result(plan, owners, rows.finish())


def _process_walk(plan: Plan, rows: Rows) -> Iterator[tuple[Batch, BatchResult]]:
    """The batches of the site in walk order, with their results, whose records are stored."""
    size = walk.BATCH
    if plan.read_options.reads:
        size = max(1, walk.BATCH // 4)  # reading takes longer than listing
    batches = rows.attach_all(walk.batches(walk.walk(plan.root, plan.beginning), size))
    for batch, result in process_all(plan, batches):
        rows.store(batch, result)  # before later batches ask for what this one read of them
        yield batch, result


def _until_last_compared(
    results: Iterable[tuple[Batch, BatchResult]], plan: Plan
) -> Iterator[tuple[Batch, BatchResult]]:
    """The results of the first thousand pages. None if dates do not depend on what changed."""
    if not plan.date_policy.dates_changes_by_build:
        return
    for batch, result in results:
        yield batch, result
        if batch.pages and walk.sort_key(batch.pages[-1]) >= plan.last_compared:
            return


def _are_nearly_all_changed(results: Iterable[tuple[Batch, BatchResult]]) -> bool:
    """Whether nearly all of the first thousand pages are new or changed."""
    listed = 0
    changed = 0
    for _, result in results:
        listed_here, changed_here = result.compared
        listed += listed_here
        changed += changed_here
    return changed_nearly_all(changed, listed)


def has_new_theme(plan: Plan) -> bool:
    """Whether a build finds nearly all of the first thousand pages changed. Reads these pages."""
    with open_rows(plan) as rows:
        results = _process_walk(plan, rows)
        return _are_nearly_all_changed(_until_last_compared(results, plan))


def process_all(plan: Plan, batches: Iterable[Batch]) -> Iterator[tuple[Batch, BatchResult]]:
    """Each batch with its result, in order.

    This process works alone until it has parsed `MIN_PARSED` pages. Then other processes do the
    rest. If the user asks for a cluster or a number of processes, they do everything.
    """
    has_cluster = plan.scheduler is not None
    are_others_asked_for = has_cluster or plan.jobs > 1
    cores = _available_cores()
    may_start_others = has_cluster or (plan.jobs or cores) > 1
    parsed = 0
    remaining = iter(batches)
    for batch in remaining:
        if are_others_asked_for or (may_start_others and parsed >= MIN_PARSED):
            # Imported here: a small site needs no other process.
            from .pool import process_in_pool

            yield from process_in_pool(process, plan, chain([batch], remaining), cores)
            return
        if parsed:
            tune_malloc()
        result = process(batch, plan)
        parsed += result.parsed
        yield batch, result


def _available_cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _extra_result(plan: Plan, owners: Mapping[str, str], last_rows: bytes) -> BatchResult:
    """The extra URLs as one more batch.

    `owners` are the paths of pages that have an extra URL, by the key of this URL. `last_rows` are
    the rows of the ledger that come before those of extra URLs.
    """
    results = [
        select_extra(extra, plan.policy, plan.read_options, plan.root, owners.get(key))
        for key, extra in plan.extra.items()
    ]
    listed = [result for result in results if isinstance(result, Listed)]
    excluded = [result for result in results if isinstance(result, Excluded)]
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
    """The data of the extra URLs for a report."""
    locs = {entry.loc for entry in listed}
    values = [extra_values(extra) for extra in plan.extra.values() if extra.listed.loc in locs]
    lastmods = [entry.lastmod for entry in listed]
    count = len(listed)
    dates = BatchDates(lastmods, sources=[""] * count, causes=[None] * count)
    urls = [entry._replace(path=entry.loc) for entry in listed]
    return batch_details(urls, excluded, dates, values, plan.date_policy.now)
