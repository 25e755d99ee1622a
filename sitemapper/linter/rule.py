"""What a rule is, and what it finds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

Said = tuple[int, str]  # the line, and what is wrong there


class Severity(Enum):
    """Errors break the protocol or contradict the site; warnings are bad for you."""

    ERROR = "error"
    WARNING = "warning"


class Rule(NamedTuple):
    """A stable code, its severity, and what it is about: a function that looks at one kind of fact, or
    the kind of fault that the reader itself meets. The docstring is the rule's page."""

    code: str
    severity: Severity
    about: Callable[..., Any]

    @property
    def title(self) -> str:
        """The rule in one sentence."""
        return self.page.partition("\n")[0]

    @property
    def page(self) -> str:
        """What the rule finds, why that matters, how to mend it."""
        return inspect.getdoc(self.about) or ""

    def at(self, file: str, said: Said) -> Finding:
        """What the rule says of a line of a file."""
        return Finding(self.code, self.severity, file, *said)


class Finding(NamedTuple):
    """One fault: the rule's code, its severity, the file, the line (from 1), and a sentence."""

    code: str
    severity: Severity
    file: str
    line: int
    message: str
