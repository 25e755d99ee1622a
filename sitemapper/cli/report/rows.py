"""The lists of a report: rows in bounded memory."""

import zlib
from base64 import b64encode

from ..text import shown

_MAX_ROWS = 100_000  # of a kind, few enough for a browser to search at once
_MAX_COLUMN_CHARS = 300
_GZIP = 31  # zlib's window bits for a gzip header, which browsers unpack
_LITTLE_MEMORY = 4  # zlib's level; its memory is outside of the budget


class _Rows:
    """The rows of one kind, such as "noindex", packed one by one, so that they take few bytes."""

    def __init__(self) -> None:
        self.count = 0  # rows, also those that were not kept
        self.kept = 0  # rows
        self.data = bytearray()  # packed rows, without the last bytes, which the packer holds back
        self._packer = zlib.compressobj(wbits=_GZIP, memLevel=_LITTLE_MEMORY)

    def pack(self, row: str) -> None:
        """Packs a row and keeps it."""
        self.data += self._packer.compress(row.encode())
        self.kept += 1

    def finish(self) -> dict[str, object]:
        """Ends the packing, and returns `{"count": 9, "kept": 5, "rows": "H4sI…"}`.

        `rows` are the kept rows as base64 of gzip.
        """
        data = self.data + self._packer.flush()
        return {"count": self.count, "kept": self.kept, "rows": b64encode(data).decode()}


class Lists:
    """Keeps rows of several kinds in bounded memory. Rows beyond the budget are only counted.

    The budget, in bytes of packed rows, is for all kinds together. With `parts=2`, no kind takes
    more than half of it, so that 100,000 noindex pages leave room for a few redirects.
    """

    def __init__(self, budget: int, parts: int = 2) -> None:
        self._budget = budget  # bytes of all kinds
        self._budget_of_kind = budget // parts
        self._kinds: dict[str, _Rows] = {}

    def add(self, kind: str, *columns: str) -> None:
        """Counts a row of one kind, and keeps it if there is room for it.

        There is room if the budget of all kinds, that of this kind, and _MAX_ROWS are not used up.
        """
        if kind not in self._kinds:
            self._kinds[kind] = _Rows()
        rows = self._kinds[kind]
        rows.count += 1
        used = sum(len(other.data) for other in self._kinds.values())
        is_room_in_total = used < self._budget
        is_room_for_kind = len(rows.data) < self._budget_of_kind and rows.kept < _MAX_ROWS
        if is_room_in_total and is_room_for_kind:
            rows.pack("\t".join(map(_shorten_column, columns)) + "\n")

    def packed(self) -> dict[str, dict[str, object]]:
        """Ends all lists: `{"noindex": {"count": 9, "kept": 9, "rows": "H4sI…"}}`."""
        return {kind: rows.finish() for kind, rows in self._kinds.items()}


def _shorten_column(column: str) -> str:
    """Escapes control characters in a column, and cuts it off with … after 300 characters."""
    text = shown(column)
    if len(text) <= _MAX_COLUMN_CHARS:
        return text
    return f"{text[:_MAX_COLUMN_CHARS]}…"
