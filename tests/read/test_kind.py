"""Which HTML files are not pages; a file that may be one is left alone."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cost import assert_linear

from sitemapper.read import kind
from sitemapper.syntax.html import head_end


def kind_of(path: str, data: bytes) -> str | None:
    """What a file is, without the kind of a fragment."""
    found = kind.kind_of(path, data, head_end(data))
    return found.partition(" (")[0] if found else None


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
    "a single tag": ("a.html", "<p>"),
    "a comment": ("a.html", "<!-- x -->"),
}  # fmt: skip


QUARTO = """<!DOCTYPE html><html><head><title>Redirect</title><script type="text/javascript">
  var redirects = {"":"new.html"};
  var hash = window.location.hash.startsWith('#') ? window.location.hash.slice(1) : window.location.hash;
  var redirect = redirects[hash] || redirects[""] || "/";
  if (!redirects[hash]) { redirect = redirect + window.location.hash; }
  // location = "/"
  window.location.replace(redirect);
</script></head><body></body></html>"""
DARTDOC = '<ol><li class="section-title"><a href="a/A-class.html#ctors">Constructors</a></li><li><a href="a/A/A.html">A</a></li></ol>'
YARD = '<!DOCTYPE html><html><head><title>Class List</title><base id="base_target" target="{}" />{}</head><body>{}</body></html>'
CLASSES = (
    '<ul><li><a href="Pot.html">Pot</a> &lt; Object<small>Top Level Namespace</small></li></ul>'
)
JAVADOC = '<!DOCTYPE HTML><!-- NewPage -->\n<html lang="en"><head>\n<!-- Generated by javadoc (1.8.0_181) on Tue Nov 24 2026 -->\n<title>All Classes</title></head><body>{}</body></html>'
FRAME_LINK = '<h1 class="bar"><a name="top">All Classes</a></h1><ul><li><a href="tea/Pot.html" title="class in tea" target="classFrame">Pot</a></li></ul>'
STORYBOOK = '<!doctype html><html><head><title>Storybook</title></head><body><div class="sb-nopreview sb-wrapper"><h1>No Preview</h1><p>Sorry, but you either have no stories or none are selected somehow.</p></div><div id="storybook-root"></div></body></html>'

BARE = "<!doctype html><title>Tea</title><body>{}<script>{}</script>"

SEARCH = '<!DOCTYPE html><html><head><title>Search</title><script src="_static/documentation_options.js"></script><script src="{}_static/searchtools.js?v=1"></script></head><body><div class="body"><h1>Search</h1><form action="" method="get"><input name="q"></form><div id="search-results"></div></div></body></html>'

# What it is, a path, the contents, and where such files come from.
CASES = [
    ("search page", "search.html", SEARCH.format(""), "Sphinx"),
    ("search page", "en/latest/search.html", SEARCH.format(""), "Sphinx, with languages and versions"),
    (None, "topics/search.html", SEARCH.format("../").replace(' id="search-results"', ""), "a theme that loads the script everywhere"),
    (None, "research.html", SEARCH.format(""), "a page that searches"),
    (None, "topics/db/search.html", "<html><head><title>Search</title></head><body><p>Load searchtools.js", "Django's manual"),
    ("not HTML", "feed/index.html", '<?xml version="1.0"?><!-- by WordPress --><rss version="2.0"><channel><title>Tea</title></channel></rss>', "a copy of WordPress"),
    ("not HTML", "rss/index.html", "\ufeff <?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><title>Tea</title></feed>", "a copy of Ghost"),
    ("not HTML", "xmlrpc0db0.html", '<?xml version="1.0"?><rsd version="1.0"></rsd>', "a copy by HTTrack"),
    ("not HTML", "a.html", '<!DOCTYPE rss SYSTEM "x.dtd"><RSS><title>Tea</title></RSS>', "RSS 0.91"),
    ("not HTML", "oembed.html", '<?xml version="1.0"?>\n<oembed><version>1.0</version></oembed>', "a copy of WordPress"),
    ("not HTML", "map.html", "<!-- made by hand --><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>", "a sitemap"),
    ("not HTML", "bom.html", "\ufeff<?xml version='1.0' encoding='utf-8'?><RSS version='2.0'/>", "a feed with a byte order mark"),
    ("not HTML", "wp-json/index.html", '{"name":"Tea","html":"<title>Tea</title>"}', "a copy of WordPress"),
    ("not HTML", "wp-json/tags.html", " []", "a copy of WordPress"),
    ("not HTML", "cup.html", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a copy by wget"),
    ("not HTML", "empty.html", "", "a download that broke off"),
    ("not HTML", "blank.html", "\n \n", "a download that broke off"),
    (None, "feed/index.html", "<!doctype html><title>Feed</title><rss>", "a page about feeds"),
    (None, "feed.html", "<p>Subscribe to <rss></p>", "a page without a head"),
    (None, "a.html", '{"a": 1} is <b>JSON</b>', "a text that begins like JSON"),
    (None, "a.html", "[1] A <i>note</i>", "a text that begins like JSON"),
    ("not HTML", "a.html", '{"a": 1} is JSON', "a text without a tag that begins like JSON"),
    ("not HTML", "a.html", "[1] A note, where 1 < 2 and 3 > 2", "a text without a tag"),
    ("generated index", "en/py-modindex.html", SEARCH.format("../"), "Sphinx"),
    ("generated index", "genindex-A.html", '<html><head><title>Index</title><script>var DOCUMENTATION_OPTIONS = {};</script></head><body>', "Sphinx before 1.8"),
    ("generated index", "en/genindex/index.html", SEARCH.format("../../").replace("search-results", "x"), "Sphinx's dirhtml"),
    (None, "genindex.html", "<html><head><title>Index</title></head><body><p>All words", "a page that is called so"),
    (None, "library/modindex.html", SEARCH.format("").replace("search-results", "x"), "a module that is called so"),
    (None, "a.html", "<html><title>a\0b</title>", "a stray NUL"),
    (None, "a.html", "<p>text".encode("utf-16"), "UTF-16 without a head"),
    ("shows nothing", "old.html", QUARTO, "Quarto's redirect map"),
    (None, "index.html", BARE.format("", "var l = navigator.language; location.href = l == 'de' ? '/de/' : '/en/';"), "a language chooser"),
    (None, "old.html", BARE.format("<p>This page has moved.</p>", "location.href = 'new.html';"), "a page that shows a text beside a script"),
    ("fragment", "a/A-class-sidebar.html", DARTDOC, "dartdoc"),
    ("fragment", "navigation.html", '<div class="sideMenu"><button></button><a href="a.html"><span>pot</span></a></div>', "Dokka"),
    (None, "links.html", f"<body>{DARTDOC}", "a list of links with a body"),
    (None, "links.html", f"<h2>What to read about tea</h2>{DARTDOC}", "a list of links with a heading"),
    ("fragment", "a.html", "{{#each pots}}<p>{{name}}</p>{{/each}}", "Handlebars"),
    ("fragment", "a.html", "<!-- nav -->\n{{{body}}}", "Mustache"),
    ("fragment", "a.html", "<%= render 'pots' %><p>text", "ERB"),
    ("fragment", "a.html", "<?php include 'head.php'; ?><p>text", "PHP"),
    ("fragment", "a.html", '<!doctype html><html lang="{{ lang }}"><title>Tea</title><body>text', "a theme's layout"),
    ("fragment", "a.html", "<!doctype html><html><title>{{ .Title }} | {{ .Site.Title }}</title><body>text", "a theme's layout"),
    (None, "a.php", "<?php include 'head.php'; ?><p>text", "a page that PHP makes"),
    (None, "a.html", '<!--#include virtual="/head.html" -->' + "<p>text" * 50, "a page of server-side includes"),
    (None, "a.html", "<html><title>{{#if}} | Handlebars</title>", "a page about templates"),
    (None, "index.html", "<html lang=en ng-app><title>{{title}}</title>", "an AngularJS app"),
    ("not HTML", "a.html", "{{ title }}", "a text that an app fills in"),
    ("fragment", "class_list.html", YARD.format("_parent", "", CLASSES), "YARD"),
    ("fragment", "toc.html", YARD.format("_top", "", CLASSES), "frames"),
    (None, "a.html", YARD.format("_blank", "", CLASSES), "links in new windows"),
    (None, "a.html", YARD.format("_top", "", "<p>text</p>" * 90 + CLASSES), "the page of a frame"),
    (None, "a.html", YARD.replace("id=", "href=/ id=").format("_top", "", CLASSES), "a page with a base"),
    ("fragment", "allclasses-frame.html", JAVADOC.format(FRAME_LINK), "Javadoc 8"),
    ("fragment", "tea/package-frame.html", JAVADOC.format('<A HREF="Pot.html" TARGET="classFrame">Pot</A>'), "Javadoc 6"),
    (None, "tea/Pot.html", JAVADOC.format('<a href="../index.html?tea/Pot.html" target="_top">Frames</a>'), "a page of Javadoc"),
    (None, "tea/Pot.html", JAVADOC.format(FRAME_LINK + '<a href="Cup.html">Cup</a>'), "a page of Javadoc with a link of its own"),
    (None, "tea/Pot.html", JAVADOC.format(FRAME_LINK + '<a href="Cup.html" target="_top">Cup</a>'), "a page of Javadoc with a link out of the frame"),
    (None, "list.html", JAVADOC.replace("by javadoc", "by hand").format(FRAME_LINK), "a list for a frame of another tool"),
    ("app shell", "storybook/iframe.html", STORYBOOK, "Storybook 8"),
    (None, "about/iframe.html", "<html><title>iframe</title><p>The element iframe", "a page about frames"),
    (None, "guide.html", STORYBOOK, "a page about Storybook"),
    (None, "a.html", "<title>Tea</title><body><script>t = '<title>{{t}}</title><html lang={{l}}>'</script>", "templates of a script"),
    (None, "a.html", "<title>Tea</title><body><script>t = '<base target=_top>'</script><p>", "frames of a script"),
]  # fmt: skip


SWAGGER = """<!doctype html><html lang="en-US"><head><title>Sign in</title></head><body><script>
'use strict'; function run () { var oauth2 = window.opener.oauth2; var sent = oauth2.state; var qp = {};
  if (/code|token|error/.test(window.location.hash)) { qp = window.location.hash.substring(1); } else { qp = location.search; }
  if (sent) { oauth2.callback({auth: oauth2.auth, token: qp}); } window.close(); }
