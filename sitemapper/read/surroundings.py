"""Finds the elements that surround the content of a page, by their tags, attributes and classes.

Menus without such a mark are found by their links (`menus.py`). If other elements count, digests of
pages change: increase the version in `content.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

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
_PARTS = (
    ":is(div, ul, ol, table, section, details)[class]:is([class*=idebar], [class*=toc i], "
    "[class*=readcrumb], [class*=agination], [class*=omments])"
)
_PART_WORDS = {"sidebar", "toc", "breadcrumb", "breadcrumbs", "pagination", "comments"}
# The content may have such classes too, if they tell what is beside it: has-sidebar, or
# "content sidebar-right".
_BESIDE_WORDS = {"has", "with", "no", "without", "layout", "show", "hide"}
_CONTENT_WORDS = {"content", "main", "article", "body", "post", "entry"}
_WORD_ENDS = re.compile(r"[-_]+|(?<=[a-z])(?=[A-Z])")
# In a page without a main part, names count as well. The header of an article is content.
# titlearea: Doxygen's project and release.
_NAMED = (
    "header:not(article header), [class]:is(.header, .footer, .sidebar, .titlearea), "
    "[id]:is(#header, #footer, #sidebar, #titlearea)"
)
# Names that count if the word is a whole one, as in `rp-nav` and Haddock's `package-header`, and
# if there is no heading inside.
_NAMED_BY_WORD = (
    ":is(div, table, ul, section)"
    ":is([class*=nav], [id]:is([id$=header], [id$=footer], [id$=sidebar], [id$=nav]))"
)
_ID_WORDS = ("header", "footer", "sidebar", "nav")


def find_surroundings(main: LexborNode, *, is_body: bool) -> list[LexborNode]:
    """Finds the elements that surround the content of a page: navigation, footers, sidebars.

    The caller removes them. `is_body` says that `main` is the whole body, because the page marks no
    main part: then headers count as well, and so do names such as `id="page-header"`. An element
    may be in the list twice: lexbor returns it for each selector of a list that it matches.
    """
    if not is_body:
        found = main.css(_SURROUNDINGS)
        return found + [part for part in main.css(_PARTS) if _is_part_beside_text(part)]
    found = main.css(f"{_SURROUNDINGS}, {_NAMED}")
    found += [part for part in main.css(_PARTS) if _is_part_beside_text(part)]
    found += [part for part in main.css(_NAMED_BY_WORD) if _is_named_like_surroundings(part)]
    return found


def _is_part_beside_text(node: LexborNode) -> bool:
    """Whether the class of an element marks a sidebar, a table of contents or comments.

    | class                   | result | because                             |
    |-------------------------|--------|-------------------------------------|
    | `docs-sidebar`          | True   |                                     |
    | `has-sidebar`           | False  | marks what is beside a sidebar      |
    | `content sidebar-right` | False  | marks the content beside a sidebar  |

    An element with the heading of the page, or with an article, is content too: False.
    """
    is_part = False
    for name in (node.attributes.get("class") or "").split():
        words = {word.lower() for word in _WORD_ENDS.split(name)}
        if not words.isdisjoint(_PART_WORDS):
            is_part = is_part or words.isdisjoint(_BESIDE_WORDS)
        elif not words.isdisjoint(_CONTENT_WORDS):
            return False
    return is_part and node.css_first("h1, article, main") is None


def _is_named_like_surroundings(node: LexborNode) -> bool:
    """Whether the class or the ID of an element names surroundings by a whole word.

    In a class, the word is `nav`, as in `rp-nav`. In an ID, it is the last word, as in
    `package-header`. An element with a heading or an article is content: False.
    """
    attributes = node.attributes
    classes = (attributes.get("class") or "").split()
    is_nav = any("nav" in re.split("[-_]", name) for name in classes)
    last_word = re.split("[-_]", attributes.get("id") or "")[-1]
    if not is_nav and last_word not in _ID_WORDS:
        return False
    return node.css_first("h1, h2, h3, h4, h5, h6, article") is None
