"""Where the stream is cut and what the files are called. Pure arithmetic on counts, sizes and names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from . import formats, output_names
from .errors import LimitError
from .formats import xml
from .model import LastMod, Part, Shard, Stream
from .settings import Settings

MAX_SHARDS = 50_000  # that one index may name (docs/PROTOCOL §0)


class Limits(NamedTuple):
    """URLs and bytes that one shard may hold; `size` is without the envelope."""

    urls: int
    size: int


def limits_of(stream: Stream, settings: Settings) -> Limits:
    """The limits of a stream's shards, the envelope taken off."""
    form = formats.by_extension(stream.format)
    envelope = len(form.head(settings)) + len(form.tail)
    return Limits(settings.sitemap.max_urls, settings.sitemap.max_bytes - envelope)


class Cutter:
    """Cuts one stream, as full as the limits allow, so that no two neighbours could be one."""

    def __init__(self, stream: Stream, limits: Limits) -> None:
        self.stream = stream
        self._shards: list[Shard] = []
        self._limits = limits
        self._open = Shard(stream, 1)

    def add(self, part: Part) -> None:
        """The next entries. Raises LimitError where one alone is too large."""
        done, count = 0, len(part.ends)
        while done < count:
            fits = room(self._open, part.ends, done, self._limits)
            if fits == 0 and self._open.urls > 0:
                self._end()
                fits = room(self._open, part.ends, done, self._limits)
            if fits == 0:
                raise LimitError(f"max_bytes leaves {self._limits.size} bytes, too few for one URL; raise it")
            start = part.ends[done - 1] if done else 0
            end = part.ends[done + fits - 1]
            self._grow(fits, end - start, part.dates[done : done + fits])
            done += fits

    def _grow(self, urls: int, size: int, dates: Sequence[LastMod | None]) -> None:
        newest = max(filter(None, (self._open.newest, *dates)), default=None)
        self._open = self._open._replace(
            urls=self._open.urls + urls, size=self._open.size + size, newest=newest
        )

    def _end(self) -> None:
        self._shards += [self._open] if self._open.urls else []
        end = self._open.start + self._open.size
        self._open = Shard(self.stream, len(self._shards) + 1, start=end)

    def close(self) -> list[Shard]:
        """All shards, the open one too if anything is in it."""
        self._end()
        return self._shards


def room(shard: Shard, ends: Sequence[int], done: int, limits: Limits) -> int:
    """How many entries from place `done` on still fit into the shard under both limits."""
    before = ends[done - 1] if done else 0
    by_size = bisect_right(ends, limits.size - shard.size + before, done) - done
    return min(limits.urls - shard.urls, by_size)


class File(NamedTuple):
    """A file to publish: its name, the shard or the whole bytes in it, and whether gzip wraps it."""

    name: str
    head: bytes
    shard: Shard | None
    tail: bytes
    gzip: bool

    @property
    def urls(self) -> int | None:
        """The URLs in it; None for what is no sitemap."""
        return self.shard.urls if self.shard and self.is_sitemap else None

    @property
    def is_sitemap(self) -> bool:
        """Whether it is a sitemap or an index, which carry our mark."""
        return self.shard.stream.format != "ledger" if self.shard else self.name != "robots.txt"

    @property
    def size(self) -> int:
        """Its bytes, uncompressed."""
        return len(self.head) + (self.shard.size if self.shard else 0) + len(self.tail)


def layout(shards: Sequence[Shard], settings: Settings) -> list[File]:
    """The files in the order in which they must appear: shards, then what names them, then the rest.

    Raises LimitError beyond 50,000 shards.
    """
    listed = [s for s in shards if s.stream.format == "xml"]
    if len(listed) > MAX_SHARDS:
        raise LimitError(
            f"{len(listed):,} sitemaps are needed and an index may name {MAX_SHARDS:,}; raise max_urls "
            "and max_bytes, or build parts of the site under base URLs of their own"
        )
    wanted = settings.sitemap
    many = len(listed) > 1 or wanted.index == "always" or wanted.gzip == "only"
    files: list[File] = []
    for form in (f for f in formats.ALL if f.indexed or wanted.text):
        # A site without pages has one empty shard.
        own = [s for s in shards if s.stream.format == form.extension] or [
            Shard(Stream(form.extension, ""), 1)
        ]
        numbered = many if form.indexed else len(own) > 1
        for shard in own:
            name = output_names.shard(shard, wanted.stem, numbered=numbered)
            files += _wrapped(name, form.head(settings), shard, form.tail, wanted.gzip)
        if form.indexed and many:
            # The index stays plain, so that its address never changes.
            files += _wrapped(
                wanted.name, _index(own, settings), None, b"", wanted.gzip.replace("only", "no")
            )
    return files


def _index(shards: Sequence[Shard], settings: Settings) -> bytes:
    ending = ".gz" if settings.sitemap.gzip == "only" else ""
    files = [output_names.shard(shard, settings.sitemap.stem, numbered=True) + ending for shard in shards]
    return xml.index(
        [(settings.base_url + name, shard.newest) for name, shard in zip(files, shards, strict=True)],
        settings,
    )


def _wrapped(name: str, head: bytes, shard: Shard | None, tail: bytes, gzip: str) -> Iterable[File]:
    plain = File(name, head, shard, tail, gzip=False)
    packed = File(name + ".gz", head, shard, tail, gzip=True)
    return {"no": [plain], "also": [plain, packed], "only": [packed]}[gzip]
