"""A list that may have a million items, and takes little memory."""

import os
import pickle
import tempfile
import weakref
from collections.abc import Collection, Iterator
from typing import IO, TypeVar

Item = TypeVar("Item")
_ITEMS_PER_BLOCK = 100  # items that are written to the file at once


class LongList(Collection[Item]):
    """Keeps a list of items, most of them in a temporary file, to append to and to iterate.

    Each 100 items are written to the file as one block. The last ones, fewer than 100, are in
    memory: of 250 items, 200 are in the file.
    """

    def __init__(self) -> None:
        self._items_in_memory: list[Item] = []
        self._blocks_in_file = 0
        self._file: IO[bytes] | None = None  # made for the first block, as most lists are short

    def append(self, item: Item) -> None:
        """Adds an item at the end. Each hundredth moves the items in memory to the file."""
        self._items_in_memory.append(item)
        if len(self._items_in_memory) < _ITEMS_PER_BLOCK:
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the list
            weakref.finalize(self, self._file.close)
        self._file.seek(0, os.SEEK_END)  # an iteration may have moved the position
        pickle.dump(self._items_in_memory, self._file)
        self._blocks_in_file += 1
        self._items_in_memory = []

    def __iter__(self) -> Iterator[Item]:
        """Reads the blocks in the file one by one, and then the items in memory."""
        position = 0
        for _ in range(self._blocks_in_file):
            assert self._file
            self._file.seek(position)  # another iteration may have moved it
            block = pickle.load(self._file)
            position = self._file.tell()
            yield from block
        yield from self._items_in_memory

    def __len__(self) -> int:
        return self._blocks_in_file * _ITEMS_PER_BLOCK + len(self._items_in_memory)

    def __contains__(self, item: object) -> bool:
        return any(item == other for other in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and list(self) == list(other)
