"""Findings as a table in Markdown, for the summary of a job."""

import re
import sys
from collections.abc import Iterator

from ..findings import Findings
from ..text import shown


def findings(findings: Findings, color: bool, most: int = sys.maxsize) -> Iterator[str]:
    """A table of at most so many findings, errors first, and the number of the others."""
    yield f"**sitemapper**: {findings.summary()}"
    first = findings.worst_first()[:most]
    if first:
        yield "\n| rule | where | what |\n|---|---|---|"
    for finding in first:
        rule = f"{finding.code} {finding.severity.value}"
        where = code(f"{finding.file}:{finding.line}")
        yield f"| {rule} | {where} | {code(finding.message)} |"
    others = findings.severities.total() - len(first)
    if others:
        yield f"\nand {others:,} more"


def code(text: str) -> str:
    """A text as a code span, so that nothing in it is read as markup.

    Bars are escaped, because they would end the cell of a table.
    """
    safe = shown(text)
    # Backticks in the text need a longer row of them around it (CommonMark, code spans).
    longest = max(map(len, re.findall("`+", safe)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{ticks}{space}{safe}{space}{ticks}".replace("|", "\\|")
