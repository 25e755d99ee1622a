"""Results for GitHub Actions: annotations, the summary of the job, the outputs of the step."""

import os
import re
from collections.abc import Iterable, Iterator

from ...messages import Kind
from ...model import Change, Summary
from ..console import message_lines
from ..findings import Findings
from ..run import ObservedRun
from ..text import amounts, shown
from ..words import message_text
from . import text

# Rows of a table in the summary of a job. GitHub drops a summary of more than 1 MiB.
_MAX_ROWS = 20


def run(observed: ObservedRun, color: bool) -> Iterator[str]:
    """Yields annotations, which GitHub shows with the job, and writes two files for GitHub.

    There are annotations for the result, for URLs that are gone, and for warnings. GitHub names the
    files in environment variables: one takes the summary of the job, and one the outputs of the
    step, such as `listed=12`, which later steps can read. If a file cannot be written, another
    annotation says so.
    """
    summary = observed.summary
    if observed.is_check:
        yield from _check_annotations(observed)
    else:
        yield annotation("notice", _notice(summary), title="sitemap")
    # One annotation for all lost URLs, and one for all that have moved. A check warns of them. A
    # build has published already, so it only notes them.
    for note in summary.notes:
        if note.kind in (Kind.LOST, Kind.MOVED):
            level = "warning" if observed.is_check else "notice"
            yield annotation(level, message_text(note), title=note.kind.value)
    yield from _append_to_file("GITHUB_STEP_SUMMARY", _job_summary(observed))
    outputs = (f"{name}={value}" for name, value in _outputs(observed).items())
    yield from _append_to_file("GITHUB_OUTPUT", outputs)
    for warning in summary.warnings:
        yield annotation("warning", message_text(warning), title="sitemap")


def _notice(summary: Summary) -> str:
    """Says what a build listed and changed: `https://a.example/sitemap.xml: 12 listed, 2 added`.

    With `--previous` elsewhere: `…: 12 listed, 2 added since https://a.example/sitemap.xml`.
    """
    counts = f"{summary.sitemap}: {summary.listed:,} listed"
    changes = amounts(summary.changes.items())
    if summary.compared_with:
        return f"{counts}, {changes or 'nothing changed'} since {summary.compared_with}"
    return f"{counts}, {changes}" if changes else counts


def _check_annotations(run: ObservedRun) -> Iterator[str]:
    """Yields an annotation for each required page that is not listed, and each outdated file.

    - If the check compared with another sitemap, such as the live one: at most one annotation,
      `differs from https://a.example/sitemap.xml (2 added)`, at line 1 of our sitemap.
    - Otherwise, one at line 1 of each file that a build would change: `would be updated by
      sitemapper build (2 added)`. If no URL changes, but something else in the file does, the text
      ends in `(no URL changes)`.
    """
    for sentence in run.missing:
        yield annotation("error", sentence, title="required page")
    summary = run.summary
    counts = amounts(summary.changes.items())
    outdated: list[tuple[str, str]] = []  # the names of files, each with what is wrong
    if summary.compared_with:  # then only URLs and dates are compared
        if counts:
            what = f"differs from {summary.compared_with} ({counts})"
            outdated.append((run.setup.site.output.name, what))
    else:
        for file in summary.files:
            if file.change is Change.KEPT:
                continue
            what = f"would be {file.change.value} by sitemapper build"
            if file.name != "robots.txt":  # which contains no URLs of pages
                what = f"{what} ({counts or 'no URL changes'})"
            outdated.append((file.name, what))
    for name, what in outdated:
        file_name = run.output_file(name)
        yield annotation("error", what, file=file_name, line=1, title="sitemap out of date")


def _outputs(run: ObservedRun) -> dict[str, object]:
    """Returns the outputs of the step by name: `{"sitemap": "https://…", "listed": 12, …}`.

    They also have the numbers of excluded, added, changed and removed URLs, and `changes-file` if
    `--changes` is given. The caller writes each as a line `listed=12`.
    """
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


def findings(found: Findings, color: bool) -> Iterator[str]:
    """Yields an annotation for each finding, which GitHub shows beside the line of the file.

    Errors come first, because GitHub shows only ten. Also adds a table to the summary of the job.
    """
    for finding in found.worst_first():
        yield annotation(
            finding.severity.value,
            finding.message,
            file=finding.file,
            line=finding.line,
            title=finding.code,
        )
    for others in found.others():
        message = f"and {others.amount:,} more"
        yield annotation("warning", message, file=others.file, line=1, title=others.code)
    yield from _append_to_file("GITHUB_STEP_SUMMARY", _findings_summary(found))


def _findings_summary(found: Findings) -> Iterator[str]:
    """Yields the summary of the job: the totals, and a table of the first 20 findings.

    Errors come first: `| SM203 error | `a.xml:3` | `…` |`. The number of the others follows.
    """
    yield f"### sitemapper {found.command}\n"
    yield f"**sitemapper**: {found.summary()}"
    first = found.worst_first()[:_MAX_ROWS]
    if first:
        yield "\n| rule | where | what |\n|---|---|---|"
    for finding in first:
        rule = f"{finding.code} {finding.severity.value}"
        where = _code(f"{finding.file}:{finding.line}")
        yield f"| {rule} | {where} | {_code(finding.message)} |"
    others = found.severities.total() - len(first)
    if others:
        yield f"\nand {others:,} more"


def _code(text: str) -> str:
    """Writes a text as a code span, so that nothing in it is markup: `a*b*` → `` `a*b*` ``.

    Bars are escaped, because they would end the cell of a table: `a|b` → `` `a\\|b` ``.
    """
    safe = shown(text)
    # A text with backticks needs a longer row of backticks around it (CommonMark, code spans).
    longest_row = max(map(len, re.findall("`+", safe)), default=0)
    ticks = "`" * (longest_row + 1)
    space = " " if longest_row else ""  # so that a backtick at the end is not part of the row
    return f"{ticks}{space}{safe}{space}{ticks}".replace("|", "\\|")


def annotation(kind: str, message: str, **properties: object) -> str:
    """Writes a workflow command: `::error file=a.xml,line=3,title=SM203::<loc> is not a URL`.

    Messages and properties are escaped as in `packages/core/src/command.ts` of actions/toolkit.
    """
    texts = []
    for key, value in properties.items():
        # A colon or a comma would end the value of a property.
        escaped = _escape(str(value)).replace(":", "%3A").replace(",", "%2C")
        texts.append(f"{key}={escaped}")
    return f"::{kind} {','.join(texts)}::{_escape(message)}"


def _escape(text: str) -> str:
    """Escapes line breaks, which would end the command, and the % of the escapes themselves."""
    return shown(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _job_summary(run: ObservedRun) -> Iterator[str]:
    """Yields the summary of the job: what the command prints as text, in a block of code.

    No line of that text can be the fence that ends the block, because sitemapper begins each line
    with a word or a sign of its own, never with a text of the user.
    """
    yield f"### sitemapper {run.command}\n\n```text"
    yield from text.run(run, color=False)
    for warning in run.summary.warnings:
        yield from message_lines("warning", message_text(warning), color=False)
    yield "```"


def _append_to_file(variable: str, lines: Iterable[str]) -> Iterator[str]:
    """Appends lines to the file that an environment variable such as GITHUB_OUTPUT names.

    Yields nothing, or a warning as an annotation if the file cannot be written. Outside of GitHub,
    the variable is not set, and nothing is written.
    """
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        yield annotation("warning", f"{variable}: {path}: {error.strerror}", title="sitemap")
