"""Results for GitHub Actions: annotations, the summary of the job, the outputs of the step."""

import os
from collections.abc import Iterable, Iterator

from ...linter.rules.pages import OUT_OF_DATE, REQUIRED
from ...messages import Kind
from ...model import Summary
from ..console import message_lines
from ..findings import Findings
from ..run import ObservedRun
from ..text import amounts, shown
from ..words import message_text
from . import markdown, text

# Rows of a table in the summary of a job. GitHub drops a summary of more than 1 MiB.
_MOST_ROWS = 20


def run(run: ObservedRun, color: bool) -> Iterator[str]:
    """Annotations for a build or a check, and for its warnings."""
    summary = run.summary
    if run.is_check:
        yield from _check_annotations(run)
    else:
        yield annotation("notice", _notice(summary), title="sitemap")
    yield from _gone_annotations(run)
    yield from _append("GITHUB_STEP_SUMMARY", _job_summary(run))
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


def _check_annotations(run: ObservedRun) -> Iterator[str]:
    """An annotation for each required page that is not listed, and each file that is out of date.

    URLs that are gone may be many, so they have one annotation for all.
    """
    for finding in run.findings().shown:
        if finding.code == REQUIRED.code:
            yield annotation("error", finding.message, title="required page")
        elif finding.code == OUT_OF_DATE.code:
            title = "sitemap out of date"
            yield annotation("error", finding.message, file=finding.file, line=1, title=title)


def _gone_annotations(run: ObservedRun) -> Iterator[str]:
    """An annotation for all lost URLs, and one for all that have moved."""
    kind = "warning" if run.is_check else "notice"
    for note in run.summary.notes:
        if note.kind in (Kind.LOST, Kind.MOVED):
            yield annotation(kind, message_text(note), title=note.kind.value)


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
    """The summary of the job: what the command prints as text, in a block of code.

    No line can end the block, because each begins with a word or a sign of ours.
    """
    yield f"### sitemapper {run.command}\n\n```text"
    yield from text.run(run, color=False)
    for warning in run.summary.warnings:
        yield from message_lines("warning", message_text(warning), color=False)
    yield "```"


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
