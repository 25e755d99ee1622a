"""What counts as a page's content, and what never does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapper.lastmod.content import digest, rule

RULE = rule([])
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

NOTHING = {
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
@pytest.mark.parametrize(("old", "new"), NOTHING.values(), ids=NOTHING)
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
def test_a_title_that_only_adds_the_site_to_the_heading_says_nothing_new(title: str, adds: str) -> None:
    text = "<title>{}</title><main><h1>Brew<a href='#brew'>#</a></h1>"
    same = digest(text.format(title).encode(), RULE) == digest(text.format("Brew - Kettle").encode(), RULE)
    assert same is (adds == "nothing")


def test_a_title_counts_where_the_heading_is_empty_or_missing() -> None:
    for heading in ("", "<h1></h1>", "<h1><img src=x.png></h1>"):
        text = "<title>{}</title><main>" + heading
        assert digest(text.format("a").encode(), RULE) != digest(text.format("b").encode(), RULE)


@pytest.mark.parametrize("name", ["footer", "sidebar", "header"])
def test_old_pages_name_what_surrounds_their_text(name: str) -> None:
    for attribute in ("class", "id"):
        text = f'<body><p>text</p><div {attribute}="{name}">{{}}</div>'
        assert digest(text.format(1).encode(), RULE) == digest(text.format(2).encode(), RULE)
        inside = f'<body><main><div {attribute}="{name}">{{}}</div></main>'
        assert digest(inside.format(1).encode(), RULE) != digest(inside.format(2).encode(), RULE)


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
    assert digest(b"x", RULE)[:5] == f"{RULE.mark}-"
    assert rule([".a"]).mark != RULE.mark
    assert rule([".a", ".b"]).mark != rule([".a, .b"]).mark


@given(
    st.binary(max_size=200)
    | st.text("<>/=\"' navfootermainsciptheadelmd\x00é", max_size=200).map(lambda t: t.encode())
)
def test_no_page_raises(data: bytes) -> None:
    assert digest(data, rule(["main", "nav > a", "body"])) == digest(data, rule(["main", "nav > a", "body"]))


def test_nested_surroundings_and_a_main_part_that_is_dropped() -> None:
    nested = (
        "<main>"
        + "<nav><footer><aside role=search>" * 50
        + "x"
        + "</aside></footer></nav>" * 50
        + "text</main>"
    )
    assert digest(nested.encode(), RULE) == digest(b"<main>text</main>", RULE)
    digest(nested.encode(), rule(["main", "nav", "*"]))
