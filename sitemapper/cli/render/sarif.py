"""Findings as SARIF 2.1.0, for code scanning."""

import json
import os
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import quote

from ..._version import __version__
from ...linter import Finding, Rule, rule_of
from ..findings import Findings
from ..text import plural, shown

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def findings(findings: Findings, color: bool) -> Iterator[str]:
    """One run with the first findings, and a note that counts the others."""
    codes = sorted({finding.code for finding in findings.shown})
    driver = {
        "name": "sitemapper",
        "version": __version__,
        "rules": [_rule(rule_of(code)) for code in codes],
    }
    invocation = {"executionSuccessful": True, "toolExecutionNotifications": _notices(findings)}
    log = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "results": [_result(finding, codes.index(finding.code)) for finding in findings.shown],
    }
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [log]}, indent=2)


def _rule(rule: Rule) -> dict[str, object]:
    """A rule with its manual, as a `reportingDescriptor` of SARIF."""
    return {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "help": {"text": rule.manual},
    }


def _notices(findings: Findings) -> list[dict[str, object]]:
    """A note that counts the findings that are not in the file."""
    others = findings.severities.total() - len(findings.shown)
    if not others:
        return []
    what = f"{plural(others, 'more finding')}: the first {len(findings.shown):,} are in this file"
    return [{"level": "note", "message": {"text": what}}]


def _result(finding: Finding, index: int) -> dict[str, object]:
    """A finding as a `result` of SARIF. `index` is the place of its rule among the rules."""
    place = {
        "artifactLocation": {"uri": _uri(finding.file)},
        "region": {"startLine": max(1, finding.line)},
    }
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": finding.severity.value,
        "message": {"text": shown(finding.message)},
        "locations": [{"physicalLocation": place}],
    }


def _uri(file: str) -> str:
    """The URI of a file, relative to the working directory if the file's name is."""
    if "://" in file:  # a file on the live host
        return file
    path = PurePath(file)
    if path.is_absolute():
        return path.as_uri()
    return quote(shown(file).replace(os.sep, "/"))
