"""The linear engine decides whether a pattern matches, and `re` finds groups where that is quick."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.patterns import Pattern, wildcard_expression


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        ("b", "abc", True),
        ("^b", "abc", False),
        (r"\ /(.*)\.html", "GET /x.html HTTP/1.1", True),
        ("^(?!index)", "index.html", False),
        ("^(?!index)", "a.html", True),
        ("^/docs/(?!a|b)(.*)$", "/docs/c", True),
        ("^/docs/(?!a|b)(.*)$", "/docs/b", False),
        ("^/docs/(?!a|b)(.*)$", "/c", False),
    ],
)
def test_whether_a_text_matches(expression: str, text: str, expected: bool) -> None:
    assert Pattern(expression).matches(text) is expected


@pytest.mark.parametrize(
    "expression", ["(?=a)", "(?<!a)b", "(a)\\1", "(", "^a|(?!b)c", "^(?!a)b|c"]
)
def test_what_the_engine_refuses_is_no_pattern(expression: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Pattern(expression)


@pytest.mark.parametrize(
    ("expression", "text", "groups"),
    [
        ("^(.*)/(.*)$", "a/b/c", ["a/b/c", "a/b", "c"]),
        ("^(a)?b", "b", ["b", ""]),
        ("(a+)+b", "aab", None),  # a repetition in a repetition
        ("(a|b+)*c", "abc", None),
        ("^(.*)$", "a" * 2_048, None),
        ("^(.*)(.*)(.*)(.*)(.*)$", "a" * 500, None),  # takes too many steps
    ],
)
def test_groups_are_known_where_they_take_little_time(
    expression: str, text: str, groups: list[str] | None
) -> None:
    assert Pattern(expression).groups(text) == groups


def test_letter_case_may_not_matter() -> None:
    pattern = Pattern("^A(.)", ignores_case=True)
    assert pattern.matches("ab")
    assert pattern.groups("ab") == ["ab", "b"]


@pytest.mark.parametrize(
    ("wildcards", "name", "expected"),
    [("*.html", "a.html", True), ("?.html", "ab.html", False), ("[!a]*", "a", False), ("[a", "[a", True)],
)  # fmt: skip
def test_wildcards_of_files(wildcards: str, name: str, expected: bool) -> None:
    assert Pattern(wildcard_expression(wildcards)).matches(name) is expected
