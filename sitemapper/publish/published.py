"""What was published before a run: the files in the output folder, and which of them are ours.

A sitemap is ours if its beginning has our mark, a comment that we write into each XML sitemap. Text
sitemaps can have no mark, so our main sitemap has a list of their endings. Sitemaps that neither
shows to be ours are of other tools.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import chain
from typing import IO, NamedTuple
from urllib.parse import unquote

from ..config import filenames
from ..fs import open_file_inside, regular
from ..messages import Message
from ..protocol import MAX_BYTES, SITEMAPINDEX
from ..read import sitemap
from ..read.sitemap_xml import FileError
from ..site import Output, Run, Site
from ..syntax.ledger_rows import columns, listed_rows
from . import formats

# Bytes that are read of a main sitemap to find the comment that names its text files, which may be
# 50,000. No more is read of another index, either.
_MAX_BYTES_READ = 1 << 22


class Previous(NamedTuple):
    """What was published before a run, with which the run compares its own URLs.

    That is our sitemaps in the output, a sitemap from elsewhere or, without any, a ledger. Nothing
    is read until rows are asked for.
    """

    output: Output
    names: tuple[str, ...]  # the sitemaps in the output, in the order of their index
    has_sitemap: bool  # a sitemap was published, be it an index whose sitemaps are not there
    ledger: str | None  # the path of the ledger that the run reads
    copied_rows: IO[bytes] | None = None  # a copy of the rows of a sitemap from elsewhere
    copied_from: str = ""  # the URL or file of this sitemap, in messages
    is_of_output: bool = True  # whether the setting `previous` is "output"
    notes: tuple[Message, ...] = ()  # on a sitemap from elsewhere

    def count_urls(self) -> int | None:
        """Counts the published URLs: those in the sitemaps or, without any, in the ledger.

        0 for sitemaps that list no URL. None if nothing was published before: there is no sitemap,
        and no ledger that lists a page.
        """
        if not self.has_sitemap:
            return sum(1 for _ in self.ledger_rows()) or None
        return sum(1 for _ in self.all_rows())

    def count_dates(self) -> int:
        """Counts the URLs with a date in the earlier sitemaps or, without any, in the ledger."""
        if not self.has_sitemap:
            dates = (date for _path, date, _digest, _url in map(columns, self.ledger_rows()))
            # "-" is a page without a date. ">2026-03-01" is one that changed after this day, but
            # whose date is not known.
            return sum(date[:1].isdigit() for date in dates)
        return sum(b"<lastmod>" in row for row in self.all_rows())

    def all_rows(self) -> Iterator[bytes]:
        """Reads the `<url>` elements of all earlier sitemaps, in their order.

        Yields `<url><loc>https://a.example/b</loc></url>` for each URL.
        """
        if self.copied_rows is None:  # our sitemaps in the output
            yield from chain.from_iterable(map(self.rows, self.names))
            return
        self.copied_rows.seek(0)
        for line in self.copied_rows:
            yield line.rstrip(b"\n")

    @property
    def has_sitemap_elsewhere(self) -> bool:
        """Whether the earlier sitemap is not in the output, but on the site's host or in a file."""
        return self.copied_rows is not None

    def rows(self, name: str) -> Iterator[bytes]:
        """Reads the `<url>` elements of one sitemap in the output, up to the first damaged one."""
        return rows(name, self.output)

    def ledger_rows(self) -> Iterator[bytes]:
        """Reads the rows of listed pages in the ledger. Without a ledger, there are none."""
        return listed_rows(self.all_ledger_rows())

    def all_ledger_rows(self) -> Iterator[bytes]:
        """Reads all lines of the ledger. Without a ledger, there are none."""
        if self.ledger and os.path.exists(self.ledger):
            with open(self.ledger, "rb") as file:
                for line in file:
                    yield line.rstrip(b"\r\n")


def open_previous(output: Output, ledger: str | None = None) -> Previous:
    """Finds the sitemaps that we have published to the output, to compare the new ones with them.

    | `sitemap.xml` in the output | result |
    |---|---|
    | is missing, or another tool wrote it | no sitemaps |
    | our index | the files that it names and that are there, such as `sitemap-1.xml` |
    | our only sitemap | `sitemap.xml` |

    `ledger` is the path of the ledger that the run reads, which has a row for each page.
    """
    if not is_own_main(output):
        return Previous(output, names=(), has_sitemap=False, ledger=ledger)
    named = list_indexed(output) or [output.name]  # without an index, there is only the main one
    names = tuple(name for name in named if os.path.isfile(output.path(name)))
    return Previous(output, names, has_sitemap=True, ledger=ledger)


