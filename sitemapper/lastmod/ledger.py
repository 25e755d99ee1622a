"""The ledger: the digest of each listed page's content, and the date of its last change.

A text file in walk order with one page per line (`syntax/ledger_rows.py`). Pages that exist but are
not listed keep their line. The ledger never uses the current time. It dates a page while its digest
stays the same. The sources after it date pages that are new or changed. A row goes when its page is
deleted, but not when the folder of the page is only ignored or unreadable.

A site without the file, as on a new machine, may read the copy that it has published: its live
ledger.
"""

import os
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

from ..errors import LedgerError, NetworkError
from ..merge import MergeJoin
from ..messages import Kind, Message
from ..model import Batch, LastMod, LedgerEntry, Listed
from ..read.walk import path_key
from ..site import Run, Site
from ..syntax.dates import Writer, read
from ..syntax.ledger_rows import (
    NO_DIGEST,
    parse_row,
    render_row,
    shows_edit,
)
from ..syntax.urls import quoted

_LONGEST = 1 << 16  # bytes of a line; a path has up to 4,096, and each may be percent-encoded
_REMEDY = (
    "restore the file as it was last committed, or delete the line: the sources after the ledger "
    "then date the page"
)
_LARGEST_LIVE = 1 << 30  # bytes of a live ledger
_DEADLINE = 15.0  # seconds that a build waits for the live ledger, redirects included
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class LedgerFile(NamedTuple):
    """The ledger to read: that of the site, or a copy of the live one.

    `label` is its name in messages.
    """

    path: str
    label: str
    is_live: bool = False


def is_first_run(path: str | None) -> bool:
    """Whether this is the first run with a ledger: the file is missing or empty.

    False without a path, because the site then has no ledger.
    """
    if path is None:
        return False
    return not os.path.exists(path) or os.path.getsize(path) == 0


def local_ledger(site: Site, run: Run) -> LedgerFile | None:
    """Names the ledger file of a site. None if the ledger is no source of dates."""
    if site.ledger is None:
        return None
    return LedgerFile(site.ledger, run.display(site.ledger))


@contextmanager
def open_ledger(site: Site, run: Run) -> Iterator[tuple[LedgerFile | None, tuple[Message, ...]]]:
    """Chooses the ledger that a build reads. Yields it with notes for the user.

    1. None, if the site has no ledger.
    2. The local file, if the live ledger is not to be read.
    3. The local file, if it is not empty. A note says that the live ledger is not read.
    4. A copy of the live ledger, as on a new machine. The copy is deleted at the end.
    5. The local file, which is missing or empty, if the site answers that it has no live ledger. A
       note says so, and the build writes the ledger for the first time.

    Raises LedgerError for any other answer, because a build without the ledger would lose dates.
    """
    local = local_ledger(site, run)
    url = site.live_ledger
    if local is None or not url:
        yield local, ()
        return
    if not is_first_run(local.path):
        yield local, (Message(Kind.LEDGER_IS_LOCAL, (local.label, url)),)
        return
    # Imported here: processes that date pages read no live ledger.
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="sitemapper-", ignore_cleanup_errors=True) as folder:
        copy = os.path.join(folder, os.path.basename(local.path))
        if _download(url, copy, run):
            yield LedgerFile(copy, url, is_live=True), ()
        else:
            yield local, (Message(Kind.LEDGER_IS_NEW, (url,)),)


def _download(url: str, copy: str, run: Run) -> bool:
    """Copies the live ledger to the file `copy`. False if the site has none: it answers 404 or 410.

    Raises LedgerError for any other answer than 200, and if the site does not answer.
    """
    # Imported here: most runs send no requests.
    from ..net.client import Client

    client = Client(run.proxies, deadline=_DEADLINE)
    try:
        with open(copy, "wb") as file:
            status = client.download(url, file, _LARGEST_LIVE)
    except NetworkError as error:
        raise _live_error(url, str(error).removeprefix(f"{url}: ")) from error
    if status in (404, 410):
        return False
    if status != 200:
        raise _live_error(url, f"answers {status}")
    return True


