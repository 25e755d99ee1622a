"""Sitemaps of other tools that have the names of ours: those that stop a build, or are replaced."""

import filecmp
import os
from collections.abc import Iterator, Sequence
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

OTHER_TOOL = "another tool"
_DEFAULT_NAME = "sitemap.xml"
# The folders of a project whose files generators copy to the top of the site.
_COPIED_FOLDERS = (".", "static", "public", "content", "docs", "source", "src")


def foreign_error(name: str, site: Site) -> PublishError:
    """Makes the error for a sitemap of another tool that has the name of ours.

    The caller raises it, which stops the build. `name` is the file's name in the output. The help
    names the setting that turns off the sitemap of the project's generator.
    """
    return PublishError(
        f"{site.output.path(name)}: not replaced, because sitemapper did not write it",
        f"pass --replace and {site.generated.turn_off}, or choose another name: [sitemap] "
        'name = "sitemap-pages.xml"',
    )


def list_regenerated(site: Site) -> list[str]:
    """Lists the sitemaps that the project's generator writes anew at each of its builds, by name.

    A build replaces the one with the name of ours also without --replace, and removes the others.
    With Astro, these are `sitemap-index.xml` and `sitemap-0.xml`. They have the names that this
    generator gives, and nine of ten of their URLs are pages of this site.

    The list is empty where the files may be the user's own: if the output folder is a link, if
    `others` names one of them, or if git cannot say which files it tracks. It is also empty if the
    generator needs a template for its sitemap, and git tracks none. A file that git tracks, or a
    copy of one (`static/sitemap.xml`), is left out.
    """
    generated = site.generated
    output = site.output
    # With a name of the user's choice, our sitemap may stand beside the generator's.
    if not generated.names or output.name not in (_DEFAULT_NAME, *generated.names):
        return []
    # The user wants to keep a sitemap that `others` names.
    others = {path_of_other(other, output) for other in output.options.others}
    if not others.isdisjoint(generated.names) or _is_below_link(output, site.project):
        return []
    # Those that are there, and list the pages of this site.
    names = [name for name in generated.names if _is_like_generators(name, site)]
    if not names:
        return []
    # Imported here: most sites hold no sitemap of others.
    from ..lastmod import repository

    folders = [site.project, site.output.folder]
    try:
        tracked = repository.tracked_files(folders, {*generated.names, *generated.templates})
    except repository.GitError:
        return []  # without git, nothing shows whether the user wrote them
    # Without its template, the generator writes no sitemap, so the file is the user's own.
    tracked_names = {os.path.basename(file) for file in tracked}
    if generated.templates and tracked_names.isdisjoint(generated.templates):
        return []
    return [
        name
        for name in names
        if not any(_is_copied(file, output.path(name), site.project) for file in tracked)
    ]


def _is_copied(tracked: str, file: str, project: str) -> bool:
    """Whether a tracked file is the source from which a file in the output was copied.

    `static/sitemap.xml` is the source of `public/sitemap.xml`, also if their bytes differ. In other
    folders, such as `themes/tea/static/`, a file with the same name has to have the same bytes.
    """
    if os.path.basename(tracked) != os.path.basename(file):
        return False
    if os.path.relpath(os.path.dirname(tracked), project) in _COPIED_FOLDERS:
        return True
    with suppress(OSError):  # a file that cannot be read is not known to be a copy
        return os.path.samefile(tracked, file) or filecmp.cmp(tracked, file, shallow=False)
    return False


def _is_like_generators(name: str, site: Site) -> bool:
    """Whether the file with this name in the output looks like a generator's sitemap of this site.

    It is a regular file, is a sitemap or an index, lists the pages of the site, and has no comment
    before its root: `<?xml …?><urlset>`. Other tools for sitemaps put their name there, but none of
    the generators that we know.
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


def replaced_notes(replaced: Sequence[str], site: Site) -> Iterator[Message]:
    """Makes a note on each replaced sitemap of another tool, with the number of its URLs.

    `replaced` are the names of these sitemaps. One that lists no URL gets no note, because nothing
    of it is lost.
    """
    for name in replaced:
        count = _count_urls(name, site.output)
        if count:
            subjects = (site.generator or OTHER_TOOL, name)
            yield Message(Kind.REPLACED_SITEMAP, subjects, count)


def _count_urls(name: str, output: Output) -> int:
    """Counts the URLs in a sitemap of another tool, given by its name in the output.

    1 where the number is not known, because the result shows no number for 1. That is so for an
    index, a damaged file, and a `.gz` file, whose URLs are in the plain file too.
    """
    root = sitemap.root_of(published.start_of(name, output))
    if root != URLSET or name.endswith(".gz"):
        return 1
    try:
        with open(output.path(name), "rb") as file:
            return sum(1 for _ in sitemap.entries(sitemap.uncompressed(file)))
    except OSError:
        return 1
    except FileError as error:
        # In another namespace, a <urlset> lists no URL.
        return 0 if error.fault is FileFault.WRONG_ROOT else 1
