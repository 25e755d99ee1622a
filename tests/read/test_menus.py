"""Lists of links that stand on all pages of a folder, and are neither text nor content."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser
from support.facts import digest

from sitemapper.read.content import make_rule
from sitemapper.read.main_part import main_part

NAMES = ("apple", "banana", "cherry")
PAGE, OTHER = "docs/apple/index.html", "docs/x/index.html"
RULE = make_rule([])


def text(html: str, path: str = PAGE) -> str:
    """The text of a main part without its menus."""
    main = main_part(LexborHTMLParser(f"<main><h1>A</h1>{html}<p>Text.</main>"), path)
    assert main
    return "".join(main.node.text().split())


def links(form: str = "/docs/{}/", *more: str) -> str:
    hrefs = [*(form.format(name) for name in NAMES), *more]
    return "".join(f"<li><a href='{href}'>{href}</a></li>" for href in hrefs)


@pytest.mark.parametrize(
    ("path", "form"),
    [
        (PAGE, "/docs/{}/"),
        (PAGE, "/base/docs/{}/index.html"),
        (PAGE, "https://example.com/docs/{}/"),
        (PAGE, "../{}/"),
        ("docs/apple.html", "{}.html"),
        ("docs/apple.html", "/docs/{}.html"),
        ("docs/apple pie.html", "/docs/{}%20pie"),
        ("docs/apple 'pie\"\\.html", "/docs/{}%20%27pie%22%5C.html"),
        ("docs/apple\udce9.html", "/docs/{}%E9.html"),  # a byte that is no UTF-8
    ],
)
def test_a_list_of_links_that_leads_to_the_page_itself_is_a_menu(path: str, form: str) -> None:
    assert text(f"<ul>{links(form)}</ul>", path) == "AText."


@pytest.mark.parametrize(
    "menu",
    [
        f"<ul><li>Fruit<ul>{links()}</ul></li></ul>",
        f"<div>{links().replace('<li>', '').replace('</li>', ' ')}</div>",
        f"<ol><li><a href='/docs/x/' aria-current='page'>x</a></li>{links('/{}/')}</ol>",
        f"<div role='menu'>{links('/x/{}/')}</div>",
    ],
)
def test_forms_of_menus(menu: str) -> None:
    assert text(menu) == "AText."


@pytest.mark.parametrize(
    "content",
    [
        f"<ul>{links('/posts/{}/')}</ul>",  # an index of other pages
        f"<ul>{links('/docs/apple/#{}')}</ul>",  # a table of contents
        f"<ul>{links('/docs/pine{}/')}</ul>",
        f"<ul>{links()}<li>{'Words. ' * 30}</li></ul>",
        "<p>See <a href='/docs/apple/'>this page</a>.</p>",
        "<ul><li><a href='/docs/apple/'>apple</a></li></ul>",
        f"<div><h1>B</h1>{links().replace('li>', 'b>')}</div>",
    ],
)
def test_what_is_no_menu(content: str) -> None:
    without = LexborHTMLParser(f"<main><h1>A</h1>{content}<p>Text.</main>").css_first("main")
    assert without
    assert text(content) == "".join(without.text().split())


def test_another_link_in_a_menu_changes_no_content() -> None:
    before = f"<main><ul>{links()}</ul><p>Text.</main>".encode()
    after = f"<main><ul>{links('/docs/{}/', '/docs/date/')}</ul><p>Text.</main>".encode()
    assert digest(before, RULE, PAGE) == digest(after, RULE, PAGE)
    assert digest(before, RULE, OTHER) != digest(after, RULE, OTHER)


def test_an_index_of_posts_with_links_to_its_parts() -> None:
    parts = (
        "<div><a href='/docs/apple/'>1</a><a href='/docs/2/'>2</a><a href='/docs/3/'>3</a></div>"
    )
    assert "pear" in text(f"<ul>{links('/posts/pear-{}/')}</ul>{parts}")
