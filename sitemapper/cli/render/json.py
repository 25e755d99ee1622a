"""Results as JSON in the documented shapes, `"version": 1`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...messages import Message
from ...model import Fate, GoneUrl
from ..text import shown
from ..words import FORM, count_by_fate, message_text, of_fate

if TYPE_CHECKING:
    from ..findings import Findings
    from ..run import ObservedRun


def document(shape: Mapping[str, object]) -> str:
    """Writes a JSON document of these keys, which begins with `"version": 1`."""
    return json.dumps({"version": 1, **shape}, indent=2)


def run(observed: ObservedRun, color: bool) -> Iterator[str]:
    """Yields the result of a build or a check as one JSON document.

    A check also has `same` (whether the published files are up to date), `required` (the required
    pages that are not listed), and the dates of changed URLs.
    """
    summary = observed.summary
    shape: dict[str, object] = {
        "site": summary.site,
        "sitemap": summary.sitemap,
        "detected": {
            found.key: {"value": found.value, "origin": shown(str(found.origin))}
            for found in summary.detected
        },
        "dry_run": observed.is_dry,
        "listed": summary.listed,
        "previous": summary.previous,
        "dated": summary.dated,
        "changes": _changed_urls(observed),
        **_gone(summary.gone),
        "excluded": {reason.name.lower(): count for reason, count in summary.excluded.items()},
        "folders_not_entered": summary.pruned,
        "files": [
            {"name": file.name, "change": file.change.value, "urls": file.urls}
            for file in summary.files
        ],
        "warnings": [
            {
                "kind": warning.kind.value,
                "count": warning.cases,
                "examples": list(map(shown, warning.subjects)),
            }
            for warning in summary.warnings
        ],
        **_notes(summary.notes),
        "seconds": round(observed.seconds, 3),
    }
    if observed.is_check:
        shape["same"] = observed.is_same
        shape["required"] = list(observed.missing)
    yield document(shape)


def _gone(gone: Collection[GoneUrl]) -> dict[str, object]:
    """Returns two keys of the result: the published URLs that are gone, and how many there are.

    `{"gone": {"lost": 1, "moved": 0, …, "form": 0}, "gone_urls": [{"url": …, "fate": "lost", …}]}`.
    The fate "form" means that the page has another URL form now, such as /a in place of /a/.
    """
    # The names of fates, and what they are in JSON: {"lost": "lost", …, "in another form": "form"}.
    key_by_fate = {fate.value: fate.value for fate in Fate} | {FORM: "form"}
    counts = count_by_fate(gone)  # the worst fates first, without those that no URL has
    urls = [
        {
            "url": one.url,
            "fate": key_by_fate[fate],
            "target": one.target or None,
            "origin": None if one.origin is None else shown(str(one.origin)),
        }
        for fate in counts
        for one in of_fate(gone, fate)
    ]
    numbers = {key: counts.get(fate, 0) for fate, key in key_by_fate.items()}
    return {"gone": numbers, "gone_urls": urls}


def _notes(notes: Sequence[Message]) -> dict[str, object]:
    """Returns the keys `notes`, with each note in words, and `note_kinds`, with its kind.

    `{"notes": ["a limit split 2 sitemaps, …"], "note_kinds": ["split"]}`. Programs compare the
    kinds, which stay the same if the words change.
    """
    return {
        "notes": list(map(message_text, notes)),
        "note_kinds": [note.kind.value for note in notes],
    }


def _changed_urls(run: ObservedRun) -> dict[str, list[object]]:
    """Groups the changed URLs by kind: `{"added": ["https://…"], "changed": […], "removed": […]}`.

    In the result of a check, each URL is an object with its date before and after the change:
    `{"url": "https://…", "before": null, "after": "2024-05-02"}`.
    """
    shapes: dict[str, list[object]] = {}
    for change, urls in run.changes.items():
        shapes[change.value] = [url.url for url in urls]
        if run.is_check:
            shapes[change.value] = [
                {"url": url, "before": before or None, "after": after or None}
                for url, before, after in urls
            ]
    return shapes


def findings(found: Findings, color: bool) -> Iterator[str]:
    """Yields one JSON document with the files, the shown findings, and how many more there are.

    `verify` also has `settings`, which are lines for sitemapper.toml, and notes.
    """
    counts = {severity.value: count for severity, count in found.severities.items()}
    shape: dict[str, object] = {
        "files": [{"name": shown(name), "entries": entries} for name, entries in found.files],
        "errors": counts.get("error", 0),
        "warnings": counts.get("warning", 0),
        "findings": [
            {
                **finding._asdict(),
                "file": shown(finding.file),
                "severity": finding.severity.value,
            }
            for finding in found.shown
        ],
        "more": [
            {"file": shown(others.file), "code": others.code, "count": others.amount}
            for others in found.others()
        ],
    }
    if found.command == "verify":
        shape["settings"] = found.settings
        shape |= _notes(found.notes)
    yield document(shape)
