"""Sitemaps of other tools:

those that block ours, those that are replaced, and those for our index.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ..errors import ConfigError, PublishError, with_help
from ..fs import shown_path
from ..messages import Kind, Message
from ..model import LastMod
from ..protocol import ENTRY_OF, SITEMAPINDEX, URLSET
from ..read import sitemap
from ..read.sitemap_xml import FileError, FileFault
from ..site import Output, Site
from ..syntax.dates import moment
from ..syntax.urls import relative_path, resolve
from . import published
from .formats import DatedSitemap
from .shards import OutputFile, Spool

OTHER_TOOL = "another tool"
_DEFAULT_NAME = "sitemap.xml"
_BUILD_IT = "build it first, or name it by its URL if it is published from elsewhere"
_BELOW = (
    "build that sitemap for this host, or name it in robots.txt and not in `others` under [sitemap]"
)


def foreign_error(name: str, site: Site) -> PublishError:
    """The error for a sitemap of another tool.

    The help names the setting of the project's generator.
    """
    other_name = 'choose another name: [sitemap] name = "sitemap-pages.xml"'
    help = f"pass --replace and {site.generated.turn_off}, or {other_name}"
    path = site.output.path(name)
    problem = f"{path}: not replaced, because sitemapper did not write it"
    if name in site.generated.names and _is_tracked(name, site):
        problem += ", and git tracks a file of this name"
        help = f"if git tracks the built site by mistake, run git rm -r --cached on it; else {help}"
    return PublishError(problem, help)


def list_regenerated(site: Site) -> list[str]:
    """The sitemaps in the output that the project's generator writes anew at each build.

    A build without --replace may overwrite the one with the name of ours, and remove the others.
    They are named in the generator's row of the table, and what they contain names no other file.
    Files whose name git tracks anywhere, and those behind a link, belong to the user. So do all of
    them if git cannot tell, or if `others` names one.
    """
    own = site.generated
    output = site.output
    if not own.names or output.name not in (_DEFAULT_NAME, *own.names):
        return []
    found = [name for name in own.names if _has_form_of_generators(name, output)]
    others = {_path_of_other(other, output) for other in output.options.others}
    if not found or not others.isdisjoint(own.names) or _is_behind_link(output, site.project):
        return []
    tracked = _tracked_names(site)
    if tracked is None:
        return []
    if own.templates and tracked.isdisjoint(own.templates):
        return []
    return [name for name in found if name not in tracked]


def _is_tracked(name: str, site: Site) -> bool:
    """Whether git tracks a file of a name, in the project or the output."""
    return name in (_tracked_names(site) or ())


def _tracked_names(site: Site) -> set[str] | None:
    """The names of the files that git tracks around a site, None if it cannot tell."""
    # Imported here: most sites hold no sitemap of others, and have no git.
    from ..lastmod import repository

    try:
        return repository.tracked_names([site.project, site.output.folder])
    except repository.GitError:
        return None


def _has_form_of_generators(name: str, output: Output) -> bool:
    """Whether a regular file is a sitemap of another tool without a comment in front of its root.

    No generator of the table writes a comment there. Tools for sitemaps put their name into it.
    """
    if not _is_regular(output.path(name)) or not published.is_foreign(name, output):
        return False
    start = published.start_of(name, output)
    root = sitemap.root_of(start)
    return root in ENTRY_OF and b"<!--" not in start.partition(f"<{root}".encode())[0]


def _is_regular(path: str) -> bool:
    """Whether a path is a regular file, and no link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _is_behind_link(output: Output, project: str) -> bool:
    """Whether the output folder, or one between it and the project's, is a link."""
    top = os.path.commonpath([project, output.folder])
    folder = output.folder
    while folder != top:
        if os.path.islink(folder):
            return True
        folder = os.path.dirname(folder)
    return False


