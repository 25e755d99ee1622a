"""Finds the main content of a page, without the parts that surround it and without menus.

Surroundings are found by their tags, attributes and classes. A menu is a list of links of which one
leads to the page itself: a theme shows the same menu on all pages of a folder, and its class may
say nothing. What lists other pages as content, such as an index of posts, does not list itself.

If other elements count, digests of pages change: increase the version in `content.py`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from ..syntax.html import text_length

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ..syntax.html import Attributes

_MAIN = "main, [role=main]"
# What a digest reads beside the text: targets of links, media, and times.
TARGETS = "a, [src]:is(img, iframe, video, audio), source, time"
_REPOSITORY_PATHS = ("/blob/", "/edit/", "/raw/", "/tree/")
_ABOUT_SOURCE = re.compile(r"\s*(?:edit|view|suggest)\b", re.IGNORECASE)
# Within `:is`, lexbor looks for the attribute of an element once, which saves a third of the time.
_SURROUNDINGS = (
    "nav, footer, aside, script, style, template, noscript, button, [hidden], "
    "[role]:is([role=navigation], [role=banner], [role=contentinfo], [role=complementary], "
    "[role=search], [role=menu], [role=menubar]), "
    "a[rel]:is([rel~=next], [rel~=prev], [rel~=edit]), "
    # md-content__button: of Material for MkDocs, to edit and view.
    "[class]:is(.breadcrumb, .breadcrumbs, .pagination, .pager, .links-nextprev, .post-navigation, "
    ".md-content__button)"
)
# Elements whose class may mark a part beside the text: docs-sidebar, doc-toc-mobile,
# post-pagination, blogComments. They only count with one of these words, and without a heading.
_WITH_PART_WORD = (
    ":is(div, ul, ol, table, section, details)[class]:is([class*=idebar], [class*=toc i], "
    "[class*=readcrumb], [class*=agination], [class*=omments])"
)
_PART_WORDS = {"sidebar", "toc", "breadcrumb", "breadcrumbs", "pagination", "comments"}
# The content may have such classes too, if they tell what is beside it: has-sidebar, or
# "content sidebar-right".
_BESIDE_WORDS = {"has", "with", "no", "without", "layout", "show", "hide"}
_CONTENT_WORDS = {"content", "main", "article", "body", "post", "entry"}
_WORD_ENDS = re.compile(r"[-_]+|(?<=[a-z])(?=[A-Z])")
# In a page without `<main>`, headers count as well, and so do the classes and IDs of old themes.
# The header of an article is content. titlearea: Doxygen's project and release.
_SURROUNDINGS_OF_BODY = (
    "header:not(article header), [class]:is(.header, .footer, .sidebar, .titlearea), "
    "[id]:is(#header, #footer, #sidebar, #titlearea)"
)
# Elements that count there, too, if a whole word of their class or ID says what they are, as in
# `rp-nav` and Haddock's `package-header`, and if there is no heading inside.
_WITH_ID_WORD = (
    ":is(div, table, ul, section)"
    ":is([class*=nav], [id]:is([id$=header], [id$=footer], [id$=sidebar], [id$=nav]))"
)
_ID_WORDS = ("header", "footer", "sidebar", "nav")
_LISTS = ("ul", "ol")
_MIN_LINKS_OF_MENU = 3  # two links, such as "previous" and "next", are no menu
_MIN_SHARE_IN_LINKS = 0.8  # of the letters of a menu; the rest are headings of groups
_MAX_DEPTH = 16  # elements between a link and the outermost list; deeper menus are cut
_MAX_LINKS = 8  # links to itself that are looked at, so that a page of links takes no long time
_CONTENT = "h1, article, main"  # which a menu never contains


class MainPart(NamedTuple):
    """The main content of a page, and the elements in it that have a URL or a time (`targets`).

    `<a href="tea.html">` has the URL `tea.html`. `attributes` and `urls` are those of the targets,
    in their order.
    """

    node: LexborNode
    targets: list[LexborNode]
    attributes: list[Attributes]
    urls: list[str]


def without_surroundings(tree: LexborHTMLParser) -> LexborNode | None:
    """Finds the element with the main content, and removes from it what surrounds the content.

    It is `<main>` or another element with `role="main"`. Without one, it is the body. None for a
    page without a body. The tree has no navigation, footers and the like in this element any more.
    """
    marked = tree.css_first(_MAIN)
    main = marked or tree.body
    if main is not None:
        remove(main, find_surroundings(main, is_body=marked is None))
    return main


def main_part(tree: LexborHTMLParser, path: str) -> MainPart | None:
    """Finds the element with the main content of a page, and removes from it what is no content.

    It removes navigation and the like, links such as "Edit this page", and menus: lists with a link
    to the page itself, which is at `path` in the site. None if the page has no body.
    """
    node = without_surroundings(tree)
    if node is None:
        return None
    main = make_part(node, node.css(TARGETS))
    # On most pages, no link has a path such as `/edit/`. One search in all URLs shows this.
    all_urls = "\n".join(main.urls)
    if any(path_part in all_urls for path_part in _REPOSITORY_PATHS):
        links_to_source = [target for target in main.targets if leads_to_source(target)]
        main = remove_from_part(main, links_to_source)
    return remove_from_part(main, find_menus(main, path))


def make_part(node: LexborNode, targets: list[LexborNode]) -> MainPart:
    """Makes a MainPart of an element, and reads the attributes and URLs of the `targets` in it.

    The targets are links, media and times. Their URLs are in `href`, `src` or `srcset`. A time has
    none of these attributes, so its URL is "".
    """
    attributes = [target.attributes for target in targets]
    urls = [a.get("href") or a.get("src") or a.get("srcset") or "" for a in attributes]
    return MainPart(node, targets, attributes, urls)


def remove_from_part(main: MainPart, nodes: list[LexborNode]) -> MainPart:
    """Removes nodes, such as menus, from the tree of a main part. Returns the part that is left.

    It has only those of the `targets` (links, media and times) that were not in these nodes. The
    old `main` must not be used afterwards, because it still has the removed ones, and a removed
    node cannot be read.
    """
    if not nodes:
        return main
    removed_addresses = remove(main.node, nodes)
    targets_left = [target for target in main.targets if target.mem_id not in removed_addresses]
    return make_part(main.node, targets_left)


def remove(main: LexborNode, nodes: list[LexborNode]) -> set[int]:
    """Removes nodes with all that is in them. Returns the addresses of all nodes that are gone.

    A removed node cannot be read any more, so the caller has to drop its references to nodes with
    these addresses. `main` itself is never removed.

    A node that is inside another one of `nodes` is gone with that one. A node may also be given
    twice, because lexbor returns it for each selector of a list that it matches.
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


