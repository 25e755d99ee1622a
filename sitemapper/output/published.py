"""The files in the output folder: which are ours, what they contain, what was published before."""

import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html import unescape
from typing import IO, NamedTuple, cast
from urllib.parse import unquote

from ..config import filenames
from ..errors import PublishError
from ..fs import regular
from ..model import Change
from ..protocol import SITEMAPINDEX
from ..settled import Output
from ..syntax.ledger_rows import LIVE_MARK, listed_rows
from . import formats
from .shards import OutputFile, Spool

_MAX_MARK = 1 << 22  # bytes of a main sitemap, enough for the names of 50,000 text files
_LASTMOD = re.compile(rb"<lastmod>[^<]*</lastmod>")
_ANY_LOC = re.compile(rb"<(?!image:)(?:\w+:)?loc>\s*+([^<\s]++)")
_LOC = re.compile(rb"<sitemap>\s*<loc>\s*([^<\s]+)")
# A dry run has no lock, so a file may have disappeared since it was listed.
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, FileNotFoundError)


class ComparedFile(NamedTuple):
    """A file to publish, and what publishing would do to the one that is there."""

    file: OutputFile
    change: Change


def compare(file: OutputFile, spool: Spool, output: Output, *, ignores_dates: bool) -> Change:
    """What publishing would do to the file. Raises PublishError if something else is in the way."""
    path = output.path(file.name)
    is_ledger = os.path.isabs(file.name) or file.mark == LIVE_MARK
    if ignores_dates and is_ledger:
        return Change.KEPT
    try:
        is_regular = stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return Change.CREATED
    if os.path.isfile(path) and _is_same(path, file, spool, undated=ignores_dates):
        return Change.KEPT  # by any tool
    if not is_regular:
        raise PublishError(
            f"{path}: not replaced, because it is not a regular file", "move it away"
        )
    if (
        file.mark
        and not start_of(file.name, output).startswith(file.mark)
        and os.path.lexists(path)
    ):
        raise PublishError(
            f"{path}: was not written by sitemapper, so it is not replaced", "move it away"
        )
    return Change.UPDATED


def _is_same(path: str, file: OutputFile, spool: Spool, *, undated: bool) -> bool:
    with suppress(*_BROKEN), _open(path) as published:
        if undated:
            new = b"".join(file.blocks(spool))
            return _LASTMOD.sub(b"", new) == _LASTMOD.sub(b"", published.read())
        return (
            (file.gzip or os.path.getsize(path) == file.size)
            and all(published.read(len(block)) == block for block in file.blocks(spool))
            and not published.read(1)
        )
    return False


def _open(path: str) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb"))


def _is_ours(name: str, output: Output) -> bool:
    """Whether a regular file has our mark.

    Text files have no mark, so the main sitemap names them.
    """
    mark = formats.by_extension(name.removesuffix(".gz").rpartition(".")[2]).mark
    if mark:
        return mark in start_of(name, output)
    endings = formats.marked_endings(_own_main(output, _MAX_MARK))
    return name in [output.stem + ending for ending in endings]


def _own_main(output: Output, limit: int = -1) -> bytes:
    """The beginning of our main sitemap, empty if another tool wrote it."""
    name = output.name
    is_own = formats.MARK in start_of(name, output)
    return (regular(output.path(name), limit) or b"") if is_own else b""


def start_of(name: str, output: Output) -> bytes:
    """The first 512 bytes of a regular file in the output, unpacked. Empty for anything else."""
    path = output.path(name)
    if not os.path.isfile(path) or os.path.islink(path):
        return b""
    raw = regular(path, 4096) or b""
    if path.endswith(".gz"):
        try:
            raw = zlib.decompressobj(31).decompress(raw, 512)  # 31: with a gzip header
        except zlib.error:
            return b""
    return raw[:512]


def is_foreign(name: str, output: Output) -> bool:
    """Whether another tool wrote the file with this name in the output."""
    return os.path.isfile(output.path(name)) and not _is_ours(name, output)


def list_own_files(output: Output) -> Iterator[str]:
    """The names in the output that fit our scheme and have our mark, sorted."""
    stem = output.stem
    sections = set(output.sections)
    # The index still names sections that were removed from the configuration.
    for name in _indexed(output):
        middle = re.fullmatch(rf"{re.escape(stem)}-([a-z][a-z0-9-]*?)(-\d+)?\.xml(\.gz)?", name)
        if middle:
            sections.add(middle[1])
    for name in _listing(output.folder):
        if filenames.is_own_name(name, stem, sections) and _is_ours(name, output):
            yield name
    if start_of(output.live_name, output).startswith(LIVE_MARK):
        yield output.live_name


def list_foreign_candidates(output: Output, named: Iterable[str]) -> Iterator[str]:
    """The sitemaps in the output that carry our mark, but are neither of these output nor of
    others, whose main sitemaps robots.txt has `named`."""
    own, listing = set(list_own_files(output)), _listing(output.folder)
    for main in set(named).intersection(listing):
        with suppress(OSError):  # an unreadable file belongs to another tool
            own |= {main, *_indexed(output._replace(name=main))}
    for name in listing:
        is_xml = name.removesuffix(".gz").endswith(".xml") and name not in own
        with suppress(OSError):
            if is_xml and formats.MARK in start_of(name, output):
                yield name


