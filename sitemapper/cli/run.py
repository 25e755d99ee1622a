"""What `build` and `check` share: what they report while they work, their result, and how they fail."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import IO, NamedTuple

from ..config.settings import Settings
from ..errors import SitemapperError, with_help
from ..model import BatchDetails, Excluded, Reason
from ..output import published
from ..output.changes import merge_lists
from ..pipeline.observer import Observer
from ..pipeline.stats import EXAMPLES
from ..site.lookalikes import count_lookalikes
from ..site.walk import folder, is_candidate
from ..summary import NO_BASELINE, Change, Summary, UrlChange
from .options import STDOUT, RunOptions
from .progress import Bar
from .render import TABLE, View, renderer
from .report.page import Report
from .request import input_lines, is_stream, output_list, print_sitemap
from .streams import echo_err, emit, tell, use_color
from .words import FEW, place, shown, warning_text


class RunResult(NamedTuple):
    """A build, a dry one, or a check: a dry one that also knows the required pages that are not listed.

    `changes` are the first changed URLs of each kind with the dates before and after, `examples` the first
    pages that each reason excludes, `missing` is None but for a check. `lookalikes` counts files by names
    that look like those of pages, but are not, and the reverse.
    """

    summary: Summary
    settings: Settings
    changes: Mapping[UrlChange, Sequence[tuple[str, str, str]]]
    examples: Mapping[Reason, Sequence[Excluded]]
    seconds: float
    is_dry: bool
    changes_file: str | None
    missing: tuple[str, ...] | None = None
    lookalikes: tuple[Counter[str], Counter[str]] | None = None

    @property
    def is_same(self) -> bool:
        """Whether no file changes, and no required page is missing."""
        return not self.missing and all(file.change is Change.KEPT for file in self.summary.files)


@dataclass(eq=False)
class RunObserver(Observer):
    """Writes the lists of excluded pages and of changes, moves the bar, and passes everything on to a report.

    Keeps the first changes of each kind, the first pages that each reason excludes, and the listed ones of
    the pages that git does not track.
    """

    excluded_rows: IO[str] | None
    change_rows: IO[str] | None
    keep: int
    bar: Bar
    report: Report | None = None
    written: Callable[[Summary], Iterable[tuple[str, Iterable[bytes]]]] = lambda _: ()
    to_stdout: bool = False
    untracked: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._next = self.report or Observer()
        self.examples: dict[Reason, list[Excluded]] = {}
        self.kept: dict[UrlChange, list[tuple[str, str, str]]] = {change: [] for change in UrlChange}
        self._phase = ""
        self._pages = self._left_out = 0

    @property
    def wants_changes(self) -> bool:
        """Only where there is a list of them, or some are kept."""
        return self.keep > 0 or self.change_rows is not None

    @property
    def wants_details(self) -> bool:
        """Only for a report."""
        return self._next.wants_details

    def details(self, details: BatchDetails) -> None:
        """Passes it on."""
        self._next.details(details)

    def excluded(self, excluded: Excluded) -> None:
        """Writes the verdict into the list."""
        self._left_out += 1
        self.untracked.discard(excluded.path)
        examples = self.examples.setdefault(excluded.reason, [])
        examples += [excluded] if len(examples) < EXAMPLES else []
        if self.excluded_rows:
            columns = (excluded.path, excluded.reason.value, str(excluded.origin))
            self.excluded_rows.write("\t".join(map(shown, columns)) + "\n")
        self._next.excluded(excluded)

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Writes the change into its list."""
        if self.change_rows:
            self.change_rows.write(f"{change.value}\t{shown(url)}\n")
        if len(self.kept[change]) < self.keep:
            self.kept[change].append((url, before, after))
        self._next.changed(change, url, before, after)

    def files(self, summary: Summary) -> Iterable[tuple[str, Iterable[bytes]]]:
        """The lists and the report; marks a list of changes that names the whole site, as it is no news."""
        if self.change_rows and summary.previous is None:
            self.change_rows.write(f"{NO_BASELINE}: there was no earlier sitemap\n")
        count = sum(file.urls is not None for file in summary.files)
        if self.to_stdout and count > 1:
            what = f"stdout can take only one file, and the site needs {count:,} sitemaps and an index"
            raise SitemapperError(f"--output -: {what}", "name a folder")
        return self.written(summary)

    def ready(self, sitemap: Callable[[], Iterable[bytes]]) -> None:
        """Prints the sitemap of `--output -` before anything is replaced."""
        if self.to_stdout:
            print_sitemap(sitemap())

    def restart(self) -> None:
        """Starts again from nothing."""
        self._pages = self._left_out = 0
        self.examples.clear()
        if self.excluded_rows:
            self.excluded_rows.seek(0)
            self.excluded_rows.truncate()
        self._next.restart()

    def walked(self, pages: int) -> None:
        """Counts the pages."""
        self._pages += pages
        self.phase(self._phase)

    def phase(self, name: str) -> None:
        """Shows what the run is doing."""
        self._phase = name
        self.bar.show(name, self._pages, self._pages - self._left_out)


