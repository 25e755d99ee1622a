"""A run of `build`, `check` or `explain`: its settings, its lists, and its result."""

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime

from .. import git
from ..commands.build import Summary, build
from ..commands.changes import changes_of, rows_of
from ..commands.explain import explain
from ..files import ancestors, read_regular, shown_path
from ..messages import SitemapperError, listing
from ..model import Excluded, Reason, Run
from .console import Bar, emit, shown, tell
from .options import STDOUT, BuildFlags, ExplainFlags, RunFlags, SiteFlags, load_config
from .render import Result, add_to, annotations, as_json, document, outputs, print_for_github, text


def run(command: str, site: str | None, where: SiteFlags, flags: RunFlags, only: BuildFlags) -> int:
    """Runs a build or a check, prints what it found, and returns the exit code.

    Raises SitemapperError for what a user can mend.
    """
    begin = time.monotonic()
    now = datetime.now(UTC)
    config = load_config(site, where, flags)
    files = {"--excluded": flags.excluded, "--changes": only.changes, "--report": only.report}
    for flag, path in files.items():
        if path and path != STDOUT:
            check_file(flag, path)
    waiting = ""
    if only.changes and only.changes != STDOUT:
        # A build adds to the list while it publishes, and a dry one leaves the list alone.
        waiting = os.path.realpath(only.changes)
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
    if only.changes == STDOUT:
        emit(rows_of(result.changes, summary.plan))
    if only.report:
        from .report import render  # few runs need it

        write_lines(only.report, [render(result, now)])
    _print(result, flags, only.changes, is_strict=config.settings.strict)
    if summary.problem:
        raise summary.problem
    if command == "build" and summary.missing:
        return 2  # as the build would
    is_failure = command == "check" and not result.is_same
    if config.settings.strict:
        is_failure |= any(one.severity == "warning" for one in summary.messages)
    if flags.tracked:
        paths = untracked(summary, this_run.cwd)
        if paths:
            help = "git add them, or run sitemapper check after the build of the site in CI"
            tell("error", f"git does not track {listing(paths)}", help)
        is_failure |= bool(paths) or summary.plan.is_changed
    return int(is_failure)


def _print(result: Result, flags: RunFlags, changes: str | None, *, is_strict: bool) -> None:
    """Prints the result and the messages in the format of the flags."""
    if flags.format == "github":
        print_for_github(result.command, annotations(result), text(result), result.messages)
        add_to("GITHUB_OUTPUT", outputs(result, changes))
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


_START_BYTES = 4096  # the longest path in a list is shorter
# How the report, a list of changes and a list of excluded pages begin.
_OURS = re.compile(
    r"<!doctype html>\n<!-- sitemapper report -->|# no baseline\n|(added|changed|removed)\t"
    rf"|[^\t\n]+\t({'|'.join(reason.value for reason in Reason)})\t"
)


# --- Lists


def check_file(flag: str, path: str) -> None:
    """Raises SitemapperError for a file that cannot be written, or that no such flag has written.

    A typo must not destroy a page of the site.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.access(folder, os.W_OK):
        raise SitemapperError(f"{flag}: {folder}: is no folder that can be written")
    start = read_regular(path, _START_BYTES) or b""
    if start and not _OURS.match(start.decode("utf-8", "replace")):
        text = f"{flag}: {path}: was not written by sitemapper, so it is not replaced"
        raise SitemapperError(text, "choose another file name")


def excluded_rows(excluded: Iterable[Excluded]) -> Iterator[str]:
    """Yields the path, the reason and what decided, with tabs between."""
    for one in excluded:
        yield "\t".join(map(shown, (one.path, one.reason.value, str(one.origin))))


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Writes the lines of a file, or prints them."""
    if path == STDOUT:
        emit(lines)
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def untracked(summary: Summary, cwd: str) -> list[str]:
    """Lists the outputs and listed pages that git does not track, as seen from the folder `cwd`.

    A site of which git tracks no page is not meant to be committed. Raises SitemapperError without
    git.
    """
    found = summary.site.found
    top = ancestors(found.folder)[-1]
    names = git.output(top, "ls-files", "-z", "--others")
    if names is None:
        raise SitemapperError("--tracked: this is not a git repository, or git does not run")
    others = {os.path.join(top, name) for name in names.split("\0")}
    files = [os.path.join(found.output, file.name) for file in summary.plan.files]
    listed = [one.page.path for one in summary.selected.listed if one.page]
    pages = [os.path.join(found.folder, path) for path in listed]
    missing = [file for file in files if file in others]
    missing_pages = [page for page in pages if page in others]
    if len(missing_pages) < len(pages):
        missing += missing_pages
    return [shown_path(path, cwd) for path in missing]
