"""What `validate`, `verify` and `check` found: the counts, and the findings that are shown."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from ..config.settings import Settings
from ..linter import Finding, Severity
from ..linter.rules.pages import OUT_OF_DATE, REQUIRED
from ..summary import Change, Summary
from .options import RunOptions, ValidateOptions
from .render import View, renderer
from .streams import emit, use_color
from .words import FEW, amounts, place, plural

CheckedOptions = RunOptions | ValidateOptions


class Findings:
    """Counts findings, and keeps `most` of them: the first `few` of each rule in each file."""

    def __init__(self, few: int = FEW, most: int = sys.maxsize) -> None:
        self.shown: list[Finding] = []
        self.files: list[tuple[str, int]] = []
        self._few, self._most = few, most
        self._counts: Counter[tuple[str, str]] = Counter()
        self.severities: Counter[Severity] = Counter()

    def read(self, name: str, entries: int) -> None:
        """Adds a file with its number of entries."""
        self.files.append((name, entries))

    def gather(self, findings: Iterable[Finding]) -> None:
        """Adds findings."""
        for finding in findings:
            self.severities[finding.severity] += 1
            self._counts[finding.file, finding.code] += 1
            if self._counts[finding.file, finding.code] <= self._few and len(self.shown) < self._most:
                self.shown.append(finding)

    def summary(self) -> str:
        """The numbers of errors, warnings, files and entries."""
        counts = [plural(n, s.value) for s in Severity if (n := self.severities[s])]
        if not self.files:
            return ", ".join(counts) or "no fault found"
        files, urls = plural(len(self.files), "file"), sum(entries for _, entries in self.files)
        return f"{', '.join(counts) or 'no fault'} in {files}, {plural(urls, 'entry')}"

    def worst_first(self) -> list[Finding]:
        """The findings that are kept, errors before warnings."""
        return sorted(self.shown, key=lambda f: list(Severity).index(f.severity))

    def count(self, code: str) -> int:
        """The number of findings of a rule."""
        return sum(n for (_, of), n in self._counts.items() if of == code)

    def more(self) -> Iterator[tuple[tuple[str, str], int]]:
        """The number of findings that are not kept, by file and rule."""
        yield from ((key, n - self._few) for key, n in self._counts.items() if n > self._few)


def findings_of(summary: Summary, settings: Settings, missing: Iterable[str] | None) -> Findings:
    """The findings of `check`: required pages that are not listed, and files that are out of date."""
    main = place(settings.sitemap.name, settings)
    findings = Findings(few=sys.maxsize)
    findings.gather(REQUIRED.at(main, 1, message) for message in missing or ())
    counts = amounts(summary.changes.items()) or "no URL changes"
    for file in summary.files:
        if file.change is not Change.KEPT:
            about = f" ({counts})" if file.name != "robots.txt" else ""
            message = f"would be {file.change.value} by sitemapper build{about}"
            findings.gather([OUT_OF_DATE.at(place(file.name, settings), 1, message)])
    return findings


def new_findings(options: CheckedOptions) -> Findings:
    """The counter that keeps what a format shows. GitHub takes 5,000 findings as SARIF."""
    if options.format == "sarif":
        return Findings(few=sys.maxsize, most=5000)
    return Findings(few=sys.maxsize if options.verbose else FEW)


def print_findings(
    findings: Findings, options: CheckedOptions, command: str, *, strict: bool, base: str = ""
) -> bool:
    """Prints findings, and returns whether they fail the command."""
    color = use_color(options.color, sys.stdout)
    view = View(command, color, options.verbose, options.quiet, strict, base)
    emit(renderer("findings", options.format)(findings, view))
    return bool(findings.severities.total() if strict else findings.severities[Severity.ERROR])
