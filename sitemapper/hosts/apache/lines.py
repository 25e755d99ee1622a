"""The text of a `.htaccess` as a tree of directives and sections."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...model import Origin

_DEEPEST = 60  # sections in each other
# A word ends at a space or, if it begins with a quote, at the next (Apache: `ap_getword_conf`).
_WORD = re.compile(
    r"""
      " (?P<double> (?: [^"\\]++ | \\(?:.|\Z) )*+ ) "?
    | ' (?P<single> (?: [^'\\]++ | \\(?:.|\Z) )*+ ) '?
    | (?P<plain> \S++ )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED_QUOTE = re.compile(r"""\\([\\"'])""")
# mod_rewrite has its own reader (`parseargline`): a backslash before a space continues the word.
_REWRITE_WORD = re.compile(
    r"""
      " (?P<double> (?: \\\s | [^"] )*+ ) "?
    | ' (?P<single> (?: \\\s | [^'] )*+ ) '?
    | (?P<plain> (?: \\\s | \S )++ )
    """,
    re.VERBOSE | re.DOTALL,
)
_REWRITES = ("rewriterule", "rewritecond")


class Directive(NamedTuple):
    """A directive, or a section with `parts`. `key` is the name in lower case, without brackets.

    `text` is all that stands behind the name. A section `is_closed` if it has an end.
    """

    key: str
    text: str
    origin: Origin
    parts: "tuple[Directive, ...] | None" = None
    is_closed: bool = True

    @property
    def words(self) -> list[str]:
        """The words behind the name, without their quotes."""
        if self.key in _REWRITES:
            return [_plain(found) for found in _REWRITE_WORD.finditer(self.text)]
        return [_word(found) for found in _WORD.finditer(self.text)]


class _Open(NamedTuple):
    """A section whose end was not read yet, and its parts so far."""

    head: Directive
    parts: list[Directive]

    def close(self, *, is_closed: bool) -> Directive:
        """The whole section."""
        return self.head._replace(parts=tuple(self.parts), is_closed=is_closed)


def read_directives(name: str, text: str) -> list[Directive]:
    """The directives of a file. What follows a section without an end is in it."""
    top: list[Directive] = []
    stack: list[_Open] = []
    for number, row in _rows(text):
        around = stack[-1].parts if stack else top
        first, _, rest = row.partition(" ")
        origin = Origin(name, number, " ".join(row.split()))
        if first.startswith("</"):
            if stack and stack[-1].head.key == first[2:].rstrip(">").lower():
                section = stack.pop().close(is_closed=True)
                outer = stack[-1].parts if stack else top
                outer.append(section)
        elif first.startswith("<") and len(stack) < _DEEPEST:
            key, _, argument = row[1:].removesuffix(">").partition(" ")
            stack.append(_Open(Directive(key.lower(), argument.strip(), origin), []))
        else:
            around.append(Directive(first.lower(), rest.strip(), origin))
    while stack:
        section = stack.pop().close(is_closed=False)
        outer = stack[-1].parts if stack else top
        outer.append(section)
    return top


def _rows(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are no comments, with their numbers. A backslash joins one with the next."""
    parts: list[str] = []
    start = 0
    for number, row in enumerate(text.splitlines(), 1):
        start = start or number
        is_continued = row.endswith("\\")
        parts.append(row.removesuffix("\\"))
        if is_continued:
            continue
        line = re.sub(r"\s", " ", "".join(parts)).strip()
        if line and not line.startswith("#"):
            yield start, line
        parts = []
        start = 0


def _word(found: re.Match[str]) -> str:
    """A word of a line, without its quotes. In them, a backslash escapes a quote."""
    quoted = found["double"] if found["double"] is not None else found["single"]
    if quoted is None:
        return found[0]
    return _ESCAPED_QUOTE.sub(r"\1", quoted)


def _plain(found: re.Match[str]) -> str:
    """A word of mod_rewrite, without its quotes."""
    for name in ("double", "single"):
        if found[name] is not None:
            return found[name]
    return found[0]
