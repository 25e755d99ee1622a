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
_BLOCK_BYTES = 1 << 20  # read at once from a temporary file
# Bytes in memory, before a temporary file is on disk.
_MEMORY_OF_FIRST_FILE = 4 << 20
_MEMORY_OF_OTHER_FILES = 1 << 18


class Limits(NamedTuple):
    """The URLs and bytes of entries that one shard may contain."""

    urls: int
    size: int


def limits_of(series: ShardSeries, output: Output) -> Limits:
    """Computes how many URLs, and how many bytes of entries, fit into one file of a series.

    The bytes are `max_bytes` without the first and last lines of the file, `<urlset …>` and
    `</urlset>`.
    """
    file_format = formats.by_extension(series.format)
    bytes_around_entries = len(file_format.head(output)) + len(file_format.tail)
    return Limits(
        urls=output.options.max_urls, size=output.options.max_bytes - bytes_around_entries
    )


class Sharder:
    """Decides where the entries of one format and section are cut into shards, as into sitemaps.

    A shard ends when the next entry would exceed a limit of URLs or bytes. With the strategy
    `stable`, it also ends before URLs that their hashes choose, so that a new page changes only one
    shard. No hash ends a shard of fewer than 1,000 URLs.
    """

    def __init__(self, series: ShardSeries, limits: Limits) -> None:
        """Opens the first shard, which has no entries yet.

        `series` names the format and the section of the entries: `xml` and `blog`.
        """
        self.series = series
        self.cuts_at_limit = 0  # shards of the strategy `stable` that ended because they were full
        self._limits = limits
        self._ended_shards: list[Shard] = []
        self._open_shard = Shard(series, number=1)

    def add(self, part: RenderedEntries) -> None:
        """Adds the next entries to the open shard, and to new shards after it.

        The open shard ends, and a new one begins:

        - before an entry for which the open shard has no room
        - with the strategy `stable`, also before each URL that `_find_stable_cuts` finds, unless
          the open shard has fewer than 1,000 URLs

        Raises SitemapperError if one entry alone exceeds `max_bytes`.
        """
        next_entry = 0  # the index of the first entry that is not yet in a shard
        # Only with the strategy `stable`, the entries have URLs, `part.locs`. Without URLs, there
        # are no cuts.
        for cut in _find_stable_cuts(part.locs):
            self._add_range(part, next_entry, cut)
            next_entry = cut
            if self._open_shard.urls >= STABLE_MIN_URLS:
                self._start_next_shard()
        self._add_range(part, next_entry, len(part.ends))

    def _add_range(self, part: RenderedEntries, first: int, stop: int) -> None:
        """Adds the entries `part[first:stop]` to the open shard, and to new ones when it is full.

        With `max_urls = 100` and 30 URLs in the open shard, 200 entries are added as 70, 100 and
        30. Raises SitemapperError if an entry is too long even for an empty shard.
        """
        next_entry = first
        while next_entry < stop:
            count_that_fits = capacity(self._open_shard, part.ends, next_entry, self._limits)
            if count_that_fits == 0 and self._open_shard.urls > 0:
                # The open shard is full. With the strategy `stable`, such cuts are counted for a
                # note: a page that is added before one moves it, and so changes two shards.
                is_stable = bool(part.locs)
                if is_stable:
                    self.cuts_at_limit += 1
                self._start_next_shard()
                count_that_fits = capacity(self._open_shard, part.ends, next_entry, self._limits)
            if count_that_fits == 0:
                # Even an empty shard has no room for this entry.
                problem = f"max_bytes leaves {self._limits.size} bytes, too few for one URL"
                raise SitemapperError(problem, "raise it")
            end_of_shard = min(next_entry + count_that_fits, stop)
            self._extend_open_shard(part, next_entry, end_of_shard)
            next_entry = end_of_shard

    def _extend_open_shard(self, part: RenderedEntries, first: int, stop: int) -> None:
        """Counts the entries `part[first:stop]` in the open shard: URLs, bytes and newest date.

        The caller has made sure that they fit.
        """
        shard = self._open_shard
        # Entries have URLs (`locs`) only with the strategy `stable`. It names the file of a shard
        # by a key, which is made from the first URL.
        if part.locs and shard.urls == 0:
            shard = shard._replace(key=_stable_key(part.locs[first]))
        # `ends` has the position in bytes at which each entry ends, and so the next one begins.
        start_byte = part.ends[first - 1] if first else 0
        end_byte = part.ends[stop - 1]
        # Some entries have no date.
        dates = [date for date in (shard.newest, *part.dates[first:stop]) if date]
        self._open_shard = shard._replace(
            urls=shard.urls + stop - first,
            size=shard.size + end_byte - start_byte,
            newest=max(dates, default=None),
        )

    def _start_next_shard(self) -> None:
        """Keeps the open shard, unless it is empty, and opens the next one."""
        if self._open_shard.urls:
            self._ended_shards.append(self._open_shard)
        end_byte = self._open_shard.start + self._open_shard.size
        self._open_shard = Shard(self.series, len(self._ended_shards) + 1, start=end_byte)

    def close(self) -> list[Shard]:
        """Ends the last shard, and returns all of them: none if no entry was added."""
        self._start_next_shard()
        return self._ended_shards


