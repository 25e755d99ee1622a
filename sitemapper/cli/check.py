"""`sitemapper check`, and `check --against`."""

import time
from dataclasses import dataclass

import typer

from ..config.settings import Settings
from .options import FINDINGS_FORMAT, MAIN, FindingsFormat, RunOptions, flag
from .parameters import SITE, command
from .streams import now


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

    Exit with 1 if a build would change them. With --against, compare another tool's sitemap with the pages.
    """
    # Imported here: help needs none of it.
    from ..commands.check import check as run
    from .request import cache_folder, run_settings
    from .run import RunResult, observe, print_failures, print_run

    started, settings = time.monotonic(), run_settings(site, options)
    if options.against:
        return _compare(settings, options.against, options)
    with observe(options, settings, is_dry=True) as observer:
        checked = run(settings, now=now(), observer=observer, cache=cache_folder(options))
    result = RunResult(
        checked.summary, settings, observer.kept, observer.examples,
        time.monotonic() - started, True, options.changes, checked.missing,
    )  # fmt: skip
    if not (options.quiet and result.is_same and options.format == "text"):
        print_run(result, options, "check")
    if print_failures(result, options, observer.untracked) or not result.is_same:
        raise typer.Exit(1)
    return None


def _compare(settings: Settings, against: str, options: CheckOptions) -> None:
    # Imported here, as above.
    from ..commands.compare import compare
    from ..linter import apply_severities
    from .findings import new_findings, print_findings

    findings = new_findings(options)
    reported = compare(settings, against, now=now(), read=findings.read)
    findings.gather(apply_severities(reported, settings.severities))
    if print_findings(findings, options, "check", strict=settings.strict, base=settings.base_url):
        raise typer.Exit(1)
