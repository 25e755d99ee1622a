"""The whole run: a stream of batches that are processed, counted, cut into shards and spooled."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from ..errors import with_help
from ..lastmod import build_times
from ..lastmod.ledger import render_extra
from ..lastmod.resolve import DateResult
from ..model import (
    Batch,
    BatchDetails,
    BatchResult,
    Diagnostic,
    Excluded,
    Listed,
    Origin,
    Page,
    Reason,
    RenderedEntries,
    Shard,
    ShardSeries,
    WarningKind,
)
from ..output.shards import STABLE_MEAN_URLS, Sharder, Spool, limits_of
from ..pages.extra import Extra
from ..pages.overrides import first_section
from ..project.generators import ALL
from ..setup.doubts import find_doubts
from ..site import server, walk
from ..syntax.gitignore import BUILT_IN, Line
from ..syntax.html import tune_malloc
from .details import batch_details, extra_values
from .evidence import Evidence, open_evidence
from .observer import Observer
from .plan import Plan, available_cores
from .process import decide, process, render_entries
from .stats import RunStats

FIRST_PAGES = 20  # pages whose links are read
# Pages that this process parses alone, because for fewer, starting others does not pay.
MIN_PARSED = 100


def run(plan: Plan, spool: Spool, observer: Observer, cache: str | None) -> RunStats:
    """Runs the whole stream into a spool. `cache` is the folder of records.

    Runs it once more if the first pages were wrong about file times of a build. Raises
    SitemapperError for errors that a user can cause.
    """
    policy = plan.date_policy
    stats = stream(plan, spool, observer, cache)
    times = stats.histogram("mtime")
    omits = build_times.are_found(times, stats.listed, plan.file_times, policy.now)
    if omits != policy.omits_file_times:
        spool.clear()
        observer.restart()
        plan = plan._replace(date_policy=policy._replace(omits_file_times=omits))
        stats = stream(plan, spool, observer, cache)
    stats.notes += _notes_on_dates(stats, plan)
    dated = [(source, stats.histogram(source)) for source in stats.dated]
    stats.warn(build_times.warnings(dated, stats.listed, plan.file_times))
    stats.warn(stats.unused(_include_origins(plan), WarningKind.INCLUDE))
    stats.warn(stats.unused(_origins_to_use(plan, stats.shards)))
    return stats


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
            _show(result, observer)
            spool.append(stats.ledger.series, result.ledger)
            for entries in result.entries:
                _sharder_of(entries, sharders, plan).add(entries)
                spool.append(entries.series, entries.data)
    stats.warn(evidence.diagnostics)
    stats.ledger_rows = evidence.ledger_rows
    stats.no_git = evidence.no_git
    stats.notes += evidence.notes
    _close_shards(sharders, stats, plan)
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
    has_cluster = plan.scheduler is not None
    is_alone = not has_cluster and (plan.jobs or available_cores()) == 1
    parsed = 0
    if has_cluster or plan.jobs > 1:
        parsed = MIN_PARSED  # others are asked for, whether they pay or not
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


def _show(result: BatchResult, observer: Observer) -> None:
    """Tells the observer of a batch."""
    for excluded in result.excluded:
        observer.excluded(excluded)
    if result.details:
        observer.details(result.details)
    observer.walked(result.listed + len(result.excluded))


def _sharder_of(
    entries: RenderedEntries, sharders: dict[ShardSeries, Sharder], plan: Plan
) -> Sharder:
    """The sharder for the series of some entries. The first ones make it."""
    series = entries.series
    if series not in sharders:
        mean = STABLE_MEAN_URLS if entries.locs else 0
        sharders[series] = Sharder(series, limits_of(series, plan.site.output), mean)
    return sharders[series]


def _close_shards(sharders: Mapping[ShardSeries, Sharder], stats: RunStats, plan: Plan) -> None:
    """Cuts the rest, and records the shards in the order of the sections."""
    order = ["", *plan.site.output.sections]
    forced = 0
    for sharder in sorted(sharders.values(), key=lambda one: order.index(one.series.section)):
        stats.shards += sharder.close()
        forced += sharder.forced
    if forced:
        count = f"{forced} sitemaps were" if forced > 1 else "1 sitemap was"
        stats.notes.append(f"{count} split at a limit, so the next one changes, too")


def _notes_on_dates(stats: RunStats, plan: Plan) -> Iterator[str]:
    """Why pages have no date."""
    site = plan.site
    if stats.omitted:
        plugins = (generator.plugin for generator in ALL if generator.name == site.generator)
        times = stats.histogram("mtime")
        yield build_times.note(
            times, stats.omitted, plan.file_times, stats.no_git, next(plugins, "")
        )
    if site.date_sources == ("ledger",) and stats.listed and not stats.dated:
        what = "the ledger alone cannot date a first build"
        yield with_help(what, 'write lastmod = ["ledger", "mtime"]')


def _include_origins(plan: Plan) -> list[Origin]:
    """The user's patterns in `include` that should add files. None if some only remove them."""
    include = plan.site.include
    if any(text.startswith("!") for text in include):
        return []
    return [Origin("include", None, text) for text in include]


