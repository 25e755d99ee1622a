"""The settings that a file in JavaScript or TypeScript exports, read without running it.

A key is a literal, unset, or unknown: it stands there, but only running the file tells its value.
"""

import json
import posixpath
from typing import TYPE_CHECKING

from .answers import Answer, Opener
from .js_expressions import Expressions
from .js_scope import Binding, Scope, bind_statement
from .js_tree import children_of, line_of, nodes_below, parse, see, string_in, text_of
from .js_values import (
    NOTHING,
    UNKNOWN,
    Budget,
    Entry,
    Items,
    Table,
    Text,
    Value,
    flat,
    member,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_SIZE = 1 << 17  # characters of a file with those that it imports
_MAX_FILES = 8  # that are read of a project, with the file itself
_MAX_DEPTH = 60  # of lists and tables in JSON
_SCRIPTS = (".ts", ".js", ".mjs", ".mts", ".cjs", ".cts")
_IMPORTED_ENDINGS = ("", *_SCRIPTS, ".json", "/index.ts", "/index.js")


def read_settings(text: str, name: str, opener: Opener) -> dict[str, Answer]:
    """What a file says of each key. The file `name` may import others, which `opener` reads."""
    budget = Budget()
    files = _Files(opener, budget)
    module = files.add(name, text)
    table = module.exported_table() if module else Table({}, 1)
    return flat(table, budget)


def find_error(text: str, name: str) -> int | None:
    """The number of the first line where a file is no JavaScript or TypeScript, None if it is."""
    root = parse(text, name)
    lines = []
    for node in nodes_below(root):
        # An error is around others where a bracket before it was not closed.
        is_inmost = not any(child.has_error for child in node.children)
        if node.has_error and is_inmost:
            lines.append(node.end_point[0] + 1)
    return min(lines, default=None)


def mentions(text: str, name: str) -> set[str]:
    """The modules that a file imports and uses, and the texts in it that may name a plugin."""
    if len(text) > _MAX_SIZE:
        return set()
    return see(parse(text, name)).mentions


class _Files:
    """The files that are read for one file of settings."""

    def __init__(self, opener: Opener, budget: Budget) -> None:
        self._opener = opener
        self.budget = budget
        self._size = 0
        self._modules: dict[str, _Module | Value] = {}

    def add(self, name: str, text: str) -> "_Module | None":
        """A file of JavaScript, None if it makes the whole too long."""
        self._size += len(text)
        if self._size > _MAX_SIZE:
            return None
        module = _Module(name, text, self)
        self._modules[name] = module
        return module

    def exported(self, source: str, importer: str, name: str) -> Value:
        """What a file exports by a name, "default" for its default, "*" for all."""
        if not source.startswith((".", "/")):
            return UNKNOWN  # of a package
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), source))
        module = self._find(path)
        if isinstance(module, _Module):
            return module.exported(name)
        if name in ("default", "*"):
            return module
        return member(module, name)

    def _find(self, path: str) -> "_Module | Value":
        """The file that an import names, with or without its ending."""
        for ending in _IMPORTED_ENDINGS:
            name = path + ending
            if name in self._modules:
                return self._modules[name]
            if len(self._modules) >= _MAX_FILES:
                return UNKNOWN
            text = self._opener(name) if posixpath.splitext(name)[1] else ""
            if not text:
                continue
            if name.endswith(".json"):
                value = self._read_json(text)
                self._modules[name] = value
                return value
            return self.add(name, text) or UNKNOWN
        return UNKNOWN

    def _read_json(self, text: str) -> Value:
        self._size += len(text)
        if self._size > _MAX_SIZE:
            return UNKNOWN
        try:
            return _of_json(json.loads(text), 0)
        except (ValueError, RecursionError):
            return UNKNOWN


def _of_json(value: object, depth: int) -> Value:
    if isinstance(value, bool):
        return Text(str(value).lower())
    if isinstance(value, str | int | float):
        return Text(str(value))
    if value is None:
        return NOTHING
    if depth > _MAX_DEPTH:
        return UNKNOWN
    if isinstance(value, list):
        return Items(tuple(_of_json(item, depth + 1) for item in value))
    if isinstance(value, dict):
        return Table({key: Entry(_of_json(item, depth + 1), 1) for key, item in value.items()})
    return UNKNOWN