@contextmanager
def observe(
    options: RunOptions,
    settings: Settings,
    *,
    is_dry: bool,
    report: Report | None = None,
    report_file: Callable[[Summary], Iterable[tuple[str, Iterable[bytes]]]] = lambda _: (),
) -> Iterator[RunObserver]:
    """The observer of a run, which writes the lists of `--excluded` and `--changes`."""
    few = (sys.maxsize if options.verbose else FEW) if is_dry else 0
    keep = {"github": EXAMPLES, "json": sys.maxsize}.get(options.format, few)

    is_dry_run = getattr(options, "dry_run", False)  # what is not published is no news, but for `check`

    def files(summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        if options.excluded and excluded and not is_stream(options.excluded):
            excluded.seek(0)
            yield options.excluded, map(str.encode, excluded)
        if options.changes and changes and not is_stream(options.changes) and not is_dry_run:
            changes.seek(0)
            waiting = input_lines(options.changes) if os.path.exists(options.changes) else []
            rows = changes if is_dry else merge_lists(waiting, changes, settings.base_url)
            yield options.changes, map(str.encode, rows)
        yield from report_file(summary)

    with (
        output_list("--excluded", options.excluded) as excluded,
        output_list("--changes", options.changes) as changes,
        # The number of URLs published before is the total of the progress.
        Bar(partial(published.count, settings), quiet=options.quiet or not sys.stderr.isatty()) as bar,
    ):
        to_stdout = getattr(options, "output", None) == STDOUT
        untracked = _untracked_pages(settings) if options.tracked else set()
        yield RunObserver(excluded, changes, keep, bar, report, files, to_stdout, untracked)


def _untracked_pages(settings: Settings) -> set[str]:
    """The pages of the site that git does not track, if it tracks others."""
    # Imported here: without git, a run starts no program.
    from ..lastmod.repository import GitError, untracked_pages

    root = folder(settings.site, settings.ignore_lines, settings.include)
    try:
        return untracked_pages(settings.site, settings.project, partial(is_candidate, root))
    except GitError as error:
        raise SitemapperError(f"--tracked: {error}") from None


def print_run(result: RunResult, options: RunOptions, command: str, *, to_stderr: bool = False) -> None:
    """Prints a result."""
    color = use_color(options.color, sys.stderr if to_stderr else sys.stdout)
    view = View(command, color, options.verbose, options.quiet)
    settings = result.settings
    if options.verbose:
        site = folder(settings.site, settings.ignore_lines, settings.include)
        result = result._replace(lookalikes=count_lookalikes(site))
    if options.format in TABLE["run"]:
        lines = renderer("run", options.format)(result, view)
    else:
        # Imported here: a build needs no rules.
        from .findings import findings_of

        lines = renderer("findings", options.format)(
            findings_of(result.summary, settings, result.missing), view
        )
    (echo_err if to_stderr else emit)(lines)


def print_failures(result: RunResult, options: RunOptions, untracked: Iterable[str]) -> bool:
    """Prints the warnings and what git does not track, and returns whether they fail the run."""
    summary = result.summary
    is_failure = result.settings.strict and bool(summary.warnings)
    if (is_failure or not options.quiet) and options.format != "github":  # which has them as annotations
        tell("warning", (warning_text(*warning) for warning in summary.warnings), options.color)
        tell("note", () if options.quiet else summary.notes, options.color)
    return (options.tracked and _print_untracked(result, options.color, sorted(untracked))) or is_failure


def _print_untracked(result: RunResult, color: str, pages: Sequence[str]) -> bool:
    """Prints which files of the sitemap and which listed pages git does not track; whether there are any."""
    # Imported here, as above.
    from ..lastmod.repository import GitError, untracked

    settings = result.settings
    files = [place(file.name, settings) for file in result.summary.files]
    try:
        missing, lost = untracked([file for file in files if os.path.exists(file)], settings.project)
    except GitError as error:
        raise SitemapperError(f"--tracked: {error}") from None
    if lost:
        what = f"{settings.display_path(lost[0])}: git ignores it, so there is nothing to commit"
        advice = "run sitemapper check in CI, after the build of the site, instead of this hook"
        tell("error", [with_help(what, advice)], color)
        return True
    problems = [(f"{file}: is not tracked by git", f"git add {file}") for file in missing]
    site = settings.display_path(settings.site)
    files = [f"{site}/{page}" for page in pages[:FEW]]
    problems += [(f"{file}: is listed, but not tracked by git", f"git add {file}") for file in files]
    if more := len(pages) - len(files):
        problems.append((f"{more:,} more listed pages are not tracked by git", f"git add {site}"))
    tell("error", (with_help(*problem) for problem in problems), color)
    return bool(problems)
