"""What is in the output folder already: which files are ours, what they hold, how many URLs."""

from __future__ import annotations

import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html import unescape
from typing import IO, cast
from urllib.parse import unquote

from ..config import filenames
from ..config.settings import Settings
from ..errors import PublishError
from ..fs import regular
from ..protocol import SITEMAPINDEX
from ..summary import Change
from ..syntax.ledger_rows import LIVE_MARK, listed_rows
from . import formats, text, xml
from .shards import OutputFile
from .spool import Spool

_BLOCK = 1 << 20
_MAX_MARK = 1 << 22  # bytes of a main sitemap that hold the names of 50,000 text files
_LASTMOD = re.compile(rb"<lastmod>[^<]*</lastmod>")
_ANY_LOC = re.compile(rb"<(?:\w+:)?loc>\s*+([^<\s]++)")
_LOC = re.compile(rb"<sitemap>\s*<loc>\s*([^<\s]+)")
# A dry run locks nothing, so a file may have disappeared since it was listed.
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, FileNotFoundError)


def compare(file: OutputFile, spool: Spool, settings: Settings) -> Change:
    """What publishing would do to the file. Raises PublishError where what is no sitemap is in the way."""
    path = _path(file.name, settings)
    if settings.ignores_dates and (file.name == settings.ledger_file or file.mark == LIVE_MARK):
        return Change.KEPT
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return Change.CREATED
    if settings.ignores_dates and stat.S_ISREG(status.st_mode) and _is_same_undated(path, file, spool):
        return Change.KEPT
    if stat.S_ISLNK(status.st_mode) and os.path.isfile(path) and _is_same(path, file, spool):
        return Change.KEPT
    if not stat.S_ISREG(status.st_mode):
        raise PublishError(f"{path}: not replaced, because it is not a regular file", "move it away")
    if (file.gzip or status.st_size == file.size) and _is_same(path, file, spool):
        return Change.KEPT  # whoever wrote it
    if file.mark and not _start(path).startswith(file.mark) and os.path.lexists(path):
        raise PublishError(f"{path}: was not written by sitemapper, so it is not replaced", "move it away")
    return Change.UPDATED


def _is_same(path: str, file: OutputFile, spool: Spool) -> bool:
    with suppress(*_BROKEN), _open(path) as published:
        return (
            published.read(len(file.head)) == file.head
            and (file.shard is None or spool.equals(file.shard, published))
            and published.read(len(file.tail) + 1) == file.tail
        )
    return False


def _is_same_undated(path: str, file: OutputFile, spool: Spool) -> bool:
    entries = spool.blocks(file.shard) if file.shard else ()
    new = _LASTMOD.sub(b"", b"".join([file.head, *entries, file.tail]))
    with suppress(*_BROKEN), _open(path) as published:
        return new == _LASTMOD.sub(b"", published.read())
    return False


def _open(path: str) -> IO[bytes]:
    if path.endswith(".gz"):
        return cast(IO[bytes], gzip.open(path, "rb"))
    return open(path, "rb")


def is_ours(path: str, settings: Settings) -> bool:
    """Whether a regular file carries our mark; text, which can carry none, is named by the main sitemap."""
    mark = formats.by_extension(path.removesuffix(".gz").rpartition(".")[2]).mark
    if mark:
        return mark in _start(path)
    endings = text.marked_endings(_own_main(settings, _MAX_MARK))
    return os.path.basename(path) in [settings.sitemap.stem + ending for ending in endings]


def _own_main(settings: Settings, limit: int = -1) -> bytes:
    """The beginning of the main sitemap; nothing of another tool's."""
    main = _path(settings.sitemap.name, settings)
    return (regular(main, limit) or b"") if xml.MARK in _start(main) else b""


def _path(name: str, settings: Settings) -> str:
    return os.path.join(settings.output_dir, name)


def _start(path: str) -> bytes:
    """The first 512 bytes of a regular file, unpacked; nothing of what is none."""
    if not os.path.isfile(path) or os.path.islink(path):
        return b""
    raw = regular(path, 4096) or b""
    if path.endswith(".gz"):
        try:
            raw = zlib.decompressobj(31).decompress(raw, 512)  # 31: with a gzip header
        except zlib.error:
            return b""
    return raw[:512]


def is_foreign(name: str, settings: Settings) -> bool:
    """Whether the output has a file of that name that another tool wrote."""
    path = _path(name, settings)
    return os.path.isfile(path) and not is_ours(path, settings)


def list_own_files(settings: Settings) -> Iterator[str]:
    """The names in the output that fit our scheme and carry our mark, in order."""
    stem = settings.sitemap.stem
    sections = {section.name for section in settings.sitemaps}
    # Sections that are configured no more are known from the index that named them.
    for name in _indexed(settings):
        middle = re.fullmatch(rf"{re.escape(stem)}-([a-z][a-z0-9-]*?)(-\d+)?\.xml(\.gz)?", name)
        sections |= {middle[1]} if middle else set()
    for name in _listing(settings.output_dir):
        if filenames.is_own_name(name, stem, sections) and is_ours(_path(name, settings), settings):
            yield name
    if _start(_path(settings.live_name, settings)).startswith(LIVE_MARK):
        yield settings.live_name


def list_foreign_candidates(settings: Settings, named: Iterable[str] = ()) -> Iterator[str]:
    """The sitemaps in the output that carry our mark, but are neither of these settings nor of others, whose
    main sitemaps robots.txt has `named`."""
    own, listing = set(list_own_files(settings)), _listing(settings.output_dir)
    for main in set(named).intersection(listing):
        sitemap = settings.sitemap.model_copy(update={"name": main})
        with suppress(OSError):  # what cannot be read belongs to another tool
            own |= {main, *_indexed(settings.model_copy(update={"sitemap": sitemap}))}
    for name in listing:
        is_xml = name.removesuffix(".gz").endswith(".xml") and name not in own
        with suppress(OSError):
            if is_xml and xml.MARK in _start(_path(name, settings)):
                yield name


