"""vercel.json by the rules of Vercel: its sources, its order, and what a condition may not do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE, Run, Site, build, paths
from support.hosts import origin_at, reason_at

from sitemapper.hosts.vercel import READER, read_source
from sitemapper.model import Reason

HAS = {"has": [{"type": "host", "value": "preview.example.com"}]}
ALL = {"key": "X-Robots-Tag", "value": "all"}
LINK = {"key": "Link", "value": '</b>; rel="canonical"'}
NOW = 1_780_272_000  # 2026-06-01
NOINDEX = {"key": "x-robots-tag", "value": "noindex"}


COOKIE = {"has": [{"type": "cookie", "key": "session"}]}
OWN_HOST = {"has": [{"type": "host", "value": "(www\\.)?example\\.com"}]}


def moved(source: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "destination": "/b", **more}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"redirects": [moved("/a")]}, Reason.REDIRECT),
        ({"redirects": [moved("/a", statusCode=302)]}, Reason.REDIRECT),
        ({"redirects": [moved("/a", statusCode=200), moved("/:x")]}, None),
        ({"redirects": [moved("/A"), moved("/a/")]}, None),
        ({"redirects": [moved("/a", **HAS)]}, None),
        ({"redirects": [moved("/a", missing=[{"type": "query", "key": "q"}])]}, None),
        ({"redirects": [moved("/a", **HAS), moved("/:x")]}, Reason.REDIRECT),
        ({"redirects": [moved("/a", **OWN_HOST)]}, None),
        ({"rewrites": [moved("/a")]}, None),
        ({"headers": [{"source": "/(.*)", "headers": [NOINDEX]}]}, Reason.NOINDEX),
        ({"headers": [{"source": "/(.*)", "headers": [ALL]}]}, None),
        ({"headers": [{"source": "/a", "headers": [{**NOINDEX, "value": "unavailable_after: 31 May 2026"}]}]}, Reason.NOINDEX),
        ({"headers": [{"source": "/a", "headers": [{**NOINDEX, "value": "unavailable_after: 3 Jun 2026"}]}]}, None),
        ({"headers": [{"source": "/(.*)", "headers": [NOINDEX]}, {"source": "/a", "headers": [ALL]}]}, None),
        ({"headers": [{"source": "/a", "headers": [ALL]}, {"source": "/(.*)", "headers": [NOINDEX]}]}, Reason.NOINDEX),
        ({"headers": [{"source": "/a", "headers": [NOINDEX, ALL]}]}, None),
        ({"headers": [{"source": "/a", "headers": [ALL, NOINDEX]}]}, Reason.NOINDEX),
        ({"headers": [{"source": "/a", "headers": [LINK, {**LINK, "value": "</a.css>; rel=preload"}]}]}, None),
        ({"headers": [{"source": "/(.*)", "headers": [NOINDEX], **HAS}]}, None),
        ({"headers": [{"source": "/(.*)", "headers": [NOINDEX]}, {"source": "/(.*)", "headers": [ALL], **HAS}]}, Reason.NOINDEX),
        ({"redirects": [moved("/a")], "headers": [{"source": "/a", "headers": [NOINDEX]}]}, Reason.REDIRECT),
    ],
)  # fmt: skip
def test_what_happens_to_a_page(config: dict[str, Any], expected: Reason | None) -> None:
    rules = READER.read({"vercel.json": json.dumps(config)}, "example.com", NOW)
    assert reason_at(rules, "/a") is expected


@pytest.mark.parametrize(
    ("source", "yes", "no"),
    [
        # From the tests of Vercel's own @vercel/routing-utils.
        ("/some/old/path", "/some/old/path", "/nope /some/old/path/ /Some/old/path"),
        ("/proxy/(.*)", "/proxy/one /proxy/dir/sub /proxy/", "/prox /proxyed/two /proxy"),
        ("/projects/:id/:action", "/projects/one/edit", "/projects/edit /projects/two/x/y /projects"),
        ("/old/:segment/path", "/old/one/path", "/old/path /old/two/foo"),
        ("/catchall/:hello*", "/catchall /catchall/a /catchall/a/b", "/catchall/ /catchall/a/ /random-catch"),
        # Its documentation, and what people write.
        ("/:lang/:path*/x", "/en/x /de/a/b/x", "/x /en/a/"),
        ("/:file.:ext", "/a.html", "/a /a/b.html"),
        ("/feature-:slug", "/feature-first", "/feature/first /feature-"),
        ("/ü b/:x", "/%C3%BC%20b/c", "/ü b/c"),
        ("/a.b/:c", "/a.b/d", "/axb/d"),
    ],
)  # fmt: skip
def test_sources(source: str, yes: str, no: str) -> None:
    pattern = read_source(source)
    assert [path for path in yes.split() if not pattern.matches(path)] == []
    assert [path for path in no.split() if pattern.matches(path)] == []


@pytest.mark.parametrize(
    "source",
    ["/blog/*", "/a:", "/(", "/(a|b)", "/{a", "/a}", "/:x(a)", "/:xy?", "/:xy+", "/a:xy*", "/((?!a).*)", "/(.*)?", "/:x(.*)", "/a\\.b", "/:x/:x"],
)  # fmt: skip
def test_sources_that_are_not_read(source: str) -> None:
    with pytest.raises(ValueError):
        read_source(source)


def test_rules_with_conditions_and_those_that_cannot_be_read_are_no_rules() -> None:
    rules = [
        moved("/a", **COOKIE),
        moved("/d", **OWN_HOST),
        moved("/m", missing=HAS["has"]),
        moved("/((?!a).*)"),
    ]
    headers = [{"source": "/h", "headers": [{"key": "Cache-Control", "value": "x"}], **COOKIE}]
    config = {"redirects": rules, "headers": headers, "routes": [{"src": "/old"}]}
    text = json.dumps(config, indent=0)
    unread = READER.read({"vercel.json": text}, "example.com", NOW).unread
    lines = text.splitlines()
    assert [lines[(line.line or 0) - 1][:14] for line in unread] == [
        '"source": "/a"',
        '"source": "/d"',
        '"source": "/m"',
        '"source": "/((',
        '"src": "/old"',
    ]


def test_the_line_that_decided_is_named(site: Site, run: Run, tmp_path: Path) -> None:
    site({"index.html": "", "old.html": "", "x/new.html": ""})
    (tmp_path / "vercel.json").write_text(
        '{\n  "headers": [{ "source": "/old.html", "headers": [] }],\n  "redirects": [\n'
        '    { "source": "/x/:y*", "destination": "/", "has": [{ "type": "query", "key": "q" }] },\n'
        '    { "source": "/old.html", "destination": "/" }\n  ]\n}\n'
    )
    assert run("explain", "old.html", "--site", "public", "--base-url", BASE) == 0
    assert run.out.splitlines() == [
        "old.html is not listed: redirect",
        "  decided by  vercel.json:5: /old.html -> /",
    ]
    assert run("build", "public", "--base-url", BASE, "--jobs", 2) == 0
    assert "2 pages listed" in run.out and "warning" not in run.err


def test_a_source_to_which_another_rule_leads_has_its_own_line() -> None:
    text = '{"redirects": [\n{"source": "/a", "destination": "/b"},\n{"source": "/b", "destination": "/c"}]}'
    rules = READER.read({"vercel.json": text}, "example.com", NOW)
    assert origin_at(rules, "/b") == "vercel.json:3: /b -> /c"


@pytest.mark.parametrize(
    ("canonical", "listed"), [("/a", ["a", "b"]), ("/a.html", ["a", "b"]), ("/gone", ["b"])]
)
def test_vercel_has_the_last_word_about_canonicals(
    canonical: str, listed: list[str], site: Site
) -> None:
    config = json.dumps({"cleanUrls": True, "trailingSlash": False})
    page = f"<link rel=canonical href={canonical}>"
    root = site({"a.html": page, "b/index.html": "", "vercel.json": config})
    build(root, url_style="auto")
    assert paths(root) == listed


def test_clean_urls_redirect_pages_whose_own_names_end_in_index_or_html(site: Site) -> None:
    files = {"a.html": "", "index/index.html": "", "b/index/index.html": "", "c.html.html": ""}
    root = site({**files, "vercel.json": json.dumps({"cleanUrls": True})})
    summary = build(root, url_style="auto")
    assert (paths(root), summary.excluded) == (["a"], {Reason.REDIRECT: 3})


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "\0"])
def test_a_file_that_is_not_json_is_an_error(text: str, site: Site, run: Run) -> None:
    root = site({"a.html": "", "vercel.json": text})
    assert run("build", root, "--base-url", BASE) == 2
    assert (
        "vercel.json: is not JSON: " in run.err
        and 'help: correct it, or set host = "none"' in run.err
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5) | st.sampled_from(["/(.*)", "/:a", "noindex"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["source", "has", "headers", "key", "value", "redirects"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(JSON, st.text(alphabet="/ab:*.é%", max_size=20))
def test_no_vercel_json_raises(config: object, tail: str) -> None:
    reason_at(READER.read({"vercel.json": json.dumps(config)}, "example.com", NOW), "/" + tail)
