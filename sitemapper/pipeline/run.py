"""The whole run: a stream of batches that are processed, counted, cut into shards and spooled."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from ..errors import with_help
from ..lastmod import build_times
from ..lastmod.ledger import render_extra
from ..lastmod.resolve import DateResult
from ..model import (
    Batch,
    BatchResult,
    Excluded,
    Listed,
    Origin,
    Page,
    Reason,
    ShardSeries,
    WarningKind,
)
from ..output.shards import STABLE_MEAN_URLS, Sharder, Spool, limits_of
from ..pages.extra import Extra
from ..pages.overrides import first_section
from ..project.generators import ALL
from ..setup.doubts import find_doubts
from ..site import server, walk
from ..syntax.gitignore import BUILT_IN
from ..syntax.html import tune_malloc
from .details import batch_details, extra_values
from .evidence import Evidence, open_evidence
from .observer import Observer
from .plan import Plan, available_cores
from .process import decide, process, render_entries
from .stats import RunStats

FIRST_PAGES = 20  # pages whose links are read
MIN_PARSED = (
    100  # pages that this process parses alone, because for fewer, starting others does not pay
)


def run(plan: Plan, spool: Spool, observer: Observer, cache: str | None) -> RunStats:
    """Runs the whole stream into a spool. `cache` is the folder of records.

    Runs it once more if the first pages were wrong about file times of a build. Raises
    SitemapperError for errors that a user can cause.
    """
    policy, file_times = plan.date_policy, plan.file_times
    stats = stream(plan, spool, observer, cache)
    omits = build_times.are_found(stats.histogram("mtime"), stats.listed, file_times, policy.now)
    if omits != policy.omits_file_times:
        spool.clear()
        observer.restart()
        plan = plan._replace(date_policy=policy._replace(omits_file_times=omits))
        stats = stream(plan, spool, observer, cache)
    if stats.omitted:
        plugin = next(
            (generator.plugin for generator in ALL if generator.name == plan.site.generator), ""
        )
        times = stats.histogram("mtime")
        stats.notes.append(build_times.note(times, stats.omitted, file_times, stats.no_git, plugin))
    if plan.site.date_sources == ("ledger",) and stats.listed and not stats.dated:
        what = "the ledger alone cannot date a first build"
        stats.notes.append(with_help(what, 'write lastmod = ["ledger", "mtime"]'))
    dated = [(source, stats.histogram(source)) for source in stats.dated]
    stats.warn(build_times.warnings(dated, stats.listed, file_times))
    if not any(
        text.startswith("!") for text in plan.site.include
    ):  # because that only removes files
        included = (Origin("include", None, text) for text in plan.site.include)
        stats.warn(stats.unused(included, WarningKind.INCLUDE))
    stats.warn(
        stats.unused(_origins_to_use(plan, {shard.series.section for shard in stats.shards}))
    )
    return stats


def _origins_to_use(plan: Plan, sections: Container[str]) -> Iterator[Origin]:
    """The user's entries that should have an effect: patterns, rules, selectors, other sections."""
    own_lines = (line for line in plan.site.ignore if not line.origin.source.startswith(BUILT_IN))
    yield from (line.origin for line in own_lines if line.text.strip() and line.text[0] not in "#!")
    yield from (rule.origin for rule in plan.policy.rules.values)
    named = zip(plan.site.output.sections, plan.origins.sections, strict=True)
    yield from (origin for section, origin in named if section not in sections)
    selectors = plan.origins.drop if plan.read_options.digest else ()
    yield from (origin for origin in selectors if not origin.source.startswith(BUILT_IN))


def stream(plan: Plan, spool: Spool, observer: Observer, cache: str | None) -> RunStats:
    """Walks, processes, counts and cuts every page once. The extra URLs come last."""
    stats = RunStats()
    stats.notes += plan.notes
    stats.warn(plan.diagnostics)
    sharders: dict[ShardSeries, Sharder] = {}
    with open_evidence(plan, cache, partial(observer.phase, "dating")) as evidence:
        observer.phase("reading" if plan.read_options.reads else "listing")
        for result in batch_results(plan, evidence):
            stats.add(result)
            spool.append(stats.ledger.series, result.ledger)
            for excluded in result.excluded:
                observer.excluded(excluded)
            if result.details:
                observer.details(result.details)
            for entries in result.entries:
                series = entries.series
                if series not in sharders:
                    mean = STABLE_MEAN_URLS if entries.locs else 0
                    sharders[series] = Sharder(series, limits_of(series, plan.site.output), mean)
                sharders[series].add(entries)
                spool.append(series, entries.data)
            observer.walked(result.listed + len(result.excluded))
    stats.warn(evidence.diagnostics)
    order = ["", *plan.site.output.sections]
    ordered = sorted(sharders.values(), key=lambda sharder: order.index(sharder.series.section))
    stats.shards = [shard for sharder in ordered for shard in sharder.close()]
    stats.ledger_rows = evidence.ledger_rows
    stats.no_git = evidence.no_git
    stats.notes += evidence.notes
    if cuts := sum(sharder.forced for sharder in ordered):
        count = f"{cuts} sitemaps were" if cuts > 1 else "1 sitemap was"
        stats.notes.append(f"{count} split at a limit, so the next one changes, too")
    return stats


