"""Conditions of a rule: which hold for every page, which for none, and which nobody can tell."""

from __future__ import annotations

from typing import Any

import pytest

from sitemapper.hosts.conditions import ALWAYS, Condition, condition_of

NEVER = Condition(False)
QUERY = {"type": "query", "key": "q"}
COOKIE = {"type": "cookie", "key": "session"}
HEADER = {"type": "header", "key": "Accept"}
OURS = {"type": "host", "value": "(www\\.)?example\\.com"}
THEIRS = {"type": "host", "value": "example"}  # the whole name must match
UNREADABLE = {"type": "host", "value": "(?=x)"}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, ALWAYS),
        ({"has": [], "missing": "x"}, ALWAYS),
        ({"has": [QUERY]}, NEVER),
        ({"missing": [QUERY]}, ALWAYS),
        ({"has": [THEIRS]}, NEVER),
        ({"missing": [OURS]}, NEVER),
        ({"has": [COOKIE, QUERY]}, NEVER),
        ({"has": [COOKIE], "missing": [OURS]}, NEVER),
    ],
)
def test_a_rule_for_every_page_or_for_none(rule: dict[str, Any], expected: Condition) -> None:
    assert condition_of(rule, "example.com") == expected


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"has": [OURS]}, "is for the host of base_url"),
        ({"missing": [THEIRS]}, "is for the host of base_url"),
        ({"has": [UNREADABLE]}, "not understood"),
        ({"has": [HEADER, COOKIE]}, "depends on the header Accept"),
        ({"missing": [COOKIE]}, "depends on a cookie"),
        ({"has": [{"type": "new"}]}, "depends on the request"),
    ],
)
def test_a_rule_that_may_apply_has_the_first_reason(rule: dict[str, Any], why: str) -> None:
    assert condition_of(rule, "example.com") == Condition(None, why)


def test_without_a_base_url_no_host_name_is_compared() -> None:
    assert condition_of({"has": [THEIRS]}, "") == Condition(None, "depends on the request")