@contextmanager
def find_previous(source: str, site: Site, run: Run, ledger: str | None) -> Iterator[Previous]:
    """Finds what was published before a run, where the setting `previous` says.

    | `source`      | what is found                                                    |
    |---------------|------------------------------------------------------------------|
    | `output`      | our sitemaps in the output                                       |
    | `none`        | nothing                                                          |
    | `live`        | the sitemap on the site's host; if it has none, only a note      |
    | a file or URL | this sitemap                                                     |

    `source` is the value of the setting. A sitemap that is not in the output is read here, once.
    Its rows are copied to a temporary file, which is deleted at the end of the `with` block.
    `ledger` is the path of the ledger that the run reads. Raises PreviousError or NetworkError if
    there is a sitemap that cannot be read.
    """
    nothing = Previous(site.output, names=(), has_sitemap=False, ledger=None, is_of_output=False)
    if source == "output":
        yield open_previous(site.output, ledger)
    elif source == "none":
        yield nothing
    else:
        # Imported here: most runs compare with the sitemaps in the output.
        from .earlier import open_earlier

        place = site.output.sitemap_url if source == "live" else source
        with open_earlier(place, site, run) as earlier:
            if earlier.rows is None:
                yield nothing._replace(notes=earlier.notes)
            else:
                yield nothing._replace(
                    has_sitemap=True,
                    ledger=ledger,
                    copied_rows=earlier.rows,
                    copied_from=earlier.name,
                    notes=earlier.notes,
                )


def is_own_main(output: Output) -> bool:
    """Whether we wrote the main sitemap of the output: it begins with our mark, a comment."""
    return sitemap.MARK in start_of(output.name, output)


def _own_main(output: Output, limit: int) -> bytes:
    """Reads the first `limit` bytes of our main sitemap. Empty if it is missing or not ours."""
    if not is_own_main(output):
        return b""
    return regular(output.path(output.name), limit) or b""


def start_of(name: str, output: Output) -> bytes:
    """Reads the first 512 bytes of a file in the output, uncompressed.

    If we wrote it, they contain our mark. Empty for a missing file, a link, a folder and damaged
    gzip.
    """
    path = output.path(name)
    if not os.path.isfile(path) or os.path.islink(path):
        return b""
    raw = regular(path, 4096) or b""
    if path.endswith(".gz"):
        with suppress(FileError):
            return next(sitemap.uncompressed(BytesIO(raw), is_gz=True))[:512]
        return b""
    return raw[:512]


def is_foreign(name: str, output: Output) -> bool:
    """Whether another tool wrote the file with this name in the output."""
    return os.path.isfile(output.path(name)) and not _is_ours(name, output)


def _is_ours(name: str, output: Output) -> bool:
    """Whether sitemapper wrote the sitemap with this name in the output.

    An XML sitemap is ours if it begins with our mark, a comment. A text sitemap is a list of URLs
    and can have no comment. So a comment in `sitemap.xml` names the endings of our text sitemaps:
    `-1.txt` for `sitemap-1.txt`.
    """
    extension = name.removesuffix(".gz").rpartition(".")[2]
    mark = formats.by_extension(extension).mark
    if mark:
        return mark in start_of(name, output)
    # A text sitemap.
    endings = formats.marked_endings(_own_main(output, _MAX_BYTES_READ))
    return name in [output.stem + ending for ending in endings]


def list_own_files(output: Output) -> Iterator[str]:
    """Lists the files in the output that we wrote: our sitemaps, sorted.

    A sitemap is ours if it begins with our mark, a comment, and has a name that we give:
    `sitemap-2.xml`, or `sitemap-blog.xml` for the section `blog`. The section may have been removed
    from the configuration since the last build.
    """
    stem = output.stem
    sections = set(output.sections)
    # Add the removed sections, which the published index still has. They are part of the names of
    # its files: `sitemap-blog-2.xml` → `blog`.
    section_file = rf"{re.escape(stem)}-(?P<section>[a-z][a-z0-9-]*?)(-\d+)?\.xml(\.gz)?"
    for name in list_indexed(output):
        match = re.fullmatch(section_file, name)
        if match:
            sections.add(match["section"])
    for name in _list_names(output):
        if filenames.is_own_name(name, stem, sections) and _is_ours(name, output):
            yield name


def list_unclaimed_sitemaps(output: Output, named: Iterable[str]) -> Iterator[str]:
    """Lists the sitemaps of ours in the output's folder that no configuration seems to use.

    For example, `sitemap-pages.xml` after the setting `name` has changed from it to `sitemap.xml`.
    A warning names them. These are in use, and so not listed:

    - the files of this output
    - `named`: sitemaps that the user has named in robots.txt or `others`
    - those that another index in the folder names, because another configuration may write them
    """
    used = {*list_own_files(output), *named, *_names_in_other_indexes(output)}
    for name in _list_xml_files(output):
        if name in used:
            continue
        with suppress(OSError):  # an unreadable file belongs to another tool
            if sitemap.MARK in start_of(name, output):
                yield name


