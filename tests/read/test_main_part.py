"""The main part of a page, its targets and its text, and what is removed from it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from sitemapper.read.main_part import TARGETS, make_part, read_text, remove, text_size

PIECES = [
    "<p>", "</p>", "<nav>", "</nav>", "<a href=/a/>", "</a>", "<img src=a.png>", "<img srcset=b.png>", "<input src=c.png>",
    "<time datetime=2026-01-01>", "</time>", "<picture><source srcset=d.png>", "<svg><a xlink:href=e>", "</svg>", "<template>",
    "<iframe src=f>", "</iframe>", "<video src=g>", "</video>", "<ul class=pager>", "</ul>", "text", "&amp;", "<!-- no text -->",
]  # fmt: skip


def main_of(html: str) -> LexborNode:
    main = LexborHTMLParser(f"<main>{html}</main>").css_first("main")
    assert main
    return main


def test_a_node_that_several_selectors_match_is_removed_once_with_what_is_in_it() -> None:
    main = main_of("<nav class=pager><b><i>A</i></b></nav>text")
    nodes = main.css("main, nav, .pager, b")
    assert len(nodes) == 4
    inside = {node.mem_id for node in main.css("nav, b, i")}
    assert remove(main, nodes) == inside
    assert main.html == "<main>text</main>"


def test_the_size_of_a_text_counts_one_space_between_words() -> None:
    main = main_of("a \n\n b&nbsp;<b>\tc</b>é")
    assert text_size(make_part(main, [])) == len("a b cé".encode())


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_targets_and_text_are_those_that_selectors_and_nodes_name(pieces: list[str]) -> None:
    main = main_of("".join(pieces))
    found = make_part(main, main.css(TARGETS))
    targets = main.css("a, img[src], source, iframe[src], video[src], audio[src], time")
    assert [node.mem_id for node in found.targets] == [node.mem_id for node in targets]
    assert read_text(main) == main.text()
