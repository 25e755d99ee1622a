"""The files that `--excluded`, `--changes` and `--report` name.

A file that cannot be written, or has another use, is found before the run begins.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING

from ..errors import SitemapperError
from ..fs import regular
from ..model import NO_BASELINE, Excluded, Summary, UrlChange
from ..observer import Observer
from ..publish.queue import merge_lists, whole_site_note
from ..read.kind import REPORT_MARK
from .options import STDOUT, RunOptions
from .request import input_lines
from .text import shown

if TYPE_CHECKING:
    from ..find.load import Setup

_PRINTED = ("excluded", "changes")  # the flags of lists, which may go to stdout
_MAX_BYTES_IN_MEMORY = 1 << 20  # a longer list waits in a temporary file
_START_BYTES = 4096  # which show what a file is: the longest path in a list is shorter


def is_stream(target: str) -> bool:
    """Whether a flag names stdout (`-`), a device or a pipe, such as /dev/stderr.

    A list for such a stream is printed at the end of the run. For any other name, the list is
    published as a file: an existing file is replaced, and a missing one is created.
    """
    return target == STDOUT or (os.path.exists(target) and not os.path.isfile(target))


class RunList(Observer):
    """Collects a row for each event of a run, such as a page that is excluded.

    `target` is what the flag names. A file is published together with the sitemaps, by `files`.
    Stdout or a device gets the list when the run is over, by `print`.
    """

    wants_changes = False

    def __init__(self, target: str) -> None:
        """Opens an empty list. `target` is where it is written at last: a file, `-` for stdout."""
        self.target = target
        # The lines of the list. They are kept until the run is over.
        self.rows: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - lives as long as the run
            _MAX_BYTES_IN_MEMORY, "w+", encoding="utf-8"
        )

    def add(self, *columns: str) -> None:
        """Adds a row of columns with tabs between them.

        A tab or a line break in a column is escaped, so it cannot begin another column or row.
        """
        self.rows.write("\t".join(map(shown, columns)) + "\n")

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yields the file of this list, its path and its lines. The run publishes this file.

        Yields nothing if the list goes to stdout or a device. Only other observers use `summary`.
        """
        if not is_stream(self.target):
            self.rows.seek(0)
            yield self.target, map(str.encode, self.rows)

    def print(self) -> None:
        """Writes the list to its target, if that is stdout or a device.

        Does nothing for a file, which the run publishes by `files`.
        """
        if not is_stream(self.target):
            return
        self.rows.seek(0)
        if self.target == STDOUT:
            shutil.copyfileobj(self.rows, sys.stdout)
            return
        with open(self.target, "w", encoding="utf-8") as file:
            shutil.copyfileobj(self.rows, file)


class ExcludedList(RunList):
    """Collects the list of `--excluded`: each page that is not listed, the reason and origin."""

    def excluded(self, excluded: Excluded) -> None:
        """Adds the path of a page, the reason, and the line that decided."""
        self.add(excluded.path, excluded.reason.value, str(excluded.origin))


class ChangesList(RunList):
    """Collects the list of `--changes`: the changed URLs, for `sitemapper submit`."""

    wants_changes = True

    def __init__(self, target: str, base_url: str, *, is_check: bool, is_dry_build: bool) -> None:
        """Opens an empty list of URLs below `base_url`, for a check, a dry build or a build.

        The kind of run decides what `files` does with the file `target`.
        """
        super().__init__(target)
        self._base_url = base_url
        self._is_check = is_check
        self._is_dry_build = is_dry_build

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Adds a row such as `added TAB https://example.com/a`."""
        self.add(change.value, url)

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Ends the list of changes, and yields its file, which the run publishes: path and lines.

        a list for stdout or a device    no file
        a dry build                      no file, because nobody may submit its changes
        a check                          the changes alone
        a build                          the changes in the file, and then the new ones
        """
        # Without an earlier sitemap, every page counts as added. A note at the end of the list says
        # so, also on stdout. `sitemapper submit` does not send a list with this note.
        if summary.previous is None:
            self.rows.write(whole_site_note(self._base_url))
        if is_stream(self.target) or self._is_dry_build:
            return
        self.rows.seek(0)
        lines: Iterable[str] = self.rows
        if not self._is_check and os.path.exists(self.target):
            # Changes in the file are those that `sitemapper submit` has not sent yet.
            lines = merge_lists(input_lines(self.target), self.rows, self._base_url)
        yield self.target, map(str.encode, lines)


