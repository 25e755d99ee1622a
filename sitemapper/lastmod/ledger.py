"""The ledger: the digest of each listed page's content, and the date of its last change.

A text file in walk order with one page per line (`syntax/ledger_rows.py`). Pages that exist but are
not listed keep their line. The ledger never uses the current time. It dates a page while its digest
stays the same. The sources after it date pages that are new or changed. A row goes when its page is
deleted, but not when the folder of the page is only ignored or unreadable.
"""

import os
import stat
from collections.abc import Generator, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ..errors import LedgerError
from ..merge import MergeJoin
from ..model import Batch, LastMod, LedgerEntry, Listed
from ..read.walk import path_key
from ..syntax.dates import Writer, read
from ..syntax.ledger_rows import NO_DIGEST, has_same_rule, parse_row, render_row
from ..syntax.urls import quoted

_LONGEST = 1 << 16  # bytes of a line; a path has up to 4,096, and each may be percent-encoded
_REMEDY = (
    "restore the file as it was last committed, or delete the line: the sources after the ledger "
    "then date the page"
)
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class LedgerFile(NamedTuple):
    """The ledger to read: that of the site, or a copy of the live one.

    `label` is its name in messages.
    """

    path: str
    label: str
    is_live: bool = False


def is_first_run(path: str | None) -> bool:
    """Whether this is the first run with a ledger: it is missing or empty."""
    if path is None:
        return False
    return not os.path.exists(path) or os.path.getsize(path) == 0


class ContentComparison(NamedTuple):
    """A page's row, None for a new page, compared with the digest of its content today."""

    row: LedgerEntry | None
    digest: str | None

    @property
    def is_unchanged(self) -> bool:
        """Whether the page is unchanged since its row was written.

        A digest of another rule proves no change and counts as unchanged, so that an upgrade
        changes no dates.
        """
        if self.row is None or self.digest is None:
            return False
        return self.row.digest == self.digest or not has_same_rule(self.row.digest, self.digest)

    @property
    def previous_date(self) -> LastMod | None:
        """The date that the page had before its last change, if that change has no date yet.

        The date of the change must be later. None for a new page, or if the last change is dated.
        """
        if self.row is None:
            return None
        if self.digest is None or self.is_unchanged:
            return self.row.after  # an earlier build found the change
        return self.row.lastmod or self.row.after  # this build finds it

    def predates_change(self, lastmod: LastMod) -> bool:
        """Whether a date is too old for the page's last change, because the page had it before.

        The same second is too old. The same day is not, because a page may change twice a day.
        """
        before = self.previous_date if self.digest else None
        is_same_second = lastmod == before and "T" in lastmod.text
        return before is not None and (is_same_second or lastmod < before)

    def next_row(self, lastmod: LastMod | None) -> LedgerEntry:
        """The row to write after a build that gave the page this date, or None.

        A page without a digest, because it is not listed or could not be read, keeps its row. An
        unchanged page keeps its date, even if it looks wrong today, because a clock may be wrong.
        """
        is_as_before = self.is_unchanged or self.digest is None
        if lastmod is None and self.row and is_as_before:
            lastmod = self.row.lastmod
        digest = self.digest
        if not digest:
            digest = self.row.digest if self.row else ""
        return LedgerEntry(lastmod, digest, None if lastmod else self.previous_date)


