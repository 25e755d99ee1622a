"""Reads a sorted file in step with the walk, without holding it in memory."""

from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class MergeJoin(Generic[Item]):
    """Reads sorted items when the walk reaches their keys, such as the rows of the ledger.

    Items and walk have the same order, so only one item is in memory.
    """

    def __init__(self, items: Iterator[tuple[bytes, Item]]) -> None:
        self._items = items
        self._next_pair = next(items, None)  # a key and its item, None at the end

    def until(self, key: bytes | None) -> Iterator[Item]:
        """Yields the items not yielded before, up to and including a key. With None, all the rest.

        For items with the keys a, c and e: `until(b"c")` yields two, and `until(b"d")` after it
        none, because e is still ahead.
        """
        while self._next_pair is not None:
            item_key, item = self._next_pair
            is_past_key = key is not None and item_key > key
            if is_past_key:
                return  # it stays for the next call
            yield item
            self._next_pair = next(self._items, None)
