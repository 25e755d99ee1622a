"""Which bytes of a page the parser gets, in which encoding, and when the head alone is enough."""

from __future__ import annotations

import pytest
from support.facts import head_tags

from sitemapper.syntax.html import parse_tree

META = b'<meta name="robots" content="noindex">'


@pytest.mark.parametrize(
    ("page", "is_enough"),
    [
        (b"<title>a</title>" + META + b"<body><p>text", True),
        (b"<title>a</title><body><p>text" + META, False),  # robots metas count there, too
        (b'<title>a</title><body><p>text<meta itemprop="a" content="1"><meta itemprop=b>', True),
        (b"<title>a</title><body><p>text<meta itemprop=a content=noindex name=robots>", False),
        (b"<title>a</title>" + META + b"<p>text", False),
        (b"<title>a</title><BODY\nclass=a><p>text", True),
        (b"<title>a</title><frameset/>", True),
        (b"<title>a</title><bodybuilding>", False),
        (b" " * 65_536 + b"<body>", False),
        (b"<title>a</title><p>text<body>", False),  # the head ended before
        (b"<title>a<body></title>", False),
        (b"<base href=/b/ <body>", False),  # takes the marker in
    ],
)
def test_the_head_is_enough_where_it_proves_what_the_page_says(
    page: bytes, is_enough: bool
) -> None:
    assert (head_tags(page) is not None) is is_enough


TITLE = "Tee für zwei"


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (f"<title>{TITLE}".encode(), TITLE),
        (f"\ufeff<meta charset=iso-8859-1><title>{TITLE}".encode(), TITLE),
        (f"\ufeff<title>{TITLE}".encode("utf-16-le"), TITLE),
        (f"\ufeff<title>{TITLE}".encode("utf-16-be"), TITLE),
        (f"<meta charset=iso-8859-1><title>{TITLE}".encode("cp1252"), TITLE),
        (f"<meta charset=koi8-r><title>{'чай'}".encode("koi8-r"), "чай"),
        (f"<!-- <meta charset=koi8-r> --><title>{TITLE}".encode(), TITLE),
        # What says so was read as another encoding.
        (f"<meta charset=utf-16><title>{TITLE}".encode(), TITLE),
        (f"<meta charset=utf-7><title>{TITLE}".encode(), TITLE),
        (b"<title>a\0b", "a\ufffdb"),
        (b"<title>a\xffb", "a\ufffdb"),
    ],
)
def test_the_encoding_is_that_of_the_page(data: bytes, title: str) -> None:
    node = parse_tree(data).css_first("title")
    assert node is not None and node.text() == title


def test_a_page_ends_before_a_tag_of_very_many_attributes() -> None:
    many = "<p " + " ".join(f"a{n}" for n in range(5_000)) + ">"
    tree = parse_tree(f"<title>a</title>{many}<i>text</i>".encode())
    assert tree.css_first("title") is not None
    assert tree.css_first("i") is None


def depth_of(data: bytes) -> int:
    depth = 0
    nodes = parse_tree(data).tags("*")
    node = nodes[-1].parent
    while node:
        depth += 1
        node = node.parent
    return depth


@pytest.mark.slow
def test_a_page_is_read_as_deep_as_browsers_show_it() -> None:
    ordinary = b"<div>" * 400 + b"<p>text</p>" * 2_000
    assert depth_of(ordinary) == 403
    hostile = b"<p>text</p>" * 2_000 + b"<div>" * 100_000
    assert depth_of(hostile) < 5_000
    assert parse_tree(hostile).css_first("p").text() == "text"
