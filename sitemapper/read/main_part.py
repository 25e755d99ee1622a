"""The main part of a page: what is left without navigation, header, footer, asides and menus.

A menu is a list of links of which one leads to the page itself: a theme shows it on all pages of a
folder, and its class may say nothing. An index of posts does not list itself, so it is none.
If other elements count, digests of pages change: increase `VERSION` in content.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..syntax.urls import own_url, quote_path, resolve
from .html import value

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAIN = "main, [role=main]"
# Within `:is`, lexbor looks for the attribute of an element once, which saves a third of the time.
_SURROUNDINGS = (
    "nav, footer, aside, script, style, template, noscript, button, [hidden], "
    "[role]:is([role=navigation], [role=banner], [role=contentinfo], [role=complementary], "
    "[role=search], [role=menu], [role=menubar]), "
    "a[rel]:is([rel~=next], [rel~=prev], [rel~=edit]), "
    # md-content__button: of Material for MkDocs, to edit and view.
    "[class]:is(.breadcrumb, .breadcrumbs, .breadcrumb-list, .pagination, .pager, "
    ".post-pagination, .links-nextprev, .post-navigation, .md-content__button), "
    # Sidebars, tables of contents and comments; a frame of the whole page may have such a class.
    "[class]:is(.sidebar, .docs-sidebar, .md-sidebar, .sidebar-links, .toc, .toc-container, "
    ".toc-list, .section-toc, .vertical_toc, .horizontal_toc, .theme-doc-toc-mobile, .comments, "
    ".comments-disabled-message):not(:has(h1, article, main)), "
    # Links that edit or show the source, such as pdoc's.
    "a[href]:is([href*='/edit/'], .git)"
)
# In a page without `<main>`, headers count as well, and so do the classes and IDs of old themes.
# The header of an article is content. titlearea: Doxygen's project and release; package-header:
# Haddock's; rp-nav: Rspress's.
_SURROUNDINGS_OF_BODY = (
    "header:not(article header), [class]:is(.header, .footer, .sidebar, .titlearea, .rp-nav), "
    "[id]:is(#header, #footer, #sidebar, #titlearea, #package-header, #page-header)"
)
_CONTENT = "h1, article, main"  # which a menu does not contain
_MIN_LINKS_OF_MENU = 3  # two links, such as "previous" and "next", are no menu
_MIN_SHARE_IN_LINKS = 0.8  # of the letters of a menu; the rest are headings of groups
_MAX_MENUS = 32  # lists that are looked at, so that a page of lists takes no long time


def main_part(tree: LexborHTMLParser, path: str) -> LexborNode:
    """Finds the element with the main content of the page at `path`.

    It is `<main>`, an element with `role="main"`, or the body; of frames, the whole page. What
    surrounds the content is removed from the tree.
    """
    marked = tree.css_first(_MAIN)
    main = marked or tree.body or tree.root
    assert main is not None  # every tree has a root
    surroundings = _SURROUNDINGS
    if marked is None:
        surroundings += ", " + _SURROUNDINGS_OF_BODY
    remove(main, main.css(surroundings))
    remove(main, [part for part in main.css("ul, ol")[:_MAX_MENUS] if _is_menu(part, path)])
    return main


def remove(main: LexborNode, nodes: Iterable[LexborNode]) -> None:
    """Removes nodes below `main` with all that is in them. One may be inside another one.

    A removed node is freed and must not be used any more.
    """
    removed: set[int] = set()
    for node in nodes:
        if node.mem_id == main.mem_id or node.mem_id in removed:
            continue
        removed.update(inner.mem_id for inner in node.traverse())
        node.decompose()


def read_text(node: LexborNode) -> str:
    """The text of a node as it is written, in half the time of `node.text()`."""
    try:
        return node.text_lexbor()
    except RuntimeError:  # before selectolax 1.0, if there is none
        return ""


def text_of(node: LexborNode | None) -> str:
    """The text of a node, with one space between words; "" for None."""
    if node is None:
        return ""
    return " ".join(read_text(node).split())


def _is_menu(node: LexborNode, path: str) -> bool:
    """Whether a list is mostly links, one of which leads to the page at `path` itself."""
    links = node.css("a[href]")
    if len(links) < _MIN_LINKS_OF_MENU or node.css_first(_CONTENT) is not None:
        return False
    if not any(_leads_to(link, path) for link in links):
        return False
    in_links = sum(len(text_of(link)) for link in links)
    return in_links >= _MIN_SHARE_IN_LINKS * len(text_of(node))


def _leads_to(link: LexborNode, path: str) -> bool:
    """Whether a link in the page at `path` leads to this page: `../tea/` in `tea/index.html`."""
    href = value(link.attributes, "href")
    # Every URL may be that of a home page.
    if path == "index.html" or re.search("[#?]", href):
        return False
    # The host and the base path of the site are not known: anything may stand before the path.
    url = resolve(href, f"https://x.example/{quote_path(path)}")
    return url is not None and own_url(path, url) is not None
