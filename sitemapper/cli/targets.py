"""Where the output of a run goes: the files that flags name, and stdout.

What cannot be written there is found before the run begins.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import SitemapperError
from ..find.settle import Setup
from ..fs import regular, relative
from ..model import NO_BASELINE, REDIRECTS_MARK
from ..read.kind import REPORT_MARK
from ..read.walk import SiteRoot, folder, is_candidate
from ..site import Run, Site
from .options import STDOUT, RunOptions
from .parameters import flags_of

LISTS = ("excluded", "changes")  # the flags of lists
_PRINTED = (*LISTS, "redirects")  # those that may go to stdout
_START = 4096  # bytes that show what a file is
_MARK_WITHIN = 512  # bytes of a report


class Target(NamedTuple):
    """The file that a flag names, as it was typed."""

    option: str
    file: str

    @property
    def flag(self) -> str:
        """The flag."""
        return f"--{self.option}"

    @property
    def is_report(self) -> bool:
        """Whether this is the report, not a list."""
        return self.option == "report"


def is_stream(target: str) -> bool:
    """Whether a flag names stdout, a device or a pipe instead of a regular file."""
    return target == STDOUT or (os.path.exists(target) and not os.path.isfile(target))


def check_stdout(command: str, options: RunOptions) -> None:
    """Raises SitemapperError if several flags print to stdout."""
    printed = [f"--{name} -" for name in _PRINTED if getattr(options, name) == STDOUT]
    if options.format not in ("text", "github"):
        printed.append(f"--format {options.format}")
    if prints_sitemap(command, options):
        _check_sitemap_can_be_printed(options)
        printed.append("--output -")
        if options.format == "github":
            printed.append("--format github")
    if options.redirects == STDOUT and options.format == "github":
        printed.append("--format github")
    if len(printed) > 1:
        problem = f"{' and '.join(printed)} would both write to stdout"
        raise SitemapperError(problem, "name a file for one of them")


def prints_sitemap(command: str, options: RunOptions) -> bool:
    """Whether the sitemap goes to stdout. Only a build prints it."""
    return command == "build" and options.output == STDOUT


def _check_sitemap_can_be_printed(options: RunOptions) -> None:
    """Raises SitemapperError for a flag that makes no sense if nothing is published."""
    for name in ("dry_run", "exit_code", "tracked"):
        if getattr(options, name):
            flag = flags_of(type(options))[name].name
            raise SitemapperError(f"--output - and {flag} exclude each other", f"leave out {flag}")


def check_targets(options: RunOptions, setup: Setup) -> None:
    """Raises SitemapperError if a flag names a file that cannot be written or has another use."""
    targets = list(_targets(options))
    if not targets:
        return
    site = setup.site
    uses = _uses(site, setup.run)
    pages = folder(site.root, site.ignore, site.include)
    for target in targets:
        _check_can_be_written(target)
        if is_stream(target.file):
            _check_stream(target)
            continue
        path = os.path.realpath(target.file)
        if path in uses:
            raise _taken(target, uses[path])
        if target.is_report:
            _check_report(target, path)
        elif target.option == "redirects":
            _check_redirects(target, path)
        elif _is_page(path, site.root, pages):
            raise _taken(target, "a page of the site")
        uses[path] = f"the file of {target.flag}"


def _targets(options: RunOptions) -> Iterator[Target]:
    """The files that the flags of a run name, in the order of the flags."""
    for option in (*_PRINTED, "report"):
        file = getattr(options, option, None)
        if file:
            yield Target(option, file)


def _uses(site: Site, run: Run) -> dict[str, str]:
    """The real paths of files that no flag may name, each with its use, such as "the ledger"."""
    output = site.output
    uses = {
        output.path(output.name): "the sitemap",
        output.path("robots.txt"): "robots.txt",
    }
    if site.ledger:
        uses[site.ledger] = "the ledger"
    for path, _ in run.read_from:
        uses[path] = "part of the configuration"
    return {os.path.realpath(path): use for path, use in uses.items()}


def _taken(target: Target, use: str) -> SitemapperError:
    """The error for a file with another use, such as "the ledger"."""
    return SitemapperError(f"{target.flag}: {target.file} is {use}", "name another file")


def _check_can_be_written(target: Target) -> None:
    """Raises SitemapperError for a file in a folder that does not exist, and for a folder."""
    above = os.path.dirname(os.path.abspath(target.file))
    if target.file != STDOUT and not os.path.isdir(above):
        problem = f"{target.flag}: {target.file}: no such folder"
        raise SitemapperError(problem, "name a file that can be written")
    if os.path.isdir(target.file):
        raise SitemapperError(f"{target.flag}: {target.file}: is a folder", "name a file")


def _check_stream(target: Target) -> None:
    """Raises SitemapperError for a report on stdout or a device, because it replaces a file.

    Lists may go there.
    """
    if not target.is_report:
        return
    problem = f"--report: {target.file}: is not a regular file"
    if target.file == STDOUT:
        problem = "--report -: the report cannot go to stdout"
    raise SitemapperError(problem, "name a file such as report.html")


def _check_report(target: Target, path: str) -> None:
    """Raises SitemapperError unless the file is an earlier report, is empty or does not exist."""
    start = regular(path, _START) or b""
    if start and REPORT_MARK.encode() not in start[:_MARK_WITHIN]:
        problem = f"--report: {target.file}: is not a report, so it is not replaced"
        raise SitemapperError(problem, "name another file")


def _check_redirects(target: Target, path: str) -> None:
    """Raises SitemapperError unless the file is of an earlier run, is empty or does not exist.

    So nobody's own rules are replaced.
    """
    first_line = (regular(path, _START) or b"").partition(b"\n")[0]
    is_ours = REDIRECTS_MARK.encode() in first_line
    if os.path.exists(path) and os.stat(path).st_size and not is_ours:
        problem = f"--redirects: {target.file}: sitemapper did not write it, so it is not replaced"
        raise SitemapperError(problem, "name a new file, and add its lines to your rules")


def _is_page(path: str, root: str, site: SiteRoot) -> bool:
    """Whether a file would be listed. An empty file is no page, nor is a list of an earlier run."""
    page = relative(path, os.path.realpath(root)).replace(os.sep, "/")
    if not is_candidate(site, page):
        return False
    start = regular(path, _START) or b""
    first_line, _, _ = start.partition(b"\n")
    # Rows of a list have columns. A list without any row may still say that it has no baseline.
    is_list = b"\t" in first_line or start.startswith(NO_BASELINE.encode())
    return bool(start) and not is_list
