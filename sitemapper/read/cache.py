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
_FORMAT = 16
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
# the metadata first: `((size, mtime, …), b"hash", metadata, date, kind, …)`. It is a plain tuple,
# because marshal packs no NamedTuple.
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
    # FAT has times of two seconds. Others have the tick of the kernel: 10 ms, so 100 ms are safe.
    is_in_whole_seconds = last_change % 1_000_000_000 == 0
    tick = 2_000_000_000 if is_in_whole_seconds else 100_000_000
    if last_change >= now - tick:
        return None
    return page[1:]  # all fields but the path: size, times and inode


def make_record(stat: tuple[int, ...] | None, content_hash: bytes, facts: PageFacts) -> Record:
    """Makes the record of a page from its stat, the hash of its bytes, and its facts.

    `((size, mtime, …), b"hash", metadata, date, kind, …)`. The stat is None if it cannot be
    trusted. The metadata are None if they are empty, as those of most pages, because None is
    shorter.
    """
    metadata = None if facts.metadata == NO_METADATA else tuple(facts.metadata)
    other_facts = facts[1:]  # metadata is the first field
    return stat, content_hash, metadata, *other_facts


def with_stat(stat: tuple[int, ...] | None, record: Record) -> Record:
    """Replaces the stat in the record of a page whose file has new times, but the same bytes."""
    _old_stat, content_hash, *facts = record
    return stat, content_hash, *facts


def facts_from(record: Record) -> PageFacts:
    """Unpacks the facts about a page from its record, as `make_record` has put them there.

    `((size, mtime, …), b"hash", None, date, …)` → `PageFacts(NO_METADATA, date, …)`.
    """
    _stat, _content_hash, metadata_fields, *other_facts = record
    metadata = Metadata(*metadata_fields) if metadata_fields else NO_METADATA
    return PageFacts(metadata, *other_facts)


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
    """Whether a value has the shape of a record: `((size, mtime, …), b"hash", metadata, date, …)`.

    It comes from a file that another program may have written.
    """
    length_of_record = 2 + len(PageFacts._fields)  # 2: the stat and the hash
    if not (isinstance(value, tuple) and len(value) == length_of_record):
        return False
    metadata = value[_METADATA]
    if metadata is None:  # empty metadata
        return True
    return isinstance(metadata, tuple) and len(metadata) == len(Metadata._fields)


class Block(NamedTuple):
    """The packed records of a batch, and the keys (`path_key`) of its first and last page."""

    first_key: bytes
    last_key: bytes
    records: bytes


class PageCache:
    """The cache file of one site: the old records are read in walk order, and new ones written.

    The file begins with a stamp and a seed. A block for each batch of pages follows, with their
    records. At the end of the `with` block, the new file replaces the old one.
    """

    def __init__(self, path: str, stamp: bytes, now: int) -> None:
        """Opens the file of the last run for reading, if there is one with the same stamp.

        `stamp` is what records depend on besides the page, such as the settings. `now` is the start
        of the run in ns.
        """
        self.problem: str | None = None  # why the cache does not work, None if it does
        self._path = path
        self._now = now
        # Both files begin with the same stamp and seed, or else the old one is not read: without
        # the same seed, the hashes in its records could not be compared with those of this run.
        full_stamp = blake2b(stamp + _versions(), digest_size=16).digest()
        self._seed = _choose_seed(path, full_stamp)
        self._start = _START.pack(full_stamp, self._seed)
        # The old file. `records_of` reads its blocks one by one, as the walk reaches their pages,
        # and keeps a block that may also have pages of the next batch.
        self._old_blocks = MergeJoin(_read_blocks(path, self._start))
        self._blocks_for_next: list[Block] = []
        # The new file. `__enter__` opens it, and `__exit__` puts it in the place of the old one.
        self._new_file: IO[bytes] | None = None
        self._replacing = ExitStack()

    def __enter__(self) -> Self:
        """Opens a temporary file for the new records, and writes the start of it.

        If it cannot be written, such as on a full disk, the run goes on without storing records.
        Then `problem` says why.
        """
        folder = os.path.dirname(self._path)
        try:
            os.makedirs(folder, exist_ok=True)
            sweep(folder, self._now)  # removes outdated files
            # If the start cannot be written, or a signal comes, this block removes the temporary
            # file. `pop_all` leaves the file open: `__exit__` then renames or removes it.
            with ExitStack() as until_started:
                self._new_file = until_started.enter_context(replacing(self._path, _MODE))
                self._new_file.write(self._start)
                self._replacing = until_started.pop_all()
        except OSError as error:
            self.problem = f"{error.filename or self._path}: {error.strerror}"
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Replaces the old file by the new one. The old one stays if the run or the cache failed.

        `kind` is the type of the error that ended the run, None if it ended well.
        """
        self._old_blocks.close()
        has_failed = bool(kind or self.problem)
        try:
            # At the end of this block, the new file replaces the old one. If the block ends with an
            # error, the new file is removed instead.
            with self._replacing:
                if has_failed:
                    raise OSError
        except OSError as error:
            if not has_failed:  # the new file could not replace the old one
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


def _choose_seed(path: str, stamp: bytes) -> int:
    """Chooses the seed of the hashes: that of the old cache file, or a random one.

    Hashes can only be compared if they have the same seed. Those in a file with another stamp are
    not used: another version of sitemapper wrote them, or a run with other settings.
    """
    with contextlib.suppress(OSError), open_regular(path) as file:
        start = file.read(_START.size)
        if len(start) == _START.size:
            stamp_of_file, seed = _START.unpack(start)
            if stamp_of_file == stamp:
                return int(seed)
    return int.from_bytes(os.urandom(8), "big")


def _read_blocks(path: str, start: bytes) -> Generator[tuple[bytes, Block], None, None]:
    """Yields the blocks of a cache file, each with the key of its first page.

    Ends at a damaged block. Of a file that does not begin with `start`, nothing is yielded.
    """
    with contextlib.suppress(OSError), open_regular(path) as file:
        if file.read(len(start)) != start:
            return
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

    `16 1.0.0 0.4.10 (3, 11)`. With another version of one of them, old records are not used. The
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

    `now` is in ns. What cannot be removed stays.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not re.fullmatch(_OWN_NAME, entry.name):  # not a name that the cache gives
                continue
            max_age = _MAX_AGE_OF_TEMPORARY if entry.name.endswith(".tmp") else _MAX_AGE
            with contextlib.suppress(OSError):
                if now - entry.stat().st_mtime_ns > max_age:
                    os.unlink(entry.path)
