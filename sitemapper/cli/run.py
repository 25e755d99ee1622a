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

    The exit code is 1 if a check finds a difference, or a flag makes a failure of warnings
    (--strict) or of files that git does not track (--tracked). Raises SitemapperError for what a
    user can mend.
    """
    begin = time.monotonic()
    now = datetime.now(UTC)
    config = load_config(site, where, flags)
    files = {"--excluded": flags.excluded, "--changes": only.changes, "--report": only.report}
    for flag, path in files.items():
        if path and path != STDOUT:
            check_file(flag, path)
    changes_file = ""
    if only.changes and only.changes != STDOUT:
        changes_file = os.path.realpath(only.changes)  # `build` adds to it, unless it is dry

    this_run = Run(
        cwd=os.getcwd(),
        environment=os.environ,
        is_dry=only.dry_run,
        jobs=flags.jobs or 0,
        scheduler=flags.scheduler,
        replace=only.replace,
        changes=changes_file,
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

    # The lists that flags ask for, also if the build stops: they show why.
    if flags.excluded:
        write_lines(flags.excluded, excluded_rows(summary.selected.excluded))
    if only.changes == STDOUT:
        emit(rows_of(result.changes, summary.plan))
    if only.report:
        from .report import render  # few runs need it

        write_lines(only.report, [render(result, now)])
    _print(result, flags, only.changes, is_strict=config.settings.strict)

    # What fails the command.
    if summary.problem:
        raise summary.problem
    if command == "build" and summary.missing:
        return 2  # only of a dry build: any other has raised an error
    is_failure = command == "check" and not result.is_same
    if config.settings.strict:
        is_failure |= any(message.severity == "warning" for message in summary.messages)
    if flags.tracked:
        paths = untracked(summary, this_run.cwd)
        if paths:
            help = "git add them, or run sitemapper check after the build of the site in CI"
            tell("error", f"git does not track {listing(paths)}", help)
        is_failure |= bool(paths) or summary.plan.is_changed
    return int(is_failure)


def _print(result: Result, flags: RunFlags, changes: str | None, *, is_strict: bool) -> None:
    """Prints the result and the messages in the format of the flags.

    `changes` is the file of --changes, which later steps of a workflow can read. With --quiet, only
    what fails the command is printed.
    """
    if flags.format == "github":
        print_for_github(result.command, annotations(result), text(result), result.messages)
        add_to("GITHUB_OUTPUT", outputs(result, changes))
        return
    if flags.format == "json":
        emit(as_json(result))
    # A check that found something says so even with --quiet.
    elif not flags.quiet or (result.command == "check" and not result.is_same):
        emit(map(shown, text(result)))
    for message in result.messages:
        is_failure = is_strict and message.severity == "warning"
        if is_failure or not flags.quiet:
            tell(message.severity, message.text, message.help)


def explain_page(target: str, where: SiteFlags, only: ExplainFlags) -> int:
    """Explains one page, and returns the exit code. Raises SitemapperError if there is none."""
    config = load_config(only.site, where)
    dry_run = Run(os.getcwd(), os.environ, is_dry=True)
    answer = explain(config, dry_run, target, datetime.now(UTC))
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
    """Raises SitemapperError if the file of a flag such as --report cannot or must not be written.

    A file is replaced only if it begins like one that such a flag has written: a typo must not
    destroy a page of the site.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.access(folder, os.W_OK):
        raise SitemapperError(f"{flag}: {folder}: is no folder that can be written")
    start = read_regular(path, _START_BYTES) or b""
    if start and not _OURS.match(start.decode("utf-8", "replace")):
        text = f"{flag}: {path}: was not written by sitemapper, so it is not replaced"
        raise SitemapperError(text, "choose another file name")


def excluded_rows(excluded: Iterable[Excluded]) -> Iterator[str]:
    """Yields a line for each excluded page: its path, the reason and what decided, with tabs."""
    for page in excluded:
        columns = (page.path, page.reason.value, str(page.origin))
        yield "\t".join(map(shown, columns))


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Writes lines to a file, or prints them if `path` is `-`."""
    if path == STDOUT:
        emit(lines)
        return
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def untracked(summary: Summary, cwd: str) -> list[str]:
    """Lists the written files and listed pages that git does not track, as paths from `cwd`.

    In a project that commits its site, somebody has forgotten to add them. If git tracks none of
    the pages, the site is not meant to be committed, and only the written files count. Raises
    SitemapperError without git.
    """
    found = summary.site.found
    top = ancestors(found.folder)[-1]
    names = git.output(top, "ls-files", "-z", "--others")
    if names is None:
        raise SitemapperError("--tracked: this is not a git repository, or git does not run")
    untracked_files = {os.path.join(top, name) for name in names.split("\0")}
    outputs = [os.path.join(found.output, file.name) for file in summary.plan.files]
    listed = [entry.page.path for entry in summary.selected.listed if entry.page]
    pages = [os.path.join(found.folder, path) for path in listed]

    to_add = [output for output in outputs if output in untracked_files]
    pages_to_add = [page for page in pages if page in untracked_files]
    if len(pages_to_add) < len(pages):
        to_add += pages_to_add
    return [shown_path(path, cwd) for path in to_add]
