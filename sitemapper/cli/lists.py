"""The lists of excluded pages and of changed URLs, written while a run goes."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from ..model import Excluded, Summary, UrlChange
from ..observer import Observer
from ..publish.queue import merge_lists, whole_site_row
from .options import STDOUT, RunOptions
from .request import input_lines
from .targets import LISTS, is_stream
from .words import shown

_IN_MEMORY = 1 << 20  # bytes of a list


class RunLists(Observer):
    """Writes the lists that `--excluded` and `--changes` name.

    Files are published together with the sitemaps. What goes to stdout or a device follows when the
    run is over.
    """

    def __init__(self, command: str, options: RunOptions, base_url: str, *, is_dry: bool) -> None:
        self._base_url = base_url
        self._is_dry = is_dry
        # A dry run publishes no changes, so they do not join those that wait to be submitted.
        self._hides_changes = command == "build" and is_dry
        self._targets: dict[str, str] = {}
        self._rows: dict[str, IO[str]] = {}
        for name in LISTS:
            target = getattr(options, name)
            if target:
                self._targets[name] = target
                self._rows[name] = SpooledTemporaryFile(  # noqa: SIM115 - lives as long as the run
                    _IN_MEMORY, "w+", encoding="utf-8"
                )
        self.wants_changes = "changes" in self._rows

    def excluded(self, excluded: Excluded) -> None:
        """Adds a row with the page, the reason and the origin."""
        rows = self._rows.get("excluded")
        if rows:
            columns = (excluded.path, excluded.reason.value, str(excluded.origin))
            rows.write("\t".join(map(shown, columns)) + "\n")

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Adds a row with the change and the URL."""
        rows = self._rows.get("changes")
        if rows:
            rows.write(f"{change.value}\t{shown(url)}\n")

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """The lists that go to files. Marks a list of changes that contains the whole site."""
        changes = self._rows.get("changes")
        if changes and summary.previous is None:
            changes.write(whole_site_row(self._base_url))
        for name, rows in self._rows.items():
            target = self._targets[name]
            if is_stream(target):
                continue
            if name == "changes" and self._hides_changes:
                continue
            rows.seek(0)
            is_queue = name == "changes" and not self._is_dry
            lines = self._after_waiting(target, rows) if is_queue else rows
            yield target, map(str.encode, lines)

    def _after_waiting(self, target: str, rows: Iterable[str]) -> Iterable[str]:
        """The changes after those of earlier builds that nobody has submitted yet."""
        waiting = input_lines(target) if os.path.exists(target) else []
        return merge_lists(waiting, rows, self._base_url)

    def print(self) -> None:
        """Writes the lists that go to stdout or a device."""
        for name, rows in self._rows.items():
            target = self._targets[name]
            if not is_stream(target):
                continue
            rows.seek(0)
            if target == STDOUT:
                shutil.copyfileobj(rows, sys.stdout)
            else:
                with open(target, "w", encoding="utf-8") as file:
                    shutil.copyfileobj(rows, file)

    def close(self) -> None:
        """Removes the temporary files."""
        for rows in self._rows.values():
            rows.close()
