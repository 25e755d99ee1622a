"""Reads a sorted file in step with the walk, without holding it in memory."""

from collections.abc import Generator, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class MergeJoin(Generic[Item]):
    """Items that are read when the walk reaches their keys, such as the rows of the ledger.

    Items and walk have the same order, so only one item is in memory.
    """

    def __init__(self, items: Generator[tuple[bytes, Item], None, None]) -> None:
        self._items = items
        self._next = next(items, None)

    def until(self, key: bytes | None) -> Iterator[Item]:
        """The next items, up to and including a key. With None, all items."""
        while self._next is not None:
            item_key, item = self._next
            if key is not None and item_key > key:
                return
            yield item
            self._next = next(self._items, None)

    def close(self) -> None:
        """Stops reading."""
        self._items.close()
