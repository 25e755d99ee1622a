"""Values of a script: their members, one of several, and the keys that a table says."""

from __future__ import annotations

import pytest

from sitemapper.syntax.answers import Answer
from sitemapper.syntax.js_values import (
    ENVIRONMENT,
    NOTHING,
    UNKNOWN,
    Budget,
    Call,
    Entry,
    Items,
    Table,
    Text,
    Unknown,
    Value,
    either,
    flat,
    is_false,
    member,
)

A, B = Text("a"), Text("b")


def table(open_line: int | None = None, **values: Value) -> Table:
    return Table(
        {key: Entry(value, n) for n, (key, value) in enumerate(values.items(), 1)}, open_line
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (table(x=A), A),
        (table(y=A), NOTHING),
        (table(9, y=A), UNKNOWN),
        (ENVIRONMENT, ENVIRONMENT),
        (A, UNKNOWN),
    ],
    ids=["a key", "no key", "an open table", "the environment", "a text"],
)
def test_a_member(value: Value, expected: Value) -> None:
    assert member(value, "x") == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([A, A], A),
        ([A, B], Unknown((A, B))),
        ([A, NOTHING], Unknown((A, NOTHING))),
        ([table(x=A, y=A), table(x=A, y=B)], table(x=A, y=Unknown((A, B)))),
        ([table(x=A), Text("false")], table(x=Unknown((A, NOTHING)))),
        ([table(x=A), table(9)], table(9, x=Unknown((A, UNKNOWN)))),
        ([table(x=A), B], Unknown((table(x=A), B))),
    ],
    ids=["equal", "different", "or nothing", "two tables", "a table or false", "an open one", "a table or a text"],
)  # fmt: skip
def test_one_of_several_values(options: list[Value], expected: Value) -> None:
    assert either(options, Budget()) == expected


@pytest.mark.parametrize(("value", "expected"), [(Text("0"), True), (NOTHING, True), (A, False), (table(), False), (UNKNOWN, False)])  # fmt: skip
def test_what_has_no_keys_to_spread(value: Value, expected: bool) -> None:
    assert is_false(value) is expected


def test_the_keys_of_lists_and_calls_and_what_is_open() -> None:
    plugin = Items((A, table(z=B)))
    values = table(9, list=Items((plugin, B)), call=Call("f", (A, table(z=B))), none=NOTHING)
    assert flat(values, Budget()) == {
        "list[]": Answer("a\nb", 1),
        "list[][]": Answer("a", 1),
        "list[][].z": Answer("b", 1),
        "call": Answer(None, 2),
        "call()": Answer("a", 2),
        "call().z": Answer("b", 1),
        "*": Answer(None, 9),
    }


def test_without_steps_left_a_key_is_unknown() -> None:
    budget = Budget()
    while budget.spend():
        pass
    assert flat(table(x=A), budget) == {"*": Answer(None, 1)}
    assert not budget.enter()
