"""Runs a batch of pages through every stage:

verdicts, dates, bytes. Pure except for reading pages.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from ..lastmod.resolve import DateResult, resolve_dates
from ..model import Batch, BatchResult, LastMod, Listed, RenderedEntries, ShardSeries
from ..pages.evaluate import BatchVerdicts, evaluate_batch
from ..site import server, walk
from ..syntax.urls import comparison_key
from .details import batch_details, page_values
from .plan import Plan


def process(batch: Batch, plan: Plan) -> BatchResult:
    """The result of one batch after every stage. Runs on any executor."""
    verdicts, dates = decide(batch, plan)
    drop = plan.origins.drop
    dropped = {drop[n] for facts in verdicts.facts for n in facts.dropped} if drop else set()
    excluded = sorted([*batch.excluded, *verdicts.excluded], key=walk.sort_key)
    keys = (
        ((comparison_key(entry.loc), entry.path) for entry in verdicts.listed) if plan.extra else ()
    )
    extra_owners = [(key, path) for key, path in keys if key in plan.extra]
    details = None
    if plan.wants_details:
        values = page_values(verdicts, dates, plan)
        details = batch_details(verdicts.listed, excluded, dates, values, plan.date_policy.now)
    return BatchResult(
        entries=list(render_entries(verdicts.listed, dates.lastmods, plan)),
        listed=len(verdicts.listed),
        excluded=excluded,
        diagnostics=[*dates.diagnostics, *verdicts.diagnostics],
        extra_owners=extra_owners,
        seconds=dates.seconds,
        records=verdicts.records,
        versions=verdicts.versions,
        ledger=dates.ledger,
        dated=dates.counts,
        omitted=dates.omitted,
        parsed=verdicts.parsed,
        effective=verdicts.rules
        | dropped
        | plan.root.listed_beside_html(page.path for page in batch.pages),
        details=details,
    )


def is_listed(plan: Plan, path: str) -> bool:
    """Whether a page of the site is listed, evaluated alone."""
    page = server.find_page(plan.root, path)
    return page is not None and bool(decide(Batch([page], (), {}), plan)[0].listed)


def decide(batch: Batch, plan: Plan) -> tuple[BatchVerdicts, DateResult]:
    """The verdicts on a batch and the dates of listed pages: the stages that `explain` shows.

    Only listed pages are dated, so that others are not counted and cause no warnings.
    """
    locs = plan.policy.locator.locs([page.path for page in batch.pages])
    verdicts = evaluate_batch(batch, locs, plan.policy, plan.read_options, plan.root)
    return verdicts, resolve_dates(batch, verdicts.listed, verdicts.facts, plan.date_policy)


def render_entries(
    listed: Sequence[Listed], dates: Sequence[LastMod | None], plan: Plan
) -> Iterator[RenderedEntries]:
    """The entries with their dates as bytes, for each section and format with entries."""
    if not listed:
        return
    is_stable = plan.site.output.options.strategy == "stable"
    by_section: dict[str, list[int]] = {}
    for n, entry in enumerate(listed if plan.policy.sections.values else ()):
        by_section.setdefault(entry.section, []).append(n)
    for form in plan.formats:
        has_sections = by_section and form.indexed
        parts: Mapping[str, Sequence[int]] = (
            by_section if has_sections else {"": range(len(listed))}
        )
        for section, places in parts.items():
            entries, lastmods = listed, dates
            if len(places) < len(listed):
                entries, lastmods = [listed[n] for n in places], [dates[n] for n in places]
            rows = form.render(entries, lastmods)
            locs = [entry.loc for entry in entries] if is_stable and form.indexed else ()
            data, ends = "".join(rows).encode("ascii"), list(accumulate(map(len, rows)))
            yield RenderedEntries(ShardSeries(form.extension, section), data, ends, lastmods, locs)
