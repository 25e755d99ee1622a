"""`sitemapper validate`."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping

import typer

from ..config.load import load_tables
from ..errors import with_help
from ..linter import apply_severities, chosen
from ..linter import validate as run
from ..linter.engine import ROBOTS
from ..linter.model import joined
from .findings import Findings
from .options import ValidateOptions
from .parameters import command
from .words import now, tell

_FEW = 5  # names that a note shows

PATHS = typer.Argument(..., metavar="PATH...", help="Sitemaps, folders, robots.txt; - for stdin.")


@command("validate public", "validate public/sitemap.xml --select SM1")
def validate(paths: list[str] = PATHS, *, options: ValidateOptions) -> None:
    """Validate any tool's sitemaps.

    Exit with 1 if there is an error.
    """
    codes = chosen(options.select, options.disable)
    findings = Findings("validate", options, is_strict=options.strict)
    config = load_tables(os.getcwd(), "robots", "respect", "validate")
    named: dict[str, list[str]] = {}
    reported = run(
        paths,
        now=int(now().timestamp()),
        codes=codes,
        agents=config.robots.agents if config.respect.robots else (),
        on_file=lambda *file: findings.files.append(file),
        on_named=lambda by, file: named.setdefault(by, []).append(file),
    )
    findings.gather(apply_severities(reported, config.severities))
    if not options.quiet and any(map(os.path.isdir, paths)):
        tell("note", _describe(named, [name for name, _ in findings.files]), options.color)
    raise typer.Exit(findings.print())


def _describe(named: Mapping[str, list[str]], files: Iterable[str]) -> Iterator[str]:
    """The files of a folder that robots.txt and the indexes name, and the files that they do not."""
    # An index that is also there in compressed form is described once.
    naming = [by for by in named if not (by.endswith(".gz") and by.removesuffix(".gz") in named)]
    for by in naming[:_FEW]:
        yield f"{by} names {joined(dict.fromkeys(named[by]), _FEW)}"
    known = {_plain(file) for of_one in named.values() for file in of_one}
    if not any(os.path.basename(by) == ROBOTS for by in named):
        known.update(map(_plain, named))  # nothing else could name the indexes
    left = [
        file for file in files if _plain(file) not in known and os.path.basename(file) != ROBOTS
    ]
    if left and named:
        what = f"neither robots.txt nor an index names {joined(left, _FEW)}"
        yield with_help(what, "delete files that no tool writes any more")


def _plain(file: str) -> str:
    """A file, or for its compressed or text form the XML file beside it."""
    return re.sub(r"\.txt$", ".xml", os.path.realpath(file).removesuffix(".gz"))
