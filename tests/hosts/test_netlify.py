"""What Netlify does with its files that other hosts do not."""

from __future__ import annotations

import pytest
from support.hosts import origin_at, reason_at, unread_of

from sitemapper.hosts.netlify import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
R, N = Reason.REDIRECT, Reason.NOINDEX


@pytest.mark.parametrize(
    ("redirects", "path", "reason"),
    [
        ("/old /new 301", "/old", None),  # the file at /old wins
        ("/old /new 301!", "/old", R),
        ("/old /new 301!", "/OLD/", R),
        ("/old /new 200!", "/old", Reason.DUPLICATE),  # a rewrite
        ("/a/* /a/new/:splat 301!", "/a/x", None),  # for ever
        ("/gone /404.html 410!", "/gone", Reason.CLOSED),
        ("/old /new 301! Language=de", "/old", None),
        ("/a/* /new 301!", "/a", R),
        ("/a/* /new 301!", "/ab", None),
        ("/a/*/b /new 301!", "/a/b", R),
        ("//a//b /new 301!", "/a/b", R),
        ("https://example.com/a /new 301!", "/a", R),
        ("https://other.example/a /new 301!", "/a", None),
        ("/a new 301!", "/a", None),
        ("/a id=:id /b 301!", "/a", None),  # no page has a query
        ("/a /b 302 Country=de\n/a /c 301!", "/a", R),
        ("/a /b 302! Country=de\n/a /c 301!", "/a", R),
        ("/a /b moved\n/a /c 301!", "/a", R),  # the first line is no rule
        ("/a /b Country=us\n/a /c 301!", "/a", R),
    ],
)
def test_only_a_forced_redirect_hides_a_file(
    redirects: str, path: str, reason: Reason | None
) -> None:
    assert reason_at(READER.read({"_redirects": redirects}, "example.com", NOW), path) is reason


@pytest.mark.parametrize(
    ("redirects", "path", "is_redirected"),
    [
        ("/old /new", "/old", True),
        ("/old /new 301", "/OLD/", True),
        ("/old/* /new/:splat 301", "/old/a", True),
        ("/old /new 200", "/old", False),  # shows a page
        ("/* /index.html 200\n/old /new", "/old", False),  # the first one decides
        ("/old /404.html 404", "/old", False),
        ("/old /new 301 Country=de", "/old", False),
        ("/old /de 301 Country=de\n/old /new", "/old", True),
        ("https://other.example/old /new", "/old", False),
    ],
)
def test_a_redirect_that_is_not_forced_applies_where_no_file_is(
    redirects: str, path: str, *, is_redirected: bool
) -> None:
    rules = READER.read({"_redirects": redirects}, "https://example.com/", NOW)
    rule = rules.move_at(path, has_file=False)
    assert (rule is not None and rule.action is Reason.REDIRECT) is is_redirected


def test_lines_that_are_not_certain_are_no_rules() -> None:
    text = (
        "/a /b 301! Country=de Language=de\n/a b 301!\n/a /b moved\n/a id=1 /b\n/a /b 301 Role=x\n"
    )
    assert unread_of(READER.read({"_redirects": text}, "example.com", NOW)) == [
        "_redirects:1: /a /b 301! Country=de Language=de",
        "_redirects:2: /a b 301!",
        "_redirects:3: /a /b moved",
        "_redirects:5: /a /b 301 Role=x",
    ]


TOML = """[[redirects]]
  from = "/old"
  to = "/new"
  {}
[[headers]]
  for = "/private/*"
  [headers.values]
    x-robots-tag = "noindex"
"""


@pytest.mark.parametrize(
    ("line", "files", "path", "reason"),
    [
        ("force = true", {}, "/old", "netlify.toml:2: /old -> /new"),
        ("", {}, "/old", ""),
        ("force = true\nstatus = 200", {}, "/old", "netlify.toml:2: /old -> /new"),
        ('force = true\nconditions = {Country = ["de"]}', {}, "/old", ""),
        ('force = true\nquery = {id = ":id"}', {}, "/old", ""),
        ("force = true", {"_redirects": "/old /x 302!"}, "/old", "_redirects:1: /old /x 302!"),  # read first
        ("", {}, "/private/a", "netlify.toml:6: x-robots-tag: noindex"),
        ("", {"_headers": "/private/*\n  X-Robots-Tag: all"}, "/private/a", "netlify.toml:6: x-robots-tag: noindex"),
    ],
)  # fmt: skip
def test_netlify_toml_adds_to_the_two_files(
    line: str, files: dict[str, str], path: str, reason: str
) -> None:
    rules = READER.read({**files, "netlify.toml": TOML.format(line)}, "example.com", NOW)
    assert origin_at(rules, path) == reason


@pytest.mark.parametrize("text", ["redirects = 1", "[[headers]]\nfor = 1", "[headers]\na = 1", ""])
def test_netlify_toml_without_rules(text: str) -> None:
    assert reason_at(READER.read({"netlify.toml": text}, "example.com", NOW), "/a") is None


def test_a_broken_netlify_toml_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"netlify\.toml: is not TOML"):
        READER.read({"netlify.toml": "a ="}, "example.com", NOW)


def test_a_header_says_where_it_stands() -> None:
    rules = READER.read({"_headers": "/*\n  X-Robots-Tag: noindex\n"}, "example.com", NOW)
    assert reason_at(rules, "/a") is N
    assert origin_at(rules, "/a") == "_headers:2: X-Robots-Tag: noindex"


def test_a_later_value_for_the_same_pattern_counts() -> None:
    headers = "/*\n  X-Robots-Tag: noindex\n/*\n  X-Robots-Tag: all\n"
    assert reason_at(READER.read({"_headers": headers}, "example.com", NOW), "/a") is None


def test_values_and_old_names_of_netlify_toml() -> None:
    text = """[[redirects]]
origin = '/old'
destination = "/new"
force = true
[[headers]]
for = "/a"
values = {X-Robots-Tag = ["nofollow", "noindex"]}
"""
    rules = READER.read({"netlify.toml": text}, "example.com", NOW)
    assert origin_at(rules, "/old") == "netlify.toml:2: /old -> /new"
    assert reason_at(rules, "/a") is N
