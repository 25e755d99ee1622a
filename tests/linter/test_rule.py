"""A rule's page, which `sitemapper rule` prints, is its paragraph in the manual of its family."""

from __future__ import annotations

from sitemapper.linter import ALL


def test_every_rule_has_a_page_that_says_what_to_do() -> None:
    assert [
        rule.code for rule in ALL if "\nFix: " not in rule.manual or len(rule.manual.splitlines()) < 4
    ] == []
