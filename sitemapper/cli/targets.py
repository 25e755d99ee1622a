"""Where the output of a run goes: the files that flags name, and stdout.

What cannot be written there is found before the run begins.
"""

import os
from collections.abc import Mapping

from ..errors import SitemapperError
from ..find.load import Setup
from ..fs import regular
from ..model import NO_BASELINE, REDIRECTS_MARK
from ..read.kind import REPORT_MARK
from .options import STDOUT, RunOptions
from .parameters import flags_of

_PRINTED = ("excluded", "changes", "redirects")  # the flags of lists, which may go to stdout
_START_BYTES = 4096  # which show what a file is: the longest path in a list is shorter


def is_stream(target: str) -> bool:
    """Whether a flag names stdout (`-`), a device or a pipe, such as /dev/stderr.

    The caller prints to it. It replaces a regular file, and creates one that does not exist.
    """
    return target == STDOUT or (os.path.exists(target) and not os.path.isfile(target))


def check_stdout(options: RunOptions, *, is_build: bool) -> None:
    """Raises SitemapperError if two flags would write to stdout: `--excluded - --format json`.

    A text summary may stand beside a list, and so may annotations for GitHub. With `--output -`, a
    build prints the sitemap to stdout, which excludes all others, and flags such as --dry-run. A
    report cannot go to stdout at all.
    """
    if getattr(options, "report", None) == STDOUT:
        help = "name a file such as report.html"
        raise SitemapperError("--report -: the report cannot go to stdout", help)
    printed = [f"--{name} -" for name in _PRINTED if getattr(options, name) == STDOUT]
    prints_sitemap = is_build and options.output == STDOUT
    if options.format not in ("text", "github"):
        printed.append(f"--format {options.format}")
    if prints_sitemap:
        # These are about files in the output folder, but the sitemap is in none.
        for name in ("dry_run", "exit_code", "tracked"):
            if getattr(options, name):
                flag = flags_of(type(options))[name].name
                problem = f"--output - and {flag} exclude each other"
                raise SitemapperError(problem, f"leave out {flag}")
        printed.append("--output -")
    # Annotations go to stdout, too, but beside the lines of a list, which the runner only prints.
    if options.format == "github" and (prints_sitemap or options.redirects == STDOUT):
        printed.append("--format github")
    if len(printed) > 1:
        problem = f"{' and '.join(printed)} would both write to stdout"
        raise SitemapperError(problem, "name a file for one of them")


def check_targets(options: RunOptions, setup: Setup) -> None:
    """Raises SitemapperError if a flag names a file that cannot be written or has another use.

    `--excluded public/sitemap.xml` → "--excluded: public/sitemap.xml is the sitemap".
    """
    # The files that no flag may name, by their real paths.
    output = setup.site.output
    uses = {
        os.path.realpath(output.path(output.name)): "the sitemap",
        os.path.realpath(output.path("robots.txt")): "robots.txt",
    }
    if setup.site.ledger:
        uses[os.path.realpath(setup.site.ledger)] = "the ledger"
    for path, _ in setup.run.read_from:
        uses[os.path.realpath(path)] = "part of the configuration"
    for option in (*_PRINTED, "report"):
        file = getattr(options, option, None)
        if not file or file == STDOUT:
            continue
        problem = _problem_of_file(option, file, uses)
        if problem:
            raise SitemapperError(f"--{option}: {problem}", "name another file")
        uses[os.path.realpath(file)] = f"the file of --{option}"


def _problem_of_file(option: str, file: str, uses: Mapping[str, str]) -> str:
    """Says why the list or report of an option cannot be written to a file, "" if it can.

    - `a.tsv is the ledger`: one of `uses`, {real path: use}
    - `x/a.tsv: no such folder`
    - `a.html: sitemapper did not write it, …`: a typo must not destroy a file of the user, so a
      file is replaced only if an earlier run wrote it
    """
    use = uses.get(os.path.realpath(file))
    if use:
        return f"{file} is {use}"
    if not os.path.isdir(os.path.dirname(os.path.abspath(file))):
        return f"{file}: no such folder"
    if os.path.isdir(file):
        return f"{file}: is a folder"
    if is_stream(file):  # lists may go to a device or a pipe, but a report replaces a file
        return f"{file}: is not a regular file" if option == "report" else ""
    # The start of a file shows whether an earlier run wrote it for this option. A report and a file
    # of redirects begin with a mark. The other lists have none, but their first row has a tab, or
    # says that there is no baseline.
    start = regular(file, _START_BYTES) or b""
    first_line, _, _ = start.partition(b"\n")
    if option == "report":
        is_ours = REPORT_MARK.encode() in start
    elif option == "redirects":
        is_ours = REDIRECTS_MARK.encode() in first_line
    else:
        is_ours = b"\t" in first_line or first_line.startswith(NO_BASELINE.encode())
    if start and not is_ours:
        return f"{file}: sitemapper did not write it, so it is not replaced"
    return ""