class LedgerReader:
    """Reads a ledger once, in walk order, one row at a time. Dates are in the writer's format."""

    def __init__(self, file: LedgerFile, writer: Writer) -> None:
        self.count = self.matched = self._number = 0
        self._label = file.label
        self._is_live = file.is_live
        self._read = lru_cache(10_000)(lambda text: read(text, writer))
        self._rows = MergeJoin(self._lines(file.path))
        self._not_walked: set[str] = set()  # files and folders that were left out by name

    def attach(self, batch: Batch) -> Batch:
        """Adds the ledger's rows of its pages to a batch, the next in walk order.

        `rows_not_walked` are the rows before its last page whose pages are there but were not
        walked, such as all of `drafts/` for one build with `--ignore drafts/`. Raises LedgerError
        for a damaged line.
        """
        self._not_walked.update(page.path for page in batch.excluded)
        if not batch.pages:
            return batch
        entries: dict[str, LedgerEntry | None] = dict.fromkeys(page.path for page in batch.pages)
        last = path_key(batch.pages[-1].path)
        kept = []
        for path, entry in self._rows.until(last):
            if path in entries:
                entries[path] = entry
                self.matched += 1
            elif self._is_not_walked(path):
                kept.append(self._keep(path, entry))
        # The rows of the folders before the last page have all been read.
        self._not_walked = {path for path in self._not_walked if path_key(path) > last}
        rows = []
        for page, row in batch.page_rows():
            in_ledger = entries[page.path]
            rows.append(row._replace(ledger=in_ledger) if in_ledger else row)
        return batch._replace(rows=rows, rows_not_walked=kept)

    def finish(self) -> bytes:
        """Reads the rest, to find damaged lines. Returns the rows whose pages were not walked."""
        rest = self._rows.until(None)
        kept = [self._keep(path, entry) for path, entry in rest if self._is_not_walked(path)]
        return "".join(line for _, line in kept).encode("ascii")

    def _is_not_walked(self, path: str) -> bool:
        """Whether the row of a page is kept, because the page or a folder above it was ignored.

        `a/b/c.html` is not walked if `a/` or `a/b/` was ignored or unreadable. All other pages
        without a file are deleted, and so are their rows.
        """
        if not self._not_walked:
            return False
        ends = (place + 1 for place, letter in enumerate(path) if letter == "/")
        return path in self._not_walked or any(path[:end] in self._not_walked for end in ends)

    def _keep(self, path: str, entry: LedgerEntry) -> tuple[str, str]:
        """Counts a row of a page that was not walked. Returns its path and its line."""
        self.matched += 1
        [name] = quoted([path])
        return path, render_row(name, entry, is_listed=False)

    def _lines(self, path: str) -> Generator[tuple[bytes, tuple[str, LedgerEntry]], None, None]:
        """The rows of pages, each with its key in walk order. Raises LedgerError for a bad line."""
        previous, lines = b"", _read_lines(path, self._label)
        for self._number, text in enumerate(lines, 1):
            if self._is_live and self._number == 1:  # counts the rows
                continue
            row = parse_row(text, self._date)
            if row is None and text.startswith(_CONFLICT):
                remedy = "keep either side; the next build corrects the rest"
                raise self._error("git left a conflict here", remedy)
            if row is None:
                raise self._error("expected “path TAB lastmod TAB digest”")
            name, _ = row
            if "://" in name:  # an extra URL, which has no page
                continue
            self.count += 1
            key = path_key(name)
            if self.count > 1 and key == previous:
                raise self._error("names a page twice")
            if self.count > 1 and key < previous:
                raise self._error("is not in the order of the walk")
            previous = key
            yield key, row

    def _date(self, text: str) -> LastMod | None:
        try:
            return self._read(text)
        except ValueError:
            raise self._error(f"{text!r} is not a date") from None

    def _error(self, what: str, remedy: str = _REMEDY) -> LedgerError:
        where = f"{self._label}:{self._number}"
        return live_error(where, what) if self._is_live else LedgerError(f"{where}: {what}", remedy)


def _read_lines(path: str, label: str) -> Iterator[str]:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            remedy = "name another one: [ledger] path, or --ledger"
            raise LedgerError(f"{label}: is not a regular file", remedy)
        with open(path, encoding="ascii", errors="surrogateescape", newline="\n") as file:
            while line := file.readline(_LONGEST):
                yield line
    except FileNotFoundError:
        return
    except OSError as error:
        raise LedgerError(
            f"{label}: cannot be read: {error.strerror}", "check its permissions"
        ) from None


def live_error(where: str, what: str) -> LedgerError:
    """The error for an unreadable live ledger.

    Continuing as in a first run would lose all dates.
    """
    remedy = "use --ledger FILE with a copy that you kept, or --no-live to build without it"
    remedy += ", as for the first build"
    return LedgerError(f"{where}: {what}, so nothing was published", remedy)


def render_extra(listed: Iterable[Listed]) -> bytes:
    """The rows of extra URLs, whose content is not read."""
    rows = []
    for entry in listed:
        row = LedgerEntry(lastmod=entry.lastmod, digest=NO_DIGEST)
        rows.append(render_row(entry.loc, row, is_listed=True))
    return "".join(rows).encode("ascii")
