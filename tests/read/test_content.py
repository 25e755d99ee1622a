"""What counts as a page's content, and what never does."""

from __future__ import annotations

import pytest
from selectolax.lexbor import SelectolaxError
from support.facts import digest

from sitemapper.read.content import make_rule

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
    "token in a form": ('value="abc"', 'value="xyz"'),
    "token in a link": ("/b/#part", "/b/?csrf_token=abc#part"),
    "fingerprint of an image": ("hero.8d21f0ab.png", "hero.0badcafe1.png"),
    "query of an image": ("ab.png", "ab.png?v=17"),
    "white space": ("<p>", "\n\n   <p>\n"),
    "minified": ("\n", ""),
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
    "a link to its source": ("<p>Some", '<a href="https://github.com/a/b/edit/main/docs/a.md">Edit this <b>page</b></a><p>Some'),
    "a permalink": ("Heading", 'Heading<a href="#heading">¶</a>'),
    "breadcrumbs": ("<p>Some", '<div class="breadcrumbs">Home / A</div><p>Some'),
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


def same(one: str, other: str) -> bool:
    """Whether the content of two pages is the same."""
    return digest(one.encode(), RULE) == digest(other.encode(), RULE)


@pytest.mark.parametrize("page", [PAGE, OLD_PAGE], ids=["main", "no main"])
@pytest.mark.parametrize(("old", "new"), INSIGNIFICANT.values(), ids=INSIGNIFICANT)
def test_what_differs_from_build_to_build_is_no_content(page: str, old: str, new: str) -> None:
    assert old in page
    assert same(page, page.replace(old, new))


@pytest.mark.parametrize(
    "page",
    [PAGE, OLD_PAGE.replace("<header><h1>", "<div><h1>").replace("</h1></header>", "</h1></div>")],
    ids=["main", "no main"],
)
@pytest.mark.parametrize(("old", "new"), SOMETHING.values(), ids=SOMETHING)
def test_what_readers_come_for_is_content(page: str, old: str, new: str) -> None:
    assert old in page
    assert not same(page, page.replace(old, new))


IMAGE = '<main><img src="/@">'
HEADED = "<title>@</title><main><h1>Heading</h1>"
NAMED = "<head><title>@</title><meta property='og:site_name' content='Kettle'></head><main>text"
REPOSITORY = "<main><a href='https://github.com/a/b/@'>source</a>"

# A page, texts for its @ that are one content, and texts that are each another one.
TEXTS: dict[str, tuple[str, list[str], list[str]]] = {
    "a title that only adds the site to the heading": ("<title>@</title><main><h1>Brew<a href='#brew'>#</a></h1>", ["Brew - Kettle", "Brew", "Brew — Tea (3.1.x)", "Tea | Brew"], ["Brewing", "Homebrew", "Tea"]),
    "a title with an empty heading": ("<title>@</title><main><h1></h1>", ["a"], ["b"]),
    "a title with a picture as heading": ("<title>@</title><main><h1><img src=x.png></h1>", ["a"], ["b"]),
    "fingerprint of a script": (IMAGE, ["app.js", "app.3f9a2c.js"], []),
    "fingerprint of webpack": (IMAGE, ["logo.png", "logo-2b7c1d3344556677889900aabbccddee.png"], []),
    "fingerprint of Astro": (IMAGE, ["_astro/hero.webp", "_astro/hero.BxY1d2eF_Z2abc.webp"], []),
    "fingerprint of Vite": (IMAGE, ["index.js", "index-DkXaaZQe.js"], []),
    "fingerprint behind .min": (IMAGE, ["style.min.css", "style.min.0123456789abcdef0123456789abcdef.css"], []),
    "fingerprint of Hugo": (IMAGE, ["sunset_320x0.jpg", "sunset_hu59e56ffff1bc1d8d122b1403d34e039f_90587_320x0.jpg"], []),
    "fingerprint of Gatsby": (IMAGE, ["static/x.jpg", "static/6d91c86c0fde632ba4cd01062fd9ccfa/x.jpg"], []),
    "fingerprint of Turbopack": (
        IMAGE.replace("@", "v1.2/_next/static/media/@"),
        ["p1.0000000000000.png", "p1.25wxdyiisdck6.png", "p1.0ey0-snw7yh7s.png", "p1.abcdefghijklm.png", "p1.3f9a2c10.png"],
        ["p2.25wxdyiisdck6.png", "p2.0ey0-snw7yh7s.png", "p2.abcdefghijklm.png", "p2.3f9a2c10.png"],
    ),
    "a date": (IMAGE, ["photo-20240101.jpg"], ["photo.jpg"]),
    "a word": (IMAGE, ["team-Portrait.jpg"], ["team.jpg"]),
    "a short number": (IMAGE, ["report-3f9a2c.pdf"], ["report.pdf"]),
    "a letter": (IMAGE, ["b-c.svg"], ["b.svg"]),
    "a version": (IMAGE, ["v1.2.3.png"], ["v1.png"]),
    "a word of hexadecimal letters": (IMAGE, ["home-facade.png"], ["home.png"]),
    "the number of a picture": (IMAGE, ["a-IMG_0001.jpg"], ["a-IMG_0002.jpg"]),
    "the date of a picture": (IMAGE, ["a-x-20240101_final.png"], ["a-x-20250101_final.png"]),
    "a token behind other parameters": (
        "<main><a href='/x?a=1@'>x</a>",
        ["", "&token=1", "&auth_token=a%20b", "&csrfmiddlewaretoken=x", "?nonce=2"],
        ["&b=token", "&token", "&to-ken=1"],
    ),
    "the title of a home page that metadata names": ("<head><title>@</title><meta property='og:site_name' content='@'></head><main>text", ["Kettle", "Samovar"], []),
    "the title of a home page in its header": ("<head><title>@</title></head><header><h1>@</h1></header><main>text", ["Kettle", "Samovar"], []),
    "the title of a home page in its first link": ("<head><title>@</title></head><nav><a href=/>@</a><a href=/b/>Archives</a></nav><main>text", ["Kettle", "Samovar"], []),
    "the name of the site first": (NAMED, ["Kettle | Tea"], ["Kettle | Pot"]),
    "another name of the site first": ("<head><title>@ | Tea</title><meta property='og:site_name' content='@'></head><main>text", ["Kettle", "Samovar"], []),
    "a release in the text": ("<title>Tea</title><main><h1>Tea</h1>New in @", ["1.0"], ["1.1"]),
    "the release that Doxygen shows above each page": ("<title>Kettle: Pot</title><div id=titlearea><div id=projectname>Kettle&#160;<span>@</span></div></div>text", ["1.0", "2.0"], []),
    "a page before the site and its release": (HEADED, ["Tea — Kettle 1.0"], ["Green tea — Kettle 1.0"]),
    "a page before the site in brackets": (HEADED, ["Tea (Kettle)"], ["Green tea (Kettle)"]),
    "a page alone": (HEADED, ["Tea"], ["Green tea"]),
}  # fmt: skip
# Titles, with a heading that does not repeat them, and the same of another release or site.
RELEASES = {
    "Sphinx": ["sphinx.addnodes — Sphinx 8.1.3 documentation", "sphinx.addnodes — Sphinx 8.2.0+ documentation"],
    "a page without parts": ["Sphinx 8.1.3 documentation", "Sphinx v8.2 documentation"],
    "Javadoc": ["Object (Java SE 17 & JDK 17)", "Object (Java SE 18 & JDK 18)"],
    "Doxygen": ["Kettle 1.0: Pot Class Reference", "Kettle 1.0.1-rc.2: Pot Class Reference"],
    "Hexo": ["Archives: 2026 | Kettle", "Archives: 2026 | Samovar"],
    "three parts": ["Brew · Tea — Kettle", "Brew · Tea — Samovar"],
}  # fmt: skip
for name, titles in RELEASES.items():
    for heading in ("", "<h1>Another heading</h1>", "<h2>Archives: 2026</h2>"):
        page = f"<title>@</title><main>{heading}"
        TEXTS[f"a release in a title of {name} {heading}"] = (page, titles, [])
