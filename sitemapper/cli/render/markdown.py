"""Findings and tables as Markdown, for the summary of a job."""

import re
import sys
from collections.abc import Iterator, Sequence

from ..findings import Findings
from ..words import shown


def findings(findings: Findings, color: bool, most: int = sys.maxsize) -> Iterator[str]:
    """A table of the findings. The worst come first if it cannot show all of them."""
    yield f"**sitemapper**: {findings.summary()}"
    rows = findings.shown if most == sys.maxsize else findings.worst_first()
    cells = [
        (f"{f.code} {f.severity.value}", code(f"{f.file}:{f.line}"), code(f.message)) for f in rows
    ]
    yield from table(("rule", "where", "what"), cells, most, findings.severities.total())


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], most: int = 20, total: int = 0
) -> Iterator[str]:
    """The first rows as a Markdown table, and the number of other rows.

    Empty if there are no rows.
    """
    if rows:
        yield f"\n| {' | '.join(head)} |\n{'|---' * len(head)}|"
    for row in rows[:most]:
        yield f"| {' | '.join(row)} |"
    if more := max(total, len(rows)) - len(rows[:most]):
        yield f"\nand {more:,} more"


def code(text: str) -> str:
    """A code span without any markup.

    In a table, bars are escaped, because they would end the cell.
    """
    text = shown(text)
    ticks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if len(ticks) > 1 else ""
    return f"{ticks}{space}{text}{space}{ticks}".replace("|", "\\|")
