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
from .console import now, tell
from .findings import Findings, ValidateOptions
from .parameters import command

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
    named: dict[str, list[str]] = {}  # the files that robots.txt and each index name

    def add_file(name: str, entries: int) -> None:
        findings.files.append((name, entries))

    def add_named(by: str, file: str) -> None:
        named.setdefault(by, []).append(file)

    reported = run(
        paths,
        now=int(now().timestamp()),
        codes=codes,
        agents=config.robots.agents if config.respect.robots else (),
        on_file=add_file,
        on_named=add_named,
    )
    findings.gather(apply_severities(reported, config.severities))
    has_folder = any(map(os.path.isdir, paths))
    if has_folder and not options.quiet:
        files = [name for name, _ in findings.files]
        tell("note", _describe(named, files), options.color)
    raise typer.Exit(findings.print())


def _describe(named: Mapping[str, list[str]], files: Iterable[str]) -> Iterator[str]:
    """Notes on a folder: what robots.txt and each index name, and the files that nothing names.

    `named` are the names by the file that names them: `{"robots.txt": ["a.xml", "b.xml"]}` gives
    "robots.txt names a.xml and b.xml". `files` are all that were read.
    """
    naming = [by for by in named if not _is_described_uncompressed(by, named)]
    for by in naming[:_FEW]:
        yield f"{by} names {joined(dict.fromkeys(named[by]), _FEW)}"
    if not named:
        return
    others = _unnamed(named, files)
    if others:
        what = f"neither robots.txt nor an index names {joined(others, _FEW)}"
        yield with_help(what, "delete files that no tool writes any more")


def _is_described_uncompressed(by: str, named: Mapping[str, list[str]]) -> bool:
    """Whether this is the compressed form of an index that is also there without compression."""
    return by.endswith(".gz") and by.removesuffix(".gz") in named


def _unnamed(named: Mapping[str, list[str]], files: Iterable[str]) -> list[str]:
    """The files that neither robots.txt nor an index names.

    `named` has the files that each of these names.
    """
    expected = {_plain(file) for names in named.values() for file in names}
    has_robots = any(map(_is_robots, named))
    if not has_robots:  # only it could name the indexes themselves
        expected.update(map(_plain, named))
    unnamed = []
    for file in files:
        # The text form of a sitemap stands in neither: search engines would read it twice.
        is_text = file.removesuffix(".gz").endswith(".txt")
        is_expected = is_text or _plain(file) in expected
        if not is_expected:
            unnamed.append(file)
    return unnamed


def _is_robots(file: str) -> bool:
    return os.path.basename(file) == ROBOTS


def _plain(file: str) -> str:
    """The XML file for any form of it: `/site/a.xml` for a.xml, a.xml.gz, a.txt and a.txt.gz."""
    uncompressed = os.path.realpath(file).removesuffix(".gz")
    return re.sub(r"\.txt$", ".xml", uncompressed)