def list_stale_files(settings: Settings, robots_lines: Iterable[str]) -> Iterator[str]:
    """Our files that a build removes unless it writes them.

    Another configuration may share the folder. What robots.txt or another index names is its own, unless our
    index named it; what a killed run left is named nowhere.
    """
    ours = {settings.sitemap.name, *_indexed(settings)}
    named = {url.removeprefix(settings.base_url) for url in robots_lines}
    for name in _listing(settings.output_dir):
        if name.removesuffix(".gz").endswith(".xml") and name not in ours:
            named |= _names_in(name, settings)
    for name in list_own_files(settings):
        if ours & {name, name.removesuffix(".gz")} or name not in named:
            yield name


def _names_in(name: str, settings: Settings) -> set[str]:
    """What an index of the output names, whoever wrote it."""
    path = _path(name, settings)
    with suppress(OSError):
        if f"<{SITEMAPINDEX}".encode() in _start(path):
            return set(_file_names(regular(path, _MAX_MARK) or b""))
    return set()


def list_old_keys(settings: Settings) -> Iterator[str]:
    """The files in the output that hold another key for IndexNow than the configured one."""
    for name in _listing(settings.output_dir) if settings.submit.key else ():
        key, ending = os.path.splitext(name)
        if ending == ".txt" and key != settings.submit.key and re.fullmatch(r"[A-Za-z0-9-]{8,128}", key):
            with suppress(OSError):
                if regular(_path(name, settings), 129) == key.encode():
                    yield name


def first_loc(settings: Settings) -> str:
    """The first URL in the published main sitemap, "" if there is none."""
    first = re.search(rb"<loc>([^<]+)", _own_main(settings, _BLOCK))
    return first[1].decode("utf-8", "replace") if first else ""


def stale_temp_files(settings: Settings) -> Iterator[str]:
    """Temporary files that a killed run left behind."""
    kept = [os.path.split(settings.ledger_file)] if settings.ledger_file else []
    output = os.path.realpath(settings.output_dir)
    for place in dict.fromkeys(os.path.realpath(p) for p in (output, *(folder for folder, _ in kept))):
        # Elsewhere than in the output, the temporary files of another run may lie.
        others = [name for folder, name in kept if os.path.realpath(folder) == place]
        stem = settings.sitemap.stem if place == output else None
        others += ["robots.txt", f"{settings.submit.key}.txt"] if place == output else []
        for name in _listing(place):
            path = os.path.join(place, name)
            if filenames.is_temporary(name, stem, others) and stat.S_ISREG(os.lstat(path).st_mode):
                yield path


def _listing(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except FileNotFoundError:
        return []


def count(settings: Settings) -> int | None:
    """How many URLs are published, by the sitemaps or else by the ledger; None if nothing is."""
    if not _own_main(settings, 1):
        return count_rows(settings)
    return sum(count_locs(name, settings) for name in sitemaps(settings))


def sitemaps(settings: Settings) -> list[str]:
    """The names of the published sitemaps in the order of their index."""
    if not _own_main(settings, 1):
        return []
    return [n for n in _indexed(settings) or [settings.sitemap.name] if os.path.isfile(_path(n, settings))]


def rows(name: str, settings: Settings) -> Iterator[bytes]:
    """The `<url>` elements of a published sitemap, as far as it is whole."""
    with suppress(*_BROKEN), _open(_path(name, settings)) as file:
        yield from (line.rstrip(b"\n") for line in file if line.startswith(b"<url>"))


def ledger_rows(settings: Settings) -> Iterator[bytes]:
    """The rows of the ledger about listed pages."""
    path = settings.ledger_to_read
    if path and os.path.exists(path):
        with open(path, "rb") as file:
            yield from listed_rows(line.rstrip(b"\r\n") for line in file)


def count_rows(settings: Settings) -> int | None:
    """How many listed pages the ledger holds; None if there is no ledger."""
    return sum(1 for _ in ledger_rows(settings)) or None


def _indexed(settings: Settings) -> list[str]:
    """Our files that the published index names; none if there is no index of ours."""
    if f"<{SITEMAPINDEX}".encode() not in _own_main(settings, 512):
        return []
    return _file_names(_own_main(settings).partition(xml.OTHERS)[0])


def _file_names(index: bytes) -> list[str]:
    locs = _LOC.findall(index)
    return [unquote(loc.decode("utf-8", "replace")).rpartition("/")[2] for loc in locs]


def sitemap_containing(loc: str, settings: Settings) -> str | None:
    """The published sitemap that lists a URL; None if none does."""
    element = f"<loc>{xml.escape(loc)}</loc>".encode()
    for name in list_own_files(settings):
        if any(element in row for row in rows(name, settings)):
            return name
    return None


def start_of(name: str, settings: Settings) -> bytes:
    """The first 512 bytes of a file of the output, unpacked."""
    return _start(_path(name, settings))


def locs(name: str, settings: Settings) -> Iterator[str]:
    """The URLs in a file of the output, whoever wrote it, as far as it is whole."""
    with suppress(*_BROKEN), _open(_path(name, settings)) as file:
        for loc in _ANY_LOC.findall(file.read()):
            yield unescape(loc.decode("utf-8", "replace"))


def count_locs(name: str, settings: Settings) -> int:
    """How many URLs a file of the output lists, as far as it is whole."""
    count = 0
    with suppress(*_BROKEN), _open(_path(name, settings)) as file:
        for line in file:
            count += line.count(b"<loc>")
    return count
