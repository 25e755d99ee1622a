"""A rule with its manual, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Severity(Enum):
    """An error breaks the protocol or contradicts the site; a warning harms the site."""

    ERROR = "error"
    WARNING = "warning"


class Finding(NamedTuple):
    """One fault: the code and severity of its rule, the file, the line (from 1), and a sentence."""

    code: str
    severity: Severity
    file: str
    line: int
    message: str


@dataclass(frozen=True)
class Rule:
    """A stable code, a severity, the rule in one sentence, and why it matters and how to fix it."""

    code: str
    severity: Severity
    title: str
    reason: str

    @property
    def manual(self) -> str:
        """The whole text."""
        return f"{self.title}\n\n{self.reason}"

    def at(self, file: str, line: int, message: str) -> Finding:
        """The finding at a line of a file."""
        return Finding(self.code, self.severity, file, line, message)


Fault = tuple[Rule, int, str]  # the line, and what is wrong there


def rules(manual: str) -> tuple[Rule, ...]:
    """The rules of a manual: paragraphs of which the first line is `CODE severity: title`."""
    made = []
    for paragraph in manual.strip().split("\n\n"):
        head, _, reason = paragraph.partition("\n")
        name, _, title = head.partition(": ")
        code, severity = name.split()
        made.append(Rule(code, Severity(severity), title, reason))
    return tuple(made)


def shorten(text: str, most: int = 100) -> str:
    """The text, or its beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
