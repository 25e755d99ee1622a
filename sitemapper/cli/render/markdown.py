"""Findings as a table in Markdown, for the summary of a job."""

import re
import sys
from collections.abc import Iterator

from ..findings import Findings
from ..text import shown


def findings(found: Findings, color: bool, max_rows: int = sys.maxsize) -> Iterator[str]:
    """Yields the totals, a table of the first findings, and the number of the others.

    The table has up to `max_rows` rows, errors first: `| SM203 error | `a.xml:3` | `…` |`.
    """
    yield f"**sitemapper**: {found.summary()}"
    first = found.worst_first()[:max_rows]
    if first:
        yield "\n| rule | where | what |\n|---|---|---|"
    for finding in first:
        rule = f"{finding.code} {finding.severity.value}"
        where = code(f"{finding.file}:{finding.line}")
        yield f"| {rule} | {where} | {code(finding.message)} |"
    others = found.severities.total() - len(first)
    if others:
        yield f"\nand {others:,} more"


def code(text: str) -> str:
    """Writes a text as a code span, so that nothing in it is markup: `a*b*` → `` `a*b*` ``.

    Bars are escaped, because they would end the cell of a table: `a|b` → `` `a\\|b` ``.
    """
    safe = shown(text)
    # A text with backticks needs a longer row of backticks around it (CommonMark, code spans).
    longest_row = max(map(len, re.findall("`+", safe)), default=0)
    ticks = "`" * (longest_row + 1)
    space = " " if longest_row else ""  # so that a backtick at the end is not part of the row
    return f"{ticks}{space}{safe}{space}{ticks}".replace("|", "\\|")
