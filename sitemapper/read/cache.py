"""The facts about pages from the last run. Unchanged pages are not parsed, and most are not opened.

Each site has a file with a block for each batch, in walk order. Workers unpack the old blocks and
pack new ones; `PageCache` only copies them. Each run replaces the file by a new one, so two runs do
not disturb each other. A block that is damaged or outdated is ignored.
"""

import contextlib
import marshal
import os
import re
import struct
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from typing import IO, Any, NamedTuple, Self, TypeGuard

from .._version import __version__
from ..fs import open_regular
from ..merge import MergeJoin
from ..model import NO_METADATA, CachedBatch, Metadata, Page, PageFacts
from ..replace import replacing
from .walk import path_key

# Increase this when records change their content or meaning. Signals in heads have versions of
# their own (select/signals/), which are a part of the stamp.
_FORMAT = 15
_START = struct.Struct(">16sQ")  # of the file: the stamp, and the seed of the hashes
_SUM = 16  # bytes of the check sum that begins a block; what follows:
_SIZES = struct.Struct(">HHQ")  # the sizes of the first key, of the last key, of the records
_MAX_BLOCK = 1 << 28  # bytes
_HOUR = 3_600_000_000_000  # ns
_KEPT = 90 * 24 * _HOUR  # for the next build of a site
_KEPT_TEMPORARY = _HOUR  # longer than a run writes one
_MODE = 0o600  # the folder may be shared, and a record affects a build
# Compiled when it is used.
_OWN_NAME = r"[0-9a-f]{24}\.(?:pages|run|plugin)|\.[0-9a-f]{24}\.\w+\.\d+\.new\.tmp"
# A page's record: its stat (None if it may change unnoticed), the hash of its bytes, its facts with
# the metadata first. It is a plain tuple, because marshal packs nothing else.
STAT = 0
CONTENT_HASH = 1
_METADATA = 2
Record = tuple[tuple[int, ...] | None, bytes, tuple[Any, ...] | None, *tuple[Any, ...]]


