"""What counts as a page's content, and what never does."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError
from support.cost import assert_linear
from support.facts import digest

from sitemapper.read.content import _title_parts, make_rule, read_titles
from sitemapper.syntax.html import all_tags
from sitemapper.syntax.source_text import words

RULE = make_rule([])
PAGE = """<!doctype html><html><head><title>A title</title>
<meta name="generator" content="Hugo 0.120"><meta name="csrf-token" content="abc">
<link rel="stylesheet" href="/main.3f9a2c.css"><script nonce="r4nd0m" src="/app.3f9a2c.js"></script>
<script type="application/ld+json">{"@type": "Article", "name": "x", "dateModified": "2026-01-01"}</script>
</head><body class="dark"><header>Site <a href="/">home</a></header><nav><a href="/a/">A</a></nav>
<main id="m-123"><header><h1>Heading</h1></header><p>Some text, <a href="/b/#part">a link</a>.</p>
<img src="/img/hero.8d21f0ab.png" alt="x"><form><input type="hidden" name="csrf" value="abc"></form>
<aside>related</aside><p>Written <time datetime="2026-01-01">3 days ago</time></p></main>
<footer>&copy; 2026, built with Hugo 0.120</footer></body></html>"""
OLD_PAGE = PAGE.replace("<main", "<div").replace("</main>", "</div>")

INSIGNIFICANT = {
    "header of the site": ("Site <a", "Our site <a"),
    "navigation": ("</nav>", '<a href="/new/">New</a></nav>'),
    "footer": ("2026, built", "2027, built"),
    "aside": ("related", "other things"),
    "script": ("</head>", '<script>track("1")</script></head>'),
    "script in the text": ("<img", "<script>x()</script><style>p{}</style><img"),
    "comment": ("<p>Some", "<!-- built 10:00 --><p>Some"),
    "nonce": ("r4nd0m", "0th3r"),
    "token in a meta": ('csrf-token" content="abc', 'csrf-token" content="xyz'),
    "token in a form": ('value="abc"', 'value="xyz"'),
    "token in a link": ("/b/#part", "/b/?csrf_token=abc#part"),
    "fingerprint of a script": ("app.3f9a2c.js", "app.77777ac.js"),
    "fingerprint of an image": ("hero.8d21f0ab.png", "hero.0badcafe1.png"),
    "query of an image": ("ab.png", "ab.png?v=17"),
    "version of the generator": ("Hugo 0.120", "Hugo 0.121"),
    "white space": ("<p>", "\n\n   <p>\n"),
    "minified": ("\n", ""),
    "attributes": ('class="dark"', 'class="light" data-build="17"'),
    "an id": ("m-123", "m-456"),
    "a fragment": ("#part", "#other-part"),
    "markup around words": ("Some text", "<b>Some</b> <i>text</i>"),
    "words for a time": ("3 days ago", "4 days ago"),
    "date of the build in JSON-LD": ("2026-01-01\"}", "2026-02-01\"}"),
    "order of keys in JSON-LD": ('"@type": "Article", "name": "x"', '"name": "x", "@type": "Article"'),
    "role": ("<aside>related</aside>", '<div role="navigation">menu</div><aside>x</aside>'),
    "a button": ("<p>Some", "<button>copy</button><p>Some"),
    "what is hidden": ("<p>Some", "<form hidden>Was this helpful?</form><p>Some"),
    "a link to edit the page": ("<p>Some", '<a rel="edit" href="/edit/17">edit</a><p>Some'),
    "a permalink": ("Heading", 'Heading<a href="#heading">¶</a>'),
    "breadcrumbs": ("<p>Some", '<div class="breadcrumbs">Home / A</div><p>Some'),
    "pages of a list": ("<p>Some", '<ul class="pagination"><li><a href="/2/">2</a></ul><p>Some'),
    "neighbours": ("<aside>related</aside>", '<a rel="prev" href="/p/">before</a><a rel="next nofollow" href="/n/">after</a>'),
}  # fmt: skip
SOMETHING = {
    "title": ("A title", "Another title"),
    "text": ("Some text", "Some other text"),
    "heading": ("Heading", "Other heading"),
    "target of a link": ("/b/#part", "/c/#part"),
    "query of a link": ("/b/#part", "/b/?page=2"),
    "another image": ("hero.8d21f0ab.png", "team.8d21f0ab.png"),
    "one more image": ("<img", '<img src="/x.png"><img'),
    "structured data": ('"name": "x"', '"name": "y"'),
    "the moment that a time names": ('<time datetime="2026-01-01', '<time datetime="2026-02-01'),
    "a document": ('href="/b/#part"', 'href="/report-20270101.pdf"'),
}


@pytest.mark.parametrize("page", [PAGE, OLD_PAGE], ids=["main", "no main"])
@pytest.mark.parametrize(("old", "new"), INSIGNIFICANT.values(), ids=INSIGNIFICANT)
def test_what_differs_from_build_to_build_is_no_content(page: str, old: str, new: str) -> None:
    assert old in page
    assert digest(page.replace(old, new).encode(), RULE) == digest(page.encode(), RULE)


@pytest.mark.parametrize(
    "page",
    [PAGE, OLD_PAGE.replace("<header><h1>", "<div><h1>").replace("</h1></header>", "</h1></div>")],
    ids=["main", "no main"],
)
@pytest.mark.parametrize(("old", "new"), SOMETHING.values(), ids=SOMETHING)
def test_what_readers_come_for_is_content(page: str, old: str, new: str) -> None:
    assert old in page
    assert digest(page.replace(old, new).encode(), RULE) != digest(page.encode(), RULE)


TITLES = {
    "Brew": "nothing",
    "Brew — Tea (3.1.x)": "nothing",
    "Tea | Brew": "nothing",
    "Brewing": "its own",
    "Homebrew": "its own",
    "Tea": "its own",
}


@pytest.mark.parametrize(("title", "adds"), TITLES.items())
def test_a_title_that_only_adds_the_site_to_the_heading_says_nothing_new(
    title: str, adds: str
) -> None:
    text = "<title>{}</title><main><h1>Brew<a href='#brew'>#</a></h1>"
    same = digest(text.format(title).encode(), RULE) == digest(
        text.format("Brew - Kettle").encode(), RULE
    )
    assert same is (adds == "nothing")


def test_a_title_counts_where_the_heading_is_empty_or_missing() -> None:
    for heading in ("", "<h1></h1>", "<h1><img src=x.png></h1>"):
        text = "<title>{}</title><main>" + heading
        assert digest(text.format("a").encode(), RULE) != digest(text.format("b").encode(), RULE)


FINGERPRINTS = {
    "app.3f9a2c.js": "app.js",
    "logo-2b7c1d3344556677889900aabbccddee.png": "logo.png",
    "_astro/hero.BxY1d2eF_Z2abc.webp": "_astro/hero.webp",
    "index-DkXaaZQe.js": "index.js",
    "style.min.0123456789abcdef0123456789abcdef.css": "style.min.css",
    "sunset_hu59e56ffff1bc1d8d122b1403d34e039f_90587_320x0.jpg": "sunset_320x0.jpg",
    "static/6d91c86c0fde632ba4cd01062fd9ccfa/x.jpg": "static/x.jpg",
}


@pytest.mark.parametrize(("name", "plain"), FINGERPRINTS.items())
def test_fingerprints_of_bundlers(name: str, plain: str) -> None:
    text = '<main><img src="/{}">'
    assert digest(text.format(name).encode(), RULE) == digest(text.format(plain).encode(), RULE)


WORDS = {
    "photo-20240101.jpg": "photo.jpg",
    "team-Portrait.jpg": "team.jpg",
    "report-3f9a2c.pdf": "report.pdf",
    "b-c.svg": "b.svg",
    "v1.2.3.png": "v1.png",
    "home-facade.png": "home.png",
}


@pytest.mark.parametrize(("name", "shorter"), WORDS.items())
def test_names_that_only_look_so(name: str, shorter: str) -> None:
    text = '<main><img src="/{}">'
    assert digest(text.format(name).encode(), RULE) != digest(text.format(shorter).encode(), RULE)


def test_the_mark_names_the_rule() -> None:
    assert digest(b"x", RULE)[:5] == f"{RULE.fingerprint}-"
    assert make_rule([".a"]).fingerprint != RULE.fingerprint
    assert make_rule([".a", ".b"]).fingerprint != make_rule([".a, .b"]).fingerprint


@given(
    st.binary(max_size=200)
    | st.text("<>/=\"' navfootermainsciptheadelmd\x00é", max_size=200).map(lambda t: t.encode())
)
def test_no_page_raises(data: bytes) -> None:
    assert digest(data, make_rule(["main", "nav > a", "body"])) == digest(
        data, make_rule(["main", "nav > a", "body"])
    )


def test_one_selector_does_not_swallow_the_next() -> None:
    for first in ('[a="b', "p /*", "b\\"):
        try:
            digests = {digest(b"<main>text<i>%d</i>" % n, make_rule([first, "i"])) for n in (1, 2)}
        except SelectolaxError:  # then the configuration is refused
            continue
        assert len(digests) == 1


@pytest.mark.slow
def test_a_long_name_costs_no_minutes() -> None:
    page = "<main><img src='{}.png'>"
    assert_linear(
        lambda n: partial(digest, page.format("_a1" * n).encode(), make_rule([])), 100_000
    )


@pytest.mark.parametrize(
    "names",
    [
        "IMG_0001.jpg IMG_0002.jpg",
        "x-fig_0001.png x-fig_0002.png",
        "version1.png version2.png",
        "x-20240101_final.png x-20250101_final.png",
    ],
)
def test_another_picture_is_another_content(names: str) -> None:
    first, second = (f'<main><img src="/a-{name}">'.encode() for name in names.split())
    assert digest(first, make_rule([])) != digest(second, make_rule([]))


@pytest.mark.parametrize("around", ["<p>{}</p>", "<nav>{}</nav>", "<button>{}</button>"])
def test_the_title_of_a_drawing_is_not_the_title_of_the_page(around: str) -> None:
    """It is freed with what surrounds it, so reading it as a title reads freed memory."""
    drawing = around.format("<svg><title>menu</title></svg>")
    named = f"<head><title>Tea</title></head><main>{drawing}text</main>"
    unnamed = named.replace("<title>Tea</title>", "")
    plain = named.replace("Tea", "")
    assert digest(unnamed.encode(), RULE) == digest(plain.encode(), RULE)
    assert digest(named.encode(), RULE) != digest(plain.encode(), RULE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "text"), [("?", "token"), ("?", "a"), ("", "?token"), ("", "&a=token")]
)
def test_a_long_address_takes_no_long_time(start: str, text: str) -> None:
    assert_linear(
        lambda n: partial(
            digest, f'<main><a href="{start}{text * (n // len(text))}">'.encode(), RULE
        ),
        400_000,
    )


def test_a_token_is_found_behind_other_parameters() -> None:
    text = "<main><a href='/x?a=1{}'>x</a>"
    for token in ("&token=1", "&auth_token=a%20b", "&csrfmiddlewaretoken=x", "?nonce=2"):
        assert digest(text.format(token).encode(), RULE) == digest(text.format("").encode(), RULE)
    for other in ("&b=token", "&token", "&to-ken=1"):
        assert digest(text.format(other).encode(), RULE) != digest(text.format("").encode(), RULE)


# Titles, with a heading that does not repeat them, and the same of another release or site.
RELEASES = {
    "Sphinx": (
        "sphinx.addnodes — Sphinx 8.1.3 documentation",
        "sphinx.addnodes — Sphinx 8.2.0+ documentation",
    ),
    "a page without parts": ("Sphinx 8.1.3 documentation", "Sphinx v8.2 documentation"),
    "Javadoc": ("Object (Java SE 17 & JDK 17)", "Object (Java SE 18 & JDK 18)"),
    "Doxygen": ("Kettle 1.0: Pot Class Reference", "Kettle 1.0.1-rc.2: Pot Class Reference"),
    "Hexo": ("Archives: 2026 | Kettle", "Archives: 2026 | Samovar"),
    "three parts": ("Brew · Tea — Kettle", "Brew · Tea — Samovar"),
}


@pytest.mark.parametrize("heading", ["", "<h1>Another heading</h1>", "<h2>Archives: 2026</h2>"])
@pytest.mark.parametrize(("old", "new"), RELEASES.values(), ids=RELEASES)
def test_a_release_or_a_new_name_of_the_site_is_no_change_of_a_page(
    heading: str, old: str, new: str
) -> None:
    page = "<title>{}</title><main>" + heading
    assert digest(page.format(old).encode(), RULE) == digest(page.format(new).encode(), RULE)


SITES = {
    "metadata": "<meta property='og:site_name' content='{0}'></head><main>",
    "a heading of the header": "</head><header><h1>{0}</h1></header><main>",
    "a heading of a header in a page without main part": "</head><header><h1>{0}</h1></header><div>",
    "the first link": "</head><nav><a href=/>{0}</a><a href=/b/>Archives</a></nav><main>",
}


@pytest.mark.parametrize("named", SITES.values(), ids=SITES)
def test_the_title_of_a_home_page_is_the_name_that_the_site_gives_itself(named: str) -> None:
    page = "<head><title>{0}</title>" + named + "text"
    assert digest(page.format("Kettle").encode(), RULE) == digest(
        page.format("Samovar").encode(), RULE
    )


def test_the_name_of_the_site_may_come_first() -> None:
    page = "<head><title>{0} | {1}</title><meta property='og:site_name' content='{0}'></head><main>text"
    assert digest(page.format("Kettle", "Tea").encode(), RULE) == digest(
        page.format("Samovar", "Tea").encode(), RULE
    )
    assert digest(page.format("Kettle", "Tea").encode(), RULE) != digest(
        page.format("Kettle", "Pot").encode(), RULE
    )


@pytest.mark.parametrize(
    "title", ["Tea — Kettle 1.0", "Tea (Kettle)", "Tea", "Tea: Kettle 1.0", "Tea?"]
)
def test_what_a_title_says_of_its_page_counts(title: str) -> None:
    page = "<title>{}</title><main><h1>Heading</h1>"
    other = title.replace("Tea", "Green tea")
    assert digest(page.format(title).encode(), RULE) != digest(page.format(other).encode(), RULE)


def test_a_release_in_the_text_counts() -> None:
    page = "<title>Tea</title><main><h1>Tea</h1>New in {}"
    assert digest(page.format("1.0").encode(), RULE) != digest(page.format("1.1").encode(), RULE)


def test_doxygen_shows_the_release_above_each_page() -> None:
    page = "<title>Kettle: Pot</title><div id=titlearea><div id=projectname>Kettle&#160;<span>{}</span></div></div>text"
    assert digest(page.format("1.0").encode(), RULE) == digest(page.format("2.0").encode(), RULE)


@pytest.mark.parametrize(
    "name",
    ["p1.25wxdyiisdck6.png", "p1.0ey0-snw7yh7s.png", "p1.abcdefghijklm.png", "p1.3f9a2c10.png"],
)
def test_fingerprints_of_turbopack(name: str) -> None:
    text = '<main><img src="/v1.2/_next/static/media/{}">'
    assert digest(text.format(name).encode(), RULE) == digest(
        text.format("p1.0000000000000.png").encode(), RULE
    )
    assert digest(text.format(name).encode(), RULE) != digest(
        text.format(name.replace("p1", "p2")).encode(), RULE
    )


REFS = {
    "v2.11.12": "v2.11.13",
    "1.0": "2.0-rc.1",
    "23744cc": "77fb978",
    "0123456789abcdef0123456789abcdef01234567": "f123456789abcdef0123456789abcdef01234567",
}


@pytest.mark.parametrize(("old", "new"), REFS.items())
def test_links_into_a_repository_are_the_same_at_each_release(old: str, new: str) -> None:
    for kind in ("blob", "tree"):
        page = f"<main><a href='https://github.com/a/b/{kind}/{{}}/src/{{}}#L7'>source</a>"
        assert digest(page.format(old, "c.py").encode(), RULE) == digest(
            page.format(new, "c.py").encode(), RULE
        )
        assert digest(page.format(old, "c.py").encode(), RULE) != digest(
            page.format(old, "d.py").encode(), RULE
        )
        assert digest(page.format("main", "c.py").encode(), RULE) != digest(
            page.format("dev", "c.py").encode(), RULE
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [" (", "1.", "v1.1", " - ", "1", "( ", "/blob/1.1", "/tree/", "abcdef0"]
)
def test_a_long_title_and_link_take_no_long_time(text: str) -> None:
    page = "<title>{0}</title><main><a href='/blob/{0}'>x"
    assert_linear(lambda n: partial(digest, page.format(text * n).encode(), RULE), 100_000)


@pytest.mark.slow
def test_a_title_of_many_parts_takes_no_long_time() -> None:
    assert_linear(
        lambda n: partial(read_titles, LexborHTMLParser(f"<title>{' - a' * n}"), []), 20_000
    )


PIECES = [
    "<head>", "</head>", "<body>", "<title>A</title>", "<svg><title>B</title></svg>", "<title>", "</title>", "<h1>C</h1>",
    '<meta property="og:title" content="D">', "<META PROPERTY='og:title'>", '<meta property="OG:Title" content="E">',
    "<template>", "</template>", "<noscript>", "</noscript>", "text",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_the_titles_are_those_that_selectors_find(pieces: list[str]) -> None:
    tree = LexborHTMLParser("".join(pieces))
    nodes: list[LexborNode | None] = [*tree.tags("h1")[:3], tree.css_first("head title")]
    texts = [node.text() for node in nodes if node]
    meta = tree.css_first('meta[property="og:title"]')
    texts.append((meta.attributes.get("content") if meta else None) or "")
    parts = {words(part) for text in texts for part in _title_parts(text)}
    assert set(read_titles(tree, all_tags(tree).metas)) == parts - {""}
