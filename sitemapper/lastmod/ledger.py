"""The ledger: what each listed page's content was when it last changed, and when that was.

A text file in walk order, one page a line: `path TAB lastmod TAB digest`, the path percent-encoded,
`-` where the date is not known; a page that is there and not listed keeps its line, with a fourth column
that says so. The ledger is a memory, never a clock: it answers while the digest
stays the same, and leaves a page that is new or changed to the sources after it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from sitemapper.errors import LedgerError
from sitemapper.model import LastMod, Page, Row
from sitemapper.site.walk import path_key
from sitemapper.syntax.dates import Writer, read
from sitemapper.syntax.urls import quoted

UNKNOWN = "-"
UNLISTED = "unlisted"
_DATE = r"-|\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?"
_ROW = re.compile(rf"([!-~]+)\t({_DATE})\t([0-9a-f]{{4}}-[0-9a-f]{{16}})(?:\t{UNLISTED})?\r?\n?")
_KEPT = 10_000  # texts of dates, each read once
_REMEDY = (
    "take the file as it was last committed, or delete the line: the page is then dated "
    "by the sources after the ledger"
)
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

    def outdates(self, lastmod: LastMod | None) -> bool:
        """Whether a date is of before the page's change: not newer than that of the content it had."""
        before = self.row.lastmod if self.row and self.digest and not self.is_unchanged else None
        if before is None or lastmod is None:
            return False
        return lastmod < before or (lastmod == before and "T" in lastmod.text)


class Reader:
    """Reads a ledger once, in step with the walk, one row in memory. Dates are as the writer has them."""

    def __init__(self, path: str, label: str, writer: Writer) -> None:
        self.count = self.found = 0
        self._label = label
        self._read = lru_cache(_KEPT)(lambda text: None if text == UNKNOWN else read(text, writer))
        self._rows = self._lines(path)
        self._next = next(self._rows, None)

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
        self.found += len(found)
        return found

    def finish(self) -> None:
        """Reads what is left, so that no damage goes unseen."""
        for _ in self._rows:
            pass

    def _lines(self, path: str) -> Iterator[_Line]:
        before = b""
        with _opened(path, self._label) as file:
            for self.count, text in enumerate(file, 1):
                line = self._line(text)
                if line.key <= before and self.count > 1:
                    twice = line.key == before
                    raise self._error("names a page twice" if twice else "is not in the order of the walk")
                before = line.key
                yield line

    def _line(self, text: str) -> _Line:
        found = _ROW.fullmatch(text)
        if found is None:
            if text.startswith(_CONFLICT):
                remedy = "keep either side; the next build mends the rest"
                raise self._error("git left a conflict here", remedy)
            raise self._error("is not “path TAB lastmod TAB digest”")
        name, lastmod, digest = found.groups()
        path = unquote_to_bytes(name).decode("utf-8", "surrogateescape") if "%" in name else name
        return _Line(path_key(path), path, Row(self._date(lastmod), digest))

    def _date(self, text: str) -> LastMod | None:
        try:
            return self._read(text)
        except ValueError as error:
            raise self._error(str(error)) from None

    def _error(self, what: str, remedy: str = _REMEDY) -> LedgerError:
        return LedgerError(f"{self._label}:{self.count}: {what}; {remedy}")


class _Line(NamedTuple):
    key: bytes
    path: str
    row: Row


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


def lastmods(pages: Iterable[Known]) -> list[LastMod | None]:
    """The dates of the pages whose content did not change."""
    return [page.row.lastmod if page.row and page.is_unchanged else None for page in pages]


def render(pages: Sequence[tuple[str, LastMod | None, Known]]) -> bytes:
    """The rows of pages (path, date, what is known), in their order.

    A page without a digest today, because it is not listed or could not be read, keeps its row; one
    that did not change keeps its date even where that is not believed today: a clock may be wrong.
    """
    names = quoted([path for path, _, _ in pages])
    rows = []
    for name, (_, lastmod, known) in zip(names, pages, strict=True):
        if lastmod is None and known.row and (known.is_unchanged or known.digest is None):
            lastmod = known.row.lastmod
        digest = known.digest or (known.row.digest if known.row else "")
        mark = "" if known.digest else f"\t{UNLISTED}"
        rows.append(f"{name}\t{lastmod.text if lastmod else UNKNOWN}\t{digest}{mark}\n")
    return "".join(rows).encode("ascii")
