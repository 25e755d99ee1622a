"""The program on one page: a stream of pages, each judged, cut into shards, spooled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from sitemapper import lastmod
from sitemapper.config.names import RECENT
from sitemapper.errors import GuardError
from sitemapper.model import (
    Batch,
    Caution,
    Chunk,
    Excluded,
    Listed,
    Part,
    Reason,
    Shard,
    Stream,
    Warned,
)
from sitemapper.output.shards import SPREAD, Cutter, Recent, limits_of
from sitemapper.output.spool import Spool
from sitemapper.pages import extra as extra_urls
from sitemapper.pages import inspect as inspection
from sitemapper.pages import reasons as judge
from sitemapper.pages import rules as page_rules
from sitemapper.pages.cache import Place
from sitemapper.pipeline import known as evidence
from sitemapper.pipeline.known import Evidence
from sitemapper.pipeline.listener import Listener
from sitemapper.pipeline.plan import Plan
from sitemapper.pipeline.tally import Outcome, Tally
from sitemapper.site import walk as walking
from sitemapper.syntax.gitignore import Patterns

LEDGER = Stream("ledger", "")


# How batches are processed: each comes back with its chunk, in order.
Spread = Callable[[Plan, Iterable[Batch]], Iterator[tuple[Batch, Chunk]]]


def run(plan: Plan, spool: Spool, listener: Listener, place: Place | None, spread: Spread) -> Outcome:
    """The whole stream into a spool; `place` is where the cache lies, `spread` who processes batches.

    Raises SitemapperError for what a user can cause.
    """
    settings = plan.settings
    tally, shards, rows, known, forced = stream(plan, spool, listener, place, spread)
    guard = settings.dates.guard
    notes = [*plan.notes]
    # Adopting a ledger must not claim that everything changed today: it would be remembered.
    adopts = evidence.adopts_ledger(settings)
    uniform = tally.uniform()
    few = tally.uniform(plan.dating.now) if adopts else {}
    omitted = {s: why for s, why in uniform.items() if guard == "omit"}
    omitted |= {s: why for s, why in few.items() if s == "mtime"}
    left = {source: sentence for source, sentence in uniform.items() if source not in omitted}
    if left and guard == "error":
        raise GuardError(f"{'; '.join(left.values())}; nothing was published ([dates] guard)")
    if omitted:
        trusted = tuple(s for s in plan.dating.sources if s not in omitted)
        spool.clear()
        listener.restart()
        plan = plan._replace(dating=plan.dating._replace(sources=trusted))
        tally, shards, rows, known, forced = stream(plan, spool, listener, place, spread)
        later = "; the ledger dates a page when it changes" if adopts else ""
        notes += [f"{sentence}, so they were not written{later}" for sentence in omitted.values()]
    remedy = "; --no-lastmod writes none"
    tally.warn(Warned(Caution.UNIFORM, sentence + remedy) for sentence in left.values())
    if forced:
        count = f"{forced} sitemaps were" if forced > 1 else "1 sitemap was"
        notes.append(f"{count} cut by the limits, so the next one changes with it")
    if settings.sitemap.recent and not any(shard.stream.section == RECENT for shard in shards):
        notes.append("no page has a date, so there is no sitemap of the recent ones")
    idle = tally.idle(settings.lines)
    if idle:
        notes.append(f"left nothing out (patterns are relative to the site): {', '.join(idle)}")
    return tally.outcome(shards, rows, known, [*notes, *known.notes])


class Streamed(NamedTuple):
    """What went into the spool: counts, shards, the ledger's rows as one more; what was known and learnt;
    cuts of stable shards that the limits forced."""

    tally: Tally
    shards: list[Shard]
    ledger: Shard
    known: Evidence
    forced: int


def stream(plan: Plan, spool: Spool, listener: Listener, place: Place | None, spread: Spread) -> Streamed:
    """Every page once: walked, processed, counted, cut. The extra URLs come last."""
    tally = Tally()
    tally.warn(plan.warned)
    cutters: dict[Stream, Cutter] = {}
    recent = Recent(plan.settings.sitemap.recent) if plan.settings.sitemap.recent else None
    rows = Shard(LEDGER, 1)
    with evidence.gathered(plan.settings, plan.dating.writer, place, plan.reads, plan.started) as known:
        for chunk in chunks(plan, known, spread):
            tally.add(chunk)
            rows = rows._replace(size=rows.size + len(chunk.ledger))
            spool.append(LEDGER, chunk.ledger)
            for excluded in chunk.excluded:
                listener.excluded(excluded)
            for part in chunk.parts:
                _take(part, cutters, spool, plan)
                if recent and part.stream.format == "xml":
                    recent.add(part)
            listener.walked(chunk.listed + len(chunk.excluded))
    tally.warn(known.warned)
    if recent:
        _take(recent.part(Stream("xml", RECENT)), cutters, spool, plan)
    order = ["", *(name for name, _ in plan.sections), RECENT]
    ordered = sorted(cutters.values(), key=lambda c: order.index(c.stream.section))
    forced = sum(cutter.forced for cutter in ordered)
    return Streamed(tally, [s for cutter in ordered for s in cutter.close()], rows, known, forced)


def _take(part: Part, cutters: dict[Stream, Cutter], spool: Spool, plan: Plan) -> None:
    """One more part into its stream."""
    if part.stream not in cutters:
        cutters[part.stream] = Cutter(
            part.stream, limits_of(part.stream, plan.settings), SPREAD if part.locs else 0
        )
    cutters[part.stream].add(part)
    spool.append(part.stream, part.data)


def here(plan: Plan, batches: Iterable[Batch]) -> Iterator[tuple[Batch, Chunk]]:
    """Processes batches one after the other."""
    for batch in batches:
        yield batch, process(batch, plan)


def _walk(plan: Plan) -> Iterator[walking.Run]:
    """The walk, on several processors where there is nothing else for them to do."""
    if plan.reads or plan.settings.jobs == 1:
        return walking.walk(plan.folder)
    # Imported here: a small site needs one process.
    from sitemapper.site import parallel_walk

    return parallel_walk.walk(plan.folder, plan.settings.jobs)


def chunks(plan: Plan, known: Evidence, spread: Spread) -> Iterator[Chunk]:
    """The processed batches in walk order, then the extra URLs that no page of the site has."""
    taken: dict[str, str] = {}
    batches = walking.batches(_walk(plan), walking.BATCH)
    for batch, chunk in spread(plan, map(known.on, batches)):
        known.learn(batch, chunk)
        taken |= chunk.taken
        yield chunk
    known.finish()
    rest: list[Listed] = []
    out: list[Excluded] = []
    for loc, extra in plan.extra.items():
        verdict = extra.duplicate_of(taken[loc]) if loc in taken else extra_verdict(extra, plan)
        if isinstance(verdict, Excluded):
            out.append(verdict)
        else:
            rest.append(verdict)
    yield Chunk(list(render(rest, plan)), len(rest), out)


def extra_verdict(extra: extra_urls.Extra, plan: Plan) -> Listed | Excluded:
    """What becomes of an extra URL: robots.txt may close it, and the file behind it may exclude itself."""
    loc = extra.listed.loc
    closed = plan.law.crawling.forbids(loc) if plan.law.crawling else None
    if closed:
        return Excluded(loc, Reason.ROBOTS, closed)
    path = plan.law.locator.path_of(loc)
    file = None if path is None else walking.served(plan.folder, path)
    page = None if file is None else walking.page(plan.folder, file)
    said = judged(Batch([page], [], {}), plan)[0].excluded if page else ()
    return Excluded(loc, said[0].reason, said[0].origin) if said else extra.listed


def judged(batch: Batch, plan: Plan) -> tuple[inspection.Verdicts, lastmod.Dated]:
    """The verdicts on a batch and the dates of what is listed: the stages that `explain` shows.

    Only what is listed and has no date by rule is dated, so that nothing else counts or warns.
    """
    paths = [page.path for page in batch.pages]
    locs = plan.law.locator.locs(paths)
    if inspection.lists_all(batch, locs, plan):
        dated = lastmod.date(lastmod.Asked(batch.pages, (), batch), plan.dating)
        listed = judge.all_listed(paths, locs, dated.lastmods)
        return inspection.Verdicts(listed, range(len(listed)), (), [], [], {}), dated
    said = inspection.verdicts(batch, locs, plan)
    open_places = [n for n, entry in enumerate(said.listed) if entry.lastmod is None]
    asked = lastmod.Asked([batch.pages[n] for n in said.places], said.seen, batch).at(open_places)
    dated = lastmod.date(asked, plan.dating)
    entries = list(said.listed)
    for n, date in zip(open_places, dated.lastmods, strict=True):
        entries[n] = entries[n]._replace(lastmod=date)
    return said._replace(listed=entries), dated


def process(batch: Batch, plan: Plan) -> Chunk:
    """One batch through every stage. Pure but for its reads; runs on any executor."""
    said, dated = judged(batch, plan)
    listed = said.listed
    excluded = sorted([*batch.excluded, *said.excluded], key=walking.walk_key)
    return Chunk(
        list(render(listed, plan)),
        len(listed),
        excluded,
        [*dated.warned, *said.warned],
        [(e.loc, e.path) for e in listed if e.loc in plan.extra] if plan.extra else [],
        lastmod.answered(dated),
        said.found,
        lastmod.ledger_rows(batch, listed, said.seen) if plan.content else b"",
        said.looks_outside or bool(plan.extra or plan.extensions),
        lastmod.counts(dated),
    )


def render(listed: Sequence[Listed], plan: Plan) -> Iterator[Part]:
    """The entries as bytes, for each section and format that has any."""
    if not listed:
        return
    for form in plan.formats:
        for section, entries in _by_section(listed, plan.sections if form.indexed else ()):
            rows = form.render(entries)
            ends = list(accumulate(map(len, rows)))
            data = "".join(rows).encode("ascii")
            stable = form.indexed and plan.settings.sitemap.strategy == "stable"
            locs = [entry.loc for entry in entries] if stable else ()
            yield Part(
                Stream(form.extension, section), data, ends, [entry.lastmod for entry in entries], locs
            )


def _by_section(
    listed: Sequence[Listed], sections: Sequence[tuple[str, Patterns]]
) -> Iterable[tuple[str, Sequence[Listed]]]:
    if not sections:
        return [("", listed)]
    found: dict[str, list[Listed]] = {}
    for entry in listed:
        found.setdefault(page_rules.first_section(sections, entry.path), []).append(entry)
    return found.items()
