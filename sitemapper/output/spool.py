"""Where the stream goes: into a spool that can be compared with what is published, and published."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO

from ..model import Shard, ShardSeries

_BLOCK = 1 << 20
# Bytes that never touch the disk: of the first stream, and of each other (there may be many sections).
_IN_MEMORY, _IN_MEMORY_MORE = 4 << 20, 1 << 18


class Spool:
    """Keeps each stream in an unnamed temporary file of a directory, or of the system's own."""

    def __init__(self, directory: str | None = None) -> None:
        self._directory = directory
        self._files: dict[ShardSeries, IO[bytes]] = {}
        self._open = ExitStack()

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def append(self, series: ShardSeries, data: bytes) -> None:
        """Writes the bytes behind those of the stream that came before."""
        if not data:
            return
        if series not in self._files:
            size = _IN_MEMORY_MORE if self._files else _IN_MEMORY
            file = tempfile.SpooledTemporaryFile(size, dir=self._directory)  # noqa: SIM115 - the stack closes it
            self._files[series] = self._open.enter_context(file)
        self._files[series].write(data)

    def clear(self) -> None:
        """Closes the files, which removes them."""
        self._open.close()
        self._files.clear()

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
