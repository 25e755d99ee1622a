"""Decides which elements surround the content of a page, by their tags, attributes and classes.

Menus without such a mark are found by their links (`menus.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# By tag, role, relation (`rel`) and class. In a page without a main part, names count as well.
_TAGS = {"nav", "footer", "aside", "script", "style", "template", "noscript", "button"}
_ROLES = {"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar"}
_RELATIONS = {"next", "prev", "edit"}
# md-content__button: of Material for MkDocs, to edit and view.
_OTHER_CLASSES = {"pager", "links-nextprev", "post-navigation", "md-content__button"}
_CLASSES = {"breadcrumb", "breadcrumbs", "pagination"} | _OTHER_CLASSES
# Words of other classes: docs-sidebar, doc-toc-mobile, blogComments. The content may have such
# classes as well, which tell what is beside it: has-sidebar, or "content sidebar-right".
_PARTS_BY_CLASS = {"sidebar", "toc", "breadcrumb", "breadcrumbs", "pagination", "comments"}
_BESIDE = {"has", "with", "no", "without", "layout", "show", "hide"}
_CONTENT_WORDS = {"content", "main", "article", "body", "post", "entry"}
_CLASS_WORDS = re.compile(r"[-_]+|(?<=[a-z])(?=[A-Z])")
_LARGEST_PARTS = ("div", "ul", "ol", "table", "section", "details")
_NAMES = {"header", "footer", "sidebar", "titlearea"}  # titlearea: Doxygen's project and release
# The last words of names such as Haddock's package-header and Apache's page-header.
_ID_ENDS = ("header", "footer", "sidebar", "nav")
_CONTENT = "h1, h2, h3, h4, h5, h6, article"  # which parts around the content never contain
_PLACES = ("div", "table", "ul", "section")  # headings have such names too


def _selectors(template: str, names: Iterable[str]) -> str:
    """A selector list: the template for each name, in alphabetical order."""
    return ", ".join(template.format(name) for name in sorted(names))


_PLAIN_SURROUNDINGS = f"{_selectors('{}', _TAGS)}, [role], a[rel], [hidden]"
# `breadcrumb`, `breadcrumbs` and `pagination` among them: each selector more takes 6 % longer.
_PARTS_OF_CLASSES = (
    "[class*=idebar], [class*=toc i], [class*=readcrumb], [class*=agination], [class*=omments]"
)
# Within `:is`, lexbor looks for the attribute of an element once: a third less time.
_SURROUNDING_CLASSES = f"[class]:is({_selectors('.{}', _OTHER_CLASSES)}, {_PARTS_OF_CLASSES})"
_SURROUNDINGS = f"{_PLAIN_SURROUNDINGS}, {_SURROUNDING_CLASSES}"
_BODY_CLASSES = (
    f"[class]:is([class*=nav], {_selectors('.{}', _OTHER_CLASSES | _NAMES)}, {_PARTS_OF_CLASSES})"
)
_BODY_IDS = f"[id]:is({_selectors('#{}', _NAMES)}, {_selectors('[id$={}]', _ID_ENDS)})"
_BODY_SURROUNDINGS = f"{_PLAIN_SURROUNDINGS}, header, {_BODY_CLASSES}, {_BODY_IDS}"


def find_surroundings(main: LexborNode, *, is_body: bool) -> list[LexborNode]:
    """What surrounds the content in a main part, or in a body without one.

    A node may be there twice: lexbor returns one for each selector of a list that it matches.
    """
    selectors = _BODY_SURROUNDINGS if is_body else _SURROUNDINGS
    return surrounding(main, main.css(selectors), is_body=is_body)


def surrounding(
    main: LexborNode, nodes: Iterable[LexborNode], *, is_body: bool
) -> list[LexborNode]:
    """The nodes that surround the content in a main part, or in a body without one."""
    found = [node for node in nodes if _surrounds(node, is_body)]
    if not any(node.tag == "header" for node in found):
        return found
    # The header of an article is content.
    of_articles = {node.mem_id for node in main.css("article header")}
    return [node for node in found if node.mem_id not in of_articles]


def _surrounds(node: LexborNode, is_body: bool) -> bool:
    """Whether a node surrounds the content by its tag, its attributes or, in a body, its name."""
    attributes = node.attributes
    if node.tag in _TAGS or "hidden" in attributes:
        return True
    if attributes.get("role") in _ROLES:
        return True
    classes = attributes.get("class") or ""
    class_names = set(classes.split())
    if not class_names.isdisjoint(_CLASSES) or _is_part_by_class(node, class_names):
        return True
    own_id = attributes.get("id") or ""
    any_attribute_counts = _is_found_by_attribute(node, is_body)
    if any_attribute_counts:
        relations = (attributes.get("rel") or "").split()
        if own_id in _CLASSES or not _RELATIONS.isdisjoint(relations):
            return True
    elif not is_body:
        return False  # in a head, classes and names say nothing about the content
    if node.tag == "header" or own_id in _NAMES or not class_names.isdisjoint(_NAMES):
        return True
    return is_body and _is_named_like_surroundings(node, classes, own_id)


def _is_part_by_class(node: LexborNode, class_names: Iterable[str]) -> bool:
    """Whether a word of a class marks a sidebar, a table of contents or comments.

    A part that contains the heading of the page, or an article, is none of these.
    """
    if node.tag not in _LARGEST_PARTS:
        return False
    is_part = False
    for name in class_names:
        name_words = {word.lower() for word in _CLASS_WORDS.split(name)}
        if name_words.isdisjoint(_PARTS_BY_CLASS):
            if not name_words.isdisjoint(_CONTENT_WORDS):
                return False
        elif name_words.isdisjoint(_BESIDE):
            is_part = True
    return is_part and node.css_first("h1, article, main") is None


def _is_found_by_attribute(node: LexborNode, is_body: bool) -> bool:
    """Whether a selector finds a node by an attribute. Then each of its attributes counts."""
    attributes = node.attributes
    if "role" in attributes or (node.tag == "a" and "rel" in attributes):
        return True
    if not is_body:
        return False
    classes = attributes.get("class") or ""
    own_id = attributes.get("id") or ""
    return "nav" in classes or own_id.endswith(_ID_ENDS)


def _is_named_like_surroundings(node: LexborNode, classes: str, own_id: str) -> bool:
    """Whether a part of a name marks surroundings, and the node contains no heading."""
    if node.tag not in _PLACES:
        return False
    is_nav = any("nav" in re.split("[-_]", name) for name in classes.split())
    last_word = re.split("[-_]", own_id)[-1]
    if not is_nav and last_word not in _ID_ENDS:
        return False
    return node.css_first(_CONTENT) is None
