"""The files of a run: what is published, compared with what is there, and what is removed."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..model import Change, Shard, ShardSeries
from ..plan import Plan
from ..site import Output
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK, listed_rows, live_header
from ..tally import Tally
from . import published
from .foreign import foreign_error, list_regenerated
from .published import ComparedFile
from .publishing import Publishing
from .robots_lines import update_lines
from .shards import OutputFile, Spool, layout

_LIVE = ShardSeries("ledger", "live")


class PlannedFiles(NamedTuple):
    """What a run does to the files of its output.

    `compared` are those to publish, in this order, and `removed` the names of those to remove.
    `robots` is the text of robots.txt, empty if we may not write it. Of the sitemaps of other
    tools, `generated` are those that the project's generator writes at each build, which ours
    replace. `foreign` are others in the way, which are replaced only with --replace.
    """

    compared: Sequence[ComparedFile]
    removed: Sequence[str]
    robots: bytes
    generated: Sequence[str]
    foreign: Sequence[str]

    @property
    def names(self) -> set[str]:
        """The names of the files to publish."""
        return {of.file.name for of in self.compared}


def plan_files(tally: Tally, spool: Spool, plan: Plan, publishing: Publishing) -> PlannedFiles:
    """The files of a run, and what happens to those that are there.

    Raises PublishError if another tool's file is in the way, SitemapperError if there are too many
    sitemaps.
    """
    site, run = plan.site, publishing.run
    output = site.output
    generated = list_regenerated(site)
    robots_text = b""
    if plan.robots is not None and output.writes_robots:
        robots_text = update_lines(plan.robots.text, output, replaced=generated)
    sitemaps = layout(tally.shards, output, publishing.others)
    files = [*sitemaps, *_files_beside(robots_text, tally.ledger, spool, plan)]
    compared = []
    for file in files:
        change = published.compare(file, spool, output, ignores_dates=run.ignores_dates)
        compared.append(ComparedFile(file, change))
    written_names = {file.name for file in files}
    robots_lines = robots.sitemap_lines(plan.robots.text) if plan.robots else []
    removed = [*published.list_stale_files(output, robots_lines), *generated]
    foreign = _list_foreign(compared, generated, output)
    stops = run.is_check or not publishing.is_dry  # a dry run shows what is in the way
    if foreign and stops and not run.replace:
        raise foreign_error(foreign[0], site)
    return PlannedFiles(
        compared=compared,
        removed=[name for name in removed if name not in written_names],
        robots=robots_text,
        generated=generated,
        foreign=foreign,
    )


def _files_beside(
    robots_text: bytes, ledger: Shard, spool: Spool, plan: Plan
) -> Iterator[OutputFile]:
    """The files besides the sitemaps: robots.txt, the key of IndexNow and, last, the ledger."""
    output = plan.site.output
    if robots_text:
        yield OutputFile("robots.txt", robots_text, None, b"", gzip=False, read_from=plan.robots)
    if output.key and not output.key_location:
        key = output.key.encode()
        yield OutputFile(f"{output.key}.txt", key, None, b"", gzip=False, mark=key)
    if plan.site.ledger:
        if plan.site.has_live_ledger:
            yield _live_ledger(ledger, spool, output)
        yield OutputFile(plan.site.ledger, b"", ledger, b"", gzip=False)


def _live_ledger(ledger: Shard, spool: Spool, output: Output) -> OutputFile:
    """The published copy of the ledger, whose rows it adds to the spool.

    It has only the rows of listed pages.
    """
    rows = 0
    size = 0
    for row in listed_rows(spool.rows(ledger)):
        spool.append(_LIVE, row + b"\n")
        rows += 1
        size += len(row) + 1
    copy = Shard(_LIVE, 1, size=size)
    return OutputFile(output.live_name, live_header(rows), copy, b"", gzip=False, mark=LIVE_MARK)


def _list_foreign(
    compared: Iterable[ComparedFile], generated: Collection[str], output: Output
) -> list[str]:
    """The sitemaps of other tools that have the names of ours, and differ from them.

    Those of the project's generator are not in the way.
    """
    foreign = []
    for file, change in compared:
        is_replaced = file.is_sitemap and change is Change.UPDATED and file.name not in generated
        if is_replaced and published.is_foreign(file.name, output):
            foreign.append(file.name)
    return foreign


def list_old_copies(files: PlannedFiles, spool: Spool, output: Output) -> Iterator[str]:
    """The packed files beside those of a run that do not contain the same.

    A server with `gzip_static` sends robots.txt.gz in place of robots.txt.
    """
    for file, _ in files.compared:
        packed = file._replace(name=f"{file.name}.gz", gzip=True)
        path = output.path(packed.name)
        is_ours = packed.name in files.names or packed.name in files.removed
        if is_ours or os.path.isabs(file.name) or not os.path.isfile(path):
            continue
        if not published.has_contents_of(packed, spool, output):
            yield packed.name
    for name in files.removed:
        packed_name = f"{name}.gz"
        if packed_name not in files.removed and os.path.isfile(output.path(packed_name)):
            yield packed_name
