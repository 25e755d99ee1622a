"""Finds the main content of a page, without the parts that surround it and without menus."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .menus import find_menus
from .surroundings import find_surroundings

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ..syntax.html import Attributes

_MAIN = "main, [role=main]"
# What a digest reads beside the text: targets of links, media, and times.
TARGETS = "a, [src]:is(img, iframe, video, audio), source, time"
_REPOSITORY_PATHS = ("/blob/", "/edit/", "/raw/", "/tree/")
_ABOUT_SOURCE = re.compile(r"\s*(?:edit|view|suggest)\b", re.IGNORECASE)


class MainPart(NamedTuple):
    """The main content of a page, and the targets in it: links, media and times.

    `attributes` and `urls` are those of the `targets`, in their order. `lines` are the URLs again,
    each between two line feeds: for most pages, one search in it shows that no URL is special.
    """

    node: LexborNode
    targets: list[LexborNode]
    attributes: list[Attributes]
    urls: list[str]
    lines: str


def find_main(tree: LexborHTMLParser) -> tuple[LexborNode | None, bool]:
    """Finds the element with the main content, and says whether that is the whole body.

    It is `<main>`, or another element with `role="main"`, or else the body. None without a body.
    """
    marked = tree.css_first(_MAIN)
    if marked is None:
        return tree.body, True
    return marked, False


def main_part(tree: LexborHTMLParser, path: str) -> MainPart | None:
    """Finds the main content of the page at `path`, and removes all else in it from the tree.

    Removed are navigation, footers and the like, links such as "Edit this page", and menus. None
    if the page has no body.
    """
    node, is_body = find_main(tree)
    if node is None:
        return None
    remove(node, find_surroundings(node, is_body=is_body))
    main = read_targets(node, node.css(TARGETS))
    if any(path in main.lines for path in _REPOSITORY_PATHS):
        to_source = [target for target in main.targets if leads_to_source(target)]
        main = without(main, to_source)
    return without(main, find_menus(main, path))


def read_targets(node: LexborNode, targets: list[LexborNode]) -> MainPart:
    """Makes a MainPart of an element and its targets, whose attributes and URLs are read.

    `<a href="tea.html">` → the URL `tea.html`.
    """
    attributes = [target.attributes for target in targets]
    urls = [a.get("href") or a.get("src") or a.get("srcset") or "" for a in attributes]
    return MainPart(node, targets, attributes, urls, "\n".join(["", *urls, ""]))


def without(main: MainPart, nodes: list[LexborNode]) -> MainPart:
    """Removes nodes from a main part, and returns it without the targets in them.

    The nodes cannot be read any more.
    """
    if not nodes:
        return main
    removed = remove(main.node, nodes)
    targets = [target for target in main.targets if target.mem_id not in removed]
    return read_targets(main.node, targets)


def remove(main: LexborNode, nodes: list[LexborNode]) -> set[int]:
    """Removes nodes with what is in them, except the main part itself.

    Returns the addresses of all that is gone. A node in another one of the nodes is gone already,
    and so is one that is given twice: lexbor returns one for each selector of a list.
    """
    removed: set[int] = set()
    for node in nodes:
        if node.mem_id == main.mem_id or node.mem_id in removed:
            continue
        removed |= {inner.mem_id for inner in node.traverse()}
        node.decompose()
    return removed


def leads_to_source(node: LexborNode) -> bool:
    """Whether a node is a link that shows or edits the source of the page in a repository.

    `<a href="https://github.com/a/b/edit/main/tea.md">Edit this page</a>`
    """
    if node.tag != "a":
        return False
    href = node.attributes.get("href") or ""
    if not any(path in href for path in _REPOSITORY_PATHS):
        return False
    return _ABOUT_SOURCE.match(node.text()) is not None


def read_text(main: LexborNode) -> str:
    """The text of a main part, in half the time of `text()`."""
    try:
        return main.text_lexbor()
    except RuntimeError:  # older versions of selectolax: there is none
        return ""


def text_size(main: MainPart) -> int:
    """The bytes of the text of a main part, with one space between words.

    White space is replaced, because splitting the text would take as long as parsing.
    """
    text = read_text(main.node)
    for space in "\n\t\r\f\xa0":
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return len(text.encode("utf-8", "replace"))


def most_size(tree: LexborHTMLParser, enough: int) -> int:
    """An upper limit of the bytes of the main text. To find that text takes ten times as long.

    It is the size of the body's text. If that exceeds `enough`, it is the size of all text in
    `<main>`, with the navigation in it, if the page has a `<main>`.
    """
    if tree.body is None:
        return 0
    size = _size_with_spaces(tree.body)
    marked = tree.css_first(_MAIN) if size > enough else None
    return _size_with_spaces(marked) if marked else size


def _size_with_spaces(node: LexborNode) -> int:
    return len(read_text(node).encode("utf-8", "replace"))