# Links into a repository are the same at each release, not in each branch.
for old, new in {
    "v2.11.12": "v2.11.13",
    "1.0": "2.0-rc.1",
    "23744cc": "77fb978",
    "0123456789abcdef0123456789abcdef01234567": "f123456789abcdef0123456789abcdef01234567",
}.items():
    for kind in ("blob", "tree"):
        released = [f"{kind}/{ref}/src/c.py#L7" for ref in (old, new)]
        others = [
            f"{kind}/{old}/src/d.py#L7",
            f"{kind}/main/src/c.py#L7",
            f"{kind}/dev/src/c.py#L7",
        ]
        TEXTS[f"a {kind} of {old}"] = (REPOSITORY, released, others)


@pytest.mark.parametrize(("page", "alike", "others"), TEXTS.values(), ids=TEXTS)
def test_which_texts_are_another_content(page: str, alike: list[str], others: list[str]) -> None:
    digests = {digest(page.replace("@", text).encode(), RULE) for text in alike}
    assert len(digests) == 1
    changed = {digest(page.replace("@", text).encode(), RULE) for text in others}
    assert not digests & changed


def test_the_mark_names_the_rule() -> None:
    assert digest(b"x", RULE)[:5] == f"{RULE.fingerprint}-"
    assert make_rule([".a"]).fingerprint != RULE.fingerprint
    assert make_rule([".a", ".b"]).fingerprint != make_rule([".a, .b"]).fingerprint


def test_one_selector_does_not_swallow_the_next() -> None:
    for first in ('[a="b', "p /*", "b\\"):
        try:
            digests = {digest(b"<main>text<i>%d</i>" % n, make_rule([first, "i"])) for n in (1, 2)}
        except SelectolaxError:  # then the configuration is refused
            continue
        assert len(digests) == 1


@pytest.mark.parametrize("around", ["<p>{}</p>", "<nav>{}</nav>", "<button>{}</button>"])
def test_the_title_of_a_drawing_is_not_the_title_of_the_page(around: str) -> None:
    """It is freed with what surrounds it, so reading it as a title reads freed memory."""
    drawing = around.format("<svg><title>menu</title></svg>")
    named = f"<head><title>Tea</title></head><main>{drawing}text</main>"
    plain = named.replace("Tea", "")
    assert same(named.replace("<title>Tea</title>", ""), plain)
    assert not same(named, plain)
