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
_ADVICE_IF_MISSING = "build it first, or name it by its URL if it is published from elsewhere"
_ADVICE_IF_OUTSIDE = (
    "build that sitemap for this host, or name it in robots.txt and not in `others` under [sitemap]"
)


def foreign_error(name: str, site: Site) -> PublishError:
    """Makes the error for a sitemap of another tool that has the name of ours.

    The caller raises it, which stops the build. `name` is the file's name in the output. The help
    names the setting that turns off the sitemap of the project's generator. If git tracks the file,
    or one that is copied to it, the error says so.
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
    """The names of the sitemaps that the project's generator writes anew at each of its builds.

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
    others = {_path_of_other(other, output) for other in output.options.others}
    if not others.isdisjoint(generated.names) or _is_below_link(output, site.project):
        return []
    # Those that are there, and list the pages of this site.
    names = [name for name in generated.names if _is_like_generators(name, site)]
    # Without git, nothing shows whether the user wrote them.
    tracked_files = _tracked_files(site) if names else None
    if tracked_files is None:
        return []
    tracked_names = {os.path.basename(file) for file in tracked_files}
    # Without its template, the generator writes no sitemap, so the file is the user's own.
    if generated.templates and tracked_names.isdisjoint(generated.templates):
        return []
    return [
        name
        for name in names
        if not any(_is_copied(file, output.path(name), site.project) for file in tracked_files)
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


def replaced_notes(
    replaced: Sequence[str], files: Sequence[OutputFile], spool: Spool, site: Site
) -> Iterator[Message]:
    """Makes a note on each replaced sitemap of another tool, with the number of its URLs.

    `replaced` are the names of these sitemaps, and `files` the new ones. A replaced sitemap that
    listed no URL gets no note. One more note says how many URLs had a date there, and have none in
    ours. It is only for users who have not chosen the sources of dates themselves.
    """
    tool = site.generator or OTHER_TOOL
    dated_urls = set()
    for name in replaced:
        entries = _entries(name, site.output)
        if entries is None:  # its URLs are not known
            yield Message(Kind.REPLACED_SITEMAP, (tool, name))
        elif entries:
            yield Message(Kind.REPLACED_SITEMAP, (tool, name), len(entries))
            dated_urls |= {entry.loc for entry in entries if entry.lastmod}
    if dated_urls and site.is_auto_dated and not site.wants_no_dates:
        count = _count_undated(dated_urls, files, spool)
        if count:
            yield Message(Kind.DATES_LOST, (tool,), count)


def _count_undated(dated_urls: set[str], files: Sequence[OutputFile], spool: Spool) -> int:
    """Counts the URLs that lose their date: another tool's sitemap dates them, ours does not.

    `dated_urls` are the URLs with a date in the sitemaps that ours replace. `files` are all that
    the run publishes, of which only XML sitemaps are read. A URL that ours do not list does not
    count.
    """
    count = 0
    for file in files:
        if file.shard is None or file.shard.series.format != "xml":
            continue  # an index, a text sitemap, robots.txt or a ledger
        for row in spool.rows(file.shard):
            url, lastmod = sitemap.parse_row(row)
            if not lastmod and url in dated_urls:
                count += 1
    return count


def _entries(name: str, output: Output) -> list[sitemap.Entry] | None:
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
        if error.fault is FileFault.WRONG_ROOT:
            return []  # in another namespace, a <urlset> lists no URL
        return None


def read_others(output: Output, cwd: str) -> list[DatedSitemap]:
    """Reads the newest date of each sitemap in the setting `others`, for a row in our index.

    `others = ["news.xml"]` → `[("https://a.example/news.xml", 2026-03-01)]`. An index among them is
    replaced by its sitemaps, because crawlers follow only one level. Only sitemaps in the output
    are read. One that is given by its URL, and is not there, has no date. Messages name files as
    seen from `cwd`. Raises ConfigError if a file is missing, is damaged, or lists URLs outside of
    the base URL.
    """
    found: dict[str, LastMod | None] = {}
    for other in output.options.others:
        url = resolve(other, output.base_url) or ""
        file = os.path.join(output.folder, *_path_of_other(other, output).split("/"))
        if os.path.isfile(file):
            found |= _read_dates(url, file, output.base_url, shown_path(file, cwd))
        elif "://" in other:
            found[url] = None  # the file may be on another machine
        else:
            what = f"{shown_path(file, cwd)}: no such file, see `others` under [sitemap]"
            raise ConfigError((with_help(what, _ADVICE_IF_MISSING),))
    return list(found.items())


def _path_of_other(other: str, output: Output) -> str:
    """The path in the output of a sitemap in the setting `others`, "" for one on another host.

    With the base `https://a.example/`, `https://a.example/news.xml?v=2` and `news.xml` →
    `news.xml`.
    """
    url = resolve(other, output.base_url) or ""
    return relative_path(url.partition("?")[0], output.base_url) or ""


def _read_dates(url: str, file: str, base: str, label: str) -> dict[str, LastMod | None]:
    """Reads a sitemap, or an index of several, from a file: `{URL of the sitemap: newest date}`.

    sitemap `news.xml` with dates of 1 and 9 March  → `{https://a.example/news.xml: 9 March}`
    index that names `a.xml` without a date         → `{https://a.example/a.xml: None}`

    `url` is the URL of the file. `label` is its name in messages. The dates of an index are those
    that it states. If the file is damaged, only what comes before the damage counts. Raises
    ConfigError if a sitemap is not below the base URL, or its first entry cannot be read.
    """
    newest: dict[str, LastMod | None] = {}
    try:
        with open(file, "rb") as opened:
            blocks = sitemap.uncompressed(opened, is_gz=file.lower().endswith(".gz"))
            for entry in sitemap.entries(blocks):
                # An entry of an index is a sitemap. One of a sitemap is a page of it.
                loc = entry.loc if entry.root == SITEMAPINDEX else url
                sitemap_url = resolve(loc, url) if loc else None
                if sitemap_url is None or not sitemap_url.startswith(base):
                    what = f"{label}:{entry.line}: {loc!r} is not below {base}"
                    raise ConfigError((with_help(what, _ADVICE_IF_OUTSIDE),))
                # Keep the newest date of this sitemap so far. A date that is invalid is no date.
                seconds = moment(entry.lastmod)
                date = None if seconds is None else LastMod(seconds, entry.lastmod)
                dates = filter(None, (newest.get(sitemap_url), date))
                newest[sitemap_url] = max(dates, default=None)
    except FileError as error:
        # If only the end of the file is damaged, the sitemaps before it stay in our index.
        if not newest:
            what = f"{label}:{error.line}: {error.text}"
            raise ConfigError((with_help(what, _ADVICE_IF_MISSING),)) from None
    return newest or {url: None}
