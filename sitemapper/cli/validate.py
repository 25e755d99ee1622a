"""`validate` on the command line."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from ..commands.validate import validate
from ..config import load
from ..protocol import MAX_BYTES
from .findings import Report, print_report
from .options import STDOUT, FindingFlags


def run(paths: Sequence[str], flags: FindingFlags) -> int:
    """Validates sitemaps, prints what was found, and returns the exit code.

    Raises SitemapperError for what a user can mend.
    """
    config = load({"strict": flags.strict}, os.getcwd(), os.environ)
    stdin = sys.stdin.buffer.read(MAX_BYTES + 1) if STDOUT in paths else b""

    def fetch(url: str) -> bytes | None:
        from ..net import Client  # few runs need it

        return Client(os.environ).download(url)

    found = validate(
        paths,
        config,
        datetime.now(UTC),
        select=flags.select or (),
        disable=flags.disable or (),
        stdin=stdin,
        fetch=fetch,
    )
    report = Report("validate", found.findings, found.files, found.messages)
    return print_report(report, flags, is_strict=config.settings.strict)
