"""A rule with its manual, and what it finds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

Message = tuple[int, str]  # the line, and what is wrong there
Subject = TypeVar("Subject")


class Severity(Enum):
    """An error breaks the protocol or contradicts the site; a warning harms the site."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Rule:
    """A stable code, a severity, and the text that says what is wrong, why it matters and how to fix it."""

    code: str
    text: str
    severity: Severity = Severity.ERROR

    @property
    def manual(self) -> str:
        """The text without the indentation of the source; the first line is the title."""
        return inspect.cleandoc(self.text)

    @property
    def title(self) -> str:
        """The rule in one sentence."""
        return self.manual.partition("\n")[0]

    def at(self, file: str, message: Message) -> Finding:
        """The finding at a line of a file."""
        return Finding(self.code, self.severity, file, *message)


Find = Callable[[Subject], Iterator[Message]]


@dataclass(frozen=True, kw_only=True)
class RuleFor(Rule, Generic[Subject]):
    """A rule that one function decides, for an entry, a document or a link.

    `sees_plain` is for rules that may find something in a plain entry: one with nothing but a well-formed URL
    that is new to the file, and a date in the past. Most cannot, and their time is spared.
    """

    find: Find[Subject]
    sees_plain: bool = True


def rule(
    code: str, severity: Severity = Severity.ERROR, *, sees_plain: bool = True
) -> Callable[[Find[Subject]], RuleFor[Subject]]:
    """Makes a rule of a function; its docstring is the manual."""
    return lambda find: RuleFor(code, find.__doc__ or "", severity, find=find, sees_plain=sees_plain)


class Finding(NamedTuple):
    """One fault: the code and severity of its rule, the file, the line (from 1), and a sentence."""

    code: str
    severity: Severity
    file: str
    line: int
    message: str


def shorten(text: str, most: int = 100) -> str:
    """The text, or its beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
