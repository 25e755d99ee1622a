"""The files in the output folder: which are ours, what they contain, what was published before."""

import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import NamedTuple
from urllib.parse import unquote

from ..config import filenames
from ..errors import PublishError
from ..fs import OutsideError, open_file_inside, regular
from ..model import Change
from ..protocol import MAX_BYTES, SITEMAPINDEX
from ..read import sitemap
from ..read.sitemap_xml import FileError
from ..site import Output
from ..syntax.ledger_rows import LIVE_MARK
from . import formats
from .shards import OutputFile, Spool

# Bytes at the beginning of a main sitemap that contain its mark: it may name 50,000 text files.
_MAX_MARK = 1 << 22
# Compiled when it is used.
_LASTMOD = rb"<lastmod>[^<]*</lastmod>"
# A dry run has no lock, so a file may have disappeared since it was listed.
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, FileNotFoundError)


class ComparedFile(NamedTuple):
    """A file to publish, and what publishing does to the file with its name."""

    file: OutputFile
    change: Change


def compare(file: OutputFile, spool: Spool, output: Output, *, ignores_dates: bool) -> Change:
    """Says what publishing does to the file in the output that has the name of `file`.

    | in the output | result |
    |---|---|
    | no file | created |
    | a file with the same contents | kept |
    | a file of ours with other contents | updated |

    With `ignores_dates`, sitemaps that differ only in dates are the same, and a ledger is always
    kept. A sitemap of another tool is updated too, and the caller decides whether that may be.
    Raises PublishError for what must not be replaced: a folder, a link, or a file beside the
    sitemaps that we did not write.
    """
    path = output.path(file.name)
    # A ledger is named by its absolute path, and a live one begins with its mark.
    is_ledger = os.path.isabs(file.name) or file.mark == LIVE_MARK
    if ignores_dates and is_ledger:
        return Change.KEPT
    try:
        is_regular = stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return Change.CREATED
    # A file of another tool with the same contents may stay too.
    if os.path.isfile(path) and has_contents_of(file, spool, output, undated=ignores_dates):
        return Change.KEPT
    if not is_regular:
        raise PublishError(
            f"{path}: not replaced, because it is not a regular file", "move it away"
        )
    # A sitemap has no mark here: plan_files checks sitemaps of other tools.
    has_mark = not file.mark or start_of(file.name, output).startswith(file.mark)
    # Without a lock, the file may have disappeared since it was opened.
    if not has_mark and os.path.lexists(path):
        raise PublishError(
            f"{path}: was not written by sitemapper, so it is not replaced", "move it away"
        )
    return Change.UPDATED


def has_contents_of(
    new_file: OutputFile, spool: Spool, output: Output, *, undated: bool = False
) -> bool:
    """Whether the output has a file with the name and the contents of a new one.

    Compressed files are compared by what is in them. If `undated`, `<lastmod>` elements are not
    compared. A file that is damaged, missing, or reached by a link out of its folder is not the
    same.
    """
    path = output.path(new_file.name)
    # A ledger, which has an absolute path as its name, is in a folder of its own.
    folder = os.path.dirname(path) if os.path.isabs(new_file.name) else output.folder
    with (
        suppress(*_BROKEN, OutsideError),
        open_file_inside(folder, path) as file,
        gzip.GzipFile(fileobj=file) if path.endswith(".gz") else file as published,
    ):
        if undated:
            new = b"".join(new_file.blocks(spool))
            before = published.read(MAX_BYTES)
            return re.sub(_LASTMOD, b"", new) == re.sub(_LASTMOD, b"", before)
        # Compare the sizes first, because that reads nothing, and then block by block.
        if not new_file.gzip and os.path.getsize(path) != new_file.size:
            return False
        for block in new_file.blocks(spool):
            if published.read(len(block)) != block:
                return False
        return not published.read(1)  # nothing may follow
    return False  # it is broken, or outside the folder


