"""`sitemapper build`."""

from dataclasses import dataclass
from typing import Literal

import typer

from .console import now, tell
from .options import FILES, MAIN, OUTPUT, RunOptions, flag
from .parameters import SITE, command


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BuildOptions(RunOptions):
    """The options of `build`."""

    report: str | None = flag(
        None, OUTPUT, "Write an HTML report of all pages, listed and excluded.", "FILE.html"
    )
    replace: bool = flag(False, FILES, "Replace a sitemap that another tool wrote.", is_of_run=True)
    dry_run: bool = flag(False, MAIN, "Print what would change, without writing anything.")
    format: Literal["text", "json", "github"] = flag(
        "text", MAIN, "Format of the summary; github writes workflow annotations."
    )


@command("build", "build public --base-url https://example.com", "build --dry-run --excluded -")
def build(site: str | None = SITE, *, options: BuildOptions) -> None:
    """Build the sitemaps of a folder of HTML.

    Add their Sitemap: line to robots.txt. Write only files that change.
    """
    # Imported here: help needs none of it.
    from ..commands.build import build as build_site
    from .request import find_preview_host
    from .run import ObservedRun

    host = find_preview_host(site, options)
    if host:
        if not options.quiet:
            what = f"the pages name the preview {host}, so nothing is published"
            tell("note", [what])
        return
    run = ObservedRun("build", site, options)
    with run:
        build_site(run.setup, now=now(), dry_run=options.dry_run, observer=run)
    if options.report and not options.quiet:
        tell("note", [f"wrote {options.report}"])
    # With --quiet, only a person's text is left out. Annotations are for GitHub.
    hides_result = options.quiet and options.format == "text"
    if not hides_result:
        run.print()
    is_failure = run.print_problems()
    if is_failure or (options.tracked and run.is_changed):
        raise typer.Exit(1)
