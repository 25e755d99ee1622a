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
    """Plans what a run does to each file: which it publishes, and which it removes.

    Lists the files to publish, compares each with the file of its name in the output, and lists our
    old files and the sitemaps of other tools. Writes nothing. Raises PublishError if a sitemap of
    another tool has the name of ours, unless --replace or --dry-run is given. Raises
    SitemapperError if there are too many sitemaps.
    """
    site, run = plan.site, publishing.run
    output = site.output
    generated = list_regenerated(site)
    # The files to publish.
    robots_text = b""
    if plan.robots is not None and output.writes_robots:
        robots_text = update_lines(plan.robots.text, output, replaced=generated)
    sitemaps = layout(tally.shards, output, publishing.others)
    files = [*sitemaps, *_files_beside(robots_text, tally.ledger, spool, plan)]
    # What happens to each of them.
    compared = []
    for file in files:
        change = published.compare(file, spool, output, ignores_dates=run.ignores_dates)
        compared.append(ComparedFile(file, change))
    # What is removed: our old files, and those of the generator.
    written_names = {file.name for file in files}
    robots_lines = robots.sitemap_lines(plan.robots.text) if plan.robots else []
    removed = [*published.list_stale_files(output, robots_lines), *generated]
    foreign = _list_foreign(compared, generated, output)
    # A dry run of `build` reports the files in the way. `check`, a dry run too, stops like a build.
    stops = run.is_check or not publishing.is_dry
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
    """Makes the files besides the sitemaps: robots.txt, the key of IndexNow and, last, the ledger.

    Each only if it is wanted: robots.txt if `robots_text` is not empty. If the ledger is a live
    one, a copy of it to publish comes before it.
    """
    output = plan.site.output
    if robots_text:
        yield OutputFile(
            name="robots.txt",
            head=robots_text,
            shard=None,
            tail=b"",
            gzip=False,
            read_from=plan.robots,
        )
    if output.key and not output.key_location:  # otherwise the file is elsewhere on the host
        key = output.key.encode()
        yield OutputFile(
            name=f"{output.key}.txt", head=key, shard=None, tail=b"", gzip=False, mark=key
        )
    if plan.site.ledger:
        if plan.site.has_live_ledger:
            yield _copy_live_ledger(ledger, spool, output)
        yield OutputFile(name=plan.site.ledger, head=b"", shard=ledger, tail=b"", gzip=False)


def _copy_live_ledger(ledger: Shard, spool: Spool, output: Output) -> OutputFile:
    """Makes the file of the live ledger, with the rows of listed pages from the ledger.

    These rows are copied within the spool. The live ledger is published beside the sitemap. Pages
    that are not listed do not belong there.
    """
    rows = 0
    size = 0
    for row in listed_rows(spool.rows(ledger)):
        spool.append(_LIVE, row + b"\n")
        rows += 1
        size += len(row) + 1
    return OutputFile(
        name=output.live_name,
        head=live_header(rows),
        shard=Shard(_LIVE, number=1, size=size),
        tail=b"",
        gzip=False,
        mark=LIVE_MARK,
    )


def _list_foreign(
    compared: Iterable[ComparedFile], generated: Collection[str], output: Output
) -> list[str]:
    """Lists other tools' sitemaps that a build would replace, because ours have their names.

    The caller stops, unless --replace is given. Those that the project's generator writes anew,
    `generated`, are replaced without asking, and are not in the list.
    """
    foreign = []
    for file, change in compared:
        is_replaced = file.is_sitemap and change is Change.UPDATED and file.name not in generated
        if is_replaced and published.is_foreign(file.name, output):
            foreign.append(file.name)
    return foreign


def list_old_copies(files: PlannedFiles, spool: Spool, output: Output) -> Iterator[str]:
    """Lists the `.gz` files in the output that are outdated copies of the files of a run.

    For example, a `robots.txt.gz` that another tool has compressed before. A server with
    `gzip_static` sends it in place of the new robots.txt. A copy of a removed file is outdated,
    too. A copy with the same contents is not.
    """
    for file, _ in files.compared:
        copy = file._replace(name=f"{file.name}.gz", gzip=True)
        path = output.path(copy.name)
        is_ours = copy.name in files.names or copy.name in files.removed
        if is_ours or os.path.isabs(file.name) or not os.path.isfile(path):
            continue
        if not published.has_contents_of(copy, spool, output):
            yield copy.name
    # A server would send the copy of a removed file, too.
    for name in files.removed:
        name_of_copy = f"{name}.gz"
        if name_of_copy not in files.removed and os.path.isfile(output.path(name_of_copy)):
            yield name_of_copy
