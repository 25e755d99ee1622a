"""A run of `build`, `check` or `explain`: its settings, its lists, and its result."""

import os
import time
from datetime import UTC, datetime

from ..commands.build import Stopped, build
from ..commands.changes import changes_of
from ..commands.check import check
from ..commands.explain import explain
from ..model import Run
from .console import emit, shown, tell
from .github import add_to, print_for_github
from .lists import check_targets, write_lists
from .options import STDOUT, BuildFlags, ExplainFlags, RunFlags, SiteFlags, load_config
from .progress import Bar
from .render import annotations, as_json, document, outputs, text
from .result import Result


def run(command: str, site: str | None, where: SiteFlags, flags: RunFlags, only: BuildFlags) -> int:
    """Runs a build or a check, prints what it found, and returns the exit code.

    Raises SitemapperError for what a user can mend.
    """
    begin = time.monotonic()
    now = datetime.now(UTC)
    config = load_config(site, where, flags)
    named = {"--excluded": flags.excluded, "--changes": flags.changes, "--report": only.report}
    targets = {flag: target for flag, target in named.items() if target}
    check_targets(targets, config, flags.format)
    waiting = ""
    if command == "build" and flags.changes != STDOUT:
        # A build adds to the list while it publishes, and a dry one leaves the list alone.
        waiting = os.path.abspath(targets.pop("--changes")) if flags.changes else ""
    this_run = Run(
        cwd=os.getcwd(),
        environment=os.environ,
        is_dry=only.dry_run,
        jobs=flags.jobs or 0,
        scheduler=flags.scheduler,
        replace=only.replace,
        changes=waiting,
    )
    stopped: Stopped | None = None
    bar = Bar(is_quiet=flags.quiet)
    try:
        summary = (check if command == "check" else build)(config, this_run, now, bar)
    except Stopped as error:
        if not only.dry_run:
            raise
        stopped, summary = error, error.summary
    finally:
        bar.close()
    result = Result(
        command,
        summary,
        changes_of(summary.plan),
        this_run.cwd,
        time.monotonic() - begin,
        is_dry=only.dry_run,
        is_verbose=flags.verbose,
        stopped=stopped.text if stopped else "",
    )
    write_lists(targets, result, now)
    _print(result, flags)
    messages = result.messages
    warnings = [one for one in messages if one.severity == "warning"]
    is_failure = config.settings.strict and bool(warnings)
    if flags.quiet:
        messages = warnings if is_failure else []
    if flags.format != "github":  # annotations have them already
        for message in messages:
            tell(message.severity, message.text, message.help)
    if stopped:
        raise stopped
    is_failure |= command == "check" and not result.is_same
    if flags.tracked:
        from .tracked import untracked  # few runs need it

        problems = list(untracked(result))
        for problem, help in problems:
            tell("error", problem, help)
        is_failure |= bool(problems) or summary.plan.is_changed
    return int(is_failure)


def _print(result: Result, flags: RunFlags) -> None:
    """Prints the result in the format of the flags."""
    if flags.format == "json":
        emit(as_json(result))
    elif flags.format == "github":
        print_for_github(result.command, annotations(result), text(result), result.messages)
        add_to("GITHUB_OUTPUT", outputs(result, flags.changes))
    # A check that found something says so even with --quiet.
    elif not flags.quiet or (result.command == "check" and not result.is_same):
        emit(map(shown, text(result)))


def explain_page(target: str, where: SiteFlags, only: ExplainFlags) -> int:
    """Explains one page, and returns the exit code. Raises SitemapperError if there is none."""
    config = load_config(only.site, where)
    answer = explain(config, Run(os.getcwd(), os.environ, True), target, datetime.now(UTC))
    if only.format == "json":
        rows = [{"name": name, "value": value, "origin": by} for name, value, by in answer.rows]
        listed = not answer.reason
        emit(document({**answer._asdict(), "listed": listed, "rows": rows}))
        return 0
    verdict = f"is not listed: {answer.reason}" if answer.reason else "is listed"
    lines = [f"{answer.name} {verdict}"]
    for name, value, origin in answer.rows:
        lines.append(f"  {name:10}  {value}" + (f"  ({origin})" if origin else ""))
    emit(map(shown, lines))
    return 0
