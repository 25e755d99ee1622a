"""Results for GitHub Actions: annotations, the summary of the job, the outputs of the step."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from ..commands.check import Checked
from ..config.settings import Settings
from ..model import Change, Summary
from .findings import Findings, check_findings
from .formats import code, markdown, table
from .observer import RunObserver
from .text import amounts, listed_and_excluded, shown, warning_text


def annotation(kind: str, message: str, **properties: object) -> str:
    """One workflow command, escaped as GitHub's toolkit does."""
    escaped = (
        f"{key}={_escape(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
    )
    return f"::{kind} {','.join(escaped)}::{_escape(message)}"


def _escape(text: str) -> str:
    return shown(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def build_annotation(summary: Summary) -> str:
    """A notice of what a build did."""
    parts = (f"{summary.listed:,} listed", amounts(summary.changes.items()))
    message = f"{summary.sitemap}: {', '.join(filter(None, parts))}"
    return annotation("notice", message, title="sitemap")


def warning_annotations(summary: Summary) -> Iterator[str]:
    """One annotation a kind of warning."""
    for warning in summary.warnings:
        yield annotation("warning", warning_text(*warning), title="sitemap")


def check_annotations(checked: Checked, settings: Settings) -> Iterator[str]:
    """One annotation a missing page, one a changed file."""
    for f in check_findings(checked, settings):
        if f.code == "required":
            yield annotation("error", f.message, title="required page")
        else:
            yield annotation("error", f.message, file=f.file, line=1, title="sitemap out of date")


def finding_annotations(findings: Findings) -> Iterator[str]:
    """Workflow commands that GitHub shows beside the file; the worst first, as it shows ten."""
    for f in findings.worst_first():
        yield annotation(f.severity.value, f.message, file=f.file, line=f.line, title=f.code)
    for (file, rule), count in findings.more():
        yield annotation("warning", f"and {count:,} more", file=file, line=1, title=rule)


def write_run(
    command: str, summary: Summary, observer: RunObserver, changes: str | None, checked: Checked | None = None
) -> None:
    """Adds a build or a check to the summary of the job, and sets the outputs of the step."""
    _append("GITHUB_STEP_SUMMARY", [f"### sitemapper {command}\n", *_run(summary, observer, checked)])
    outputs: dict[str, object] = {
        "sitemap": summary.sitemap,
        "listed": summary.listed,
        "excluded": sum(summary.excluded.values()),
        **{change.value: count for change, count in summary.changes.items()},
    }
    if changes:
        outputs["changes-file"] = changes
    _append("GITHUB_OUTPUT", (f"{name}={value}" for name, value in outputs.items()))


def write_findings(command: str, findings: Findings) -> None:
    """Adds findings to the summary of the job."""
    _append("GITHUB_STEP_SUMMARY", [f"### sitemapper {command}\n", *markdown(findings, most=20)])


def _run(summary: Summary, observer: RunObserver, checked: Checked | None) -> Iterator[str]:
    yield f"{code(summary.sitemap)}: {listed_and_excluded(summary)}."
    if checked:
        same, other = "This is what a build would write.", "A build would write something else."
        yield same if checked.is_same else other
    if summary.previous is None:
        yield "There was no earlier sitemap to compare with."
    else:
        changes = [
            (change.value, n, [url for url, _, _ in observer.kept[change]])
            for change, n in summary.changes.items()
        ]
        yield from _counts(("change", "URLs", "first"), changes)
    reasons = [
        (reason.value, n, [page.path for page in observer.examples[reason] if not page.is_folder])
        for reason, n in summary.excluded.items()
    ]
    yield from _counts(("excluded", "pages", "first"), reasons)
    if checked:
        yield from table(("required, but not listed",), [[code(text)] for text in checked.missing])
    files = [[code(file.name), file.change.value] for file in summary.files if file.change is not Change.KEPT]
    yield from table(("file", "change"), files)
    warnings = [(kind.name.lower().replace("_", " "), n, examples) for kind, n, examples in summary.warnings]
    yield from _counts(("warning", "times", "first"), warnings)


def _counts(head: Sequence[str], groups: Iterable[tuple[str, int, Sequence[str]]]) -> Iterator[str]:
    """How many there are of each kind, with the first of them."""
    return table(head, [[name, f"{n:,}", "<br>".join(map(code, first))] for name, n, first in groups if n])


def _append(variable: str, lines: Iterable[str]) -> None:
    """Adds lines to the file that the workflow names in a variable, if it does."""
    if path := os.environ.get(variable):
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
