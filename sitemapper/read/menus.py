"""Finds menus in the main part of a page: lists of links of which one leads to the page itself.

A theme shows the same menu on all pages of a folder, and its class may say nothing. What lists
other pages as content, such as an index of posts, does not list itself.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from ..syntax.html import text_length

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from .main_part import MainPart

_LISTS = ("ul", "ol")
_LEAST_LINKS = 3  # two links, such as "previous" and "next", are no menu
_LEAST_SHARE = 0.8  # of the letters of a menu are in its links; the rest are headings of groups
_MAX_DEPTH = 16  # elements between a link and the outermost list; deeper menus are cut
_MAX_LINKS = 8  # links to itself that are looked at, so that a page of links takes no long time
_CONTENT = "h1, article, main"  # which a menu never contains


def find_menus(main: MainPart, path: str) -> list[LexborNode]:
    """Finds the menus in the main part of the page at `path`: lists that link to this page.

    A list with links to `tea/`, `coffee/` and `milk/` is a menu on the page `tea/index.html`. A
    menu may contain another one.
    """
    menus: dict[int, LexborNode] = {}  # by address: several links may be in one menu
    for link in islice(_own_links(main, path), _MAX_LINKS):
        menu = _menu_around(link, main.node)
        if menu:
            menus[menu.mem_id] = menu
    return list(menus.values())


def _own_links(main: MainPart, path: str) -> Iterator[LexborNode]:
    """Yields the links on a page that lead to the page itself: `../tea/`, not `../tea/#top`.

    A link with `aria-current` counts too, wherever it leads. `path` is that of the page.
    """
    url_paths = _url_paths(path)
    ends = tuple(_ends_of(url_paths))
    # Most pages have no such link, which one search shows.
    may_lead = any(f"{end}\n" in main.lines for end in ends)
    may_be_current = any("aria-current" in a for a in main.attributes)
    if not (may_lead or may_be_current):
        return
    for target, attributes in zip(main.targets, main.attributes, strict=True):
        if target.tag != "a":
            continue
        # WAI-ARIA: the link in a menu that stands for the page itself.
        is_current = "aria-current" in attributes
        href = attributes.get("href") or ""
        if is_current or (href.endswith(ends) and _leads_to(href, url_paths)):
            yield target


def _url_paths(path: str) -> tuple[str, ...]:
    """Lists the paths at which servers show a page, its file first.

    `a/index.html` → `a/index.html`, `a/` and `a`. `b.html` → `b.html` and `b`.
    """
    folder, _, file = path.rpartition("/")
    if file in ("index.html", "index.htm"):
        return (path, f"{folder}/", folder) if folder else (path,)
    stem, ending = posixpath.splitext(path)
    return (path, stem) if ending else (path,)


def _ends_of(url_paths: tuple[str, ...]) -> Iterator[str]:
    """Yields how links to these paths end: `docs/tea pot/` → `tea pot/`, `tea%20pot/`.

    A link that ends otherwise leads elsewhere, and need not be resolved.
    """
    for path in url_paths:
        slash = "/" if path.endswith("/") else ""
        end = path.rstrip("/").rpartition("/")[2] + slash  # the last name
        yield end
        yield quote(end, errors="surrogateescape")


def _leads_to(href: str, url_paths: tuple[str, ...]) -> bool:
    """Whether a link leads to the page with these paths in the site.

    Host and base path of the site are not known, so any are accepted. For `docs/tea/`:

    - `https://example.com/docs/tea/` and `/base/docs/tea/` → True, because they end with its path
    - `../tea/` → True, because it is relative to the page itself
    - `../tea/#top` and `../tea/?a=b` → False, because menus have no such links to their page
    """
    if "#" in href or "?" in href:
        return False
    target = unquote(href, errors="surrogateescape")
    host = target.find("://")
    if host >= 0:
        target = target[host + 3 :].partition("/")[2]
    elif not target.startswith("/"):  # relative to the folder of the page
        folder = posixpath.dirname(url_paths[0])
        slash = "/" if target.endswith("/") else ""
        target = posixpath.normpath(f"{folder}/{target}") + slash
        return target.lstrip("/") in url_paths
    target = "/" + target.lstrip("/")
    return any(target.endswith(f"/{path}") for path in url_paths)


def _menu_around(link: LexborNode, main: LexborNode) -> LexborNode | None:
    """Finds the outermost menu around a link, at most 16 elements above it. None without one.

    Menus are lists, such as `<ul>`, and the element that contains the link, such as a `<div>`. A
    list that is no menu ends the search: what is around it has other content, too.
    """
    outermost_menu: LexborNode | None = None
    node = link.parent
    for depth in range(_MAX_DEPTH):
        if node is None or node.mem_id == main.mem_id:
            break
        contains_link_itself = depth == 0
        if node.tag in _LISTS or contains_link_itself:
            if _is_menu(node):
                outermost_menu = node
            elif not contains_link_itself:  # an `<li>` with a single link does not end it
                break
        node = node.parent
    return outermost_menu


def _is_menu(node: LexborNode) -> bool:
    """Whether an element is a menu: it has three links or more, and 80 % of its text is in them.

    The rest may be headings of groups. An element with the heading of the page or an article is no
    menu.
    """
    links = node.css("a")
    if len(links) < _LEAST_LINKS or node.css_first(_CONTENT) is not None:
        return False
    length_in_links = sum(text_length(link) for link in links)
    return length_in_links >= _LEAST_SHARE * text_length(node)
