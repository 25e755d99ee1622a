"""The values of expressions in a file of JavaScript, read without running it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from .js_scope import Binding, Scope, bind_parameters, bind_statement, returned_by
from .js_tree import Sight, children_of, fragment, line_of, string_in, text_of
from .js_values import (
    ENVIRONMENT,
    NOTHING,
    UNKNOWN,
    Budget,
    Call,
    Entry,
    Function,
    Items,
    Table,
    Text,
    Unknown,
    Value,
    either,
    is_false,
    joined,
    member,
    read_url,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_ENVIRONMENTS = {"process.env", "import.meta.env"}
_WRAPPED = (
    "parenthesized_expression",
    "as_expression",
    "satisfies_expression",
    "non_null_expression",
    "await_expression",
    "type_assertion",
)
# Vite's mergeConfig and lodash's merge; of defu and lodash's defaults, the first object wins.
_MERGING = ("merge", "deepmerge")
_DEFAULTING = ("defu", "defaults", "defaultsDeep")
# By the file that an import names, and the name that it imports: "default", or "*" for all.
Importer = Callable[[str, str], Value]


class Expressions:
    """The expressions of one file."""

    def __init__(self, sight: Sight, imported: Importer, budget: Budget) -> None:
        self._sight = sight
        self._imported = imported
        self._budget = budget
        self._returned: dict[int, Value] = {}

    def as_table(self, value: Value) -> Table | None:
        """The settings in what a file exports, None if they cannot be read.

        A function returns them. A call such as `defineConfig({…})` takes them.
        """
        if not self._budget.enter():
            return None
        table = self._settings_in(value)
        self._budget.leave()
        return table

    def _settings_in(self, value: Value) -> Table | None:
        if isinstance(value, Table):
            return value
        if value is NOTHING:
            return Table({})
        if isinstance(value, Function):
            return self.as_table(self._result_of(value))
        if isinstance(value, Call):
            return self._table_in(value)
        return None

    def _table_in(self, call: Call) -> Table | None:
        """The first object among the arguments of a call. Other functions may add keys to it."""
        if call.name.startswith(_MERGING):
            return self._merged(call.arguments)
        if call.name in _DEFAULTING:
            return self._merged(call.arguments[::-1])
        for argument in call.arguments:
            if not isinstance(argument, Table | Function | Call):
                continue
            table = self.as_table(argument)
            if table:
                return table if call.hands_on else Table(table.entries, table.open_line or 1)
        return None

    def _merged(self, arguments: Sequence[Value]) -> Table:
        """The keys of several objects, where later ones win."""
        entries: dict[str, Entry] = {}
        open_line: int | None = None
        for argument in arguments:
            table = self.as_table(argument)
            value = UNKNOWN if table is None else self._over(entries, table)
            open_line = self._spread(value, entries, 1) or open_line
        return Table(entries, open_line)

    def _over(self, before: Mapping[str, Entry], table: Table) -> Value:
        """A table whose own tables have the keys of those before it, too."""
        if not self._budget.enter():
            return UNKNOWN
        entries = dict(table.entries)
        for key, entry in table.entries.items():
            old = before[key].value if key in before else None
            if isinstance(old, Table) and isinstance(entry.value, Table):
                entries[key] = Entry(self._merged((old, entry.value)), entry.line)
        self._budget.leave()
        return Table(entries, table.open_line)

    # --- names and functions

    def bound(self, binding: Binding, scope: Scope) -> Value:
        """The value that a name is bound to."""
        if binding.is_parameter:
            return UNKNOWN
        if binding.refers:
            value = self.named_value(binding.refers, scope)
        elif binding.source:
            value = self._imported(binding.source, binding.imported)
        else:
            value = self._value(binding.node, scope)
        for step in binding.steps:
            value = member(value, step)
        if value is NOTHING and binding.default is not None:
            return self._value(binding.default, scope)
        return value

    def named_value(self, name: str, scope: Scope) -> Value:
        """The value of a name, unknown if it is set again or is no name of the file."""
        place = scope.place_of(name)
        if place is None:
            return NOTHING if name == "undefined" else UNKNOWN
        if name in self._sight.assigned:
            return UNKNOWN
        if name not in place.values:
            place.values[name] = UNKNOWN  # while it is read: its own value may name it
            value = self.bound(place.bindings[name], place)
            place.values[name] = self._with_changes(value, name)
        return place.values[name]

    def _with_changes(self, value: Value, name: str) -> Value:
        """A value whose members may have been set by an assignment."""
        changed = self._sight.changed.get(name)
        if not changed or not isinstance(value, Table):
            return value
        lines = [entry.line for entry in value.entries.values()] or [1]
        entries = dict(value.entries)
        for key in changed & entries.keys() if "" not in changed else entries.keys():
            entries[key] = Entry(UNKNOWN, entries[key].line)
        for key in changed - entries.keys() - {""}:
            entries[key] = Entry(UNKNOWN, lines[0])
        return Table(entries, lines[0] if "" in changed else value.open_line)

    def _result_of(self, function: Function) -> Value:
        """What a function of the file returns. Its parameters are unknown."""
        node = function.node
        if node.id in self._returned:
            return self._returned[node.id]
        self._returned[node.id] = UNKNOWN
        scope = Scope(function.scope if isinstance(function.scope, Scope) else None)
        bind_parameters(node, scope)
        body = node.child_by_field_name("body")
        result: Value = UNKNOWN
        if body is not None and body.type == "statement_block":
            result = self._result_of_block(body, scope)
        elif body is not None:
            result = self._with_orders([body], self._value(body, scope), scope)
        self._returned[node.id] = result
        return result

    def _result_of_block(self, body: "Node", scope: Scope) -> Value:
        calls: list[Node] = []
        for statement in children_of(body):
            bind_statement(statement, scope)
            if statement.type == "expression_statement":
                calls += children_of(statement)
        returned = returned_by(body)
        if not returned:
            return self._with_orders(calls, NOTHING, scope)
        values = [self._value(node, scope) if node else NOTHING for node in returned]
        return self._with_orders(calls, either(values, self._budget), scope)

    def _with_orders(self, calls: list["Node"], value: Value, scope: Scope) -> Value:
        """What a function returns, with the orders that it gives: `addPlugin` is a list of calls.

        Eleventy's file is a function that is given such an object.
        """
        orders: dict[str, list[Value]] = {}
        lines: dict[str, int] = {}
        for node in calls:
            if node.type != "call_expression":
                continue
            call = self._value(node, scope)
            if isinstance(call, Call) and call.is_order:
                orders.setdefault(call.name, []).append(call)
                lines.setdefault(call.name, line_of(node))
        if isinstance(value, Call) and value.is_order:
            value = NOTHING
        if not orders:
            return value
        table = self.as_table(value) or Table({}, min(lines.values()))
        entries = dict(table.entries)
        for name, items in orders.items():
            entries.setdefault(name, Entry(Items(tuple(items)), lines[name]))
        return Table(entries, table.open_line)

    # --- expressions

    def _value(self, node: "Node | None", scope: Scope) -> Value:
        """The value of an expression."""
        while node is not None and node.type in _WRAPPED:
            parts = children_of(node)
            is_last = node.type == "type_assertion"  # `<T>x`
            node = parts[-1 if is_last else 0] if parts else None
        read = _READERS.get(node.type) if node is not None else None
        if node is None or read is None or not self._budget.enter():
            return UNKNOWN
        value = read(self, node, scope)
        self._budget.leave()
        return value

    def _of_string(self, node: "Node", scope: Scope) -> Value:
        return Text(string_in(node) or "")

    def _of_word(self, node: "Node", scope: Scope) -> Value:
        return Text(text_of(node))

    def _of_nothing(self, node: "Node", scope: Scope) -> Value:
        return NOTHING

    def _of_template(self, node: "Node", scope: Scope) -> Value:
        parts: list[Value] = []
        for part in children_of(node):
            if part.type == "template_substitution":
                inner = children_of(part)
                parts.append(self._value(inner[0], scope) if inner else UNKNOWN)
            else:
                parts.append(Text(fragment(part)))
        return joined(parts)

    def _of_name(self, node: "Node", scope: Scope) -> Value:
        return self.named_value(text_of(node), scope)

    def _of_function(self, node: "Node", scope: Scope) -> Value:
        return Function(node, scope)

    def _of_list(self, node: "Node", scope: Scope) -> Value:
        return Items(tuple(self._value(item, scope) for item in children_of(node)))

    def _of_object(self, node: "Node", scope: Scope) -> Value:
        entries: dict[str, Entry] = {}
        open_line: int | None = None
        for part in children_of(node):
            line = line_of(part)
            if part.type == "spread_element":
                inner = children_of(part)
                spread = self._value(inner[0], scope) if inner else UNKNOWN
                open_line = self._spread(spread, entries, line) or open_line
                continue
            key = self._key_of(part, scope)
            if key is None or part.type == "ERROR":
                _forget(entries, line)
                open_line = line
            else:
                entries[key] = Entry(self._value_of_part(part, scope), line)
        return Table(entries, open_line)

    def _key_of(self, part: "Node", scope: Scope) -> str | None:
        """The key of a part of an object, None if only running the file would tell it."""
        if part.type == "shorthand_property_identifier":
            return text_of(part)
        key = part.child_by_field_name("key") or part.child_by_field_name("name")
        if key is None:
            return None
        if key.type == "computed_property_name":
            value = self._value(children_of(key)[0], scope)
            return value.text if isinstance(value, Text) else None
        return string_in(key) if key.type == "string" else text_of(key)

    def _value_of_part(self, part: "Node", scope: Scope) -> Value:
        if part.type == "shorthand_property_identifier":
            return self.named_value(text_of(part), scope)
        if part.type == "pair":
            return self._value(part.child_by_field_name("value"), scope)
        return UNKNOWN  # a method

    def _spread(self, spread: Value, entries: dict[str, Entry], line: int) -> int | None:
        """Adds the keys of a spread object. The line that says so, if it may have any key."""
        if isinstance(spread, Call):  # `...defineConfig({…})`
            spread = self.as_table(spread) or UNKNOWN
        options = spread.options if isinstance(spread, Unknown) else (spread,)
        if options and all(isinstance(o, Table) or is_false(o) for o in options):
            spread = either(options, self._budget)
        if is_false(spread):
            return None
        if not isinstance(spread, Table) or not self._budget.spend(len(spread.entries)):
            _forget(entries, line)
            return line
        if spread.open_line is not None:
            _forget(entries, line)
        for key, entry in spread.entries.items():
            before = entries.get(key)
            value = entry.value
            if before and isinstance(value, Unknown) and NOTHING in value.options:
                rest = tuple(option for option in value.options if option is not NOTHING)
                value = either((before.value, *rest), self._budget)
            entries[key] = Entry(value, entry.line)
        return line if spread.open_line is not None else None

    def _of_either(self, node: "Node", scope: Scope) -> Value:
        """`condition ? a : b`."""
        condition = self._value(node.child_by_field_name("condition"), scope)
        yes = self._value(node.child_by_field_name("consequence"), scope)
        no = self._value(node.child_by_field_name("alternative"), scope)
        if isinstance(condition, Text):
            return no if is_false(condition) else yes
        return either((yes, no), self._budget)

    def _of_operator(self, node: "Node", scope: Scope) -> Value:
        operator = text_of(node.child_by_field_name("operator"))
        left = self._value(node.child_by_field_name("left"), scope)
        if operator not in ("+", "||", "??", "&&"):
            return UNKNOWN
        right = self._value(node.child_by_field_name("right"), scope)
        if operator == "+":
            return joined([left, right])
        if operator == "&&":
            if isinstance(left, Text):
                return left if is_false(left) else right
            return Unknown((NOTHING, right))
        # The variable need not be set, and then the value is the literal.
        if left in (ENVIRONMENT, NOTHING):
            return right
        if isinstance(left, Unknown | Call):
            return Unknown((left, right))
        return right if operator == "||" and is_false(left) else left

    def _of_member(self, node: "Node", scope: Scope) -> Value:
        above = node.child_by_field_name("object")
        if above is not None and above.type in ("identifier", "member_expression"):
            if {text_of(node), text_of(above)} & _ENVIRONMENTS:
                return ENVIRONMENT
        if node.type == "subscript_expression":
            index = self._value(node.child_by_field_name("index"), scope)
            key = index.text if isinstance(index, Text) else None
        else:
            key = text_of(node.child_by_field_name("property"))
        value = self._value(above, scope)
        return UNKNOWN if key is None else member(value, key)

    def _of_new(self, node: "Node", scope: Scope) -> Value:
        """`new URL(url)` and `new URL(path, url)`, as an object."""
        if text_of(node.child_by_field_name("constructor")) != "URL":
            return UNKNOWN
        arguments = self._arguments_of(node, scope)
        texts = [argument.text for argument in arguments if isinstance(argument, Text)]
        if not texts or len(texts) != len(arguments):
            return UNKNOWN
        return read_url(texts, line_of(node))

    def _arguments_of(self, node: "Node", scope: Scope) -> tuple[Value, ...]:
        arguments = node.child_by_field_name("arguments")
        if arguments is None:
            return ()
        return tuple(self._value(part, scope) for part in children_of(arguments))

    def _of_call(self, node: "Node", scope: Scope) -> Value:
        callee = node.child_by_field_name("function")
        if callee is None:
            return UNKNOWN
        name = text_of(callee) if callee.type in ("identifier", "import") else ""
        arguments = self._arguments_of(node, scope)
        if name in ("require", "import") and arguments and isinstance(arguments[0], Text):
            return self._imported(arguments[0].text, "*")
        if name and scope.place_of(name):
            function = self.named_value(name, scope)
            if isinstance(function, Function):
                return self._result_of(function)
        if callee.type == "parenthesized_expression":  # `(() => …)()`
            function = self._value(callee, scope)
            if isinstance(function, Function):
                return self._result_of(function)
        if callee.type == "member_expression":
            return self._of_method(callee, arguments, scope)
        is_made = callee.type == "call_expression"  # createPlugin({…})(settings)
        hands_on = is_made or name.startswith(("define", "with"))
        return Call(name, arguments, hands_on=hands_on)

    def _of_method(self, callee: "Node", arguments: tuple[Value, ...], scope: Scope) -> Value:
        above = callee.child_by_field_name("object")
        name = text_of(callee.child_by_field_name("property"))
        if text_of(above) == "Object" and name in ("freeze", "assign", "seal") and arguments:
            entries: dict[str, Entry] = {}
            open_line: int | None = None
            for argument in arguments:
                open_line = self._spread(argument, entries, line_of(callee)) or open_line
            return Table(entries, open_line)
        if name == "toString" and not arguments:
            value = self._value(above, scope)
            return value if isinstance(value, Text) else member(value, "href")
        place = scope.place_of(text_of(above))
        is_order = place is not None and place.bindings[text_of(above)].is_parameter
        return Call(name, arguments, hands_on=name.startswith("define"), is_order=is_order)


def _forget(entries: dict[str, Entry], line: int) -> None:
    """Makes all keys unknown that stand before what may have any key."""
    for key, entry in entries.items():
        entries[key] = Entry(Unknown((entry.value,)), line)


_READERS: Mapping[str, Callable[[Expressions, "Node", Scope], Value]] = {
    "string": Expressions._of_string,
    "number": Expressions._of_word,
    "true": Expressions._of_word,
    "false": Expressions._of_word,
    "null": Expressions._of_nothing,
    "undefined": Expressions._of_nothing,
    "template_string": Expressions._of_template,
    "identifier": Expressions._of_name,
    "arrow_function": Expressions._of_function,
    "function_expression": Expressions._of_function,
    "function_declaration": Expressions._of_function,
    "array": Expressions._of_list,
    "object": Expressions._of_object,
    "ternary_expression": Expressions._of_either,
    "binary_expression": Expressions._of_operator,
    "member_expression": Expressions._of_member,
    "subscript_expression": Expressions._of_member,
    "new_expression": Expressions._of_new,
    "call_expression": Expressions._of_call,
}