def _find_stable_cuts(locs: Iterable[str]) -> Iterator[int]:
    """Finds the URLs before which a stable shard ends, by their indexes.

    They are those whose hash is a multiple of 15,000, whatever comes before them. So if a page is
    added to a shard, the next shard still begins at the same URL, and does not change.
    """
    for index, loc in enumerate(locs):
        if crc32(loc.encode()) % STABLE_MEAN_URLS == 0:
            yield index


def _stable_key(loc: str) -> str:
    """Computes the key of a stable shard from its first URL: 12 hex digits for its file name.

    The shard keeps this key, and so its name, while it begins with the same URL.
    """
    # Imported here, because it loads OpenSSL.
    from hashlib import blake2b

    return blake2b(loc.encode(), digest_size=6).hexdigest()


def capacity(shard: Shard, ends: Sequence[int], first: int, limits: Limits) -> int:
    """Counts how many of the entries from the index `first` on still fit into the shard.

    `ends` are the positions in bytes at which the entries end. With the ends 100, 200 and 300,
    `first` 0, and 250 bytes left in the shard → 2. If the shard may have only one more URL → 1.
    """
    start_byte = ends[first - 1] if first else 0
    bytes_left = limits.size - shard.size
    fit_by_size = bisect_right(ends, start_byte + bytes_left, first) - first
    fit_by_urls = limits.urls - shard.urls
    return min(fit_by_urls, fit_by_size)


class Spool:
    """Stores the bytes of the sitemaps and of the ledger until the names of their files are known.

    They are in unnamed temporary files: one for each format and section.
    """

    def __init__(self, directory: str | None = None) -> None:
        """Begins without files, which `append` creates.

        They are in the folder `directory`. None is the system's folder for temporary files.
        """
        self._directory = directory
        self._files: dict[ShardSeries, IO[bytes]] = {}  # by format and section
        self._open_files = ExitStack()  # closes them all

    def __enter__(self) -> Self:
        """Returns the spool, whose files are there during the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the temporary files, which removes them, also after an error in the block."""
        self._open_files.close()

    def append(self, series: ShardSeries, data: bytes) -> None:
        """Appends bytes to the file of a format and section. Creates it if there is none."""
        if not data:
            return
        if series not in self._files:
            # There may be many sections, so only the first file may have many bytes in memory.
            memory = _MEMORY_OF_OTHER_FILES if self._files else _MEMORY_OF_FIRST_FILE
            file = tempfile.SpooledTemporaryFile(memory, dir=self._directory)  # noqa: SIM115 - the stack closes it
            self._files[series] = self._open_files.enter_context(file)
        self._files[series].write(data)

    def blocks(self, shard: Shard) -> Iterator[bytes]:
        """Reads the entries of a shard, in blocks of at most 1 MiB."""
        end = shard.start + shard.size
        for start in range(shard.start, end, _BLOCK_BYTES):
            # Somebody may have read another shard of the file since the last block.
            self._files[shard.series].seek(start)
            yield self._files[shard.series].read(min(end - start, _BLOCK_BYTES))

    def rows(self, shard: Shard) -> Iterator[bytes]:
        """Reads the entries of a shard line by line, such as `<url>…</url>`, without line ends."""
        begun_line = b""  # the first part of a line that goes on in the next block
        for block in self.blocks(shard):
            # After the last line end of a shard, nothing follows.
            *whole_lines, begun_line = (begun_line + block).split(b"\n")
            yield from whole_lines


