"""The parts that `build` and `check` share: their settings, their progress, their result."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Self

from ..config.settings import Settings
from ..errors import GuardError, SitemapperError, with_help
from ..extract.kind import REPORT_MARK
from ..fs import regular, relative
from ..lastmod.repository import GitError, untracked, untracked_pages
from ..model import NO_BASELINE, BatchDetails, Change, Excluded, Reason, Summary, UrlChange
from ..output import published
from ..output.changes import merge_lists
from ..pipeline.observer import Observer
from ..pipeline.stats import EXAMPLES
from ..site.walk import folder, is_candidate
from .options import STDOUT, RunOptions
from .parameters import flags_of
from .progress import Bar
from .render import TABLE, renderer
from .request import input_lines, load_settings
from .words import FEW, amounts, emit, now, shown, tell, use_color, warning_text

if TYPE_CHECKING:
    from .findings import Findings
    from .report.page import Report


class Run(Observer):
    """A build or a check, and its result.

    Writes the lists of excluded pages and of changes, shows the progress, and passes everything on
    to a report. `changes` are the first changed URLs of each kind with both dates. `examples` are
    the first pages that each reason excludes. `missing` and `is_same` are results of a check, None
    for a build.
    """

    summary: Summary
    seconds: float
    missing: tuple[str, ...] | None = None
    is_same: bool | None = None

    def __init__(self, command: str, site: str | None, options: RunOptions) -> None:
        self._started = time.monotonic()
        self.command, self.options = command, options
        self.settings = _settings(command, site, options)
        self.is_dry = command == "check" or getattr(options, "dry_run", False)
        self.changes: dict[UrlChange, list[tuple[str, str, str]]] = {
            change: [] for change in UrlChange
        }
        self.examples: dict[Reason, list[Excluded]] = {}
        self._keep = FEW if self.is_dry else 0
        if options.format == "github":
            self._keep = EXAMPLES
        elif options.format == "json" or (self.is_dry and options.verbose):
            self._keep = sys.maxsize
        self._lists: dict[str, IO[str]] = {
            name: SpooledTemporaryFile(1 << 20, "w+", encoding="utf-8")  # noqa: SIM115 - lives as long as the run
            for name in ("excluded", "changes")
            if getattr(options, name)
        }
        self._report: Report | None = None
        if getattr(options, "report", None):
            # Imported here: few runs make one.
            from .report.page import Report

            self._report = Report()
        self._next = self._report or Observer()
        self.wants_changes = self._keep > 0 or "changes" in self._lists
        self.wants_details = self._next.wants_details
        self._untracked: set[str] = set()
        # The number of URLs published before is the total of the progress.
        total = partial(published.count, self.settings)
        self._bar = Bar(total, quiet=options.quiet or not sys.stderr.isatty())
        self._phase = ""
        self._pages = self._left_out = 0

    def __enter__(self) -> Self:
        if self.options.tracked:
            settings = self.settings
            is_page = partial(
                is_candidate, folder(settings.site, settings.ignore_lines, settings.include)
            )
            try:
                self._untracked = untracked_pages(settings.site, settings.project, is_page)
            except GitError as error:
                raise SitemapperError(f"--tracked: {error}") from None
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Prints the lists that go to stdout. The run has already written the others."""
        self._bar.close()
        self.seconds = time.monotonic() - self._started
        is_wanted = kind is None or issubclass(kind, GuardError)  # its help names these lists
        for name, rows in self._lists.items():
            target = getattr(self.options, name)
            with rows:
                if is_wanted and is_stream(target):
                    rows.seek(0)
                    if target == STDOUT:
                        shutil.copyfileobj(rows, sys.stdout)
                    else:
                        with open(target, "w", encoding="utf-8") as file:
                            shutil.copyfileobj(rows, file)

    def details(self, details: BatchDetails) -> None:
        """Passes the details on to the report."""
        self._next.details(details)

    def excluded(self, excluded: Excluded) -> None:
        """Adds the verdict to the list."""
        self._left_out += 1
        self._untracked.discard(excluded.path)
        examples = self.examples.setdefault(excluded.reason, [])
        examples += [excluded] if len(examples) < EXAMPLES else []
        if rows := self._lists.get("excluded"):
            columns = (excluded.path, excluded.reason.value, str(excluded.origin))
            rows.write("\t".join(map(shown, columns)) + "\n")
        self._next.excluded(excluded)

    def changed(self, change: UrlChange, url: str, before: str, after: str) -> None:
        """Adds the change to its list."""
        if rows := self._lists.get("changes"):
            rows.write(f"{change.value}\t{shown(url)}\n")
        if len(self.changes[change]) < self._keep:
            self.changes[change].append((url, before, after))
        self._next.changed(change, url, before, after)

    def files(self, summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        """The lists and the report. Marks a list of changes that contains the whole site."""
        if self.options.output == STDOUT:
            if (count := sum(file.urls is not None for file in summary.files)) > 1:
                what = (
                    f"stdout can take only one file, and the site needs {count:,} sitemaps and "
                    "an index"
                )
                raise SitemapperError(f"--output -: {what}", "name a folder")
            named = (f if f.urls is None else f._replace(name="stdout") for f in summary.files)
            summary = summary._replace(files=tuple(named))
        self.summary = summary
        if summary.previous is None and (rows := self._lists.get("changes")):
            rows.write(f"{NO_BASELINE}: there was no earlier sitemap\n")
        for name, rows in self._lists.items():
            target: str = getattr(self.options, name)
            if is_stream(target) or (name == "changes" and self.command == "build" and self.is_dry):
                continue  # changes that are not published are not listed
            rows.seek(0)
            lines: Iterable[str] = rows
            if name == "changes" and not self.is_dry:
                waiting = input_lines(target) if os.path.exists(target) else []
                lines = merge_lists(waiting, rows, self.settings.base_url)
            yield target, map(str.encode, lines)
        if self._report:
            page = self._report.page(
                summary, self.settings.base_url, now(), is_done=not self.is_dry
            )
            yield getattr(self.options, "report", ""), [page.encode()]

    def ready(self, sitemap: Callable[[], Iterable[bytes]]) -> None:
        """Prints the sitemap of `--output -` before anything is replaced."""
        if self.options.output != STDOUT:
            return
        try:
            for block in sitemap():
                sys.stdout.write(block.decode("ascii"))
            sys.stdout.flush()
        except OSError as error:
            problem = f"--output -: stdout: {error.strerror}, so nothing else was written"
            raise SitemapperError(problem) from None

    def restart(self) -> None:
        """Starts again from nothing."""
        self._pages = self._left_out = 0
        self.examples.clear()
        if rows := self._lists.get("excluded"):
            rows.seek(0)
            rows.truncate()
        self._next.restart()

    def walked(self, pages: int) -> None:
        """Counts pages."""
        self._pages += pages
        self.phase(self._phase)

    def phase(self, name: str) -> None:
        """Shows the current phase."""
        self._phase = name
        self._bar.show(name, self._pages, self._pages - self._left_out)

    def print(self) -> None:
        """Prints the result, to stderr if the sitemap goes to stdout."""
        options, to_stderr = self.options, self.options.output == STDOUT
        if options.format not in TABLE["run"]:
            self.findings().print()
            return
        color = use_color(options.color, sys.stderr if to_stderr else sys.stdout)
        emit(renderer("run", options.format)(self, color), err=to_stderr)

    def findings(self) -> Findings:
        """The findings of `check`:

        required pages that are not listed, and files that are out of date.
        """
        # Imported here: a build needs no rules.
        from ..linter.rules.pages import OUT_OF_DATE, REQUIRED
        from .findings import Findings

        summary, findings = self.summary, Findings("check", replace(self.options, verbose=True))
        main = self._place(self.settings.sitemap.name)
        findings.gather(REQUIRED.at(main, 1, message) for message in self.missing or ())
        counts = amounts(summary.changes.items()) or "no URL changes"
        for file in summary.files:
            if file.change is not Change.KEPT:
                about = f" ({counts})" if file.name != "robots.txt" else ""
                message = f"would be {file.change.value} by sitemapper build{about}"
                findings.gather([OUT_OF_DATE.at(self._place(file.name), 1, message)])
        return findings

    def _place(self, name: str) -> str:
        """A file of the output, as seen from the working directory.

        The ledger already has such a name.
        """
        settings = self.settings
        if settings.ledger_file and name == settings.display_path(settings.ledger_file):
            return name
        return settings.display_path(os.path.join(settings.output_dir, name)).replace(os.sep, "/")

    def print_failures(self) -> bool:
        """Prints the warnings and what git does not track, and returns whether they fail the run."""
        summary, options = self.summary, self.options
        is_failure = self.settings.strict and bool(summary.warnings)
        if (
            is_failure or not options.quiet
        ) and options.format != "github":  # which has annotations
            tell("warning", (warning_text(*warning) for warning in summary.warnings), options.color)
            tell("note", () if options.quiet else summary.notes, options.color)
        problems = list(self._untracked_problems()) if options.tracked else []
        tell("error", (with_help(*problem) for problem in problems), options.color)
        return is_failure or bool(problems)

    def _untracked_problems(self) -> Iterator[tuple[str, str]]:
        """The sitemap files and listed pages that git does not track, and what to do."""
        settings, pages = self.settings, sorted(self._untracked)
        files = [self._place(file.name) for file in self.summary.files]
        try:
            missing, lost = untracked(
                [file for file in files if os.path.exists(file)], settings.project
            )
        except GitError as error:
            raise SitemapperError(f"--tracked: {error}") from None
        if lost:
            what = (
                f"{settings.display_path(lost[0])}: git ignores it, so there is nothing to commit"
            )
            yield (
                what,
                "run sitemapper check in CI, after the build of the site, instead of this hook",
            )
            return
        yield from ((f"{file}: is not tracked by git", f"git add {file}") for file in missing)
        site = settings.display_path(settings.site)
        for page in pages[:FEW]:
            yield f"{site}/{page}: is listed, but not tracked by git", f"git add {site}/{page}"
        if (more := len(pages) - FEW) > 0:
            yield f"{more:,} more listed pages are not tracked by git", f"git add {site}"


def _settings(command: str, site: str | None, options: RunOptions) -> Settings:
    """The settings of a build or check, with the values that only flags have."""
    printed = [
        f"--{name} -" for name in ("excluded", "changes") if getattr(options, name) == STDOUT
    ]
    printed += [f"--format {options.format}"] if options.format not in ("text", "github") else []
    own = options
    if command == "build" and options.output == STDOUT:
        for name in ("dry_run", "exit_code", "tracked"):
            if getattr(options, name):
                flag = flags_of(type(options))[name].name
                raise SitemapperError(
                    f"--output - and {flag} exclude each other", f"leave out {flag}"
                )
        printed += ["--output -", *(["--format github"] if options.format == "github" else [])]
        own = replace(options, output=None)
    if len(printed) > 1:
        problem = f"{' and '.join(printed)} would both write to stdout"
        raise SitemapperError(problem, "name a file for one of them")
    if options.scheduler and not re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+:\d+", options.scheduler):
        problem = f"--scheduler: must be scheme, host and port, not {options.scheduler}"
        raise SitemapperError(problem, "for example tcp://10.0.0.1:8786")
    settings = load_settings(site, own)
    _check_targets(options, settings)
    return settings


def _check_targets(options: RunOptions, settings: Settings) -> None:
    """Raises SitemapperError if a flag names a file that cannot be written or has another use."""
    names = [name for name in ("excluded", "changes", "report") if getattr(options, name, None)]
    if not names:
        return
    output, site = (
        settings.output_dir,
        folder(settings.site, settings.ignore_lines, settings.include),
    )
    uses = {os.path.join(output, settings.sitemap.name): "the sitemap"}
    uses |= {
        os.path.join(output, "robots.txt"): "robots.txt",
        settings.ledger_file or output: "the ledger",
    }
    uses |= dict.fromkeys((path for path, _ in settings.read_from), "part of the configuration")
    taken = {os.path.realpath(path): use for path, use in uses.items()}
    for name in names:
        target, flag = getattr(options, name), f"--{name}"
        if target != STDOUT and not os.path.isdir(os.path.dirname(os.path.abspath(target))):
            raise SitemapperError(
                f"{flag}: {target}: no such folder", "name a file that can be written"
            )
        if os.path.isdir(target):
            raise SitemapperError(f"{flag}: {target}: is a folder", "name a file")
        if is_stream(target):
            if name == "report":  # which replaces the file that it names
                problem = f"--report: {target}: is not a regular file"
                problem = (
                    "--report -: the report cannot go to stdout" if target == STDOUT else problem
                )
                raise SitemapperError(problem, "name a file such as report.html")
            continue
        path = os.path.realpath(target)
        page = relative(path, os.path.realpath(settings.site)).replace(os.sep, "/")
        is_report = name == "report"
        if path not in taken and (is_report or is_candidate(site, page)):
            start = regular(path, 4096) or b""
            if is_report and start and REPORT_MARK.encode() not in start[:512]:
                problem = f"--report: {target}: is not a report, so it is not replaced"
                raise SitemapperError(problem, "name another file")
            is_list = b"\t" in start.partition(b"\n")[0] or start.startswith(NO_BASELINE.encode())
            if not is_report and start and not is_list:
                taken[path] = "a page of the site"
        if path in taken:
            raise SitemapperError(f"{flag}: {target} is {taken[path]}", "name another file")
        taken[path] = f"the file of {flag}"


def is_stream(target: str) -> bool:
    """Whether a flag names stdout, a device or a pipe instead of a regular file."""
    return target == STDOUT or (os.path.exists(target) and not os.path.isfile(target))