if (document.readyState !== 'loading') { run(); } else { document.addEventListener('DOMContentLoaded', function () { run(); }); }
</script></body></html>"""
FRAMES = """<!DOCTYPE html><html><head><title>Pots</title></head><script type="text/javascript">
  var mainUrl = 'index.html';
  try { var match = decodeURIComponent(window.location.hash).match(/^#!(.+)/); var name = match ? match[1] : mainUrl;
    window.top.location.replace(name); } catch (e) { window.top.location.replace(mainUrl); }
</script><noscript>CONTENT</noscript></html>"""
VITE = '<!doctype html><html><head><title>App</title></head><body><div id="root">{}</div><script type="module" src="{}"></script></body></html>'
SILENT = [
    ("shows nothing", "oauth2-redirect.html", SWAGGER, "every Swagger UI"),
    ("shows nothing", "silent-check-sso.html", "<html><body><script>parent.postMessage(location.href, location.origin);</script></body></html>", "Keycloak"),
    ("shows nothing", "close.html", BARE.format("", "window.opener.done(); window.close();"), "the end of a sign-in"),
    ("shows nothing", "frames.html", FRAMES.replace("CONTENT", "<h1>Oops!</h1><h2>This needs JavaScript!</h2>"), "YARD"),
    (None, "frames.html", FRAMES.replace("CONTENT", '<p>See the <a href="index.html">list</a>.</p>'), "frames with a link"),
    (None, "a.html", FRAMES.replace("CONTENT", "<p>A long text.</p>" * 20).replace("<noscript>", "").replace("</noscript>", ""), "a page with a text and a frame buster"),
    ("shows nothing", "frame.html", BARE.format("<noscript>Oops</noscript>", "if (parent != self) { parent.shown(location.hash); }"), "the page of a frame"),
    (None, "a.html", BARE.format("<noscript><a href=b.html>List</a></noscript>", "if (parent != self) { parent.shown(location.hash); }"), "a page that works without scripts"),
    (None, "a.html", BARE.format("<h1>Oolong</h1>", "if (top != self) { top.location = location; }"), "a frame buster"),
    (None, "a.html", BARE.format("<img src=a.png>", "if (top != self) { top.location = location; }"), "a frame buster of a picture"),
    (None, "a.html", BARE.format("<iframe src=b.html></iframe>", "parent.x = 1"), "a page of frames"),
    (None, "a.html", BARE.format("", "document.body.innerHTML = location.hash;"), "a page that a script writes"),
    (None, "a.html", BARE.format("", "var p = location.hash; root.textContent = p;"), "a page that a script writes"),
    (None, "a.html", BARE.format("", "import('./app.js').then(m => m.run(location))"), "an app"),
    (None, "a.html", BARE.format("<script src=app.js></script>", "window.base = location.pathname"), "an app"),
    (None, "a.html", BARE.format("<canvas></canvas>", "draw(location.hash)"), "a drawing"),
    (None, "a.html", BARE.format("", "var x = 1;"), "a page that says nothing"),
    (None, "a.html", "<title>Tea</title>", "a title alone"),
    ("not HTML", "status.html", "OK", "what a monitor asks for"),
    ("not HTML", "zohoverify/verifyforzoho.html", "13579246", "Zoho's verification"),
    ("not HTML", "license.html", "Permission is hereby granted to <you@example.com>.\n".replace("<you", "< you") * 99, "a text with the name of a page"),
    ("not HTML", "naver0123456789abcdef.html", "naver-site-verification: naver0123456789abcdef.html", "Naver's verification"),
    ("not HTML", "loaderio-0123.html", "loaderio-0123", "loader.io's verification"),
    ("not HTML", "baidu_verify_codeva-0123456789.html", "0123456789", "Baidu's verification"),
    (None, "a.html", "OK<br>", "a text with a tag"),
    (None, "a.html", "text <b>OK</b>".encode("utf-16"), "UTF-16"),
    ("app shell", "index.html", VITE.format("", "/src/main.tsx"), "an app that was never built"),
    ("app shell", "demo/index.html", VITE.format("", "./main.jsx"), "an example in a folder"),
    (None, "index.html", VITE.format("", "/assets/index-1f.js"), "a built app"),
    (None, "index.html", VITE.format("<h1>Pots</h1>", "/src/main.tsx"), "an app with a text"),
    ("fragment", "Book1_files/sheet001.htm", "<html><head><link id=Main-File rel=Main-File href='../Book1.htm'></head><body><table><td>1</table>", "Excel"),
    (None, "office.html", "<html><head><title>Office</title></head><body><p>It writes rel=Main-File.", "a page about Excel"),
    ("fragment", "build/5d41402abc4b2a76b9719d911017c592.html", "<div><table><tr><td>1</table></div>", "an output of MyST"),
    (None, "build/5d41402abc4b2a76b9719d911017c592.html", "<html><head><title>Pots</title></head><body><p>text", "a page with a hash"),
    (None, "build/notes.html", "<h2>Notes</h2><p>text", "notes without a head"),
    ("fragment", "posts/tea/index.src.html", "<!-- .. title: Tea -->\n<p>How to make it.</p>", "Nikola"),
    (None, "main.src.html", "<html><head><title>main.c</title></head><body><pre>int main", "a listing"),
]  # fmt: skip
FILLED_IN = [
    ("fragment", "views/pots.html", '<div ng-repeat="pot in pots"><p>A pot</p></div>', "AngularJS"),
    ("fragment", "views/pot.html", "<h1>{{ pot.name }}</h1><p>Made in {{ pot.year }}</p>", "AngularJS"),
    ("fragment", "partials/pot.html", '<a href="{{ url }}">A pot</a>', "Mustache"),
    (None, "index.html", '<div ng-app="pots" ng-controller="list">{{ pots }}</div>', "an AngularJS app without a head"),
    (None, "a.html", "<h2>Templates</h2><pre>{{ title }}</pre><p>Like so.</p>", "a page about templates"),
    (None, "a.html", "<p>Write <code>{{ title }}</code>.</p>", "a page about templates"),
    (None, "a.html", "<p>Write {{ title }} where you want the title.</p>" + "<p>More about templates</p>" * 20, "a page about templates"),
    (None, "a.html", "<p>The attribute ng-repeat repeats.</p>", "a page about AngularJS"),
    (None, "a.html", "<title>Tea</title><div ng-repeat='x'>{{ x }}</div>", "a page with a title"),
]  # fmt: skip

BY_KIND = (("app shell", SHELLS), ("fragment", FRAGMENTS), (None, PAGES))
BY_NAME = [(kind, *file, name) for kind, files in BY_KIND for name, file in files.items()]


@pytest.mark.parametrize(
    ("kind", "path", "contents", "origin"), [*BY_NAME, *CASES, *SILENT, *FILLED_IN]
)
def test_what_a_file_is(kind: str | None, path: str, contents: str | bytes, origin: str) -> None:
    data = contents.encode() if isinstance(contents, str) else contents
    assert kind_of(path, data) == kind, origin


@given(
    st.sampled_from(["a.html", "a/b.html"]),
    st.text("<>/ =\"'!-{%}htmlscripnavheadtitle\x00é", max_size=200).map(str.encode)
    | st.binary(max_size=99),
)
def test_no_file_raises(path: str, data: bytes) -> None:
    kinds = ("app shell", "fragment", "not HTML", "shows nothing", None)
    assert kind_of(path, data) in kinds


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    "<!---->|<!-- | |{%|<nav>|<script>|<html|</nav><nav>|import(|<?|<base |[|{{a}}|{|(function(){"
    "|setTimeout('| ng-a".split("|"),
)
def test_a_long_file_takes_no_long_time(text: str) -> None:
    def attempt(n: int) -> None:
        for start in ("", "<html>", "<title>"):
            kind_of("a.html", (start + text * (n // len(text))).encode())

    assert_linear(lambda n: partial(attempt, n), 1_000_000)
