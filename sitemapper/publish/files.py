"""The files of a run: what is published, compared with what is there, and what is removed."""

import gzip
import os
import stat
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote

from ..errors import PublishError
from ..fs import OutsideError, open_file_inside
from ..model import Change, Shard, ShardSeries
from ..plan import Plan
from ..site import Output
from ..syntax import robots
from ..syntax.ledger_rows import listed_rows
from ..syntax.urls import without_scheme
from ..tally import Tally
from . import published
from .foreign import foreign_error, list_regenerated
from .publishing import Publishing
from .shards import OutputFile, Spool, layout

_LIVE = ShardSeries("ledger", "live")
# A dry run has no lock, so a file may have disappeared since it was listed.
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, FileNotFoundError)


class ComparedFile(NamedTuple):
    """A file to publish, and what publishing does to the file with its name."""

    file: OutputFile
    change: Change


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
        """Lists the names of the files to publish."""
        return {one.file.name for one in self.compared}

    @property
    def replaced(self) -> list[OutputFile]:
        """Lists the files that are written, because they are new or differ from what is there."""
        return [one.file for one in self.compared if one.change is not Change.KEPT]


def plan_files(tally: Tally, spool: Spool, plan: Plan, publishing: Publishing) -> PlannedFiles:
    """Plans what a run does to each file: which it publishes, and which it removes.

    Compares each file to publish with the file of the same name in the output: created, updated or
    kept. Also lists our old files, which are removed, and the sitemaps of other tools. Writes
    nothing.

    Raises PublishError if a sitemap of another tool has the name of ours. `build --replace` and
    `build --dry-run` do not raise it. Raises SitemapperError if there are too many sitemaps.
    """
    site, run = plan.site, publishing.run
    output = site.output
    generated = list_regenerated(site)  # sitemaps of the project's generator, which ours replace
    # The files to publish.
    robots_text = b""
    if plan.robots is not None and output.writes_robots:
        robots_text = _update_robots(plan.robots.text, output, replaced=generated)
    sitemaps = layout(tally.shards, output, publishing.others)
    files = [*sitemaps, *_files_beside(robots_text, tally.ledger, spool, plan)]
    # What happens to each of them.
    compared = [ComparedFile(file, _compare(file, spool, output)) for file in files]
    # What is removed: our old files and those of the generator, unless they are written anew.
    robots_lines = robots.sitemap_lines(plan.robots.text) if plan.robots else []
    old_names = [*published.list_stale_files(output, robots_lines), *generated]
    new_names = {file.name for file in files}
    removed = [name for name in old_names if name not in new_names]
    # Sitemaps of other tools that have the names of ours. `build` stops, and `check` fails where a
    # build would stop. `build --dry-run` goes on, and reports them with all changes.
    foreign = _list_foreign(compared, generated, output)
    stops = run.is_check or not publishing.is_dry
    if foreign and stops and not run.replace:
        raise foreign_error(foreign[0], site)
    return PlannedFiles(
        compared=compared,
        removed=removed,
        robots=robots_text,
        generated=generated,
        foreign=foreign,
    )


def _files_beside(
    robots_text: bytes, ledger: Shard, spool: Spool, plan: Plan
) -> Iterator[OutputFile]:
    """Makes the files to publish besides the sitemaps, as far as the site has them, in this order:

    1. robots.txt, if `robots_text` is not empty
    2. the key file of IndexNow, such as `3f0c.txt`, if a key is configured
    3. the ledger, if one is configured
    """
    output = plan.site.output
    if robots_text:
        yield OutputFile("robots.txt", head=robots_text, read_from=plan.robots)
    if output.key:
        key = output.key.encode()
        yield OutputFile(f"{output.key}.txt", head=key, mark=key)
    if plan.site.ledger:
        if plan.site.live_ledger:
            ledger = _copy_listed_rows(ledger, spool)
        yield OutputFile(plan.site.ledger, shard=ledger)


def _copy_listed_rows(ledger: Shard, spool: Spool) -> Shard:
    """Copies the rows of listed pages, for a ledger that is published with the sitemap.

    Everybody can read it, so it names no other page. The rows are copied within the spool, where
    the bytes of all files wait to be published.
    """
    size = 0
    for row in listed_rows(spool.rows(ledger)):
        spool.append(_LIVE, row + b"\n")
        size += len(row) + 1
    return Shard(_LIVE, number=1, size=size)


def _compare(file: OutputFile, spool: Spool, output: Output) -> Change:
    """Says what publishing `file` does to the file of the same name, by the first of these:

    | in the output is                                             | result       |
    |--------------------------------------------------------------|--------------|
    | nothing                                                      | created      |
    | a file with the same contents, whoever wrote it, or a link   | kept         |
    | a folder, or a link to something else                        | PublishError |
    | a key file that we did not write                             | PublishError |
    | any other file, such as another tool's sitemap               | updated      |

    `_list_foreign` finds the sitemaps of other tools later.
    """
    path = output.path(file.name)
    try:
        is_regular = stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return Change.CREATED
    if os.path.isfile(path) and _has_contents_of(file, spool, output):
        return Change.KEPT
    if not is_regular:
        raise PublishError(
            f"{path}: is not a regular file, so it is not replaced", "move it elsewhere"
        )
    if _is_of_other_tool(file, output):
        raise PublishError(
            f"{path}: was not written by sitemapper, so it is not replaced", "move it elsewhere"
        )
    return Change.UPDATED


