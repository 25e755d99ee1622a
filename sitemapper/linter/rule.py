"""A rule, and what it finds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

Message = tuple[int, str]  # the line, and what is wrong there


class Severity(Enum):
    """An error breaks the protocol or contradicts the site; a warning harms the site."""

    ERROR = "error"
    WARNING = "warning"


class Rule(NamedTuple):
    """A stable code, a severity, and a function that checks one kind of fact, or a kind of fault.

    The docstring of the function or fault is the rule's page.
    """

    code: str
    severity: Severity
    about: Callable[..., Any]

    @property
    def title(self) -> str:
        """The rule in one sentence."""
        return self.page.partition("\n")[0]

    @property
    def page(self) -> str:
        """What the rule finds, why it matters, how to fix it."""
        return inspect.getdoc(self.about) or ""

    def at(self, file: str, said: Message) -> Finding:
        """The finding at a line of a file."""
        return Finding(self.code, self.severity, file, *said)


class Finding(NamedTuple):
    """One fault: the code and severity of its rule, the file, the line (from 1), and a sentence."""

    code: str
    severity: Severity
    file: str
    line: int
    message: str
