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
    for f in findings.shown:
        suites.setdefault(f.file, []).append(f)
    more: Counter[str] = Counter()
    for (file, _), left in findings.more():
        more[file] += left
    for file, own in (
        suites or {"sitemapper": []}
    ).items():  # Jenkins fails on a report without tests
        failed = sum(findings.fails(f.severity) for f in own)
        name = quoteattr(shown(file))
        yield f'  <testsuite name={name} tests="{len(own) or 1}" failures="{failed}" errors="0">'
        for f in own:
            message = shown(f.message)
            if findings.fails(f.severity):
                outcome = f'<failure type="{f.code}" message={quoteattr(message)}/>'
            else:
                outcome = f"<system-out>warning: {escape(message)}</system-out>"
            yield (
                f'    <testcase classname={name} name="{f.code} line {f.line}">{outcome}</testcase>'
            )
        if not own:
            yield f'    <testcase classname={name} name="no fault"/>'
        if more[file]:
            yield f"    <system-out>and {more[file]:,} more; --verbose shows them</system-out>"
        yield "  </testsuite>"
    yield "</testsuites>"
