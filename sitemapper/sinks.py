"""Where the stream may go: into a spool that can be published, or into digests that can be compared."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from typing import IO

from .model import Shard, Stream

_BLOCK = 1 << 20
# Bytes that never touch the disk: of the first stream, and of each other (there may be many sections).
_IN_MEMORY, _IN_MEMORY_MORE = 4 << 20, 1 << 18


class Spool:
    """Keeps each stream in an unnamed temporary file of the output's file system."""

    def __init__(self, directory: str | None) -> None:
        self._directory = directory
        self._files: dict[Stream, IO[bytes]] = {}

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def append(self, stream: Stream, data: bytes) -> None:
        """Writes the bytes behind those of the stream that came before."""
        if stream not in self._files:
            size = _IN_MEMORY_MORE if self._files else _IN_MEMORY
            # Open as long as the sink, which is itself what `with` closes.
            self._files[stream] = tempfile.SpooledTemporaryFile(size, dir=self._directory)  # noqa: SIM115
        self._files[stream].write(data)

    def cut(self, stream: Stream) -> None:
        """Nothing to do: shards lie one behind the other."""

    def clear(self) -> None:
        """Closes the files, which removes them."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def blocks(self, shard: Shard) -> Iterator[bytes]:
        """The bytes of a shard's entries."""
        end = shard.start + shard.size
        for start in range(shard.start, end, _BLOCK):
            self._files[shard.stream].seek(start)
            yield self._files[shard.stream].read(min(end - start, _BLOCK))

    def equals(self, shard: Shard, published: IO[bytes]) -> bool:
        """Whether the next bytes of a published file are the shard's."""
        return all(published.read(len(block)) == block for block in self.blocks(shard))


class Digests:
    """Keeps a digest of each shard: enough to tell whether a published file is the same."""

    def __init__(self) -> None:
        self._digests: dict[Stream, list[hashlib.blake2b]] = {}

    def append(self, stream: Stream, data: bytes) -> None:
        """Adds the bytes to the open shard's digest."""
        self._digests.setdefault(stream, [hashlib.blake2b()])[-1].update(data)

    def cut(self, stream: Stream) -> None:
        """Begins the next shard's digest."""
        self._digests[stream].append(hashlib.blake2b())

    def clear(self) -> None:
        """Forgets all digests."""
        self._digests.clear()

    def equals(self, shard: Shard, published: IO[bytes]) -> bool:
        """Whether the next bytes of a published file are the shard's."""
        found = hashlib.blake2b()
        left = shard.size
        while left and (block := published.read(min(left, _BLOCK))):
            found.update(block)
            left -= len(block)
        wanted = self._digests[shard.stream][shard.number - 1] if shard.size else hashlib.blake2b()
        return left == 0 and found.digest() == wanted.digest()
