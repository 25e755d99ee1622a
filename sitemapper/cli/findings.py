"""The findings of `validate` and `verify`, as text, as JSON, and for GitHub Actions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..linter import Finding
from ..messages import Message, count
from .console import emit, shown, tell
from .github import annotation, print_for_github
from .options import FindingFlags
from .render import FEW, document

More = Counter[tuple[str, str]]  # how many findings are not shown, by file and code


class Report(NamedTuple):
    """What a command found. `facts` are the keys that only its JSON has."""

    command: str
    findings: Sequence[Finding]
    files: Sequence[tuple[str, int]]  # with their numbers of entries
    messages: Sequence[Message] = ()
    summary: str = ""  # follows the numbers: "200 of 3,000 URLs requested"
    facts: Mapping[str, object] = {}


def print_report(report: Report, flags: FindingFlags, *, is_strict: bool) -> int:
    """Prints the findings and messages, and returns 1 if a finding fails the command."""
    failing = [one for one in report.findings if one.severity == "error" or is_strict]
    printed = failing if flags.quiet else report.findings
    findings, more = _first_of_each(printed, is_all=flags.verbose)
    lines = [f"{one.file}:{one.line}: {one.code} {one.severity}: {one.message}" for one in findings]
    if not flags.quiet:
        lines += _summary_lines(report, more)
    if flags.format == "json":
        emit(_as_json(report, findings, more))
    elif flags.format == "github":
        # Errors come first, because GitHub shows only ten.
        findings.sort(key=lambda one: one.severity)
        annotations = [
            annotation(one.severity, one.message, one.code, one.file, one.line) for one in findings
        ]
        print_for_github(report.command, annotations, lines, report.messages)
    else:
        emit(map(shown, lines))
    if flags.format != "github" and not flags.quiet:
        for message in report.messages:
            tell(message.severity, message.text, message.help)
    return 1 if failing else 0


def _first_of_each(findings: Sequence[Finding], *, is_all: bool) -> tuple[list[Finding], More]:
    """The first findings of each rule in each file, and the numbers of the others."""
    numbers: More = Counter()
    few: list[Finding] = []
    more: More = Counter()
    for one in findings:
        key = one.file, one.code
        numbers[key] += 1
        if is_all or numbers[key] <= FEW:
            few.append(one)
        else:
            more[key] += 1
    return few, more


def _summary_lines(report: Report, more: More) -> Iterator[str]:
    """Yields the lines below the findings: what is not shown, where rules are explained, numbers.

    `2 errors, 1 warning in 3 files, 12 entries`, or `no fault in 3 files, …`.
    """
    for (file, code), number in more.items():
        yield f"{file}: and {number:,} more {code}"
    if report.findings:
        yield "docs/checks.md explains the rules and how to fix the findings"
    kinds = Counter(one.severity for one in report.findings)
    numbers = ", ".join(count(kinds[kind], kind) for kind in sorted(kinds)) or "no fault"
    if report.files:
        files = count(len(report.files), "file")
        entries = sum(number for _, number in report.files)
        numbers += f" in {files}, {count(entries, 'entry', 'entries')}"
    yield f"{numbers}, {report.summary}" if report.summary else numbers


def _as_json(report: Report, findings: Sequence[Finding], more: More) -> list[str]:
    kinds = Counter(one.severity for one in report.findings)
    shape = {
        "files": [{"name": name, "entries": entries} for name, entries in report.files],
        "errors": kinds["error"],
        "warnings": kinds["warning"],
        "findings": [{**one._asdict(), "severity": one.severity} for one in findings],
        "more": [
            {"file": file, "code": code, "count": number} for (file, code), number in more.items()
        ],
    }
    return document({**shape, **report.facts}, report.messages)
