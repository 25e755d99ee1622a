"""`sitemapper check`."""

from dataclasses import dataclass

import typer

from .console import now
from .options import FINDINGS_FORMAT, FindingsFormat, RunOptions
from .parameters import SITE, command


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckOptions(RunOptions):
    """The options of `check`."""

    format: FindingsFormat = FINDINGS_FORMAT


@command("check", "check public --previous live")
def check(site: str | None = SITE, *, options: CheckOptions) -> None:
    """Check that the published sitemaps are up to date.

    Exit with 1 if a build would change them.
    """
    # Imported here: help needs none of it.
    from ..commands.check import check as run_check
    from .run import ObservedRun

    run = ObservedRun("check", site, options)
    with run:
        checked = run_check(run.setup, now=now(), observer=run)
    run.keep_result_of_check(checked)
    # With --quiet, a person is not told that all is up to date. A program is, by other formats.
    hides_result = options.quiet and checked.is_same and options.format == "text"
    if not hides_result:
        run.print()
    is_failure = run.print_problems()
    if is_failure or not checked.is_same:
        raise typer.Exit(1)
