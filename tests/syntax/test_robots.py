"""robots.txt: its rules are read as RFC 9309 has them; our line is added once, and every other byte stays."""

from __future__ import annotations

from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from support import BASE
from support.cost import assert_linear

from sitemapper.syntax.robots import (
    crawling,
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


@pytest.mark.parametrize(
    ("text", "agent", "allowed"),
    [
        ("User-agent: Google\nDisallow: /x", "Googlebot", True),
        ("User-agent: Googlebot/2.1\nDisallow: /", "Googlebot", False),
        ("User-agent: GOOGLEBOT\nDisallow: /", "googlebot", False),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: other\nDisallow: /", "Googlebot", False),
        ("User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /", "Googlebot", True),
    ],
)
def test_agents_are_whole_tokens(text: str, agent: str, allowed: bool) -> None:
    assert (crawling(text.encode(), (agent,)).forbids(f"{BASE}x") is None) is allowed


ROBOTS = [
    ("longest match", "User-agent: *\nDisallow: /a\nAllow: /a/b\n", {"/a/x": False, "/a/b/c": True}),
    ("a tie allows", "User-agent: *\nDisallow: /a\nAllow: /a\n", {"/a": True}),
    ("wildcards and end", "User-agent: *\nDisallow: /*.pdf$\n", {"/a.pdf": False, "/a.pdfx": True, "/x/y.pdf": False}),
    ("groups of one agent merge", "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", {"/a": False, "/b": False}),
    ("a Sitemap line ends no group", "User-agent: x\nSitemap: https://e.com/s.xml\nUser-agent: *\nDisallow: /a\n", {"/a": False}),
    ("a specific group is alone", "User-agent: *\nDisallow: /\n\nUser-agent: googlebot\nDisallow: /g\n", {"/a": False}),
    ("case of the path", "User-agent: *\nDisallow: /A\n", {"/a": True, "/A": False}),
    ("case of the key", "USER-AGENT: *\nDISALLOW: /a\n", {"/a": False}),
    ("escapes of unreserved", "User-agent: *\nDisallow: /foo/%62ar\n", {"/foo/bar": False}),
    ("not ASCII", "User-agent: *\nDisallow: /é\n", {"/%C3%A9": False}),
    ("empty Disallow", "User-agent: *\nDisallow:\n", {"/a": True}),
    ("byte order mark", "\ufeffUser-agent: *\nDisallow: /a\n", {"/a": False}),
    ("CR alone", "User-agent: *\rDisallow: /a\r", {"/a": False}),
    ("comments", "User-agent: * # all\nDisallow: /a # not this\n", {"/a": False}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "allowed"), [r[1:] for r in ROBOTS], ids=[r[0] for r in ROBOTS])
def test_robots_txt_is_read_as_rfc_9309_has_it(text: str, allowed: dict[str, bool]) -> None:
    rules = crawling(text.encode(), ("*",))
    assert {
        path: rules.forbids("https://example.com" + path) is None for path in allowed
    } == allowed


@given(
    st.lists(st.sampled_from(["User-agent: *", "Disallow: /a", "Disallow: /*b$", "Allow: /ab", "Disallow: /%61", "Disallow: /é", "Disallow:", "x"]))
    .map("\n".join) | st.text(max_size=80),
    st.text(alphabet="ab/%61é*$?", max_size=8),
)  # fmt: skip
def test_the_quick_look_at_robots_txt_forgets_no_rule(text: str, tail: str) -> None:
    rules = crawling(text.encode(), ("*",))
    loc = "https://example.com/" + quote(tail)
    asked = Protego.parse(f"User-agent: *\n{rules.agents[0].rules}")
    assert (rules.forbids(loc) is None) == asked.can_fetch(loc, "*")


@given(
    st.lists(
        st.text("/ab*$%61é", max_size=6).map("Disallow: /{}".format), min_size=1, max_size=200
    ),
    st.text("/ab", max_size=6),
)
def test_the_rule_that_is_named_closes_the_page_and_none_is_longer(
    rows: list[str], tail: str
) -> None:
    loc = f"https://example.com/{tail}"
    found = crawling("\n".join(["User-agent: *", *rows]).encode(), ["*"]).forbids(loc)
    alone = {row for row in rows if crawling(f"User-agent: *\n{row}".encode(), ["*"]).forbids(loc)}
    assert (found is not None) == bool(alone)
    if found:
        assert found.text in alone
        assert len(found.text) == max(map(len, alone))
        assert rows[(found.line or 0) - 2].strip() == found.text


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["/a{n}", "/p{n}*x", "/*a{n}", "/p/"])
def test_thousands_of_rules_that_close_pages_take_no_time(rule: str) -> None:
    def attempt(rows: list[str]) -> None:
        rules = crawling("\n".join(["User-agent: *", *rows, "Disallow: /p"]).encode(), ["*"])
        assert all(rules.forbids(f"https://example.com/pages/{n}.html") for n in range(100))

    assert_linear(
        lambda n: partial(attempt, [f"Disallow: {rule.format(n=i)}" for i in range(n)]), 4_000
    )


@pytest.mark.slow
def test_a_pattern_with_many_stars_takes_no_time() -> None:
    rules = crawling(b"User-agent: *\nDisallow: /" + b"*a" * 60 + b"b\n", ["*"])

    def attempt(path: str) -> None:
        assert rules.forbids(f"https://example.com/{path}") is None

    assert_linear(lambda n: partial(attempt, "a" * n), 2_000)


@pytest.mark.parametrize(
    ("text", "closes"),
    [
        ("User-agent: *\nDisallow /x", True),
        ("useragent: *\ndissallow: /x", True),
        ("User agent *\ndisalow: /x # closed", True),
        ("User-agent: *\ndiasllow: /x", True),
        ("User-agent: *\nDisallow all robots", False),
        ("User-agent: *\nDisallowed: /x", False),
    ],
)
def test_lines_that_google_reads_all_the_same(text: str, closes: bool) -> None:
    assert (crawling(text.encode(), ["Googlebot"]).forbids(BASE + "x") is not None) is closes


# --- directives of metas and X-Robots-Tag headers

NOW = 1_780_272_000  # 2026-06-01


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
    assert read_directives(content) == (expected, None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("noindex", True),
        ("none", True),
        ("nofollow, noindex", True),
        ("googlebot: nofollow, noindex", True),
        ("googlebot-news: noindex", False),
        ("otherbot: noindex, googlebot: nofollow", False),
        ("otherbot: noindex, *: none", True),
        ("max-image-preview:none", False),
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
    ("Fri, 25 Jun 10 15:00:00 EDT", True, "RFC 822"),
    ("Sun, 02 Jun 30 15:00:00 UT", False, "RFC 822, later"),
    ("Friday, 25-Jun-10 15:00:00 GMT", True, "RFC 850"),
    ("Sunday, 02-Jun-30 15:00:00 GMT", False, "RFC 850, later"),
    ("Sunday, 06-Nov-94 08:49:37 GMT", True, "RFC 9110, in the last century"),
    ("Friday, June 25, 2010", True, "two commas"),
    ("2010-06-25T15:00:00-08:00", True, "ISO 8601"),
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