class ContentComparison(NamedTuple):
    """The row of a page in the ledger, after a comparison with the page's content today.

    - `new_row` is the row that this build writes for the page, unless a source dates its change.
    - `is_unchanged` says whether the content is the same as when the ledger was written.
    """

    new_row: LedgerEntry
    is_unchanged: bool

    def predates_change(self, date: LastMod) -> bool:
        """Whether a source's date of the page is older than the page's last change.

        If the page changed because of a data file, for example, git has only the last commit of the
        page's source file. For a page that changed after 1 May, 12:00:

            date of the source    result
            1 May, 11:59          True
            1 May, 12:00          True: it is the date before the change
            1 May, 12:01          False: the page may have changed then

        A date may also be a day without a time. If the page changed after the day 1 May:

            30 April              True
            1 May                 False: the page may have changed twice on this day
        """
        changed_after = self.new_row.changed_after
        if changed_after is None:  # the page is new, or has not changed since it got its date
            return False
        if date == changed_after:
            return "T" in date.text  # with a time, it is the date before the change
        return date < changed_after


def compare_content(old_row: LedgerEntry | None, digest: str) -> ContentComparison:
    """Finds out if a page has changed since the last build, by the digest of its content today.

    `old_row` is the row of the page in the ledger. If it says 1 May, and the page has changed, the
    new row has no date. It says that the change was after 1 May. Older dates of a source, such as
    that of an earlier commit, are then refused.
    """
    if old_row is None:  # the page is new
        new_row = LedgerEntry(lastmod=None, digest=digest)
        return ContentComparison(new_row, is_unchanged=False)
    if not shows_edit(old_row.digest, digest):
        # The digest may still be another one, if an upgrade computes digests by another rule.
        new_row = old_row._replace(digest=digest)
        return ContentComparison(new_row, is_unchanged=True)
    # If no source has dated an earlier change, the old row has only the date before that change.
    last_known_date = old_row.lastmod or old_row.changed_after
    new_row = LedgerEntry(lastmod=None, digest=digest, changed_after=last_known_date)
    return ContentComparison(new_row, is_unchanged=False)


