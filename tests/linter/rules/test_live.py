"""Rules about the live robots.txt and sitemaps, on facts of answers."""

from __future__ import annotations

import pytest

from sitemapper.linter.rules import live
from sitemapper.linter.rules.live import LiveAnswer

GOOD = LiveAnswer(200, content_type="application/xml")


@pytest.mark.parametrize(
    ("answer", "of_robots", "of_sitemaps"),
    [
        (GOOD, [], []),
        (LiveAnswer(0, error="no such host", is_connected=False), ["SM601"], ["SM617"]),
        (LiveAnswer(503), ["SM602"], ["SM611"]),
        (LiveAnswer(404), [], ["SM611"]),
        (LiveAnswer(403, is_refusal=True), [], []),
        (LiveAnswer(301, target="https://example.com/b"), [], ["SM612"]),
        (GOOD._replace(is_html=True), ["SM607"], ["SM613"]),
        (GOOD._replace(unpackable="is compressed twice"), [], ["SM614"]),
        (GOOD._replace(content_type="image/png"), [], ["SM615"]),
        (GOOD._replace(content_type="application/rss+xml; charset=utf-8"), [], []),
    ],
)
def test_what_an_answer_means_for_robots_and_for_sitemaps(
    answer: LiveAnswer, of_robots: list[str], of_sitemaps: list[str]
) -> None:
    assert [rule.code for rule, *_ in live.check_robots(answer)] == of_robots
    assert [rule.code for rule, *_ in live.check_sitemap(answer)] == of_sitemaps
