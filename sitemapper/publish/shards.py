"""Cuts the stream into shards, keeps them until their names are known, and lists the files."""

import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import IO, NamedTuple, Self
from zlib import crc32

from ..config import filenames
from ..errors import SitemapperError
from ..model import RenderedEntries, Shard, ShardSeries
from ..protocol import MAX_URLS
from ..site import Output
from . import formats

# URLs of a stable shard: the minimum, and the average above it.
STABLE_MIN_URLS = 1_000
STABLE_MEAN_URLS = 15_000
_BLOCK = 1 << 20  # bytes
# Bytes kept in memory: of the first stream, and of each other one, because there may be many
# sections.
_IN_MEMORY = 4 << 20
_IN_MEMORY_MORE = 1 << 18


class Limits(NamedTuple):
    """The URLs and bytes of entries that one shard may contain."""

    urls: int
    size: int


def limits_of(series: ShardSeries, output: Output) -> Limits:
    """The limits of a stream's shards. The beginning and end of a file count as bytes, too."""
    file_format = formats.by_extension(series.format)
    envelope = len(file_format.head(output, 0)) + len(file_format.tail)
    return Limits(output.options.max_urls, output.options.max_bytes - envelope)


class Sharder:
    """Cuts one stream into shards, as full as the limits allow.

    With `spread`, for the strategy `stable`, it also cuts before each URL whose hash `spread`
    divides, unless the shard has fewer than `STABLE_MIN_URLS`. With a spread of 15,000, one URL in
    15,000 begins a shard. An added page then changes only one shard: the next cut stays in place.
    """

    def __init__(self, series: ShardSeries, limits: Limits, spread: int = 0) -> None:
        self.series = series
        self.forced = 0  # cuts at a limit, not at a hash
        self._shards: list[Shard] = []
        self._limits = limits
        self._spread = spread
        self._open = Shard(series, 1)

    def add(self, part: RenderedEntries) -> None:
        """Adds the next entries of the stream. Raises SitemapperError if one alone is too large."""
        first = 0  # the first entry that is not yet in a shard
        for number, loc in enumerate(part.locs):
            if self._spread and crc32(loc.encode()) % self._spread == 0:
                self._fill(part, first, number)
                first = number
                if self._open.urls >= STABLE_MIN_URLS:
                    self._end()
        self._fill(part, first, len(part.ends))

    def _fill(self, part: RenderedEntries, first: int, last: int) -> None:
        """Puts entries into the open shard and, when it is full, into as many more as they need.

        `first` is the index of the first of these entries, and `last` that of the first behind
        them.
        """
        while first < last:
            count_that_fits = capacity(self._open, part.ends, first, self._limits)
            if count_that_fits == 0 and self._open.urls > 0:
                if self._spread:
                    self.forced += 1
                self._end()
                count_that_fits = capacity(self._open, part.ends, first, self._limits)
            if count_that_fits == 0:
                problem = f"max_bytes leaves {self._limits.size} bytes, too few for one URL"
                raise SitemapperError(problem, "raise it")
            stop = min(first + count_that_fits, last)
            self._put(part, first, stop)
            first = stop

    def _put(self, part: RenderedEntries, first: int, stop: int) -> None:
        """Puts the entries from `first` up to `stop` into the open shard, in which they fit."""
        shard = self._open
        if self._spread and not shard.urls:
            shard = shard._replace(key=_stable_key(part.locs[first]))
        start = part.ends[first - 1] if first else 0
        dates = [date for date in (shard.newest, *part.dates[first:stop]) if date]
        self._open = shard._replace(
            urls=shard.urls + stop - first,
            size=shard.size + part.ends[stop - 1] - start,
            newest=max(dates, default=None),
        )

    def _end(self) -> None:
        """Ends the open shard, unless it is empty, and opens the next one behind it."""
        if self._open.urls:
            self._shards.append(self._open)
        end = self._open.start + self._open.size
        self._open = Shard(self.series, len(self._shards) + 1, start=end)

    def close(self) -> list[Shard]:
        """All shards, with the open one if it is not empty."""
        self._end()
        return self._shards


