"""Results as JSON in the documented shapes, `"version": 1`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..words import shown

if TYPE_CHECKING:
    from ..findings import Findings
    from ..result import Result


def document(shape: Mapping[str, object]) -> str:
    """A JSON document with its version."""
    return json.dumps({"version": 1, **shape}, indent=2)


def run(result: Result, color: bool) -> Iterator[str]:
    """A build or a check.

    For a check, also whether all files are the same, and the dates of changes.
    """
    summary = result.summary
    shape = {
        "site": summary.site,
        "sitemap": summary.sitemap,
        "detected": {
            d.key: {"value": d.value, "origin": shown(str(d.origin))} for d in summary.detected
        },
        "dry_run": result.is_dry,
        "listed": summary.listed,
        "previous": summary.previous,
        "dated": summary.dated,
        "changes": {
            change.value: [url for url, _, _ in rows] for change, rows in result.changes.items()
        },
        "excluded": {reason.name.lower(): n for reason, n in summary.excluded.items()},
        "folders_not_entered": summary.pruned,
        "files": [
            {"name": f.name, "change": f.change.value, "urls": f.urls} for f in summary.files
        ],
        "warnings": [
            {"kind": kind.name.lower(), "count": n, "examples": list(map(shown, examples))}
            for kind, n, examples in summary.warnings
        ],
        "notes": list(summary.notes),
        "seconds": round(result.seconds, 3),
    }
    if result.missing is not None:
        shape |= {"same": result.is_same, "required": list(result.missing)}
        shape["changes"] = {
            change.value: [{"url": u, "before": b or None, "after": a or None} for u, b, a in rows]
            for change, rows in result.changes.items()
        }
    yield document(shape)


def findings(findings: Findings, color: bool) -> Iterator[str]:
    """The files, the findings, and how many more there are."""
    counts = {severity.value: n for severity, n in findings.severities.items()}
    rows = [
        f._asdict() | {"file": shown(f.file), "severity": f.severity.value} for f in findings.shown
    ]
    yield document(
        {
            "files": [
                {"name": shown(name), "entries": entries} for name, entries in findings.files
            ],
            "errors": counts.get("error", 0),
            "warnings": counts.get("warning", 0),
            "findings": rows,
            "more": [
                {"file": shown(f), "code": code, "count": n} for (f, code), n in findings.more()
            ],
        }
    )
