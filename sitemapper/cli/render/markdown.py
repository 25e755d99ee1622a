"""Findings and tables as Markdown, for the summary of a job."""

import re
import sys
from collections.abc import Iterator, Sequence

from ..findings import Findings
from ..text import shown


def findings(findings: Findings, color: bool, most: int = sys.maxsize) -> Iterator[str]:
    """A table of the findings. If it has room for `most` only, the worst come first."""
    yield f"**sitemapper**: {findings.summary()}"
    shows_all = most == sys.maxsize
    in_order = findings.shown if shows_all else findings.worst_first()
    rows = []
    for finding in in_order:
        rule = f"{finding.code} {finding.severity.value}"
        where = code(f"{finding.file}:{finding.line}")
        rows.append((rule, where, code(finding.message)))
    yield from table(("rule", "where", "what"), rows, most, findings.severities.total())


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], most: int = 20, total: int = 0
) -> Iterator[str]:
    """The first rows as a Markdown table, and the number of other rows.

    `total` is the number of rows if `rows` are not all. Empty if there are no rows.
    """
    if rows:
        yield f"\n| {' | '.join(head)} |\n{'|---' * len(head)}|"
    first = rows[:most]
    for row in first:
        yield f"| {' | '.join(row)} |"
    others = max(total, len(rows)) - len(first)
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
