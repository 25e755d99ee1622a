"""`sitemapper build`."""

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Optional

import typer

from ..config.settings import Settings
from ..errors import SitemapperError
from ..summary import Change, Summary
from .options import FILES, MAIN, OUTPUT, RUN, STDOUT, RunOptions, flag
from .parameters import SITE, command, flag_name
from .streams import now, tell

if TYPE_CHECKING:
    from .report.page import Report


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BuildOptions(RunOptions):
    """The options of `build`."""

    output: str | None = flag(None, MAIN, "`-` prints the sitemap.", "DIR", key="output", short="-o")
    report: str | None = flag(
        None, OUTPUT, "Write a page that shows what is listed, what is not, and why.", "FILE.html"
    )
    replace: bool = flag(False, FILES, "Take over a sitemap that another tool wrote.")
    dry_run: bool = flag(False, MAIN, "Print what would change, without writing anything.")
    exit_code: bool = flag(False, RUN, "Exit with 1 if anything was written, as git diff --exit-code does.")
    format: Literal["text", "json", "github"] = flag(
        "text", MAIN, "Format of the summary; github writes workflow annotations."
    )


@command("build", "build public --base-url https://example.com", "build --dry-run --excluded -")
def build(site: str | None = SITE, *, options: BuildOptions) -> None:
    """Build the sitemaps of a folder of HTML.

    Write them with their Sitemap: line in robots.txt. Only files that change are written.
    """
    # Imported here: help needs none of it.
    from ..commands.build import build as run
    from .request import cache_folder, preview, run_settings
    from .run import RunResult, observe, print_failures, print_run

    started, dry_run, to_stdout = time.monotonic(), options.dry_run, options.output == STDOUT
    if host := preview(site, options):
        what = f"the canonicals name the preview {host}, so nothing is published"
        return tell("note", () if options.quiet else [what], options.color)
    settings = run_settings(
        site,
        replace(options, output=None) if to_stdout else options,
        printed=_printed(options) if to_stdout else (),
        replaces=options.replace,
    )
    report = _new_report(options.report)

    def report_file(summary: Summary) -> Iterator[tuple[str, Iterable[bytes]]]:
        if options.report and report:
            page = report.page(_named(summary, options), settings.base_url, now(), is_done=not dry_run)
            yield options.report, [page.encode()]

    output = _stdout_output(settings) if to_stdout else nullcontext(settings)
    with (
        observe(options, settings, is_dry=dry_run, report=report, report_file=report_file) as observer,
        output as settings,
    ):
        summary = run(settings, now=now(), dry_run=dry_run, observer=observer, cache=cache_folder(options))
    result = RunResult(
        _named(summary, options), settings, observer.kept, observer.examples,
        time.monotonic() - started, dry_run, options.changes,
    )  # fmt: skip
    if options.report and not options.quiet:
        tell("note", [f"wrote {options.report}"], options.color)
    if not options.quiet or options.format != "text":
        print_run(result, options, "build", to_stderr=to_stdout)
    is_changed = options.exit_code and any(file.change is not Change.KEPT for file in summary.files)
    if print_failures(result, options, observer.untracked) or is_changed:
        raise typer.Exit(1)
    return None


def _named(summary: Summary, options: BuildOptions) -> Summary:
    """The summary of a build; with `--output -`, its sitemap is named stdout."""
    if options.output != STDOUT:
        return summary
    files = (f if f.urls is None else f._replace(name="stdout") for f in summary.files)
    return summary._replace(files=tuple(files))


def _new_report(target: str | None) -> Optional["Report"]:
    """The observer that gathers a report, if there is to be one."""
    if not target:
        return None
    # Imported here, as above.
    from .report.page import Report, is_report
    from .request import check_target

    if target == STDOUT:
        raise SitemapperError("--report -: the report cannot go to stdout", "name a file such as report.html")
    check_target("--report", target)
    if os.path.isfile(target) and not is_report(target):
        problem = f"--report: {target}: is not a report, so it is not replaced"
        raise SitemapperError(problem, "name another file")
    return Report()


def _printed(options: BuildOptions) -> list[str]:
    """The flags of a build that prints the sitemap. Raises SitemapperError for those that do not fit."""
    for name in ("dry_run", "exit_code", "tracked"):
        if getattr(options, name):
            flag = flag_name(name)
            raise SitemapperError(f"--output - and {flag} exclude each other", f"leave out {flag}")
    return ["--output -", *(["--format github"] if options.format == "github" else [])]


@contextmanager
def _stdout_output(settings: Settings) -> Iterator[Settings]:
    """The settings of a build whose only sitemap goes to stdout. robots.txt stays as it is."""
    # Imported here, as above.
    from ..output.shards import layout

    if len(layout((), settings)) > 1 or settings.sitemaps or settings.sitemap.others or settings.ledger.live:
        help = "name a folder, or do without text, gzip, index, others, [[sitemaps]] and live"
        raise SitemapperError(
            "--output -: stdout can take only one file, and these settings write several", help
        )
    robots = settings.robots.model_copy(update={"write": False})
    with tempfile.TemporaryDirectory(prefix="sitemapper-") as folder:
        yield settings.model_copy(update={"output": folder, "robots": robots})
