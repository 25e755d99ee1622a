"""The lists of a report: rows in bounded memory."""

import zlib
from base64 import b64encode

from ..text import shown

_MOST = 100_000  # rows of a kind, few enough for a browser to search at once
_LONGEST = 300  # characters of a column
_GZIP = 31  # zlib's window bits for a gzip header, which browsers unpack
_LITTLE_MEMORY = 4  # zlib's level; its memory is outside of the budget


class _Rows:
    """The rows of one kind, packed one by one, so that few bytes are in memory."""

    def __init__(self) -> None:
        self.count = 0  # of all rows
        self.kept = 0
        self.data = bytearray()  # the packer holds back some
        self._packer = zlib.compressobj(wbits=_GZIP, memLevel=_LITTLE_MEMORY)

    def pack(self, row: str) -> None:
        """Keeps a row."""
        self.data += self._packer.compress(row.encode())
        self.kept += 1

    def finish(self) -> dict[str, object]:
        """The number of rows, the number kept, and the kept rows as base64 of gzip."""
        data = self.data + self._packer.flush()
        return {"count": self.count, "kept": self.kept, "rows": b64encode(data).decode()}


class Lists:
    """Keeps rows of each kind in bounded memory. Beyond a budget, rows are only counted.

    All kinds share the budget, in bytes of packed rows. No kind takes more than one of `parts`
    equal parts of it, so that 100,000 noindex pages leave room for a few redirects.
    """

    def __init__(self, budget: int, parts: int = 2) -> None:
        self._budget = budget
        self._part = budget // parts
        self._kinds: dict[str, _Rows] = {}

    def add(self, kind: str, *columns: str) -> None:
        """Counts a row, and keeps it if there is room."""
        if kind not in self._kinds:
            self._kinds[kind] = _Rows()
        rows = self._kinds[kind]
        rows.count += 1
        used = sum(len(other.data) for other in self._kinds.values())
        if used < self._budget and len(rows.data) < self._part and rows.kept < _MOST:
            rows.pack("\t".join(map(_shortened, columns)) + "\n")

    def packed(self) -> dict[str, dict[str, object]]:
        """The rows of each kind, with their numbers."""
        return {kind: rows.finish() for kind, rows in self._kinds.items()}


def _shortened(column: str) -> str:
    """A column without control characters, cut off with … if it is long."""
    text = shown(column)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
