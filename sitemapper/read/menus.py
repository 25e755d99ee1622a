"""Finds menus in the main part of a page: lists of links of which one leads to the page itself.

A theme shows the same menu on all pages of a folder, and its class may say nothing. What lists
other pages as content, such as an index of posts, does not list itself.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from ..syntax.html import text_length

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from .main_part import MainPart

_LISTS = ("ul", "ol")
_LEAST_LINKS = 3
_LEAST_SHARE = 0.8  # of the letters of a menu that are in its links
_MAX_DEPTH = 16  # elements between a link and the outermost list; deeper menus are cut
_MAX_LINKS = 8  # links to itself that are looked at
_CONTENT = "h1, article, main"  # which a menu never contains


def find_menus(main: MainPart, path: str) -> list[LexborNode]:
    """The menus in a main part. `path` is that of the page in the site."""
    is_menu_by_id: dict[int, bool] = {}
    menus: dict[int, LexborNode] = {}
    for link in islice(_own_links(main, path), _MAX_LINKS):
        menu = _menu_around(link, main.node, is_menu_by_id)
        if menu:
            menus[menu.mem_id] = menu
    return [menu for menu in menus.values() if not _is_inside(menu, menus)]


def _is_inside(node: LexborNode, others: Collection[int]) -> bool:
    """Whether a node is in one of the others, which are given by their addresses."""
    above = node.parent
    while above is not None:
        if above.mem_id in others:
            return True
        above = above.parent
    return False


def _own_links(main: MainPart, path: str) -> Iterator[LexborNode]:
    """Links that lead to the page itself, not to a part of it."""
    forms = _forms(path)
    ends = tuple(_ends(forms))
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
        if is_current or (href.endswith(ends) and _leads_to(href, forms)):
            yield target


def _forms(path: str) -> tuple[str, ...]:
    """The forms of a page's path: a/index.html, a/ and a; or b.html and b."""
    folder, _, file = path.rpartition("/")
    if file in ("index.html", "index.htm"):
        return (path, f"{folder}/", folder) if folder else (path,)
    stem, ending = posixpath.splitext(path)
    return (path, stem) if ending else (path,)


def _ends(forms: tuple[str, ...]) -> tuple[str, ...]:
    """How links that may lead to the page end: most links need no more than this."""
    ends: dict[str, None] = {}
    for form in forms:
        end = form.rstrip("/").rpartition("/")[2] + ("/" if form.endswith("/") else "")
        ends[end] = None
        ends[quote(end, errors="surrogateescape")] = None
    return tuple(ends)


def _leads_to(href: str, forms: tuple[str, ...]) -> bool:
    """Whether a link leads to the page with these forms of its path. Its base path is not known."""
    if "#" in href or "?" in href:
        return False
    target = unquote(href, errors="surrogateescape")
    host = target.find("://")
    if host >= 0:
        target = target[host + 3 :].partition("/")[2]
    elif not target.startswith("/"):
        folder = posixpath.dirname(forms[0])
        slash = "/" if target.endswith("/") else ""
        target = posixpath.normpath(f"{folder}/{target}") + slash
        return target.lstrip("/") in forms
    target = "/" + target.lstrip("/")
    return any(target.endswith(f"/{form}") for form in forms)


def _menu_around(
    link: LexborNode, main: LexborNode, is_menu_by_id: dict[int, bool]
) -> LexborNode | None:
    """The outermost list of links around a link, or else the element around it.

    `is_menu_by_id` remembers which elements are menus.
    """
    menu: LexborNode | None = None
    node = link.parent
    for depth in range(_MAX_DEPTH):
        if node is None or node.mem_id == main.mem_id:
            break
        if node.tag in _LISTS or depth == 0:
            if node.mem_id not in is_menu_by_id:
                is_menu_by_id[node.mem_id] = _is_menu(node)
            if is_menu_by_id[node.mem_id]:
                menu = node
            elif depth:
                break
        node = node.parent
    return menu


def _is_menu(node: LexborNode) -> bool:
    """Whether nearly all text is in links."""
    links = node.css("a")
    if len(links) < _LEAST_LINKS or node.css_first(_CONTENT) is not None:
        return False
    linked = sum(text_length(link) for link in links)
    return linked >= _LEAST_SHARE * text_length(node)