def _stable_key(loc: str) -> str:
    """The key of a stable shard that begins with a URL."""
    # Imported here, because it loads OpenSSL.
    from hashlib import blake2b

    return blake2b(loc.encode(), digest_size=6).hexdigest()


def capacity(shard: Shard, ends: Sequence[int], first: int, limits: Limits) -> int:
    """How many entries from `first` on still fit into the shard under both limits.

    `ends` are the positions in bytes at which the entries end: with 100, 200 and 300, two entries
    from the first on fit into a shard in which 250 bytes are left.
    """
    begin = ends[first - 1] if first else 0
    bytes_left = limits.size - shard.size
    fit_by_size = bisect_right(ends, begin + bytes_left, first) - first
    return min(limits.urls - shard.urls, fit_by_size)


class Spool:
    """Stores each stream in an unnamed temporary file, in a given or the system's folder."""

    def __init__(self, directory: str | None = None) -> None:
        self._directory = directory
        self._files: dict[ShardSeries, IO[bytes]] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()  # which removes the files

    def append(self, series: ShardSeries, data: bytes) -> None:
        """Appends bytes to a stream."""
        if not data:
            return
        if series not in self._files:
            size = _IN_MEMORY_MORE if self._files else _IN_MEMORY
            file = tempfile.SpooledTemporaryFile(size, dir=self._directory)  # noqa: SIM115 - the stack closes it
            self._files[series] = self._open.enter_context(file)
        self._files[series].write(data)

    def blocks(self, shard: Shard) -> Iterator[bytes]:
        """The bytes of a shard's entries."""
        end = shard.start + shard.size
        for start in range(shard.start, end, _BLOCK):
            self._files[shard.series].seek(start)
            yield self._files[shard.series].read(min(end - start, _BLOCK))

    def rows(self, shard: Shard) -> Iterator[bytes]:
        """The lines of a shard."""
        rest = b""
        for block in self.blocks(shard):
            *whole, rest = (rest + block).split(b"\n")
            yield from whole


class Cutter:
    """Cuts the entries of each format and section into shards, and keeps their bytes in a spool.

    `cuts_at_limit` counts the shards of the strategy `stable` that ended at a limit, not at a hash.
    After these, a new page moves the beginning of the next shard, too.
    """

    def __init__(self, spool: Spool, output: Output) -> None:
        self.cuts_at_limit = 0
        self._spool = spool
        self._output = output
        self._sharders: dict[ShardSeries, Sharder] = {}

    def add(self, entries: RenderedEntries) -> None:
        """Adds the next entries of a format and section."""
        series = entries.series
        if series not in self._sharders:
            mean = STABLE_MEAN_URLS if entries.locs else 0
            self._sharders[series] = Sharder(series, limits_of(series, self._output), mean)
        self._sharders[series].add(entries)
        self._spool.append(series, entries.data)

    def close(self) -> list[Shard]:
        """All shards, in the order of the sections."""
        sections = ["", *self._output.sections]
        sharders = list(self._sharders.values())
        sharders.sort(key=lambda sharder: sections.index(sharder.series.section))
        shards = []
        for sharder in sharders:
            shards += sharder.close()
            self.cuts_at_limit += sharder.forced
        return shards


class OutputFile(NamedTuple):
    """A file to publish: its name, the shard or the bytes in it, and whether it is compressed.

    `read_from` is the path and text of the user's file from which it was made. `mark` is the
    beginning by which a file of this name is ours, if it has no sitemap's mark.
    """

    name: str
    head: bytes
    shard: Shard | None
    tail: bytes
    gzip: bool
    read_from: tuple[str, bytes] | None = None
    mark: bytes = b""

    @property
    def urls(self) -> int | None:
        """The number of URLs in it. None if it is not a sitemap."""
        if self.shard is None or not self.is_sitemap:
            return None
        return self.shard.urls

    @property
    def is_sitemap(self) -> bool:
        """Whether it is a sitemap or an index, which have our mark."""
        if self.shard:
            return self.shard.series.format != "ledger"
        return not self.name.endswith(".txt")

    def blocks(self, spool: Spool) -> Iterator[bytes]:
        """Its bytes, uncompressed."""
        entries = spool.blocks(self.shard) if self.shard else ()
        return chain([self.head], entries, [self.tail])

    @property
    def size(self) -> int:
        """The number of these bytes."""
        entries = self.shard.size if self.shard else 0
        return len(self.head) + entries + len(self.tail)


