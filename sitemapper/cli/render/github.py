"""Results for GitHub Actions: annotations, the summary of the job, the outputs of the step."""

import os
from collections.abc import Iterable, Iterator, Sequence

from ...linter import Finding
from ...model import Change, Fate, Summary
from ...tally import EXAMPLES
from ..findings import Findings
from ..run import ObservedRun
from ..text import amounts, plural, shown
from ..words import by_fate, describe_with_remedy, listed_and_excluded, message_text
from . import markdown
from .markdown import code, table

_MOST_ROWS = 20  # of a table in the summary of a job


def run(run: ObservedRun, color: bool) -> Iterator[str]:
    """Annotations for a build or a check, and for its warnings."""
    summary = run.summary
    if run.is_check:
        yield from map(_check_annotation, run.findings(with_gone=False).shown)
    else:
        yield annotation("notice", _notice(summary), title="sitemap")
    yield from _gone_annotations(run)
    lines = [f"### sitemapper {run.command}\n", *_job_summary(run)]
    yield from _append("GITHUB_STEP_SUMMARY", lines)
    outputs = (f"{name}={value}" for name, value in _outputs(run).items())
    yield from _append("GITHUB_OUTPUT", outputs)
    for warning in summary.warnings:
        yield annotation("warning", message_text(warning), title="sitemap")


def _notice(summary: Summary) -> str:
    """`https://example.com/sitemap.xml: 12 listed, 2 added`."""
    counts = f"{summary.sitemap}: {summary.listed:,} listed"
    changes = amounts(summary.changes.items())
    if summary.compared_with:
        return f"{counts}, {changes or 'nothing changed'} since {summary.compared_with}"
    return f"{counts}, {changes}" if changes else counts


def _check_annotation(finding: Finding) -> str:
    """The annotation for a required page that is not listed, or for a file that is out of date."""
    if finding.code == "required":
        return annotation("error", finding.message, title="required page")
    return annotation(
        "error", finding.message, file=finding.file, line=1, title="sitemap out of date"
    )


def _gone_annotations(run: ObservedRun) -> Iterator[str]:
    """An annotation for all lost URLs, and one for all that have moved."""
    kind = "warning" if run.is_check else "notice"
    groups = by_fate(run.summary.gone)
    for fate in (Fate.LOST, Fate.MOVED):
        urls = groups.get(fate.value, ())
        if urls:
            first = "; ".join(map(describe_with_remedy, urls[:EXAMPLES]))
            others = len(urls) - EXAMPLES
            more = f"; and {others:,} more" if others > 0 else ""
            yield annotation(kind, f"{plural(len(urls), 'URL')}: {first}{more}", title=fate.value)


def _outputs(run: ObservedRun) -> dict[str, object]:
    """The outputs of the step."""
    summary = run.summary
    outputs: dict[str, object] = {
        "sitemap": summary.sitemap,
        "listed": summary.listed,
        "excluded": sum(summary.excluded.values()),
    }
    for change, count in summary.changes.items():
        outputs[change.value] = count
    if run.options.changes:
        outputs["changes-file"] = run.options.changes
    return outputs


def findings(findings: Findings, color: bool) -> Iterator[str]:
    """Annotations that GitHub shows beside the files.

    Errors come first, because GitHub shows only ten.
    """
    for finding in findings.worst_first():
        yield annotation(
            finding.severity.value,
            finding.message,
            file=finding.file,
            line=finding.line,
            title=finding.code,
        )
    for others in findings.others():
        message = f"and {others.amount:,} more"
        yield annotation("warning", message, file=others.file, line=1, title=others.code)
    rows = markdown.findings(findings, color, most=_MOST_ROWS)
    yield from _append("GITHUB_STEP_SUMMARY", [f"### sitemapper {findings.command}\n", *rows])


def annotation(kind: str, message: str, **properties: object) -> str:
    """One workflow command: `::error file=a.xml,line=3,title=SM203::<loc> is not a URL`.

    It is escaped as in `packages/core/src/command.ts` of actions/toolkit.
    """
    escaped = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{kind} {escaped}::{_escape(message)}"


def _escape_property(value: object) -> str:
    return _escape(str(value)).replace(":", "%3A").replace(",", "%2C")


def _escape(text: str) -> str:
    return shown(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _job_summary(run: ObservedRun) -> Iterator[str]:
    """The job summary in Markdown."""
    summary = run.summary
    yield f"{code(summary.sitemap)}: {listed_and_excluded(summary)}."
    if run.is_same is not None:
        yield _verdict(is_same=run.is_same, other=summary.compared_with)
    if summary.previous is None:
        yield "There was no earlier sitemap to compare with."
    else:
        changes = [
            (change.value, count, [one.url for one in run.changes[change]])
            for change, count in summary.changes.items()
        ]
        yield from _counts(("change", "URLs", "first"), changes)
    gone = [
        (name, len(urls), map(describe_with_remedy, urls[:EXAMPLES]))
        for name, urls in by_fate(summary.gone).items()
    ]
    yield from _counts(("gone", "URLs", "first"), gone)
    reasons = [
        (reason.value, count, [one.path for one in run.examples[reason] if not one.is_folder])
        for reason, count in summary.excluded.items()
    ]
    yield from _counts(("excluded", "pages", "first"), reasons)
    required = [[code(text)] for text in run.missing or ()]
    yield from table(("required, but not listed",), required)
    changed = [
        [code(file.name), file.change.value]
        for file in summary.files
        if file.change is not Change.KEPT
    ]
    yield from table(("file", "change"), changed)
    warnings = [
        (" ".join(warning.kind.split("_")), warning.cases, warning.subjects)
        for warning in summary.warnings
    ]
    yield from _counts(("warning", "times", "first"), warnings)


def _verdict(*, is_same: bool, other: str) -> str:
    """The result of a check as a sentence. `other` is a sitemap from elsewhere, "" for ours."""
    if other:
        return f"{'The same as' if is_same else 'Not the same as'} {code(other)}."
    if is_same:
        return "This is what a build would write."
    return "A build would write something else."


def _counts(head: Sequence[str], rows: Iterable[tuple[str, int, Iterable[str]]]) -> Iterator[str]:
    """A table: in each row a kind of change, reason or warning, its count, its first examples."""
    cells = []
    for name, count, first in rows:
        if count:
            cells.append([name, f"{count:,}", "<br>".join(map(code, first))])
    return table(head, cells)


def _append(variable: str, lines: Iterable[str]) -> Iterator[str]:
    """Adds lines to the file that an environment variable names, if it is set.

    Yields a warning if it cannot, else nothing.
    """
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        yield annotation("warning", f"{variable}: {path}: {error.strerror}", title="sitemap")
