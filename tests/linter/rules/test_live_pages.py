"""Rules about live pages, on facts of answers."""

from __future__ import annotations

import pytest

from sitemapper.linter.rules import live, live_pages
from sitemapper.linter.rules.live import LiveAnswer
from sitemapper.linter.rules.live_pages import LivePage

URL = "https://example.com/a"
FAILED = LiveAnswer(503)
REFUSED = LiveAnswer(403, is_refusal=True)
MOVED = LiveAnswer(301, target="https://example.com/b")


def codes(page: LivePage) -> list[str]:
    return [rule.code for rule, _ in live_pages.check_page(page)]


@pytest.mark.parametrize(
    ("answer", "role", "found"),
    [
        (LiveAnswer(200), "listed", []),
        (LiveAnswer(200), "removed", ["SM629"]),
        (LiveAnswer(200), "alternate", []),
        (LiveAnswer(200), "random", ["SM606"]),
        (LiveAnswer(404), "listed", ["SM621"]),
        (LiveAnswer(204), "listed", ["SM621"]),
        (LiveAnswer(410), "removed", []),
        (LiveAnswer(404), "alternate", ["SM628"]),
        (LiveAnswer(404), "random", []),
        (LiveAnswer(200, error="incomplete"), "listed", ["SM622"]),
        (FAILED, "listed", ["SM622"]),
        (FAILED, "alternate", ["SM628"]),
        (REFUSED, "listed", ["SM603"]),
        (REFUSED, "alternate", ["SM603"]),
        (MOVED, "listed", ["SM623"]),
        (MOVED, "removed", []),
        (MOVED, "alternate", ["SM628"]),
    ],
)
def test_what_an_answer_means_depends_on_the_role(answer: LiveAnswer, role: str, found: list[str]) -> None:
    assert codes(LivePage(URL, answer, role)) == found


def test_every_rule_is_in_one_manual_and_says_how_to_fix_it() -> None:
    rules = (*live.ALL, *live_pages.ALL)
    assert len({rule.code for rule in rules}) == len(rules) == 30
    assert all("\nFix: " in rule.manual for rule in rules)
