"""Lists of rows in bounded memory: packed as they come, and only counted beyond a budget."""

from __future__ import annotations

import zlib
from base64 import b64encode

from ..words import shown

_LONGEST = 300  # characters of a column
_MOST = 100_000  # rows of a kind, which a browser searches in a moment


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


class _Rows:
    """The rows of one kind."""

    def __init__(self) -> None:
        self.count = self.kept = 0
        self.data = bytearray()
        # 31: with a gzip header, which browsers unpack; 4: with little that waits, which no budget counts
        self.packer = zlib.compressobj(wbits=31, memLevel=4)


class Lists:
    """Rows by kind. All kinds share the budget, in bytes; none takes more than one part of so many."""

    def __init__(self, budget: int, parts: int = 2) -> None:
        self._budget = budget
        self._part = budget // parts
        self._used = 0
        self._kinds: dict[str, _Rows] = {}

    def add(self, kind: str, *columns: str) -> None:
        """One more row."""
        rows = self._kinds.get(kind) or self._kinds.setdefault(kind, _Rows())
        rows.count += 1
        if self._used < self._budget and len(rows.data) < self._part and rows.kept < _MOST:
            rows.kept += 1
            if max(map(len, columns)) > _LONGEST or not "".join(columns).isprintable():
                columns = tuple(_short(shown(text)) for text in columns)
            row = "\t".join(columns)
            packed = rows.packer.compress(f"{row}\n".encode())
            rows.data += packed
            self._used += len(packed)

    def packed(self) -> dict[str, dict[str, object]]:
        """Each kind: how many rows there were, how many are in it, and these, as gzip in base64."""
        return {
            kind: {
                "count": of.count,
                "kept": of.kept,
                "rows": b64encode(of.data + of.packer.flush()).decode(),
            }
            for kind, of in self._kinds.items()
        }
