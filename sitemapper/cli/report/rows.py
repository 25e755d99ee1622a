"""The lists of a report: rows in bounded memory."""

import zlib
from base64 import b64encode

from ..text import shown

_MOST = 100_000  # rows of a kind, few enough for a browser to search at once
_LONGEST = 300  # characters of a column
_GZIP = 31  # zlib's window bits for a gzip header, which browsers unpack
_LITTLE_MEMORY = 4  # zlib's level; its memory is outside of the budget


class _Rows:
    """The rows of one kind, packed."""

    def __init__(self) -> None:
        self.count = 0
        self.kept = 0
        self._data = bytearray()
        self._packer = zlib.compressobj(wbits=_GZIP, memLevel=_LITTLE_MEMORY)

    @property
    def size(self) -> int:
        """The bytes so far. The packer holds back some."""
        return len(self._data)

    def pack(self, row: str) -> int:
        """Keeps a row, and returns by how many bytes the packed rows grew."""
        packed = self._packer.compress(row.encode())
        self._data += packed
        self.kept += 1
        return len(packed)

    def finish(self) -> dict[str, object]:
        """The number of rows, the number kept, and the kept rows as base64 of gzip."""
        data = self._data + self._packer.flush()
        return {"count": self.count, "kept": self.kept, "rows": b64encode(data).decode()}


class Lists:
    """Keeps rows of each kind in bounded memory: packed at once, and beyond a budget only counted.

    All kinds share the budget, in bytes. No kind takes more than one of `parts` parts.
    """

    def __init__(self, budget: int, parts: int = 2) -> None:
        self._budget = budget
        self._part = budget // parts
        self._used = 0
        self._kinds: dict[str, _Rows] = {}

    def add(self, kind: str, *columns: str) -> None:
        """Counts a row, and keeps it if there is room."""
        rows = self._kinds.get(kind)
        if rows is None:
            rows = self._kinds[kind] = _Rows()
        rows.count += 1
        has_room = self._used < self._budget and rows.size < self._part and rows.kept < _MOST
        if has_room:
            self._used += rows.pack(_row(columns))

    def packed(self) -> dict[str, dict[str, object]]:
        """The rows of each kind, with their numbers."""
        return {kind: rows.finish() for kind, rows in self._kinds.items()}


def _row(columns: tuple[str, ...]) -> str:
    """The columns on one line, each short and without control characters."""
    # Nearly all rows are short and printable, and this runs for each page.
    is_plain = max(map(len, columns)) <= _LONGEST and "".join(columns).isprintable()
    texts = columns if is_plain else map(_shortened, columns)
    return "\t".join(texts) + "\n"


def _shortened(column: str) -> str:
    """A column without control characters, cut off with … if it is long."""
    text = shown(column)
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}…"
