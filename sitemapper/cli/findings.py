"""Collects the findings of `validate` and `verify`, and prints them."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..linter import Finding, Severity
from ..messages import Kind, Message
from .console import emit, use_color
from .options import FINDINGS_FORMAT, MAIN, QUIET, FindingsFormat, flag
from .render import renderer
from .text import FEW, plural
from .words import message_text

# Notes of `verify` that are a part of the summary: "200 of 3,000 URLs requested".
REQUESTS = frozenset({Kind.REQUESTED, Kind.REQUESTED_UNTIL_LIMIT})


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ValidateOptions:
    """The options that `validate` and `verify` share."""

    select: tuple[str, ...] = flag(
        (),
        MAIN,
        "Check only this rule, such as SM203, or family, such as SM2  [repeatable]",
        "CODE",
    )
    disable: tuple[str, ...] = flag((), MAIN, "Skip this rule or family  [repeatable]", "CODE")
    strict: bool = flag(False, MAIN, "Exit with 1 if there are warnings.")
    format: FindingsFormat = FINDINGS_FORMAT
    quiet: bool = QUIET
    verbose: bool = flag(False, MAIN, "Print every finding.", short="-v")


class OtherFindings(NamedTuple):
    """The number of findings of one rule in one file that are counted, but not shown."""

    file: str
    code: str
    amount: int


class Findings:
    """Counts findings, and keeps the first 20 of each rule in each file to show.

    With `--verbose`, it keeps all of them.
    """

    def __init__(
        self,
        command: str,
        options: ValidateOptions,
        *,
        is_strict: bool,
    ) -> None:
        self.command = command  # "validate" or "verify"
        self.options = options
        self.is_strict = is_strict  # whether warnings fail the command, too

        # Filled by the command.
        self.files: list[tuple[str, int]] = []  # that were read, with their numbers of entries
        self.settings: list[str] = []  # lines for sitemapper.toml that `verify` proposes
        self.notes: list[Message] = []  # of `verify`

        # Filled by `gather`.
        self.shown: list[Finding] = []
        self.severities: Counter[Severity] = Counter()
        self._counts: Counter[tuple[str, str]] = Counter()  # findings by file and rule

        # How many findings of a rule are kept in one file.
        self._max_of_rule = sys.maxsize if options.verbose else FEW

    def gather(self, findings: Iterable[Finding]) -> None:
        """Counts findings, and keeps the first few of each rule in each file in `shown`."""
        for finding in findings:
            self.severities[finding.severity] += 1
            rule_in_file = (finding.file, finding.code)
            self._counts[rule_in_file] += 1
            if self._counts[rule_in_file] <= self._max_of_rule:
                self.shown.append(finding)

    def fails(self, severity: Severity) -> bool:
        """Whether a finding of a severity fails the command."""
        return self.is_strict or severity is Severity.ERROR

    def summary(self) -> str:
        """Writes the numbers as text: `2 errors, 1 warning in 3 files, 12 entries`.

        For `verify`, the number of requested URLs follows: `…, 200 of 3,000 URLs requested`.
        """
        counts = ", ".join(
            plural(self.severities[severity], severity.value)
            for severity in Severity
            if self.severities[severity]
        )
        if not self.files:
            return counts or "no fault found"
        files = plural(len(self.files), "file")
        entries = plural(sum(entries for _, entries in self.files), "entry")
        requested = [message_text(note) for note in self.notes if note.kind in REQUESTS]
        return ", ".join([f"{counts or 'no fault'} in {files}", entries, *requested])

    def worst_first(self) -> list[Finding]:
        """Sorts the kept findings, errors before warnings. Some formats show only the first."""
        order = list(Severity)
        return sorted(self.shown, key=lambda finding: order.index(finding.severity))

    def codes(self) -> set[str]:
        """Returns the codes of the rules that were broken."""
        return {code for _, code in self._counts}

    def others(self) -> Iterator[OtherFindings]:
        """Yields the number of findings that are not shown, for each file and rule.

        `OtherFindings("s.xml", "SM304", 10)`, if 30 were found and 20 of them are shown.
        """
        for (file, code), count in self._counts.items():
            if count > self._max_of_rule:
                yield OtherFindings(file, code, count - self._max_of_rule)

    def print(self) -> int:
        """Prints the findings, and returns the exit code: 1 if they fail the command."""
        show = renderer("findings", self.options.format)
        emit(show(self, use_color(sys.stdout)))
        is_failure = any(map(self.fails, self.severities))  # of all findings, not only those shown
        return 1 if is_failure else 0
