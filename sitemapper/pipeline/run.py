"""The program on one page: a stream of pages, each judged and dated, rendered, cut into shards, spooled."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import accumulate, chain
from tempfile import TemporaryDirectory

from .. import lastmod
from ..config.filenames import RECENT
from ..model import (
    LEDGER_SERIES,
    Batch,
    BatchResult,
    Diagnostic,
    Excluded,
    FolderStats,
    LastMod,
    Listed,
    Origin,
    Page,
    Reason,
    RenderedEntries,
    ShardSeries,
    WarningKind,
)
from ..output.shards import STABLE_MEAN_URLS, NewestPages, Sharder, limits_of
from ..output.spool import Spool
from ..pages import evaluate, overrides
from ..pages.cache import pack
from ..pages.extra import Extra
from ..project import environment
from ..site import server, walk
from ..syntax.gitignore import BUILT_IN
from . import safety
from .evidence import Evidence, is_first_ledger_run, open_evidence
from .observer import Observer
from .plan import Plan
from .stats import RunStats

FIRST = 20  # pages whose links are looked at
PARSED = 100  # pages that this process parses before others help: less would not pay for their start


def run(plan: Plan, spool: Spool, listener: Observer, cache: str | None) -> RunStats:
    """The whole stream into a spool; `cache` is the folder of records.

    Runs the stream once more where the dates of a source are not to be written. Raises SitemapperError
    for what a user can cause.
    """
    settings = plan.settings
    adopts = is_first_ledger_run(settings)
    with ExitStack() as stack:
        if cache is None and (adopts or settings.dates.guard == "omit"):
            # What the first pass reads, the second need not parse again.
            cache = stack.enter_context(TemporaryDirectory())
        tally = stream(plan, spool, listener, cache)
        omitted, left = safety.uniform_sources(tally, settings, now=plan.date_policy.now, adopts=adopts)
        if omitted:
            spool.clear()
            listener.restart()
            trusted = tuple(s for s in plan.date_policy.sources if s not in omitted)
            plan = plan._replace(date_policy=plan.date_policy._replace(sources=trusted))
            tally = stream(plan, spool, listener, cache)
    later = "; the ledger dates a page when it changes" if adopts else ""
    tally.notes += [f"{said}, so they were not written{later}" for said in omitted.values()]
    tally.warn(Diagnostic(WarningKind.UNIFORM, said) for said in left.values())
    if settings.sitemap.recent and not any(shard.stream.section == RECENT for shard in tally.shards):
        tally.notes.append("no page has a date, so there is no sitemap of the recent ones")
    tally.warn(tally.idle(_written(plan, {shard.stream.section for shard in tally.shards})))
    return tally


def _written(plan: Plan, filled: Container[str]) -> Iterator[Origin]:
    """What the user wrote to change something: patterns, rules, sections that are not `filled`, selectors."""
    settings = plan.settings
    own = (line.origin for line in settings.ignore_lines if line.text.strip() and line.text[0] not in "#!")
    yield from (origin for origin in own if origin.source != BUILT_IN)
    yield from (rule.origin for rule in plan.policy.rules)
    sections = zip(settings.sitemaps, settings.section_origins, strict=False)
    yield from (origin for section, origin in sections if section.name not in filled)
    yield from settings.drop_origins if plan.read_options.content else ()


def stream(plan: Plan, spool: Spool, listener: Observer, cache: str | None) -> RunStats:
    """Every page once: walked, processed, counted, cut. The extra URLs come last."""
    tally = RunStats()
    tally.notes += plan.notes
    tally.warn(plan.diagnostics)
    cutters: dict[ShardSeries, Sharder] = {}
    recent = NewestPages(plan.settings.sitemap.recent) if plan.settings.sitemap.recent else None
    dating = partial(listener.phase, "dating")
    with open_evidence(
        plan.settings, plan.date_policy.writer, cache, plan.read_options.stamp, plan.started, dating=dating
    ) as known:
        listener.phase("reading" if plan.read_options.reads else "listing")
        for chunk in chunks(plan, known):
            tally.add(chunk)
            spool.append(LEDGER_SERIES, chunk.ledger)
            notify(chunk, listener)
            for part in chunk.parts:
                _append(part, cutters, spool, plan)
                if recent and part.stream.format == "xml":
                    recent.add(part)
            listener.walked(chunk.listed + len(chunk.excluded))
    tally.warn(known.warned)
    if recent:
        _append(recent.part(ShardSeries("xml", RECENT)), cutters, spool, plan)
    order = ["", *(name for name, _ in plan.sections), RECENT]
    ordered = sorted(cutters.values(), key=lambda cutter: order.index(cutter.stream.section))
    tally.shards = [shard for cutter in ordered for shard in cutter.close()]
    tally.ledger_rows = known.ledger_rows
    tally.notes += [*known.notes, *_forced_cut_note(sum(cutter.forced for cutter in ordered))]
    return tally


def notify(chunk: BatchResult, listener: Observer) -> None:
    """What a listener gets of a chunk."""
    for excluded in chunk.excluded:
        listener.excluded(excluded)
    if chunk.overview:
        listener.overview(chunk.overview)


def _forced_cut_note(cuts: int) -> Iterator[str]:
    """Cuts of stable shards that the limits forced."""
    if cuts:
        count = f"{cuts} sitemaps were" if cuts > 1 else "1 sitemap was"
        yield f"{count} cut by the limits, so the next one changes with it"


def _append(part: RenderedEntries, cutters: dict[ShardSeries, Sharder], spool: Spool, plan: Plan) -> None:
    """One more part into its stream."""
    if part.stream not in cutters:
        limits = limits_of(part.stream, plan.settings)
        cutters[part.stream] = Sharder(part.stream, limits, STABLE_MEAN_URLS if part.locs else 0)
    cutters[part.stream].add(part)
    spool.append(part.stream, part.data)


def process_all(plan: Plan, batches: Iterable[Batch]) -> Iterator[tuple[Batch, BatchResult]]:
    """Each batch with its chunk, in order. Other processes help once it is known that they are worth it."""
    jobs, cluster = plan.settings.jobs, plan.settings.scheduler is not None
    parsed = PARSED if jobs > 1 or cluster else 0
    is_alone = (jobs or cores()) == 1 and not cluster
    begun = iter(batches)
    for batch in begun:
        if parsed >= PARSED and not is_alone:
            # Imported here: a small site needs no other process.
            from .pool import process_in_pool

            yield from process_in_pool(plan, chain([batch], begun))
            return
        chunk = process(batch, plan)
        if chunk.parsed and not parsed:
            evaluate.tune_malloc()
        parsed += chunk.parsed
        yield batch, chunk


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chunks(plan: Plan, known: Evidence) -> Iterator[BatchResult]:
    """The processed batches in walk order, then the extra URLs that no page of the site has."""
    taken: dict[str, str] = {}
    batches = walk.batches(
        walk.walk(plan.root), max(1, walk.BATCH // 4) if plan.read_options.reads else walk.BATCH
    )
    first: list[Page] = []
    for batch, chunk in process_all(plan, map(known.on, batches)):
        known.learn(batch, chunk)
        first += batch.pages[: FIRST - len(first)]
        taken |= chunk.taken
        yield chunk
    known.finish()
    verdicts = [
        extra.duplicate_of(taken[loc]) if loc in taken else extra_verdict(extra, plan)
        for loc, extra in plan.extra.items()
    ]
    listed = [verdict for verdict in verdicts if isinstance(verdict, Listed)]
    excluded = [verdict for verdict in verdicts if isinstance(verdict, Excluded)]
    dates = [entry.lastmod for entry in listed]
    is_chosen = not plan.read_options.heads or "url_style" in plan.settings.model_fields_set
    against = None if is_chosen else environment.contradiction(first, plan.settings, plan.root)
    warned = [Diagnostic(WarningKind.LINKS, against)] if against else ()
    overview = _overview([], lastmod.DateResult(dates, {}, [])) if plan.overviews else None
    yield BatchResult(list(render(listed, dates, plan)), len(listed), excluded, warned, overview=overview)


def extra_verdict(extra: Extra, plan: Plan) -> Listed | Excluded:
    """What becomes of an extra URL: robots.txt may close it, and the file behind it may exclude itself."""
    loc = extra.listed.loc
    closed = plan.policy.crawling.forbids(loc) if plan.policy.crawling else None
    if closed:
        return Excluded(loc, Reason.ROBOTS, closed)
    path = plan.policy.locator.path_of(loc)
    file = None if path is None else server.file_for_url_path(plan.root, path)
    page = None if file is None else server.find_page(plan.root, file)
    said = judged(Batch([page], [], {}), plan)[0].excluded if page else ()
    return Excluded(loc, said[0].reason, said[0].origin) if said else extra.listed


def judged(batch: Batch, plan: Plan) -> tuple[evaluate.BatchVerdicts, lastmod.DateResult]:
    """The verdicts on a batch and the dates of what is listed: the stages that `explain` shows.

    Only what is listed is dated, so that nothing else counts or warns.
    """
    locs = plan.policy.locator.locs([page.path for page in batch.pages])
    said = evaluate.verdicts(batch, locs, plan.policy, plan.read_options, plan.root)
    pages = batch.pages
    asked = lastmod.DateRequest(
        pages if len(said.places) == len(pages) else [pages[n] for n in said.places], said.seen, batch
    )
    return said, lastmod.date(asked, [entry.lastmod for entry in said.listed], plan.date_policy)


def process(batch: Batch, plan: Plan) -> BatchResult:
    """One batch through every stage. Pure but for its reads; runs on any executor."""
    said, dated = judged(batch, plan)
    drop = plan.settings.drop_origins
    return BatchResult(
        parts=list(render(said.listed, dated.lastmods, plan)),
        listed=len(said.listed),
        excluded=sorted([*batch.excluded, *said.excluded], key=walk.sort_key),
        warned=[*dated.warned, *said.warned],
        taken=[(e.loc, e.path) for e in said.listed if e.loc in plan.extra] if plan.extra else [],
        dates=lastmod.seconds_by_source(dated),
        records=pack(said.records) if batch.memory else b"",
        ledger=lastmod.ledger_rows(batch, [entry.path for entry in said.listed], dated, said.seen)
        if plan.read_options.content
        else b"",
        dated=lastmod.count_by_source(dated),
        parsed=said.parsed,
        used=said.used | {drop[n] for seen in said.seen for n in seen.dropped} if drop else said.used,
        overview=_overview(said.listed, dated) if plan.overviews else None,
    )


def _overview(listed: Sequence[Listed], dated: lastmod.DateResult) -> FolderStats:
    return FolderStats(
        Counter([entry.path.rpartition("/")[0] for entry in listed]), lastmod.all_seconds(dated)
    )


def render(
    listed: Sequence[Listed], dates: Sequence[LastMod | None], plan: Plan
) -> Iterator[RenderedEntries]:
    """The entries with their dates as bytes, for each section and format that has any."""
    if not listed:
        return
    stable = plan.settings.sitemap.strategy == "stable"
    for form in plan.formats:
        for section, places in _sections(listed, plan if form.indexed else None):
            entries, own = listed, dates
            if len(places) < len(listed):
                entries, own = [listed[n] for n in places], [dates[n] for n in places]
            rows = form.render(entries, own)
            locs = [entry.loc for entry in entries] if stable and form.indexed else ()
            data = "".join(rows).encode("ascii")
            yield RenderedEntries(
                ShardSeries(form.extension, section), data, list(accumulate(map(len, rows))), own, locs
            )


def _sections(listed: Sequence[Listed], plan: Plan | None) -> Iterable[tuple[str, Sequence[int]]]:
    """The places of the entries of each section."""
    if plan is None or not plan.sections:
        return [("", range(len(listed)))]
    found: dict[str, list[int]] = {}
    for n, entry in enumerate(listed):
        found.setdefault(overrides.first_section(plan.sections, entry.path), []).append(n)
    return found.items()
