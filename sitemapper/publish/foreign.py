"""Sitemaps of other tools:

those that block ours, those that are replaced, and those for our index.
"""

import filecmp
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ..errors import ConfigError, PublishError, with_help
from ..fs import shown_path
from ..messages import Kind, Message
from ..model import LastMod
from ..protocol import ENTRY_OF, SITEMAPINDEX, URLSET
from ..read import sitemap
from ..read.built_sitemap import lists_pages_of
from ..read.sitemap_xml import FileError, FileFault
from ..site import Output, Site
from ..syntax.dates import moment
from ..syntax.urls import relative_path, resolve
from . import published
from .formats import DatedSitemap
from .shards import OutputFile, Spool

OTHER_TOOL = "another tool"
_DEFAULT_NAME = "sitemap.xml"
# The folders of a project whose files generators copy to the top of the site.
_COPIED_FOLDERS = (".", "static", "public", "content", "docs", "source", "src")
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
    if name in site.generated.names:
        for tracked in _tracked_files(site) or ():
            if _is_copied(tracked, path, site.project):
                problem += f", and git tracks {os.path.relpath(tracked, site.project)}"
                break
    return PublishError(problem, help)


def list_regenerated(site: Site) -> list[str]:
    """The sitemaps in the output that the project's generator writes anew at each build.

    A build without --replace may overwrite the one with the name of ours, and remove the others:
    of Astro, these are `sitemap-index.xml` and `sitemap-0.xml`. They have the names in the
    generator's row, and nine of ten of their URLs are pages of this site. Other sitemaps that they
    name stay.

    A file that git tracks, a copy of such a file (static/sitemap.xml), and those behind a link
    belong to the user. So do all of them if git cannot say, or if `others` names one.
    """
    generated = site.generated
    output = site.output
    if not generated.names or output.name not in (_DEFAULT_NAME, *generated.names):
        return []
    others = {_path_of_other(other, output) for other in output.options.others}
    if not others.isdisjoint(generated.names) or _is_behind_link(output, site.project):
        return []
    written = [name for name in generated.names if _is_like_generators(name, site)]
    tracked = _tracked_files(site) if written else None
    if tracked is None:
        return []
    tracked_names = {os.path.basename(file) for file in tracked}
    if generated.templates and tracked_names.isdisjoint(generated.templates):
        return []
    return [
        name
        for name in written
        if not any(_is_copied(file, output.path(name), site.project) for file in tracked)
    ]


def _is_copied(tracked: str, file: str, project: str) -> bool:
    """Whether a tracked file is the source of a file in the output.

    So is `static/sitemap.xml` of `public/sitemap.xml`, also after an edit. Elsewhere, as in
    `themes/tea/static/sitemap.xml`, a file with the same name and bytes is.
    """
    if os.path.basename(tracked) != os.path.basename(file):
        return False
    if os.path.relpath(os.path.dirname(tracked), project) in _COPIED_FOLDERS:
        return True
    with suppress(OSError):
        return os.path.samefile(tracked, file) or filecmp.cmp(tracked, file, shallow=False)
    return False


def _tracked_files(site: Site) -> list[str] | None:
    """The files of the project that may make or be its sitemaps and that git tracks.

    None if git cannot say.
    """
    # Imported here: most sites hold no sitemap of others, and have no git.
    from ..lastmod import repository

    try:
        names = {*site.generated.names, *site.generated.templates}
        return repository.tracked_files([site.project, site.output.folder], names)
    except repository.GitError:
        return None


def _is_like_generators(name: str, site: Site) -> bool:
    """Whether a regular file is a sitemap of this site as generators write it.

    No generator of the table writes a comment in front of its root. Tools for sitemaps put their
    name there.
    """
    output = site.output
    if os.path.islink(output.path(name)) or not published.is_foreign(name, output):
        return False
    start = published.start_of(name, output)
    root = sitemap.root_of(start)
    if root not in ENTRY_OF or b"<!--" in start.partition(f"<{root}".encode())[0]:
        return False
    return lists_pages_of(site.root, output.path(name))


def _is_behind_link(output: Output, project: str) -> bool:
    """Whether the output folder, or one between it and the project's, is a link."""
    top = os.path.commonpath([project, output.folder])
    folder = output.folder
    while folder != top:
        if os.path.islink(folder):
            return True
        folder = os.path.dirname(folder)
    return False


def replaced_notes(
    replaced: Sequence[str], files: Sequence[OutputFile], spool: Spool, site: Site
) -> Iterator[Message]:
    """A note on each replaced sitemap, with the number of its URLs, and on the dates that it had.

    A sitemap that listed no URL is no news.
    """
    whose = site.generator or OTHER_TOOL
    dated = set()
    for name in replaced:
        entries = _entries(name, site.output)
        if entries is None:
            yield Message(Kind.REPLACED_SITEMAP, (whose, name))
        elif entries:
            yield Message(Kind.REPLACED_SITEMAP, (whose, name), len(entries))
            dated |= {entry.loc for entry in entries if entry.lastmod}
    if dated and site.is_auto_dated and not site.wants_no_dates:
        undated = _count_undated(dated, files, spool)
        if undated:
            yield Message(Kind.DATES_LOST, (whose,), undated)


def _count_undated(dated: set[str], files: Sequence[OutputFile], spool: Spool) -> int:
    """The number of the URLs that another sitemap dated and that have no date in ours."""
    count = 0
    for file in files:
        if file.shard is None or file.shard.series.format != "xml":
            continue
        for row in spool.rows(file.shard):
            url, lastmod = sitemap.parse_row(row)
            if not lastmod and url in dated:
                count += 1
    return count


def _entries(name: str, output: Output) -> list[sitemap.Entry] | None:
    """The URLs of a sitemap in the output.

    None if they are not known: those of an index, of a damaged file, and of a packed copy, which
    are those of the file beside it.
    """
    root = sitemap.root_of(published.start_of(name, output))
    if root != URLSET or name.endswith(".gz"):
        return None
    try:
        with open(output.path(name), "rb") as file:
            return list(sitemap.entries(sitemap.uncompressed(file)))
    except OSError:
        return None
    except FileError as error:
        # In another namespace, an element of this name lists no URL.
        return [] if error.fault is FileFault.WRONG_ROOT else None


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
