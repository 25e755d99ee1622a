"""Sitemaps of other tools that have the names of ours: those that stop a build, or are replaced."""

import filecmp
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress

from ..errors import PublishError
from ..messages import Kind, Message
from ..protocol import ENTRY_OF, URLSET
from ..read import sitemap
from ..read.built_sitemap import lists_pages_of
from ..read.sitemap_xml import FileError, FileFault
from ..site import Output, Site
from . import published
from .publishing import path_of_other
from .shards import OutputFile, Spool

OTHER_TOOL = "another tool"
_DEFAULT_NAME = "sitemap.xml"
# The folders of a project whose files generators copy to the top of the site.
_COPIED_FOLDERS = (".", "static", "public", "content", "docs", "source", "src")


def foreign_error(name: str, site: Site) -> PublishError:
    """Makes the error for a sitemap of another tool that has the name of ours, `name`.

    `public/sitemap.xml: was not written by sitemapper, so it is not replaced`. The help says how to
    replace it all the same, and how to turn off the sitemap of the generator.

    The generator may have copied the file from `static/`. If git tracks that one, it is the user's
    own, so the message names it, too.
    """
    path = site.output.path(name)
    problem = f"{path}: was not written by sitemapper"
    if name in site.generated.names:
        for tracked in _tracked_files(site) or ():
            if _is_file_or_source(tracked, path, site.project):
                problem += f", and git tracks {os.path.relpath(tracked, site.project)}"
                break
    return PublishError(
        f"{problem}, so it is not replaced",
        f"pass --replace and {site.generated.turn_off}, or choose another name: [sitemap] "
        'name = "sitemap-pages.xml"',
    )


def list_regenerated(site: Site) -> list[str]:
    """Lists the sitemaps that the project's generator writes anew at each of its builds, by name.

    With Astro, these are `sitemap-index.xml` and `sitemap-0.xml`. Our build replaces or removes
    them without asking. So none is listed if the user may want to keep it, may have written it, or
    if that cannot be found out.
    """
    generated = site.generated
    output = site.output
    if not generated.names:
        return []
    # 1. The user wants to keep them: our sitemap has got another name, or `others` names one.
    has_own_name = output.name not in (_DEFAULT_NAME, *generated.names)
    others = {path_of_other(other, output) for other in output.options.others}
    if has_own_name or not others.isdisjoint(generated.names):
        return []
    # 2. The files in a linked folder may belong to another project.
    if _is_below_link(output, site.project):
        return []
    # 3. The user may have written them, or git cannot say so.
    names = [name for name in generated.names if _looks_generated(name, site)]
    tracked_files = _tracked_files(site) if names else None
    if tracked_files is None:
        return []
    # With some generators, a sitemap is only made from a template, which git tracks.
    tracked_names = {os.path.basename(file) for file in tracked_files}
    if generated.templates and tracked_names.isdisjoint(generated.templates):
        return []
    return [name for name in names if not _is_of_user(name, tracked_files, site)]


def _is_of_user(name: str, tracked_files: Iterable[str], site: Site) -> bool:
    """Whether a sitemap in the output is the user's own, and not written by the generator.

    It is the user's own if git tracks it, or if git tracks the file from which it was copied, such
    as `static/sitemap.xml`.
    """
    path = site.output.path(name)
    return any(_is_file_or_source(tracked, path, site.project) for tracked in tracked_files)


def _is_file_or_source(tracked: str, file: str, project: str) -> bool:
    """Whether a file that git tracks is a file of the output, or was copied there.

    Both must have the same name. `static/sitemap.xml` was copied to `public/sitemap.xml`, even if
    their bytes differ: generators copy what is in `static`, `public` and the like. A tracked file
    in any other folder, such as `themes/tea/static/`, must also have the same bytes.
    """
    if os.path.basename(tracked) != os.path.basename(file):
        return False
    if os.path.relpath(os.path.dirname(tracked), project) in _COPIED_FOLDERS:
        return True
    with suppress(OSError):  # a file that cannot be read is not known to be a copy
        return os.path.samefile(tracked, file) or filecmp.cmp(tracked, file, shallow=False)
    return False


