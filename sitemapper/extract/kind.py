"""HTML files that are not pages: other formats, shells that an app fills in, pieces of pages. Pure.

A file that may be a page counts as one. Of 140,745 files of documentation in 71 Debian packages, 18 have
no doctype, `html`, `head` or `title`, and 13 of them are pages; 318 have a name that begins with "_", and
all are pages. So neither is enough.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING

from ..syntax.html import head_end, parse_tree
from ..syntax.html_files import is_page_name

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_START = 64 * 1024  # bytes in which a page shows that it is one
_PAGE = re.compile(rb"<(?:!doctype|html|head|title)(?=[\s/>])", re.IGNORECASE)
_TITLE = re.compile(rb"<title(?=[\s/>])", re.IGNORECASE)
_MODULE = re.compile(rb"type=[\"']?module|rel=[\"']?modulepreload|\bimport\(")
# The root of XML that has a name like a page in copies of WordPress and Ghost, and other XML for machines.
_FOREIGN_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s*<(?:\?.*?\?|!--.*?--|!doctype[^<>]*)>)*+\s*"
    rb"<(?:rss|feed|rdf:rdf|rsd|oembed|opml|urlset|sitemapindex|manifest|opensearchdescription)[\s/>]",
    re.IGNORECASE | re.DOTALL,
)
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]")
# A template that was never filled in: by its first statement, or by an expression in place of a value.
_STATEMENT = re.compile(
    rb"(?>\s*<!--(?!#).*?-->)*+\s*(?:\{%|\{\{[#{]|<%|<\?php|(<!--#include))", re.DOTALL | re.IGNORECASE
)
_UNFILLED = re.compile(
    rb"<html\b[^<>]*\blang=[\"']?\{\{|<title[^<>]*>(?>\s*\{\{[^<>{}]*\}\}[^<>{}\w]*)++</title>", re.IGNORECASE
)
_ANGULAR = re.compile(rb"\bng-(?:app|bind|controller)\b")  # browsers fill in the title of its pages

# What frameworks write into the page that stands for all others, and only there: Nuxt, SvelteKit, React
# Router.
_UNRENDERED = (b'data-ssr="false"', b"kit.start(app, element);", b'"isSpaMode":true')
# A page that stands for pages in all folders loads its scripts by absolute paths.
_RELATIVE = re.compile(rb"""(?:\b(?:src|href)=|\bimport\()["']?\.\.?/""")
_SEARCH = re.compile(rb"\ssrc=[\"']?[^\s\"'<>]{0,200}\bsearchtools\.js")  # of Sphinx
_PREVIEW = re.compile(rb"\bsb-nopreview\b|\bid=[\"']?storybook-root\b")
_INVISIBLE = "script, style, template, noscript"
_PARTS = f"{_INVISIBLE}, nav, header, footer, aside"
_MEDIA = "img, svg, canvas, video, audio, iframe, frame, object, embed, input, textarea, select, math"
_TEXT = "p, pre, table, dl"  # which lists have not
_BODY = re.compile(rb"<body(?=[\s/>])", re.IGNORECASE)
_FRAME_BASE = re.compile(rb"<base\s(?![^<>]*\bhref)[^<>]*\btarget=[\"']?_(?:parent|top)\b", re.IGNORECASE)

_FEW_BYTES, _LITTLE_TEXT = 4096, 200  # less than these has a page that only leads to another
_REFRESH = re.compile(rb"http-equiv=[\"']?refresh", re.IGNORECASE)
# A statement that always runs, and not one that leads to the page itself or out of a frame.
_MOVES = re.compile(
    r"(?:^|[;{}]|(?<!\))(?<!\belse)\n)\s?(?:(?:window|document|self)\.)?location"
    r"(?:(?:\.href)?\s?=(?!=)|\.(?:replace|assign)\()\s?+(?!(?:(?:window|document|self)\.)?location\b)"
)
_JS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|(?<![:\"'\w])//[^\n]*", re.DOTALL)
_JS_SPACE = re.compile(r"\s+")  # one of each run is left
_JS_BLOCK = re.compile(r"\{[^{}]*\}")
_JS_CALLED_AT_ONCE = re.compile(
    r"\s?\(\s?(?:function\s?\(\)|\(\)\s?=>)\s?\{(.*)\}\s?\)?\s?\(\)\s?\)?;?\s?", re.DOTALL
)
_JS_CHOICE = re.compile(r"\bnavigator\b|\blanguages?\b|\bcookie\b|\blocalStorage\b|\breturn\b")


def kind_of(path: str, data: bytes) -> str | None:
    """What the file of a site is in place of a page, such as "app shell" or "fragment"; None for a page."""
    has_marks = bool(_PAGE.search(data, 0, _START))
    if _is_foreign(data, has_marks):
        return "not HTML"
    if _is_page_part(data) if has_marks else _is_loose_part(path, data):
        return "fragment"
    if (
        path.rpartition("/")[2] == "search.html"
        and _SEARCH.search(data, 0, _START)
        and b'id="search-results"' in data
    ):
        return "search page"
    if _moves_by_script(data):
        return "redirect by script"
    return "app shell" if has_marks and _is_shell(path, data) else None


def _is_foreign(data: bytes, has_marks: bool) -> bool:
    """Whether a file is empty, a feed, JSON or binary."""
    if not data or data.isspace() or _FOREIGN_ROOT.match(data, 0, _START):
        return True
    if _JSON.match(data):
        try:
            json.loads(data)
        except (ValueError, RecursionError):
            return False
        return True
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return not has_marks and not is_utf16 and data.find(b"\0", 0, _START) >= 0


def _is_page_part(data: bytes) -> bool:
    """Whether a file with the marks of a page was never filled in, or is shown in frames only."""
    end = head_end(data) or _START
    if _UNFILLED.search(data, 0, end) and not _ANGULAR.search(data):
        return True
    is_result = data.find(b'class="SRPage"', 0, 4096) >= 0  # of Doxygen's search
    is_in_frame = _FRAME_BASE.search(data, 0, end)  # YARD's lists
    return is_result or (bool(is_in_frame) and not parse_tree(data).css_first(_TEXT))


def _is_loose_part(path: str, data: bytes) -> bool:
    """Whether a file without the marks of a page was never filled in, or surrounds pages, or lists links."""
    statement = _STATEMENT.match(data, 0, _START) if is_page_name(path) else None
    # Some servers fill in an include, and the text behind it may be a page.
    if statement and (not statement[1] or _text_length(_visible(data)) < _LITTLE_TEXT):
        return True
    return _holds_only(_PARTS, data) or (not _BODY.search(data) and _link_share(data) >= 0.9)


def _is_shell(path: str, data: bytes) -> bool:
    if data.find(b'id="__next_error__"', 0, 512) >= 0:  # Next's redirect()
        return _holds_only(_INVISIBLE, data)
    if path.rpartition("/")[2] == "iframe.html" and _PREVIEW.search(data):  # Storybook's preview
        return True
    if "/" in path or path.startswith("index."):
        return False
    is_shell = any(mark in data for mark in _UNRENDERED) or (
        not _TITLE.search(data, 0, _START) and bool(_MODULE.search(data)) and _holds_only(_INVISIBLE, data)
    )
    return is_shell and not _RELATIVE.search(data)


def _moves_by_script(data: bytes) -> bool:
    """Whether a page says next to nothing, and a script leads each reader to another."""
    if len(data) >= _FEW_BYTES or b"location" not in data or _REFRESH.search(data):
        return False  # a refresh leads crawlers, too
    tree = parse_tree(data)
    scripts = [node.text() for node in tree.css("script") if "src" not in node.attributes]
    return any(map(_moves, scripts)) and _text_length(_visible(data)) < _LITTLE_TEXT


def _moves(script: str) -> bool:
    script = _JS_SPACE.sub(lambda run: "\n" if "\n" in run[0] else " ", _JS_COMMENT.sub("", script))
    if _JS_CHOICE.search(script):
        return False
    inner = _JS_CALLED_AT_ONCE.fullmatch(script)
    script, count = inner[1] if inner else script, 1
    while count:  # a file of 4 KB has few levels
        script, count = _JS_BLOCK.subn(";", script)
    return bool(_MOVES.search(script))


def _visible(data: bytes) -> LexborHTMLParser:
    """The tree without what is not seen."""
    tree = parse_tree(data)
    _remove(tree, _INVISIBLE)
    return tree


def _remove(tree: LexborHTMLParser, selector: str) -> bool:
    nodes = tree.css(selector)
    for node in reversed(nodes):  # frees what is inside, too
        node.decompose()
    return bool(nodes)


def _text_length(tree: LexborHTMLParser) -> int:
    return len("".join(tree.body.text().split())) if tree.body else 0


def _link_share(data: bytes) -> float:
    """The share of the text that is in links and buttons."""
    tree = _visible(data)
    length = _text_length(tree)
    _remove(tree, "a[href], button")
    return 1 - _text_length(tree) / length if length else 0


def _holds_only(selector: str, data: bytes) -> bool:
    """Whether a file holds such elements, and outside of them nothing that is seen."""
    tree = parse_tree(data)
    has_any = _remove(tree, selector)
    body = tree.body
    return has_any and body is not None and not body.text().strip() and body.css_first(_MEDIA) is None
