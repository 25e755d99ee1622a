"""What the rules of the possible hosts do with a path, and the forms of URLs on which they agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.hosts import reason_at

from sitemapper.hosts.host import Host, make_rules
from sitemapper.hosts.rule import Pattern, Rule
from sitemapper.model import Origin, Reason
from sitemapper.syntax.urls import STYLES, UrlForms

R, N, C = Reason.REDIRECT, Reason.NOINDEX, Reason.CANONICAL


def rules_for(actions: Sequence[Reason | None], *, forced: bool = True) -> list[Rule]:
    return [
        Rule(Pattern("/a"), action, Origin("f", n), "/b", forced=forced)
        for n, action in enumerate(actions)
    ]


@pytest.mark.parametrize(
    ("moves", "headers", "expected"),
    [
        ([R], [N], R),
        ([None, R], [N], N),  # the first move decides, and then the headers
        ([], [N, None], None),
        ([], [C, N], N),
        ([], [N, None, C], C),
        ([], [N, None, N], N),
    ],
)
def test_what_rules_do_with_a_page(
    moves: list[Reason | None], headers: list[Reason | None], expected: Reason | None
) -> None:
    rules = make_rules(STYLES["directory"], rules_for(moves), rules_for(headers))
    assert reason_at(rules, "/a") is expected
    assert reason_at(rules, "/b") is None


def test_a_rule_that_is_not_forced_is_for_paths_without_a_file_and_ends_the_search() -> None:
    rules = make_rules(
        STYLES["directory"], [*rules_for([R], forced=False), *rules_for([Reason.CLOSED])]
    )
    assert rules.move_at("/a") is None
    rule = rules.move_at("/a", has_file=False)
    assert rule and rule.action is R


def test_only_forms_of_all_hosts_count() -> None:
    one, other = UrlForms(("a/", "a"), ("b",)), UrlForms(("a",), ("b.html", "b"))
    rules = (make_rules(one), make_rules(other))
    assert Host(("x", "y"), rules).forms == UrlForms(("a",), ("b",))
    assert Host(("x",), rules[:1]).forms == one
    assert Host(("x", "y"), rules, is_known=False).forms is None
    neither = make_rules(UrlForms(("a/",), ("b.html",)))
    assert Host(("x", "y"), (rules[0], neither)).forms is None