def _tracked_files(site: Site) -> list[str] | None:
    """Asks git which files with the name of a generator's sitemap, or of its template, it tracks.

    The repositories around the project's folder and the output are searched. The paths are
    absolute: `/srv/tea/static/sitemap.xml`. None if there is no git, or if git fails.
    """
    # Imported here: most sites have no sitemap of a generator, so they need no git for this.
    from ..lastmod import repository

    try:
        names = {*site.generated.names, *site.generated.templates}
        return repository.tracked_files([site.project, site.output.folder], names)
    except repository.GitError:
        return None


def _looks_generated(name: str, site: Site) -> bool:
    """Whether a sitemap in the output looks as if a generator had written it for this site.

    False if sitemapper wrote it, if it is a link, or if it does not list the pages of this site.
    """
    output = site.output
    if os.path.islink(output.path(name)) or not published.is_foreign(name, output):
        return False
    start = published.start_of(name, output)
    root = sitemap.root_of(start)
    if root not in ENTRY_OF:  # it is no sitemap, and no index
        return False
    # Many tools for sitemaps begin with a comment, `<!-- made by … --><urlset>`. None of the
    # generators that we know does.
    before_root, _, _ = start.partition(f"<{root}".encode())
    if b"<!--" in before_root:
        return False
    return lists_pages_of(site.root, output.path(name))


def _is_below_link(output: Output, project: str) -> bool:
    """Whether the output folder, or a folder on the way to it from the project's folder, is a link.

    With the project `/a` and the output `/a/b/public`, checks `/a/b/public` and `/a/b`. If one is a
    link, the files may belong to another project, so the caller replaces none unasked.
    """
    common_folder = os.path.commonpath([project, output.folder])
    folder = output.folder
    while folder != common_folder:
        if os.path.islink(folder):
            return True
        folder = os.path.dirname(folder)
    return False


def replaced_notes(
    replaced: Sequence[str], files: Sequence[OutputFile], spool: Spool, site: Site
) -> Iterator[Message]:
    """Makes notes on the sitemaps of another tool that ours replace.

    `replaced` are their names, and `files` our new files. Each replaced sitemap gets a note, with
    the number of its URLs if this is known. A replaced sitemap without URLs gets none.

    The last note says how many URLs lose a date: they had one in a replaced sitemap, and have none
    in ours. It is left out if the user has chosen the sources of dates, and so knows that some
    pages have none.
    """
    tool = site.generator or OTHER_TOOL
    dated_urls = set()
    for name in replaced:
        entries = _read_entries(name, site.output)
        if entries is None:  # an index, or a file that cannot be read: its URLs are not known
            yield Message(Kind.REPLACED_SITEMAP, (tool, name))
        elif entries:
            yield Message(Kind.REPLACED_SITEMAP, (tool, name), len(entries))
            # For a page without a date, Hugo writes the first day of the year 1.
            dated_urls |= {
                entry.loc
                for entry in entries
                if entry.lastmod and not entry.lastmod.startswith("0001-")
            }
    has_default_dates = site.is_auto_dated and not site.wants_no_dates
    if dated_urls and has_default_dates:
        undated = _count_undated(dated_urls, files, spool)
        if undated:
            yield Message(Kind.DATES_LOST, (tool,), undated)


def _count_undated(urls: Collection[str], files: Iterable[OutputFile], spool: Spool) -> int:
    """Counts how many of the given URLs our new sitemaps list without a date.

    `files` are all files to publish, in any format. Only XML sitemaps are read.
    """
    undated = 0
    for file in files:
        if file.shard is None or file.shard.series.format != "xml":
            continue  # an index, a text sitemap, robots.txt or a ledger
        for row in spool.rows(file.shard):
            url, lastmod = sitemap.parse_row(row)
            if not lastmod and url in urls:
                undated += 1
    return undated


def _read_entries(name: str, output: Output) -> list[sitemap.Entry] | None:
    """Reads the URLs and dates from a sitemap of another tool, given by its name in the output.

    `[]` if it lists no URL. None if its URLs are not known: for an index, for a damaged file, and
    for a `.gz` file, which usually has the same URLs as the plain file beside it.
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
        # A <urlset> in a namespace that is not that of sitemaps lists no URL.
        return [] if error.fault is FileFault.WRONG_ROOT else None
