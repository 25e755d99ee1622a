"""Findings for other programs: SARIF for code scanning, JUnit for test reports, Markdown for summaries."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from .._version import __version__
from ..linter import Finding, Severity, rule_of
from .findings import CHECKED, Findings
from .text import plural, shown

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Findings) -> Iterator[str]:
    """A run in SARIF 2.1.0."""
    codes = sorted({f.code for f in findings.shown})
    left = findings.total - len(findings.shown)
    notice = f"{plural(left, 'more finding')}: the first {len(findings.shown):,} are in this file"
    invocation = {
        "executionSuccessful": True,
        "toolExecutionNotifications": [{"level": "note", "message": {"text": notice}}] if left else [],
    }
    run = {
        "tool": {
            "driver": {
                "name": "sitemapper",
                "version": __version__,
                "rules": [_sarif_rule(code) for code in codes],
            }
        },
        "invocations": [invocation],
        "results": [_sarif_result(f, codes.index(f.code)) for f in findings.shown],
    }
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _sarif_rule(code: str) -> dict[str, object]:
    title, _, help = (CHECKED.get(code) or rule_of(code)).manual.partition("\n")
    return {
        "id": code,
        "shortDescription": {"text": title},
        "help": {"text": help.strip() or title},
    }


def _sarif_result(finding: Finding, index: int) -> dict[str, object]:
    path = PurePath(finding.file)
    uri = path.as_uri() if path.is_absolute() else quote(shown(finding.file).replace(os.sep, "/"))
    uri = finding.file if "://" in finding.file else uri  # a file of the live host
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, finding.line)}}
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity.value,
        "message": {"text": shown(finding.message)},
        "locations": [{"physicalLocation": place}],
    }


def junit(findings: Findings, *, strict: bool) -> Iterator[str]:
    """JUnit's XML: a suite for each file, a failed test for each finding that fails the check."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sitemapper">'
    suites: dict[str, list[Finding]] = {file: [] for file, _ in findings.files}
    for f in findings.shown:
        suites.setdefault(f.file, []).append(f)
    more: Counter[str] = Counter()
    for (file, _), left in findings.more():
        more[file] += left
    for file, own in (suites or {"sitemapper": []}).items():  # Jenkins fails without any test
        failed = sum(_fails(f, strict) for f in own)
        name = quoteattr(shown(file))
        yield f'  <testsuite name={name} tests="{len(own) or 1}" failures="{failed}" errors="0">'
        yield from (_junit_case(f, name, strict) for f in own)
        if not own:
            yield f'    <testcase classname={name} name="no fault"/>'
        if more[file]:
            yield f"    <system-out>and {more[file]:,} more; --verbose shows them</system-out>"
        yield "  </testsuite>"
    yield "</testsuites>"


def _fails(finding: Finding, strict: bool) -> bool:
    return strict or finding.severity is Severity.ERROR


def _junit_case(finding: Finding, name: str, strict: bool) -> str:
    message = shown(finding.message)
    opened = f'    <testcase classname={name} name="{finding.code} line {finding.line}">'
    if _fails(finding, strict):
        outcome = f'<failure type="{finding.code}" message={quoteattr(message)}/>'
    else:
        outcome = f"<system-out>warning: {escape(message)}</system-out>"
    return f"{opened}{outcome}</testcase>"


def markdown(findings: Findings, most: int = sys.maxsize) -> Iterator[str]:
    """A table of the findings, the worst first if they are not all in it."""
    yield f"**sitemapper**: {findings.summary()}"
    rows = findings.shown if most == sys.maxsize else findings.worst_first()
    cells = [(f"{f.code} {f.severity.value}", code(f"{f.file}:{f.line}"), code(f.message)) for f in rows]
    yield from table(("rule", "where", "what"), cells, most, findings.total)


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], most: int = 20, total: int = 0
) -> Iterator[str]:
    """The first rows of a table in Markdown, and how many more there are; nothing without a row."""
    if rows:
        yield f"\n| {' | '.join(head)} |\n{'|---' * len(head)}|"
    for row in rows[:most]:
        yield f"| {' | '.join(row)} |"
    if more := max(total, len(rows)) - len(rows[:most]):
        yield f"\nand {more:,} more"


def code(text: str) -> str:
    """A code span, in which nothing is markup; in a table a bar still ends the cell."""
    text = shown(text)
    ticks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " * (len(ticks) > 1)
    return f"{ticks}{space}{text}{space}{ticks}".replace("|", "\\|")
