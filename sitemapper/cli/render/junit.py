"""Findings as JUnit XML, for test reports."""

from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from ...linter import Finding
from ..findings import Findings
from ..text import shown


def findings(found: Findings, color: bool) -> Iterator[str]:
    """Yields a suite for each file, with a test for each finding.

    A test fails if its finding fails the command: an error, or with --strict also a warning.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sitemapper">'
    # A file without findings also has a suite, with one test that passes.
    shown_of_file: dict[str, list[Finding]] = {file: [] for file, _ in found.files}
    for finding in found.shown:
        shown_of_file.setdefault(finding.file, []).append(finding)
    if not shown_of_file:
        shown_of_file["sitemapper"] = []  # Jenkins fails on a report without tests
    # Of each rule in a file, the first 20 findings are kept (--verbose: all), the others counted.
    others_of_file: Counter[str] = Counter()
    for others in found.others():
        others_of_file[others.file] += others.amount
    for file, shown_findings in shown_of_file.items():
        yield from _suite(file, shown_findings, others_of_file[file], found)
    yield "</testsuites>"


def _suite(file: str, of_file: list[Finding], others: int, findings: Findings) -> Iterator[str]:
    """Yields the suite of a file, with a test for each finding in `of_file`.

    `others` is the number of findings that are not shown. A file without findings has one test,
    "no fault", which passes.
    """
    failures = sum(findings.fails(finding.severity) for finding in of_file)
    tests = len(of_file) or 1  # the one test is "no fault"
    name = quoteattr(shown(file))
    yield f'  <testsuite name={name} tests="{tests}" failures="{failures}" errors="0">'
    if not of_file:
        yield f'    <testcase classname={name} name="no fault"/>'
    for finding in of_file:
        message = shown(finding.message)
        if findings.fails(finding.severity):
            outcome = f'<failure type="{finding.code}" message={quoteattr(message)}/>'
        else:
            outcome = f"<system-out>warning: {escape(message)}</system-out>"
        test = f"{finding.code} line {finding.line}"
        yield f'    <testcase classname={name} name="{test}">{outcome}</testcase>'
    if others:
        yield f"    <system-out>and {others:,} more; --verbose shows them</system-out>"
    yield "  </testsuite>"
