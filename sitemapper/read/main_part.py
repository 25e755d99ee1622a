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
    """Finds the element with the main content. Also returns True if it is the whole body.

    It is `<main>` or another element with `role="main"`. Without one, it is the body, in which
    more counts as surroundings, such as headers. None for a page without a body.
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
    """Removes nodes from a main part, and returns the part without the targets that were in them.

    The nodes cannot be read any more, and the old `main` has targets that are gone.
    """
    if not nodes:
        return main
    removed = remove(main.node, nodes)
    targets = [target for target in main.targets if target.mem_id not in removed]
    return read_targets(main.node, targets)


def remove(main: LexborNode, nodes: list[LexborNode]) -> set[int]:
    """Removes nodes with all that is in them. Returns the addresses of all nodes that are gone.

    The caller drops what it holds of these, because a removed node cannot be read. `main`
    itself is never removed. A node inside another of the nodes is gone with it. One may also be
    given twice, because lexbor returns it for each selector of a list that it matches.
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

    `<a href="https://github.com/a/b/edit/main/tea.md">Edit this page</a>` is one. The address must
    have a path such as `/edit/`, and the text must begin with "Edit", "View" or "Suggest".
    """
    if node.tag != "a":
        return False
    href = node.attributes.get("href") or ""
    if not any(path in href for path in _REPOSITORY_PATHS):
        return False
    return _ABOUT_SOURCE.match(node.text()) is not None


def read_text(main: LexborNode) -> str:
    """Reads the text of an element, in half the time of `text()`. "" without text."""
    try:
        return main.text_lexbor()
    except RuntimeError:  # older versions of selectolax: there is none
        return ""


def text_size(main: MainPart) -> int:
    """Counts the bytes of the text of a main part, with one space between words.

    `Hot\\n  tea` → 7. White space is replaced, because splitting the text into words would take as
    long as parsing the page.
    """
    text = read_text(main.node)
    for space in "\n\t\r\f\xa0":
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return len(text.encode("utf-8", "replace"))


def most_size(tree: LexborHTMLParser, enough: int) -> int:
    """Counts at most how many bytes of main text a page has, in a tenth of the time of `text_size`.

    The text of the whole body is counted first. If it has at most `enough` bytes, that will do.
    Otherwise, the text in `<main>` is counted, with the navigation in it. Without a `<main>`, the
    size of the body is returned, though it is above `enough`.
    """
    if tree.body is None:
        return 0
    body_size = _size_with_spaces(tree.body)
    if body_size <= enough:
        return body_size
    marked = tree.css_first(_MAIN)
    return _size_with_spaces(marked) if marked else body_size


def _size_with_spaces(node: LexborNode) -> int:
    """Counts the bytes of an element's text as it is written, with all white space."""
    return len(read_text(node).encode("utf-8", "replace"))
