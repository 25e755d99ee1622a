"""The value of an expression in a script: operators, objects, URLs, calls and orders."""

from __future__ import annotations

import pytest

from sitemapper.syntax.js_expressions import Expressions
from sitemapper.syntax.js_scope import Scope, bind_statement
from sitemapper.syntax.js_tree import parse, see
from sitemapper.syntax.js_values import (
    ENVIRONMENT,
    NOTHING,
    UNKNOWN,
    Budget,
    Call,
    Table,
    Text,
    Unknown,
    Value,
    member,
)


def expressions(text: str) -> tuple[Expressions, Scope]:
    root = parse(text, "x.js")
    scope = Scope()
    for statement in root.named_children:
        bind_statement(statement, scope)
    return Expressions(see(root), lambda file, name: Text(f"{file}#{name}"), Budget()), scope


def value(expression: str, before: str = "") -> Value:
    reader, scope = expressions(f"{before};\nconst it = {expression}")
    return reader.named_value("it", scope)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'a' + 1 + `b`", Text("a1b")),
        ("'a' - 'b'", UNKNOWN),
        ("'' || 'b'", Text("b")),
        ("'' ?? 'b'", Text("")),
        ("null ?? 'b'", Text("b")),
        ("'a' && 'b'", Text("b")),
        ("false && 'b'", Text("false")),
        ("x && 'b'", Unknown((NOTHING, Text("b")))),
        ("process.env['BASE']", ENVIRONMENT),
        ("'x' ? 'a' : 'b'", Text("a")),
        ("0 ? 'a' : 'b'", Text("b")),
        ("require('./a').b", UNKNOWN),
        ("require('./a')", Text("./a#*")),
        ("/x/", UNKNOWN),
    ],
)
def test_the_value_of_an_expression(expression: str, expected: Value) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize(
    ("expression", "key", "expected"),
    [
        ("new URL('/b/?c', 'https://a.example:8080/x')", "host", "a.example:8080"),
        ("new URL('/b/?c', 'https://a.example:8080/x')", "hostname", "a.example"),
        ("new URL('../b/?c', 'https://a.example/x/y')", "pathname", "/b/"),
        ("new URL('https://a.example')", "href", "https://a.example/"),
        ("new URL('https://a.example/b')", "origin", "https://a.example"),
    ],
)
def test_the_parts_of_a_url(expression: str, key: str, expected: str) -> None:
    assert member(value(expression), key) == Text(expected)


@pytest.mark.parametrize("expression", ["new URL('/b')", "new URL(x)", "new Map('https://a.example')", "new URL('https://[')"])  # fmt: skip
def test_what_is_no_url(expression: str) -> None:
    assert value(expression) == UNKNOWN


@pytest.mark.parametrize(
    ("expression", "hands_on"),
    [("defineConfig({})", True), ("withX({})", True), ("make({})({})", True), ("load({})", False)],
)
def test_which_function_returns_the_settings_it_takes(expression: str, hands_on: bool) -> None:
    call = value(expression)
    assert isinstance(call, Call)
    assert call.hands_on is hands_on
    reader, _ = expressions("")
    table = reader.as_table(call)
    assert table
    assert table.open_line == (None if hands_on else 1)


def test_a_spread_replaces_the_keys_that_it_has() -> None:
    table = value("{ a: 1, b: 2, ...c, d: 4 }", "const c = { b: 3 }")
    assert isinstance(table, Table)
    found = {key: (entry.value, entry.line) for key, entry in table.entries.items()}
    assert found == {"a": (Text("1"), 2), "b": (Text("3"), 1), "d": (Text("4"), 2)}
    assert table.open_line is None
