"""robots.txt: our line is added once, and every other byte stays. What directives forbid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.syntax.robots import (
    header_forbids,
    is_past,
    read_directives,
    sitemap_lines,
    with_sitemap,
)

URL = "https://example.com/sitemap.xml"
LINE = b"Sitemap: https://example.com/sitemap.xml"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", LINE + b"\n"),
        (b"User-agent: *\nDisallow:\n", b"User-agent: *\nDisallow:\n" + LINE + b"\n"),
        (b"User-agent: *", b"User-agent: *\n" + LINE + b"\n"),
        (b"User-agent: *\r\n", b"User-agent: *\r\n" + LINE + b"\r\n"),
        (b"a: 1\r\nb: 2", b"a: 1\r\nb: 2\r\n" + LINE + b"\r\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf" + LINE + b"\n"),
        (b"\xef\xbb\xbf" + LINE, b"\xef\xbb\xbf" + LINE),
        (b"# x\n  SITEMAP :  " + LINE[9:] + b"  # ours\nDisallow: /a", None),
        (LINE.lower() + b"\r" + b"Disallow: /a", None),
        (
            b"Sitemap: https://example.com/sitemap.xml.gz",
            b"Sitemap: https://example.com/sitemap.xml.gz\n" + LINE + b"\n",
        ),
        (b"# " + LINE, b"# " + LINE + b"\n" + LINE + b"\n"),
    ],
)
def test_the_line_is_added_once(before: bytes, after: bytes | None) -> None:
    assert with_sitemap(before, URL) == (before if after is None else after)


OLD = LINE.replace(b".com", b".org")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (OLD, LINE),
        (b"\xef\xbb\xbf" + OLD + b"\r\n", b"\xef\xbb\xbf" + LINE + b"\r\n"),
        (b"a\r" + OLD + b"\rb", b"a\r" + LINE + b"\rb"),
        (b"# " + OLD + b"\n" + OLD + b"\n", b"# " + OLD + b"\n" + LINE + b"\n"),
        (OLD + b"\n" + LINE, OLD + b"\n" + LINE),
        (OLD + b"\n" + OLD, LINE + b"\n" + OLD),
        (OLD + b" # the old one\n", OLD + b" # the old one\n" + LINE + b"\n"),
    ],
)
def test_one_outdated_line_of_ours_is_replaced(before: bytes, after: bytes) -> None:
    outdated = [url for url in sitemap_lines(before) if ".org" in url]
    assert with_sitemap(before, URL, outdated) == after


@given(st.binary(max_size=200) | st.text(alphabet="Ssitemap: /hx#\r\n\t\ufeff").map(str.encode))
def test_a_second_run_changes_nothing_and_the_rest_stays(text: bytes) -> None:
    once = with_sitemap(text, URL)
    assert once.startswith(text)
    assert with_sitemap(once, URL) == once
    assert URL in sitemap_lines(once)


# --- directives of metas and X-Robots-Tag headers

NOW = 1_780_272_000  # 2026-06-01


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("noindex", True),
        (" NoIndex ,follow", True),
        ("none", True),
        ("noindexing", False),
        ("googlebot: noindex", False),
        ("max-image-preview:none", False),
    ],
)
def test_what_a_meta_forbids(content: str, expected: bool) -> None:
    assert read_directives(content) == (expected, None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("noindex", True),
        ("none", True),
        ("googlebot: nofollow, noindex", True),
        ("googlebot-news: noindex", False),
        ("otherbot: noindex, googlebot: nofollow", False),
        ("otherbot: noindex, *: none", True),
        ("otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST", False),
        ("googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST", True),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, otherbot: nofollow", True),
        ("", False),
    ],
)
def test_what_an_x_robots_tag_forbids(value: str, expected: bool) -> None:
    assert header_forbids(value, NOW) is expected


DATES = [
    ("25 Jun 2010 15:00:00 PST", True, "Google's example"),
    ("25 Jun 2030 15:00:00 PST", False, "Google's example, later"),
    ("Friday, 25-Jun-10 15:00:00 GMT", True, "RFC 850"),
    ("Friday, June 25, 2010", True, "two commas"),
    ("2026-06-01", False, "ISO 8601, this second"),
    ("soon", False, "no date"),
    ("05/06/10", False, "two meanings"),
]


@pytest.mark.parametrize(("date", "expected", "origin"), DATES)
def test_a_date_that_has_passed_forbids(date: str, expected: bool, origin: str) -> None:
    tag = f"noarchive, unavailable_after: {date}"
    for text in (tag, f"{tag}, nofollow", tag.replace("after: ", "AFTER:")):
        assert read_directives(text) == (False, date), origin
        assert is_past(date, NOW) == header_forbids(text, NOW) == expected, origin


@pytest.mark.parametrize("date", [date for date, _, _ in DATES])
def test_directives_behind_a_date_count(date: str) -> None:
    text = f"unavailable_after: {date}, noindex"
    assert read_directives(text) == read_directives(text, names_agents=True) == (True, date)
    assert header_forbids(f"unavailable_after: {date}, googlebot: max-snippet: 9, none", NOW)


@pytest.mark.parametrize(
    "text", ["unavailable_after", "unavailable_after:", "unavailable_after: , nofollow"]
)
def test_no_date(text: str) -> None:
    assert read_directives(text) == (False, None)
