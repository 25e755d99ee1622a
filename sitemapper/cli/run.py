"""A run of `build` or `check` on the command line: its settings, and what follows the run."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Self

from ..errors import GuardError, SitemapperError
from ..find.settle import Setup
from ..model import Summary
from ..observer import Observers
from ..publish.previous import open_previous
from ..site import Site
from .lists import RunLists
from .options import STDOUT, RunOptions
from .progress import Bar, RunProgress
from .request import load_setup
from .result import Examples, Result
from .targets import check_stdout, check_targets, prints_sitemap
from .words import now, tell, warning_text

if TYPE_CHECKING:
    from ..commands.check import Checked
    from .redirects import RedirectList
    from .report.page import Report
    from .tracked import UntrackedPages


class ObservedRun(Observers):
    """A build or a check with its lists, progress, report and result.

    The summary is there when the files are complete.
    """

    summary: Summary

    def __init__(self, command: str, site: str | None, options: RunOptions) -> None:
        self._started = time.monotonic()
        self._seconds = 0.0
        self.command = command
        self.options = options
        self.setup = _load(command, site, options)
        settled = self.setup.site
        self.is_dry = command == "check" or getattr(options, "dry_run", False)
        is_quiet = options.quiet or not sys.stderr.isatty()
        bar = Bar(partial(_count_published, settled), quiet=is_quiet)
        self._progress = RunProgress(bar)
        self._lists = RunLists(command, options, settled.base_url, is_dry=self.is_dry)
        self._examples = Examples(options, is_dry=self.is_dry)
        self._untracked: UntrackedPages | None = None
        if options.tracked:
            # Imported here: few runs ask for one of these three.
            from .tracked import UntrackedPages, find_untracked

            self._untracked = UntrackedPages(self.setup, find_untracked(settled))
        self._report: Report | None = None
        if getattr(options, "report", None):
            from .report.page import Report

            self._report = Report()
        self._redirects: RedirectList | None = None
        if options.redirects:
            from .redirects import RedirectList

            is_dry_run = command == "build" and self.is_dry
            self._redirects = RedirectList(options.redirects, is_dry_run=is_dry_run)
        parts = (
            self._progress,
            self._examples,
            self._lists,
            self._redirects,
            self._untracked,
            self._report,
        )
        super().__init__([part for part in parts if part])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Prints the lists that go to stdout. The run has already written the others."""
        self._progress.close()
        self._seconds = time.monotonic() - self._started
        # The help of a guard names these lists.
        is_wanted = kind is None or issubclass(kind, GuardError)
        try:
            if is_wanted:
                self._lists.print()
                if self._redirects:
                    self._redirects.print()
        finally:
            self._lists.close()

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """The lists and the report."""
        if self.options.output == STDOUT:
            summary = _named_stdout(summary)
        self.summary = summary
        yield from super().files(summary)
        if self._report:
            page = self._report.page(
                summary, self.setup.site.base_url, now(), is_done=not self.is_dry
            )
            yield getattr(self.options, "report", ""), [page.encode()]

    def ready(self, sitemap: Callable[[], Iterable[bytes]]) -> None:
        """Prints the sitemap of `--output -` before anything is replaced.

        Raises SitemapperError if stdout cannot be written.
        """
        if self.options.output != STDOUT:
            return
        try:
            for block in sitemap():
                sys.stdout.write(block.decode("ascii"))
            sys.stdout.flush()
        except OSError as error:
            problem = f"--output -: stdout: {error.strerror}, so nothing else was written"
            raise SitemapperError(problem) from None

    def result(self, checked: Checked | None = None) -> Result:
        """The result of a build, or of a check."""
        return Result(
            command=self.command,
            options=self.options,
            setup=self.setup,
            is_dry=self.is_dry,
            summary=checked.summary if checked else self.summary,
            seconds=self._seconds,
            changes=self._examples.changes,
            examples=self._examples.excluded_pages,
            missing=checked.missing if checked else None,
            is_same=checked.is_same if checked else None,
        )

    def print_problems(self, result: Result) -> bool:
        """Prints warnings, notes and what git does not track.

        Returns whether they fail the run.
        """
        options, summary = self.options, result.summary
        is_failure = self.setup.settings.strict and bool(summary.warnings)
        has_annotations = options.format == "github"  # warnings are among them
        if not has_annotations and (is_failure or not options.quiet):
            tell("warning", (warning_text(*warning) for warning in summary.warnings), options.color)
        if not has_annotations and not options.quiet:
            tell("note", result.notes, options.color)
        if not self._untracked:
            return is_failure
        problems = list(self._untracked.problems(result))
        tell("error", problems, options.color)
        return is_failure or bool(problems)


def _load(command: str, site: str | None, options: RunOptions) -> Setup:
    """What a build or check starts from.

    Raises SitemapperError if flags contradict each other, or name what cannot be used.
    """
    check_stdout(command, options)
    _check_scheduler(options.scheduler)
    site_options = options
    if prints_sitemap(command, options):
        site_options = replace(options, output=None)  # `-` is not a folder
    setup = load_setup(site, site_options)
    check_targets(options, setup)
    return setup


def _check_scheduler(address: str | None) -> None:
    """Raises SitemapperError if this is not an address of Dask, such as tcp://10.0.0.1:8786."""
    if address and not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+:\d+", address):
        problem = f"--scheduler: must be scheme, host and port, not {address}"
        raise SitemapperError(problem, "for example tcp://10.0.0.1:8786")


def _count_published(site: Site) -> int | None:
    """The number of URLs published before, which is the total of the progress."""
    return open_previous(site.output, site.ledger).count_urls()


def _named_stdout(summary: Summary) -> Summary:
    """The summary with stdout in place of its only sitemap.

    Raises SitemapperError if there are more.
    """
    sitemaps = [file for file in summary.files if file.urls is not None]
    if len(sitemaps) > 1:
        what = (
            f"stdout can take only one file, and the site needs {len(sitemaps):,} sitemaps and "
            "an index"
        )
        raise SitemapperError(f"--output -: {what}", "name a folder")
    files = []
    for file in summary.files:
        is_sitemap = file.urls is not None
        files.append(file._replace(name="stdout") if is_sitemap else file)
    return summary._replace(files=tuple(files))
