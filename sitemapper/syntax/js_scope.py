"""The names in a file of JavaScript: what declares them, and where they hold."""

from typing import TYPE_CHECKING, NamedTuple, Optional

from .js_tree import children_of, nodes_below, string_in, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from .js_values import Value

_DECLARATIONS = ("lexical_declaration", "variable_declaration")


class Binding(NamedTuple):
    """What a name is bound to: an expression, a name, a parameter, or an export of another file.

    `steps` are the keys from there to the value, and `default` is its value if there is none.
    """

    node: "Node | None"
    steps: tuple[str, ...] = ()
    source: str = ""
    imported: str = ""
    default: "Node | None" = None
    refers: str = ""
    is_parameter: bool = False


class Scope:
    """The names that a function or a file declares, and those that were already read."""

    def __init__(self, above: Optional["Scope"] = None) -> None:
        self._above = above
        self.bindings: dict[str, Binding] = {}
        self.values: dict[str, Value] = {}

    def place_of(self, name: str) -> Optional["Scope"]:
        """The nearest scope that declares a name, None if none does."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings:
                return scope
            scope = scope._above
        return None


def bind_statement(statement: "Node", scope: Scope) -> None:
    """Adds the names that a statement declares."""
    if statement.type in _DECLARATIONS:
        for declarator in children_of(statement):
            _bind_declarator(declarator, scope)
    elif statement.type in ("function_declaration", "generator_function_declaration"):
        name = text_of(statement.child_by_field_name("name"))
        scope.bindings[name] = Binding(statement)
    elif statement.type == "import_statement":
        _bind_import(statement, scope)


def _bind_declarator(declarator: "Node", scope: Scope) -> None:
    """`name = value`, and `{ name, key: other = default } = value`."""
    target = declarator.child_by_field_name("name")
    value = declarator.child_by_field_name("value")
    if target is None:
        return
    if target.type == "identifier":
        scope.bindings[text_of(target)] = Binding(value)
    elif target.type == "object_pattern" and value is not None:
        for part in children_of(target):
            _bind_part(part, value, scope)


def _bind_part(part: "Node", value: "Node", scope: Scope) -> None:
    """One name of a pattern."""
    default: Node | None = None
    key = ""
    target: Node | None = part
    if part.type == "pair_pattern":
        key = text_of(part.child_by_field_name("key"))
        target = part.child_by_field_name("value")
    if target is not None and target.type in ("object_assignment_pattern", "assignment_pattern"):
        default = target.child_by_field_name("right")
        target = target.child_by_field_name("left")
    if target is None:
        return
    if target.type in ("shorthand_property_identifier_pattern", "identifier"):
        name = text_of(target)
        scope.bindings[name] = Binding(value, (key or name,), default=default)


def _bind_import(statement: "Node", scope: Scope) -> None:
    """`import a, { b as c } from "x"` and `import * as d from "x"`."""
    source = string_in(statement.child_by_field_name("source")) or ""
    for node in nodes_below(statement):
        if node.type == "import_specifier":
            name = text_of(node.child_by_field_name("name"))
            local = text_of(node.child_by_field_name("alias")) or name
            scope.bindings[local] = Binding(None, (), source, name)
        elif node.type == "namespace_import":
            scope.bindings[text_of(children_of(node)[0])] = Binding(None, (), source, "*")
        elif node.type == "import_clause":
            for child in children_of(node):
                if child.type == "identifier":
                    scope.bindings[text_of(child)] = Binding(None, (), source, "default")


def bind_parameters(function: "Node", scope: Scope) -> None:
    """Adds the names of a function's parameters."""
    for field in ("parameters", "parameter"):
        parameters = function.child_by_field_name(field)
        if parameters is None:
            continue
        for node in nodes_below(parameters):
            if node.type in ("identifier", "shorthand_property_identifier_pattern"):
                scope.bindings[text_of(node)] = Binding(None, is_parameter=True)


def returned_by(body: "Node") -> list["Node | None"]:
    """The expressions that the body of a function returns, None for a return without one."""
    returned: list[Node | None] = []
    for node in nodes_below(body, enters_functions=False):
        if node.type == "return_statement":
            values = children_of(node)
            returned.append(values[0] if values else None)
    return returned
