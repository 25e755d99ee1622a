"""The settings that a file in JavaScript or TypeScript exports, read without running it.

Literals are read: strings, numbers, booleans, `null`, templates without `${}`, lists and objects of
these, and a name that a `const` at the top of the file binds to one of them. All else is not a
literal, and its line is known. A wrong value would be worse than none: what the file may change
later, such as an object to which a line adds a key, is not a literal either.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..model import MORE_KEYS, NOT_LITERAL, Found, NotLiteral
from .js_tree import (
    FUNCTIONS,
    children_of,
    joined_fragments,
    line_of,
    nodes_below,
    parse,
    raise_if_damaged,
    string_in,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_STEPS = 60  # of calls in calls, of names for names, and of objects in objects
_NAME_NODES = ("identifier", "shorthand_property_identifier")
_WORD_LITERALS = ("number", "true", "false")  # their value is their text
# As if the key were not there. A function's body stands for what it returns, if that is nothing.
_EMPTY_VALUES = ("null", "undefined", "statement_block")
_IDENTIFIERS = ("identifier", "property_identifier")  # `exports`, and the one in `module.exports`
_CONTAINERS = ("object", "array")
_WRAPPERS = ("parenthesized_expression", "as_expression", "satisfies_expression")
# Beside a default, a file may export settings by this name: `export const config` of Eleventy.
_CONFIG_EXPORT = "config"
# The nodes that declare names, each with the field of the node that has the names.
_NAME_FIELDS = {
    "arrow_function": "parameter",
    "function_declaration": "name",
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "variable_declarator": "name",
}


def read_settings(text: str, name: str) -> dict[str, Found]:
    """Reads the object that a file exports, and returns the value of each of its keys.

        { build: { base: "/b/" } }    → `build.base` is "/b/"
        { url: find() }               → `url` is NOT_LITERAL
        { tags: ["a", "b"] }          → `tags[]` is the text "a", a line break, "b"
        { tags: [{ name: "a" }] }     → `tags[].name` is "a"
        { ...more }                   → `*` is NOT_LITERAL: there may be more keys

    Raises SyntaxError if the file is damaged, ValueError if it is too long.
    """
    root = parse(text, name)
    raise_if_damaged(root, name)
    reader = _LiteralReader(root, name)
    for key_prefix, expression in _find_exports(root):
        reader.add_exported(expression, key_prefix)
    return reader.found


# --- what a file exports


def _find_exports(root: "Node") -> list[tuple[str, "Node"]]:
    """Finds the expressions that a file exports as settings, each with the prefix of its keys.

    For `module.exports = { … }` and for `export default { … }`, this is the object, with the prefix
    "". For `export const config = { … }`, it is the name `config`, with the prefix `config.`.
    """
    exported: list[tuple[str, Node]] = []
    for statement in children_of(root):
        if statement.type == "export_statement":
            exported += _find_exports_in_statement(statement)
            continue
        for node in children_of(statement):
            is_assignment = node.type == "assignment_expression"
            target = text_of(node.child_by_field_name("left"))
            value = node.child_by_field_name("right")
            if is_assignment and target == "module.exports" and value is not None:
                exported.append(("", value))
    # A line such as `exports.a = "b"` may change the settings. The only word `exports` in the file
    # may be that of one `module.exports = { … }`.
    identifiers = [node for node in nodes_below(root) if node.type in _IDENTIFIERS]
    exports_words = [node for node in identifiers if text_of(node) == "exports"]
    has_only_one_export = len(exports_words) == 1 and len(exported) == 1
    if not exports_words or has_only_one_export:
        return exported
    # No setting is certain. The word `exports` is no literal, so the caller reads no setting from
    # it, and a message names the line of the word.
    last_word = max(exports_words, key=line_of)
    return [("", last_word)]


def _find_exports_in_statement(statement: "Node") -> Iterator[tuple[str, "Node"]]:
    """Finds the expressions that one `export` exports as settings, with the prefix of their keys.

        export default { … }              → ("", the object)
        export const config = { … }       → ("config.", the name `config`)
        export { settings as default }    → ("", the name `settings`)

    Other names that it exports are no settings. The caller finds the value of a name, if it is
    certain.
    """
    if any(child.type == "default" for child in statement.children):
        value = statement.child_by_field_name("value")  # export default { … }
        declaration = statement.child_by_field_name("declaration")  # export default function …
        yield "", value or declaration or statement  # the statement is no literal
        return
    # `settings as default` is an export specifier, and `config = { … }` a variable declarator.
    prefix_by_exported_name = {"default": "", _CONFIG_EXPORT: f"{_CONFIG_EXPORT}."}
    for node in nodes_below(statement, enters_functions=False):
        name = node.child_by_field_name("name")
        if name is None or node.type not in ("export_specifier", "variable_declarator"):
            continue
        exported_name = text_of(node.child_by_field_name("alias") or name)
        if exported_name in prefix_by_exported_name:
            yield prefix_by_exported_name[exported_name], name


# --- literals


class _Constant(NamedTuple):
    """The value of a `const` or a function, and the byte of the file where its name is declared."""

    declared_at: int
    value: "Node"


class _LiteralReader:
    """Reads the literals in the exported objects of one file into `found`, by key.

    Each call of `add_exported` adds the keys of one object.
    """

    def __init__(self, root: "Node", file: str) -> None:
        """Notes how the names in a file in JavaScript or TypeScript are declared and used.

        `_resolve` needs this to see whether a name such as `base` always has the same value. `root`
        is the syntax tree of the file.
        """
        self.found: dict[str, Found] = {}  # the results, which `add_exported` fills
        self._file = file
        self._constants = dict(_find_constants(root))  # by name
        self._times_declared = Counter(_find_declared_names(root))  # by name
        self._offsets: dict[str, set[int]] = {}  # by name, where in the file it is used, in bytes
        for node in nodes_below(root):
            if node.type in _NAME_NODES:
                self._offsets.setdefault(text_of(node), set()).add(node.start_byte)

    # --- from an export to its object

    def add_exported(self, expression: "Node", key_prefix: str) -> None:
        """Adds the keys of an exported object to `self.found`, each with a prefix, "" or `config.`.

        defineConfig({ base: "/b/" })    → `base` is "/b/", from the only argument of the call
        () => ({ base: "/b/" })          → `base` is "/b/", from what the function returns
        { base: "/b/" }                  → `base` is "/b/"
        null                             → nothing: no key is set
        find()                           → `*` is NOT_LITERAL: there may be any key
        """
        # `_resolve` replaces a name by its value: `config`, with `const config = { … }`.
        value = self._resolve(expression)
        # Each round takes off one call or function around the object: `defineConfig(() => ({ … }))`
        # takes two rounds.
        for _ in range(_MAX_STEPS):
            settings = self._settings_inside(value)
            if settings is None:
                break
            value = self._resolve(settings)
        if value.type == "object":
            self._add_object(value, key_prefix, depth=0)
        elif value.type not in _EMPTY_VALUES:
            self._add_not_literal(key_prefix + MORE_KEYS, line_of(value))

    def _settings_inside(self, node: "Node") -> "Node | None":
        """Finds the settings that a call or a function gives to the program that loads the file.

        defineConfig(a)    → `a`: such a function returns its only argument as it is
        () => a            → `a`: the program calls the function
        merge(a, b)        → None: it returns something else
        change(a)          → None, if the function `change` is declared in this file
        { … }              → None: there is no call or function around it
        """
        if node.type in FUNCTIONS:
            return _returned_expression(node)
        if node.type != "call_expression" or self._calls_own_function(node):
            return None
        arguments = node.child_by_field_name("arguments")
        values = children_of(arguments) if arguments is not None else []
        return values[0] if len(values) == 1 else None

    def _calls_own_function(self, call: "Node") -> bool:
        """Whether a call is of a function that this file declares, which may change its argument.

            function change(a) { … }; change({ … })    true
            (() => { … })({ … })                       true: it is declared where it is called
            defineConfig({ … })                        false: it is imported

        Imported functions such as `defineConfig` return their argument as it is.
        """
        called = call.child_by_field_name("function")
        constant = self._constants.get(text_of(called))
        function = constant.value if constant else called  # a name stands for its value
        return function is not None and _unwrap(function).type in FUNCTIONS

    # --- values

    def _resolve(self, node: "Node") -> "Node":
        """Replaces the name of a constant by its value: with `const a = "b"`, `a` → "b".

        The name stays if its value may be another one when it is used, as with `let a = "b"`. Any
        other expression only loses brackets and types: `(f())` and `f() as T` → `f()`.
        """
        value = _unwrap(node)
        for _ in range(_MAX_STEPS):  # the value may be a name, too: `const a = b`
            name = text_of(value) if value.type in _NAME_NODES else ""
            # No name, or not that of a constant: `let a = "b"`.
            constant = self._constants.get(name)
            if constant is None:
                break
            # Declared twice: here, the name may be a parameter of the function around it.
            is_declared_twice = self._times_declared[name] > 1
            if is_declared_twice:
                break
            # A list, an object or a function that is used elsewhere, too: `a.push("c")` may change
            # it. A text, a number or a boolean cannot be changed.
            value_of_name = _unwrap(constant.value)
            can_be_changed = _literal_text(value_of_name) is None
            other_uses = self._offsets[name] - {constant.declared_at, value.start_byte}
            if can_be_changed and other_uses:
                break
            value = value_of_name
        return value

    def _add_value(self, node: "Node | None", key: str, line: int, depth: int) -> None:
        """Adds the value of a key to `found`.

            key: "a"          → `key` is "a"
            key: { b: "c" }   → `key.b` is "c"
            key: ["a"]        → `key[]` is "a"
            key: null         → nothing, as if the key were not there
            key: find()       → `key` is NOT_LITERAL
            key() { … }       → `key` is NOT_LITERAL: a method has no expression (`node` is None)

        A value that is nested more than 60 deep is not a literal either. `line` is that of the key.
        """
        if node is None or depth > _MAX_STEPS:
            self._add_not_literal(key, line)
            return
        value = self._resolve(node)
        text = _literal_text(value)
        if text is not None:
            self.found.setdefault(key, Found(text, self._file, line))
        elif value.type == "object":
            self._add_object(value, f"{key}.", depth + 1)
        elif value.type == "array":
            self._add_list(value, f"{key}[]", line, depth + 1)
        elif value.type not in _EMPTY_VALUES:
            self._add_not_literal(key, line)

    def _add_not_literal(self, key: str, line: int) -> None:
        self.found.setdefault(key, Found(NOT_LITERAL, self._file, line))

    def _add_object(self, node: "Node", key_prefix: str, depth: int) -> None:
        """Adds the keys of an object to `found`, each with a prefix such as `site.`.

            { a: 1, b: 2 }             → `a` is 1, `b` is 2
            { a: 1, ...more, b: 2 }    → `*` and `a` are NOT_LITERAL, `b` is 2
            { [key()]: 1, b: 2 }       → `*` and `b` are NOT_LITERAL: `key()` may be "b"
            { b: 1, b: 2 }             → `b` is NOT_LITERAL

        `*` says that the object may have more keys: those of `more`, or the result of `key()`.
        """
        parts = children_of(node)
        keys = [_key_of_part(part) for part in parts]  # None for a spread or a computed key
        times_written = Counter(keys)
        spreads = [index for index, part in enumerate(parts) if part.type == "spread_element"]
        last_spread = spreads[-1] if spreads else -1
        has_computed_key = times_written[None] > len(spreads)  # which is None, too
        for index, part in enumerate(parts):
            key = keys[index]
            line = line_of(part)
            if key is None:
                self._add_not_literal(key_prefix + MORE_KEYS, line)
                continue
            # A computed key may replace any other key, and a spread those before it. Of a key that
            # is written twice, one value replaces the other.
            is_certain = not has_computed_key and index > last_spread and times_written[key] == 1
            value = _value_of_part(part) if is_certain else None
            self._add_value(value, key_prefix + key, line, depth)

    def _add_list(self, node: "Node", key: str, line: int, depth: int) -> None:
        """Adds a list to `found`: first its texts, joined, then each object and list in it.

        For `tags: ["a", { name: "b" }]`, `tags[]` is "a", and `tags[].name` is "b". `key` is that
        of the items: `tags[]`, or `tags[][]` for the items of a list in this list.
        """
        items = [self._resolve(item) for item in children_of(node)]
        is_inner_list = key.endswith("[][]")
        texts = self._texts_in_list(items, is_inner_list=is_inner_list)
        self.found.setdefault(key, Found(texts, self._file, line))
        for item in items:
            # In `tags[]`, the key of `{ name: "b" }` is `tags[].name`, that of `["c"]` `tags[][]`.
            if item.type in _CONTAINERS:
                self._add_value(item, key, line_of(item), depth)

    def _texts_in_list(self, items: "list[Node]", *, is_inner_list: bool) -> str | NotLiteral:
        """Joins the texts in a list by line breaks: `["a", "b"]` → "a", a line break, "b".

        NOT_LITERAL if an item is computed, such as `find()`, because it may be any text.
        """
        # An inner list may be a plugin with its options: `[require.resolve("blog"), { … }]`. Its
        # name, the first item, may be computed, and is then left out.
        must_be_literal = items[1:] if is_inner_list else items
        if any(map(_is_computed, must_be_literal)):
            return NOT_LITERAL
        texts = [self._first_text_of(item) for item in items]  # None for an object
        return "\n".join(text for text in texts if text is not None)

    def _first_text_of(self, item: "Node") -> str | None:
        """Returns the text of an item of a list, such as the name of a plugin.

        "a"                    → a
        ["classic", { … }]     → classic: the first item of an inner list
        { name: "a" }          → None: an object
        find()                 → None: no literal
        """
        inner_items = children_of(item) if item.type == "array" else []
        if inner_items:
            return _literal_text(self._resolve(inner_items[0]))
        return _literal_text(item)


def _unwrap(node: "Node") -> "Node":
    """The expression inside of brackets, `as` and `satisfies`: `(a as B)` → `a`."""
    while node.type in _WRAPPERS:
        node = children_of(node)[0]
    return node


def _literal_text(node: "Node") -> str | None:
    """Returns the text of a string, a number, a boolean, or a template without `${}`.

    `"a"` → `a`; `1.5` → `1.5`; `true` → `true`. None for any other expression.
    """
    if node.type in _WORD_LITERALS:
        return text_of(node)
    has_code = any(child.type == "template_substitution" for child in node.named_children)
    if node.type == "template_string" and not has_code:
        return joined_fragments(node)
    return string_in(node)


def _is_computed(node: "Node") -> bool:
    """Whether only running the file would give the value of an item of a list.

    find()                true
    "a", 1, true, null    false: a literal
    ["a"], { b: 1 }       false: a list or an object, whose parts are read later
    """
    if node.type in _CONTAINERS or node.type in _EMPTY_VALUES:
        return False
    return _literal_text(node) is None


def _key_of_part(part: "Node") -> str | None:
    """Returns the key of one part of an object: `a: 1`, `"a": 1`, `a() { … }`, `a` alone → `a`.

    None for a spread (`...more`) and a computed key (`[name()]: 1`).
    """
    if part.type == "shorthand_property_identifier":
        return text_of(part)
    key = part.child_by_field_name("key") or part.child_by_field_name("name")
    if key is None or key.type == "computed_property_name":
        return None
    return string_in(key) if key.type == "string" else text_of(key)


def _value_of_part(part: "Node") -> "Node | None":
    """The expression of one part of an object: `a: 1` → `1`, and `a` alone → the name `a`.

    None for a method and a getter, whose value is only known in a run.
    """
    if part.type == "shorthand_property_identifier":
        return part
    return part.child_by_field_name("value")


def _returned_expression(function: "Node") -> "Node | None":
    """Returns the expression that a function returns, or a node that says why it is not known.

        () => a                          → `a`
        () => { return a }               → `a`
        () => { if (b) return a }        → the statement `return a`
        () => { }                        → the body `{ }`

    In the third case, what it returns is not certain, so the caller gets a node that is no literal.
    In the last one, it returns nothing, so no key is set.
    """
    body = function.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return body
    below = nodes_below(body, enters_functions=False)
    returns = [node for node in below if node.type == "return_statement"]
    values = [value for node in returns for value in children_of(node)]
    if not values:
        return body
    # The only return, and not inside of an `if` or a loop.
    is_certain = len(returns) == 1 and returns[0] in children_of(body)
    return values[0] if is_certain else returns[0]


def _find_constants(root: "Node") -> Iterator[tuple[str, _Constant]]:
    """Yields the constants and the functions that are declared at the top of a file, by name.

    `const a = 1, b = 2` → `a` and `b`; `function find() { … }` → `find`. Nothing for `let`.
    """
    for statement in children_of(root):
        # In `export const a = 1`, the declaration is a part of the statement.
        declaration = statement.child_by_field_name("declaration") or statement
        declared = [declaration] if declaration.type in FUNCTIONS else []
        if text_of(declaration.child_by_field_name("kind")) == "const":
            declared = children_of(declaration)  # each has a name and a value
        for node in declared:
            name = node.child_by_field_name("name")
            value = node if node.type in FUNCTIONS else node.child_by_field_name("value")
            if name is not None and value is not None:
                yield text_of(name), _Constant(name.start_byte, value)


def _find_declared_names(root: "Node") -> Iterator[str]:
    """Yields the names of all parameters, functions and variables in a file, once per declaration.

    Those inside of functions count, too: `const f = (a) => { let b }` → `f`, `a`, `b`.
    """
    for node in nodes_below(root):
        declared = node.child_by_field_name(_NAME_FIELDS.get(node.type, ""))
        for name in nodes_below(declared) if declared is not None else ():
            if name.type in ("identifier", "shorthand_property_identifier_pattern"):
                yield text_of(name)
