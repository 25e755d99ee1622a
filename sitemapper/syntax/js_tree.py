"""Syntax trees of files in JavaScript or TypeScript."""

import posixpath
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MAX_CHARACTERS = 1 << 17  # of a file; settings with a long sidebar have some 50,000
# Steps that the parser may take for any file. Each is a hundred of its operations.
_MIN_STEPS = 1_000
_BYTES_PER_STEP = 10  # a usual file takes a step for 40 bytes
_CHUNK = 1 << 16  # bytes
_TYPESCRIPT_ENDINGS = (".ts", ".mts", ".cts")  # where `<T>x` is a type and no element
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
FUNCTIONS = ("arrow_function", "function_expression", "function_declaration")


def parse(text: str, name: str) -> "Node":
    """Parses a file in JavaScript or TypeScript, and returns the root of its syntax tree.

    A part that is not valid becomes a node of the type ERROR. Raises ValueError for a file of more
    than 131,072 characters. Raises SyntaxError if the parser takes too many steps, because its time
    grows with the square of the number of invalid parts.
    """
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(f"has more than {_MAX_CHARACTERS:,} characters")
    # Imported here: loading it takes longer than reading a file, and many projects have no scripts.
    import tree_sitter_typescript as grammars
    from tree_sitter import Language, Parser

    is_typed = posixpath.splitext(name)[1] in _TYPESCRIPT_ENDINGS
    grammar = grammars.language_typescript() if is_typed else grammars.language_tsx()
    data = text.encode("utf-8", "replace")
    parser = Parser(Language(grammar))
    # A parse can only be stopped if it gets the file piece by piece, from a function. But then each
    # node of its tree would call this function for its text, which is slow. So the file is parsed
    # twice: first in pieces, only to see that it takes few steps, and then whole, for the tree.
    _raise_if_slow(parser, data, name)
    return parser.parse(data).root_node


def _raise_if_slow(parser: "Parser", data: bytes, name: str) -> None:
    """Parses a file only to see how long it takes, and raises SyntaxError after too many steps.

    A file may take 1,000 steps, and one more for every ten bytes: 11,000 for 100,000 bytes.
    """
    steps = count(1)
    max_steps = _MIN_STEPS + len(data) // _BYTES_PER_STEP

    # tree-sitter calls this after each step, and stops if it returns true.
    def has_too_many_steps(offset: int, has_error: bool) -> bool:
        return next(steps) > max_steps

    def read_chunk(offset: int, point: object) -> bytes:
        return data[offset : offset + _CHUNK]

    try:
        parser.parse(read_chunk, progress_callback=has_too_many_steps)
    except ValueError:  # of a parser that was stopped
        raise _damage_error(name, 1) from None


def raise_if_damaged(root: "Node", name: str) -> None:
    """Raises SyntaxError if the syntax tree of a file has errors.

    Its line is the first one on which an error ends. `name` is the file's name.
    """
    if not root.has_error:
        return
    damaged_lines = []
    for node in nodes_below(root):
        # A bracket that is never closed makes errors of all nodes around the damaged one.
        is_inmost = not any(child.has_error for child in node.children)
        if node.has_error and is_inmost:
            damaged_lines.append(node.end_point[0] + 1)
    raise _damage_error(name, min(damaged_lines))


def _damage_error(name: str, line: int) -> SyntaxError:
    return SyntaxError("damaged", (name, line, None, None))


def text_of(node: "Node | None") -> str:
    """The text of a node as it stands in the file; "" if there is no node."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def line_of(node: "Node") -> int:
    """The number of the line on which a node begins, from 1."""
    return node.start_point[0] + 1


def children_of(node: "Node") -> list["Node"]:
    """The nodes directly in a node, without punctuation, keywords and comments.

    `[1, 2 /* b */]` → `1` and `2`.
    """
    return [child for child in node.named_children if child.type != "comment"]


def string_in(node: "Node | None") -> str | None:
    """The value of a string literal: `"caf\\u{e9}"` → `café`. None for any other node."""
    if node is None or node.type != "string":
        return None
    return joined_fragments(node)


def joined_fragments(node: "Node") -> str:
    """The value of a string or a template, joined from its plain texts and escapes.

    `"caf\\u{e9}"` has the text `caf` and the escape `\\u{e9}` → `café`.
    """
    return "".join(map(_unescape, node.named_children))


def _unescape(node: "Node") -> str:
    """The text that one part of a string literal stands for: a plain text, or an escape.

    | part of the literal    | example            | value             |
    |------------------------|--------------------|-------------------|
    | plain text             | `abc`              | itself            |
    | number of a character  | `\\u{e9}`, `\\xe9` | `é`               |
    | number above U+10FFFF  | `\\u{110000}`      | nothing           |
    | `\\` at a line's end   |                    | nothing           |
    | control character      | `\\n`              | a line break      |
    | any other escape       | `\\"`              | the character `"` |
    """
    text = text_of(node)
    if node.type != "escape_sequence":
        return text
    escaped = text.removeprefix("\\")
    if escaped[:1] in ("u", "x") and len(escaped) > 1:
        number = int(escaped[1:].strip("{}"), 16)
        return chr(number) if number <= 0x10FFFF else ""
    if escaped[:1] in ("\n", "\r"):
        return ""
    return _ESCAPES.get(escaped, escaped)


def nodes_below(top: "Node", *, enters_functions: bool = True) -> Iterator["Node"]:
    """Yields a node and all nodes inside of it, at any depth and in no certain order.

    With `enters_functions=False`, it yields a function inside of the node, but nothing in that
    function: in `f(() => a)`, the call, `f` and `() => a`, but not `a`.
    """
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        is_function = node.type in FUNCTIONS or node.type == "method_definition"
        if node is not top and is_function and not enters_functions:
            continue
        waiting += node.named_children
