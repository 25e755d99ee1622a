"""Reading pages: what each says of itself, what counts as its content, and who reads it."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import POSIX
from support.laws import examples, own_folder

from sitemapper.config.load import Config
from sitemapper.config.model import Ledger, Respect, Settings
from sitemapper.messages import QUIET
from sitemapper.model import NO_FACTS, Facts, Found, Origin, OwnUrl, Page, Run
from sitemapper.read import Read, links_of, read, wanted

CORPUS = Path(__file__).parents[1] / "data/corpus/pages"
NOTHING: dict[str, Any] = {
    "base_url": "https://x.example/",
    "url_style": "clean",
    "lastmod": ("mtime",),
    "respect": Respect(noindex=False, canonical=False, refresh=False, robots=False),
}
LEDGER = {**NOTHING, "lastmod": ("ledger",)}


def found_in(
    folder: Path, ledger: str | None = None, drop: tuple[str, ...] = (), **values: Any
) -> Found:
    config = Config(Settings(ledger=Ledger(drop=drop), **values), None, {}, (), ())
    place = str(folder)
    return Found(config, place, place, None, (), (), ledger, Origin("SITE"))


def read_all(
    folder: Path, files: dict[str, str | bytes], run: Run | None = None, **values: Any
) -> Read:
    """What the pages of a site say, in the order of the dict."""
    pages = []
    for name, text in files.items():
        path = folder / os.fsdecode(os.fsencode(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        path.write_bytes(data)
        pages.append(Page(name, path.stat().st_mtime_ns))
    run = run or Run(str(folder), {}, jobs=1)
    return read(pages, found_in(folder, **values), run, QUIET)


def facts(folder: Path, text: str | bytes, path: str = "a.html", **values: Any) -> Facts:
    """What one page says."""
    return read_all(folder, {path: text}, **values).facts[0]


def digests(folder: Path, texts: Sequence[str], path: str = "a.html", **values: Any) -> list[str]:
    """The digests of several texts of one page."""
    values = {**LEDGER, **values}
    made = [facts(folder, text, path, ledger="sitemapper.ledger", **values) for text in texts]
    return [one.digest or "" for one in made]


# --- what is asked for


@pytest.mark.parametrize(
    ("values", "ledger", "asked"),
    [
        (NOTHING, None, ""),
        ({**NOTHING, "base_url": None}, None, "signals canonical"),
        ({**NOTHING, "url_style": "auto"}, None, "signals canonical"),
        ({**NOTHING, "respect": Respect(canonical=False, refresh=False)}, None, "signals"),
        ({**NOTHING, "hreflang": True, "images": True}, None, "alternates images"),
        ({**NOTHING, "lastmod": ("page",)}, None, "date"),
        ({**NOTHING, "lastmod": ("git",)}, None, "text"),
        ({**NOTHING, "lastmod": ("auto",)}, "x", "text digest"),
        (LEDGER, "x", "digest"),
    ],
)  # fmt: skip
def test_no_more_is_read_than_the_build_needs(
    tmp_path: Path, values: dict[str, Any], ledger: str | None, asked: str
) -> None:
    (tmp_path / ".git").mkdir()
    options = wanted(found_in(tmp_path, ledger, **values))
    assert " ".join(name for name, is_wanted in options._asdict().items() if is_wanted) == asked
    missing = Page("gone.html", 0)
    facts = read([missing], found_in(tmp_path, ledger, **values), Run("", {}), QUIET).facts[0]
    assert (facts is NO_FACTS) == (asked == "")


def test_text_is_read_only_where_a_repository_may_date_it(tmp_path: Path) -> None:
    assert not wanted(found_in(tmp_path, **NOTHING | {"lastmod": ("auto",)})).text


# --- signals

ROBOTS = '<meta name="robots" content="noindex">'
NOINDEX = ("robots", "noindex")


def page(head: str, body: str = "<p>text") -> str:
    return f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>"


# The head of a page and its robots metas.
ROBOTS_IN_HEADS: list[tuple[str, tuple[tuple[str, str], ...]]] = [
    (ROBOTS, (NOINDEX,)),
    ("<meta content='NoIndex, follow' name='Robots'/>", (("Robots", "NoIndex, follow"),)),
    ('<meta name="googlebot-news" content="noindex">', ()),
    (f'<meta name="robots" content="index">{ROBOTS}', (NOINDEX,)),
    ('<meta name="googlebot" content="none">' + ROBOTS, (("googlebot", "none"), NOINDEX)),
    ('<meta name=robots content="unavailable_after: 2020-01-01">', (("robots", "unavailable_after: 2020-01-01"),)),
    ('<meta name="ro&#98;ots" content="no&#105;ndex">', (NOINDEX,)),
    ('<meta property="robots" content="noindex">', ()),
    ('<meta\nname\n=\n"robots"\ncontent\t=\t"noindex"\n>', (NOINDEX,)),
    ('<meta name="robots" name="x" content="noindex">', (NOINDEX,)),
    ('<meta name="x" name="robots" content="noindex">', ()),
    (f"<!-- {ROBOTS} -->", ()),
    (f"<!--> {ROBOTS} -->", (NOINDEX,)),
    (f"<script>var a = '{ROBOTS}'</script>", ()),
    (f"<script><!-- <script> </script> {ROBOTS} --></script>", ()),
    (f"<title>{ROBOTS}</title>", ()),
    (f"<noscript>{ROBOTS}</noscript>", (NOINDEX,)),
    (f"<template>{ROBOTS}</template>", ()),
    (f"<script>'</head>'</script>{ROBOTS}", (NOINDEX,)),
    ('<meta name="robots" content="noindex', ()),
]  # fmt: skip


@pytest.mark.parametrize(("head", "robots"), ROBOTS_IN_HEADS)
def test_robots_metas(tmp_path: Path, head: str, robots: tuple[tuple[str, str], ...]) -> None:
    assert facts(tmp_path, page(head)).robots == robots


@pytest.mark.parametrize(
    ("body", "is_noindex"),
    [
        (ROBOTS, True),
        ("<MeTa NaMe=robots content=noindex>", True),
        (f"<textarea>{ROBOTS}</textarea>", False),
        (f"<!-- {ROBOTS} -->", False),
        (f"<pre>&lt;meta name=robots&gt;</pre>{'x' * 70_000}{ROBOTS}", True),
        ('<meta itemprop="name" content="x">', False),
        ('<link rel="canonical" href="/other/">', False),
        ('<meta http-equiv="refresh" content="0;url=/other/">', False),
    ],
)
def test_robots_metas_count_in_the_body_too_and_nothing_else_does(
    tmp_path: Path, body: str, is_noindex: bool
) -> None:
    expected = Facts(robots=(NOINDEX,)) if is_noindex else NO_FACTS
    assert facts(tmp_path, page("<title>t</title>", body)) == expected


@pytest.mark.parametrize(
    ("head", "canonical"),
    [
        ('<link rel="canonical" href="/a/">', "/a/"),
        ('<link rel="alternate canonical" href=" /a/ ">', "/a/"),
        ('<link rel="canonical" href="/a/?b&copy=1">', "/a/?b&copy=1"),
        ('<link rel="canonical" href="">', None),
        ('<link rel="canonical" href="/a/" media="print">', None),
        ('<link rel="canonical" href="/a/" hreflang="de">', None),
        ('<link rel="canonical" href="/a/" type="text/html">', None),
        ('<link rel="canonical" href="/a/" data-type="x">', "/a/"),
        ('<link rel="noncanonical" href="/a/">', None),
        ('<link rel="canonical" href="/a/"><link rel="canonical" href="/a/">', "/a/"),
        ('<link rel="canonical" href="/a/"><link rel="canonical" href="/b/">', None),
        ('<noscript><link rel="canonical" href="/a/"></noscript>', "/a/"),
        ('<img src="x"><link rel="canonical" href="/a/">', None),
        ('</head><link rel="canonical" href="/a/"><head>', "/a/"),
        ('<a rel="canonical" href="/a/">', None),
        ('<link rel=canonical href="https://x.example/a"b>', OwnUrl("https://x.example/", "bare")),
        ('<meta ="canonical><link rel=canonical href=/a/>', "/a/"),
        ('<link rel=canonical href=https://x.example/docs/a.html>', OwnUrl("https://x.example/docs/", "file")),
        ('<link rel=canonical href="HTTPS://X.example:443/a/#b">', OwnUrl("https://x.example/", "slash")),
        ('<link rel=canonical href=https://x.example/b>', "https://x.example/b"),
        ('<link rel=canonical href="https://[x/a">', "https://[x/a"),
    ],
)  # fmt: skip
def test_canonical(tmp_path: Path, head: str, canonical: object) -> None:
    assert facts(tmp_path, page(head)).canonical == canonical


JAVADOC = "<script>window.location.replace('b/summary.html')</script>"
NOSCRIPT = '<noscript><meta http-equiv="Refresh" content="0;{}"></noscript>'


def refresh(content: str) -> str:
    quote = "'" if '"' in content else '"'
    return f"<meta http-equiv=Refresh content={quote}{content}{quote}>"


@pytest.mark.parametrize(
    ("head", "target"),
    [
        (refresh("0; url=/b/"), "/b/"),
        (refresh("0;URL='/b/'"), "/b/"),
        (refresh('5 ; Url = "/b/" and more'), "/b/"),
        (refresh("0;/b/"), "/b/"),
        (refresh("0,url=b.html"), "b.html"),
        (refresh(" 0.5 url=/b/"), "/b/"),
        (refresh("0;"), None),
        (refresh("soon; url=/b/"), None),
        (refresh("0; url=/b/;c=1"), "/b/;c=1"),
        (refresh("299; url=/b/"), "/b/"),
        (refresh("300; url=/news/"), None),
        (refresh("99999999999999999999; url=/b/"), None),
        (JAVADOC + NOSCRIPT.format("b/summary.html"), "b/summary.html"),
        (f"<script src=help.js></script>{NOSCRIPT.format('a.html')}", None),  # LibreOffice's help
        (JAVADOC + NOSCRIPT.format("/noscript/"), None),  # an app
        (NOSCRIPT.format("/a/") + refresh("0;/b/"), "/b/"),
    ],
)
def test_refresh(tmp_path: Path, head: str, target: str | None) -> None:
    for text in (page(head), page(head, ROBOTS)):  # from the head alone, and from the whole page
        assert facts(tmp_path, text).refresh == target


def test_base_alternates_and_address_of_the_home_page(tmp_path: Path) -> None:
    text = page(
        '<base href=""><base href="/b/"><base href="/c/"><link rel=alternate hreflang=de href=de/>'
        '<link rel="alternate" hreflang="x-default" href="./"><link rel=alternate type="application/rss+xml" href=x>'
        '<link rel=alternate type="application/rss+xml" hreflang=fr href=y><meta property="og:url" content=" https://x.example/ ">'
    )  # fmt: skip
    told = read_all(tmp_path, {"index.html": text, "a/index.html": text}, hreflang=True).facts
    alternates = (("de", "de/"), ("x-default", "./"))
    assert told[0] == Facts(base="/b/", alternates=alternates, og_url="https://x.example/")
    assert told[1] == Facts(base="/b/", alternates=alternates)
    assert told[0].alternates is told[1].alternates


def test_pages_that_say_the_same_share_what_they_say(tmp_path: Path) -> None:
    text = page('<link rel="canonical" href="https://x.example/docs/{}/">')
    files: dict[str, str | bytes] = {f"{n}/index.html": text.format(n) for n in range(9)}
    told = read_all(tmp_path, {**files, "x.html": page("")}).facts
    assert told[0].canonical == OwnUrl("https://x.example/docs/", "slash")
    assert all(one is told[0] for one in told[:9])
    assert told[9] is NO_FACTS


@pytest.mark.parametrize(
    "data",
    [
        page(ROBOTS).encode("utf-16"),
        page(f'<meta charset="utf-16">{ROBOTS}').encode(),
        page(f"\0{ROBOTS}").encode(),
        page("<title>\xff\xfe</title>" + ROBOTS).encode("latin-1"),
        ROBOTS.encode(),
        b"<?xml version='1.0'?>" + page(ROBOTS).encode(),
        b"\xef\xbb\xbf<!-- licence -->" + page(ROBOTS).encode(),
        page("<meta name=x>" * 20_000 + ROBOTS).encode(),
    ],
)
def test_odd_files_are_read_all_the_same(tmp_path: Path, data: bytes) -> None:
    assert facts(tmp_path, data).robots == (NOINDEX,)


XML = "a feed or other XML"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (b"", "an empty file"),
        (b" \n", "an empty file"),
        (b"<?xml version='1.0'?><!-- by x -->\n<RSS version='2.0'>", XML),
        (b"\xef\xbb\xbf<feed xmlns='http://www.w3.org/2005/Atom'>", XML),
        (b"<rdf:RDF>", XML),
        (b"<?xml version='1.0'?>\n<oembed><version>1.0</version></oembed>", XML),
        (b' {"tea": ["pot"]} ', "JSON"),
        (b"[]", "JSON"),
        (b'{% extends "base.html" %}', "a template"),
        (b"<li>{% if tea %}{{ tea }}{% endif %}</li>", "a template"),
        (b"<title>Jinja</title><code>{% if tea %}</code>", None),
        (b"{tea}", None),
        (b"[" * 100_000, None),
        (b"<p>A <rss> is no feed", None),
        (b"<feedback>", None),
        (b"OK", None),
        (page("").encode(), None),
    ],
)
def test_what_a_file_is_if_it_is_no_page(tmp_path: Path, text: bytes, kind: str | None) -> None:
    assert facts(tmp_path, text).kind == kind


# What files say that once ended a reader with a traceback, or were read wrongly.
SAID = {
    "address-of-no-host": "canonical http://[/, base http://[, refresh //[",
    "attribute-without-a-name": "canonical /a/",
    "base-before-body": "base /b/",
    "base-without-quotes": "base /b<body/",
    "canonical-beside-that-of-a-device": "canonical /tea/",
    "charset-utf-7": "robots (('robots', 'noindex'),)",
    "comment-that-ends-early": "robots (('robots', 'noindex'),)",
    "date-after-the-last-day": "date 9999-12-31T23:59:59-10:00",
    "date-that-hides-another": "date next week",
    "feed": "kind a feed or other XML",
    "noindex-behind-the-head": "robots (('googlebot', 'none'),)",
    "utf-16": "robots (('robots', 'noindex'),)",
}


def test_each_file_of_the_corpus_says_what_it_should(tmp_path: Path) -> None:
    said = {}
    for path in sorted(CORPUS.glob("*.html")):
        told = facts(tmp_path, path.read_bytes(), hreflang=True, lastmod=("page",))
        values = told._asdict().items()
        said[path.stem] = ", ".join(f"{name} {value}" for name, value in values if value)
    assert {name: text for name, text in said.items() if text} == SAID


# --- the quick reader of heads

PIECES = st.sampled_from(
    [
        ROBOTS, "<meta name=robots content=noindex>", '<link rel="canonical" href="/a/">', "<link rel=canonical href=/b>",
        "<title>", "</title>", "<script>", "</script>", "<style>", "</style>", "<!--", "-->", "--!>", "<!-->", "<noscript>",
        "</noscript>", "<template>", "</template>", "<head>", "</head>", "<body>", "</body>", "<html>", "<!doctype html>",
        '<meta http-equiv="refresh" content="0;url=/c">', '<base href="/d/">', '<base href="/f/" ', "<base href=/g", "<body/>", "<img>", "<p>", "text", " ", "\n", "<", ">",
        '"', "'", "=", "/", "&#114;obots", "&amp;", "\0", "é", "<meta charset=utf-8>", '<meta name="a" content="<b>">',
        '<meta ="x>', "<link a=b=c>", "<meta a='b\"c'>", "<script src=x></script>", "<script>a<b</script>", "<script>'<meta name=robots content=noindex>'</script>", "<!-- <base href=/j/> -->", "<svg>", "</svg>",
        '<link rel=alternate hreflang=de href=/de>', "<textarea>", "</textarea>", "<frameset>", "<?xml?>", "<title>t</title>",
        '<meta name="googlebot" content="none">', "<META NAME='ROBOTS' CONTENT='NONE'/>", "<link/rel=canonical/href=/e>",
        '<meta property="og:url" content="/h/">', '<meta property="og&colon;url" content=/i/>', "<meta\vname=robots content=noindex>",
    ]
)  # fmt: skip
HEADS = st.lists(PIECES, max_size=14).map("".join)
# As real generators write them: what decides there is in many tags that tell nothing.
REAL_HEADS = (
    '<!DOCTYPE html>\n<html lang="en" data-content_root="../">\n  <head>\n<meta charset="utf-8" />\n<meta name="viewport" content="width=device-width" /><meta name="description" content="It&#39;s a pot &gt; a kettle" />\n<title>Pots &#8212; Tea 1.0</title>\n<link rel="stylesheet" type="text/css" href="../_static/a.css?v=1" />\n<link rel="canonical" href="https://example.com/pots.html" />\n<script src="../_static/a.js?v=5"></script>\n<link rel="next" title="B &amp; C" href="b.html" />\n</head>',
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>tea::Pot - Rust</title><link rel="preload" as="font" type="font/woff2" crossorigin href="../a.woff2"><link rel="stylesheet" href="../light.css" id="mainThemeStyle"><script id="default-settings" ></script><noscript><link rel="stylesheet" href="../noscript.css"></noscript><link rel="alternate icon" type="image/png" href="../a.png"></head>',
    '<!doctype html><html class=no-js lang=de><head><meta charset=utf-8><link rel=canonical href=https://example.com/a/><link rel=alternate hreflang=en href=https://example.com/en/a/><meta name=robots content="max-image-preview:large"><meta name=googlebot content=noindex><base href=/b/><!--[if lt IE 9]><script src=h.js></script><![endif]--><style>a>b{c:"d"}</style><script>__md_scope=new URL("..",location),a<b&&c</script></head>',
    '<html>\r\n<head>\r\n<meta http-equiv="refresh" content="0; url=b.html">\r\n<title>Über</title>\r\n<link rel="alternate" type="application/rss+xml" href="feed.xml" hreflang="fr">\r\n<script type="application/ld+json">{"url": "https://example.com/<canonical>"}</script>\r\n<meta property="og:title" content="refresh robots">\r\n</head>\r\n',
)  # fmt: skip


def assert_read_as_by_the_parser(folder: Path, texts: Sequence[str | bytes]) -> None:
    """With images, each page is parsed whole; without, its head is read as quickly as can be."""
    files = {f"{n}/index.html": text for n, text in enumerate(["", *texts])}
    files["index.html"] = texts[0]
    quick = read_all(folder / "quick", files, hreflang=True)
    slow = read_all(folder / "slow", files, hreflang=True, images=True)
    for text, one, other in zip(files.values(), quick.facts, slow.facts, strict=True):
        assert one == other._replace(images=()), text


@settings(max_examples=examples(150, 3_000))
@given(st.lists(st.tuples(HEADS, HEADS), min_size=1, max_size=8))
def test_the_head_alone_never_disagrees_with_the_parser(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    texts = [page(head, body) for head, body in pairs] + [head for head, _ in pairs]
    assert_read_as_by_the_parser(own_folder(tmp_path_factory, "heads"), texts)


@pytest.mark.slow
def test_mutated_heads_are_read_as_the_parser_reads_them(tmp_path: Path) -> None:
    rng = random.Random(24)
    texts: list[str | bytes] = []
    for _ in range(examples(2_000, 50_000)):
        head = rng.choice(REAL_HEADS)
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(head))
            piece = rng.choice(("", rng.choice(PIECES.elements)))
            head = head[:at] + piece + head[at + rng.choice((0, 0, 1, 9)) :]
        data = f"{head}<body><p>text</body></html>".encode()
        if rng.random() < 0.3:
            data = data.replace(
                b"utf-8", rng.choice((b"shift_jis", b"gb18030", b"big5", b"koi8-r"))
            )
            for _ in range(9):
                at = rng.randrange(len(data))
                data = data[:at] + bytes([rng.randrange(128, 256)]) + data[at:]
        texts.append(data)
    assert_read_as_by_the_parser(tmp_path, texts)


EVERYTHING: dict[str, Any] = {"hreflang": True, "images": True, "lastmod": ("page", "ledger")}


@settings(max_examples=examples(150, 3_000))
@example([b"", b"\0", b"<", b"<!--", b"<html><head>", b"\xff\xfe", b"%PDF-1.7\n\x00\x01", b"[" * 9])
@given(
    st.lists(
        st.binary(max_size=200)
        | HEADS.map(str.encode)
        | st.text("<>/=\"' navfootermainsciptheadelmd\x00é", max_size=200).map(str.encode),
        min_size=1,
        max_size=8,
    )
)
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, pages: list[bytes]) -> None:
    folder = own_folder(tmp_path_factory, "bytes")
    files: dict[str, str | bytes] = {f"{n}.html": data for n, data in enumerate(pages)}
    values = {**EVERYTHING, "ledger": "x", "drop": ("main", "nav > a", "body")}
    assert read_all(folder, files, **values) == read_all(folder, files, **values)
    links_of(str(folder), "0.html")


# --- dates


def linked(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script>'


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ('<meta property="article:modified_time" content="2024-03-01T10:00:00Z">', "2024-03-01T10:00:00Z"),
        ("<META CONTENT=2024-03-01 NAME=Last-Modified>", "2024-03-01"),
        ('<meta name="dcterms.modified" content="2024-03">', "2024-03"),
        ('<meta name="date" content="March 1, 2024">', "March 1, 2024"),
        (linked('{"dateModified": "2024-03-01"}'), "2024-03-01"),
        (linked('[{"@type": "X"}, {"dateModified": "2024-03-01"}]'), "2024-03-01"),
        (linked('{"@graph": [{"@type": "WebSite"}, {"dateModified": "2024-03-01"}]}'), "2024-03-01"),
        (linked('{"author": {"dateModified": "2024-03-01"}}'), None),
        (linked('{"dateModified": '), None),
        (linked('{"dateModified": 20240301}'), None),
        (linked("[" * 5000 + '"dateModified"'), None),
        ('<body><time itemprop="dateModified" datetime="2024-03-01">yesterday</time>', "2024-03-01"),
        ("<body><time itemprop='datePublished dateModified'>2024-03-01</time>", "2024-03-01"),
        ('<meta property="article:published_time" content="2024-03-01">', None),
        ('<!-- <meta name="date" content="2024-03-01"> -->', None),
        ('<meta name="date" content="">', None),
        ('<meta name="date" content="2023-01-01"><meta property="article:modified_time" content="2024-03-01">', "2024-03-01"),
        ('<meta name="date" content="soon">', "soon"),
    ],
)  # fmt: skip
def test_dates_that_pages_state(tmp_path: Path, head: str, date: str | None) -> None:
    text = f"<!doctype html><html><head>{head}"
    assert facts(tmp_path, text, lastmod=("page",)).date == date


# --- content

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
OLD_PAGE = OLD_PAGE.replace("<header><h1>", "<div><h1>").replace("</h1></header>", "</h1></div>")

INSIGNIFICANT = {
    "header of the site": ("Site <a", "Our site <a"),
    "navigation": ("</nav>", '<a href="/new/">New</a></nav>'),
    "footer": ("2026, built", "2027, built"),
    "aside": ("related", "other things"),
    "script": ("</head>", '<script>track("1")</script></head>'),
    "script in the text": ("<img", "<script>x()</script><style>p{}</style><img"),
    "comment": ("<p>Some", "<!-- built 10:00 --><p>Some"),
    "generator": ("Hugo 0.120\"", "Hugo 0.121\""),
    "token in a form": ('value="abc"', 'value="xyz"'),
    "fingerprint of an image": ("hero.8d21f0ab.png", "hero.0badcafe1.png"),
    "query of an image": ("ab.png", "ab.png?v=17"),
    "white space": ("<p>", "\n\n   <p>\n"),
    "minified": ("\n", ""),
    "an id": ("m-123", "m-456"),
    "a fragment": ("#part", "#other-part"),
    "markup around words": ("Some text", "<b>Some</b> <i>text</i>"),
    "words for a time": ("3 days ago", "4 days ago"),
    "date of the build in JSON-LD": ("2026-01-01\"}", "2026-02-01\"}"),
    "role": ("<aside>related</aside>", '<div role="navigation">menu</div><aside>x</aside>'),
    "a button": ("<p>Some", "<button>copy</button><p>Some"),
    "what is hidden": ("<p>Some", "<form hidden>Was this helpful?</form><p>Some"),
    "a link to edit the page": ("<p>Some", '<a rel="edit" href="/edit/17">edit</a><p>Some'),
    "a link to its source": ("<p>Some", '<a href="https://github.com/a/b/edit/main/docs/a.md">Edit this <b>page</b></a><p>Some'),
    "a permalink": ("Heading", 'Heading<a href="#heading">¶</a>'),
    "breadcrumbs": ("<p>Some", '<div class="breadcrumbs">Home / A</div><p>Some'),
    "neighbours": ("<aside>related</aside>", '<a rel="prev" href="/p/">before</a><a rel="next nofollow" href="/n/">after</a>'),
}  # fmt: skip
SIGNIFICANT = {
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


@pytest.mark.parametrize("text", [PAGE, OLD_PAGE], ids=["main", "no main"])
@pytest.mark.parametrize("name", [*INSIGNIFICANT, *SIGNIFICANT])
def test_what_is_significant_in_a_page(tmp_path: Path, text: str, name: str) -> None:
    old, new = {**INSIGNIFICANT, **SIGNIFICANT}[name]
    assert old in text
    before, after = digests(tmp_path, [text, text.replace(old, new)])
    assert (before == after) is (name in INSIGNIFICANT)


IMAGE = '<main><img src="/@">'
HEADED = "<title>@</title><main><h1>Heading</h1>"
REPOSITORY = "<main><a href='https://github.com/a/b/@'>source</a>"
TITLED = "<title>@</title><main>"

# A page, texts for its @ that are one content, and texts that are each another one.
TEXTS: dict[str, tuple[str, list[str], list[str]]] = {
    "a title that only adds the site to the heading": ("<title>@</title><main><h1>Brew<a href='#brew'>#</a></h1>", ["Brew - Kettle", "Brew", "Brew — Tea (3.1.x)", "Tea | Brew"], ["Brewing", "Homebrew", "Tea"]),
    "a title with an empty heading": ("<title>@</title><main><h1></h1>", ["a"], ["b"]),
    "fingerprint of a name": (IMAGE, ["app.png", "app.3f9a2c.png"], []),
    "fingerprint of webpack": (IMAGE, ["logo.png", "logo-2b7c1d3344556677889900aabbccddee.png"], []),
    "fingerprint of Astro": (IMAGE, ["_astro/hero.webp", "_astro/hero.BxY1d2eF_Z2abc.webp"], []),
    "fingerprint of Vite": (IMAGE, ["index.png", "index-DkXaaZQe.png"], []),
    "fingerprint of Hugo": (IMAGE, ["sunset_320x0.jpg", "sunset_hu59e56ffff1bc1d8d122b1403d34e039f_90587_320x0.jpg"], []),
    "fingerprint of Gatsby": (IMAGE, ["static/x.jpg", "static/6d91c86c0fde632ba4cd01062fd9ccfa/x.jpg"], []),
    "fingerprint of Turbopack": (IMAGE.replace("@", "v1.2/_next/static/media/@"), ["p1.0000000000000.png", "p1.25wxdyiisdck6.png", "p1.3f9a2c10.png"], ["p2.25wxdyiisdck6.png"]),
    "a date": (IMAGE, ["photo-20240101.jpg"], ["photo.jpg"]),
    "a word": (IMAGE, ["team-Portrait.jpg"], ["team.jpg"]),
    "a short number": (IMAGE, ["report-3f9a2c.pdf"], ["report.pdf"]),
    "a word of hexadecimal letters": (IMAGE, ["home-facade.png"], ["home.png"]),
    "the number of a picture": (IMAGE, ["a-IMG_0001.jpg"], ["a-IMG_0002.jpg"]),
    "a release in the text": ("<title>Tea</title><main><h1>Tea</h1>New in @", ["1.0"], ["1.1"]),
    "a release in a heading": ("<title>News of tea</title><main><h1>Kettle @</h1>text", ["1.9"], ["1.11"]),
    "a page before the site and its release": (HEADED, ["Tea — Kettle 1.0"], ["Green tea — Kettle 1.0"]),
    "a page before the site in brackets": (HEADED, ["Tea (Kettle)"], ["Green tea (Kettle)"]),
    "a page alone": (HEADED, ["Tea"], ["Green tea"]),
    "a release in a title of Sphinx": (TITLED, ["sphinx.addnodes — Sphinx 8.1.3 documentation", "sphinx.addnodes — Sphinx 8.2.0+ documentation"], []),
    "a release in a title of Javadoc": (TITLED, ["Object (Java SE 17 & JDK 17)", "Object (Java SE 18 & JDK 18)"], []),
    "a release in a title of Doxygen": (TITLED, ["Kettle 1.0: Pot Class Reference", "Kettle 1.0.1-rc.2: Pot Class Reference"], []),
    "a release in a repository": (REPOSITORY, ["blob/v2.11.12/src/c.py#L7", "blob/v2.11.13/src/c.py#L8"], ["blob/v2.11.12/src/d.py", "blob/main/src/c.py"]),
    "a commit in a repository": (REPOSITORY, ["tree/23744cc/src", "tree/77fb978/src"], ["tree/dev/src"]),
    # What a theme shows on all pages, and changes with a release or with another page.
    "Rspress": ('<div class="rp-nav"><a href="/@/">@</a></div><p>text', ["1", "2"], []),
    "Haddock": ('<div id="package-header"><span>base-@</span></div><h1>Data.List</h1>text', ["1", "2"], []),
    "Doxygen": ("<title>Kettle: Pot</title><div id=titlearea><div id=projectname>Kettle <span>@</span></div></div>text", ["1.0", "2.0"], []),
    "pdoc": ('<main><a class="git" href="https://github.com/a/b/tree/@/c@.py">Edit on GitHub</a>text</main>', ["1", "2"], []),
    "vitess": ('<main><div class="docs-sidebar"><h2>In @</h2></div><h1>A</h1>text</main>', ["1", "2"], []),
    "Docusaurus": ('<main><div class="theme-doc-toc-mobile toc_X">@</div>text</main>', ["1", "2"], []),
    "a trail": ('<main><ul class="breadcrumb-list"><li>@</ul>text</main>', ["1", "2"], []),
    "a sidebar in an old page": ('<body><p>text</p><div id="sidebar">@</div>', ["1", "2"], []),
    # What only has such a name is content.
    "a frame of the whole page": ('<main><div class="has-sidebar">@</div></main>', ["1"], ["2"]),
    "a part beside a sidebar": ('<main><div class="content sidebar-right">@</div></main>', ["1"], ["2"]),
    "the heading of the page": ('<main><div class="toc"><h1>Pots</h1>@</div></main>', ["1"], ["2"]),
    "other words": ('<main><div class="stocks protocol">@</div></main>', ["1"], ["2"]),
    "a link of the text": ('<a href="https://github.com/a/b/blob/main/pot-@.py">The pot</a>', ["1"], ["2"]),
    "a link of the site": ('<a href="/view/@/">View the pots</a>', ["1"], ["2"]),
    "the header of an article": ("<article><header>@</header></article>", ["1"], ["2"]),
    "the title of a drawing": ("<head><title>Tea</title></head><main><svg><title>@</title></svg>text", ["1"], ["2"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_which_texts_are_another_content(tmp_path: Path, name: str) -> None:
    text, alike, others = TEXTS[name]
    same = set(digests(tmp_path, [text.replace("@", one) for one in alike]))
    assert len(same) == 1
    assert not same & set(digests(tmp_path, [text.replace("@", one) for one in others]))


NAMES = ("apple", "banana", "cherry")
FOLDER, FLAT, OTHER = "docs/apple/index.html", "docs/apple.html", "docs/x/index.html"


def menu(form: str, *more: str) -> str:
    hrefs = [*(form.format(name) for name in NAMES), *more]
    return "".join(f"<li><a href='{href}'>{href}</a></li>" for href in hrefs)


@pytest.mark.parametrize(
    ("path", "form", "is_menu"),
    [
        (FOLDER, "/docs/{}/", True),
        (FOLDER, "/base/docs/{}/index.html", True),
        (FOLDER, "https://example.com/docs/{}/", True),
        (FOLDER, "../{}/", True),
        (FLAT, "{}.html", True),
        (FLAT, "/docs/{}.html", True),
        ("docs/apple pie.html", "/docs/{}%20pie", True),
        ("docs/apple\udce9.html", "/docs/{}%E9.html", True),
        (OTHER, "/docs/{}/", False),  # another page, such as an index of these
        (FOLDER, "/docs/apple/#{}", False),  # a table of contents
        (FOLDER, "/docs/pine{}/", False),
    ],
)
def test_a_list_that_leads_to_the_page_itself_is_a_menu_of_the_theme(
    tmp_path: Path, path: str, form: str, is_menu: bool
) -> None:
    for around in ("<ul>{}</ul>", "<ul><li>Fruit<ul>{}</ul></li></ul>"):
        text = f"<main><h1>A</h1>{around}<p>Text.</main>"
        texts = [text.format(menu(form)), text.format(menu(form, form.format("date")))]
        before, after = digests(tmp_path, texts, path)
        assert (before == after) is is_menu


def test_selectors_to_drop(tmp_path: Path) -> None:
    texts = ["<main>Tea<i class=hits>1</i></main>", "<main>Tea<i class=hits>2</i></main>"]
    kept = digests(tmp_path, texts)
    dropped = digests(tmp_path, texts, drop=(".none", ".hits"))
    assert kept[0] != kept[1]
    assert dropped[0] == dropped[1]
    assert {len(one) for one in kept + dropped} == {21}
    assert kept[0][:5] != dropped[0][:5]  # the rule, whose digests cannot be compared


def test_files_that_are_no_html_are_opened_only_for_a_digest(tmp_path: Path) -> None:
    assert facts(tmp_path, ROBOTS, "a.pdf") is NO_FACTS
    one, other = digests(tmp_path, ["1", "2"], "a.pdf")
    assert one != other


@pytest.mark.parametrize(
    ("text", "title", "h1", "length"),
    [
        ("<head><title> Tea\n &amp; pots</title></head><h1>Tea <i>pots</i></h1><p>Hot.", "Tea & pots", "Tea pots", 12),
        ("<header><h1>Lindenhof</h1></header><main><h1>Tea</h1>x</main>", "", "Tea", 4),
        ("<body><header><h1>Tea</h1></header>text", "", "Tea", 4),
        ("<nav>Menu</nav><main>a \n\n b<b>\tc</b>é<aside>d</aside></main>", "", "", 7),
        ("<svg><title>A drawing</title></svg>", "", "", 9),
        ("", "", "", 0),
    ],
)  # fmt: skip
def test_titles_and_the_length_of_the_text(
    tmp_path: Path, text: str, title: str, h1: str, length: int
) -> None:
    (tmp_path / ".git").mkdir()
    told = facts(tmp_path, text)
    assert (told.title, told.h1, told.text_length) == (title, h1, length)


@pytest.mark.parametrize(
    ("text", "images"),
    [
        ("<img src=a.png><img src=' /b.png '><img src=a.png>", "a.png /b.png"),
        ("<nav><img src=a.png></nav><main><img src=b.png><aside><img src=c.png></aside></main>", "b.png"),
        ("<img src=data:image/gif;base64,AA><img src='#a'><img src=''><img><image src=HTTP://x/a.png>", "HTTP://x/a.png"),
        ("<img src=s.png srcset='m.png 640w, l.png 1280w, s.png 320w'>", "s.png"),
        ("<img src=data:,x srcset='m.png 640w, l.png 1280w'>", "m.png"),
        ("<img srcset=' f_auto,w_100/a.png 100w,f_auto,w_200/a.png 200w'>", "f_auto,w_100/a.png"),
        ("<img src=s.png srcset='data:image/gif;base64,AA 5x'>", "s.png"),
        ("<img srcset=',,, ,'><img srcset='a.png'>", "a.png"),
        ("<picture><source srcset='a.webp 2x'><img src=a.png></picture>", "a.png"),
        ("<p><template><img src=a.png></template><noscript><img src=b.png></noscript>", ""),
    ],
)  # fmt: skip
def test_images_of_the_main_part(tmp_path: Path, text: str, images: str) -> None:
    assert " ".join(facts(tmp_path, text, images=True).images) == images


def test_no_more_images_than_the_protocol_allows(tmp_path: Path) -> None:
    text = "".join(f"<img src={n}.png>" for n in range(1_001))
    assert len(facts(tmp_path, text, images=True).images) == 1_000


def test_links_as_written(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<nav><a href=' ../b/ '>B</a><a>no</a></nav><!-- <a href=x> --><a href='c.html#d'>C"
    )
    assert links_of(str(tmp_path), "a.html") == ("../b/", "c.html#d")
    assert links_of(str(tmp_path), "gone.html") == ()


# --- files that cannot be read


@POSIX
def test_what_cannot_be_read_is_said_once_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.html").mkdir()
    os.symlink("d.html", tmp_path / "d.html")
    os.mkfifo(tmp_path / "e.html")  # since the walk; nobody writes to it
    name = os.fsdecode(b"\xff.html")
    (tmp_path / name).write_text(ROBOTS)
    pages = [Page(path, 0) for path in ("a.html", "b.html", "c.html", "d.html", "e.html", name)]
    told, [message] = read(pages, found_in(tmp_path), Run("", {}), QUIET)
    assert [one.error for one in told] == [
        "not a regular file",
        "No such file or directory",
        "No such file or directory",
        "Too many levels of symbolic links",
        "not a regular file",
        None,
    ]
    assert told[5].robots == (NOINDEX,)
    assert message.severity == "warning"
    assert message.text == (
        "5 pages cannot be read and so are not listed: a.html (not a regular file), "
        "b.html (No such file or directory), c.html (No such file or directory) and 2 more"
    )


def test_a_page_that_grew_after_the_walk_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"<p>{'x' * 99_999}{ROBOTS}")
    [one] = read([Page("a.html", 0)], found_in(tmp_path), Run("", {}), QUIET).facts
    assert one.robots == (NOINDEX,)
