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
_SUM_BYTES = 16  # of the check sum that begins a block; what follows:
_SIZES = struct.Struct(">HHQ")  # the sizes of the first key, of the last key, of the records
_MAX_BLOCK = 1 << 28  # bytes
_HOUR = 3_600_000_000_000  # ns
_MAX_AGE = 90 * 24 * _HOUR  # a site is built again before that
_MAX_AGE_OF_TEMPORARY = _HOUR  # longer than a run writes one
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
    """Makes the path of the file for a site's records: `FOLDER/0123456789abcdef01234567.pages`.

    `site` is a text that identifies the site on any machine. The name is its hash.
    """
    name = blake2b(site.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return os.path.join(folder, f"{name}.pages")


def stat_of(page: Page, now: int) -> tuple[int, ...] | None:
    """Returns a page's size, times and identity for its record. None if they cannot be trusted.

    If the next run finds the same values, it takes the file as unchanged, and does not open it.

    They cannot be trusted if the file was written just before `now` (in ns). It might be written
    again within the same tick of the file system's clock, and then have the same times. With None,
    the next run compares the bytes of the file. git has this problem too ("racy git").
    """
    last_change = max(page.mtime, page.ctime)
    # FAT has times of two seconds. Others have the tick of the kernel, about 10 ms.
    is_in_whole_seconds = last_change % 1_000_000_000 == 0
    tick = 2_000_000_000 if is_in_whole_seconds else 100_000_000
    if last_change >= now - tick:
        return None
    return page[1:]  # all but the path


def make_record(page: Page, content_hash: bytes, facts: PageFacts, now: int) -> Record:
    """Makes the record of a page for the next run, of plain tuples that marshal can pack.

    `now` is the start of this run in ns. Empty metadata, as most pages have, is stored as None.
    """
    metadata = None if facts.metadata == NO_METADATA else tuple(facts.metadata)
    return stat_of(page, now), content_hash, metadata, *facts[1:]  # all facts but the metadata


def with_stat_of(page: Page, record: Record, now: int) -> Record:
    """Returns the record of a page with a new stat, for a file that was written again.

    Its bytes are the same, so the hash and the facts stay. `now` is the start of this run in ns.
    """
    _, content_hash, *facts = record
    return stat_of(page, now), content_hash, *facts


def facts_from(record: Record) -> PageFacts:
    """Unpacks the facts about a page from its record, the reverse of `make_record`."""
    _, _, fields, *facts = record
    metadata = Metadata(*fields) if fields else NO_METADATA
    return PageFacts(metadata, *facts)


def hash_bytes(data: bytes, seed: int) -> bytes:
    """Makes the hash of a page's bytes, by which the next run sees whether they have changed.

    With a random seed, nobody can prepare two pages that have the same hash.
    """
    # Imported here: runs without a cache need no hashes.
    from xxhash import xxh3_128_digest

    return xxh3_128_digest(data, seed)


def unpack(blocks: Sequence[bytes]) -> dict[str, Record]:
    """Unpacks blocks, which `PageReader` packed, to records by path: `{"a.html": (stat, hash, …)}`.

    A block or a record that is damaged is left out, so its pages are parsed again.
    """
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
    """Whether a value from the file has the shape of a record. If not, it is left out.

    Another program may have written the file.
    """
    if not (isinstance(value, tuple) and len(value) == 2 + len(PageFacts._fields)):
        return False
    metadata = value[_METADATA]
    if metadata is None:
        return True
    return isinstance(metadata, tuple) and len(metadata) == len(Metadata._fields)


class Block(NamedTuple):
    """The packed records of a batch, and the keys (`path_key`) of its first and last page."""

    first_key: bytes
    last_key: bytes
    records: bytes


class PageCache:
    """The cache file of one site: the old records are read in walk order, and new ones written.

    A context manager: the new file replaces the old one at its end. `problem` says why the cache
    does not work, None if it does.
    """

    def __init__(self, path: str, stamp: bytes, now: int) -> None:
        """Begins to read the old file, if it exists and has the same stamp.

        `stamp` identifies what records depend on besides the page, such as the settings. `now` is
        the start of the run in ns.
        """
        self.problem: str | None = None
        self._path = path
        self._stamp = blake2b(stamp + _versions(), digest_size=16).digest()
        self._now = now
        # The new file. `__enter__` opens it, and `__exit__` lets it replace the old one.
        self._new_file: IO[bytes] | None = None
        self._replacing = ExitStack()
        # The seed of all hashes of this run: that of the old file, because its hashes can only be
        # compared with others of the same seed. Without an old file, a random one.
        self._seed = int.from_bytes(os.urandom(8), "big")
        # The old blocks in walk order. MergeJoin reads one ahead, so this line reads the first one.
        # If there is an old file, this also sets `_seed`, which stands in it before the blocks.
        self._old_blocks = MergeJoin(self._take_over_seed_and_blocks())
        # Blocks that end after the last page of a batch, so that the next batch needs them too.
        self._blocks_for_next: list[Block] = []

    def __enter__(self) -> Self:
        """Opens a temporary file for the new records. Removes outdated files beside it, too.

        If it cannot be written, such as on a full disk, the run goes on without storing records.
        Then `problem` says why.
        """
        folder = os.path.dirname(self._path)
        try:
            os.makedirs(folder, exist_ok=True)
            sweep(folder, self._now)  # removes outdated files
            # `replacing` opens a temporary file, which must be closed and removed or renamed later.
            # That is the job of this block until `pop_all`, if a signal or an error ends it before.
            # After `pop_all`, it is the job of `__exit__`.
            with ExitStack() as until_written:
                self._new_file = until_written.enter_context(replacing(self._path, _MODE))
                self._new_file.write(_START.pack(self._stamp, self._seed))
                self._replacing = until_written.pop_all()
        except OSError as error:
            self.problem = f"{error.filename or self._path}: {error.strerror}"
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Replaces the old file by the new one. The old one stays if the run or the cache failed.

        `kind` is the type of the error that ended the run, None if it ended well.
        """
        has_failed = bool(kind or self.problem)
        try:
            # `__enter__` opened the new file with `replacing`. At the end of this block, the new
            # file replaces the old one. If an error leaves the block, the new file is removed.
            with self._replacing:
                self._old_blocks.close()
                if has_failed:
                    raise OSError  # so that the old file stays
        except OSError as error:
            if not has_failed:  # a real error: the new file cannot be put in place
                self.problem = f"{self._path}: {error.strerror}"

    def records_of(self, pages: Sequence[Page]) -> CachedBatch:
        """Reads the blocks of the old file that may have records of the pages of the next batch.

        The batches must come in walk order: each call is for the pages after those of the last one.

        The last run may have cut its batches at other pages. Its block with `a` to `f` is returned
        for the pages `a` to `c`, and again for the pages `d` to `g`. The records stay packed,
        because worker processes unpack them.
        """
        if not pages:
            return CachedBatch(self._seed, self._now, [])
        last_key = path_key(pages[-1].path)
        # Blocks from the call before, and those that begin at or before the last page.
        blocks = [*self._blocks_for_next, *self._old_blocks.until(last_key)]
        self._blocks_for_next = [block for block in blocks if block.last_key > last_key]
        records = [block.records for block in blocks]
        return CachedBatch(self._seed, self._now, records)

    def store(self, pages: Sequence[Page], records: bytes) -> None:
        """Writes the packed records of a batch of pages to the new file, as one block.

        Does nothing if the cache failed before. If it fails now, `problem` says why.
        """
        if self._new_file is None or self.problem or not pages:
            return
        first = path_key(pages[0].path)
        last = path_key(pages[-1].path)
        body = _SIZES.pack(len(first), len(last), len(records)) + first + last + records
        try:
            self._new_file.write(hash_bytes(body, 0) + body)
        except OSError as error:
            self.problem = f"{self._path}: {error.strerror}"

    def _take_over_seed_and_blocks(self) -> Generator[tuple[bytes, Block], None, None]:
        """Sets `_seed` to the seed of the old file, and yields its blocks, each with its first key.

        It ends at the first damaged block. If there is no file, or if another version or other
        settings wrote it, nothing is yielded, and the seed stays.
        """
        with contextlib.suppress(OSError), open_regular(self._path) as file:
            start = file.read(_START.size)
            if len(start) < _START.size or not start.startswith(self._stamp):
                return
            _, self._seed = _START.unpack(start)
            while block := _read_block(file):
                yield block.first_key, block


def _read_block(file: IO[bytes]) -> Block | None:
    """Reads the next block of a cache file. None at the end of the file, and for a damaged block.

    A block in the file: check sum | three sizes | first key | last key | records. The sizes are
    those of the three parts after them. The check sum is for all that follows it.
    """
    start = file.read(_SUM_BYTES + _SIZES.size)
    if len(start) < _SUM_BYTES + _SIZES.size:
        return None
    check_sum = start[:_SUM_BYTES]
    sizes = start[_SUM_BYTES:]
    first_size, last_size, records_size = _SIZES.unpack(sizes)
    if records_size >= _MAX_BLOCK:  # damaged, and reading so much would fill the memory
        return None
    body = file.read(first_size + last_size + records_size)
    if hash_bytes(sizes + body, 0) != check_sum:
        return None
    keys_end = first_size + last_size
    return Block(
        first_key=body[:first_size],
        last_key=body[first_size:keys_end],
        records=body[keys_end:],
    )


def _versions() -> bytes:
    """Names the versions of the records, sitemapper, selectolax and Python, for the cache's stamp.

    `15 1.0.0 0.4.10 (3, 11)`. With another version of one of them, old records are not used. The
    machine is not named, so that CI can restore the cache on another machine.
    """
    import selectolax

    return f"{_FORMAT} {__version__} {selectolax.__version__} {sys.version_info[:2]}".encode()


def keep(folder: str, name: str, data: bytes) -> None:
    """Writes the file `name` into the cache's folder, whole or not at all. Raises OSError."""
    os.makedirs(folder, exist_ok=True)
    with replacing(os.path.join(folder, name), _MODE) as file:
        file.write(data)


def sweep(folder: str, now: int) -> None:
    """Removes files of sites not built for 90 days, and temporary files of runs killed an hour ago.

    Only files with names that the cache itself gives (`_OWN_NAME`). `now` is in ns. What cannot be
    removed stays.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not re.fullmatch(_OWN_NAME, entry.name):
                continue
            max_age = _MAX_AGE_OF_TEMPORARY if entry.name.endswith(".tmp") else _MAX_AGE
            with contextlib.suppress(OSError):
                if now - entry.stat().st_mtime_ns > max_age:
                    os.unlink(entry.path)
