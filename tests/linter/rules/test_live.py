"""Rules about the live robots.txt, sitemaps and pages, on facts of answers."""

from __future__ import annotations

import pytest

from sitemapper.linter.rules import live
from sitemapper.linter.rules.live import LiveAnswer, LivePage, Role

GOOD = LiveAnswer(200, content_type="application/xml")
FAILED = LiveAnswer(503)
REFUSED = LiveAnswer(403, refuses_program=True)
MOVED = LiveAnswer(301, target="https://example.com/b")


@pytest.mark.parametrize(
    ("answer", "of_robots", "of_sitemaps"),
    [
        (GOOD, [], []),
        (LiveAnswer(0, error="no such host", is_connected=False), ["SM601"], ["SM617"]),
        (FAILED, ["SM602"], ["SM611"]),
        (LiveAnswer(404), [], ["SM611"]),
        (REFUSED, [], []),
        (MOVED, [], ["SM612"]),
        (GOOD._replace(is_html=True), ["SM607"], ["SM613"]),
        (GOOD._replace(unpacking_error="is compressed twice"), [], ["SM614"]),
    ],
)
def test_what_an_answer_means_for_robots_and_for_sitemaps(
    answer: LiveAnswer, of_robots: list[str], of_sitemaps: list[str]
) -> None:
    assert [rule.code for rule, *_ in live.check_robots(answer)] == of_robots
    assert [rule.code for rule, *_ in live.check_sitemap(answer)] == of_sitemaps


@pytest.mark.parametrize(
    ("answer", "role", "found"),
    [
        (LiveAnswer(200), Role.LISTED, []),
        (LiveAnswer(200), Role.REMOVED, ["SM629"]),
        (LiveAnswer(200), Role.MADE_UP, ["SM606"]),
        (LiveAnswer(404), Role.LISTED, ["SM621"]),
        (LiveAnswer(204), Role.LISTED, ["SM621"]),
        (LiveAnswer(410), Role.REMOVED, []),
        (LiveAnswer(404), Role.MADE_UP, []),
        (LiveAnswer(200, error="incomplete"), Role.LISTED, ["SM622"]),
        (FAILED, Role.LISTED, ["SM622"]),
        (REFUSED, Role.LISTED, ["SM603"]),
        (MOVED, Role.LISTED, ["SM623"]),
        (MOVED, Role.REMOVED, []),
    ],
)
def test_what_an_answer_means_depends_on_the_role(
    answer: LiveAnswer, role: Role, found: list[str]
) -> None:
    found_rules = live.check_page(LivePage("https://example.com/a", answer, role))
    assert [rule.code for rule, _ in found_rules] == found
