"""`validate`, and the findings of `validate` and `verify`: as text, as JSON, for GitHub."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ..config import load
from ..linter import Finding, chosen, lint
from ..messages import Message, count
from ..protocol import MAX_BYTES
from .console import emit, shown, tell
from .options import STDOUT, FindingFlags
from .render import FEW, annotation, document, print_for_github

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
    """Prints the findings and messages, and returns the exit code: 1 for an error, else 0.

    If it `is_strict`, warnings count as errors. With --quiet, only what fails the command is
    printed.
    """
    failing = [finding for finding in report.findings if finding.severity == "error" or is_strict]
    printed = failing if flags.quiet else report.findings
    findings, more = _first_findings(printed, is_all=flags.verbose)
    lines = [
        f"{finding.file}:{finding.line}: {finding.code} {finding.severity}: {finding.message}"
        for finding in findings
    ]
    if not flags.quiet:
        lines += _summary_lines(report, more)

    if flags.format == "json":
        emit(_as_json(report, findings, more))
    elif flags.format == "github":
        # Errors come first, because GitHub shows only ten.
        findings.sort(key=lambda finding: finding.severity)
        annotations = [
            annotation(finding.severity, finding.message, finding.code, finding.file, finding.line)
            for finding in findings
        ]
        print_for_github(report.command, annotations, lines, report.messages)
    else:
        emit(map(shown, lines))
    if flags.format != "github" and not flags.quiet:  # `print_for_github` has printed them
        for message in report.messages:
            tell(message.severity, message.text, message.help)
    return 1 if failing else 0


def _first_findings(findings: Sequence[Finding], *, is_all: bool) -> tuple[list[Finding], More]:
    """The first 20 findings of each rule in each file, and how many more there are.

    One fault of a template may be in thousands of entries. `is_all` keeps all findings.
    """
    numbers: More = Counter()
    first: list[Finding] = []
    more: More = Counter()
    for finding in findings:
        key = finding.file, finding.code
        numbers[key] += 1
        if is_all or numbers[key] <= FEW:
            first.append(finding)
        else:
            more[key] += 1
    return first, more


def _summary_lines(report: Report, more: More) -> Iterator[str]:
    """Yields the lines below the findings, of which the last one counts all findings.

    `2 errors, 1 warning in 3 files, 12 entries`, or `no fault in 3 files, …`.
    """
    for (file, code), number in more.items():
        yield f"{file}: and {number:,} more {code}"
    if report.findings:
        yield "docs/checks.md explains the rules and how to fix the findings"
    kinds = Counter(finding.severity for finding in report.findings)
    numbers = ", ".join(count(kinds[kind], kind) for kind in sorted(kinds)) or "no fault"
    if report.files:
        files = count(len(report.files), "file")
        entries = sum(number for _, number in report.files)
        numbers += f" in {files}, {count(entries, 'entry', 'entries')}"
    yield f"{numbers}, {report.summary}" if report.summary else numbers


def _as_json(report: Report, findings: Sequence[Finding], more: More) -> list[str]:
    """The report as JSON: the findings to print, and how many more there are of each kind."""
    kinds = Counter(finding.severity for finding in report.findings)
    shape = {
        "files": [{"name": name, "entries": entries} for name, entries in report.files],
        "errors": kinds["error"],
        "warnings": kinds["warning"],
        "findings": [{**finding._asdict(), "severity": finding.severity} for finding in findings],
        "more": [
            {"file": file, "code": code, "count": number} for (file, code), number in more.items()
        ],
    }
    return document({**shape, **report.facts}, report.messages)


def validate(paths: Sequence[str], flags: FindingFlags) -> int:
    """Validates sitemaps, prints what was found, and returns the exit code.

    Raises SitemapperError for what a user can mend.
    """
    codes = chosen(flags.select, flags.disable)
    settings = load({"strict": flags.strict}, os.getcwd(), os.environ).settings

    def fetch(url: str) -> bytes | None:
        """Downloads a URL, None if the host does not have it."""
        from ..net import Client  # few runs need it

        return Client(os.environ).download(url)

    # One byte more than the protocol allows shows that the sitemap on stdin is too large.
    data = sys.stdin.buffer.read(MAX_BYTES + 1) if STDOUT in paths else b""
    linted = lint(
        paths,
        now=int(datetime.now(UTC).timestamp()),
        obeys_robots=settings.respect.robots,
        stdin=data,
        fetch=fetch,
    )
    findings = [finding for finding in linted.findings if finding.code in codes]
    report = Report("validate", findings, linted.files)
    return print_report(report, flags, is_strict=settings.strict)
