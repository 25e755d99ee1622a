"""The files that `--excluded`, `--changes` and `--report` name.

A file that cannot be written, or has another use, is found before the run begins.
"""

import os
from collections.abc import Mapping
from datetime import datetime

from ..commands.changes import NO_BASELINE, rows_of
from ..config import Config
from ..errors import SitemapperError
from ..files import read_regular
from .console import emit, shown
from .options import STDOUT
from .result import Result

_REPORT_MARK = b"<!-- sitemapper report -->"
_START_BYTES = 4096  # that show what a file is; the longest path in a list is shorter

Targets = Mapping[str, str]  # what flags name: {"--excluded": "left-out.tsv"}


def check_targets(targets: Targets, config: Config, format: str) -> None:
    """Raises SitemapperError if a file cannot be written or has another use.

    `--excluded: public/sitemap.xml: was not written by sitemapper, so it is not replaced`.
    """
    printed = [f"{flag} {target}" for flag, target in targets.items() if target == STDOUT]
    if format == "json":
        printed.append("--format json")
    if len(printed) > 1:
        text = f"{' and '.join(printed)} would both write to stdout"
        raise SitemapperError(text, "pass a file for one of them")
    uses = {os.path.realpath(config.settings.ledger.path): " is the ledger"}
    for flag, target in targets.items():
        path = os.path.realpath(target)
        problem = uses.get(path) or _problem_of(flag, target)
        uses[path] = f" is the file of {flag}"
        if problem:
            raise SitemapperError(f"{flag}: {target}{problem}", "choose another file name")


def _problem_of(flag: str, target: str) -> str:
    """Why a list or the report cannot be written to a file, "" if it can."""
    is_report = flag == "--report"
    if target == STDOUT and not is_report:
        return ""
    if target == STDOUT or (os.path.exists(target) and not os.path.isfile(target)):
        return ": is not a file"
    folder = os.path.dirname(os.path.abspath(target))
    if not os.access(target if os.path.exists(target) else folder, os.W_OK):
        return ": cannot be written, or there is no such folder"
    # A typo must not destroy a page of the site. The first row of a list has a tab.
    start = read_regular(target, _START_BYTES) or b""
    first_line = start.partition(b"\n")[0]
    is_ours = b"\t" in first_line or first_line == NO_BASELINE.encode()
    if is_report:
        is_ours = _REPORT_MARK in start
    return "" if is_ours or not start else ": was not written by sitemapper, so it is not replaced"


def write_lists(targets: Targets, result: Result, now: datetime) -> None:
    """Writes the files of the flags, and prints the list that is for stdout."""
    for flag, target in targets.items():
        if flag == "--report":
            from .report import render  # few runs need it

            lines = [render(result, now)]
        elif flag == "--changes":
            lines = rows_of(result.changes, result.summary.plan)
        else:
            lines = [
                "\t".join(map(shown, (one.path, one.reason.value, str(one.origin))))
                for one in result.summary.selected.excluded
            ]
        if target == STDOUT:
            emit(lines)
            continue
        with open(target, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
