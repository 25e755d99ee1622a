"""The syntax tree of a file in JavaScript or TypeScript, and the names of plugins in it."""

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
    """The root of a file's syntax tree, with nodes of the type ERROR where it is damaged.

    Raises ValueError for a file that is too long, and SyntaxError for one that is damaged in so
    many places that the parser needs more steps than a file of its size may take: the time grows
    with the square of such places.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"has more than {_MOST_CHARACTERS:,} characters")
    # Imported here: loading it takes longer than reading a file, and many sites have none.
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
        # The parser asks whether to go on only where it reads from a function. But the nodes of
        # such a tree read their texts by it, too, so that the tree is made once more.
        parser.parse(read, progress_callback=is_too_long)
    except ValueError:
        raise _damage(name, 1) from None
    return parser.parse(data).root_node


def check(root: "Node", name: str) -> None:
    """Raises SyntaxError with the first line where a tree is damaged, if it is."""
    if not root.has_error:
        return
    lines = []
    for node in nodes_below(root):
        # An error is around others where a bracket before it was not closed.
        is_inmost = not any(child.has_error for child in node.children)
        if node.has_error and is_inmost:
            lines.append(node.end_point[0] + 1)
    raise _damage(name, min(lines))


def _damage(name: str, line: int) -> SyntaxError:
    return SyntaxError("damaged", (name, line, None, None))


def text_of(node: "Node | None") -> str:
    """The source of a node, "" for none."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def line_of(node: "Node") -> int:
    """The number of a node's line."""
    return node.start_point[0] + 1


def children_of(node: "Node") -> list["Node"]:
    """The named children of a node, without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def string_in(node: "Node | None") -> str | None:
    """The value of a string literal, None for another node."""
    if node is None or node.type != "string":
        return None
    return joined_fragments(node)


def joined_fragments(node: "Node") -> str:
    """The value of a string or a template from its parts: texts, and escapes such as `\\u{e9}`."""
    return "".join(map(_fragment, node.named_children))


def _fragment(node: "Node") -> str:
    text = text_of(node)
    if node.type != "escape_sequence":
        return text
    code = text[1:]
    if code[:1] in ("u", "x") and len(code) > 1:
        number = int(code[1:].strip("{}"), 16)
        return chr(number) if number <= 0x10FFFF else ""
    if code[:1] in ("\n", "\r"):
        return ""  # a line that continues
    return _ESCAPES.get(code, code)


def nodes_below(top: "Node", *, enters_functions: bool = True) -> Iterator["Node"]:
    """A node and those below it, in no certain order."""
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        is_function = node.type in FUNCTIONS or node.type == "method_definition"
        if node is not top and is_function and not enters_functions:
            continue
        waiting += node.named_children


def mentions(text: str, name: str) -> set[str]:
    """The modules that a file imports and uses, and the texts in it that may name a plugin.

    `import sitemap from "@astrojs/sitemap"` counts where `sitemap` stands anywhere else, too. A
    file that cannot be read has none.
    """
    try:
        root = parse(text, name)
    except (SyntaxError, ValueError):
        return set()
    found: set[str] = set()
    uses: Counter[str] = Counter()
    imports: list[Node] = []
    for node in nodes_below(root):
        if node.type in ("identifier", "shorthand_property_identifier"):
            uses[text_of(node)] += 1
        elif node.type == "import_statement":
            imports.append(node)
        elif node.type in ("array", "arguments", "pair"):
            # A node's parent would be searched for from the root.
            found.update(_names_in(node))
    for node in imports:
        names = [text_of(part) for part in nodes_below(node) if part.type == "identifier"]
        # Each name stands once in the statement itself.
        if not names or any(uses[name] > 1 for name in names):
            found.add(string_in(node.child_by_field_name("source")) or "")
    return found


def _names_in(node: "Node") -> Iterator[str]:
    """The strings that may name a plugin: items, arguments, and the values of such keys."""
    strings = node.named_children
    if node.type == "pair":
        key = text_of(node.child_by_field_name("key"))
        strings = strings[1:] if key in _OPTION_KEYS else []
    for child in strings:
        name = string_in(child)
        if name:
            yield name
