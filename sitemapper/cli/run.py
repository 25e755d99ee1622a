"""A run of `build` or `check` on the command line: its settings, its lists, and its result."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Self

from ..errors import GuardError
from ..long_list import LongList
from ..messages import Kind, Message
from ..model import BatchDetails, Change, Excluded, Reason, Summary, UrlChange
from ..observer import Observer
from ..publish.published import open_previous
from ..tally import EXAMPLES
from .console import emit, now, tell, use_color
from .lists import check_stdout, check_targets, open_lists
from .options import RunOptions
from .progress import Bar
from .render import renderer
from .request import load_setup
from .text import FEW
from .words import DETAILS, message_text

if TYPE_CHECKING:
    from ..commands.check import Checked
    from ..find.load import Setup
    from .report.page import Report
    from .tracked import UntrackedPages


class ChangedUrl(NamedTuple):
    """A URL that a run adds, changes or removes, with its date before and after the run.

    A date is "" if the URL has none: an added URL has no `before`, and a removed one no `after`.
    """

    url: str
    before: str
    after: str


class ObservedRun(Observer):
    """Follows one run of `build` or `check`, and prints its lists and its result afterwards.

    The run calls a method such as `excluded` for each event. The progress bar shows some of them,
    and the lists and the report get the others. When the run is over, the command calls `print` for
    the result, and `print_problems` for the warnings and notes.
    """

    summary: Summary  # set by `files`, when the files are complete, and again after a check
    is_same: bool  # set after a check: whether all required pages and published files are as wanted

    def __init__(self, command: str, site: str | None, options: RunOptions) -> None:
        """Loads the settings, and makes the progress bar, and the lists and report of the flags.

        `command` is "build" or "check". `site` is the folder on the command line, None if the
        site is to be found in the project. Raises SitemapperError for wrong flags or settings.
        """
        # The command and its settings.
        self._start_time = time.monotonic()
        self.command = command
        self.options = options
        self.is_check = command == "check"
        is_dry_build = getattr(options, "dry_run", False)  # a check has no flag --dry-run
        self.is_dry = self.is_check or is_dry_build  # a check never writes the sitemaps
        self.setup = _load_setup(site, options, is_build=not self.is_check)

        # The result. During the run, it gets some changed URLs of each kind, and the first three
        # excluded pages of each reason.
        self.changes = {kind: LongList[ChangedUrl]() for kind in UrlChange}
        self._max_changes = _max_shown_changes(options, is_dry=self.is_dry)
        self.examples: dict[Reason, list[Excluded]] = {}
        self.seconds = 0.0  # how long the run took, set when it is over
        self.missing: tuple[str, ...] = ()  # after a check: sentences about unlisted required pages

        # These get each event of the run, such as an excluded page: the progress bar, and the
        # observers that flags such as `--excluded` and `--report` ask for.
        self._bar = _make_bar(options, self.setup)
        self._lists = open_lists(
            options,
            self.setup.site.base_url,
            is_check=self.is_check,
            is_dry_build=is_dry_build,
        )
        self._untracked = _open_untracked(options, self.setup)
        self._report = _open_report(options)
        possible_observers = (*self._lists, self._untracked, self._report)
        self._observers = [observer for observer in possible_observers if observer is not None]

        # What the run has to collect: for these observers, or for the result.
        self.wants_details = any(observer.wants_details for observer in self._observers)
        wants_changes = any(observer.wants_changes for observer in self._observers)
        self.wants_changes = wants_changes or self._max_changes > 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Removes the progress bar, stops the clock, and prints the lists that go to stdout.

        After most errors, no list is printed, because it may not be complete. A GuardError comes
        after all pages, for example because too many published URLs are gone. The lists are then
        complete, and show these URLs.
        """
        self._bar.close()
        self.seconds = time.monotonic() - self._start_time
        prints_lists = error is None or issubclass(error, GuardError)
        try:
            for rows in self._lists:
                if prints_lists:
                    rows.print()
        finally:
            for rows in self._lists:
                rows.rows.close()

    def phase(self, name: str) -> None:
        """Shows the phase on the progress bar."""
        self._bar.phase(name)

    def walked(self, pages: int) -> None:
        """Shows the number of pages on the progress bar."""
        self._bar.walked(pages)

    def excluded(self, excluded: Excluded) -> None:
        """Keeps the first three pages of each reason as examples, and passes each page on.

        `--verbose` prints these examples.
        """
        pages = self.examples.setdefault(excluded.reason, [])
        if len(pages) < EXAMPLES:
            pages.append(excluded)
        for observer in self._observers:
            observer.excluded(excluded)

    def details(self, details: BatchDetails) -> None:
        """Passes on the details of a batch of pages, which the report shows."""
        for observer in self._observers:
            observer.details(details)

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Keeps the first URLs of each kind of change for the result, and passes each URL on."""
        urls = self.changes[change]
        if len(urls) < self._max_changes:
            urls.append(ChangedUrl(url, before, after))
        for observer in self._observers:
            observer.changed(change, url, before, after)

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Keeps the summary of the run, and yields the files to publish with the sitemaps.

        These are the lists, such as that of `--changes`, and the report: `(path, content)`. The run
        calls this when its summary is complete.
        """
        self.summary = summary
        for observer in self._observers:
            yield from observer.files(summary)
        if self._report:
            page = self._report.page(
                summary, self.setup.site.base_url, now(), is_done=not self.is_dry
            )
            path = getattr(self.options, "report", "")  # a check has no such option
            yield path, [page.encode()]

    def keep_result_of_check(self, checked: Checked) -> None:
        """Keeps what a check has found, to be printed at the end."""
        self.summary = checked.summary  # that of the run, with the notes that the check adds
        self.missing = checked.missing
        self.is_same = checked.is_same

    @property
    def is_changed(self) -> bool:
        """Whether the run creates, updates or removes any file. A dry run counts as a real one."""
        return any(file.change is not Change.KEPT for file in self.summary.files)

    @property
    def notes(self) -> list[Message]:
        """Selects the notes to print: those of the summary, without some kinds."""
        hidden_kinds = set()
        if self.options.format == "text":
            # The table of files has it: `replaced sitemap.xml  65 URLs (Hugo's: 66)`.
            hidden_kinds.add(Kind.REPLACED_SITEMAP)
        if not self.is_check and not self.options.verbose:
            hidden_kinds |= DETAILS  # notes after which the user has nothing to do
        return [note for note in self.summary.notes if note.kind not in hidden_kinds]

    def output_file(self, name: str) -> str:
        """Turns the name of a file in the summary into its path from the working directory.

        sitemap-2.xml              → `public/sitemap-2.xml`
        the ledger, cache/a.ledger → `cache/a.ledger`, as it is

        The name of a sitemap is relative to the output folder. The ledger may be outside of that
        folder, so the summary has its path from the working directory already.
        """
        site = self.setup.site
        run = self.setup.run
        if site.ledger and name == run.display(site.ledger):
            return name
        return run.display(site.output.path(name)).replace(os.sep, "/")

    def print(self) -> None:
        """Prints the result in the format of `--format`."""
        show = renderer("run", self.options.format)
        emit(show(self, use_color(sys.stdout)))

    def print_problems(self) -> bool:
        """Prints the warnings, the notes, and the files that git does not track, to stderr.

        Returns True if the command must exit with 1: if there is a warning and `strict` is set, or
        if `--tracked` finds a file that git does not track. With `--quiet`, only what leads to
        that exit is printed.
        """
        options, summary = self.options, self.summary
        warnings_fail = self.setup.settings.strict and bool(summary.warnings)
        # Annotations of GitHub contain the warnings already.
        has_annotations = options.format == "github"
        if not has_annotations:
            if warnings_fail or not options.quiet:
                tell("warning", map(message_text, summary.warnings))
            if not options.quiet:
                tell("note", map(message_text, self.notes))
        if not self._untracked:
            return warnings_fail
        files = [self.output_file(file.name) for file in summary.files]
        problems = list(self._untracked.problems(files))
        tell("error", problems)
        return warnings_fail or bool(problems)


