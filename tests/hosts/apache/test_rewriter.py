"""The rules of a folder, as mod_rewrite runs them."""

from __future__ import annotations

import pytest

from sitemapper.hosts.apache.request import Files, Request, read_base
from sitemapper.hosts.apache.rewriter import Rewriter, Rewrites, Rewritten
from sitemapper.hosts.apache.rewriting import read_rule
from sitemapper.model import Origin

BASE = read_base("https://example.com/")
FILES = Files("/", lambda path: "f" if path in ("a.html", "b.html") else "")


def run(uri: str, *rules: str, base: str = "") -> Rewritten:
    """What rules, in words separated by spaces, make of a URL."""
    read = []
    for number, text in enumerate(rules):
        rule, _ = read_rule(text.split(), (), Origin("", number, ""))
        read.append(rule)
    located = FILES.locate(uri)
    assert located is not None
    return Rewriter(Rewrites("/", base, read), BASE, Request(uri, uri), located, FILES).run()


@pytest.mark.parametrize(
    ("rules", "target"),
    [
        (["^a b.html"], "/b.html"),
        (["^a b", "^b c"], "/c"),
        (["^a b [L]", "^b c"], "/b"),
        (["^a - [S=1]", "^a x", "^a y"], "/y"),
        (["^x - [C]", "^a x", "^a y"], "/y"),
        (["^(.)(.*)$ $2-$1"], "/.html-a"),
        (["^a a.html"], ""),  # the same name: nothing changes
        (["!^b x"], "/x"),
        (["^a https://example.com/b.html"], "/b.html"),  # the same host
    ],
)
def test_the_path_after_the_rules(rules: list[str], target: str) -> None:
    assert run("/a.html", *rules)[:2] == (0, target)


@pytest.mark.parametrize(
    ("rule", "status", "target"),
    [
        ("^a /x [R]", 302, "https://example.com/x"),
        ("^a https://other.example/x", 302, "https://other.example/x"),
        ("^a - [F]", 403, ""),
        ("^a - [G]", 410, ""),
        ("^a - [R=404]", 404, ""),
        ("^a x [R=301]", 301, "https://example.com/var/www/html/x"),  # a trap of Apache's
    ],
)
def test_the_answer_of_a_rule(rule: str, status: int, target: str) -> None:
    assert run("/a.html", rule)[:2] == (status, target)


def test_rewrite_base_stands_for_the_folder() -> None:
    assert run("/a.html", "^a x [R]", base="/p/").target == "https://example.com/p/x"


def test_rules_behind_an_unknown_one_that_may_end_them_are_unknown() -> None:
    assert run("/a.html", "(?=a) - [L]", "^a /x [R]") == Rewritten(doubt=True)
    assert run("/a.html", "(?=a) - [F]", "^a /x [R]").status == 302  # not there in any case
