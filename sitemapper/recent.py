"""Data read of other pages: the last few thousand in memory, all of them in a temporary file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Generic, TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item")

_SIZE = 5_000  # items, and as many older ones; 1 KB each


class Recent(Generic[Key, Item]):
    """Items that were used recently. A copy in another process begins empty."""

    def __init__(self) -> None:
        self._items: dict[Key, Item] = {}
        self._before: dict[Key, Item] = {}

    def __reduce__(self) -> tuple[type[Recent[Key, Item]], tuple[()]]:
        return type(self), ()

    def get(self, key: Key) -> Item | None:
        """The item for a key, None if it is not stored."""
        item = self._items.get(key)
        if item is None and key in self._before:
            item = self._before[key]
            self.put(key, item)
        return item

    def put(self, key: Key, item: Item) -> None:
        """Stores an item, and drops those that were not used for the longest time."""
        if len(self._items) >= _SIZE:
            self._before, self._items = self._items, {}
        self._items[key] = item


class Spill:
    """Stores bytes by path in a temporary file. Memory is limited to SQLite's cache, 2 MB.

    If the file cannot be created, nothing is stored.
    """

    def __init__(self) -> None:
        # Imported here: few runs need it, and it costs start-up.
        import sqlite3

        self._full = sqlite3.Error
        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.execute("CREATE TABLE spilled (path BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID")

    def put(self, rows: Mapping[str, bytes]) -> None:
        """Stores rows. The last row of a path counts."""
        pairs = [(_key(path), row) for path, row in rows.items()]
        with suppress(self._full):
            self._rows.executemany("INSERT OR REPLACE INTO spilled VALUES (?, ?)", pairs)

    def get(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The stored rows of some paths."""
        found: dict[str, bytes] = {}
        with suppress(self._full):
            for path in paths:
                for (row,) in self._rows.execute(
                    "SELECT row FROM spilled WHERE path = ?", (_key(path),)
                ):
                    found[path] = row
        return found

    def close(self) -> None:
        """Removes the file."""
        self._rows.close()


def _key(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
