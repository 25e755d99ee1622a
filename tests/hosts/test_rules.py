"""Rules by path: plain paths and patterns in the order of the file, compiled where they are used."""

from __future__ import annotations

import pickle
import re
from functools import partial

import pytest

from sitemapper.hosts.host import HostEffect, HostRules
from sitemapper.hosts.matchers import Matcher, PathPattern, whole_matcher
from sitemapper.hosts.rules import Rule, error_page, make_rules
from sitemapper.model import Origin, Reason
from sitemapper.syntax.urls import STYLES


def rule(line: int, source: str) -> Rule:
    return source, HostEffect(Reason.REDIRECT, Origin("_redirects", line, source))


def line(rules: HostRules, path: str) -> int | None:
    effect = rules.effect(path)
    return effect and effect.origin.line


def test_the_first_rule_of_the_file_decides_whether_plain_or_a_pattern() -> None:
    rules = make_rules(
        [rule(1, "/a/b"), rule(2, "/a/*"), rule(3, "/a/c"), rule(4, "/*")], [], STYLES["directory"]
    )
    paths = ("/a/b", "/a/c", "/b", "/a")
    assert [line(rules, path) for path in paths] == [1, 2, 4, 4]


compiled: list[str] = []


def compile_and_count(regex: str) -> Matcher:
    compiled.append(regex)
    return whole_matcher(regex)


def read(source: str) -> PathPattern:
    start, _, rest = source.partition("*")
    return PathPattern(start, partial(compile_and_count, f"{re.escape(start)}.*{rest}"))


def test_only_patterns_with_which_a_path_begins_are_compiled_and_each_once() -> None:
    many = [rule(number, f"/old{number}/*") for number in range(2_000)]
    rules = pickle.loads(pickle.dumps(make_rules(many, [], STYLES["directory"], read=read)))
    assert compiled == []
    assert [line(rules, path) for path in ("/old7/a", "/old7/b", "/new")] == [7, 7, None]
    assert compiled == ["/old7/.*"]
    assert line(pickle.loads(pickle.dumps(rules)), "/old7/a") == 7


def test_a_pattern_that_the_engine_refuses_is_skipped() -> None:
    rules = make_rules(
        [rule(1, "/bad["), rule(2, "/*")], [], STYLES["directory"], read=refuse_brackets
    )
    assert line(rules, "/bad[") == 2
    assert [str(unknown) for unknown in rules.skipped] == ["_redirects:1: /bad[ (not understood)"]


def refuse_brackets(source: str) -> PathPattern:
    if "[" in source:
        raise ValueError(source)
    return read(source)


def test_a_rule_that_keeps_pages_keeps_all_for_which_it_may_be() -> None:
    rules = make_rules(
        [("/a/[b]", None), rule(2, "/*")], [], STYLES["directory"], read=refuse_brackets
    )
    assert [line(rules, path) for path in ("/a/x", "/a", "/b/x")] == [None, 2, 2]


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
    assert [path for path, _ in error_page(target, Origin("f", 1, "404"))] == paths
