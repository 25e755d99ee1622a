"""HTML files that are not pages: shells that an app fills in, pieces of pages. Pure.

A file that may be a page counts as one. Of 140,745 files of documentation in 71 Debian packages, 18 have
no doctype, `html`, `head` or `title`, and 13 of them are pages; 318 have a name that begins with "_", and
all are pages. So neither is enough.
"""

from __future__ import annotations

import re

from ..syntax.html import parse_tree

_START = 64 * 1024  # bytes in which a page shows that it is one
_PAGE = re.compile(rb"<(?:!doctype|html|head|title)(?=[\s/>])", re.IGNORECASE)
_TITLE = re.compile(rb"<title(?=[\s/>])", re.IGNORECASE)
_STATEMENT = re.compile(rb"(?>\s*<!--.*?-->)*+\s*\{%", re.DOTALL)  # of a template that was never filled in
_MODULE = re.compile(rb"type=[\"']?module|rel=[\"']?modulepreload|\bimport\(")

# What frameworks write into the page that stands for all others, and only there: Nuxt, SvelteKit, React
# Router.
_UNRENDERED = (b'data-ssr="false"', b"kit.start(app, element);", b'"isSpaMode":true')
# A page that stands for pages in all folders loads its scripts by absolute paths.
_RELATIVE = re.compile(rb"""(?:\b(?:src|href)=|\bimport\()["']?\.\.?/""")
_INVISIBLE = "script, style, template, noscript"
_PARTS = f"{_INVISIBLE}, nav, header, footer, aside"
_MEDIA = "img, svg, canvas, video, audio, iframe, frame, object, embed, input, textarea, select, math"


def kind_of(path: str, data: bytes) -> str | None:
    """What the file of a site is in place of a page, "app shell" or "fragment"; None for a page."""
    if not _PAGE.search(data, 0, _START):
        is_part = _STATEMENT.match(data, 0, _START) or _holds_only(_PARTS, data)
        return "fragment" if is_part else None
    if data.find(b'class="SRPage"', 0, 4096) >= 0:  # what Doxygen's search shows in a frame
        return "fragment"
    if data.find(b'id="__next_error__"', 0, 512) >= 0:  # Next's redirect()
        return "app shell" if _holds_only(_INVISIBLE, data) else None
    if "/" in path or path.startswith("index."):
        return None
    is_shell = any(mark in data for mark in _UNRENDERED) or (
        not _TITLE.search(data, 0, _START) and _MODULE.search(data) and _holds_only(_INVISIBLE, data)
    )
    return "app shell" if is_shell and not _RELATIVE.search(data) else None


def _holds_only(selector: str, data: bytes) -> bool:
    """Whether a file holds such elements, and outside of them nothing that is seen."""
    tree = parse_tree(data)
    nodes = tree.css(selector)
    for node in reversed(nodes):  # frees what is inside, too
        node.decompose()
    body = tree.body
    return bool(nodes) and body is not None and not body.text().strip() and body.css_first(_MEDIA) is None
