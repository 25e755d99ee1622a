"""The files of a run: what is published, compared with what is there, and what is removed."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ..model import Change, Shard, ShardSeries
from ..output import published
from ..output.formats import DatedSitemap
from ..output.published import ComparedFile
from ..output.shards import OutputFile, Spool, layout
from ..pipeline.plan import Plan
from ..pipeline.stats import RunStats
from ..project.generator import Project
from ..settled import Output, Run
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK, listed_rows, live_header
from .foreign import foreign_error, list_rebuilt
from .robots_lines import OwnLine

_LIVE = ShardSeries("ledger", "live")


class Publishing(NamedTuple):
    """How a run publishes: what the call asked for, the project, the percentage of URLs that the
    sitemap may lose, and sitemaps of other tools for the index.
    """

    run: Run
    project: Project
    max_drop: float
    others: Sequence[DatedSitemap]
    is_dry: bool


class PlannedFiles(NamedTuple):
    """What a run does to the files of its output.

    `compared` are those to publish, in this order, and `removed` the names of those to remove. Of
    the sitemaps of other tools, `rebuilt` are those that each build of the project writes, and
    `foreign` are those in the way. `robots` is the text of robots.txt, empty if we may not write
    it.
    """

    compared: Sequence[ComparedFile]
    removed: Sequence[str]
    rebuilt: Sequence[str]
    foreign: Sequence[str]
    robots: bytes

    @property
    def names(self) -> set[str]:
        """The names of the files to publish."""
        return {of.file.name for of in self.compared}


def plan_files(stats: RunStats, spool: Spool, plan: Plan, publishing: Publishing) -> PlannedFiles:
    """The files of a run, and what happens to those that are there.

    Raises PublishError if another tool's file is in the way, SitemapperError if there are too many
    sitemaps.
    """
    site, run = plan.site, publishing.run
    output = site.output
    rebuilt = [] if run.replace else list_rebuilt(site, publishing.project)
    robots_text = b""
    if plan.robots and output.writes_robots:
        line = OwnLine(output, stats.shards, spool)
        robots_text = line.update(plan.robots.text, rebuilt)
    sitemaps = layout(stats.shards, output, publishing.others)
    files = [*sitemaps, *_files_beside(robots_text, stats.ledger, spool, plan)]
    compared = []
    for file in files:
        change = published.compare(file, spool, output, ignores_dates=run.ignores_dates)
        compared.append(ComparedFile(file, change))
    names = {file.name for file in files}
    # Files of ours that this run does not write any more.
    stale = _list_stale(plan, names)
    # Files of other tools under our names. Only --replace takes them.
    foreign = _list_foreign(compared, rebuilt, output)
    if foreign and not run.replace and not publishing.is_dry:
        raise foreign_error(foreign[0], site, publishing.project)
    # A packed sitemap of another tool beside ours would be out of date.
    packed = _list_foreign_packed(rebuilt, output)
    removed = [*stale, *(name for name in rebuilt if name not in names)]
    if run.replace:
        removed = packed + removed
    return PlannedFiles(compared, removed, rebuilt, foreign + packed, robots_text)


def _files_beside(
    robots_text: bytes, ledger: Shard, spool: Spool, plan: Plan
) -> Iterator[OutputFile]:
    """The files besides the sitemaps. The ledger is last."""
    output = plan.site.output
    if robots_text:
        yield OutputFile("robots.txt", robots_text, None, b"", gzip=False, read_from=plan.robots)
    if output.key and not output.key_location:
        key = output.key.encode()
        yield OutputFile(f"{output.key}.txt", key, None, b"", gzip=False, mark=key)
    yield from _ledgers(ledger, spool, plan)


def _ledgers(ledger: Shard, spool: Spool, plan: Plan) -> Iterator[OutputFile]:
    """The published copy of the ledger, if there is one, and the ledger."""
    site = plan.site
    if not site.ledger:
        return
    if site.has_live_ledger:
        rows = 0
        size = 0
        for row in listed_rows(spool.rows(ledger)):
            spool.append(_LIVE, row + b"\n")
            rows += 1
            size += len(row) + 1
        live = Shard(_LIVE, 1, size=size)
        head = live_header(rows)
        yield OutputFile(site.output.live_name, head, live, b"", gzip=False, mark=LIVE_MARK)
    yield OutputFile(site.ledger, b"", ledger, b"", gzip=False)


def _list_stale(plan: Plan, names: Collection[str]) -> list[str]:
    """Our files that are there, and that the run does not write."""
    lines = robots.sitemap_lines(plan.robots.text) if plan.robots else []
    stale = published.list_stale_files(plan.site.output, lines)
    return [name for name in stale if name not in names]


def _list_foreign(
    compared: Sequence[ComparedFile], rebuilt: Collection[str], output: Output
) -> list[str]:
    """The sitemaps of other tools that ours would replace, without those rebuilt."""
    foreign = []
    for file, change in compared:
        is_replaced = file.is_sitemap and change is Change.UPDATED and file.name not in rebuilt
        if is_replaced and published.is_foreign(file.name, output):
            foreign.append(file.name)
    return foreign


def _list_foreign_packed(rebuilt: Collection[str], output: Output) -> list[str]:
    """The packed sitemap of another tool beside ours, which is not packed."""
    name = f"{output.name}.gz"
    if output.options.gzip != "no" or name in rebuilt:
        return []
    return [name] if published.is_foreign(name, output) else []
