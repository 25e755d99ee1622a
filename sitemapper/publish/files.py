"""The files of a run: what is published, compared with what is there, and what is removed."""

import os
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urljoin

from ..errors import ConfigError, PublishError, with_help
from ..fs import relative
from ..model import Change, Shard, ShardSeries
from ..plan import Plan
from ..read.walk import check_root
from ..site import Output, Run, Site
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK, listed_rows, live_header
from ..tally import Tally
from . import published
from .foreign import foreign_error, list_regenerated
from .formats import DatedSitemap
from .previous import Previous
from .published import ComparedFile
from .robots_lines import update_lines
from .shards import OutputFile, Spool, layout

_LIVE = ShardSeries("ledger", "live")


class Publishing(NamedTuple):
    """How a run publishes: what the call asked for, sitemaps of other tools for the index, and what
    was published before.
    """

    run: Run
    others: Sequence[DatedSitemap]
    previous: Previous
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


def plan_files(tally: Tally, spool: Spool, plan: Plan, publishing: Publishing) -> PlannedFiles:
    """The files of a run, and what happens to those that are there.

    The sitemaps of other tools that each build of the project writes again are always replaced or
    removed, others only with --replace. Raises PublishError if another tool's file is in the way,
    SitemapperError if there are too many sitemaps.
    """
    site = plan.site
    output = site.output
    replaces_all = publishing.run.replace
    rebuilt: list[str] = []
    if not replaces_all:
        rebuilt = list_regenerated(site)
    robots_text = _update_robots(plan, rebuilt)
    sitemaps = layout(tally.shards, output, publishing.others)
    files = [*sitemaps, *_files_beside(robots_text, tally.ledger, spool, plan)]
    compared = []
    for file in files:
        change = published.compare(file, spool, output, ignores_dates=publishing.run.ignores_dates)
        compared.append(ComparedFile(file, change))
    written_names = {file.name for file in files}
    removed = _list_stale(plan, written_names)
    removed += [name for name in rebuilt if name not in written_names]
    foreign = _list_foreign(compared, rebuilt, output)
    if foreign and not replaces_all and not publishing.is_dry:
        raise foreign_error(foreign[0], site)
    # A packed sitemap of another tool beside ours would be out of date.
    foreign_packed = _list_foreign_packed(rebuilt, output)
    if replaces_all:
        removed = foreign_packed + removed
    return PlannedFiles(compared, removed, rebuilt, foreign + foreign_packed, robots_text)


def _update_robots(plan: Plan, rebuilt: Collection[str]) -> bytes:
    """The text of robots.txt with our line, empty if we may not write it.

    `rebuilt` are sitemaps of other tools that ours replace, so their lines go.
    """
    if plan.robots is None or not plan.site.output.writes_robots:
        return b""
    return update_lines(plan.robots.text, plan.site.output, rebuilt)


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
    yield from _ledgers(ledger, spool, plan)


def _ledgers(ledger: Shard, spool: Spool, plan: Plan) -> Iterator[OutputFile]:
    """The published copy of the ledger, if `live` is set, and the ledger; nothing without one."""
    site = plan.site
    if not site.ledger:
        return
    if site.has_live_ledger:
        yield _live_ledger(ledger, spool, site.output)
    yield OutputFile(site.ledger, b"", ledger, b"", gzip=False)


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


def _list_stale(plan: Plan, written_names: Collection[str]) -> list[str]:
    """The files that earlier runs wrote, and that this run does not write any more."""
    lines = []
    if plan.robots:
        lines = robots.sitemap_lines(plan.robots.text)
    stale = published.list_stale_files(plan.site.output, lines)
    return [name for name in stale if name not in written_names]


def _list_foreign(
    compared: Sequence[ComparedFile], rebuilt: Collection[str], output: Output
) -> list[str]:
    """The sitemaps of other tools that have the names of ours, and differ from them.

    Without those that are `rebuilt`, which each build of the project writes again.
    """
    foreign = []
    for file, change in compared:
        is_replaced = file.is_sitemap and change is Change.UPDATED and file.name not in rebuilt
        if is_replaced and published.is_foreign(file.name, output):
            foreign.append(file.name)
    return foreign


def _list_foreign_packed(rebuilt: Collection[str], output: Output) -> list[str]:
    """The packed sitemap of another tool beside ours, which is not packed. Empty for none.

    One that each build of the project writes again does not count.
    """
    name = f"{output.name}.gz"
    if output.options.gzip != "no" or name in rebuilt:
        return []
    is_link = os.path.islink(output.path(name))
    if is_link or not published.is_foreign(name, output):
        return []
    return [name]


def check_output(site: Site) -> None:
    """Stops a run that cannot publish, before anything is read.

    Raises SiteError if there is no such site, ConfigError if the output may not list its URLs, and
    PublishError if there is no folder for the ledger.
    """
    check_root(site.root, site.label)
    _check_scope(site.output, site.root)
    _check_ledger_folder(site.ledger)


def _check_ledger_folder(ledger: str | None) -> None:
    """Raises PublishError if there is no folder for the ledger."""
    folder = os.path.dirname(ledger) if ledger else ""
    if folder and not os.path.isdir(folder):
        raise PublishError(
            f"{folder}: is not a folder", "create it, or change [ledger] path or --ledger"
        )


def _check_scope(output: Output, root: str) -> None:
    """Raises ConfigError if the sitemap may not list the site's URLs.

    A sitemap may list only URLs of its own folder and below (sitemaps.org, sitemap file location).
    """
    output_in_site = relative(os.path.realpath(output.folder), os.path.realpath(root))
    path = output_in_site.replace(os.sep, "/")
    is_outside = path.startswith("..") or os.path.isabs(path)  # absolute on another drive
    if path == "." or is_outside:
        return
    place = urljoin(output.base_url, path) + "/"
    error = with_help(
        f"output: a sitemap in {path}/ is served below {place} and may list only URLs there "
        "(sitemaps.org, sitemap file location)",
        "write it to the site's own folder; only a Sitemap: line in robots.txt may cross that "
        "border, and not every crawler follows it",
    )
    raise ConfigError((error,))