def _is_of_other_tool(file: OutputFile, output: Output) -> bool:
    """Whether another tool wrote the file in the output that has the name of a key file.

    The key file of IndexNow begins with a mark, `file.mark`. A file without it is not ours. False
    for all other files, such as sitemaps, which have no such mark.
    """
    if not file.mark or published.start_of(file.name, output).startswith(file.mark):
        return False
    # A dry run has no lock, so the file may have disappeared since it was compared.
    return os.path.lexists(output.path(file.name))


def _has_contents_of(new_file: OutputFile, spool: Spool, output: Output) -> bool:
    """Whether the output has a file with the name and the contents of a new one.

    If so, the caller does not write it again. Compressed files are compared by what is in them.

    False for a file that is missing or damaged, and for a link that leads out of the folder: what
    is outside of the output is not read.
    """
    path = output.path(new_file.name)
    # A ledger, which has an absolute path as its name, is in a folder of its own.
    folder = os.path.dirname(path) if os.path.isabs(new_file.name) else output.folder
    with suppress(*_BROKEN, OutsideError), open_file_inside(folder, path) as file:
        old_file = gzip.GzipFile(fileobj=file) if path.endswith(".gz") else file
        # Compare the sizes first, because that reads no bytes. The size of a compressed file shows
        # nothing. Then compare block by block.
        if not new_file.gzip and os.path.getsize(path) != new_file.size:
            return False
        for block in new_file.blocks(spool):
            if old_file.read(len(block)) != block:
                return False
        return not old_file.read(1)  # nothing may follow
    # An error was suppressed: the file is missing or damaged, or the link leads out of the folder.
    return False


def _list_foreign(
    compared: Iterable[ComparedFile], generated: Collection[str], output: Output
) -> list[str]:
    """Lists other tools' sitemaps that a build would replace, because ours have the same names.

    The caller stops if there is one, unless --replace is given. `generated` are the sitemaps that
    the project's generator writes at each build. These are replaced without asking, so they are
    not listed.
    """
    foreign = []
    for file, change in compared:
        is_replaced_sitemap = file.is_sitemap and change is Change.UPDATED
        if not is_replaced_sitemap or file.name in generated:
            continue
        if published.is_foreign(file.name, output):
            foreign.append(file.name)
    return foreign


def list_old_copies(files: PlannedFiles, spool: Spool, output: Output) -> Iterator[str]:
    """Lists the `.gz` files in the output that are outdated copies of the files of a run.

    For example, a `robots.txt.gz` that another tool has compressed before. A server with
    `gzip_static` sends it in place of the new robots.txt. Not listed are copies with the same
    contents, and `.gz` files that the run writes or removes itself.
    """
    names_of_run = {*files.names, *files.removed}
    for file, _change in files.compared:
        copy = file._replace(name=f"{file.name}.gz", gzip=True)
        is_of_run = copy.name in names_of_run
        is_ledger = os.path.isabs(file.name)  # it is not in the output, so no server sends it
        if is_of_run or is_ledger or not os.path.isfile(output.path(copy.name)):
            continue
        if not _has_contents_of(copy, spool, output):
            yield copy.name
    for name in files.removed:
        name_of_copy = f"{name}.gz"
        if name_of_copy not in names_of_run and os.path.isfile(output.path(name_of_copy)):
            yield name_of_copy


def _update_robots(text: bytes, output: Output, replaced: Iterable[str]) -> bytes:
    """Rewrites the `Sitemap:` lines in the text of robots.txt, and returns the new text.

    `replaced` are the file names of another tool's sitemaps, which ours replace. A site that was at
    `https://old.example/` has the base URL `https://new.example/` now, and replaces
    `sitemap-0.xml`. Its lines:

    `Sitemap: https://old.example/sitemap.xml`    → removed: our sitemap at the former base URL
    `Sitemap: https://new.example/sitemap-0.xml`  → removed: replaced
    `Sitemap: https://new.example/news.xml`       → kept: some other sitemap
    `Sitemap: https://new.example/sitemap.xml`    → added, if it is missing: our sitemap
    """
    first_loc = published.first_loc(output)
    urls = robots.sitemap_lines(text)
    outdated = [url for url in urls if _names_former_sitemap(url, first_loc, output)]
    replaced_urls = {output.base_url + name for name in replaced if name != output.name}
    outdated += [url for url in urls if unquote(url) in replaced_urls]
    return robots.with_sitemap(text, output.sitemap_url, outdated)


def _names_former_sitemap(url: str, first_loc: str, output: Output) -> bool:
    """Whether a line of robots.txt names our sitemap at a base URL that the site had before.

    The caller then removes the line. `url` is the URL in it. `first_loc` is the first URL in the
    published sitemap, "" if there is none. With the base URL `https://new.example/`:

    | url | first_loc | result |
    |---|---|---|
    | `https://new.example/sitemap.xml` | any | False: it is today's line |
    | `http://new.example/sitemap.xml` | any | True: only the scheme differs |
    | `https://old.example/sitemap.xml` | `https://old.example/a` | True: built for this base URL |
    | `https://old.example/sitemap.xml` | `https://new.example/a` | False: another tool's line |
    """
    if url == output.sitemap_url:
        return False
    if without_scheme(url) == without_scheme(output.sitemap_url):
        return True
    former_base, _, name = url.rpartition("/")
    was_built_for_former_base = first_loc.startswith(f"{former_base}/")
    has_base_changed = not first_loc.startswith(output.base_url)
    return name == output.name and was_built_for_former_base and has_base_changed
