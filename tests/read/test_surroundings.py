"""What surrounds the content of a page, and what only has such a name."""

from __future__ import annotations

import pytest
from support.facts import ALL, digest

from sitemapper.read.content import make_rule
from sitemapper.read.facts import extract_facts

RULE = make_rule([])


def same(one: str, other: str) -> bool:
    """Whether the content of two pages is the same."""
    return digest(one.encode(), RULE) == digest(other.encode(), RULE)


@pytest.mark.parametrize("name", ["footer", "sidebar", "header"])
def test_old_pages_name_what_surrounds_their_text(name: str) -> None:
    for attribute in ("class", "id"):
        text = f'<body><p>text</p><div {attribute}="{name}">{{}}</div>'
        assert same(text.format(1), text.format(2))
        inside = f'<body><main><div {attribute}="{name}">{{}}</div></main>'
        is_part = (attribute, name) == ("class", "sidebar")
        assert same(inside.format(1), inside.format(2)) == is_part


def test_nested_surroundings_and_a_main_part_that_is_dropped() -> None:
    around = "<nav><footer><aside role=search>" * 50, "</aside></footer></nav>" * 50
    nested = f"<main>{around[0]}x{around[1]}text</main>"
    assert same(nested, "<main>text</main>")
    digest(nested.encode(), make_rule(["main", "nav", "*"]))


# What a new release or another page changes on all pages, before and after, and whose pages have it.
MOVES = [
    ('<div class="rp-nav"><a href="/{}/">{}</a></div><p>text', "rspress"),
    ('<div id="package-header"><span>base-{}</span></div><h1>Data.List</h1>text', "Haddock"),
    ('<div id="page-header"><p>Version {}</p></div><div id="page-content"><h1>Core</h1>text</div>', "the Apache manual"),
    ('<main><a class="git" href="https://github.com/a/b/tree/{}/c{}.py">Edit on GitHub</a>text</main>', "pdoc"),
    ("<title>Plug v{0}</title><main><h1>Plug <small>v{0}</small></h1>text</main>", "ExDoc"),
    ("<title>Plug</title><div><h1>Plug - v{}</h1>text</div>", "typedoc"),
    ('<main><div class="docs-sidebar"><h2>In {}</h2></div><h1>A</h1>text</main>', "vitess"),
    ('<main><div class="theme-doc-toc-mobile toc_X">{}</div>text</main>', "Docusaurus"),
    ('<main><ul class="breadcrumb-list"><li>{}</ul>text</main>', "a trail"),
    ('<main>text<div class="post-pagination">{}</div></main>', "a word of a class"),
    ('text<section class="blogComments">{}</section>', "a page without a main part"),
]  # fmt: skip
STAYS = [
    ('<div class="with-nav"><h1>Pots</h1>Text {}</div>', "a frame of the whole page"),
    ('<div class="navy">Text {}</div>', "another word"),
    ('<div id="nav-header-text">Text {}</div>', "another last part"),
    ('<h4 id="decode_list_header">int {}</h4>', "Erlang's functions"),
    ('<div id="Rest-of-header"><h4>The rest</h4>Text {}</div>', "Texinfo's sections"),
    ('<main><div class="tab-nav">Text {}</div></main>', "a marked main part"),
    ('<main><div role="tab" id="pots-header">Text {}</div></main>', "a marked main part"),
    ('<a href="https://github.com/a/b/blob/main/pot-{}.py">The pot</a>', "a link of the text"),
    ('<a href="/view/{}/">View the pots</a>', "a link of the site"),
    ("<h1>Pots of {}</h1>text", "a heading without a release"),
    ('<main><div class="has-sidebar">Text {}</div></main>', "a part beside the text"),
    ('<main><div class="content sidebar-right">Text {}</div></main>', "a part beside the text"),
    ('<main><div class="toc"><h1>Pots</h1>Text {}</div></main>', "the heading of the page"),
    ('<main><div class="stocks protocol">Text {}</div></main>', "other words"),
    ('<main><p class="toc-entry">Text {}</p></main>', "a paragraph"),
]


@pytest.mark.parametrize(("page", "origin"), MOVES)
def test_what_surrounds_all_pages_moves_no_date(page: str, origin: str) -> None:
    assert same(page.format("1.2.3", "1.2.3"), page.format("1.3.0", "1.3.0")), origin


@pytest.mark.parametrize(("page", "origin"), STAYS)
def test_what_only_has_such_a_name_is_content(page: str, origin: str) -> None:
    assert not same(page.format("tea"), page.format("coffee")), origin


@pytest.mark.parametrize(
    ("place", "counts"),
    [
        ('<ul id="pagination">{}</ul>', True),
        ('<div id="breadcrumbs">{}</div>', True),
        ('<ul class="pagination">{}</ul>', False),
        ('<a rel="next nofollow">{}</a>', False),
        ("<article><header>{}</header></article>", True),
        ("<header>{}</header>", False),
        ('<div id="sidebar">{}</div>', False),
    ],
)
def test_the_same_parts_of_a_page_count_for_images_and_for_the_digest(
    place: str, counts: bool
) -> None:
    old, new = (f"<body><h1>Tea</h1>{place.format(f'<img src={n}.png>')}".encode() for n in "ab")
    assert (extract_facts("a.html", old, ALL).images == ("a.png",)) == counts
    assert (digest(old, RULE) != digest(new, RULE)) == counts