def open_lists(
    options: RunOptions, base_url: str, *, is_check: bool, is_dry_build: bool
) -> list[RunList]:
    """Opens the lists that `--excluded` and `--changes` ask for."""
    lists: list[RunList] = []
    if options.excluded:
        lists.append(ExcludedList(options.excluded))
    if options.changes:
        changes = ChangesList(
            options.changes, base_url, is_check=is_check, is_dry_build=is_dry_build
        )
        lists.append(changes)
    return lists


def check_stdout(options: RunOptions) -> None:
    """Raises SitemapperError if two flags would write to stdout: `--excluded - --format json`.

    `--report -` is also an error: a report is an HTML page for a browser, so it has to be a file.
    """
    if getattr(options, "report", None) == STDOUT:
        help = "pass a file such as report.html"
        raise SitemapperError("--report -: the report cannot go to stdout", help)
    flags = list(_flags_that_need_stdout(options))
    if len(flags) > 1:
        problem = f"{' and '.join(flags)} would both write to stdout"
        raise SitemapperError(problem, "pass a file for one of them")


def _flags_that_need_stdout(options: RunOptions) -> Iterator[str]:
    """Yields the flags whose output must be alone on stdout: `--excluded -`, `--format json`.

    Two of them are an error. Whether `--format` is among them depends on the format:

    | format | must it be alone on stdout? |
    |---|---|
    | `text` | no: people read it after a list |
    | `github` | no: GitHub finds its annotations among other lines |
    | `json` | yes |
    """
    for name in _PRINTED:
        if getattr(options, name) == STDOUT:
            yield f"--{name} -"
    if options.format == "json":
        yield "--format json"


def check_targets(options: RunOptions, setup: Setup) -> None:
    """Raises SitemapperError if a flag names a file that cannot be written or has another use.

    `--excluded public/sitemap.xml` → "--excluded: public/sitemap.xml is the sitemap".
    """
    # The files that no flag may name, by their real paths.
    output = setup.site.output
    uses = {
        os.path.realpath(output.path(output.name)): "the sitemap",
        os.path.realpath(output.path("robots.txt")): "robots.txt",
    }
    if setup.site.ledger:
        uses[os.path.realpath(setup.site.ledger)] = "the ledger"
    for path, _ in setup.run.read_from:
        uses[os.path.realpath(path)] = "part of the configuration"
    for option in (*_PRINTED, "report"):
        file = getattr(options, option, None)
        if not file or file == STDOUT:
            continue
        problem = _problem_of_file(option, file, uses)
        if problem:
            raise SitemapperError(f"--{option}: {problem}", "choose another file name")
        uses[os.path.realpath(file)] = f"the file of --{option}"


def _problem_of_file(option: str, file: str, uses: Mapping[str, str]) -> str:
    """Says why the list or report of an option cannot be written to a file, "" if it can.

    - `a.tsv is the ledger`: the file has another use. `uses` are such files: `{real path: use}`
    - `x/a.tsv: no such folder`
    - `a.html: was not written by sitemapper, …`: a typo must not destroy a file of the user, so a
      file is replaced only if an earlier run wrote it
    """
    use = uses.get(os.path.realpath(file))
    if use:
        return f"{file} is {use}"
    if not os.path.isdir(os.path.dirname(os.path.abspath(file))):
        return f"{file}: no such folder"
    if os.path.isdir(file):
        return f"{file}: is a folder"
    if is_stream(file):  # lists may go to a device or a pipe, but a report replaces a file
        return f"{file}: is not a regular file" if option == "report" else ""
    # The start of a file shows whether an earlier run wrote it for this option. A report begins
    # with a mark. Lists have none, but their first row has a tab, or says that there is no
    # baseline.
    start = regular(file, _START_BYTES) or b""
    first_line, _, _ = start.partition(b"\n")
    if option == "report":
        is_ours = REPORT_MARK.encode() in start
    else:
        is_ours = b"\t" in first_line or first_line.startswith(NO_BASELINE.encode())
    if start and not is_ours:
        return f"{file}: was not written by sitemapper, so it is not replaced"
    return ""
