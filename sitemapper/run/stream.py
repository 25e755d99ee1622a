"""The whole run: a stream of batches that are processed, counted, cut into shards and spooled."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from ..errors import with_help
from ..lastmod.file_times import changed_nearly_all
from ..lastmod.ledger import render_extra
from ..lastmod.resolve import DateResult
from ..lastmod.undated import describe_undated
from ..model import (
    Batch,
    BatchDetails,
    BatchResult,
    Diagnostic,
    Excluded,
    Listed,
    Origin,
    RenderedEntries,
    Shard,
    ShardSeries,
    WarningKind,
)
from ..observer import Observer
from ..plan import Plan
from ..publish.shards import STABLE_MEAN_URLS, Sharder, Spool, limits_of
from ..read import walk
from ..select.alone import select_extra
from ..site import Site
from ..syntax.gitignore import BUILT_IN, Line
from ..syntax.html import tune_malloc
from ..tally import RunStats
from .details import batch_details, extra_values
from .evidence import Evidence, open_evidence
from .process import process, render_entries

# Pages that this process parses alone, because for fewer, starting others does not pay.
MIN_PARSED = 100


def run(plan: Plan, spool: Spool, observer: Observer, cache: str | None) -> RunStats:
    """Runs the whole stream into a spool. `cache` is the folder of records.

    Raises SitemapperError for errors that a user can cause.
    """
    stats = stream(plan, spool, observer, cache)
    stats.notes += _notes_on_dates(stats, plan)
    stats.warn(_doubtful_dates(stats, plan.site))
    _judge_unused(stats, plan)
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
    owners: dict[str, str] = {}  # the paths of pages whose URL is also an extra one, by its key
    results = _process_walk(plan, evidence)
    first_results = list(_until_last_compared(results, plan))
    are_all_changed = _are_nearly_all_changed(first_results)
    for _, processed in chain(first_results, results):
        result = processed
        if are_all_changed and processed.if_all_changed:
            result = processed.if_all_changed
        owners |= result.extra_owners
        yield result
    evidence.finish()
    yield _extra_result(plan, owners)


def _process_walk(plan: Plan, evidence: Evidence) -> Iterator[tuple[Batch, BatchResult]]:
    """The batches of the site in walk order, with their results, whose records are stored."""
    size = walk.BATCH
    if plan.read_options.reads:
        size = max(1, walk.BATCH // 4)  # reading takes longer than listing
    batches = evidence.attach_all(walk.batches(walk.walk(plan.root, plan.beginning), size))
    for batch, result in process_all(plan, batches):
        evidence.store(batch, result)  # before later batches ask for what this one read of them
        yield batch, result


def _until_last_compared(
    results: Iterable[tuple[Batch, BatchResult]], plan: Plan
) -> Iterator[tuple[Batch, BatchResult]]:
    """The results up to that of the last page that tells whether nearly all pages changed.

    None if the dates do not depend on that.
    """
    if not plan.date_policy.trusts_changes:
        return
    for batch, result in results:
        yield batch, result
        if batch.pages and walk.sort_key(batch.pages[-1]) >= plan.last_compared:
            return


def _are_nearly_all_changed(results: Iterable[tuple[Batch, BatchResult]]) -> bool:
    """Whether nearly all of the first thousand pages are new or changed.

    The rest of the site is not known before the first page is written.
    """
    listed = 0
    changed = 0
    for _, result in results:
        listed += result.compared[0]
        changed += result.compared[1]
    return changed_nearly_all(changed, listed)


def has_new_theme(plan: Plan) -> bool:
    """Whether a build finds nearly all of the first thousand pages changed. Reads these pages."""
    with open_evidence(plan) as evidence:
        results = _process_walk(plan, evidence)
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
    """The sharder that cuts the files of a format and section, to which the entries belong.

    If there is none in `sharders` yet, makes one and stores it there.
    """
    series = entries.series
    if series not in sharders:
        mean = STABLE_MEAN_URLS if entries.locs else 0
        sharders[series] = Sharder(series, limits_of(series, plan.site.output), mean)
    return sharders[series]


def _close_shards(sharders: Mapping[ShardSeries, Sharder], stats: RunStats, plan: Plan) -> None:
    """Ends all sharders, and records their shards in the order of the sections.

    Notes how many shards ended at a limit. Then a new page moves the beginning of the next one.
    """
    sections = ["", *plan.site.output.sections]
    in_order = sorted(sharders.values(), key=lambda sharder: sections.index(sharder.series.section))
    cuts_at_limit = 0
    for sharder in in_order:
        stats.shards += sharder.close()
        cuts_at_limit += sharder.forced
    if cuts_at_limit:
        count = f"{cuts_at_limit} sitemaps were" if cuts_at_limit > 1 else "1 sitemap was"
        stats.notes.append(f"{count} split at a limit, so the next one changes, too")


def _notes_on_dates(stats: RunStats, plan: Plan) -> Iterator[str]:
    """Notes on why pages have no date, and on how to date them.

    Either their file times do not count, or the ledger is the only source, and this is its first
    run.
    """
    site = plan.site
    if stats.omitted:
        yield describe_undated(stats.omitted, stats.undated, site, stats.no_git, site.plugin)
    if site.date_sources == ("ledger",) and stats.listed and not stats.dated:
        what = "the ledger alone cannot date a first build"
        yield with_help(what, 'write lastmod = ["ledger", "mtime"]')


def _doubtful_dates(stats: RunStats, site: Site) -> Iterator[Diagnostic]:
    """The sources whose dates are those of one import, or of copies and builds.

    In `auto`, commits of an import are not doubted.
    """
    for source in stats.dated:
        dates = stats.histogram(source)
        is_import = source == "git" and site.is_auto_dated
        if dates.is_uniform() and not is_import:
            share = f"{source}: {dates.share():.0%} of {dates.total:,} dates are within one minute"
            yield Diagnostic(WarningKind.UNIFORM, share)
    shared = stats.times_of_bursts
    if shared:
        dated = stats.dated["mtime"]
        pages = f"{shared:,} of {dated:,} pages share the time of a copy or a build"
        yield Diagnostic(WarningKind.UNIFORM, f"mtime: {pages}")


def _judge_unused(stats: RunStats, plan: Plan) -> None:
    """Names the user's entries that had no effect, and warns of those that never have one."""
    included = stats.unused(_include_lines(plan))
    others = stats.unused(_lines_to_match(plan, stats.shards))
    if included or others:
        # Imported here: in most runs, each pattern matches.
        from . import unmatched

        found = unmatched.judge(included, others, plan.site.root, plan.root)
        stats.warn(found.warnings)
        stats.unmatched = found.places
    for line in stats.unused(_selectors(plan)):
        stats.warn([Diagnostic(WarningKind.SELECTOR, str(line.origin))])


