"""The names that a script declares: what each is bound to, and in which scope."""

from __future__ import annotations

import pytest

from sitemapper.syntax.js_scope import Scope, bind_parameters, bind_statement, returned_by
from sitemapper.syntax.js_tree import nodes_below, parse, text_of


def scope_of(text: str) -> Scope:
    scope = Scope()
    for statement in parse(text, "x.js").named_children:
        bind_statement(statement, scope)
    return scope


@pytest.mark.parametrize(
    ("text", "name", "value", "steps", "default"),
    [
        ("const a = b", "a", "b", (), ""),
        ("let a", "a", "", (), ""),
        ("const { a } = b", "a", "b", ("a",), ""),
        ("const { x: a = 1 } = b", "a", "b", ("x",), "1"),
        ("const { a = 1 } = b", "a", "b", ("a",), "1"),
        ("function a() {}", "a", "function a() {}", (), ""),
    ],
)
def test_what_a_declaration_binds(
    text: str, name: str, value: str, steps: tuple[str, ...], default: str
) -> None:
    scope = scope_of(text)
    assert list(scope.bindings) == [name]
    binding = scope.bindings[name]
    assert (text_of(binding.node), binding.steps, text_of(binding.default)) == (
        value,
        steps,
        default,
    )


def test_what_an_import_binds() -> None:
    scope = scope_of("import a, { b, c as d } from './x'; import * as e from 'y'; import 'z'")
    found = {name: (one.source, one.imported) for name, one in scope.bindings.items()}
    assert found == {
        "a": ("./x", "default"),
        "b": ("./x", "b"),
        "d": ("./x", "c"),
        "e": ("y", "*"),
    }


def test_a_parameter_hides_the_name_of_the_file() -> None:
    file = scope_of("const a = 1, b = 2")
    function = next(node for node in nodes_below(parse("({ a }, ...c) => 1", "x.js")) if node.type == "arrow_function")  # fmt: skip
    inner = Scope(file)
    bind_parameters(function, inner)
    assert [inner.place_of(name) for name in "abcd"] == [inner, file, inner, None]
    assert inner.bindings["a"].is_parameter


def test_what_a_function_returns_itself() -> None:
    text = "if (x) return 1; const f = () => { return 2 }; function g() { return 3 }; return"
    returned = returned_by(parse(text, "x.js"))
    assert sorted(text_of(node) for node in returned) == ["", "1"]
