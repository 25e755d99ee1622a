"""`validate`: what is wrong with the sitemaps of any tool."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from ..config import load
from ..linter import chosen, lint
from ..protocol import MAX_BYTES
from .findings import Report, print_report
from .options import STDOUT, FindingFlags


def run(paths: Sequence[str], flags: FindingFlags) -> int:
    """Validates sitemaps, prints what was found, and returns the exit code.

    Raises SitemapperError for what a user can mend.
    """
    codes = chosen(flags.select, flags.disable)
    settings = load({"strict": flags.strict}, os.getcwd(), os.environ).settings

    def fetch(url: str) -> bytes | None:
        from ..net import Client  # few runs need it

        return Client(os.environ).download(url)

    linted = lint(
        paths,
        now=int(datetime.now(UTC).timestamp()),
        obeys_robots=settings.respect.robots,
        stdin=sys.stdin.buffer.read(MAX_BYTES + 1) if STDOUT in paths else b"",
        fetch=fetch,
    )
    findings = [finding for finding in linted.findings if finding.code in codes]
    report = Report("validate", findings, linted.files)
    return print_report(report, flags, is_strict=settings.strict)
