"""Findings as SARIF 2.1.0, for code scanning."""

import json
import os
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import quote

from ..._version import __version__
from ...linter import Finding, rule_of
from ..findings import Findings
from ..words import plural, shown

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def findings(findings: Findings, color: bool) -> Iterator[str]:
    """One run with the first findings, and a note that counts the others."""
    codes = sorted({f.code for f in findings.shown})
    left = findings.severities.total() - len(findings.shown)
    notice = f"{plural(left, 'more finding')}: the first {len(findings.shown):,} are in this file"
    notices = [{"level": "note", "message": {"text": notice}}] if left else []
    rules = [
        {"id": rule.code, "shortDescription": {"text": rule.title}, "help": {"text": rule.reason}}
        for rule in map(rule_of, codes)
    ]
    driver = {"name": "sitemapper", "version": __version__, "rules": rules}
    log = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notices}],
        "results": [_result(f, codes.index(f.code)) for f in findings.shown],
    }
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [log]}, indent=2)


def _result(finding: Finding, index: int) -> dict[str, object]:
    path = PurePath(finding.file)
    uri = path.as_uri() if path.is_absolute() else quote(shown(finding.file).replace(os.sep, "/"))
    uri = finding.file if "://" in finding.file else uri  # a file on the live host
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, finding.line)}}
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity.value,
        "message": {"text": shown(finding.message)},
        "locations": [{"physicalLocation": place}],
    }