def replaced_note(
    replaced: Sequence[str], files: Sequence[OutputFile], spool: Spool, site: Site
) -> Iterator[Message]:
    """A note on replaced sitemaps: the number of their URLs, and how many of them are listed.

    Nothing is lost with one that lists no URL.
    """
    if not replaced:
        return
    output = site.output
    whose = site.generator or OTHER_TOOL
    names = ", ".join(replaced)
    sitemaps = [name for name in replaced if _is_urlset(name, output)]
    if not sitemaps:
        yield Message(Kind.REPLACED_INDEX, (whose, names))
        return
    try:
        urls = {loc for name in sitemaps for loc in _locs(name, output)}
    except FileError as error:
        # Nobody knows how many URLs a damaged one lists. In another namespace, it lists none.
        if error.fault is not FileFault.WRONG_ROOT:
            yield Message(Kind.REPLACED_SITEMAP, (whose, names))
        return
    xml = (file.shard for file in files if file.shard and file.shard.series.format == "xml")
    listed = sum(sitemap.parse_row(row)[0] in urls for shard in xml for row in spool.rows(shard))
    if not urls:
        return
    count = f"{len(urls):,} URL{'s' * (len(urls) != 1)}, {listed:,} of them listed"
    yield Message(Kind.REPLACED_SITEMAP, (whose, f"{names} ({count})"))


def _is_urlset(name: str, output: Output) -> bool:
    """Whether a file lists URLs, and is not the packed copy of another one."""
    root = sitemap.root_of(published.start_of(name, output))
    return root == URLSET and not name.endswith(".gz")


def _locs(name: str, output: Output) -> Iterator[str]:
    """The URLs in a sitemap in the output. Raises FileError if it is damaged."""
    with suppress(OSError), open(output.path(name), "rb") as file:
        for entry in sitemap.entries(sitemap.uncompressed(file)):
            yield entry.loc


def read_others(output: Output, cwd: str) -> list[DatedSitemap]:
    """The sitemaps of other tools for the index, with the dates of those in the output.

    An index is replaced by its sitemaps, because crawlers follow only one level. Messages name
    files as seen from `cwd`. Raises ConfigError if one is missing or outside the output.
    """
    found: dict[str, LastMod | None] = {}
    for other in output.options.others:
        url = resolve(other, output.base_url) or ""
        file = os.path.join(output.folder, *_path_of_other(other, output).split("/"))
        if os.path.isfile(file):
            found |= _dates(url, file, output.base_url, shown_path(file, cwd))
        elif "://" in other:
            found[url] = None  # the file may be on another machine
        else:
            what = f"{shown_path(file, cwd)}: no such file, see `others` under [sitemap]"
            raise ConfigError((with_help(what, _BUILD_IT),))
    return list(found.items())


def _path_of_other(other: str, output: Output) -> str:
    """The path in the output of a sitemap that `others` names, "" for one on another host."""
    url = resolve(other, output.base_url) or ""
    return relative_path(url.partition("?")[0], output.base_url) or ""


def _dates(url: str, file: str, base: str, label: str) -> dict[str, LastMod | None]:
    """A sitemap with its newest date, or the sitemaps of an index with their dates."""
    newest: dict[str, LastMod | None] = {}
    try:
        with open(file, "rb") as opened:
            for entry in sitemap.entries(
                sitemap.uncompressed(opened, is_gz=file.lower().endswith(".gz"))
            ):
                loc = entry.loc if entry.root == SITEMAPINDEX else url
                named = resolve(loc, url) if loc else None
                if named is None or not named.startswith(base):
                    what = f"{label}:{entry.line}: {loc!r} is not below {base}"
                    raise ConfigError((with_help(what, _BELOW),))
                seconds = moment(entry.lastmod)
                date = None if seconds is None else LastMod(seconds, entry.lastmod)
                newest[named] = max(filter(None, (newest.get(named), date)), default=None)
    except FileError as error:
        # A damaged end takes no sitemap away.
        if not newest:
            what = f"{label}:{error.line}: {error.text}"
            raise ConfigError((with_help(what, _BUILD_IT),)) from None
    return newest or {url: None}