def file_of(folder: str, site: str) -> str:
    """The file with the records of a site, in the cache's folder.

    `site` identifies it on any machine.
    """
    name = blake2b(site.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return os.path.join(folder, f"{name}.pages")


def stat_of(page: Page, now: int) -> tuple[int, ...] | None:
    """The size, times and identity of a page, which show the next run whether the file is the same.

    None if the file was written just before `now`, in ns: then the next run compares its bytes.
    Such a file may be written again without a new time, because times are as coarse as the kernel's
    tick, or two seconds on FAT. git has the same problem ("racy git").
    """
    last_change = max(page.mtime, page.ctime)
    is_in_whole_seconds = last_change % 1_000_000_000 == 0
    tick = 2_000_000_000 if is_in_whole_seconds else 100_000_000
    if last_change >= now - tick:
        return None
    return page[1:]  # all but the path


def make_record(page: Page, content_hash: bytes, facts: PageFacts, now: int) -> Record:
    """The record of a page for the next run. `now` is the start of this run in ns."""
    metadata = None if facts.metadata == NO_METADATA else tuple(facts.metadata)
    return stat_of(page, now), content_hash, metadata, *facts[1:]


def with_stat_of(page: Page, record: Record, now: int) -> Record:
    """A record with the new stat of its page, whose bytes have not changed."""
    _, content_hash, *facts = record
    return stat_of(page, now), content_hash, *facts


def facts_from(record: Record) -> PageFacts:
    """The facts about a page that a record holds."""
    _, _, fields, *facts = record
    metadata = Metadata(*fields) if fields else NO_METADATA
    return PageFacts(metadata, *facts)


def hash_bytes(data: bytes, seed: int) -> bytes:
    """The hash of a page's bytes. The random seed prevents prepared collisions."""
    # Imported here: runs without a cache need no hashes.
    from xxhash import xxh3_128_digest

    return xxh3_128_digest(data, seed)


def unpack(blocks: Sequence[bytes]) -> dict[str, Record]:
    """The records in blocks, by path. Unreadable records are ignored."""
    records: dict[str, Record] = {}
    for block in blocks:
        with contextlib.suppress(ValueError, EOFError, TypeError):
            content = marshal.loads(block)
            if not isinstance(content, dict):
                continue
            for path, record in content.items():
                if _is_record(record):
                    records[path] = record
    return records


def _is_record(value: object) -> TypeGuard[Record]:
    """Whether a value has the shape of a record, which data of another program may not have."""
    if not (isinstance(value, tuple) and len(value) == 2 + len(PageFacts._fields)):
        return False
    metadata = value[_METADATA]
    if metadata is None:
        return True
    return isinstance(metadata, tuple) and len(metadata) == len(Metadata._fields)


def pack(records: dict[str, Record]) -> bytes:
    """Packs records into a block."""
    return marshal.dumps(records)


class Block(NamedTuple):
    """Packed records, and the range of the keys of their pages, in walk order."""

    first: bytes
    last: bytes
    records: bytes


class PageCache:
    """The records of one site, read and written in walk order."""

    def __init__(self, path: str, stamp: bytes, now: int) -> None:
        """`stamp` identifies what records depend on besides the page. `now` is in ns."""
        self.problem: str | None = None
        self._path = path
        self._stamp = blake2b(stamp + _versions(), digest_size=16).digest()
        self._now = now
        self._seed = int.from_bytes(os.urandom(8), "big")
        self._carried: list[Block] = []
        self._writing = ExitStack()
        self._new: IO[bytes] | None = None
        self._old = MergeJoin(self._blocks())

    def __enter__(self) -> Self:
        """Opens a temporary file for the new records, beside the file with the old ones.

        If it cannot be written, the run goes on without a cache, and `problem` says why.
        """
        folder = os.path.dirname(self._path)
        try:
            os.makedirs(folder, exist_ok=True)
            sweep(folder, self._now)
            # The stack removes the file if a signal comes before the start is written. Then
            # `pop_all` keeps the file open for `__exit__`.
            with ExitStack() as writing:
                self._new = writing.enter_context(replacing(self._path, _MODE))
                self._new.write(_START.pack(self._stamp, self._seed))
                self._writing = writing.pop_all()
        except OSError as error:
            self.problem = f"{error.filename or self._path}: {error.strerror}"
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Replaces the old records with the new ones, unless the run or the cache failed."""
        try:
            with self._writing:
                self._old.close()
                if kind or self.problem:
                    raise OSError  # so that the old records stay
        except OSError as error:
            self.problem = self.problem or f"{self._path}: {error.strerror}"

    def records_of(self, pages: Sequence[Page]) -> CachedBatch:
        """The records of the next pages in walk order."""
        if not pages:
            return CachedBatch(self._seed, self._now, [])
        last = path_key(pages[-1].path)
        blocks = [*self._carried, *self._old.until(last)]
        # A block may also have records of pages after these.
        self._carried = [block for block in blocks if block.last > last]
        records = [block.records for block in blocks]
        return CachedBatch(self._seed, self._now, records)

    def store(self, pages: Sequence[Page], records: bytes) -> None:
        """Stores the packed records of pages."""
        if self._new is None or self.problem or not pages:
            return
        first = path_key(pages[0].path)
        last = path_key(pages[-1].path)
        body = _SIZES.pack(len(first), len(last), len(records)) + first + last + records
        try:
            self._new.write(hash_bytes(body, 0) + body)
        except OSError as error:
            self.problem = f"{self._path}: {error.strerror}"

    def _blocks(self) -> Generator[tuple[bytes, Block], None, None]:
        """The old blocks with their first keys. None if other versions or settings wrote them.

        The hashes in them depend on the seed of the file, so this run keeps that seed.
        """
        with contextlib.suppress(OSError), open_regular(self._path) as file:
            start = file.read(_START.size)
            if len(start) < _START.size or not start.startswith(self._stamp):
                return
            _, self._seed = _START.unpack(start)
            while block := _read_block(file):
                yield block.first, block


def _read_block(file: IO[bytes]) -> Block | None:
    """The next block of a file. None at its end, or if the block is damaged.

    In the file, a block is its check sum, three sizes, the first key, the last key and the records.
    """
    start = file.read(_SUM + _SIZES.size)
    if len(start) < _SUM + _SIZES.size:
        return None
    check_sum = start[:_SUM]
    sizes = start[_SUM:]
    first_size, last_size, records_size = _SIZES.unpack(sizes)
    if records_size >= _MAX_BLOCK:
        return None
    body = file.read(first_size + last_size + records_size)
    if hash_bytes(sizes + body, 0) != check_sum:
        return None
    keys_end = first_size + last_size
    return Block(body[:first_size], body[first_size:keys_end], body[keys_end:])


def _versions() -> bytes:
    """The versions that records depend on, and nothing of the machine.

    So CI can restore the cache on another one.
    """
    import selectolax

    return f"{_FORMAT} {__version__} {selectolax.__version__} {sys.version_info[:2]}".encode()


def keep(folder: str, name: str, data: bytes) -> None:
    """Writes a separate file beside the records, complete or not at all. Raises OSError."""
    os.makedirs(folder, exist_ok=True)
    with replacing(os.path.join(folder, name), _MODE) as file:
        file.write(data)


def sweep(folder: str, now: int) -> None:
    """Removes the records of sites that were not built for long, and files of killed runs.

    `now` is in ns.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if re.fullmatch(_OWN_NAME, entry.name):
                with contextlib.suppress(OSError):
                    _remove_outdated(entry, now)


def _remove_outdated(entry: os.DirEntry[str], now: int) -> None:
    """Removes a file that is older than files of its kind are kept. Raises OSError."""
    age = now - entry.stat().st_mtime_ns
    is_temporary = entry.name.endswith(".tmp")
    kept = _KEPT_TEMPORARY if is_temporary else _KEPT
    if age > kept:
        os.unlink(entry.path)
