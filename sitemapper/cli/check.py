"""`sitemapper check`, and `check --against`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from .console import now
from .options import FINDINGS_FORMAT, MAIN, FindingsFormat, RunOptions, flag
from .parameters import SITE, command

if TYPE_CHECKING:
    from ..find.load import Setup


# Flags about what a build writes or reads, which a comparison with another sitemap does not.
_FLAGS_OF_BUILDS = (
    "excluded", "changes", "tracked", "previous",
    "max_urls", "max_bytes", "gzip", "index", "text",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckOptions(RunOptions):
    """The options of `check`."""

    against: str | None = flag(
        None,
        MAIN,
        "Check another tool's sitemap against the pages instead.",
        "FILE|DIR|URL",
        excludes=_FLAGS_OF_BUILDS,
    )
    format: FindingsFormat = FINDINGS_FORMAT


@command("check", "check public --against public/other.xml", hidden=("allow_empty",))
def check(site: str | None = SITE, *, options: CheckOptions) -> None:
    """Check that the published sitemaps are up to date.

    Exit with 1 if a build would change them. With --against, check another tool's sitemap against
    the pages.
    """
    # Imported here: help needs none of it.
    from ..commands.check import check as run_check
    from .request import cache_folder
    from .run import ObservedRun

    run = ObservedRun("check", site, options)
    if options.against:
        raise typer.Exit(_compare(options.against, run.setup, options))
    with run:
        checked = run_check(run.setup, now=now(), observer=run, cache=cache_folder(options))
    run.keep_result_of_check(checked)
    # With --quiet, a person is not told that all is up to date. A program is, by other formats.
    hides_result = options.quiet and checked.is_same and options.format == "text"
    if not hides_result:
        run.print()
    is_failure = run.print_problems()
    if is_failure or not checked.is_same:
        raise typer.Exit(1)


def _compare(sitemap: str, setup: "Setup", options: CheckOptions) -> int:
    """Compares another tool's sitemap with the pages, and prints the findings (`--against`).

    `sitemap` is a file, a folder or a URL. Returns the exit code: 1 if there is an error, or with
    `strict` also a warning.
    """
    # Imported here: only `--against` needs the rules.
    from ..commands.compare import compare
    from ..linter import apply_severities
    from .findings import Findings

    findings = Findings("check", options, is_strict=setup.settings.strict)
    reported = compare(setup, sitemap, now=now(), files=findings.files)
    findings.gather(apply_severities(reported, setup.settings.severities))
    return findings.print()