def _load_setup(site: str | None, options: RunOptions, *, is_build: bool) -> Setup:
    """Loads the settings of a run, for the folder `site` on the command line, None without one.

    Raises SitemapperError for flags that cannot be used together. They are reported here, before
    the run begins, so that the mistake costs no time.
    """
    check_stdout(options)
    setup = load_setup(site, options, is_build=is_build)
    check_targets(options, setup)
    return setup


def _make_bar(options: RunOptions, setup: Setup) -> Bar:
    """Makes the progress bar. It is full at the number of URLs in the earlier sitemap, if any."""
    # It is drawn on a terminal only, because a log of CI would keep each state of it.
    is_quiet = options.quiet or not sys.stderr.isatty()
    output, ledger = setup.site.output, setup.site.ledger
    return Bar(lambda: open_previous(output, ledger).count_urls(), quiet=is_quiet)


def _open_untracked(options: RunOptions, setup: Setup) -> UntrackedPages | None:
    """Makes the observer of `--tracked`, which asks git for the untracked pages. None without it.

    Raises SitemapperError if git cannot be asked.
    """
    if not options.tracked:
        return None
    from .tracked import UntrackedPages  # imported here because few runs need it

    return UntrackedPages(setup)


def _open_report(options: RunOptions) -> Report | None:
    """Makes the observer of `--report`, which collects what the report shows. None without it."""
    if not getattr(options, "report", None):  # only a build has this flag
        return None
    from .report.page import Report  # imported here because few runs need it

    return Report()


def _max_shown_changes(options: RunOptions, *, is_dry: bool) -> int:
    """Says how many changed URLs of each kind the result shows.

    A build shows none, only their number. A check or a dry run shows the first 20, with `--verbose`
    all. JSON always has all.
    """
    if options.format == "json" or (is_dry and options.verbose):
        return sys.maxsize
    return FEW if is_dry else 0
