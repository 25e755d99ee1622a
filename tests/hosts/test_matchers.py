"""Patterns with stars and names, and the paths that they match."""

from __future__ import annotations

import pytest

from sitemapper.hosts.matchers import linear_matcher, matcher_without, wildcards


@pytest.mark.parametrize(
    ("source", "start", "yes", "no"),
    [
        ("/a/*", "/a/", "/a/ /a/b/c", "/a /b"),
        ("/a/:x/c", "/a/", "/a/b/c", "/a//c /a/b/d/c"),
        ("/*/b/*", "/", "/a/b/c /x/y/b/", "/a/b"),
    ],
)
def test_a_pattern_has_a_start_and_a_matcher(source: str, start: str, yes: str, no: str) -> None:
    pattern = wildcards(source)
    assert pattern.start == start
    assert pattern.compile is not None
    matches = pattern.compile()
    assert [path for path in yes.split() if not matches(path)] == []
    assert [path for path in no.split() if matches(path)] == []


def test_a_plain_path_has_no_matcher_and_is_encoded() -> None:
    assert wildcards("/ü") == ("/%C3%BC", None)


def test_an_exception_is_taken_out() -> None:
    matches = matcher_without("^/api/", None)
    assert [bool(matches(path)) for path in ("/a", "/api/a")] == [True, False]


def test_look_arounds_are_refused() -> None:
    with pytest.raises(ValueError):
        linear_matcher("^(?!a)")