def batch_results(plan: Plan, evidence: Evidence) -> Iterator[BatchResult]:
    """The processed batches in walk order, then the extra URLs that no page of the site has."""
    owners: dict[str, str] = {}
    size = max(1, walk.BATCH // 4) if plan.read_options.reads else walk.BATCH
    batches = map(evidence.attach, walk.batches(walk.walk(plan.root), size))
    first: list[Page] = []
    for batch, result in process_all(plan, batches):
        evidence.store(batch, result)
        first += batch.pages[: FIRST_PAGES - len(first)]
        owners |= result.extra_owners
        yield result
    evidence.finish()
    yield _extra_result(plan, owners, first)


def process_all(plan: Plan, batches: Iterable[Batch]) -> Iterator[tuple[Batch, BatchResult]]:
    """Each batch with its result, in order. Starts other processes once they are worth it."""
    jobs, has_cluster = plan.jobs, plan.scheduler is not None
    parsed = MIN_PARSED if jobs > 1 or has_cluster else 0
    is_alone = (jobs or available_cores()) == 1 and not has_cluster
    remaining = iter(batches)
    for batch in remaining:
        if parsed >= MIN_PARSED and not is_alone:
            # Imported here: a small site needs no other process.
            from .pool import process_in_pool

            yield from process_in_pool(process, plan, chain([batch], remaining))
            return
        if parsed:
            tune_malloc()
        result = process(batch, plan)
        parsed += result.parsed
        yield batch, result


def _extra_result(plan: Plan, owners: Mapping[str, str], first: Sequence[Page]) -> BatchResult:
    """The extra URLs as one more batch, with the doubts raised by the links of the `first` pages."""
    verdicts = [evaluate_extra(extra, plan, owners.get(key)) for key, extra in plan.extra.items()]
    listed = [verdict for verdict in verdicts if isinstance(verdict, Listed)]
    excluded = [verdict for verdict in verdicts if isinstance(verdict, Excluded)]
    dates = [entry.lastmod for entry in listed]
    doubts = tuple(find_doubts(first, plan.reader)) if plan.checks_links else ()
    details = None
    if plan.wants_details:
        extras = zip(plan.extra.values(), verdicts, strict=True)
        values = [extra_values(extra) for extra, verdict in extras if isinstance(verdict, Listed)]
        urls = [entry._replace(path=entry.loc) for entry in listed]
        details = batch_details(
            urls, excluded, DateResult(dates, {}, ()), values, plan.date_policy.now
        )
    entries = list(render_entries(listed, dates, plan))
    rows = render_extra(listed) if "ledger" in plan.date_policy.sources else b""
    return BatchResult(entries, len(listed), excluded, doubts, ledger=rows, details=details)


def evaluate_extra(extra: Extra, plan: Plan, owner: str | None = None) -> Listed | Excluded:
    """The verdict on an extra URL. A page, robots.txt or its own file may exclude it."""
    section = first_section(plan.policy.sections, extra.listed.path)
    listed = extra.listed._replace(section=section)
    loc = listed.loc
    if owner:
        return Excluded(loc, Reason.DUPLICATE, extra.where._replace(text=f"is the URL of {owner}"))
    line = plan.policy.crawling.forbids(loc) if plan.policy.crawling else None
    if line:
        return Excluded(loc, Reason.ROBOTS, line)
    path = plan.policy.locator.path_of(loc)
    file = None if path is None else server.file_for_url_path(plan.root, path)
    page = None if file is None else server.find_page(plan.root, file)
    excluded = decide(Batch([page], [], {}), plan)[0].excluded if page else ()
    return Excluded(loc, excluded[0].reason, excluded[0].origin) if excluded else listed
