"""`sitemapper validate`."""

import os

import typer

from ..config.load import robots_agents, severities
from ..linter import apply_severities, chosen
from ..linter import validate as run
from .findings import new_findings, print_findings
from .options import ValidateOptions
from .parameters import command
from .streams import now

PATHS = typer.Argument(..., metavar="PATH...", help="Sitemaps, folders, robots.txt; - for stdin.")


@command("validate public", "validate public/sitemap.xml --select SM1")
def validate(paths: list[str] = PATHS, *, options: ValidateOptions) -> None:
    """Validate any tool's sitemaps.

    Exit with 1 if there is an error.
    """
    codes = chosen(options.select, options.disable)
    findings = new_findings(options)
    reported = run(
        paths,
        now=int(now().timestamp()),
        codes=codes,
        agents=robots_agents(os.getcwd()),
        on_file=findings.read,
    )
    findings.gather(apply_severities(reported, severities(os.getcwd())))
    if print_findings(findings, options, "validate", strict=options.strict):
        raise typer.Exit(1)
