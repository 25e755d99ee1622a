"""A list that may have a million items, and takes little memory."""

import pickle
import tempfile
import weakref
from collections.abc import Collection, Iterator
from typing import IO, TypeVar

Item = TypeVar("Item")
_BLOCK = 100  # items that are written at once


class LongList(Collection[Item]):
    """Items in their order. The last ones are in memory, and those before in a temporary file."""

    def __init__(self) -> None:
        self._last: list[Item] = []
        self._blocks = 0
        self._file: IO[bytes] | None = None  # most lists are short

    def append(self, item: Item) -> None:
        """Adds an item at the end."""
        self._last.append(item)
        if len(self._last) < _BLOCK:
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the list
            weakref.finalize(self, self._file.close)
        self._file.seek(0, 2)
        pickle.dump(self._last, self._file)
        self._blocks += 1
        self._last = []

    def __iter__(self) -> Iterator[Item]:
        position = 0
        for _ in range(self._blocks):
            assert self._file
            self._file.seek(position)  # another iteration may have moved it
            block = pickle.load(self._file)
            position = self._file.tell()
            yield from block
        yield from self._last

    def __len__(self) -> int:
        return self._blocks * _BLOCK + len(self._last)

    def __contains__(self, item: object) -> bool:
        return any(item == other for other in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and list(self) == list(other)
