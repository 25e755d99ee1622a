"""A run of `build` or `check` on the command line: its settings, its lists, and its result."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Self

from ..errors import GuardError, SitemapperError
from ..find.settle import Setup
from ..long_list import LongList
from ..messages import Kind, Message
from ..model import Change, Excluded, Fate, Reason, Summary, UrlChange
from ..observer import Observers
from ..publish.previous import open_previous
from ..tally import EXAMPLES
from .console import emit, now, tell, use_color
from .lists import ChangesList, ExcludedList, RedirectList, RunList
from .options import STDOUT, RunOptions
from .progress import Bar, RunProgress
from .render import TABLE, renderer
from .request import load_setup
from .targets import check_stdout, check_targets
from .text import FEW, amounts
from .words import DETAILS, describe, message_text

if TYPE_CHECKING:
    from ..commands.check import Checked
    from ..linter import Finding
    from .findings import Findings
    from .report.page import Report
    from .tracked import UntrackedPages


class ChangedUrl(NamedTuple):
    """A URL that a run adds, changes or removes, with both dates, "" for none."""

    url: str
    before: str
    after: str


class ObservedRun(Observers):
    """Follows a build or a check, and prints its lists and its result in the chosen format."""

    summary: Summary  # set by `files`, when the files are complete

    def __init__(self, command: str, site: str | None, options: RunOptions) -> None:
        """Loads the settings, and prepares what follows the run: progress, lists, report.

        `command` is "build" or "check". Raises SitemapperError for wrong flags or settings.
        """
        # What was asked for.
        self._started = time.monotonic()
        self.command = command
        self.options = options
        self.setup = _load_checked_setup(command, site, options)
        self.is_check = command == "check"
        self.is_dry = self.is_check or getattr(options, "dry_run", False)  # nothing is written

        # Filled during the run, by `changed` and `excluded`.
        self.changes: dict[UrlChange, LongList[ChangedUrl]] = {
            kind: LongList() for kind in UrlChange
        }
        self.examples: dict[Reason, list[Excluded]] = {}  # the first pages of each reason
        self._max_changes = self._count_shown_changes()  # URLs of each kind

        # Set after the run: by `__exit__`, and for a check by `take_result`.
        self.seconds = 0.0
        self.missing: tuple[str, ...] | None = None  # required pages that are not listed
        self.is_same: bool | None = None  # whether the published files are up to date

        # What else follows the run. A log of CI would keep each state of a bar.
        is_quiet = options.quiet or not sys.stderr.isatty()
        self._progress = RunProgress(Bar(partial(_count_published, self.setup), quiet=is_quiet))
        self._lists = list(self._open_lists())
        self._untracked: UntrackedPages | None = None
        if options.tracked:
            # This and the report are imported here, because few runs ask for them.
            from .tracked import UntrackedPages

            self._untracked = UntrackedPages(self.setup)
        self._report: Report | None = None
        if getattr(options, "report", None):
            from .report.page import Report

            self._report = Report()
        others = (self._untracked, self._report)
        super().__init__([self._progress, *self._lists, *filter(None, others)])
        self.wants_changes = self.wants_changes or self._max_changes > 0

    def _count_shown_changes(self) -> int:
        """How many changed URLs of each kind the result shows: all, the first 20, or none."""
        if self.options.format == "json":
            return sys.maxsize
        if not self.is_dry:  # a build prints counts, because it has changed the files already
            return 0
        return sys.maxsize if self.options.verbose else FEW

    def _open_lists(self) -> Iterator[RunList]:
        """Opens the lists that `--excluded`, `--changes` and `--redirects` ask for."""
        options = self.options
        is_build = not self.is_check
        if options.excluded:
            yield ExcludedList(options.excluded)
        if options.changes:
            base_url = self.setup.site.base_url
            yield ChangesList(options.changes, base_url, is_build=is_build, is_dry=self.is_dry)
        if options.redirects:
            yield RedirectList(options.redirects, is_dry_run=is_build and self.is_dry)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Ends the progress, and prints the lists that go to stdout.

        After an error, no list is printed, because it may not be complete. An error of a guard is
        an exception: the lists show which pages are missing, so its help names them.
        """
        self._progress.close()
        self.seconds = time.monotonic() - self._started
        prints_lists = error is None or issubclass(error, GuardError)
        try:
            for rows in self._lists:
                if prints_lists:
                    rows.print()
        finally:
            for rows in self._lists:
                rows.rows.close()

    def excluded(self, excluded: Excluded) -> None:
        """Keeps the first three pages of each reason as examples, and passes the page on."""
        pages = self.examples.setdefault(excluded.reason, [])
        if len(pages) < EXAMPLES:
            pages.append(excluded)
        super().excluded(excluded)

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Keeps the first URLs of each kind of change, and passes the URL on."""
        urls = self.changes[change]
        if len(urls) < self._max_changes:
            urls.append(ChangedUrl(url, before, after))
        super().changed(change, url, before, after)

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Keeps the summary, and yields the paths and contents of the lists and the report.

        They are published together with the sitemaps.
        """
        if self.options.output == STDOUT:
            ledger = self.setup.site.ledger
            ledger_name = self.setup.run.display(ledger) if ledger else ""
            summary = _name_sitemap_stdout(summary, ledger_name)
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

    def take_result(self, checked: Checked) -> None:
        """Takes over the result of a check, which may have more notes than the build in it."""
        self.summary = checked.summary
        self.missing = checked.missing
        self.is_same = checked.is_same

    @property
    def is_changed(self) -> bool:
        """Whether any file changes."""
        return any(file.change is not Change.KEPT for file in self.summary.files)

    @property
    def notes(self) -> list[Message]:
        """The notes to print. A build prints those that ask for nothing with --verbose only.

        `--redirects` without a ledger adds a note, because moved pages cannot be found then.
        """
        hidden = set()
        if self.options.format == "text":  # its rows of files show what they replace
            hidden.add(Kind.REPLACED_SITEMAP)
        if not self.is_check and not self.options.verbose:
            hidden |= DETAILS
        notes = [note for note in self.summary.notes if note.kind not in hidden]
        if self.options.redirects and not self.setup.site.ledger:
            notes.append(Message(Kind.REDIRECTS_NEED_LEDGER))
        return notes

    def output_file(self, name: str) -> str:
        """The path of an output file from the working directory: `a.xml` → `public/a.xml`."""
        site = self.setup.site
        run = self.setup.run
        # The ledger may be outside of the output, so a summary names it in this way already.
        if site.ledger and name == run.display(site.ledger):
            return name
        return run.display(site.output.path(name)).replace(os.sep, "/")

    def print(self) -> None:
        """Prints the result, to stderr if the sitemap or the redirects go to stdout."""
        options = self.options
        if options.format not in TABLE["run"]:
            self.findings().print()
            return
        is_to_stderr = STDOUT in (options.output, options.redirects)
        stream = sys.stderr if is_to_stderr else sys.stdout
        show = renderer("run", options.format)
        emit(show(self, use_color(options.color, stream)), err=is_to_stderr)

    def findings(self) -> Findings:
        """Turns the result of a check into findings, for formats such as SARIF.

        These are required pages that are not listed, published URLs that are lost or have moved,
        and files that are out of date. All are at line 1 of the sitemap or the file.
        """
        # Imported here: a build needs no rules.
        from ..linter.rules.pages import LOST, MOVED, REQUIRED
        from .findings import Findings

        findings = Findings("check", replace(self.options, verbose=True))  # keeps all of them
        sitemap = self.output_file(self.setup.site.output.name)
        findings.gather(REQUIRED.at(sitemap, 1, message) for message in self.missing or ())
        rules = {Fate.LOST: LOST, Fate.MOVED: MOVED}
        for gone in self.summary.gone:
            if gone.fate in rules:
                findings.gather([rules[gone.fate].at(sitemap, 1, describe(gone))])
        findings.gather(self._find_out_of_date(sitemap))
        return findings

    def _find_out_of_date(self, sitemap: str) -> Iterator[Finding]:
        """Findings such as `sitemap.xml: would be updated by sitemapper build (2 added)`.

        If the check compared with a sitemap elsewhere, such as the live one, there is one finding:
        `differs from https://a.example/sitemap.xml (2 added)`.
        """
        # Imported here: a build needs no rules.
        from ..linter.rules.pages import OUT_OF_DATE

        summary = self.summary
        counts = amounts(summary.changes.items())
        if summary.compared_with:  # then only URLs and dates are compared
            if counts:
                message = f"differs from {summary.compared_with} ({counts})"
                yield OUT_OF_DATE.at(sitemap, 1, message)
            return
        for file in summary.files:
            if file.change is Change.KEPT:
                continue
            message = f"would be {file.change.value} by sitemapper build"
            if file.name != "robots.txt":
                message = f"{message} ({counts or 'no URL changes'})"
            yield OUT_OF_DATE.at(self.output_file(file.name), 1, message)

    def print_problems(self) -> bool:
        """Prints warnings, notes and what git does not track, to stderr.

        Returns True if the run fails because of them: if there is a warning and `strict` is set, or
        if git does not track a file. With --quiet, only what fails the run is printed.
        """
        options, summary = self.options, self.summary
        warnings_fail = self.setup.settings.strict and bool(summary.warnings)
        has_annotations = options.format == "github"  # warnings are among them
        if not has_annotations:
            if warnings_fail or not options.quiet:
                tell("warning", map(message_text, summary.warnings), options.color)
            if not options.quiet:
                tell("note", map(message_text, self.notes), options.color)
        if not self._untracked:
            return warnings_fail
        files = [self.output_file(file.name) for file in summary.files]
        problems = list(self._untracked.problems(files))
        tell("error", problems, options.color)
        return warnings_fail or bool(problems)


