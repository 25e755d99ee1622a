"""Where the output of a run goes: the files that flags name, and stdout.

What cannot be written there is found before the run begins.
"""

import os

from ..errors import SitemapperError
from ..find.settle import Setup
from ..fs import regular, relative
from ..model import NO_BASELINE, REDIRECTS_MARK
from ..read.kind import REPORT_MARK
from ..read.walk import folder, is_candidate
from ..site import Run, Site
from .options import STDOUT, RunOptions
from .parameters import flags_of

_PRINTED = ("excluded", "changes", "redirects")  # the flags of lists, which may go to stdout
_START = 4096  # bytes that show what a file is
_MARK_WITHIN = 512  # bytes of a report
_OTHER_FILE = "name another file"


def is_stream(target: str) -> bool:
    """Whether a flag names stdout, a device or a pipe instead of a regular file."""
    return target == STDOUT or (os.path.exists(target) and not os.path.isfile(target))


def check_stdout(options: RunOptions, *, is_build: bool) -> None:
    """Raises SitemapperError if several flags print to stdout. Only a build prints the sitemap."""
    if getattr(options, "report", None) == STDOUT:
        help = "name a file such as report.html"
        raise SitemapperError("--report -: the report cannot go to stdout", help)
    printed = [f"--{name} -" for name in _PRINTED if getattr(options, name) == STDOUT]
    prints_sitemap = is_build and options.output == STDOUT
    if options.format not in ("text", "github"):
        printed.append(f"--format {options.format}")
    if prints_sitemap:
        # These make no sense if nothing is published.
        for name in ("dry_run", "exit_code", "tracked"):
            if getattr(options, name):
                flag = flags_of(type(options))[name].name
                problem = f"--output - and {flag} exclude each other"
                raise SitemapperError(problem, f"leave out {flag}")
        printed.append("--output -")
    if options.format == "github" and (prints_sitemap or options.redirects == STDOUT):
        printed.append("--format github")
    if len(printed) > 1:
        problem = f"{' and '.join(printed)} would both write to stdout"
        raise SitemapperError(problem, "name a file for one of them")


def check_targets(options: RunOptions, setup: Setup) -> None:
    """Raises SitemapperError if a flag names a file that cannot be written or has another use."""
    uses: dict[str, str] = {}
    for option in (*_PRINTED, "report"):
        file = getattr(options, option, None)
        if not file:
            continue
        uses = uses or _uses(setup.site, setup.run)
        path = os.path.realpath(file)
        fault = _fault_of_place(option, file)
        if not fault and not is_stream(file):
            use = uses.get(path)
            fault = (
                (f"{file} is {use}", _OTHER_FILE) if use else _fault_of_file(option, file, setup)
            )
        if fault:
            problem, help = fault
            raise SitemapperError(f"--{option}: {problem}", help)
        uses[path] = f"the file of --{option}"


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


def _fault_of_place(option: str, file: str) -> tuple[str, str] | None:
    """Why no file can be written at this place, and what to do."""
    above = os.path.dirname(os.path.abspath(file))
    if file != STDOUT and not os.path.isdir(above):
        return f"{file}: no such folder", "name a file that can be written"
    if os.path.isdir(file):
        return f"{file}: is a folder", "name a file"
    # A report replaces a file, but lists may go to a device.
    if option == "report" and is_stream(file):
        return f"{file}: is not a regular file", "name a file such as report.html"
    return None


def _fault_of_file(option: str, file: str, setup: Setup) -> tuple[str, str] | None:
    """Why the file that is there may not be replaced, and what to do. None for an empty file."""
    start = regular(file, _START)
    if not start:
        return None
    first_line, _, _ = start.partition(b"\n")
    if option == "report":
        if REPORT_MARK.encode() not in start[:_MARK_WITHIN]:
            return f"{file}: is not a report, so it is not replaced", _OTHER_FILE
    elif option == "redirects":
        if REDIRECTS_MARK.encode() not in first_line:  # somebody's own rules
            problem = f"{file}: sitemapper did not write it, so it is not replaced"
            return problem, "name a new file, and add its lines to your rules"
    # Rows of a list have columns. A list without any row may still say that it has no baseline.
    elif b"\t" not in first_line and not start.startswith(NO_BASELINE.encode()):
        site = setup.site
        page = relative(os.path.realpath(file), os.path.realpath(site.root)).replace(os.sep, "/")
        if is_candidate(folder(site.root, site.ignore, site.include), page):
            return f"{file} is a page of the site", _OTHER_FILE
    return None