class Cutter:
    """Cuts the entries of each format and section into shards, and keeps their bytes in a spool.

    A shard becomes a file: `sitemap.xml` if there is only one, and otherwise `sitemap-1.xml`. So
    nothing is written until all entries are there.
    """

    def __init__(self, spool: Spool, output: Output) -> None:
        """Begins without entries. Their bytes go to the `spool`, which has temporary files."""
        self._spool = spool
        self._output = output
        self._sharders: dict[ShardSeries, Sharder] = {}  # one for each format and section

    def add(self, entries: RenderedEntries) -> None:
        """Adds the next entries of a format and section to its shards, and to the spool."""
        series = entries.series
        if series not in self._sharders:
            self._sharders[series] = Sharder(series, limits_of(series, self._output))
        self._sharders[series].add(entries)
        self._spool.append(series, entries.data)

    def close(self) -> list[Shard]:
        """Ends the last shard of each format and section, and returns all shards.

        First come the shards of pages in no section, then those of the sections in the order of the
        configuration.
        """
        sections = ["", *self._output.sections]
        sharders = list(self._sharders.values())
        sharders.sort(key=lambda sharder: sections.index(sharder.series.section))
        return [shard for sharder in sharders for shard in sharder.close()]

    @property
    def cuts_at_limit(self) -> int:
        """Counts the shards of the strategy `stable` that ended because they were full.

        With `stable`, a new page changes only the shard that it is in. But if this shard is full,
        its last page moves to the next shard, which changes, too. `build` notes how many these are.
        """
        return sum(sharder.cuts_at_limit for sharder in self._sharders.values())


class OutputFile(NamedTuple):
    """A file to publish: the bytes of `head`, the entries of `shard` if there is one, and `tail`.

    `read_from` is the path and text of the user's file that is rewritten, such as robots.txt.
    `mark` is for a file that is no sitemap: the bytes with which each version of it begins. A file
    in the output without them is not ours, and is not replaced.
    """

    name: str
    head: bytes = b""
    shard: Shard | None = None
    tail: bytes = b""
    gzip: bool = False  # whether it is written compressed
    read_from: tuple[str, bytes] | None = None
    mark: bytes = b""

    @property
    def urls(self) -> int | None:
        """Counts the URLs in a sitemap. None for an index, a ledger, robots.txt and a key file."""
        if self.shard is None or self.is_ledger:
            return None
        return self.shard.urls

    @property
    def is_ledger(self) -> bool:
        """Whether the file is the ledger."""
        return self.shard is not None and self.shard.series.format == "ledger"

    @property
    def is_sitemap(self) -> bool:
        """Whether the file is a sitemap or an index, and not a ledger, robots.txt or a key file."""
        if self.shard:
            return not self.is_ledger
        # Without a shard, the `.txt` files are robots.txt and the key of IndexNow.
        return not self.name.endswith(".txt")

    def blocks(self, spool: Spool) -> Iterator[bytes]:
        """Yields the bytes of the file, uncompressed. Those of its entries come from the spool."""
        entries = spool.blocks(self.shard) if self.shard else ()
        return chain([self.head], entries, [self.tail])

    @property
    def size(self) -> int:
        """Counts the bytes of the file, uncompressed."""
        entries_size = self.shard.size if self.shard else 0
        return len(self.head) + entries_size + len(self.tail)


