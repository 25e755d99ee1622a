"""Two stores of limited memory: the items that were used last, and a temporary file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Generic, TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item")

_SIZE = 5_000  # items of 1 KB: 10 MB, because there are two generations


class Recent(Generic[Key, Item]):
    """A cache of the items that were used last: at least `size` of them, at most twice as many.

    Items are in two dictionaries, new and old. When the new one has `size` items, it takes the
    place of the old one, whose items are dropped. An old item that is used becomes new again, so
    only items that nobody uses are dropped.

    A copy in another process begins empty.
    """

    def __init__(self, size: int = _SIZE) -> None:
        """Makes an empty cache, which keeps at least `size` items."""
        self._size = size
        self._new: dict[Key, Item] = {}  # up to `size` items that were used last
        self._old: dict[Key, Item] = {}  # the items that were used before these

    def __reduce__(self) -> tuple[type[Recent[Key, Item]], tuple[int]]:
        """Says how pickle makes a copy for another process: only with the size, without items."""
        return type(self), (self._size,)

    def get(self, key: Key) -> Item | None:
        """Returns the item for a key, None if it is not stored or was dropped.

        An item that is returned has been used, so it is kept longer.
        """
        item = self._new.get(key)
        if item is None and key in self._old:
            item = self._old[key]
            self.put(key, item)
        return item

    def put(self, key: Key, item: Item) -> None:
        """Stores an item, and drops the old items if there are too many."""
        if len(self._new) >= self._size:
            # The old items are dropped: none of them was used while `size` others were.
            self._old = self._new
            self._new = {}
        self._new[key] = item


class Spill:
    """Stores bytes by path in a temporary file. Its memory is SQLite's cache, 2 MB.

    If the disk is full, rows are not stored, and `get` does not find them.
    """

    def __init__(self) -> None:
        """Opens a database with one empty table in a temporary file."""
        # Imported here: few runs need it, and it costs start-up.
        import sqlite3

        self._error = sqlite3.Error  # the other methods catch it, and have no `sqlite3`
        # "" is a temporary file that SQLite removes when it is closed (sqlite.org/inmemorydb.html).
        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.execute("CREATE TABLE spilled (path BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID")

    def put(self, rows: Mapping[str, bytes]) -> None:
        """Stores rows by path. A row replaces an earlier one of its path."""
        pairs = [(_key(path), row) for path, row in rows.items()]
        with suppress(self._error):  # the disk is full: what is not stored is read again
            self._rows.executemany("INSERT OR REPLACE INTO spilled VALUES (?, ?)", pairs)

    def get(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Returns the stored rows of some paths: `{"de/a.html": b"…"}`.

        A path without a stored row is left out, and so are all after the disk failed: the caller
        reads these pages again.
        """
        found: dict[str, bytes] = {}
        with suppress(self._error):
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
    """Returns the bytes of a path: SQLite cannot store the text of a path that is not UTF-8."""
    return path.encode("utf-8", "surrogateescape")
