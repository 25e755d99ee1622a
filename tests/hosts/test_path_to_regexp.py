"""Sources of path-to-regexp, and the paths that they match."""

from __future__ import annotations

import pickle
from contextlib import suppress
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import assert_linear

from sitemapper.hosts.path_to_regexp import read_source


def matches(source: str, path: str) -> bool:
    return read_source(source).matches(path)


@pytest.mark.parametrize(
    ("source", "yes", "no"),
    [
        # From the tests of Vercel's own @vercel/routing-utils.
        ("/some/old/path", "/some/old/path", "/nope /some/old/path/ /Some/old/path"),
        ("/next(\\.js)?", "/next /next.js", "/nextAjs /nextjs"),
        ("/proxy/(.*)", "/proxy/one /proxy/dir/sub /proxy/", "/prox /proxyed/two /proxy"),
        ("/proxy-regex/([a-zA-Z]{1,})", "/proxy-regex/admin", "/proxy-regex/user/1 /proxy-regex/1"),
        ("/projects/:id/:action", "/projects/one/edit", "/projects/edit /projects/two/x/y /projects"),
        ("/old/:segment/path", "/old/one/path", "/old/path /old/two/foo"),
        ("/catchall/:hello*", "/catchall /catchall/a /catchall/a/b", "/catchall/ /catchall/a/ /random-catch"),
        ("/another/:hello+", "/another/a /another/a/b", "/another /another/"),
        ("/optional/:id?", "/optional /optional/1", "/optionally /optional/1/2"),
        ("/feature-{:slug}", "/feature-first", "/feature/first /feature-"),
        # Its documentation, and what people write.
        ("/blog/:slug(\\d{1,})", "/blog/1 /blog/123", "/blog/a /blog/"),
        ("/docs(/|)", "/docs /docs/", "/docs/a"),
        ("/:lang(en|de)/:path*", "/en /de/a/b", "/fr/a /en/"),
        ("/:file.:ext(html|htm)", "/a.html /a.htm", "/a.txt /a"),
        ("/a{/:b}?/c", "/a/c /a/x/c", "/a//c /a/x/y/c"),
        ("/a{/b}?/c", "/a/c /a/b/c", "/ab/c /a/b/b/c"),
        ("/a{/b}*", "/a /a/b /a/b/b", "/ab /a/"),
        ("/a{/:b(\\d+)-}+", "/a/1- /a/1-/2-", "/a /a/1 /a/1-2-"),
        ("/a\\(b\\)", "/a(b)", "/ab"),
        ("/ü b/:x", "/%C3%BC%20b/c", "/ü b/c"),
        ("/a.b", "/a.b", "/axb"),
        ("/a.b/:c", "/a.b/d", "/axb/d"),
        ("/((?!api/).*)", "/ /a /apis", "/api/ /api/a"),
        ("/docs/:path((?!api).*)", "/docs/a", "/docs/api /a"),
    ],
)  # fmt: skip
def test_sources(source: str, yes: str, no: str) -> None:
    assert [path for path in yes.split() if not matches(source, path)] == []
    assert [path for path in no.split() if matches(source, path)] == []


@pytest.mark.parametrize("source", ["/blog/*", "/a:", "/(", "/()", "/(?:a)", "/{a", "/a}", "/:x(a", "/((?=a).*)", "/b/(?!a)", "/(a\\1)"])  # fmt: skip
def test_sources_that_are_not_read(source: str) -> None:
    with pytest.raises(ValueError):
        read_source(source)


@given(
    st.text(alphabet="/a:x()*+?{}\\|.[^]$!-é ", max_size=30), st.text(alphabet="/ax.", max_size=20)
)
def test_no_source_raises_anything_else(source: str, path: str) -> None:
    try:
        pattern = read_source(source)
    except ValueError:
        return
    again = pickle.loads(pickle.dumps(pattern))
    assert again.matches(path) is pattern.matches(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    ["/((?:a+)+)", "/((?:a|a)*)", "/" + "(a?)" * 60, "".join(f"/:x{n}*" for n in range(30)), "/(.*)" * 30 + "z", "/((?:a{9}){9})"],
)  # fmt: skip
def test_no_source_takes_long_for_a_long_path(source: str) -> None:
    def attempt(n: int) -> None:
        for path in ("/" + "a" * n, "/a" * (n // 2), "/" + "a" * n + "!"):
            matches(source, path)

    assert_linear(lambda n: partial(attempt, n), 4_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "source", ["/{", "/(", "/:a(", "/:a(b", "/{:a(", "/\\", "/((?:", "/(?", "/{\\"]
)
def test_no_source_takes_long_to_read(source: str) -> None:
    def attempt(n: int) -> None:
        for text in (source * n, source + "a" * 5 * n):
            with suppress(ValueError):
                read_source(text)

    assert_linear(lambda n: partial(attempt, n), 20_000)
