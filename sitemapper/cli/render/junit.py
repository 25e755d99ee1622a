"""Findings as JUnit's XML, for test reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from ...linter import Finding, Severity
from ..findings import Findings
from ..words import shown
from . import View


def findings(findings: Findings, view: View) -> Iterator[str]:
    """A suite for each file, and a failed test for each finding that fails the command."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sitemapper">'
    suites: dict[str, list[Finding]] = {file: [] for file, _ in findings.files}
    for f in findings.shown:
        suites.setdefault(f.file, []).append(f)
    more: Counter[str] = Counter()
    for (file, _), left in findings.more():
        more[file] += left
    for file, own in (suites or {"sitemapper": []}).items():  # Jenkins fails without any test
        failed = sum(_fails(f, view.strict) for f in own)
        name = quoteattr(shown(file))
        yield f'  <testsuite name={name} tests="{len(own) or 1}" failures="{failed}" errors="0">'
        yield from (_case(f, name, view.strict) for f in own)
        if not own:
            yield f'    <testcase classname={name} name="no fault"/>'
        if more[file]:
            yield f"    <system-out>and {more[file]:,} more; --verbose shows them</system-out>"
        yield "  </testsuite>"
    yield "</testsuites>"


def _fails(finding: Finding, strict: bool) -> bool:
    return strict or finding.severity is Severity.ERROR


def _case(finding: Finding, name: str, strict: bool) -> str:
    message = shown(finding.message)
    opened = f'    <testcase classname={name} name="{finding.code} line {finding.line}">'
    if _fails(finding, strict):
        outcome = f'<failure type="{finding.code}" message={quoteattr(message)}/>'
    else:
        outcome = f"<system-out>warning: {escape(message)}</system-out>"
    return f"{opened}{outcome}</testcase>"
