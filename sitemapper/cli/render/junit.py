"""Findings as JUnit XML, for test reports."""

from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from ...linter import Finding
from ..findings import Findings
from ..words import shown


def findings(findings: Findings, color: bool) -> Iterator[str]:
    """A suite for each file, and a failed test for each finding that fails the command."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sitemapper">'
    suites: dict[str, list[Finding]] = {file: [] for file, _ in findings.files}
    for finding in findings.shown:
        suites.setdefault(finding.file, []).append(finding)
    if not suites:
        suites["sitemapper"] = []  # Jenkins fails on a report without tests
    more: Counter[str] = Counter()
    for others in findings.others():
        more[others.file] += others.amount
    for file, own in suites.items():
        yield from _suite(file, own, findings)
        if more[file]:
            yield f"    <system-out>and {more[file]:,} more; --verbose shows them</system-out>"
        yield "  </testsuite>"
    yield "</testsuites>"


def _suite(file: str, own: list[Finding], findings: Findings) -> Iterator[str]:
    """A suite with its tests, not closed. A file without findings has one test, which passes."""
    failed = sum(findings.fails(finding.severity) for finding in own)
    name = quoteattr(shown(file))
    yield f'  <testsuite name={name} tests="{len(own) or 1}" failures="{failed}" errors="0">'
    if not own:
        yield f'    <testcase classname={name} name="no fault"/>'
    for finding in own:
        message = shown(finding.message)
        if findings.fails(finding.severity):
            outcome = f'<failure type="{finding.code}" message={quoteattr(message)}/>'
        else:
            outcome = f"<system-out>warning: {escape(message)}</system-out>"
        test = f"{finding.code} line {finding.line}"
        yield f'    <testcase classname={name} name="{test}">{outcome}</testcase>'
