"""Each host with its own precedence; where the host is not known, only what both would do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.model import Reason
from sitemapper.syntax.hosts import choose
from sitemapper.syntax.hosts.files import expression, forbids, read
from sitemapper.syntax.urls import encode_path

R, N = Reason.REDIRECT, Reason.NOINDEX


def effect(
    host: str, path: str, redirects: str = "", headers: str = "", project: frozenset[str] = frozenset()
) -> Reason | None:
    found = choose(host, project, read(redirects, headers)).effect("example.com", path)
    return found and found[0]


@pytest.mark.parametrize(
    ("redirects", "path", "cloudflare", "netlify"),
    [
        ("/a /b", "/a", R, None),
        ("/a /b 301", "/a", R, None),
        ("/a /b 301!", "/a", None, R),
        ("/a /b 302!  # why", "/a", None, R),
        ("/a /b 302  # why", "/a", R, None),
        ("/a /b 301\n/A/ /c 301!", "/a", R, None),
        ("/A /c 301!\n/a /b 301", "/a", R, R),
        ("/a /b 200", "/a", None, None),
        ("/a /b 200!", "/a", None, None),
        ("/a /404 404!", "/a", None, R),
        ("/blog/* /news/:splat 301!", "/blog/x/y", None, R),
        ("/blog/* /news/:splat 301", "/blog/x/y", R, None),
        ("/blog/:slug /news/:slug 301!", "/blog/x", None, R),
        ("/blog/:slug /news/:slug 301", "/blog/x", R, None),
        ("/blog/:slug /news/:slug 301!", "/blog/x/y", None, None),
        ("/a /b 301! Country=us,ca", "/a", None, None),
        ("/a id=:id /b 301!", "/a", None, None),
        ("/a/ /b 301!", "/a", None, R),
        ("/A /b 301!", "/a", None, R),
        ("/a /b 200\n/a /c 301!", "/a", None, None),
        ("/a /b 301! Role=admin\n/a /c 301!", "/a", None, R),
        ("# /a /b 301!", "/a", None, None),
        ("/a", "/a", None, None),
        ("/ü /b 301!", "/%C3%BC", None, R),
        ("/ü /b 301", "/%C3%BC", R, None),
        ("/a.b /c 301!", "/axb", None, None),
        ("/x /y 301!", "/a", None, None),
    ],
)
def test_redirects(redirects: str, path: str, cloudflare: Reason | None, netlify: Reason | None) -> None:
    assert effect("cloudflare", path, redirects) is cloudflare
    assert effect("netlify", path, redirects) is netlify
    assert effect("auto", path, redirects) is (R if cloudflare is netlify is R else None)
    assert effect("auto", path, redirects, project=frozenset({"netlify.toml"})) is netlify
    assert effect("auto", path, redirects, project=frozenset({"wrangler.toml"})) is cloudflare
    assert effect("none", path, redirects) is effect("github", path, redirects) is None


def test_hosts_agree_on_leaving_out_whatever_their_reasons() -> None:
    assert effect("auto", "/t/", "/t /b.html 301!", "/t/\n  X-Robots-Tag: noindex") is N


@pytest.mark.parametrize(
    ("headers", "path", "cloudflare", "netlify"),
    [
        ("/a\n  X-Robots-Tag: noindex", "/a", N, N),
        ("/a\n  x-robots-tag: NOINDEX, nofollow", "/a", N, N),
        ("/*\n  X-Frame-Options: DENY\n  X-Robots-Tag: none", "/a/b", N, N),
        ("/a\n  X-Robots-Tag: googlebot: noindex", "/a", N, N),
        ("/a\n  X-Robots-Tag: otherbot: noindex", "/a", None, None),
        ("/*\n  X-Robots-Tag: noindex\n/a\n  ! X-Robots-Tag", "/a", None, N),
        ("/*\n  X-Robots-Tag: noindex\n/b\n  ! X-Robots-Tag", "/a", N, N),
        ("https://:project.pages.dev/*\n  X-Robots-Tag: noindex", "/a", None, None),
        ("https://example.com/*\n  X-Robots-Tag: noindex", "/a", N, None),
        ("/a/\n  X-Robots-Tag: noindex", "/a", None, N),
        ("# /a\n  X-Robots-Tag: noindex", "/a", None, None),
        ("/a\n\n  # c\n  X-Robots-Tag: noindex", "/a", N, N),
    ],
)
def test_headers(headers: str, path: str, cloudflare: Reason | None, netlify: Reason | None) -> None:
    assert effect("cloudflare", path, headers=headers) is cloudflare
    assert effect("netlify", path, headers=headers) is netlify


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
def test_x_robots_tag(value: str, expected: bool) -> None:
    assert forbids(value) is expected


SOURCES = st.text(alphabet="/ab:*.é%?#", max_size=12) | st.sampled_from(
    [
        "/a/*",
        "/*",
        "/:x/:y",
        "https://example.com/*",
        "https://:p.dev/a",
        "/" + "*a" * 30,
        "*",
        "//",
        "http://[",
        "/a?b=c",
        "!",
    ]
)
TARGETS = st.sampled_from(
    [
        "/b",
        "/:splat",
        "https://[",
        "200",
        "301!",
        "/b 301!",
        "/b 404",
        "/b a=:a 302",
        "Country=de",
        " # c",
        "/b 99999",
        "x=y",
    ]
)
REDIRECTS = st.lists(st.builds("{} {}".format, SOURCES, TARGETS) | st.text(max_size=20), max_size=6).map(
    "\n".join
)
TAGS = st.sampled_from(
    [
        "X-Robots-Tag: noindex",
        "x-robots-tag:none",
        "! X-Robots-Tag",
        "X-Robots-Tag",
        ": noindex",
        "X-Robots-Tag: a: b: noindex,,:",
        "!",
        "# c",
    ]
)
HEADER_FILES = st.lists(SOURCES | TAGS.map("  {}".format) | TAGS | st.text(max_size=20), max_size=8).map(
    "\n".join
)


@given(SOURCES, st.text(alphabet="/ab", max_size=12), st.booleans())
def test_the_one_pass_finds_what_the_plain_expression_finds(pattern: str, path: str, any_slash: bool) -> None:
    pattern = pattern[:12]  # the plain one takes for ever with many stars
    parts = re.split(r"(\*|:[A-Za-z]\w*)", encode_path(pattern))
    plain = "".join(".*" if p == "*" else "[^/]+" if n % 2 else re.escape(p) for n, p in enumerate(parts))
    plain = plain.removesuffix("/") + "/?" if any_slash else plain
    assert bool(expression(pattern, any_slash=any_slash).fullmatch(path)) == bool(re.fullmatch(plain, path))


@given(
    REDIRECTS | st.text(max_size=120),
    HEADER_FILES | st.text(max_size=120),
    st.text(alphabet="/ab:*.é%", max_size=40),
)
def test_no_host_file_raises(redirects: str, headers: str, tail: str) -> None:
    for host in ("auto", "cloudflare", "netlify"):
        found = choose(host, frozenset(), read(redirects, headers))
        effect = found.effect("example.com", "/" + tail)
        origin = found.disputed("example.com", "/" + tail) or (effect.origin if effect else None)
        text = headers if origin and origin.source == "_headers" else redirects
        assert origin is None or 1 <= (origin.line or 0) <= len(text.splitlines())


def test_a_pattern_with_many_stars_takes_no_time() -> None:
    redirects = read("/" + "*a" * 30 + "b /x 301!", "")
    assert choose("netlify", frozenset(), redirects).effect("example.com", "/" + "a" * 200) is None
