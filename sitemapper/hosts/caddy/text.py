"""The directives of a Caddyfile, with their lines (caddyserver.com/docs/caddyfile/concepts)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..nginx_text import Directive

_TOKEN = re.compile(
    r"""
      (?P<newline> \n )
    | (?P<space> [^\S\n]++ | \\\r?\n | \#[^\n]*+ )
    | " (?P<double> (?:[^"\\]|\\.)*+ ) "
    | ` (?P<raw> [^`]*+ ) `
    | (?P<word> (?! ["`] | << ) (?: [^\s\\] | \\(?!\r?\n) )++ )
    """,
    re.DOTALL | re.VERBOSE,
)
_DEFAULT = re.compile(r"\{\$\w++:([^{}]*+)\}")  # a variable of the environment with its default
_DEEPEST = 20  # blocks in each other
_MOST = 2_000  # directives of a block


class _Token(NamedTuple):
    """A word, or one of the signs `{`, `}` and the end of a line, with its line."""

    text: str
    is_sign: bool
    line: int


def read_blocks(text: str) -> list[Directive]:
    """The directives of a Caddyfile: sites by their first address, snippets, global options.

    The name of the global options is empty. A file with one site needs no braces. Raises ValueError
    for a text that cannot be read.
    """
    blocks: list[list[Directive]] = [[]]
    words: list[_Token] = []
    for token in _tokens(text):
        if not token.is_sign:
            words.append(token)
        elif token.text == "{":
            block: list[Directive] = []
            line = words[0].line if words else token.line
            blocks[-1].append(_directive(words, line, block))
            blocks.append(block)
            words = []
            if len(blocks) > _DEEPEST:
                raise ValueError(f"line {line}: too many blocks in each other")
        elif token.text == "}":
            if words or len(blocks) == 1:
                raise ValueError(f"line {token.line}: unexpected }}")
            blocks.pop()
        elif words and not (len(blocks) == 1 and words[-1].text.endswith(",")):
            # The addresses of a site go on behind a comma.
            blocks[-1].append(_directive(words, words[0].line, None))
            if len(blocks[-1]) > _MOST:
                raise ValueError(f"line {token.line}: too many directives")
            words = []
    if words or len(blocks) > 1:
        raise ValueError("a block does not end")
    return _with_braces(blocks[0])


def _with_braces(top: list[Directive]) -> list[Directive]:
    """The directives at the top, those of a site without braces as its block."""
    for number, directive in enumerate(top):
        if directive.block is None and directive.name != "import":
            site = directive._replace(block=top[number + 1 :])
            return [*top[:number], site]
    return top


def _directive(words: list[_Token], line: int, block: list[Directive] | None) -> Directive:
    """A directive of the words of a line."""
    texts = [_DEFAULT.sub(r"\1", word.text) for word in words] or [""]
    return Directive(texts[0], tuple(texts[1:]), line, block)


def _tokens(text: str) -> Iterator[_Token]:
    """The words and signs of a text. A brace is a sign if it ends or begins a line."""
    position = 0
    line = 1
    text = f"{text}\n"
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise ValueError(f"line {line}: cannot be read")
        position = found.end()
        kind = found.lastgroup or ""
        if kind == "newline":
            yield _Token("\n", True, line)
        elif kind != "space":
            is_brace = kind == "word" and found[0] in ("{", "}")
            yield _Token(found[kind], is_brace, line)
        line += found[0].count("\n")