def list_stale_files(output: Output, robots_lines: Iterable[str]) -> Iterator[str]:
    """Our files that a build removes unless it writes them.

    Another configuration may share the folder. Files that robots.txt or another index names belong
    to it, unless our index named them. Files that a killed run left are named nowhere.
    """
    ours = {output.name, *_indexed(output)}
    named = {url.removeprefix(output.base_url) for url in robots_lines}
    for name in _listing(output.folder):
        is_xml = name.removesuffix(".gz").endswith(".xml") and name not in ours
        with suppress(OSError):
            if is_xml and f"<{SITEMAPINDEX}".encode() in start_of(name, output):
                index = regular(output.path(name), _MAX_MARK)
                named.update(_file_names(index or b""))
    for name in list_own_files(output):
        if ours & {name, name.removesuffix(".gz")} or name not in named:
            yield name


def list_old_keys(output: Output) -> Iterator[str]:
    """The files in the output that contain an IndexNow key other than the configured one."""
    for name in _listing(output.folder) if output.key else ():
        match = re.fullmatch(r"([A-Za-z0-9-]{8,128})\.txt", name)
        if match and match[1] != output.key:
            with suppress(OSError):
                if regular(output.path(name), 129) == match[1].encode():
                    yield name


def first_loc(output: Output) -> str:
    """The first URL in the published main sitemap, "" if there is none."""
    first = re.search(rb"<loc>([^<]+)", _own_main(output, 1 << 20))
    return first[1].decode("utf-8", "replace") if first else ""


def stale_temp_files(output: Output, ledger: str | None) -> Iterator[str]:
    """Temporary files that a killed run left behind."""
    own_folder = os.path.realpath(output.folder)
    kept = {own_folder: ["robots.txt", f"{output.key}.txt"]}
    if ledger:
        folder, name = os.path.split(ledger)
        kept.setdefault(os.path.realpath(folder), []).append(name)
    for place, others in kept.items():
        # Outside the output, there may be temporary files of another run.
        stem = output.stem if place == own_folder else None
        for name in _listing(place):
            path = os.path.join(place, name)
            if filenames.is_temporary(name, stem, others) and stat.S_ISREG(os.lstat(path).st_mode):
                yield path


def _listing(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except FileNotFoundError:
        return []


class Previous(NamedTuple):
    """What was published before: our sitemaps or, without any, the rows of a ledger.

    `names` are the sitemaps in the order of their index. With `has_main`, the main sitemap is ours,
    even if no sitemap that it names is there. `ledger` is the path of the ledger that the run
    reads, None without one. Nothing is read until `count_urls` or rows are asked for.
    """

    output: Output
    names: tuple[str, ...]
    has_main: bool
    ledger: str | None

    def count_urls(self) -> int | None:
        """The number of URLs in the sitemaps or else in the ledger.

        None if nothing is published.
        """
        if not self.has_main:
            return sum(1 for _ in self.ledger_rows()) or None
        total = 0
        for name in self.names:
            with suppress(*_BROKEN), _open(self.output.path(name)) as file:
                for line in file:
                    total += line.count(b"<loc>")
        return total

    def rows(self, name: str) -> Iterator[bytes]:
        """The `<url>` elements of a sitemap, up to the first damage."""
        return _rows(name, self.output)

    def ledger_rows(self) -> Iterator[bytes]:
        """The rows of listed pages in the ledger, none without one."""
        if self.ledger and os.path.exists(self.ledger):
            with open(self.ledger, "rb") as file:
                yield from listed_rows(line.rstrip(b"\r\n") for line in file)


def open_previous(output: Output, ledger: str | None = None) -> Previous:
    """What was published before a run. `ledger` is the path of the ledger that the run reads."""
    if not _own_main(output, 1):
        return Previous(output, (), has_main=False, ledger=ledger)
    named = _indexed(output) or [output.name]
    names = tuple(name for name in named if os.path.isfile(output.path(name)))
    return Previous(output, names, has_main=True, ledger=ledger)


def find_file_with(loc: str, output: Output) -> str | None:
    """The name of the first of our files that lists a URL, None if there is none."""
    element = f"<loc>{formats.escape(loc)}</loc>".encode()
    for name in list_own_files(output):
        if any(element in row for row in _rows(name, output)):
            return name
    return None


def _rows(name: str, output: Output) -> Iterator[bytes]:
    with suppress(*_BROKEN), _open(output.path(name)) as file:
        for line in file:
            if line.startswith(b"<url>"):
                yield line.rstrip(b"\n")


def locs(name: str, output: Output) -> Iterator[str]:
    """The URLs in a file of the output by any tool, up to the first damage."""
    with suppress(*_BROKEN), _open(output.path(name)) as file:
        for loc in _ANY_LOC.findall(file.read()):
            yield unescape(loc.decode("utf-8", "replace"))


def _indexed(output: Output) -> list[str]:
    """Our files that the published index names. Empty if the index is not ours."""
    is_index = f"<{SITEMAPINDEX}".encode() in _own_main(output, 512)
    return _file_names(_own_main(output).partition(formats.OTHERS)[0]) if is_index else []


def _file_names(index: bytes) -> list[str]:
    locs = _LOC.findall(index)
    return [unquote(loc.decode("utf-8", "replace")).rpartition("/")[2] for loc in locs]