def layout(
    shards: Sequence[Shard], output: Output, others: Sequence[formats.DatedSitemap] = ()
) -> list[OutputFile]:
    """The files in the order of publishing: shards, then the files that name them, then the rest.

    `others` are sitemaps of other tools for the index, with their dates. Raises SitemapperError if
    there are more than 50,000 sitemaps.
    """
    xml_shards = [shard for shard in shards if shard.series.format == "xml"]
    _check_number(len(xml_shards) + len(others))
    options = output.options
    is_one_sitemap = len(xml_shards) <= 1 and not others
    has_index = not is_one_sitemap or options.index == "always" or options.gzip == "only"
    indexed: list[OutputFile] = []
    not_indexed: list[OutputFile] = []
    for file_format in formats.enabled(output):
        files = _files_of(file_format, shards, output, has_index=has_index)
        if file_format.indexed:
            indexed += files
        else:
            not_indexed += files
    if has_index:
        indexed += _index_files(indexed, not_indexed, output, others)
    return indexed + not_indexed


def _check_number(sitemaps: int) -> None:
    """Raises SitemapperError if an index cannot name so many sitemaps."""
    if sitemaps > MAX_URLS:
        raise SitemapperError(
            f"the site needs {sitemaps:,} sitemaps, and an index may name {MAX_URLS:,}",
            "raise max_urls and max_bytes, or build parts of the site under base URLs of their own",
        )


def _files_of(
    file_format: formats.Format, shards: Sequence[Shard], output: Output, *, has_index: bool
) -> Iterator[OutputFile]:
    """The files of one format.

    With an index, the shards that it names have numbers, even a single one, because the index has
    the plain name.
    """
    shards_of_format = [shard for shard in shards if shard.series.format == file_format.extension]
    if not shards_of_format:
        # A site without pages has one empty shard.
        shards_of_format = [Shard(ShardSeries(file_format.extension, ""), 1)]
    if file_format.indexed:
        is_numbered = has_index
    else:
        is_numbered = len(shards_of_format) > 1
    for shard in shards_of_format:
        name = filenames.shard_name(shard, output.stem, numbered=is_numbered)
        head = file_format.head(output, shard.urls)
        yield from _wrapped(name, head, shard, file_format.tail, output.options.gzip)


def _index_files(
    indexed: Iterable[OutputFile],
    not_indexed: Iterable[OutputFile],
    output: Output,
    others: Sequence[formats.DatedSitemap],
) -> list[OutputFile]:
    """The index, which names each sitemap once and marks the text files as ours.

    `indexed` are our sitemaps, `not_indexed` the text files, and `others` sitemaps of other tools.
    Of a sitemap that is written packed as well, the index names the plain file.
    """
    names_packed = output.options.gzip == "only"
    ours = []
    for file in indexed:
        if file.gzip == names_packed:
            newest = file.shard.newest if file.shard else None
            ours.append((output.base_url + file.name, newest))
    texts = [file.name.removeprefix(output.stem) for file in not_indexed]
    head = formats.index(ours, others, output, texts)
    # The index also stays uncompressed, so that its URL never changes.
    gzip = "also" if output.options.gzip == "also" else "no"
    return _wrapped(output.name, head, None, b"", gzip)


def _wrapped(
    name: str, head: bytes, shard: Shard | None, tail: bytes, gzip: str
) -> list[OutputFile]:
    """A file, packed as well, or packed only."""
    files = []
    if gzip != "only":
        files.append(OutputFile(name, head, shard, tail, gzip=False))
    if gzip != "no":
        files.append(OutputFile(f"{name}.gz", head, shard, tail, gzip=True))
    return files
