"""The findings of `validate`, `verify` and `check`: their numbers, and those that are shown."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from ..linter import Finding, Severity
from .options import RunOptions, ValidateOptions
from .render import renderer
from .words import FEW, emit, plural, use_color


class Findings:
    """Counts findings, and keeps the first `few` of each rule in each file to show.

    `base` is the base URL that a text may leave out. With `is_strict`, warnings fail the command.
    """

    def __init__(
        self,
        command: str,
        options: RunOptions | ValidateOptions,
        *,
        base: str = "",
        is_strict: bool = False,
    ) -> None:
        self.command, self.options, self.base, self.is_strict = command, options, base, is_strict
        self.shown: list[Finding] = []
        self.files: list[tuple[str, int]] = []
        is_sarif = options.format == "sarif"
        self._few = sys.maxsize if options.verbose or is_sarif else FEW
        self._most = 5000 if is_sarif else sys.maxsize  # GitHub's limit
        self._counts: Counter[tuple[str, str]] = Counter()
        self.severities: Counter[Severity] = Counter()

    def gather(self, findings: Iterable[Finding]) -> None:
        """Adds findings."""
        for finding in findings:
            self.severities[finding.severity] += 1
            self._counts[finding.file, finding.code] += 1
            if (
                self._counts[finding.file, finding.code] <= self._few
                and len(self.shown) < self._most
            ):
                self.shown.append(finding)

    def fails(self, severity: Severity) -> bool:
        """Whether a finding of a severity fails the command."""
        return self.is_strict or severity is Severity.ERROR

    def summary(self) -> str:
        """The numbers of errors, warnings, files and entries, as text."""
        counts = [plural(n, s.value) for s in Severity if (n := self.severities[s])]
        if not self.files:
            return ", ".join(counts) or "no fault found"
        files, urls = plural(len(self.files), "file"), sum(entries for _, entries in self.files)
        return f"{', '.join(counts) or 'no fault'} in {files}, {plural(urls, 'entry')}"

    def worst_first(self) -> list[Finding]:
        """The kept findings, errors before warnings."""
        return sorted(self.shown, key=lambda f: list(Severity).index(f.severity))

    def count(self, code: str) -> int:
        """The number of findings of a rule."""
        return sum(n for (_, of), n in self._counts.items() if of == code)

    def more(self) -> Iterator[tuple[tuple[str, str], int]]:
        """The number of findings that were not kept, by file and rule."""
        yield from ((key, n - self._few) for key, n in self._counts.items() if n > self._few)

    def print(self) -> int:
        """Prints the findings, and returns the exit code: 1 if they fail the command."""
        emit(
            renderer("findings", self.options.format)(
                self, use_color(self.options.color, sys.stdout)
            )
        )
        return int(any(map(self.fails, self.severities)))
