"""What a run says beside its result: errors, warnings, notes, and its progress."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

EXAMPLES = 3  # items that a sentence names

Severity = Literal["warning", "note"]


class Message(NamedTuple):
    """A warning or a note. `code` is one short word for programs, and `help` says what to do."""

    severity: Severity
    code: str
    text: str
    help: str = ""

    def __str__(self) -> str:
        """Writes the text, and `help: …` below."""
        return f"{self.text}\nhelp: {self.help}" if self.help else self.text


def listing(items: Iterable[object]) -> str:
    """Lists the first items, and counts the rest: `a.html, b.html, c.html and 9 more`."""
    texts = [str(item) for item in items]
    shown = ", ".join(texts[:EXAMPLES])
    more = len(texts) - EXAMPLES
    return f"{shown} and {more:,} more" if more > 0 else shown


def count(number: int, noun: str, plural: str = "") -> str:
    """Writes a number with its noun: `1 page`, `2,000 pages`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def joined(words: Sequence[str], conjunction: str = "or") -> str:
    """Joins words as in a sentence: `a, b or c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


class SitemapperError(Exception):
    """What is wrong and where, and what to do about it. A command prints it and exits with 2."""

    def __init__(self, text: str, help: str = "") -> None:
        super().__init__(f"{text}\nhelp: {help}" if help else text)
        self.text = text
        self.help = help


class PreviewError(SitemapperError):
    """The site was built for a preview, so nothing is published: build and check exit with 0."""


class Observer:
    """Hears how far a run is. Its methods do nothing; a subclass overrides what it needs."""

    def begins(self, step: str, total: int | None) -> None:
        """A step of the run begins, such as "reading". `total` is how many pages it takes."""

    def advances(self, pages: int) -> None:
        """So many more pages are done."""


QUIET = Observer()
