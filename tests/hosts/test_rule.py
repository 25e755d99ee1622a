"""One pattern and one rule for all hosts: what they match, where they lead, which of many counts."""

from __future__ import annotations

import pickle
import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import assert_linear

from sitemapper.hosts.rule import (
    Pattern,
    Rule,
    RuleTable,
    error_page,
    read_rule,
    wildcards,
)
from sitemapper.hosts.vercel import read_source
from sitemapper.model import Origin, Reason

loose = partial(wildcards, is_loose=True)


def rule(number: int, source: str, target: str = "/new") -> Rule:
    made = read_rule(wildcards, source, Reason.REDIRECT, Origin("_redirects", number), target)
    assert isinstance(made, Rule)
    return made


def line(table: RuleTable, path: str) -> int | None:
    first = next(table.matching(path), None)
    return first and first.origin.line


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (wildcards("/a/*"), "/a/ /a/b/c", "/a /b"),
        (wildcards("/a/:x/c"), "/a/b/c", "/a//c /a/b/d/c"),
        (wildcards("/*/b/*"), "/a/b/c /x/y/b/", "/a/b"),
        (wildcards("/ü"), "/%C3%BC", "/ü"),
        (loose("/a/*"), "/a /a/b", "/ab"),
        (loose("/A/*/b/"), "/a/b /a/x/y/b", "/a/b/ /a/xb"),
        (Pattern("/a"), "/a", "/a/ /"),
    ],
)
def test_the_paths_of_a_pattern(pattern: Pattern, yes: str, no: str) -> None:
    again: Pattern = pickle.loads(pickle.dumps(pattern))
    assert [path for path in yes.split() if not again.matches(path)] == []
    assert [path for path in no.split() if again.matches(path)] == []


PIECES = st.sampled_from(["/", "a", "b", "ab", "/a", ":x", ":yz", "*", ".", "?"])


@given(st.lists(PIECES, max_size=9).map("".join), st.text(alphabet="/ab.", max_size=14))
def test_a_pattern_matches_what_the_plain_expression_matches(source: str, path: str) -> None:
    parts = re.split(r"(\*|:[A-Za-z]\w*)", source)
    plain = "".join(
        ".*" if p == "*" else "[^/]+" if n % 2 else re.escape(p.replace("?", "%3F"))
        for n, p in enumerate(parts)
    )
    assert wildcards(source).matches(path) == bool(re.fullmatch(plain, path))


@pytest.mark.parametrize(
    ("made", "path", "target"),
    [
        (read_rule(wildcards, "/a/*", Reason.REDIRECT, Origin("f"), "/b/:splat"), "/a/c/d", "/b/c/d"),
        (read_rule(loose, "/a/*", Reason.REDIRECT, Origin("f"), "/b/:splat"), "/A/Cd", "/b/Cd"),
        (read_rule(loose, "/a/*", Reason.REDIRECT, Origin("f"), "/b/:splat"), "/a", "/b/"),
        (read_rule(wildcards, "/:y/:m/:d", Reason.REDIRECT, Origin("f"), "/:d-:m-:y"), "/1/2/3", "/3-2-1"),
        (read_rule(wildcards, "/:y", Reason.REDIRECT, Origin("f"), "https://x:80/:other"), "/1", "https://x:80/:other"),
        (read_rule(read_source, "/a/:path*", Reason.REDIRECT, Origin("f"), "/b/:path*"), "/a/c/d", "/b/c/d"),
        (read_rule(read_source, "/a/(.*)", Reason.REDIRECT, Origin("f"), "/b/$1"), "/a/c", "/b/c"),
        (read_rule(read_source, "/a/(.*)", Reason.REDIRECT, Origin("f"), "/b/$2"), "/a/c", ""),
        (read_rule(read_source, "/(.*)x(.*)y(.*)", Reason.REDIRECT, Origin("f"), "/$1"), "/axbyc", ""),
        (Rule(Pattern("/a"), Reason.REDIRECT, Origin("f"), "/b\\\\c"), "/a", "/b\\c"),
    ],
)  # fmt: skip
def test_where_a_rule_leads(made: Rule | Origin, path: str, target: str) -> None:
    """Unknown for a number without a group, and for what Python finds slowly."""
    assert isinstance(made, Rule)
    assert made.target_at(path) == target


def test_the_first_rule_of_the_file_decides_whether_plain_or_a_pattern() -> None:
    table = RuleTable([rule(1, "/a/b"), rule(2, "/a/*"), rule(3, "/a/c"), rule(4, "/*")])
    assert [line(table, path) for path in ("/a/b", "/a/c", "/b", "/a")] == [1, 2, 4, 4]
    assert [made.origin.line for made in table.matching("/a/c")] == [2, 3, 4]


def test_only_patterns_with_which_a_path_begins_are_compiled() -> None:
    many = RuleTable(rule(number, f"/old{number}/*") for number in range(2_000))
    table: RuleTable = pickle.loads(pickle.dumps(many))
    assert [line(table, path) for path in ("/old7/a", "/old7/b", "/new")] == [7, 7, None]
    compiled = [r for r in table.rules if r.source.regex and "is_in" in vars(r.source.regex)]
    assert [made.origin.line for made in compiled] == [7]
    assert line(pickle.loads(pickle.dumps(table)), "/old7/a") == 7


@pytest.mark.parametrize(
    ("source", "is_of_all"),
    [("/*", True), ("/:all/*", False), ("/a/*", False), ("/:x", True), ("/*.html", False)],
)
def test_a_rule_for_all_paths(source: str, is_of_all: bool) -> None:
    assert wildcards(source).is_of_all_paths is is_of_all


@pytest.mark.parametrize(
    ("target", "paths"),
    [
        ("/404.html", ["/404.html", "/404"]),
        ("/lost", ["/lost"]),
        ("/lost/", []),
        ("/lost/index.html", []),
        ("404.html", []),
        ("", []),
    ],
)
def test_the_paths_of_an_error_page(target: str, paths: list[str]) -> None:
    rules = error_page(target, Origin("f", 1, "404"))
    assert [made.source.start for made in rules] == paths


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    ["/*:a*:a*:a*:a/zz", "/" + "*a" * 30 + "b", "/" + ":a-" * 30 + "zz", "/*" + ":a" * 30 + "zz", "/*a:x-b*/zz", "/*:a/*:b/*:c", "/:a/:b/:c/*", "/a*a:b"],
)  # fmt: skip
def test_no_pattern_takes_long_for_a_long_path(source: str) -> None:
    made = rule(1, source, "/:a/:b/:splat")

    def attempt(n: int) -> None:
        for path in ("/" + "a" * n, "/" + "a-" * (n // 2), "/a" * (n // 2), "/" + "a" * n + "/z"):
            made.source.matches(path)
            made.target_at(path)

    assert_linear(lambda n: partial(attempt, n), 4_000)