def _is_ours(name: str, output: Output) -> bool:
    """Whether we wrote the sitemap in the output that has this name.

    An XML file is ours if it begins with our mark. Text files cannot have a mark. They are ours if
    our main sitemap names their endings: `sitemap.txt`, if the endings are `.txt .txt.gz`.
    """
    extension = name.removesuffix(".gz").rpartition(".")[2]
    mark = formats.by_extension(extension).mark
    if mark:
        return mark in start_of(name, output)
    endings = formats.marked_endings(_own_main(output, _MAX_MARK))
    return name in [output.stem + ending for ending in endings]


def is_own_main(output: Output) -> bool:
    """Whether we wrote the main sitemap of the output."""
    return sitemap.MARK in start_of(output.name, output)


def _own_main(output: Output, limit: int = MAX_BYTES) -> bytes:
    """Reads the first `limit` bytes of our main sitemap, by default as many as the protocol allows.

    Empty if there is none, or another tool wrote it.
    """
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


def list_own_files(output: Output) -> Iterator[str]:
    """Lists the names of our sitemaps in the output, sorted, and then that of the live ledger.

    They have a name that we give, such as `sitemap-2.xml`, and our mark. `sitemap-blog.xml` is such
    a name if `blog` is a section, or was one at the last build.
    """
    stem = output.stem
    sections = set(output.sections)
    # The published index still names sections that were removed from the configuration.
    for name in list_indexed(output):
        section_of_name = re.fullmatch(
            rf"{re.escape(stem)}-([a-z][a-z0-9-]*?)(-\d+)?\.xml(\.gz)?", name
        )
        if section_of_name:
            sections.add(section_of_name[1])
    for name in _listing(output.folder):
        if filenames.is_own_name(name, stem, sections) and _is_ours(name, output):
            yield name
    if start_of(output.live_name, output).startswith(LIVE_MARK):
        yield output.live_name


def list_unclaimed_sitemaps(output: Output, named: Iterable[str]) -> Iterator[str]:
    """Lists the sitemaps of ours in the output's folder that no configuration seems to use.

    For example, `sitemap-pages.xml` after the setting `name` has changed from it to `sitemap.xml`.
    These are in use, and so not listed:

    - the files of this output
    - `named`: sitemaps that the user has named in robots.txt or `others`
    - files in a `named` index, because another configuration may write them
    """
    used = set(list_own_files(output))
    names = _listing(output.folder)
    for named_sitemap in set(named).intersection(names):
        with suppress(OSError):  # an unreadable file belongs to another tool
            used |= {named_sitemap, *list_indexed(output._replace(name=named_sitemap))}
    for name in names:
        if name in used or not _is_xml(name):
            continue
        with suppress(OSError):
            if sitemap.MARK in start_of(name, output):
                yield name


def list_stale_files(output: Output, robots_lines: Iterable[str]) -> Iterator[str]:
    """Lists our files that a build removes unless it writes them anew.

    For example, `sitemap-3.xml`, if two sitemaps are enough now. Another configuration may write to
    the same folder, and its files stay:

    | our index names it | robots.txt or another index names it | listed |
    |---|---|---|
    | yes | any | yes |
    | no | yes | no: it belongs to another configuration |
    | no | no | yes: a killed run left it |

    `robots_lines` are the URLs of sitemaps in robots.txt.
    """
    in_our_index = {output.name, *list_indexed(output)}
    named_elsewhere = {url.removeprefix(output.base_url) for url in robots_lines}
    # Add the names in other indexes.
    for name in _listing(output.folder):
        if name in in_our_index or not _is_xml(name):
            continue
        with suppress(OSError):
            if sitemap.root_of(start_of(name, output)) == SITEMAPINDEX:
                index = regular(output.path(name), _MAX_MARK)
                named_elsewhere.update(_names_of_index(index or b""))
    for name in list_own_files(output):
        # The index names only the plain file of two, but both are ours.
        is_in_our_index = name in in_our_index or name.removesuffix(".gz") in in_our_index
        if is_in_our_index or name not in named_elsewhere:
            yield name


