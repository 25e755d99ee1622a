"""firebase.json as Firebase reads it: globs, expressions, several sites."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.hosts import origin_at, reason_at, unread_of

from sitemapper.hosts.firebase import READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
NOINDEX = [{"key": "X-Robots-Tag", "value": "noindex"}]


def reason(path: str, site: Any, folder: str = "public") -> Reason | None:
    texts = {"firebase.json": json.dumps({"hosting": site}), "": folder}
    return reason_at(READER.read(texts, "example.com", NOW), path)


@pytest.mark.parametrize(
    ("source", "yes", "no"),
    [
        ("/old", "/old /old/", "/older /a/old"),
        ("/blog/*", "/blog/x /blog/x/", "/blog /blog/x/y"),
        ("/blog/**", "/blog/ /blog/x /blog/x/y", "/blog /blogs"),
        ("**/old", "/old /a/b/old", "/older"),
        ("/a?c", "/abc", "/ac /a/c"),
        ("/ü b", "/%C3%BC%20b", "/b"),
    ],
)
def test_globs(source: str, yes: str, no: str) -> None:
    rules = {"redirects": [{"source": source, "destination": "/new", "type": 301}]}
    assert [path for path in yes.split() if reason(path, rules) is not Reason.REDIRECT] == []
    assert [path for path in no.split() if reason(path, rules)] == []


@pytest.mark.parametrize("source", ["/{a,b}", "/@(a|b)", "/x?(y)", "!/a/**", "/!(a)", "/[ab]"])
def test_globs_that_are_not_read(source: str) -> None:
    text = json.dumps({"hosting": {"redirects": [{"source": source, "destination": "/new"}]}})
    rules = READER.read({"firebase.json": text}, "example.com", NOW)
    assert unread_of(rules) == [f"firebase.json:1: {source} -> /new"]


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ({"regex": "^/old/(?P<name>.*)$", "destination": "/new/:name"}, "/old/x", Reason.REDIRECT),
        ({"regex": "/old", "destination": "/new"}, "/x/older", Reason.REDIRECT),
        ({"regex": "(?!a)", "destination": "/new"}, "/x", None),  # not an expression of RE2
        ({"source": "/old/:name*", "destination": "/new/:name"}, "/old/x/y", Reason.REDIRECT),
        ({"source": "/old/:name", "destination": "/new/:name"}, "/old/x/y", None),
        ({"source": "/a/:p((?!api/).*)", "destination": "/b/:p"}, "/A/x", Reason.REDIRECT),
        ({"source": "/a/:p((?!api/).*)", "destination": "/b/:p"}, "/a/api/x", None),
        ({"source": r"/a/:p\$", "destination": "/b/:p"}, "/a/x$", Reason.REDIRECT),
        ({"destination": "/new"}, "/x", None),
    ],
)
def test_expressions_and_names(rule: dict[str, str], path: str, expected: Reason | None) -> None:
    assert reason(path, {"redirects": [rule]}) is expected


def test_the_last_header_that_matches_counts() -> None:
    both = [{"source": "**", "headers": NOINDEX}, {"source": "/open", "headers": [{"key": "x-robots-tag", "value": "all"}]}]  # fmt: skip
    assert reason("/a", {"headers": both}) is Reason.NOINDEX
    assert reason("/open", {"headers": both}) is None
    assert reason("/open", {"headers": both[::-1]}) is Reason.NOINDEX
    in_one_block = [*NOINDEX, {"key": "x-robots-tag", "value": "all"}]
    assert reason("/a", {"headers": [{"source": "/a", "headers": in_one_block}]}) is None
    assert (
        reason("/a", {"headers": [{"source": "/a", "headers": in_one_block[::-1]}]})
        is Reason.NOINDEX
    )


def test_of_several_sites_the_one_that_publishes_the_folder_counts() -> None:
    move = [{"source": "/a", "destination": "/b"}]
    sites = [{"public": "app"}, {"public": "./public/", "redirects": move}]
    assert reason("/a", sites) is Reason.REDIRECT
    assert reason("/a", sites, "app") is None
    assert reason("/a", sites, "elsewhere") is None


def test_the_origin_is_the_line_of_the_rule() -> None:
    text = '{"hosting": {\n"redirects": [\n{"source": "/a", "destination": "/b"},\n{"source": "/c", "destination": "/b"}]}}'
    rules = READER.read({"firebase.json": text}, "example.com", NOW)
    assert origin_at(rules, "/c") == "firebase.json:4: /c -> /b"
