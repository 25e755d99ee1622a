"""Which HTML files are not pages; a file that may be one is left alone."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import assert_linear

from sitemapper.extract.kind import kind_of

SVELTEKIT = """<!doctype html><html lang="en"><head><meta charset="utf-8" />
<link href="/_app/immutable/entry/start.B8lFwSK1.js" rel="modulepreload">{}</head><body>
<div style="display: contents"><script>{{ Promise.all([import("/_app/immutable/entry/start.B8lFwSK1.js")])
.then(([kit, app]) => {{ kit.start(app, element{}); }}); }}</script></div></body></html>"""
NUXT = """<!DOCTYPE html><html><head><title>Kettle</title></head><body><div id="__nuxt"></div>
<script type="application/json" data-nuxt-data="nuxt-app" data-ssr="{}" id="__NUXT_DATA__">[]</script></body></html>"""
NEXT = '<!DOCTYPE html><html id="__next_error__"><head><title>Kettle</title></head><body><div hidden=""></div><script>self.__next_f.push([0])</script>{}</body></html>'
DOXYGEN = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0"><html><head><title></title></head><body class="{}"><div class="SRStatus" id="Loading">Loading...</div></body></html>'
MACROS = "<!-- generated -->\n<!-- do not edit -->\n{% macro head_pre_icons() %}\n<link href=\"{{ pathto('x.css', 1) }}\">"

SHELLS = {
    "SvelteKit's fallback": ("200.html", SVELTEKIT.format("", "")),
    "SvelteKit's fallback of any name": ("offline.html", SVELTEKIT.format("", "")),
    "SvelteKit's fallback with a title": ("app.html", SVELTEKIT.format("<title>Kettle</title>", "")),
    "Nuxt's fallback": ("200.html", NUXT.format("false")),
    "React Router's fallback": ("__spa-fallback.html", '<html><head></head><body><p>Loading</p><script>window.__reactRouterContext = {"isSpaMode":true};</script>'),
    "a fallback of a bundler": ("fallback.html", '<!doctype html><html><head><script type="module" src="/assets/index.js"></script></head><body><div id="root"></div><noscript>You need to enable JavaScript.</noscript>'),
    "Next's redirect": ("blog/old.html", NEXT.format("")),
}  # fmt: skip
FRAGMENTS = {
    "macros of a theme": ("_static/webpack-macros.html", MACROS),
    "a slice of Gatsby": ("_gatsby/slices/_gatsby-scripts-1.html", '<script id="gatsby-chunk-mapping">x={}</script><script src="/app.js" async></script>'),
    "a redirect by script": ("reference/types-redirect.html", '<script>(function() { location.replace("types.html"); })()</script>'),
    "the navigation of all pages": ("nav.html", '<nav><a href="/">Home</a><header>Kettle</header></nav>\n<style>a {}</style>'),
    "results of Doxygen's search": ("search/all_0.html", DOXYGEN.format("SRPage")),
}  # fmt: skip
PAGES = {
    "a rendered page of SvelteKit": ("about.html", SVELTEKIT.format("<title>About</title>", ", { node_ids: [0, 3] }")),
    "a page of SvelteKit that the browser renders": ("app.html", SVELTEKIT.format("", "").replace('"/_app', '"./_app')),
    "the home page of an app": ("index.html", SVELTEKIT.format("", "")),
    "an app in a folder": ("editor/app.html", SVELTEKIT.format("", "")),
    "a page of an app that renders itself": ("about.html", '<html><head><title>About</title><script type="module" src="/a.js"></script></head><body><div id="root"></div>'),
    "a page of Nuxt": ("about.html", NUXT.format("true")),
    "a demo of a script": ("simple.html", "<html><head></head><body><script src='/jquery.js'></script></body></html>"),
    "a drawing": ("game.html", '<html><body><canvas></canvas><script type="module" src="g.js"></script>'),
    "an error page of Next with a text": ("blog/old.html", NEXT.format("<p>Gone</p>")),
    "a page of Doxygen": ("search/all.html", DOXYGEN.format("page")),
    "notes without a head": ("ReleaseNotes4.8.1.html", "<h2>Summary of Changes</h2>\n\n<p>This was a quick bugfix release</p>"),
    "a table without a head": ("INDEX.html", "<table border=1><tr><th>Path</th></tr></table>"),
    "text and a script": ("a.html", "text<script>x()</script>"),
    "a picture and a script": ("a.html", "<img src=a.png><script>x()</script>"),
    "a text about templates": ("a.html", "<p>Write {% include x %}.</p>"),
    "a page whose name begins like a private one": ("library/__future__.html", "<html><head><title>__future__</title></head><body>text"),
    "nothing": ("a.html", ""),
    "a single tag": ("a.html", "<p>"),
    "a comment": ("a.html", "<!-- x -->"),
}  # fmt: skip


@pytest.mark.parametrize(("path", "page"), SHELLS.values(), ids=SHELLS)
def test_a_shell_that_an_app_fills_in_is_kind_of(path: str, page: str) -> None:
    assert kind_of(path, page.encode()) == "app shell"


@pytest.mark.parametrize(("path", "page"), FRAGMENTS.values(), ids=FRAGMENTS)
def test_a_piece_of_a_page_is_kind_of(path: str, page: str) -> None:
    assert kind_of(path, page.encode()) == "fragment"


@pytest.mark.parametrize(("path", "page"), PAGES.values(), ids=PAGES)
def test_what_may_be_a_page_is_one(path: str, page: str) -> None:
    assert kind_of(path, page.encode()) is None


@given(
    st.sampled_from(["a.html", "a/b.html"]),
    st.text("<>/ =\"'!-{%}htmlscripnavheadtitle\x00é", max_size=200).map(str.encode) | st.binary(max_size=99),
)
def test_no_file_raises(path: str, data: bytes) -> None:
    assert kind_of(path, data) in ("app shell", "fragment", None)


@pytest.mark.parametrize(
    "text", ["<!---->", "<!-- ", " ", "{%", "<nav>", "<script>", "<html", "</nav><nav>", "import("]
)
def test_a_long_file_takes_no_long_time(text: str) -> None:
    def attempt(n: int) -> None:
        for start in ("", "<html>"):
            kind_of("a.html", (start + text * (n // len(text))).encode())

    assert_linear(lambda n: partial(attempt, n), 1_000_000)
