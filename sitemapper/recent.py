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

    Items are in two dictionaries. When the one with the recently used items is full, it replaces
    the one with the older items, which are dropped. An older item that is used becomes recent
    again, so only items that nobody uses are dropped.

    A copy in another process begins empty.
    """

    def __init__(self, size: int = _SIZE) -> None:
        """Makes an empty cache, which keeps at least `size` items."""
        self._size = size
        self._recent: dict[Key, Item] = {}  # up to `size` items that were used last
        self._older: dict[Key, Item] = {}  # the items that were used before these

    def __reduce__(self) -> tuple[type[Recent[Key, Item]], tuple[int]]:
        """Says how pickle makes a copy for another process: only with the size, without items."""
        return type(self), (self._size,)

    def get(self, key: Key) -> Item | None:
        """Returns the item for a key. None if it is not stored, or not any more.

        The item counts as used now, so it is kept longer.
        """
        if key in self._recent:
            return self._recent[key]
        if key not in self._older:
            return None
        item = self._older[key]
        self.put(key, item)  # moves it to the recently used items
        return item

    def put(self, key: Key, item: Item) -> None:
        """Stores an item. If too many are stored, drops those that were not used for longest."""
        if len(self._recent) >= self._size:
            # The recent items become the older ones, whose dictionary is dropped. No item in it was
            # used since it became the older one, because `get` moves used items to the recent ones.
            self._older = self._recent
            self._recent = {}
        self._recent[key] = item


class TemporaryStore:
    """Stores bytes by path in a temporary file, with 2 MB of them in memory: SQLite's cache.

    If the disk is full, bytes are not stored, and `get` does not find them.
    """

    def __init__(self) -> None:
        """Opens a database with one empty table in a temporary file."""
        # Imported here: few runs need it, and it costs start-up.
        import sqlite3

        self._error = sqlite3.Error  # the other methods catch it, and have no `sqlite3`
        # "" is a temporary file that SQLite removes when it is closed (sqlite.org/inmemorydb.html).
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute(
            "CREATE TABLE stored (path BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID"
        )

    def put(self, rows: Mapping[str, bytes]) -> None:
        """Stores the bytes of some paths, in place of earlier ones: `{"de/a.html": b"…"}`."""
        pairs = [(_key(path), row) for path, row in rows.items()]
        with suppress(self._error):  # the disk is full: the caller reads these pages again
            self._database.executemany("INSERT OR REPLACE INTO stored VALUES (?, ?)", pairs)

    def get(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Returns the stored bytes of some paths: `{"de/a.html": b"…"}`.

        Left out are paths for which nothing is stored and, if the disk fails, all after that. The
        caller reads these pages again.
        """
        found: dict[str, bytes] = {}
        select = "SELECT row FROM stored WHERE path = ?"
        with suppress(self._error):
            for path in paths:
                for (row,) in self._database.execute(select, (_key(path),)):  # one row, or none
                    found[path] = row
        return found

    def close(self) -> None:
        """Removes the file."""
        self._database.close()


def _key(path: str) -> bytes:
    """Returns the bytes of a path: SQLite cannot store the text of a path that is not UTF-8."""
    return path.encode("utf-8", "surrogateescape")
