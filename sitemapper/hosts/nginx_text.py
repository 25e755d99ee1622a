"""The directives of a configuration file of nginx, with their lines.

crossplane, its known parser, opens files by itself and had its last release in 2022.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<space> \s++ | \#[^\n]*+ )
    | (?P<sign> [;{}] )
    | " (?P<double> (?:[^"\\]|\\.)*+ ) "
    | ' (?P<single> (?:[^'\\]|\\.)*+ ) '
    | (?P<word> (?! ["'] ) (?: \$\{\w++\} | \\. | [^\s;{}\\] )++ )
    """,
    re.DOTALL | re.VERBOSE,
)


class Directive(NamedTuple):
    """A directive: its name, its arguments, its line, and the directives of its block."""

    name: str
    arguments: tuple[str, ...]
    line: int
    block: "list[Directive] | None" = None

    @property
    def text(self) -> str:
        """The directive without its block, as a note or an origin shows it."""
        return " ".join((self.name, *self.arguments))


class _Token(NamedTuple):
    """A word, or one of the signs `;`, `{` and `}`, with its line."""

    text: str
    is_sign: bool
    line: int


def read_directives(text: str) -> list[Directive]:
    """The directives of a text. Raises ValueError for one that nginx would refuse."""
    blocks: list[list[Directive]] = [[]]
    words: list[_Token] = []
    for token in _tokens(text):
        if not token.is_sign:
            words.append(token)
        elif token.text == "}":
            if words or len(blocks) == 1:
                raise ValueError(f"line {token.line}: unexpected }}")
            blocks.pop()
        else:
            if not words:
                raise ValueError(f"line {token.line}: unexpected {token.text}")
            block: list[Directive] | None = [] if token.text == "{" else None
            arguments = tuple(word.text for word in words[1:])
            blocks[-1].append(Directive(words[0].text, arguments, words[0].line, block))
            words = []
            if block is not None:
                blocks.append(block)
    if words or len(blocks) > 1:
        raise ValueError("a directive or a block does not end")
    return blocks[0]


def _tokens(text: str) -> Iterator[_Token]:
    """The words and signs of a text."""
    position = 0
    line = 1
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise ValueError(f"line {line}: cannot be read")
        position = found.end()
        kind = found.lastgroup
        if kind != "space":
            yield _Token(found[kind or 0], kind == "sign", line)
        line += found[0].count("\n")


def named(directives: Sequence[Directive], name: str) -> list[Directive]:
    """The directives with a name."""
    return [directive for directive in directives if directive.name == name]
