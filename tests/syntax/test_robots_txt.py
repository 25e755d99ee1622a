"""The rules of a robots.txt are read as RFC 9309 has them."""

from __future__ import annotations

from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from support import BASE
from support.cost import assert_linear

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
    st.lists(st.sampled_from(["User-agent: *", "Disallow: /a", "Disallow: /*b$", "Allow: /ab", "Disallow: /%61", "Disallow: /é", "Disallow:", "x"]))
    .map("\n".join) | st.text(max_size=80),
    st.text(alphabet="ab/%61é*$?", max_size=8),
)  # fmt: skip
def test_the_quick_look_at_robots_txt_forgets_no_rule(text: str, tail: str) -> None:
    rules = read_crawling(text.encode())
    loc = "https://example.com/" + quote(tail)
    asked = Protego.parse(f"User-agent: *\n{rules.lines}")
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
    found = read_crawling("\n".join(["User-agent: *", *rows]).encode()).forbids(loc)
    alone = {row for row in rows if read_crawling(f"User-agent: *\n{row}".encode()).forbids(loc)}
    assert (found is not None) == bool(alone)
    if found:
        assert found.text in alone
        assert len(found.text) == max(map(len, alone))
        assert rows[(found.line or 0) - 2].strip() == found.text


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["/a{n}", "/p{n}*x", "/*a{n}", "/p/"])
def test_thousands_of_rules_that_close_pages_take_no_time(rule: str) -> None:
    def attempt(rows: list[str]) -> None:
        rules = read_crawling("\n".join(["User-agent: *", *rows, "Disallow: /p"]).encode())
        assert all(rules.forbids(f"https://example.com/pages/{n}.html") for n in range(100))

    assert_linear(
        lambda n: partial(attempt, [f"Disallow: {rule.format(n=i)}" for i in range(n)]), 4_000
    )


@pytest.mark.slow
def test_a_pattern_with_many_stars_takes_no_time() -> None:
    rules = read_crawling(b"User-agent: *\nDisallow: /" + b"*a" * 60 + b"b\n")

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
    assert (read_crawling(text.encode()).forbids(BASE + "x") is not None) is closes
