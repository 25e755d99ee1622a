"""What was read of the last few thousand pages, in the memory of one process."""

from __future__ import annotations

from typing import Generic, TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item")

_SIZE = 5_000  # items, and as many of before; 1 KB each


class Recent(Generic[Key, Item]):
    """Items that were put or got lately. A copy in another process begins with none."""

    def __init__(self) -> None:
        self._items: dict[Key, Item] = {}
        self._before: dict[Key, Item] = {}

    def __reduce__(self) -> tuple[type[Recent[Key, Item]], tuple[()]]:
        return type(self), ()

    def get(self, key: Key) -> Item | None:
        """The item with a key; None if it is not remembered."""
        item = self._items.get(key)
        if item is None and key in self._before:
            item = self._before[key]
            self.put(key, item)
        return item

    def put(self, key: Key, item: Item) -> None:
        """Remembers an item, and forgets those that were not used for the longest time."""
        if len(self._items) >= _SIZE:
            self._before, self._items = self._items, {}
        self._items[key] = item
