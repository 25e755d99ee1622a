"""The rules of a robots.txt are read as RFC 9309 has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE

from sitemapper.syntax.robots import read_crawling


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: Googlebot\nDisallow: /", True),
        ("User-agent: *bot\nDisallow: /", False),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: other\nDisallow: /", False),
        ("User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /", False),
    ],
)
def test_only_rules_for_all_crawlers_count(text: str, allowed: bool) -> None:
    assert (read_crawling(text.encode()).forbids(f"{BASE}x") is None) is allowed


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
    rules = read_crawling(text.encode())
    assert {
        path: rules.forbids("https://example.com" + path) is None for path in allowed
    } == allowed


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
    found = read_crawling("\n".join(["User-agent: *", *rows]).encode()).forbids(loc)
    alone = {row for row in rows if read_crawling(f"User-agent: *\n{row}".encode()).forbids(loc)}
    assert (found is not None) == bool(alone)
    if found:
        assert found.text in alone
        assert len(found.text) == max(map(len, alone))
        assert rows[(found.line or 0) - 2].strip() == found.text


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
    assert (read_crawling(text.encode()).forbids(BASE + "x") is not None) is closes
