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
    """Makes the error for a sitemap of another tool that has the name of ours.

    The caller raises it, which stops the build. `name` is the file's name in the output. The help
    names the setting that turns off the sitemap of the project's generator. If git tracks the file,
    or one that is copied to it, the error names the tracked file.
    """
    path = site.output.path(name)
    problem = f"{path}: not replaced, because sitemapper did not write it"
    if name in site.generated.names:
        for tracked in _tracked_files(site) or ():
            if _is_copied(tracked, path, site.project):
                problem += f", and git tracks {os.path.relpath(tracked, site.project)}"
                break
    return PublishError(
        problem,
        f"pass --replace and {site.generated.turn_off}, or choose another name: [sitemap] "
        'name = "sitemap-pages.xml"',
    )


def list_regenerated(site: Site) -> list[str]:
    """Lists the sitemaps that the project's generator writes anew at each of its builds, by name.

    With Astro, these are `sitemap-index.xml` and `sitemap-0.xml`. A build replaces the one with the
    name of ours, also without --replace, and removes the others. Files that may be the user's own
    are left out:

    1. all, if our sitemap has a name of the user's choice: both may stand side by side
    2. all, if `others` names one of them, or if the output folder is a link
    3. a file that does not look like a sitemap of this generator and this site
    4. all, if git cannot say which files it tracks
    5. all, if the generator needs a template for its sitemap, and git tracks none
    6. a file that git tracks, or a copy of one, such as `static/sitemap.xml`
    """
    generated = site.generated
    output = site.output
    # 1.
    if not generated.names or output.name not in (_DEFAULT_NAME, *generated.names):
        return []
    # 2.
    others = {path_of_other(other, output) for other in output.options.others}
    if not others.isdisjoint(generated.names) or _is_below_link(output, site.project):
        return []
    # 3. and 4.
    names = [name for name in generated.names if _is_like_generators(name, site)]
    tracked_files = _tracked_files(site) if names else None
    if tracked_files is None:
        return []
    # 5.
    tracked_names = {os.path.basename(file) for file in tracked_files}
    if generated.templates and tracked_names.isdisjoint(generated.templates):
        return []
    # 6.
    return [
        name
        for name in names
        if not any(_is_copied(file, output.path(name), site.project) for file in tracked_files)
    ]


def _is_copied(tracked: str, file: str, project: str) -> bool:
    """Whether a tracked file is the source from which a file in the output was copied.

    `static/sitemap.xml` is the source of `public/sitemap.xml`, also if their bytes differ, because
    generators copy what is in `static`, `public` and the like. In other folders, such as
    `themes/tea/static/`, a file with the same name has to have the same bytes.
    """
    if os.path.basename(tracked) != os.path.basename(file):
        return False
    if os.path.relpath(os.path.dirname(tracked), project) in _COPIED_FOLDERS:
        return True
    with suppress(OSError):  # a file that cannot be read is not known to be a copy
        return os.path.samefile(tracked, file) or filecmp.cmp(tracked, file, shallow=False)
    return False


def _tracked_files(site: Site) -> list[str] | None:
    """Asks git for tracked files with the name of a generator's sitemap or of its template.

    It is asked for the project's folder and the output: `static/sitemap.xml`. None if there is no
    git, or it fails.
    """
    # Imported here: most sites hold no sitemap of others, and have no git.
    from ..lastmod import repository

    try:
        names = {*site.generated.names, *site.generated.templates}
        return repository.tracked_files([site.project, site.output.folder], names)
    except repository.GitError:
        return None


def _is_like_generators(name: str, site: Site) -> bool:
    """Whether the file with this name in the output looks like a generator's sitemap of this site.

    It is a regular file of another tool than ours, is a sitemap or an index, and lists the pages of
    the site. A comment before its root, `<!-- made by … --><urlset>`, speaks against it: tools for
    sitemaps write their name there, and none of the generators that we know does.
    """
    output = site.output
    if os.path.islink(output.path(name)) or not published.is_foreign(name, output):
        return False
    start = published.start_of(name, output)
    root = sitemap.root_of(start)
    if root not in ENTRY_OF:
        return False
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
    """Makes a note on each replaced sitemap of another tool, with the number of its URLs.

    `replaced` are the names of these sitemaps, and `files` our new files. A replaced sitemap that
    listed no URL gets no note. The last note says how many URLs had a date there, and have none in
    ours. It is left out if the user has chosen the sources of dates, and so knows it.
    """
    tool = site.generator or OTHER_TOOL
    dated_urls = set()
    for name in replaced:
        entries = _read_entries(name, site.output)
        if entries is None:  # its URLs are not known
            yield Message(Kind.REPLACED_SITEMAP, (tool, name))
        elif entries:
            yield Message(Kind.REPLACED_SITEMAP, (tool, name), len(entries))
            # For a page without a date, Hugo writes the first day of the year 1.
            dated_urls |= {
                entry.loc
                for entry in entries
                if entry.lastmod and not entry.lastmod.startswith("0001-")
            }
    has_chosen_dates = not site.is_auto_dated or site.wants_no_dates
    if not dated_urls or has_chosen_dates:
        return
    undated = _count_undated(dated_urls, files, spool)
    if undated:
        yield Message(Kind.DATES_LOST, (tool,), undated)


def _count_undated(urls: Collection[str], files: Iterable[OutputFile], spool: Spool) -> int:
    """Counts those of the given URLs that our new sitemaps, `files`, list without a date."""
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

    None for an index, a damaged file, and a `.gz` file, whose URLs are in the plain file too.
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
        # In another namespace, a <urlset> lists no URL.
        return [] if error.fault is FileFault.WRONG_ROOT else None
