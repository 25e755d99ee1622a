"""A run of `build`, `check` or `explain`: its settings, its lists, and its result."""

import os
import time
from contextlib import closing
from datetime import UTC, datetime

from ..commands.build import build
from ..commands.changes import changes_of, rows_of
from ..commands.explain import explain
from ..messages import listing
from ..model import Run
from .console import Bar, emit, shown, tell
from .github import add_to, print_for_github
from .lists import check_file, excluded_rows, write_lines
from .options import STDOUT, BuildFlags, ExplainFlags, RunFlags, SiteFlags, load_config
from .render import Result, annotations, as_json, document, outputs, text


def run(command: str, site: str | None, where: SiteFlags, flags: RunFlags, only: BuildFlags) -> int:
    """Runs a build or a check, prints what it found, and returns the exit code.

    Raises SitemapperError for what a user can mend.
    """
    begin = time.monotonic()
    now = datetime.now(UTC)
    config = load_config(site, where, flags)
    files = {"--excluded": flags.excluded, "--changes": flags.changes, "--report": only.report}
    for flag, path in files.items():
        if path and path != STDOUT:
            check_file(flag, path)
    waiting = ""
    if command == "build" and flags.changes and flags.changes != STDOUT:
        # A build adds to the list while it publishes, and a dry one leaves the list alone.
        waiting = os.path.abspath(flags.changes)
    this_run = Run(
        cwd=os.getcwd(),
        environment=os.environ,
        is_dry=only.dry_run,
        jobs=flags.jobs or 0,
        scheduler=flags.scheduler,
        replace=only.replace,
        changes=waiting,
    )
    with closing(Bar(is_quiet=flags.quiet)) as bar:
        summary = build(config, this_run, now, bar)
    result = Result(
        command,
        summary,
        changes_of(summary.plan),
        this_run.cwd,
        time.monotonic() - begin,
        is_dry=only.dry_run,
        is_verbose=flags.verbose,
    )
    if flags.excluded:
        write_lines(flags.excluded, excluded_rows(summary.selected.excluded))
    if flags.changes and not waiting:
        write_lines(flags.changes, rows_of(result.changes, summary.plan))
    if only.report:
        from .report import render  # few runs need it

        write_lines(only.report, [render(result, now)])
    _print(result, flags, is_strict=config.settings.strict)
    if summary.problem:
        raise summary.problem
    if command == "build" and summary.missing:
        return 2  # as the build would
    is_failure = command == "check" and not result.is_same
    if config.settings.strict:
        is_failure |= any(one.severity == "warning" for one in summary.messages)
    if flags.tracked:
        from .tracked import untracked  # few runs need it

        paths = untracked(summary, this_run.cwd)
        if paths:
            help = "git add them, or run sitemapper check after the build of the site in CI"
            tell("error", f"git does not track {listing(paths)}", help)
        is_failure |= bool(paths) or summary.plan.is_changed
    return int(is_failure)


def _print(result: Result, flags: RunFlags, *, is_strict: bool) -> None:
    """Prints the result and the messages in the format of the flags."""
    if flags.format == "github":
        print_for_github(result.command, annotations(result), text(result), result.messages)
        add_to("GITHUB_OUTPUT", outputs(result, flags.changes))
        return
    if flags.format == "json":
        emit(as_json(result))
    # A check that found something says so even with --quiet.
    elif not flags.quiet or (result.command == "check" and not result.is_same):
        emit(map(shown, text(result)))
    for one in result.messages:
        if not flags.quiet or (is_strict and one.severity == "warning"):
            tell(one.severity, one.text, one.help)


def explain_page(target: str, where: SiteFlags, only: ExplainFlags) -> int:
    """Explains one page, and returns the exit code. Raises SitemapperError if there is none."""
    config = load_config(only.site, where)
    answer = explain(config, Run(os.getcwd(), os.environ, True), target, datetime.now(UTC))
    if only.format == "json":
        rows = [row._asdict() for row in answer.rows]
        emit(document({**answer._asdict(), "listed": not answer.reason, "rows": rows}))
        return 0
    verdict = f"is not listed: {answer.reason}" if answer.reason else "is listed"
    lines = [f"{answer.name} {verdict}"]
    for name, value, origin in answer.rows:
        line = f"  {name:10}  {value}"
        lines.append(f"{line}  ({origin})" if origin else line)
    emit(map(shown, lines))
    return 0
