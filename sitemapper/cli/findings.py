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
    first, more = _few(report.findings, is_all=flags.verbose)
    if flags.format == "json":
        emit(_as_json(report, first, more))
    elif flags.format == "github":
        # Errors come first, because GitHub shows only ten.
        annotations = [
            annotation(one.severity, one.message, one.code, one.file, one.line)
            for one in sorted(first, key=lambda one: one.severity)
        ]
        print_for_github(report.command, annotations, _text(report, first, more), report.messages)
    elif flags.quiet:
        emit(map(_line, _few(failing, is_all=flags.verbose)[0]))
    else:
        emit(map(shown, _text(report, first, more)))
    if flags.format != "github" and not flags.quiet:
        for message in report.messages:
            tell(message.severity, message.text, message.help)
    return int(bool(failing))


def _few(findings: Sequence[Finding], *, is_all: bool) -> tuple[list[Finding], More]:
    """The first findings of each rule in each file, and the numbers of the others."""
    first: list[Finding] = []
    more: More = Counter()
    for one in findings:
        more[one.file, one.code] += 1
        if is_all or more[one.file, one.code] <= FEW:
            first.append(one)
    more.subtract((one.file, one.code) for one in first)
    return first, +more


def _line(one: Finding) -> str:
    return shown(f"{one.file}:{one.line}: {one.code} {one.severity}: {one.message}")


def _text(report: Report, first: Sequence[Finding], more: More) -> Iterator[str]:
    """Yields a line for each finding, where rules are explained, and the numbers.

    `2 errors, 1 warning in 3 files, 12 entries`, or `no fault in 3 files, …`.
    """
    yield from map(_line, first)
    for (file, code), number in more.items():
        yield f"{file}: and {number:,} more {code}"
    codes = {one.code for one in first}
    if codes:
        rules = codes.pop() if len(codes) == 1 else "the rules"
        yield f"docs/checks.md explains {rules} and how to fix the findings"
    kinds = Counter(one.severity for one in report.findings)
    parts = [", ".join(count(kinds[kind], kind) for kind in sorted(kinds)) or "no fault"]
    if report.files:
        parts[0] += f" in {count(len(report.files), 'file')}"
        parts.append(count(sum(number for _, number in report.files), "entry", "entries"))
    if report.summary:
        parts.append(report.summary)
    yield ", ".join(parts)


def _as_json(report: Report, first: Sequence[Finding], more: More) -> list[str]:
    kinds = Counter(one.severity for one in report.findings)
    shape = {
        "files": [{"name": name, "entries": entries} for name, entries in report.files],
        "errors": kinds["error"],
        "warnings": kinds["warning"],
        "findings": [{**one._asdict(), "severity": one.severity} for one in first],
        "more": [
            {"file": file, "code": code, "count": number} for (file, code), number in more.items()
        ],
    }
    return document({**shape, **report.facts}, report.messages)