def read_text(node: LexborNode) -> str:
    """Reads the text of an element, in half the time of `text()`. "" without text."""
    try:
        return node.text_lexbor()
    except RuntimeError:  # from older versions of selectolax, if the element has no text
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


def max_text_size(tree: LexborHTMLParser, limit: int) -> int | None:
    """Counts how many bytes of text the main part of a page has at most, None if above `limit`.

    To find the main part, without menus and the like, would take ten times as long. So this counts
    the text of the whole page or, if that is above `limit`, all text in `<main>`.
    """
    if tree.body is None:
        return None
    size = _size_with_spaces(tree.body)
    if size <= limit:
        return size
    marked = tree.css_first(_MAIN)
    if marked is None:
        return None
    size_in_main = _size_with_spaces(marked)
    return size_in_main if size_in_main <= limit else None


def _size_with_spaces(node: LexborNode) -> int:
    """Counts the bytes of an element's text as it is written, with all white space."""
    return len(read_text(node).encode("utf-8", "replace"))


# --- surroundings


def find_surroundings(main: LexborNode, *, is_body: bool) -> list[LexborNode]:
    """Finds the elements that surround the content of a page: navigation, footers, sidebars.

    `is_body`: the page has no `<main>`, so `main` is its whole body. Only there, a `<header>` is
    that of the site. In a `<main>`, it is a part of the content.

    An element may be in the list twice: lexbor returns it for each selector that it matches.
    """
    # `<nav>`, `<div class="pagination">`; in a whole body also `<header>`, `<div id="footer">`
    selectors = f"{_SURROUNDINGS}, {_SURROUNDINGS_OF_BODY}" if is_body else _SURROUNDINGS
    found = main.css(selectors)
    # `<div class="docs-sidebar">`
    found += [part for part in main.css(_WITH_PART_WORD) if _is_part_beside_text(part)]
    if is_body:
        # `<div id="package-header">`
        found += [part for part in main.css(_WITH_ID_WORD) if _is_named_like_surroundings(part)]
    return found


def _is_part_beside_text(node: LexborNode) -> bool:
    """Whether the class of an element marks a sidebar, a table of contents or comments.

    Each name in the class is split into words:

    - `docs-sidebar` → True, by the word `sidebar`
    - `has-sidebar` → False, because `has` says that the element is beside a sidebar
    - `content sidebar-right` → False, because `content` says that it is the content
    """
    has_name_of_part = False
    for name in (node.attributes.get("class") or "").split():
        words = {word.lower() for word in _WORD_ENDS.split(name)}
        names_part = not words.isdisjoint(_PART_WORDS)  # `docs-sidebar`, `has-sidebar`
        if names_part and words.isdisjoint(_BESIDE_WORDS):  # `docs-sidebar`
            has_name_of_part = True
        if not names_part and not words.isdisjoint(_CONTENT_WORDS):  # `content`
            return False
    # An element with the heading of the page or an article is content, whatever its class says.
    return has_name_of_part and node.css_first(_CONTENT) is None


def _is_named_like_surroundings(node: LexborNode) -> bool:
    """Whether the class or the ID of an element says that it surrounds the content of a page.

    - class `rp-nav` → True, by the word `nav` at any place
    - ID `package-header` → True, by its last word
    - ID `header-of-tea` → False

    An element with a heading or an article in it is content: False.
    """
    attributes = node.attributes
    classes = (attributes.get("class") or "").split()
    has_nav_in_class = any("nav" in re.split("[-_]", name) for name in classes)
    last_word_of_id = re.split("[-_]", attributes.get("id") or "")[-1]
    if not has_nav_in_class and last_word_of_id not in _ID_WORDS:
        return False
    return node.css_first("h1, h2, h3, h4, h5, h6, article") is None


