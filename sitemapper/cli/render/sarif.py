"""Findings as SARIF 2.1.0, for code scanning."""

import json
import os
from collections.abc import Iterator
from pathlib import PurePath
from urllib.parse import quote

from ..._version import __version__
from ...linter import Finding, rule_of
from ..findings import Findings
from ..text import plural, shown

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def findings(found: Findings, color: bool) -> Iterator[str]:
    """Yields the findings as one SARIF 2.1.0 document, for code scanning, such as that of GitHub.

    The JSON document has the broken rules, and then each kept finding with its file and line. All
    renderers have this signature: `color` has no effect here, because JSON has no colours.
    """
    codes = sorted({finding.code for finding in found.shown})
    tool = {
        "name": "sitemapper",
        "version": __version__,
        "rules": [
            {
                "id": code,
                "shortDescription": {"text": rule_of(code).title},
                "help": {"text": rule_of(code).manual},
            }
            for code in codes
        ],
    }
    # A result names its rule by code, and by the place of the rule in the list above.
    results = [
        _describe_finding(finding, rule_index=codes.index(finding.code)) for finding in found.shown
    ]
    # Findings are no failure of the program: it has read all files to the end.
    invocation = {
        "executionSuccessful": True,
        "toolExecutionNotifications": _note_others(found),
    }
    run = {"tool": {"driver": tool}, "invocations": [invocation], "results": results}
    yield json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _note_others(findings: Findings) -> list[dict[str, object]]:
    """Returns the notifications of the SARIF run: how many findings are not in the file.

    Either one, such as "12 more findings: the first 5,000 are in this file", or none if all
    findings are in the file.
    """
    others = findings.severities.total() - len(findings.shown)
    if not others:
        return []
    what = f"{plural(others, 'more finding')}: the first {len(findings.shown):,} are in this file"
    return [{"level": "note", "message": {"text": what}}]


def _describe_finding(finding: Finding, *, rule_index: int) -> dict[str, object]:
    """Describes a finding as a `result` of SARIF: rule, severity, message, file and line.

    `rule_index` is the place of its rule in the list of rules.
    """
    place = {
        "artifactLocation": {"uri": _file_uri(finding.file)},
        # A finding about a whole file has line 0, but lines of SARIF begin with 1.
        "region": {"startLine": max(1, finding.line)},
    }
    return {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": finding.severity.value,
        "message": {"text": shown(finding.message)},
        "locations": [{"physicalLocation": place}],
    }


def _file_uri(file: str) -> str:
    """Makes the URI of a file: `my site/a.xml` → `my%20site/a.xml`, `/a.xml` → `file:///a.xml`.

    GitHub finds a file of the repository by a relative URI only.
    """
    if "://" in file:  # a file on the live host
        return file
    path = PurePath(file)
    if path.is_absolute():
        return path.as_uri()
    return quote(shown(file).replace(os.sep, "/"))
