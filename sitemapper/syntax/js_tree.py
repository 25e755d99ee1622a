"""The syntax tree of a file in JavaScript or TypeScript, and what can be seen in it at once."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MIN_STEPS = 1_000  # of the parser; each is a hundred of its operations
_BYTES_A_STEP = 10  # a usual file takes a step for 40 bytes
_CHUNK = 1 << 16  # bytes
_TYPED = (".ts", ".mts", ".cts")  # where `<T>x` is a type and no element
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_FUNCTIONS = ("arrow_function", "function_expression", "function_declaration", "method_definition")
_TARGETS = ("identifier", "object_pattern", "array_pattern")  # of an assignment to names
_OPTION_KEYS = ("resolve", "use")  # of Gatsby and Gridsome: the name of a plugin


def parse(text: str, name: str) -> "Node":
    """The root of a file's syntax tree. It has nodes of the type ERROR where it is damaged.

    A file that is damaged in so many places that the parser needs more steps than a file of its
    size may take counts as empty: the time grows with the square of such places.
    """
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
        data = b""
    return Parser(Language(grammar)).parse(data).root_node


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
    return "".join(map(fragment, node.named_children))


def fragment(node: "Node") -> str:
    """The value of a part of a string: text, or an escape such as `\\n` and `\\u{e9}`."""
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
        if node is not top and node.type in _FUNCTIONS and not enters_functions:
            continue
        waiting += node.named_children


@dataclass
class Sight:
    """What can be seen in a file without following a name.

    `assigned` are the names that an assignment sets, and `changed` the first steps of the members
    that one sets, by the name of their object: `config.base = x`. "" stands for any member.
    `mentions` are the modules in use, and the texts that may name a plugin.
    """

    assigned: set[str] = field(default_factory=set)
    changed: dict[str, set[str]] = field(default_factory=dict)
    mentions: set[str] = field(default_factory=set)


def see(root: "Node") -> Sight:
    """What can be seen in a file."""
    sight = Sight()
    uses: dict[str, int] = {}
    imports: list[Node] = []
    for node in nodes_below(root):
        if node.type in ("identifier", "shorthand_property_identifier"):
            name = text_of(node)
            uses[name] = uses.get(name, 0) + 1
        elif node.type in ("assignment_expression", "augmented_assignment_expression"):
            _note_target(node.child_by_field_name("left"), sight)
        elif node.type == "update_expression":
            _note_target(node.child_by_field_name("argument"), sight)
        elif node.type == "call_expression":
            _note_assign(node, sight)
        elif node.type == "import_statement":
            imports.append(node)
        elif node.type in ("array", "arguments", "pair"):
            # A node's parent would be searched for from the root.
            sight.mentions.update(_names_in(node))
    sight.mentions.update(_modules_in_use(imports, uses))
    return sight


def _modules_in_use(imports: list["Node"], uses: Mapping[str, int]) -> Iterator[str]:
    """The modules whose names a file uses, and those without names."""
    for node in imports:
        names = [text_of(part) for part in nodes_below(node) if part.type == "identifier"]
        # Each name stands once in the statement itself.
        if not names or any(uses[name] > 1 for name in names):
            yield string_in(node.child_by_field_name("source")) or ""


def _note_target(target: "Node | None", sight: Sight) -> None:
    """Notes what an assignment sets: a name, a member, or the names in a pattern."""
    if target is None:
        return
    step = ""
    while target.type in ("member_expression", "subscript_expression"):
        step = text_of(target.child_by_field_name("property"))
        above = target.child_by_field_name("object")
        if above is None:
            return
        if above.type == "identifier":
            sight.changed.setdefault(text_of(above), set()).add(step)
            return
        target = above
    if target.type not in _TARGETS:
        return
    for node in nodes_below(target):
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            sight.assigned.add(text_of(node))


def _note_assign(call: "Node", sight: Sight) -> None:
    """Notes the object that `Object.assign(object, …)` changes."""
    callee = call.child_by_field_name("function")
    above = callee.child_by_field_name("object") if callee else None
    # The text of a chain of calls is as long as the chain.
    if above is None or above.type != "identifier" or text_of(callee) != "Object.assign":
        return
    arguments = call.child_by_field_name("arguments")
    first = children_of(arguments)[:1] if arguments else []
    if first and first[0].type == "identifier":
        sight.changed.setdefault(text_of(first[0]), set()).add("")


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
