"""Syntax trees of files in JavaScript or TypeScript, and the names of plugins in them."""

import posixpath
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_CHARACTERS = 1 << 17  # of a file; settings with a long sidebar have some 50,000
_MIN_STEPS = 1_000  # of the parser; each is a hundred of its operations
_BYTES_A_STEP = 10  # a usual file takes a step for 40 bytes
_CHUNK = 1 << 16  # bytes
_TYPED = (".ts", ".mts", ".cts")  # where `<T>x` is a type and no element
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
FUNCTIONS = ("arrow_function", "function_expression", "function_declaration")
_OPTION_KEYS = ("resolve", "use")  # of Gatsby and Gridsome: the name of a plugin


def parse(text: str, name: str) -> "Node":
    """Parses a file of settings and returns the root of its syntax tree.

    A part that is not valid becomes a node of the type ERROR. Raises ValueError for a file that is
    too long, and SyntaxError for one with so many such parts that the parser takes too many steps:
    its time grows with the square of their number.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"has more than {_MOST_CHARACTERS:,} characters")
    # Imported here: loading it takes longer than reading a file, and many projects have no scripts.
    import tree_sitter_typescript as grammars
    from tree_sitter import Language, Parser

    is_typed = posixpath.splitext(name)[1] in _TYPED
    grammar = grammars.language_typescript() if is_typed else grammars.language_tsx()
    data = text.encode("utf-8", "replace")
    parser = Parser(Language(grammar))
    steps = count(1)
    most_steps = _MIN_STEPS + len(data) // _BYTES_A_STEP

    def is_too_long(offset: int, has_error: bool) -> bool:
        return next(steps) > most_steps

    def read(offset: int, point: object) -> bytes:
        return data[offset : offset + _CHUNK]

    try:
        # Only a parser that reads by a function can be stopped. The nodes of its tree would call
        # that function for each of their texts, so the text is then parsed again without one.
        parser.parse(read, progress_callback=is_too_long)
    except ValueError:
        raise _damage(name, 1) from None
    return parser.parse(data).root_node


def check(root: "Node", name: str) -> None:
    """Raises SyntaxError with the first damaged line of a file, if its tree has errors."""
    if not root.has_error:
        return
    damaged_lines = []
    for node in nodes_below(root):
        # A bracket that is never closed makes errors of all nodes around the damaged one.
        is_inmost = not any(child.has_error for child in node.children)
        if node.has_error and is_inmost:
            damaged_lines.append(node.end_point[0] + 1)
    raise _damage(name, min(damaged_lines))


def _damage(name: str, line: int) -> SyntaxError:
    return SyntaxError("damaged", (name, line, None, None))


def text_of(node: "Node | None") -> str:
    """The text of a node in the file, "" without a node."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def line_of(node: "Node") -> int:
    """The number of the line on which a node begins, from 1."""
    return node.start_point[0] + 1


def children_of(node: "Node") -> list["Node"]:
    """The parts of a node, without punctuation, keywords and comments."""
    return [child for child in node.named_children if child.type != "comment"]


def string_in(node: "Node | None") -> str | None:
    """The value of a string literal: `"caf\\u{e9}"` → `café`. None for any other node."""
    if node is None or node.type != "string":
        return None
    return joined_fragments(node)


def joined_fragments(node: "Node") -> str:
    """The value of a string or a template, from its plain texts and escapes."""
    return "".join(map(_fragment, node.named_children))


def _fragment(node: "Node") -> str:
    """The value of one part of a string.

    | part               | example            | value        |
    |--------------------|--------------------|--------------|
    | text               | `abc`              | itself       |
    | number of a letter | `\\u{e9}`, `\\xe9` | `é`          |
    | end of a line      | `\\` at its end    | nothing      |
    | control character  | `\\n`              | a line break |
    | any other escape   | `\\"`              | `"`          |
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
    """Yields a node and all nodes below it, in no certain order.

    Without `enters_functions`, a function below the node is yielded, but no node inside of it.
    """
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        is_function = node.type in FUNCTIONS or node.type == "method_definition"
        if node is not top and is_function and not enters_functions:
            continue
        waiting += node.named_children


def possible_plugins(text: str, name: str) -> set[str]:
    """The texts in a file that may be names of plugins: modules that it uses, and items of lists.

        import sitemap from "@astrojs/sitemap"        → @astrojs/sitemap, if `sitemap` is used
        plugins: ["gatsby-plugin-sitemap"]            → gatsby-plugin-sitemap
        plugins: [{ resolve: "@gridsome/sitemap" }]   → @gridsome/sitemap
        require("vite-plugin-sitemap")                → vite-plugin-sitemap

    Empty for a file that cannot be parsed.
    """
    try:
        root = parse(text, name)
    except (SyntaxError, ValueError):
        return set()
    plugins: set[str] = set()
    uses: Counter[str] = Counter()
    imports: list[Node] = []
    for node in nodes_below(root):
        if node.type in ("identifier", "shorthand_property_identifier"):
            uses[text_of(node)] += 1
        elif node.type == "import_statement":
            imports.append(node)
        elif node.type in ("array", "arguments", "pair"):
            # From above: to find the parent of a string, tree-sitter searches from the root.
            plugins.update(_plugins_in(node))
    for node in imports:
        imported = [text_of(part) for part in nodes_below(node) if part.type == "identifier"]
        # The import itself is the first use of each name. `import "./a.js"` has no names.
        if not imported or any(uses[name] > 1 for name in imported):
            plugins.add(string_in(node.child_by_field_name("source")) or "")
    return plugins


def _plugins_in(node: "Node") -> Iterator[str]:
    """The strings directly in a list, in the arguments of a call, or in one key of an object.

    A string that is the value of a key counts for `resolve` and `use` only, by which Gatsby and
    Gridsome name a plugin: `use: "a"` → `a`, and nothing for `title: "a"`.
    """
    parts = node.named_children
    if node.type == "pair":
        key = text_of(node.child_by_field_name("key"))
        parts = parts[1:] if key in _OPTION_KEYS else []
    for part in parts:
        name = string_in(part)
        if name:
            yield name
