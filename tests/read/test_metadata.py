"""What a page says about itself, read like an HTML5 parser, quickly where that can be proved."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import hostile
from support.cost import assert_linear
from support.facts import head_tags, interpret, page_date
from support.facts import read_metadata as parse
from support.laws import examples

from sitemapper.model import Metadata
from sitemapper.syntax.html import all_tags, parse_tree

ROBOTS = '<meta name="robots" content="noindex">'


def page(inside: str, body: str = "<p>text", *, before: str = "<!doctype html>") -> bytes:
    return f"{before}<html lang=en><head>{inside}</head><body>{body}</body></html>".encode()


def noindex(data: bytes) -> bool:
    return "noindex" in parse(data).signals


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (ROBOTS, True),
        ("<meta content='NoIndex, follow' name='Robots'/>", True),
        ('<meta name="googlebot-news" content="noindex">', False),
        ('<meta name="robots" content="index"><meta name="robots" content="noindex">', True),
        ('<meta name="ro&#98;ots" content="no&#105;ndex">', True),
        ('<meta property="robots" content="noindex">', False),
        ('<meta\nname\n=\n"robots"\ncontent\t=\t"noindex"\n>', True),
        ('<meta name="robots" name="x" content="noindex">', True),
        ('<meta name="x" name="robots" content="noindex">', False),
        (f"<!-- {ROBOTS} -->", False),
        (f"<!--> {ROBOTS} -->", True),
        (f"<script>var a = '{ROBOTS}'</script>", False),
        (f"<script><!-- <script> </script> {ROBOTS} --></script>", False),
        (f"<title>{ROBOTS}</title>", False),
        (f"<noscript>{ROBOTS}</noscript>", True),
        (f"<template>{ROBOTS}</template>", False),
        (f"<script>'</head>'</script>{ROBOTS}", True),
        ('<meta name="robots" content="noindex', False),
    ],
)  # fmt: skip
def test_robots_metas(inside: str, expected: bool) -> None:
    assert noindex(page(inside)) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ROBOTS, True),
        ("<MeTa NaMe=googlebot content=noindex>", True),
        (f"<textarea>{ROBOTS}</textarea>", False),
        (f"<!-- {ROBOTS} -->", False),
        (f"<pre>&lt;meta name=robots&gt;</pre>{'x' * 70_000}{ROBOTS}", True),
        ('<meta itemprop="name" content="x">', False),
        ('<link rel="canonical" href="/other/">', False),
        ('<meta http-equiv="refresh" content="0;url=/other/">', False),
    ],
)
def test_robots_metas_count_in_the_body_too_and_nothing_else_does(
    body: str, expected: bool
) -> None:
    found = parse(page("<title>t</title>", body))
    assert ("noindex" in found.signals) is expected
    assert found.signals.keys() <= {"noindex"}


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<link rel="canonical" href="/a/">', "/a/"),
        ('<link rel="alternate canonical" href="/a/">', "/a/"),
        ('<link rel="canonical" href=" /a/ ">', "/a/"),
        ('<link rel="canonical" href="/a/?b&copy=1">', "/a/?b&copy=1"),
        ('<link rel="canonical" href="">', None),
        ('<link rel="canonical" href="/a/" media="print">', None),
        ('<link rel="canonical" href="/a/" hreflang="de">', None),
        ('<link rel="canonical" href="/a/" lang="de">', None),
        ('<link rel="canonical" href="/a/" type="text/html">', None),
        ('<link rel="canonical" href="/a/"><link rel="canonical" href="/b/" media="print">', "/a/"),
        ('<link rel="canonical" href="/a/" data-type="x">', "/a/"),
        ('<link rel="noncanonical" href="/a/">', None),
        ('<link rel="canonical" href="/a/"><link rel="canonical" href="/a/">', "/a/"),
        ('<link rel="canonical" href="/a/"><link rel="canonical" href="/b/">', None),
        ('<noscript><link rel="canonical" href="/a/"></noscript>', "/a/"),
        ('<img src="x"><link rel="canonical" href="/a/">', None),
        ('</head><link rel="canonical" href="/a/"><head>', "/a/"),
        ('<a rel="canonical" href="/a/">', None),
        ('<link rel=canonical href="https://example.com/a"b>', "https://example.com/a"),
        ('<meta ="canonical><link rel=canonical href=/a/>', "/a/"),
    ],
)  # fmt: skip
def test_canonical(inside: str, expected: str | None) -> None:
    assert parse(page(inside)).signals.get("canonical") == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0; url=/b/", "/b/"),
        ("0;URL='/b/'", "/b/"),
        ('5 ; Url = "/b/" and more', "/b/"),
        ("0;/b/", "/b/"),
        ("0,url=b.html", "b.html"),
        ("0.5;url=/b/", "/b/"),
        (" 0 url=/b/", "/b/"),
        ("0;", None),
        ("0; url=", None),
        ("soon; url=/b/", None),
        ("0; url=/b/;c=1", "/b/;c=1"),
        ("299; url=/b/", "/b/"),
        ("300; url=/news/", None),
        (".5; url=/b/", "/b/"),
        ("99999999999999999999; url=/b/", None),
    ],
)
def test_refresh(content: str, expected: str | None) -> None:
    quote = "'" if '"' in content else '"'
    meta = f"<meta http-equiv=Refresh content={quote}{content}{quote}>"
    assert parse(page(meta)).signals.get("refresh") == expected


SUMMARY = "java.base/module-summary.html"
JAVADOC = f"<script>window.location.replace('{SUMMARY}')</script>"
NOSCRIPT = '<noscript><meta http-equiv="Refresh" content="0;{}"></noscript>'


@pytest.mark.parametrize(
    ("inside", "expected", "origin"),
    [
        (JAVADOC + NOSCRIPT.format(SUMMARY), SUMMARY, "javadoc"),
        (f"<script src=help.js></script>{NOSCRIPT.format('a.html')}", None, "LibreOffice's help"),
        (JAVADOC + NOSCRIPT.format("/noscript/"), None, "an app"),
        (NOSCRIPT.format("/a/") + '<meta http-equiv=refresh content="0;/b/">', "/b/", "both"),
    ],
)
def test_a_refresh_without_scripts_counts_where_a_script_leads_there_too(
    inside: str, expected: str | None, origin: str
) -> None:
    # Read from the head alone, and from the whole page.
    for data in (page(inside), page(inside, ROBOTS)):
        assert parse(data).signals.get("refresh") == expected, origin


def test_base_and_alternates() -> None:
    found = parse(
        page(
            '<base href="/b/"><base href="/c/"><link rel=alternate hreflang=de href=de/>'
            '<link rel="alternate" hreflang="x-default" href="./"><link rel=alternate type="application/rss+xml" href=x>'
        )
    )
    assert found == Metadata(base="/b/", alternates=(("de", "de/"), ("x-default", "./")))


@pytest.mark.parametrize(
    "data",
    [
        page(ROBOTS).decode().encode("utf-16"),
        page(f'<meta charset="utf-16">{ROBOTS}'),
        page(f"\0{ROBOTS}"),
        page("<title>\xff\xfe</title>" + ROBOTS),
        ROBOTS.encode(),
        b"<?xml version='1.0'?>" + page(ROBOTS),
        page(ROBOTS, before="<!-- licence --> <!doctype html>"),
        page("<meta name=x>" * 20_000 + ROBOTS),
    ],
)
def test_odd_files_are_read_all_the_same(data: bytes) -> None:
    assert noindex(data)


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"<", b"<!--", b"<html><head>", b"\xff\xfe", b"%PDF-1.7\n\x00\x01"]
)
def test_what_is_no_page_says_nothing(data: bytes) -> None:
    assert parse(data) == Metadata()


PIECES = st.sampled_from(
    [
        ROBOTS, "<meta name=robots content=noindex>", '<link rel="canonical" href="/a/">', "<link rel=canonical href=/b>",
        "<title>", "</title>", "<script>", "</script>", "<style>", "</style>", "<!--", "-->", "--!>", "<!-->", "<noscript>",
        "</noscript>", "<template>", "</template>", "<head>", "</head>", "<body>", "</body>", "<html>", "<!doctype html>",
        '<meta http-equiv="refresh" content="0;url=/c">', '<base href="/d/">', '<base href="/f/" ', "<base href=/g", "<body/>", "<img>", "<p>", "text", " ", "\n", "<", ">",
        '"', "'", "=", "/", "&#114;obots", "&amp;", "\0", "é", "<meta charset=utf-8>", '<meta name="a" content="<b>">',
        '<meta ="x>', "<link a=b=c>", "<meta a='b\"c'>", "<script src=x></script>", "<script>a<b</script>", "<svg>", "</svg>",
        '<link rel=alternate hreflang=de href=/de>', "<textarea>", "</textarea>", "<frameset>", "<?xml?>", "<title>t</title>",
        '<meta name="googlebot" content="none">', "<META NAME='ROBOTS' CONTENT='NONE'/>", "<link/rel=canonical/href=/e>",
    ]
)  # fmt: skip
HEADS = st.lists(PIECES, max_size=14).map("".join)


@settings(max_examples=examples(600, 10_000))
@given(inside=HEADS, body=HEADS)
def test_the_head_alone_never_disagrees_with_the_parser(inside: str, body: str) -> None:
    for data in (page(inside, body), inside.encode()):
        quick = head_tags(data)
        assert quick is None or interpret(quick) == interpret(all_tags(parse_tree(data)))


# As real generators write them: what decides there is in many tags that tell nothing.
REAL_HEADS = (
    '<!DOCTYPE html>\n<html lang="en" data-content_root="../">\n  <head>\n<meta charset="utf-8" />\n<meta name="viewport" content="width=device-width" /><meta name="description" content="It&#39;s a pot &gt; a kettle" />\n<title>Pots &#8212; Tea 1.0</title>\n<link rel="stylesheet" type="text/css" href="../_static/a.css?v=1" />\n<link rel="canonical" href="https://example.com/pots.html" />\n<script src="../_static/a.js?v=5"></script>\n<link rel="next" title="B &amp; C" href="b.html" />\n</head>',
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>tea::Pot - Rust</title><link rel="preload" as="font" type="font/woff2" crossorigin href="../a.woff2"><link rel="stylesheet" href="../light.css" id="mainThemeStyle"><script id="default-settings" ></script><noscript><link rel="stylesheet" href="../noscript.css"></noscript><link rel="alternate icon" type="image/png" href="../a.png"></head>',
    '<!doctype html><html class=no-js lang=de><head><meta charset=utf-8><link rel=canonical href=https://example.com/a/><link rel=alternate hreflang=en href=https://example.com/en/a/><meta name=robots content="max-image-preview:large"><meta name=googlebot content=noindex><base href=/b/><!--[if lt IE 9]><script src=h.js></script><![endif]--><style>a>b{c:"d"}</style><script>__md_scope=new URL("..",location),a<b&&c</script></head>',
    '<html>\r\n<head>\r\n<meta http-equiv="refresh" content="0; url=b.html">\r\n<title>Über</title>\r\n<link rel="alternate" type="application/rss+xml" href="feed.xml" hreflang="fr">\r\n<script type="application/ld+json">{"url": "https://example.com/<canonical>"}</script>\r\n<meta property="og:title" content="refresh robots">\r\n</head>\r\n',
)  # fmt: skip


def test_mutated_heads_are_read_as_the_parser_reads_them() -> None:
    rng = random.Random(24)
    pieces = PIECES.elements
    quick = 0
    tries = examples(2_000, 200_000)
    for _ in range(tries):
        head = rng.choice(REAL_HEADS)
        for _ in range(rng.randrange(3)):
            at = rng.randrange(len(head))
            head = (
                head[:at]
                + rng.choice(("", rng.choice(pieces)))
                + head[at + rng.choice((0, 0, 1, 9)) :]
            )
        data = f"{head}<body><p>text</body></html>".encode()
        tags = head_tags(data)
        quick += tags is not None
        assert tags is None or interpret(tags) == interpret(all_tags(parse_tree(data))), head
    assert quick > tries // 2


def test_hostile_pages_are_read_as_the_parser_reads_them(tmp_path: Path) -> None:
    for name in hostile.TABLE:
        if name.startswith("page, "):
            hostile.TABLE[name][1](tmp_path, 1_000)
            text = (tmp_path / "public/a.html").read_text()
            for data in (text.encode(), page(text), page("<title>a</title>", text)):
                assert parse(data) == interpret(all_tags(parse_tree(data))), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["<meta a ", "<!-- - ", "<script>", "<link a=b", " ", "<base", '<a b="', "<style></style>"],
)
def test_a_long_head_takes_no_long_time(text: str) -> None:
    assert_linear(lambda n: partial(parse, page(text * (n // len(text)))), 60_000)


@given(st.binary(max_size=300) | HEADS.map(str.encode), st.integers(0, 300))
def test_no_bytes_raise(data: bytes, end: int) -> None:
    parse(data[:end])
    parse(b"\xff\xfe" + data[:end])


def test_a_long_tag_of_few_attributes_ends_nothing() -> None:
    image = f'<img src="data:image/png;base64,{"a b=" * 20_000}" alt=x>'
    assert noindex(f"{image}<meta name=robots content=noindex>".encode())
    many = "<br>" * 9_000 + "<i>x</i>" * 34_000
    assert noindex(f"{many}<meta name=robots content=noindex>".encode())


def linked(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script>'


@pytest.mark.parametrize(
    ("inside", "expected"),
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
        ('<meta name="date" content="soon"><time itemprop="dateModified" datetime="2024-03-01">', "2024-03-01"),
        ('<meta name="date" content="soon">', "soon"),
    ],
)  # fmt: skip
def test_dates_that_pages_give_themselves(inside: str, expected: str | None) -> None:
    assert page_date(f"<!doctype html><html><head>{inside}".encode()) == expected


@given(
    st.binary(max_size=80)
    | st.text(max_size=80).map(lambda t: linked('{"dateModified": "' + t).encode())
)
def test_no_page_with_a_date_raises(data: bytes) -> None:
    page_date(data + b" modified")