def _is_xml(name: str) -> bool:
    """Whether a file is XML by its name, `a.xml` or `a.xml.gz`."""
    return name.removesuffix(".gz").endswith(".xml")


def first_loc(output: Output) -> str:
    """Reads the first URL of our main sitemap in the output, "" if none is there.

    In an index, that is the URL of its first sitemap. The caller sees from it for which base URL
    the sitemap was built: `https://old.example/a` → `https://old.example/`.
    """
    main = _own_main(output, 1 << 20)
    with suppress(FileError):
        for entry in sitemap.entries(iter([main])):
            return entry.loc
    return ""


def stale_temp_files(output: Output, ledger: str | None) -> Iterator[str]:
    """Lists the paths of the temporary files that a killed run left, for the caller to remove.

    In the output, those of sitemaps, robots.txt and the key file. In the folder of the ledger, only
    those of the ledger, because another run may write other files there.
    """
    output_folder = os.path.realpath(output.folder)
    # By folder, the names of the files that a run writes there besides sitemaps.
    other_files = {output_folder: ["robots.txt", f"{output.key}.txt"]}
    if ledger:
        ledger_folder, ledger_name = os.path.split(ledger)
        other_files.setdefault(os.path.realpath(ledger_folder), []).append(ledger_name)
    for folder, names_of_files in other_files.items():
        stem = output.stem if folder == output_folder else None
        for name in _listing(folder):
            if not filenames.is_temporary(name, stem, names_of_files):
                continue
            path = os.path.join(folder, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                yield path


def _listing(directory: str) -> list[str]:
    """The names in a folder, sorted. Empty if there is no such folder."""
    try:
        return sorted(os.listdir(directory))
    except FileNotFoundError:
        return []


def names_in(main: bytes, name: str) -> list[str]:
    """Reads which sitemaps of ours there are from the bytes of a main sitemap, `main`.

    our index `sitemap.xml` of two sitemaps  → `sitemap-1.xml`, `sitemap-2.xml`
    our single sitemap `sitemap.xml`         → `sitemap.xml`, which is `name`
    a sitemap of another tool                → none

    Sitemaps of other tools that our index names are left out.
    """
    start = main[:512]
    if sitemap.MARK not in start:
        return []
    if sitemap.root_of(start) == SITEMAPINDEX:
        return list(_names_of_index(main, only_ours=True))
    return [name]


def find_file_with(loc: str, output: Output) -> str | None:
    """Finds the first of our sitemaps in the output that lists a URL, and returns its name.

    None if none lists it.
    """
    element = f"<loc>{formats.escape(loc)}</loc>".encode()
    for name in list_own_files(output):
        if any(element in row for row in rows(name, output)):
            return name
    return None


def rows(name: str, output: Output) -> Iterator[bytes]:
    """Reads the lines with `<url>` elements in a sitemap of ours, up to the first damaged one."""
    # A dry run has no lock, so the file may have disappeared since it was listed.
    with (
        suppress(FileNotFoundError),
        open_file_inside(output.folder, output.path(name)) as file,
    ):
        yield from sitemap.own_rows(sitemap.uncompressed(file))


def list_indexed(output: Output) -> list[str]:
    """Lists the files of ours that the published index names: `sitemap-1.xml`, `sitemap-2.xml`.

    Empty without an index of ours.
    """
    # Only an index is read whole, because a single sitemap may have 50 MB.
    if sitemap.root_of(_own_main(output, 512)) != SITEMAPINDEX:
        return []
    return names_in(_own_main(output), output.name)


def _names_of_index(index: bytes, *, only_ours: bool = False) -> Iterator[str]:
    """Reads the file names in an index: `https://a.example/sitemap-1.xml` → `sitemap-1.xml`.

    Where the index is damaged, the names end. With `only_ours`, those of other tools are left out.
    """
    with suppress(FileError):
        for entry in sitemap.entries(iter([index]), only_ours=only_ours):
            yield unquote(entry.loc).rpartition("/")[2]
