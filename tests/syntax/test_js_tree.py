"""What can be seen in a script without following a name: texts, assignments and changed members."""

from __future__ import annotations

import pytest

from sitemapper.syntax.js_tree import line_of, nodes_below, parse, see, string_in, text_of


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("'a\\n\\'b'", "a\n'b"),
        ('"\\x62\\u00e9\\u{1f600}"', "bé\U0001f600"),
        ("'a\\\nb'", "ab"),
        ("'\\u{110000}'", ""),
        ("`a`", None),
        ("1", None),
    ],
    ids=["signs", "codes", "a line that continues", "no character", "a template", "a number"],
)
def test_the_value_of_a_string(literal: str, expected: str | None) -> None:
    [statement] = parse(literal, "x.js").named_children
    assert string_in(statement.named_children[0]) == expected


@pytest.mark.parametrize(
    ("text", "assigned", "changed"),
    [
        ("const a = 1", set(), {}),
        ("a = 1; b += 1; c++", {"a", "b", "c"}, {}),
        ("({ a, x: b } = c); [d] = e", {"a", "b", "d"}, {}),
        ("a.b.c = 1; a['d'] = 1", set(), {"a": {"b", ""}}),
        ("Object.assign(a, b); Object.assign({}, c)", set(), {"a": {""}}),
    ],
    ids=["a declaration", "names", "patterns", "members", "Object.assign"],
)
def test_what_is_set_again(text: str, assigned: set[str], changed: dict[str, set[str]]) -> None:
    sight = see(parse(text, "x.js"))
    assert (sight.assigned, sight.changed) == (assigned, changed)


@pytest.mark.parametrize(("name", "is_type"), [("x.ts", True), ("x.mts", True), ("x.js", False), ("x.tsx", False)])  # fmt: skip
def test_the_ending_tells_a_type_from_an_element(name: str, is_type: bool) -> None:
    types = {node.type for node in nodes_below(parse("const a = <T>b", name))}
    assert ("type_assertion" in types) is is_type


def test_the_nodes_of_a_text_without_those_in_functions() -> None:
    root = parse("a\nconst b = () => c\n\nd", "x.js")
    seen = nodes_below(root, enters_functions=False)
    names = {text_of(node): line_of(node) for node in seen if node.type == "identifier"}
    assert names == {"a": 1, "b": 2, "d": 4}


def test_a_file_that_is_damaged_everywhere_counts_as_empty() -> None:
    """The parser's time grows with the square of such places: 3,000 took a second."""
    damaged = " " + "}!" * 20_000
    assert parse(damaged, "a.js").child_count == 0
    large = "export default { site: 'https://tea.dev/' };\n" * 2_000
    assert parse(large, "a.js").child_count == 2_000