def _origins_to_use(plan: Plan, shards: Iterable[Shard]) -> Iterator[Origin]:
    """The user's entries that should have an effect: patterns, rules, sections, selectors.

    Sections that have shards had one.
    """
    yield from _ignoring_origins(plan.site.ignore)
    for rule in plan.policy.rules.values:
        yield rule.origin
    filled = {shard.series.section for shard in shards}
    for section, origin in zip(plan.site.output.sections, plan.origins.sections, strict=True):
        if section not in filled:
            yield origin
    if plan.read_options.digest:
        for origin in plan.origins.drop:
            if not origin.source.startswith(BUILT_IN):
                yield origin


def _ignoring_origins(lines: Iterable[Line]) -> Iterator[Origin]:
    """The user's lines that ignore something. Comments do not, nor do lines that include it."""
    for line in lines:
        is_own = not line.origin.source.startswith(BUILT_IN)
        is_blank = not line.text.strip()
        if is_own and not is_blank and not line.text.startswith(("#", "!")):
            yield line.origin


def _extra_result(plan: Plan, owners: Mapping[str, str], first: Sequence[Page]) -> BatchResult:
    """The extra URLs as one more batch, with the doubts that the `first` pages raise."""
    verdicts = [evaluate_extra(extra, plan, owners.get(key)) for key, extra in plan.extra.items()]
    listed = [verdict for verdict in verdicts if isinstance(verdict, Listed)]
    excluded = [verdict for verdict in verdicts if isinstance(verdict, Excluded)]
    dates = [entry.lastmod for entry in listed]
    doubts: list[Diagnostic] = []
    if plan.checks_links:
        doubts += find_doubts(first, plan.reader)
    rows = b""
    if "ledger" in plan.date_policy.sources:
        rows = render_extra(listed)
    details = None
    if plan.wants_details:
        details = _extra_details(plan, listed, excluded)
    return BatchResult(
        entries=list(render_entries(listed, dates, plan)),
        listed=len(listed),
        excluded=excluded,
        diagnostics=doubts,
        ledger=rows,
        details=details,
    )


def _extra_details(
    plan: Plan, listed: Sequence[Listed], excluded: Sequence[Excluded]
) -> BatchDetails:
    """The data of the extra URLs for a report."""
    locs = {entry.loc for entry in listed}
    values = [extra_values(extra) for extra in plan.extra.values() if extra.listed.loc in locs]
    dates = DateResult([entry.lastmod for entry in listed], {}, ())
    urls = [entry._replace(path=entry.loc) for entry in listed]
    return batch_details(urls, excluded, dates, values, plan.date_policy.now)


def evaluate_extra(extra: Extra, plan: Plan, owner: str | None = None) -> Listed | Excluded:
    """The verdict on an extra URL. A page, robots.txt or its own file may exclude it.

    `owner` is the path of the page that has this URL.
    """
    section = first_section(plan.policy.sections, extra.listed.path)
    listed = extra.listed._replace(section=section)
    loc = listed.loc
    if owner:
        return Excluded(loc, Reason.DUPLICATE, extra.where._replace(text=f"is the URL of {owner}"))
    closed_by = plan.policy.crawling.forbids(loc) if plan.policy.crawling else None
    if closed_by:
        return Excluded(loc, Reason.ROBOTS, closed_by)
    own_file = _exclusion_of_file(loc, plan)
    if own_file:
        return Excluded(loc, own_file.reason, own_file.origin)
    return listed


def _exclusion_of_file(loc: str, plan: Plan) -> Excluded | None:
    """Why the site's file at a URL is left out. None if it is not, or there is none."""
    path = plan.policy.locator.path_of(loc)
    if path is None:
        return None
    file = server.file_for_url_path(plan.root, path)
    if file is None:
        return None
    page = server.find_page(plan.root, file)
    if page is None:
        return None
    verdicts, _ = decide(Batch([page], [], {}), plan)
    return verdicts.excluded[0] if verdicts.excluded else None