class LedgerReader:
    """Reads a ledger once, in walk order, one row at a time. Dates are in the writer's format.

    A row whose page is not in the walk is dropped, because the page is deleted. But the walk also
    leaves out pages that exist: with `--ignore drafts/` for one build, all below `drafts/`. Their
    rows are kept, so that they have their dates again in the build after that.
    """

    def __init__(self, file: LedgerFile, writer: Writer) -> None:
        """Opens a ledger, and reads its first row. A ledger whose file is missing has no rows."""
        self.count = 0  # how many rows of pages were read
        self.matched = 0  # how many of these are of pages that still exist, so that they are kept
        # For messages about a line.
        self._label = file.label  # the name of the file
        self._number = 0  # the number of the line that was read last
        self._is_live = file.is_live  # whether it is a copy of the ledger that the site publishes
        # Parses a date. Many rows have the same date, so the last 10,000 are kept.
        self._read = lru_cache(10_000)(lambda date: read(date, writer))
        # Files and folders that the walk left out, as ignored or unreadable. Pages may be in them.
        self._left_out: set[str] = set()
        # The rows, which are read as the walk reaches their pages. This reads the first one.
        self._rows = MergeJoin(self._lines(file.path))

    def attach(self, batch: Batch) -> Batch:
        """Adds to the next batch in walk order what the ledger says of its pages.

        Reads the ledger up to the last page of the batch. What happens to a row depends on its
        page:

        - The page is in the batch: the ledger's row is added to what is known of the page.
        - The walk left the page out, as `drafts/a.html` with `--ignore drafts/`: the row goes to
          `rows_not_walked`, so that it is written again.
        - The page is deleted: the row is dropped.

        Raises LedgerError for a damaged line.
        """
        self._left_out.update(page.path for page in batch.excluded)
        if not batch.pages:
            return batch
        # 1. Read the rows up to the last page.
        entries: dict[str, LedgerEntry | None] = dict.fromkeys(page.path for page in batch.pages)
        last = path_key(batch.pages[-1].path)
        rows_not_walked = []
        for path, entry in self._rows.until(last):
            if path in entries:
                entries[path] = entry
                self.matched += 1
            elif self._was_left_out(path):
                rows_not_walked.append((path, self._keep_row(path, entry)))
        # Rows of files and folders before the last page have been read, so these can be forgotten.
        self._left_out = {path for path in self._left_out if path_key(path) > last}
        # 2. Add them to the pages. A new page has none.
        rows = []
        for page, row in batch.page_rows():
            in_ledger = entries[page.path]
            rows.append(row._replace(ledger=in_ledger) if in_ledger else row)
        return batch._replace(rows=rows, rows_not_walked=rows_not_walked)

    def finish(self) -> bytes:
        """Reads the ledger to its end after the last page. Returns the rows that must be kept.

        With `--ignore zoo/`, the last page may be tea.html. The rows of zoo/ are still unread then,
        but their pages exist, so the rows are kept. A row of a deleted page, such as zebra.html, is
        dropped. Raises LedgerError for a damaged line.
        """
        rest = self._rows.until(None)  # to the end
        kept = [self._keep_row(path, entry) for path, entry in rest if self._was_left_out(path)]
        return "".join(kept).encode("ascii")

    def _was_left_out(self, path: str) -> bool:
        """Whether a page was left out of the walk, so that the ledger keeps its row.

        `a/b/c.html` was left out if `a/`, `a/b/` or the page itself was ignored or unreadable.
        Every other page that has a row but was not found is deleted, and its row goes.
        """
        if not self._left_out:
            return False
        # For `a/b/c.html`, the folders `a/` and `a/b/`.
        folders = (path[: index + 1] for index, letter in enumerate(path) if letter == "/")
        return path in self._left_out or any(folder in self._left_out for folder in folders)

    def _keep_row(self, path: str, entry: LedgerEntry) -> str:
        """Renders the row of a page that the walk left out, for the ledger that this build writes.

        The page exists, so `matched` counts it. But it is not in the sitemap of this build, so its
        row is marked as `unlisted`.
        """
        self.matched += 1
        [name] = quoted([path])
        return render_row(name, entry, is_listed=False)

    def _lines(self, path: str) -> Generator[tuple[bytes, tuple[str, LedgerEntry]], None, None]:
        """Yields the row of each page, as its path and its entry, with the key that sorts it.

        The keys sort the paths in the order of the walk. The rows of extra URLs are skipped,
        because these have no page. Raises LedgerError, with the number of the line, for a line that

        - is not a row, as after a conflict in git
        - names the same page as the line before
        - is not in the order of the walk
        """
        previous: bytes | None = None  # the key of the row before; None at the first row
        for text in _read_lines(path, self._label):
            self._number += 1
            # A ledger that was published before `previous = "live"` read it begins with a comment.
            if self._is_live and self._number == 1 and text.startswith("#"):
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
            if key == previous:
                raise self._error("names a page twice")
            if previous is not None and key < previous:
                raise self._error("is not in the order of the walk")
            previous = key
            yield key, row

    def _date(self, text: str) -> LastMod | None:
        """Reads a date of the current line. Raises LedgerError if the text is no date."""
        try:
            return self._read(text)
        except ValueError:
            raise self._error(f"{text!r} is not a date") from None

    def _error(self, what: str, remedy: str = _REMEDY) -> LedgerError:
        """Makes the error for the current line, with the `remedy` for a file on this machine.

        For a copy of the published ledger, the remedy is that of `_live_error`.
        """
        where = f"{self._label}:{self._number}"
        if self._is_live:
            return _live_error(where, what)
        return LedgerError(f"{where}: {what}", remedy)


def _read_lines(path: str, label: str) -> Iterator[str]:
    """Reads the lines of a ledger, none if the file is missing. Raises LedgerError.

    A line of more than 65,536 bytes comes in parts, so that it takes little memory.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            remedy = "set another [ledger] path, or pass another --ledger"
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


def _live_error(where: str, what: str) -> LedgerError:
    """Makes the error for a live ledger that cannot be read. The caller raises it.

    If the build continued as a first run does, all dates would be lost.
    """
    remedy = "use --ledger FILE with a copy that you kept, or --previous none to build without it"
    remedy += ", as for the first build"
    return LedgerError(f"{where}: {what}, so nothing was published", remedy)


def render_extra(listed: Iterable[Listed]) -> bytes:
    """Writes the ledger's rows of extra URLs. Their content is not read, so they have no digest."""
    rows = []
    for entry in listed:
        row = LedgerEntry(lastmod=entry.lastmod, digest=NO_DIGEST)
        rows.append(render_row(entry.loc, row, is_listed=True))
    return "".join(rows).encode("ascii")
