"""`sitemapper check`, and `check --against`."""

from dataclasses import dataclass

import typer

from .options import FINDINGS_FORMAT, MAIN, FindingsFormat, RunOptions, flag
from .parameters import SITE, command
from .words import now


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CheckOptions(RunOptions):
    """The options of `check`."""

    against: str | None = flag(
        None, MAIN, "Compare another tool's sitemap with the pages instead.", "FILE|DIR"
    )
    format: FindingsFormat = FINDINGS_FORMAT


@command("check", "check public --against public/other.xml", hidden=("allow_empty",))
def check(site: str | None = SITE, *, options: CheckOptions) -> None:
    """Check that the published sitemaps are up to date.

    Exit with 1 if a build would change them. With --against, compare another tool's sitemap with
    the pages.
    """
    # Imported here: help needs none of it.
    from ..commands.check import check as checked
    from .request import cache_folder
    from .run import Run

    run = Run("check", site, options)
    settings = run.settings
    if options.against:
        from ..commands.compare import compare
        from ..linter import apply_severities
        from .findings import Findings

        findings = Findings("check", options, base=settings.base_url, is_strict=settings.strict)
        reported = compare(settings, options.against, now=now(), files=findings.files)
        findings.gather(apply_severities(reported, settings.severities))
        raise typer.Exit(findings.print())
    with run:
        done = checked(settings, now=now(), observer=run, cache=cache_folder(options))
    run.summary, run.missing = done
    run.is_same = done.is_same
    if not (options.quiet and run.is_same and options.format == "text"):
        run.print()
    if run.print_failures() or not run.is_same:
        raise typer.Exit(1)