def layout(
    shards: Sequence[Shard], output: Output, others: Sequence[formats.DatedSitemap] = ()
) -> list[OutputFile]:
    """Names the sitemap files to publish, and lists them in the order of publishing.

    `shards` are all shards of the run, and `others` the sitemaps of other tools that the index has
    to name. XML shards come first, then the index, then text shards:

    one XML shard                → `sitemap.xml`
    two XML shards               → `sitemap-1.xml`, `sitemap-2.xml`, `sitemap.xml` (the index)
    one XML shard and `others`   → `sitemap-1.xml`, `sitemap.xml` (the index)
    one XML and one text shard   → `sitemap.xml`, `sitemap.txt`

    With the setting `index = "always"` or `gzip = "only"`, there is always an index. Raises
    SitemapperError if there are more than 50,000 sitemaps.
    """
    xml_shards = [shard for shard in shards if shard.series.format == "xml"]
    sitemaps = len(xml_shards) + len(others)
    if sitemaps > MAX_URLS:
        raise SitemapperError(
            f"the site needs {sitemaps:,} sitemaps, and an index may list {MAX_URLS:,}",
            "raise max_urls and max_bytes, or build parts of the site under their own base URLs",
        )
    options = output.options
    # Without shards, an empty sitemap is written, which is also only one.
    is_one_sitemap = len(xml_shards) <= 1 and not others
    # With `gzip = "only"`, shards are `.gz` files, and the index is the plain sitemap.xml.
    has_index = not is_one_sitemap or options.index == "always" or options.gzip == "only"
    # Only XML sitemaps have a row in the index.
    indexed: list[OutputFile] = []
    not_indexed: list[OutputFile] = []
    for file_format in formats.enabled(output):
        files = _files_of(file_format, shards, output, has_index=has_index)
        if file_format.indexed:
            indexed += files
        else:
            not_indexed += files
    # The index comes after the files that it names, so that it never names a missing one.
    if has_index:
        indexed += _index_files(indexed, not_indexed, output, others)
    return indexed + not_indexed


def _files_of(
    file_format: formats.Format, shards: Sequence[Shard], output: Output, *, has_index: bool
) -> Iterator[OutputFile]:
    """Makes the files of one format: one for each shard, or two with `gzip = "also"`.

    one XML shard, no index     → `sitemap.xml`
    one XML shard and an index  → `sitemap-1.xml`, because the index has the name `sitemap.xml`
    two XML shards              → `sitemap-1.xml`, `sitemap-2.xml`
    one text shard              → `sitemap.txt`, also with an index

    Without a shard, gives one file without entries.
    """
    shards_of_format = [shard for shard in shards if shard.series.format == file_format.extension]
    if not shards_of_format:
        # A site without pages still gets a sitemap, with an empty shard.
        shards_of_format = [Shard(ShardSeries(file_format.extension, section=""), 1)]
    if file_format.indexed:
        is_numbered = has_index
    else:
        is_numbered = len(shards_of_format) > 1
    for shard in shards_of_format:
        plain_file = OutputFile(
            name=filenames.shard_name(shard, output.stem, numbered=is_numbered),
            head=file_format.head(output),
            shard=shard,
            tail=file_format.tail,
        )
        if output.options.gzip != "only":
            yield plain_file
        if output.options.gzip != "no":
            yield _compressed(plain_file)


def _index_files(
    indexed: Iterable[OutputFile],
    not_indexed: Iterable[OutputFile],
    output: Output,
    others: Sequence[formats.DatedSitemap],
) -> list[OutputFile]:
    """Makes the file of the index, `sitemap.xml`, and with `gzip = "also"` `sitemap.xml.gz`, too.

    The index has a row for each of our XML sitemaps, `indexed`, and then for each sitemap of other
    tools, `others`. A row has the URL of the sitemap and its newest date.

    Our text sitemaps, `not_indexed`, get no row. Their endings, such as `.txt` or `-2.txt.gz`, are
    in a comment of the index. From it, the next build knows which text files it may replace.
    """
    # With `gzip = "also"`, `indexed` has each sitemap twice, plain and compressed, and the index
    # names the plain file. With "only", there are only `.gz` files to name.
    names_gz_files = output.options.gzip == "only"
    our_rows = []
    for file in indexed:
        if file.gzip == names_gz_files:
            newest = file.shard.newest if file.shard else None
            our_rows.append((output.base_url + file.name, newest))
    text_endings = [file.name.removeprefix(output.stem) for file in not_indexed]
    text = formats.index(our_rows, others, output, text_endings)
    plain_index = OutputFile(output.name, head=text)
    if output.options.gzip == "also":
        return [plain_index, _compressed(plain_index)]
    # Also with `gzip = "only"`, the index is plain: it keeps the URL that robots.txt names.
    return [plain_index]


def _compressed(plain_file: OutputFile) -> OutputFile:
    """Gives the file with the same contents that is written compressed: `sitemap.xml.gz`."""
    return plain_file._replace(name=f"{plain_file.name}.gz", gzip=True)