# --- menus


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
    """Yields the links in the main part of the page at `path` that lead to this page: `../tea/`.

    A link with `aria-current` counts too, wherever it leads: by WAI-ARIA, it is the link in a menu
    that stands for the page itself.
    """
    url_paths = _url_paths(path)  # where servers show the page: `docs/tea/`
    ends = _ends_of_links(url_paths)  # how links to it end: `tea/`
    # `targets` are links, images and other elements, and the other two lists are theirs.
    for element, attributes, url in zip(main.targets, main.attributes, main.urls, strict=True):
        is_current = "aria-current" in attributes
        # `endswith` comes first, because it is fast, and False for most links.
        leads_here = url.endswith(ends) and _leads_to(url, url_paths)
        if (is_current or leads_here) and element.tag == "a":
            yield element


def _url_paths(path: str) -> tuple[str, ...]:
    """Lists the paths at which servers show a page, its file first.

    `a/index.html` → `a/index.html`, `a/` and `a`. `b.html` → `b.html` and `b`. For the home page,
    only its file: the base path of the site is not known, so `/docs/` may be another folder.
    """
    folder, _, file = path.rpartition("/")
    if file in ("index.html", "index.htm"):
        return (path, f"{folder}/", folder) if folder else (path,)
    stem, ending = posixpath.splitext(path)
    return (path, stem) if ending else (path,)


def _ends_of_links(url_paths: tuple[str, ...]) -> tuple[str, ...]:
    """Lists how links to a page may end. `url_paths` are the paths at which servers show the page.

    `docs/tea pot/` → `tea pot/` and, as URLs encode it, `tea%20pot/`. The folder `docs/` is left
    out, because a relative link may not have it.
    """
    ends = []
    for path in url_paths:
        slash = "/" if path.endswith("/") else ""
        last_name = path.rstrip("/").rpartition("/")[2]
        end = last_name + slash
        ends += [end, quote(end, errors="surrogateescape")]
    return tuple(ends)


def _leads_to(href: str, url_paths: tuple[str, ...]) -> bool:
    """Whether a link in a page leads to this page. `url_paths` are where servers show the page.

    With the paths `docs/tea/index.html`, which is the file and comes first, and `docs/tea/`:

    | link                             | result | because                                          |
    |----------------------------------|--------|--------------------------------------------------|
    | `/login?next=/docs/tea/`         | False  | it has a query, unlike links in menus            |
    | `../tea/`                        | True   | in the folder `docs/tea/`, it leads to a path    |
    | `https://example.com/docs/tea/`  | True   | it ends with a path                              |
    | `/base/docs/tea/`                | True   | it ends with a path                              |
    """
    if "#" in href or "?" in href:
        return False
    target = unquote(href, errors="surrogateescape")
    _, colon, after_scheme = target.partition("://")
    is_relative = not colon and not target.startswith("/")
    if is_relative:
        file = url_paths[0]
        folder = posixpath.dirname(file)
        slash = "/" if target.endswith("/") else ""
        resolved = posixpath.normpath(f"{folder}/{target}") + slash
        return resolved.lstrip("/") in url_paths
    # The host and the base path of the site, such as `/base`, are not known. So the link may have
    # anything before the path.
    path_of_link = after_scheme.partition("/")[2] if colon else target
    with_slash = "/" + path_of_link.lstrip("/")
    return any(with_slash.endswith(f"/{path}") for path in url_paths)


def _menu_around(link: LexborNode, main: LexborNode) -> LexborNode | None:
    """Finds the largest menu around a link, None if the link is in no menu.

    A menu is the parent of the link, or a list, in which nearly all text is in links. The parent
    may be a `<div>` with three links. If it is in a `<ul>` of links, this list is the result.

    Searches outwards from the link, up to the main part of the page (`main`).
    """
    largest_menu: LexborNode | None = None
    element = link.parent
    for depth in range(_MAX_DEPTH):
        if element is None or element.mem_id == main.mem_id:
            break
        is_parent_of_link = depth == 0
        if is_parent_of_link or element.tag in _LISTS:
            if _is_menu(element):
                largest_menu = element  # so far
            elif not is_parent_of_link:
                # A list with other text: a larger list around it has this text, too. The parent
                # does not end the search, because it is mostly an item, `<li>`.
                break
        element = element.parent
    return largest_menu


def _is_menu(node: LexborNode) -> bool:
    """Whether an element is a menu: it has three links or more, and 80 % of its text is in them.

    The rest may be headings of groups. An element with the heading of the page or an article is no
    menu.
    """
    links = node.css("a")
    if len(links) < _MIN_LINKS_OF_MENU or node.css_first(_CONTENT) is not None:
        return False
    length_in_links = sum(text_length(link) for link in links)
    return length_in_links >= _MIN_SHARE_IN_LINKS * text_length(node)