def _include_lines(plan: Plan) -> list[Line]:
    """The user's patterns in `include` that should add files. None if some only remove them."""
    include = plan.site.include
    if any(text.startswith("!") for text in include):
        return []
    return [Line(text, Origin("include", None, text)) for text in include]


def _lines_to_match(plan: Plan, shards: Iterable[Shard]) -> Iterator[Line]:
    """The user's patterns that should match a page: of `ignore`, rules and sections.

    Sections that have shards had an effect.
    """
    yield from _ignoring_lines(plan.site.ignore)
    rules = plan.policy.rules
    for number, rule in enumerate(rules.values):
        yield from _at(rule.origin, rules.texts(number))
    filled = {shard.series.section for shard in shards}
    sections = plan.policy.sections
    for number, origin in enumerate(plan.origins.sections):
        if sections.values[number] not in filled:
            yield from _at(origin, sections.texts(number))


def _at(origin: Origin, texts: Iterable[str]) -> Iterator[Line]:
    """The patterns of a rule or a section that match something, with the origin of that."""
    return (Line(text, origin) for text in texts if not text.startswith("!"))


def _ignoring_lines(lines: Iterable[Line]) -> Iterator[Line]:
    """The user's lines that ignore something. Comments do not, nor do lines that include it."""
    for line in lines:
        is_own = not line.origin.source.startswith(BUILT_IN)
        is_blank = not line.text.strip()
        if is_own and not is_blank and not line.text.startswith(("#", "!")):
            yield line


def _selectors(plan: Plan) -> Iterator[Line]:
    """The user's selectors of `[ledger] drop`, if pages are read for the ledger."""
    if not plan.read_options.digest:
        return
    for origin in plan.origins.drop:
        if not origin.source.startswith(BUILT_IN):
            yield Line(origin.text, origin)


def _extra_result(plan: Plan, owners: Mapping[str, str]) -> BatchResult:
    """The extra URLs as one more batch.

    `owners` are the paths of pages that have an extra URL, by the key of this URL.
    """
    verdicts = [
        select_extra(extra, plan.policy, plan.read_options, plan.root, owners.get(key))
        for key, extra in plan.extra.items()
    ]
    listed = [verdict for verdict in verdicts if isinstance(verdict, Listed)]
    excluded = [verdict for verdict in verdicts if isinstance(verdict, Excluded)]
    dates = [entry.lastmod for entry in listed]
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
    dates = DateResult([entry.lastmod for entry in listed], {}, ())
    urls = [entry._replace(path=entry.loc) for entry in listed]
    return batch_details(urls, excluded, dates, values, plan.date_policy.now)
