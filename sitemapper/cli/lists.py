"""The files that `--excluded`, `--changes` and `--redirects` name."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING

from ..errors import SitemapperError
from ..fs import regular
from ..model import Excluded, Summary, UrlChange
from ..observer import Observer
from ..publish.queue import merge_lists, whole_site_row
from .options import STDOUT, RunOptions
from .request import input_lines
from .targets import is_stream
from .text import shown

if TYPE_CHECKING:
    from ..hosts.redirect_lines import Redirect, RedirectWriter

_MAX_BYTES_IN_MEMORY = 1 << 20  # a longer list waits in a temporary file


class RunList(Observer):
    """A list with a row for each event of a run, such as a page that is excluded.

    `target` is what the flag names. A file is published together with the sitemaps, by `files`.
    Stdout or a device gets the list when the run is over, by `print`.
    """

    wants_changes = False

    def __init__(self, target: str) -> None:
        self.target = target
        self.rows: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - lives as long as the run
            _MAX_BYTES_IN_MEMORY, "w+", encoding="utf-8"
        )

    def add(self, *columns: str) -> None:
        """Adds a row of columns with tabs between them.

        A tab or a line break in a column is escaped, so it cannot begin another column or row.
        """
        self.rows.write("\t".join(map(shown, columns)) + "\n")

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yields the path and the lines of the list, for the run to publish it.

        Yields nothing if the list goes to stdout or a device.
        """
        if not is_stream(self.target):
            self.rows.seek(0)
            yield self.target, map(str.encode, self.rows)

    def print(self) -> None:
        """Writes the list to its target, if that is stdout or a device. Else does nothing."""
        if not is_stream(self.target):
            return
        self.rows.seek(0)
        if self.target == STDOUT:
            shutil.copyfileobj(self.rows, sys.stdout)
            return
        with open(self.target, "w", encoding="utf-8") as file:
            shutil.copyfileobj(self.rows, file)


class ExcludedList(RunList):
    """`--excluded`: each page that is not listed, with the reason and the origin."""

    def excluded(self, excluded: Excluded) -> None:
        """Adds the path of a page, the reason, and the line that decided."""
        self.add(excluded.path, excluded.reason.value, str(excluded.origin))


class ChangesList(RunList):
    """`--changes`: the changed URLs. A build adds them to those that nobody has submitted yet."""

    wants_changes = True

    def __init__(self, target: str, base_url: str, *, is_build: bool, is_dry: bool) -> None:
        super().__init__(target)
        self._base_url = base_url
        self._is_build = is_build
        self._is_dry = is_dry

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Adds a row such as `added TAB https://example.com/a`."""
        self.add(change.value, url)

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yields the path and the lines of the list, if it goes to a file.

        - a check: its rows, which replace the file
        - a build: the rows in the file that `submit` has not sent yet, and its own, with one row
          for each URL
        - a dry run of a build: nothing, because nobody may submit changes that are not published

        Without an earlier sitemap, every page counts as added. Then the list has a line that says
        so, and `submit` does not send it.
        """
        if summary.previous is None:
            self.rows.write(whole_site_row(self._base_url))
        if not self._is_build:
            yield from super().files(summary)
        elif not self._is_dry and not is_stream(self.target):
            self.rows.seek(0)
            waiting = input_lines(self.target) if os.path.exists(self.target) else []
            lines = merge_lists(waiting, self.rows, self._base_url)
            yield self.target, map(str.encode, lines)


class RedirectList(RunList):
    """`--redirects`: rules for the host that redirect the pages that moved, if there are any.

    In a file, they follow the rules that earlier runs wrote there.
    """

    def __init__(self, target: str, *, is_dry_run: bool) -> None:
        super().__init__(target)
        self._is_dry_run = is_dry_run
        self._writer: RedirectWriter | None = None
        self._redirects: Sequence[Redirect] = ()

    def moved(self, writer: RedirectWriter, redirects: Sequence[Redirect]) -> None:
        """Keeps the redirects for `files`, and their text for `print`, if they go to stdout."""
        self._writer = writer
        self._redirects = redirects
        self.rows.write(writer.text(redirects))

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yields the path and the text of the file: the earlier redirects, then the new ones.

        Yields nothing if no page moved, for a dry run, and for stdout. Raises SitemapperError if
        the file has redirects for another host, such as those of `_redirects` for `vercel.json`.
        """
        if self._writer is None or self._is_dry_run or is_stream(self.target):
            return
        earlier = (regular(self.target) or b"").decode("utf-8", "replace")  # "" for no file
        # The first line is a mark, which names the file of the host: `_redirects`.
        first_line, _, _ = earlier.partition("\n")
        if earlier and first_line != self._writer.mark:
            file = self._writer.file
            problem = f"--redirects: {self.target}: has no redirects for {file}, so it stays"
            raise SitemapperError(problem, "name another file")
        yield self.target, [self._writer.text(self._redirects, earlier).encode()]


def open_lists(
    options: RunOptions, base_url: str, *, is_build: bool, is_dry: bool
) -> list[RunList]:
    """Opens the lists that `--excluded`, `--changes` and `--redirects` ask for."""
    lists: list[RunList] = []
    if options.excluded:
        lists.append(ExcludedList(options.excluded))
    if options.changes:
        lists.append(ChangesList(options.changes, base_url, is_build=is_build, is_dry=is_dry))
    if options.redirects:
        lists.append(RedirectList(options.redirects, is_dry_run=is_build and is_dry))
    return lists
