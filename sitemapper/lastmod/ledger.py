"""The ledger: what each listed page's content was when it last changed, and when that was.

A text file in walk order, one page a line: `path TAB lastmod TAB digest`, the path percent-encoded,
`-` where the date is not known. The ledger is a memory, never a clock: it answers while the digest
stays the same, and leaves a page that is new or changed to the sources after it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from ..dates import Writer, read
from ..errors import LedgerError
from ..model import LastMod, Listed, Page, Row
from ..site import path_key
from ..urls import quoted

UNKNOWN = "-"
_DATE = r"-|\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?"
_ROW = re.compile(rf"([!-~]+)\t({_DATE})\t([0-9a-f]{{4}}-[0-9a-f]{{16}})\r?\n?")
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class Known(NamedTuple):
    """A page's row, None for a new one, and the digest of its content today."""

    row: Row | None
    digest: str | None

    @property
    def is_unchanged(self) -> bool:
        """Whether the page is as the ledger knew it.

        Digests begin with the mark of the rule that made them. Another rule proves no change, so it
        counts as none: an upgrade must not date every page anew.
        """
        if self.row is None or self.digest is None:
            return False
        return self.row.digest == self.digest or self.row.digest[:4] != self.digest[:4]


class Reader:
    """Reads a ledger once, in step with the walk, one row in memory."""

    def __init__(self, path: str, label: str) -> None:
        self._rows = _rows(path, label)
        self._next = next(self._rows, None)
        self.is_empty = self._next is None

    def rows(self, pages: Sequence[Page]) -> dict[str, Row]:
        """The rows of the next pages in walk order. Raises LedgerError for a damaged line."""
        if not pages:
            return {}
        wanted, last = {page.path for page in pages}, path_key(pages[-1].path)
        found: dict[str, Row] = {}
        while self._next is not None and self._next.key <= last:
            if self._next.path in wanted:
                found[self._next.path] = self._next.row
            self._next = next(self._rows, None)
        return found

    def finish(self) -> None:
        """Reads what is left, so that no damage goes unseen."""
        for _ in self._rows:
            pass


class _Line(NamedTuple):
    key: bytes
    path: str
    row: Row


def _rows(path: str, label: str) -> Iterator[_Line]:
    before = b""
    with _opened(path, label) as file:
        for number, text in enumerate(file, 1):
            line = _line(text, f"{label}:{number}")
            if line.key <= before and number > 1:
                what = "names a page twice" if line.key == before else "is not in the order of the walk"
                raise LedgerError(f"{label}:{number}: {what}; {_REMEDY}")
            before = line.key
            yield line


@contextmanager
def _opened(path: str, label: str) -> Iterator[Iterable[str]]:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise LedgerError(f"{label}: is not a regular file; name another: [ledger] path, or --ledger")
        with open(path, encoding="ascii", errors="surrogateescape", newline="\n") as file:
            yield file
    except FileNotFoundError:
        yield ()
    except OSError as error:
        raise LedgerError(f"{label}: cannot be read: {error.strerror}; check its permissions") from None


_REMEDY = (
    "take the file as it was last committed, or delete the line: the page is then dated "
    "by the sources after the ledger"
)


def _line(text: str, where: str) -> _Line:
    found = _ROW.fullmatch(text)
    if found is None:
        if text.startswith(_CONFLICT):
            raise LedgerError(
                f"{where}: git left a conflict here; keep either side (the next build mends the rest)"
            )
        raise LedgerError(f"{where}: is not “path TAB lastmod TAB digest”; {_REMEDY}")
    name, lastmod, digest = found.groups()
    if len(lastmod) > 7:
        try:
            date.fromisoformat(lastmod[:10])
        except ValueError as error:
            raise LedgerError(f"{where}: {lastmod} is no date ({error}); {_REMEDY}") from None
    path = unquote_to_bytes(name).decode("utf-8", "surrogateescape") if "%" in name else name
    return _Line(path_key(path), path, Row(lastmod, digest))


def lastmods(pages: Iterable[Known], writer: Writer) -> list[LastMod | None]:
    """The dates of the pages whose content did not change."""
    known = (page.row.lastmod if page.row and page.is_unchanged else UNKNOWN for page in pages)
    return [None if text == UNKNOWN else read(text, writer) for text in known]


def render(listed: Sequence[Listed], digests: Sequence[str]) -> bytes:
    """The rows of listed pages, in the order of the pages."""
    names = quoted([entry.path for entry in listed])
    rows = [
        f"{name}\t{entry.lastmod.text if entry.lastmod else UNKNOWN}\t{digest}\n"
        for name, entry, digest in zip(names, listed, digests, strict=True)
    ]
    return "".join(rows).encode("ascii")