def _load_checked_setup(command: str, site: str | None, options: RunOptions) -> Setup:
    """Loads the settings and the site, and checks the flags that name files before the run begins.

    Raises SitemapperError if two flags would write to stdout, or if a list cannot be written.
    """
    is_build = command == "build"
    check_stdout(options, is_build=is_build)
    site_options = options
    if is_build and options.output == STDOUT:
        site_options = replace(options, output=None)  # `-` is not a folder
    setup = load_setup(site, site_options, is_build=is_build)
    check_targets(options, setup)
    return setup


def _count_published(setup: Setup) -> int | None:
    """The number of URLs in the earlier sitemap, which is the total of the progress bar.

    None if there is no earlier sitemap.
    """
    return open_previous(setup.site.output, setup.site.ledger).count_urls()


def _name_sitemap_stdout(summary: Summary, ledger: str) -> Summary:
    """The summary of a build with `--output -`: its sitemap is called "stdout".

    The ledger is written as a file, so it keeps its name. Raises SitemapperError if there is more
    than one sitemap, because stdout can take only one.
    """
    names = [file.name for file in summary.files if file.name != ledger]
    if len(names) > 1:
        raise SitemapperError(
            f"--output -: stdout can take only one file, and this build writes {len(names):,}: "
            f"{', '.join(names[:EXAMPLES])}",
            "name a folder, or change the settings that need several files",
        )
    files = [
        file if file.name == ledger else file._replace(name="stdout") for file in summary.files
    ]
    return summary._replace(files=tuple(files))
