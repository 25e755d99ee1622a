"""`sitemapper validate`."""

import os
import sys

import typer

from ..config.load import severities
from ..linter import apply_severities, chosen
from ..linter import validate as run
from .findings import new_findings, print_findings
from .options import ValidateOptions
from .parameters import command
from .render import View
from .streams import now, use_color

PATHS = typer.Argument(..., metavar="PATH...", help="Sitemaps, folders, robots.txt; - for stdin.")


@command("validate public", "validate public/sitemap.xml --select SM1")
def validate(paths: list[str] = PATHS, *, options: ValidateOptions) -> None:
    """Validate any tool's sitemaps.

    Exit with 1 if there is an error.
    """
    codes = chosen(options.select, options.disable)
    findings = new_findings(options.format, verbose=options.verbose)
    reported = run(paths, now=int(now().timestamp()), codes=codes, on_file=findings.read)
    findings.gather(apply_severities(reported, severities(os.getcwd())))
    color = use_color(options.color, sys.stdout)
    view = View("validate", color, options.verbose, options.quiet, options.strict)
    if print_findings(findings, options.format, view):
        raise typer.Exit(1)
