"""`sitemapper validate`."""

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import typer

from ..config.load import load_tables
from ..errors import with_help
from ..linter import chosen
from ..linter import validate as run
from ..linter.engine import ROBOTS
from ..linter.model import joined
from .console import now, tell
from .findings import Findings, ValidateOptions
from .parameters import command

_MAX_NAMES = 5  # files that a note names

PATHS = typer.Argument(..., metavar="PATH...", help="Sitemaps, folders, robots.txt; - for stdin.")


@command("validate public", "validate public/sitemap.xml --select SM1")
def validate(paths: list[str] = PATHS, *, options: ValidateOptions) -> None:
    """Validate any tool's sitemaps.

    Exit with 1 if there is an error.
    """
    codes = chosen(options.select, options.disable)
    findings = Findings("validate", options, is_strict=options.strict)
    # Of `[robots]` and `[validate]`, nothing is used: a key that left in one of them is an error.
    config = load_tables(os.getcwd(), "robots", "respect", "validate")
    # Filled below: {a robots.txt or an index: the sitemaps that it names}.
    named_by: defaultdict[str, set[str]] = defaultdict(set)
    reported = run(
        paths,
        now=int(now().timestamp()),
        codes=codes,
        reads_robots=config.respect.robots,
        on_file=lambda name, entries: findings.files.append((name, entries)),
        on_named=lambda by, file: named_by[by].add(file),
    )
    findings.gather(reported)
    # A note for sitemaps that nothing names, because crawlers do not find them. If the user checks
    # single files and no folder, the index that names them may not be among these: no note then.
    has_folder = any(map(os.path.isdir, paths))
    if has_folder and named_by and not options.quiet:
        unnamed = _list_unnamed(named_by, [name for name, _ in findings.files])
        if unnamed:
            them = "it" if len(unnamed) == 1 else "them"
            names = joined(unnamed, _MAX_NAMES)
            what = f"neither robots.txt nor an index lists {names}, so crawlers may miss {them}"
            help = f"list {them} there, or delete what no tool writes any more"
            tell("note", [with_help(what, help)])
    raise typer.Exit(findings.print())  # 1 if the findings fail the command


def _list_unnamed(named_by: Mapping[str, Collection[str]], files: Iterable[str]) -> list[str]:
    """Lists the sitemaps among `files` that neither robots.txt nor an index names.

    They may be left from an earlier build: `old-3.xml`, if the index names `old-1.xml` and
    `old-2.xml`. `named_by` is `{robots.txt or index: the sitemaps that it names}`.

    Two kinds of files need not be named, so they are not in the result:

    - an index, if there is no robots.txt, because nothing else names an index
    - a text sitemap, because an XML sitemap with the same URLs is enough for search engines
    """
    # A sitemap may be there as a.xml, a.xml.gz and a.txt. If one of these is named, all are, so the
    # path of a.xml stands for each.
    expected = {_path_as_xml(file) for named in named_by.values() for file in named}
    has_robots = any(os.path.basename(by) == ROBOTS for by in named_by)
    if not has_robots:
        indexes = named_by.keys()
        expected.update(map(_path_as_xml, indexes))
    xml_files = [file for file in files if not file.removesuffix(".gz").endswith(".txt")]
    return [file for file in xml_files if _path_as_xml(file) not in expected]


def _path_as_xml(file: str) -> str:
    """Returns the path of the XML sitemap: `/site/a.xml` for a.xml, a.xml.gz and a.txt.gz."""
    uncompressed = os.path.realpath(file).removesuffix(".gz")
    return re.sub(r"\.txt$", ".xml", uncompressed)
