"""The bytes of a sitemap, out of their gzip file if they are in one, in bounded time and memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import IO

from ..protocol import MAX_BYTES
from .elements import FileError
from .rules.documents import DAMAGED, TOO_LARGE

BLOCK = 1 << 16
_PIECE = 1 << 12  # of a gzip file; short, because what follows a member is copied
_GZIP = b"\x1f\x8b"


def uncompressed(file: IO[bytes], *, is_gz: bool = False) -> Iterator[bytes]:
    """The bytes of a file, or those inside a gzip file, up to the limit of the protocol.

    `is_gz` says that the name promises a gzip file. Raises FileError.
    """
    size = 0
    for block in _blocks(file, is_gz=is_gz):
        if not size and block[:2] == _GZIP:
            raise FileError(DAMAGED, 1, "is compressed twice")
        size += len(block)
        if size > MAX_BYTES:
            yield block[: len(block) - (size - MAX_BYTES)]
            raise FileError(
                TOO_LARGE, 1, f"more than {MAX_BYTES:,} bytes uncompressed; the rest was not read"
            )
        yield block


def _blocks(file: IO[bytes], *, is_gz: bool) -> Iterator[bytes]:
    start = file.read(_PIECE)
    if start[:2] == b"PK":
        raise FileError(DAMAGED, 1, "is a zip archive; only gzip is allowed")
    if start[:2] == _GZIP:
        rest = islice(iter(lambda: file.read(_PIECE), b""), 2 * MAX_BYTES // _PIECE)
        yield from _unpacked(chain([start], rest))
        return
    if is_gz:
        raise FileError(DAMAGED, 1, "is named .gz but is not compressed")
    while start:
        yield start
        start = file.read(BLOCK)


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """What the members hold, one after another, without the zeros that may pad them.

    It comes in blocks, so that many small members cost no more than one large one.
    """
    member, buffer = None, bytearray()
    for piece in pieces:
        while piece := piece if member else piece.lstrip(b"\0"):
            member = member or zlib.decompressobj(31)  # 31: with a gzip header
            try:
                buffer += member.decompress(piece, BLOCK)
            except zlib.error as error:
                yield bytes(buffer)
                raise FileError(DAMAGED, 1, f"cannot be decompressed: {error}") from None
            piece = member.unconsumed_tail or member.unused_data
            member = None if member.eof else member
            if len(buffer) >= BLOCK:
                yield bytes(buffer)
                buffer.clear()
    yield bytes(buffer)
    if member:
        raise FileError(DAMAGED, 1, "ends in the middle of the compressed data")
