"""Where a redirect leads: to another form of the same page, or away from it."""

from __future__ import annotations

import pytest
from support import BASE

from sitemapper.hosts.moves import Move


@pytest.mark.parametrize(
    ("source", "target", "path", "other", "expected"),
    [
        ("/a.html", "/a", "/a.html", "/a", True),
        ("/a.html", "/a?x=1#y", "/a.html", "/a", True),
        ("/a.html", "https://example.com/a", "/a.html", "/a", True),
        ("/a.html", "http://example.com/a", "/a.html", "/a", True),
        ("/a.html", "https://example.org/a", "/a.html", "/a", False),
        ("/", "https://example.com", "/", "/", True),
        ("/a.html", "/b", "/a.html", "/a", False),
        ("/%C3%BC.html", "/ü", "/%C3%BC.html", "/%C3%BC", True),
        ("/*.html", "/:splat", "/x/a.html", "/x/a", True),
        ("/old/*", "/:splat", "/old/a.html", "/old/a", False),
        ("/old/*", "/new/:splat", "/old/a.html", "/old/a", False),
        ("/:path*.html", "/:path*", "/x/a.html", "/x/a", True),
        ("/:path(.*)/", "/:path", "/x/a/", "/x/a", True),
        ("/(.*)\\.html", "/$1", "/x/a.html", "/x/a", True),
        ("^old/(.*)$", "/new/$1", "/old/a.html", "/old/a", False),
        ("/:year/:slug/", "/:year/:slug", "/2026/a/", "/2026/a", True),
        ("/*", "https://example.org/:splat", "/a.html", "/a", False),
    ],
)
def test_where_a_redirect_leads(
    source: str, target: str, path: str, other: str, expected: bool
) -> None:
    assert Move(source, target).may_lead(path, other, BASE) is expected


def test_the_base_url_may_have_a_path() -> None:
    move = Move("/a.html", "https://example.com/docs/a")
    assert move.may_lead("/a.html", "/a", f"{BASE}docs/")
    assert not move.may_lead("/a.html", "/a", BASE)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        *((source, True) for source in ("/*", "/:path*", "/(.*)", "/:path(.*)", "**", "^(.*)$", "^", "regex:^/.*$", "/**")),
        *((source, False) for source in ("/", "/a*", "/:x/y", "^a", "/((?!x).*)")),
    ],
)  # fmt: skip
def test_a_rule_for_all_paths(source: str, expected: bool) -> None:
    assert Move(source, "/").is_of_all_paths is expected


@pytest.mark.parametrize(
    ("source", "target", "path", "expected"),
    [
        ("/a", "/b", "/a", "/b"),
        ("/old/*", "/new/:splat", "/old/x/y", "/new/x/y"),
        ("/old/*", "https://example.org/:splat", "/old/%C3%BC", "https://example.org/ü"),
        ("regex:^/old/(.*)$", "/new/$1", "/old/x", "/new/x"),
        ("^/old/(.*)", "/new/$1.html", "/old/x", "/new/x.html"),
        ("^/old/([^/]+)", "/new/$1", "/old/x/y", None),  # it ends before the slash
        ("/:year/:slug", "/:slug/:year", "/2026/a", None),
        ("^/(old|older)/(.*)$", "/new/$2", "/old/a", None),
    ],
)
def test_the_target_is_known_if_one_pattern_captures(
    source: str, target: str, path: str, expected: str | None
) -> None:
    assert Move(source, target).target_at(path) == expected
