"""serve.json as serve-handler reads it: redirects by path, headers by file, clean URLs by default."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from support import BASE, Run, paths, write_site

from sitemapper.hosts.host import HostRules
from sitemapper.hosts.serve import FORMS, READER
from sitemapper.model import Reason

NOW = 1_780_272_000  # 2026-06-01
NOINDEX = [{"key": "X-Robots-Tag", "value": "noindex"}]


def rules_of(**config: object) -> HostRules:
    return READER.read({"serve.json": json.dumps(config, indent=1)}, "https://example.com/", NOW)


@pytest.mark.parametrize(
    ("source", "yes", "no"),
    [
        ("/old", "/old /OLD /old/", "/older /old/a"),
        ("old/", "/old /old/", "/a/old"),
        ("/:x", "/a /b/", "/ /a/b"),
        ("/docs/:path*", "/docs/a /docs/a/b", "/docs"),
        ("/docs/**", "/docs/a /docs/a/b", "/doc"),
        ("/a/*/b/*", "/a/x/b/y /a/*/b/*", "/a/x/b"),
        ("/{a,b}", "/a /b", "/c"),
        ("/!(a)", "", "/a /b"),  # not read
        ("/(?=a)a", "", "/a"),
        ("!/a", "/b /c", "/a"),
        (r"/v\D", "", "/v1"),
    ],
)
def test_the_paths_of_a_redirect(source: str, yes: str, no: str) -> None:
    rules = rules_of(redirects=[{"source": source, "destination": "/z"}])
    assert [path for path in yes.split() if not rules.effect(path)] == []
    assert [path for path in no.split() if rules.effect(path)] == []


def test_the_first_redirect_counts_and_says_where_it_stands() -> None:
    rules = rules_of(
        redirects=[{"source": "/a", "destination": "/b"}, {"source": "/:x", "destination": "/z/:x"}]
    )
    effect = pickle.loads(pickle.dumps(rules)).effect("/a")
    assert effect
    assert str(effect.origin) == "serve.json:4: /a -> /b"
    assert effect.leads_to("/a", "/b", BASE)
    other = rules.effect("/c")
    assert other
    assert other.leads_to("/c", "/z/c", BASE)


def test_what_is_not_known_takes_no_page_away() -> None:
    rules = rules_of(
        cleanUrls=["/app/**"],
        redirects=[{"source": "/a", "type": 200, "destination": "/b"}, {"source": "/b"}],
        rewrites=[{"source": "**", "destination": "/index.html"}],
        headers=[{"source": "/!(a)", "headers": NOINDEX}],
    )
    assert rules.forms is None
    assert [rules.effect(path) for path in ("/a", "/b", "/c")] == [None] * 3
    assert [str(unknown) for unknown in rules.skipped] == [
        "serve.json:2: cleanUrls (a list of paths is not read)",
        "serve.json:7: /a (not understood)",
        "serve.json:12: /b (not understood)",
        "serve.json:17: ** (rewrites are not read)",
        "serve.json:23: X-Robots-Tag: noindex (not understood)",
    ]


def test_a_header_is_for_the_file_and_not_for_the_url() -> None:
    rules = rules_of(headers=[{"source": "**/*.html", "headers": NOINDEX}])
    files = {"a/index.html", "b.html"}

    def look(path: str) -> str:
        return "f" if path in files else ""

    for path in ("/a", "/a/", "/b", "/b/"):
        effect = rules.effect(path, look)
        assert effect
        assert effect.reason is Reason.NOINDEX
    assert rules.effect("/c", look) is None


def test_the_last_header_counts() -> None:
    shown = [{"key": "X-Robots-Tag", "value": None}]
    rules = rules_of(
        headers=[{"source": "**", "headers": NOINDEX}, {"source": "/a", "headers": shown}]
    )
    assert rules.effect("/a") is None
    assert rules.effect("/b")


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({}, ""),
        ({"cleanUrls": True}, ""),
        ({"trailingSlash": True}, "trailingSlash: true"),
        ({"trailingSlash": False}, "trailingSlash: false"),
        ({"cleanUrls": False, "trailingSlash": True}, "cleanUrls: false"),
    ],
)
def test_urls_are_clean_unless_the_file_says_otherwise(config: dict[str, object], key: str) -> None:
    rules = rules_of(**config)
    assert rules.forms == FORMS[key]
    assert bool(rules.effect("/x.html")) == (key != "cleanUrls: false")
    assert bool(rules.effect("/a/index")) == (key != "cleanUrls: false")


REDIRECT = '{"redirects": [{"source": "/b", "destination": "/a"}]}'
PAGES = {"a.html": "<title>a</title><p>", "b.html": "<title>b</title><p>"}


@pytest.mark.parametrize(
    ("files", "expected", "is_read"),
    [
        ({"dist/serve.json": REDIRECT}, ["a"], True),
        ({"dist/serve.json": REDIRECT, "vercel.json": "{}"}, ["a.html", "b.html"], False),
        ({"dist/serve.json": REDIRECT, "dist/_headers": "/x\n  A: b"}, ["a.html", "b.html"], False),
        ({"serve.json": REDIRECT}, ["a.html", "b.html"], False),
    ],
)
def test_the_file_counts_if_nothing_else_names_a_host(
    tmp_path: Path, run: Run, files: dict[str, str], expected: list[str], is_read: bool
) -> None:
    pages = {f"dist/{name}": page for name, page in PAGES.items()}
    write_site(tmp_path / "project", {".git/HEAD": "", **files, **pages})
    assert run("build", tmp_path / "project/dist", "--base-url", BASE, "--allow-empty") == 0
    assert paths(tmp_path / "project/dist") == expected
    assert ("found but not read" in run.err) is not is_read
