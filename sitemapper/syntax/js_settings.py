"""The settings that a file in JavaScript or TypeScript exports, read without running it.

Literals are read: strings, numbers, booleans, `null`, templates without `${}`, lists and objects of
these, and a name that a `const` at the top of the file binds to one of them. All else is not a
literal, and its line is known. A wrong value would be worse than none: what the file may change
later, such as an object to which a line adds a key, is not a literal either.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..model import MORE_KEYS, NOT_LITERAL, Found
from .js_tree import (
    FUNCTIONS,
    check,
    children_of,
    joined_fragments,
    line_of,
    nodes_below,
    parse,
    string_in,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_STEPS = 60  # of calls in calls, of names for names, and of objects in objects
_NAMES = ("identifier", "shorthand_property_identifier")
_WORDS = ("number", "true", "false")  # their value is their text
# As if the key were not there. A function's body stands for what it returns, if that is nothing.
_WITHOUT_KEYS = ("null", "undefined", "statement_block")
_WORDS_OF_EXPORTS = ("identifier", "property_identifier")  # `exports`, and that of `module.exports`
_TABLES = ("object", "array")
_WRAPPED = ("parenthesized_expression", "as_expression", "satisfies_expression")
# Beside a default, a file may export settings by this name: `export const config` of Eleventy.
_CONFIG = "config"
# What declares names, and the part of it that has them.
_DECLARING = {
    "arrow_function": "parameter",
    "function_declaration": "name",
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "variable_declarator": "name",
}


def read_settings(text: str, name: str) -> dict[str, Found]:
    """What a file says of each key of the object that it exports.

    `export default { build: { base: "/b/" }, url: find() }` → `build.base` is `/b/`, and `url` is
    not a literal. The texts of a list are the lines of `key[]`, and `key[].name` is a key of an
    object in the list. `*` in place of a key says that there may be more keys.

    Raises SyntaxError if the file is damaged, ValueError if it is too long.
    """
    root = parse(text, name)
    check(root, name)
    literals = _Literals(root, name)
    for above, node in _find_exports(root):
        literals.add_exported(node, above)
    return literals.found


# --- what a file exports


def _find_exports(root: "Node") -> list[tuple[str, "Node"]]:
    """The expressions that a file exports as its settings, each with the start of its keys.

    `export default` and `module.exports` have the keys themselves, `export const config` has
    `config.` before each. CommonJS may name `exports` once: `module.exports.base = …` changes what
    was exported before. Otherwise the last place with the word stands for all, as no literal.
    """
    exported: list[tuple[str, Node]] = []
    for statement in children_of(root):
        if statement.type == "export_statement":
            exported += _exports_in(statement)
            continue
        for node in children_of(statement):
            value = node.child_by_field_name("right")
            is_export = text_of(node.child_by_field_name("left")) == "module.exports"
            if node.type == "assignment_expression" and is_export and value is not None:
                exported.append(("", value))
    words = [node for node in nodes_below(root) if node.type in _WORDS_OF_EXPORTS]
    places = [node for node in words if text_of(node) == "exports"]
    if places and (len(places) > 1 or len(exported) != 1):
        return [("", max(places, key=line_of))]
    return exported


def _exports_in(statement: "Node") -> Iterator[tuple[str, "Node"]]:
    """`export default …`, `export const config = …`, `export { settings as default }`."""
    if any(child.type == "default" for child in statement.children):
        value = statement.child_by_field_name("value")
        yield "", value or statement.child_by_field_name("declaration") or statement
        return
    starts = {"default": "", _CONFIG: f"{_CONFIG}."}
    for node in nodes_below(statement, enters_functions=False):
        name = node.child_by_field_name("name")
        if name is None or node.type not in ("export_specifier", "variable_declarator"):
            continue
        exported_name = text_of(node.child_by_field_name("alias") or name)
        if exported_name in starts:
            yield starts[exported_name], name


# --- literals


class _Constant(NamedTuple):
    """A name that stands for one value in the whole file: where it is declared, and the value."""

    place: int
    value: "Node"


class _Literals:
    """Reads the literals of one file."""

    def __init__(self, root: "Node", file: str) -> None:
        self.found: dict[str, Found] = {}
        self._file = file
        self._constants: dict[str, _Constant] = {}
        self._places: dict[str, set[int]] = {}  # where each name stands in the file
        self._times_declared = Counter(_declared_names(root))
        for statement in children_of(root):
            self._declare(statement.child_by_field_name("declaration") or statement)
        for node in nodes_below(root):
            if node.type in _NAMES:
                self._places.setdefault(text_of(node), set()).add(node.start_byte)

    def _declare(self, statement: "Node") -> None:
        """Notes the constants or the function that a statement declares."""
        is_const = text_of(statement.child_by_field_name("kind")) == "const"
        for node in children_of(statement) if is_const else [statement]:
            name = node.child_by_field_name("name")
            value = node if node.type in FUNCTIONS else node.child_by_field_name("value")
            if name is not None and value is not None:
                self._constants[text_of(name)] = _Constant(name.start_byte, value)

    # --- from an export to its object

    def add_exported(self, node: "Node", above: str) -> None:
        """Adds the keys of an exported object, with `above` before each: "" or `config.`.

        The object may be the only argument of a call, or what a function returns:
        `defineConfig({ … })`, `() => ({ … })`.
        """
        node = self._value_of(node)
        for _ in range(_MOST_STEPS):
            inner = self._inside(node)
            if inner is None:
                break
            node = self._value_of(inner)
        if node.type == "object":
            self._add_object(node, above, depth=0)
        elif node.type not in _WITHOUT_KEYS:
            self._add_unknown(above + MORE_KEYS, line_of(node))

    def _inside(self, node: "Node") -> "Node | None":
        """The only argument of a call, or what a function returns. None for other nodes."""
        if node.type == "call_expression" and not self._is_of_own_function(node):
            arguments = node.child_by_field_name("arguments")
            values = children_of(arguments) if arguments is not None else []
            return values[0] if len(values) == 1 else None
        return _returned_by(node) if node.type in FUNCTIONS else None

    def _is_of_own_function(self, call: "Node") -> bool:
        """Whether a call is of a function in this file, which may change what it is given."""
        called = call.child_by_field_name("function")
        constant = self._constants.get(text_of(called))
        value = constant.value if constant else called
        return value is not None and _unwrapped(value).type in FUNCTIONS

    # --- values

    def _value_of(self, node: "Node") -> "Node":
        """What an expression stands for: `(x)` and `x as T` for `x`, and a name for its constant.

        A list, an object or a function may be changed wherever its name stands. So its name stands
        for it only if it is nowhere else in the file.
        """
        value = _unwrapped(node)
        for _ in range(_MOST_STEPS):
            name = text_of(value) if value.type in _NAMES else ""
            constant = self._constants.get(name)
            if constant is None or self._times_declared[name] > 1:
                break  # with two declarations, one may be that of the function around it
            inner = _unwrapped(constant.value)
            elsewhere = self._places[name] - {constant.place, value.start_byte}
            if elsewhere and _literal_in(inner) is None:
                break
            value = inner
        return value

    def _add(self, node: "Node | None", key: str, line: int, depth: int) -> None:
        """Adds what an expression says of a key: its text, or the keys of its object.

        Without an expression, the key is not a literal.
        """
        value = self._value_of(node) if node is not None and depth <= _MOST_STEPS else None
        text = _literal_in(value) if value is not None else None
        if text is not None:
            self.found.setdefault(key, Found(text, self._file, line))
        elif value is None:
            self._add_unknown(key, line)
        elif value.type == "object":
            self._add_object(value, f"{key}.", depth + 1)
        elif value.type == "array":
            self._add_list(value, f"{key}[]", line, depth + 1)
        elif value.type not in _WITHOUT_KEYS:
            self._add_unknown(key, line)

    def _add_unknown(self, key: str, line: int) -> None:
        self.found.setdefault(key, Found(NOT_LITERAL, self._file, line))

    def _add_object(self, node: "Node", above: str, depth: int) -> None:
        """Adds the keys of an object, with `above` before each.

        { a: 1, ...more, b: 2 }     `a` is not a literal: the spread may replace it
        { [name()]: 1, b: 2 }       no key is: the computed one may be any of them
        { b: 1, b: 2 }              `b` is not a literal
        """
        parts = children_of(node)
        names = [_key_of(part) for part in parts]
        counts = Counter(names)
        first_certain = 0
        for index, part in enumerate(parts):
            if part.type == "spread_element":
                first_certain = index
            elif names[index] is None:
                first_certain = len(parts)
                break
        for index, part in enumerate(parts):
            name = names[index]
            line = line_of(part)
            if name is None:
                self._add_unknown(above + MORE_KEYS, line)
                continue
            is_certain = index >= first_certain and counts[name] == 1
            value = _value_in(part) if is_certain else None
            self._add(value, above + name, line, depth)

    def _add_list(self, node: "Node", key: str, line: int, depth: int) -> None:
        """Adds the texts of a list, and the keys of the objects in it.

        In a list of lists, each begins with the name of a plugin: `[["classic", { … }]]`.
        """
        items = [self._value_of(item) for item in children_of(node)]
        texts = [self._text_of_item(item) for item in items]
        # The name may be computed, as by `require.resolve("…")`: no setting of ours is in it.
        checked = items[1:] if key.endswith("[][]") else items
        is_literal = all(map(_is_literal, checked))
        shown = "\n".join(text for text in texts if text is not None)
        value = shown if is_literal else NOT_LITERAL
        self.found.setdefault(key, Found(value, self._file, line))
        for item in items:
            if item.type in _TABLES:
                self._add(item, key, line_of(item), depth)

    def _text_of_item(self, item: "Node") -> str | None:
        """The text of an item, or of the first one in it: `["classic", { … }]` → `classic`."""
        inner = children_of(item) if item.type == "array" else []
        return _literal_in(self._value_of(inner[0])) if inner else _literal_in(item)


def _unwrapped(node: "Node") -> "Node":
    """The expression inside of brackets, `as` and `satisfies`."""
    while node.type in _WRAPPED:
        node = children_of(node)[0]
    return node


def _literal_in(node: "Node") -> str | None:
    """The text of a string, a number, a boolean, or a template without `${}`; else None."""
    if node.type in _WORDS:
        return text_of(node)
    has_code = any(child.type == "template_substitution" for child in node.named_children)
    if node.type == "template_string" and not has_code:
        return joined_fragments(node)
    return string_in(node)


def _is_literal(node: "Node") -> bool:
    """Whether an item of a list is a literal, or a list or an object, whose parts are looked at."""
    return node.type in (*_TABLES, *_WITHOUT_KEYS) or _literal_in(node) is not None


def _key_of(part: "Node") -> str | None:
    """The key of a part of an object, None for a spread and a computed key."""
    if part.type == "shorthand_property_identifier":
        return text_of(part)
    key = part.child_by_field_name("key") or part.child_by_field_name("name")
    if key is None or key.type == "computed_property_name":
        return None
    return string_in(key) if key.type == "string" else text_of(key)


def _value_in(part: "Node") -> "Node | None":
    """The expression of a key in an object, None for a method and a getter."""
    if part.type == "shorthand_property_identifier":
        return part
    return part.child_by_field_name("value")


def _returned_by(function: "Node") -> "Node | None":
    """The expression that a function returns, its body if it returns nothing.

    A return among others, or on a condition, stands for itself: it is not certain.
    """
    body = function.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return body
    below = nodes_below(body, enters_functions=False)
    returns = [node for node in below if node.type == "return_statement"]
    values = [value for node in returns for value in children_of(node)]
    if not values:
        return body
    is_certain = len(returns) == 1 and returns[0] in children_of(body)
    return values[0] if is_certain else returns[0]


def _declared_names(root: "Node") -> Iterator[str]:
    """The names of all parameters, functions and variables in a file, also those in functions."""
    for node in nodes_below(root):
        declared = node.child_by_field_name(_DECLARING.get(node.type, ""))
        for name in nodes_below(declared) if declared is not None else ():
            if name.type in ("identifier", "shorthand_property_identifier_pattern"):
                yield text_of(name)