def list_stale_files(output: Output, robots_lines: Iterable[str]) -> Iterator[str]:
    """Lists our files that a build removes if it does not write them again.

    For example, `sitemap-3.xml`, if two sitemaps are enough now. Another configuration may write to
    the same folder, and its files are not listed:

    - A file that our index names is ours, so it is listed.
    - A file that only robots.txt or another index names belongs to another configuration.
    - A file that nothing names is listed: a killed run wrote it, but not the index after it.

    `robots_lines` are the URLs of sitemaps in robots.txt.
    """
    in_our_index = {output.name, *list_indexed(output)}
    named_elsewhere = {url.removeprefix(output.base_url) for url in robots_lines}
    named_elsewhere.update(_names_in_other_indexes(output))
    for name in list_own_files(output):
        # Of `sitemap.xml` and `sitemap.xml.gz`, the index names only the first, but both are ours.
        is_in_our_index = name in in_our_index or name.removesuffix(".gz") in in_our_index
        if is_in_our_index or name not in named_elsewhere:
            yield name


def _names_in_other_indexes(output: Output) -> Iterator[str]:
    """Lists the sitemaps in other indexes than ours, in the output's folder, by file name.

    Another configuration may write to the same folder. If its index `sitemap-b.xml` has
    `sitemap-b-1.xml`, this file may look like one of ours, but must not be removed.
    """
    ours = {output.name, *list_indexed(output)}
    for name in _list_xml_files(output):
        if name in ours:
            continue
        with suppress(OSError):  # an unreadable file belongs to another tool
            is_index = sitemap.root_of(start_of(name, output)) == SITEMAPINDEX
            if is_index:
                # Empty if somebody has removed the file meanwhile.
                index = regular(output.path(name), _MAX_BYTES_READ) or b""
                yield from _names_of_index(index)


def _list_xml_files(output: Output) -> list[str]:
    """Lists the names of the XML files in the output's folder, sorted: `a.xml` and `a.xml.gz`."""
    return [name for name in _list_names(output) if name.removesuffix(".gz").endswith(".xml")]


def _list_names(output: Output) -> list[str]:
    """Lists the names in the output's folder, sorted. Empty if there is no such folder yet."""
    try:
        return sorted(os.listdir(output.folder))
    except FileNotFoundError:
        return []


def first_loc(output: Output) -> str:
    """Reads the first URL of our main sitemap in the output, "" if none is there.

    In an index, that is the URL of its first sitemap. Callers see from this URL for which base URL
    the sitemap was built: `https://old.example/a` for `https://old.example/`.
    """
    main = _own_main(output, 1 << 20)  # 1 MiB: the first URL is near the beginning
    with suppress(FileError):
        for entry in sitemap.entries(iter([main])):
            return entry.loc
    return ""


def list_indexed(output: Output) -> list[str]:
    """Lists the sitemaps that our index in the output names: `sitemap-1.xml`, `sitemap-2.xml`.

    Empty if the main sitemap is missing, is another tool's, or is no index.
    """
    # Only an index is read whole, because a single sitemap may have 50 MB.
    is_index = sitemap.root_of(start_of(output.name, output)) == SITEMAPINDEX
    return names_in(_own_main(output, MAX_BYTES), output.name) if is_index else []


def names_in(main: bytes, name: str) -> list[str]:
    """Lists our sitemaps by what is in the main one, the file with this `name`.

    | the bytes in `main` | result |
    |---|---|
    | our index | the sitemaps in it that we wrote: `sitemap-1.xml`, `sitemap-2.xml` |
    | our only sitemap | its own name, such as `sitemap.xml` |
    | a sitemap of another tool | none |
    """
    start = main[:512]  # a sitemap that we wrote has our mark here
    if sitemap.MARK not in start:
        return []
    if sitemap.root_of(start) == SITEMAPINDEX:
        return list(_names_of_index(main, only_ours=True))
    return [name]


def _names_of_index(index: bytes, *, only_ours: bool = False) -> Iterator[str]:
    """Reads the file names in an index: `https://a.example/sitemap-1.xml` → `sitemap-1.xml`.

    If the index is damaged, only the names before the damage are read. With `only_ours`, the
    sitemaps of other tools that our index names are left out.
    """
    with suppress(FileError):
        for entry in sitemap.entries(iter([index]), only_ours=only_ours):
            yield unquote(entry.loc).rpartition("/")[2]


def rows(name: str, output: Output) -> Iterator[bytes]:
    """Reads the lines with `<url>` elements in a sitemap of ours, up to the first damaged one."""
    # A dry run has no lock, so the file may have disappeared since it was listed.
    with (
        suppress(FileNotFoundError),
        open_file_inside(output.folder, output.path(name)) as file,
    ):
        yield from sitemap.own_rows(sitemap.uncompressed(file))