class _Module:
    """One file: what it exports, and what its names stand for."""

    def __init__(self, name: str, text: str, files: _Files) -> None:
        self._root = parse(text, name)
        self._expressions = Expressions(
            see(self._root),
            lambda source, imported: files.exported(source, name, imported),
            files.budget,
        )
        self._scope = Scope()
        self._default: Binding | None = None
        self._named: dict[str, Binding] = {}
        self._values: dict[str, Value] = {}
        for statement in children_of(self._root):
            bind_statement(statement, self._scope)
            self._note_export(statement)

    # --- exports

    def _note_export(self, statement: "Node") -> None:
        if statement.type == "export_statement":
            self._note_export_statement(statement)
        elif statement.type == "expression_statement":
            for node in children_of(statement):
                if node.type == "assignment_expression":
                    self._note_assigned_export(node)

    def _note_export_statement(self, statement: "Node") -> None:
        declaration = statement.child_by_field_name("declaration")
        value = statement.child_by_field_name("value")
        tokens = {child.type for child in statement.children}
        if declaration is not None and "default" not in tokens:
            before = set(self._scope.bindings)
            bind_statement(declaration, self._scope)
            for name in set(self._scope.bindings) - before:
                self._named[name] = self._scope.bindings[name]
        elif declaration is not None or value is not None:
            self._default = Binding(declaration or value)
        elif "=" in tokens:  # TypeScript's `export = config`
            self._default = Binding(children_of(statement)[-1])
        else:
            self._note_export_clause(statement)

    def _note_export_clause(self, statement: "Node") -> None:
        """`export { a, b as default }`, perhaps from another file."""
        source = string_in(statement.child_by_field_name("source")) or ""
        for node in nodes_below(statement):
            if node.type != "export_specifier":
                continue
            name = text_of(node.child_by_field_name("name"))
            shown = text_of(node.child_by_field_name("alias")) or name
            target = Binding(None, (), source, name) if source else Binding(None, refers=name)
            if shown == "default":
                self._default = target
            else:
                self._named[shown] = target

    def _note_assigned_export(self, assignment: "Node") -> None:
        """`module.exports = …` and `exports.name = …`."""
        target = text_of(assignment.child_by_field_name("left"))
        value = assignment.child_by_field_name("right")
        if target == "module.exports":
            self._default = Binding(value)
        elif target.startswith(("exports.", "module.exports.")):
            self._named[target.rpartition(".")[2]] = Binding(value)

    def exported(self, name: str) -> Value:
        """What the file exports by a name, "default" for its default, "*" for all."""
        if name not in self._values:
            self._values[name] = UNKNOWN  # while it is read: the files may import each other
            self._values[name] = self._export(name)
        return self._values[name]

    def _export(self, name: str) -> Value:
        if name == "*":
            return self.exported_table()
        binding = self._named.get(name)
        if binding:
            return self._expressions.bound(binding, self._scope)
        if self._default is None:
            return UNKNOWN
        default = self._expressions.bound(self._default, self._scope)
        return default if name == "default" else member(default, name)

    def exported_table(self) -> Table:
        """The keys of what the file exports, or of the only object in a file without exports."""
        table = Table({}, 1 if self._root.has_error else None)
        default = self._default or self._named.get("default")  # `exports.default = …`
        if default:
            settings = self._expressions.as_table(self.exported("default"))
            table = settings or Table({}, _line_of(default))
        elif not self._named:
            table = self._only_object() or table
        entries = dict(table.entries)
        for name, binding in self._named.items():
            entries.setdefault(name, Entry(self.exported(name), _line_of(binding)))
        return Table(entries, table.open_line)

    def _only_object(self) -> Table | None:
        """The only object that has a name."""
        names = self._scope.bindings
        values = [self._expressions.named_value(name, self._scope) for name in names]
        tables = [value for value in values if isinstance(value, Table)]
        return tables[0] if len(tables) == 1 else None


def _line_of(binding: Binding) -> int:
    return line_of(binding.node) if binding.node is not None else 1
