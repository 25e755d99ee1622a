"""Lists of rows in bounded memory: packed as they come, and only counted beyond a budget."""

from __future__ import annotations

import zlib
from base64 import b64encode

from ..text import shown

_BLOCK = 16_384  # characters that are packed at once
_LONGEST = 300  # characters of a column


class _Packed:
    """The rows of one kind."""

    def __init__(self) -> None:
        self.count = self.kept = 0
        self.data = bytearray()
        self._packer = zlib.compressobj(wbits=31)  # 31: with a gzip header, which browsers unpack
        self._waiting: list[str] = []
        self._size = 0

    def add(self, row: str) -> int:
        """One more row; how many bytes that made."""
        self.kept += 1
        self._waiting.append(row)
        self._size += len(row)
        return self.flush(zlib.Z_SYNC_FLUSH) if self._size > _BLOCK else 0

    def flush(self, how: int) -> int:
        """Packs what waits."""
        before = len(self.data)
        self.data += self._packer.compress("".join(self._waiting).encode())
        self.data += self._packer.flush(how)
        self._waiting, self._size = [], 0
        return len(self.data) - before


class Lists:
    """Rows by kind. All kinds share the budget, in bytes; none takes more than half of it."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._used = 0
        self._kinds: dict[str, _Packed] = {}

    def add(self, kind: str, *columns: str) -> None:
        """One more row."""
        rows = self._kinds.get(kind) or self._kinds.setdefault(kind, _Packed())
        rows.count += 1
        if self._used < self._budget and len(rows.data) < self._budget // 2:
            self._used += rows.add("\t".join(map(_short, columns)) + "\n")

    def packed(self) -> dict[str, dict[str, object]]:
        """Each kind: how many rows there were, how many are in it, and these, as gzip in base64."""
        for rows in self._kinds.values():
            rows.flush(zlib.Z_FINISH)
        return {
            kind: {"count": rows.count, "kept": rows.kept, "rows": b64encode(rows.data).decode()}
            for kind, rows in self._kinds.items()
        }


def _short(text: str) -> str:
    text = shown(text)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
