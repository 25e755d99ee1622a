"""Files of the site that are not uploaded to the host, and so are not served."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from ..model import Origin
from ..syntax.gitignore import Line, Patterns, compile_line
from .host import NOT_UNDERSTOOD, Unknown

# Returns the line that withholds a file of the site, given by its path, None if it is uploaded.
Withhold = Callable[[str], Origin | None]


class Upload(NamedTuple):
    """What is uploaded: which line withholds a file, and the lines that cannot be read."""

    withhold: Withhold | None = None
    unknown: tuple[Unknown, ...] = ()


ALL_FILES = Upload()


def read_gitignore(name: str, text: str) -> Upload:
    """What a file in gitignore syntax leaves to upload. A line that cannot be read counts not."""
    lines: list[Line] = []
    unknown: list[Unknown] = []
    for line in _lines(name, text):
        try:
            compile_line(line)
        except ValueError:
            unknown.append(Unknown(line.origin, NOT_UNDERSTOOD))
        else:
            lines.append(line)
    if not lines:
        return Upload(None, tuple(unknown))
    return Upload(partial(_withholding_line, Patterns(lines)), tuple(unknown))


def _lines(name: str, text: str) -> Iterator[Line]:
    """The lines of a file with their origins."""
    for number, row in enumerate(text.splitlines(), 1):
        yield Line(row, Origin(name, number, row.strip()))


def _withholding_line(patterns: Patterns, path: str) -> Origin | None:
    """The line that withholds a file, None if it is uploaded."""
    decisive = patterns.verdict(path)
    if decisive is None or decisive.negated:
        return None
    return decisive.origin
