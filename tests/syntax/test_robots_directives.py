"""Robots directives of metas and X-Robots-Tag headers."""

from __future__ import annotations

import pytest

from sitemapper.syntax.robots_directives import header_forbids, meta_forbids, unavailable_after


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("noindex", True),
        (" NoIndex ,follow", True),
        ("none", True),
        ("nofollow, noarchive", False),
        ("noindexing", False),
        ("googlebot: noindex", False),
        ("max-image-preview:none", False),
        ("", False),
    ],
)
def test_what_a_meta_forbids(content: str, expected: bool) -> None:
    assert meta_forbids(content) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("noindex", True),
        ("none", True),
        ("nofollow, noindex", True),
        ("googlebot: nofollow, noindex", True),
        ("googlebot-news: noindex", False),
        ("otherbot: noindex, googlebot: nofollow", False),
        ("max-image-preview:none", False),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", True),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", False),
        ("", False),
    ],
)
def test_what_an_x_robots_tag_forbids(value: str, expected: bool) -> None:
    assert header_forbids(value) is expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("unavailable_after: 2020-01-01", "2020-01-01"),
        ("noarchive, unavailable_after: Wed, 01 Jan 2020 15:00:00 GMT", "Wed, 01 Jan 2020 15:00:00 GMT"),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", "25 Jun 2010 15:00:00 PST"),
        ("UNAVAILABLE_AFTER:2020-01-01", "2020-01-01"),
        ("unavailable_after", None),
    ],
)
def test_the_date_of_unavailable_after(content: str, expected: str | None) -> None:
    assert unavailable_after(content) == expected
