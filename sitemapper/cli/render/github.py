"""Results for GitHub Actions: annotations, the summary of the job, the outputs of the step."""

import os
from collections.abc import Iterable, Iterator, Sequence

from ...model import Change
from ..findings import Findings
from ..result import Result
from ..words import amounts, listed_and_excluded, shown, warning_text
from . import markdown
from .markdown import code, table


def run(result: Result, color: bool) -> Iterator[str]:
    """Annotations for a build or a check, and for its warnings."""
    summary = result.summary
    if result.missing is None:
        parts = (f"{summary.listed:,} listed", amounts(summary.changes.items()))
        message = f"{summary.sitemap}: {', '.join(filter(None, parts))}"
        yield annotation("notice", message, title="sitemap")
    else:
        for f in result.findings().shown:
            if f.code == "required":
                yield annotation("error", f.message, title="required page")
            else:
                yield annotation(
                    "error", f.message, file=f.file, line=1, title="sitemap out of date"
                )
    yield from _append("GITHUB_STEP_SUMMARY", [f"### sitemapper {result.command}\n", *_run(result)])
    outputs: dict[str, object] = {
        "sitemap": summary.sitemap,
        "listed": summary.listed,
        "excluded": sum(summary.excluded.values()),
        **{change.value: count for change, count in summary.changes.items()},
        **({"changes-file": result.options.changes} if result.options.changes else {}),
    }
    yield from _append("GITHUB_OUTPUT", (f"{name}={value}" for name, value in outputs.items()))
    for warning in summary.warnings:
        yield annotation("warning", warning_text(*warning), title="sitemap")


def findings(findings: Findings, color: bool) -> Iterator[str]:
    """Annotations that GitHub shows beside the files.

    Errors come first, because GitHub shows only ten.
    """
    for f in findings.worst_first():
        yield annotation(f.severity.value, f.message, file=f.file, line=f.line, title=f.code)
    for (file, rule), count in findings.more():
        yield annotation("warning", f"and {count:,} more", file=file, line=1, title=rule)
    rows = markdown.findings(findings, color, most=20)
    yield from _append("GITHUB_STEP_SUMMARY", [f"### sitemapper {findings.command}\n", *rows])


def annotation(kind: str, message: str, **properties: object) -> str:
    """One workflow command, escaped as GitHub's toolkit does."""
    texts = ((key, _escape(str(value))) for key, value in properties.items())
    escaped = (f"{key}={text.replace(':', '%3A').replace(',', '%2C')}" for key, text in texts)
    return f"::{kind} {','.join(escaped)}::{_escape(message)}"


def _escape(text: str) -> str:
    return shown(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _run(result: Result) -> Iterator[str]:
    """The job summary in Markdown."""
    summary = result.summary
    yield f"{code(summary.sitemap)}: {listed_and_excluded(summary)}."
    if result.missing is not None:
        same, other = "This is what a build would write.", "A build would write something else."
        yield same if result.is_same else other
    if summary.previous is None:
        yield "There was no earlier sitemap to compare with."
    else:
        kinds = summary.changes.items()
        changes = [
            (kind.value, n, [url for url, _, _ in result.changes[kind]]) for kind, n in kinds
        ]
        yield from _counts(("change", "URLs", "first"), changes)
    reasons = [
        (reason.value, n, [page.path for page in result.examples[reason] if not page.is_folder])
        for reason, n in summary.excluded.items()
    ]
    yield from _counts(("excluded", "pages", "first"), reasons)
    yield from table(("required, but not listed",), [[code(text)] for text in result.missing or ()])
    files = [
        [code(file.name), file.change.value]
        for file in summary.files
        if file.change is not Change.KEPT
    ]
    yield from table(("file", "change"), files)
    warnings = [
        (kind.name.lower().replace("_", " "), n, examples) for kind, n, examples in summary.warnings
    ]
    yield from _counts(("warning", "times", "first"), warnings)


def _counts(head: Sequence[str], groups: Iterable[tuple[str, int, Sequence[str]]]) -> Iterator[str]:
    """The number of each kind, with the first example."""
    return table(
        head, [[name, f"{n:,}", "<br>".join(map(code, first))] for name, n, first in groups if n]
    )


def _append(variable: str, lines: Iterable[str]) -> Iterator[str]:
    """Adds lines to the file that an environment variable names, if it is set.

    Warns if it cannot.
    """
    try:
        if path := os.environ.get(variable):
            with open(path, "a", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        yield annotation("warning", f"{variable}: {path}: {error.strerror}", title="sitemap")
