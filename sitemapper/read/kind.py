"""HTML files that are not pages: other formats, app shells, fragments of pages. Pure.

A file that may be either counts as a page. Of 140,745 files of documentation in 71 Debian packages,
18 have no doctype, `html`, `head` or `title`, and 13 of them are pages. The 318 files with a name
that begins with "_" are all pages. So neither alone shows that a file is none.
"""

from __future__ import annotations

import codecs
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from ..syntax.html import parse_tree, text_length
from ..syntax.urls import is_page_name

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

REPORT_MARK = "<!-- sitemapper report -->"  # of a file by --report, after the doctype
_REPORT_MARK = REPORT_MARK.encode()
OWN_REPORT = "report of sitemapper"
GENERATED_INDEX = "generated index"
_START = 64 * 1024  # bytes in which a page must show that it is one
_FEW_BYTES = 4096  # files that only redirect, or only load a script, are smaller
_LITTLE_TEXT = 200  # characters; a view with placeholders has fewer, a text about templates more
_HEAD = re.compile(rb"<(?:!doctype|html|head|title)(?=[\s/>])", re.IGNORECASE)
_BODY = re.compile(rb"<body(?=[\s/>])", re.IGNORECASE)
_MARKUP = re.compile(rb"<[a-zA-Z!?/]")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What may stand before the content of a file, and the name of its first tag.
_BEFORE_CONTENT = re.compile(
    rb"""
    (?: \xef\xbb\xbf )?    # a byte order mark
    (?: \s
      | <\?xml .*? \?>     # <?xml version="1.0"?>
      | <!-- .*? -->       # <!-- by WordPress -->
      | <!doctype [^<>]* >
    )*+
    (?: < (?P<first_tag> [a-z:]+ ) (?= [\s/>] ) )?
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
# The roots of XML for machines. Copies of WordPress and Ghost have some in `feed/index.html`.
_FOREIGN_ROOTS = {b"rss", b"feed", b"rdf:rdf", b"rsd", b"oembed", b"opml", b"urlset"}
_FOREIGN_ROOTS |= {b"sitemapindex", b"manifest", b"opensearchdescription"}
_TEMPLATE_STARTS = (b"{%", b"{{", b"<%", b"<?php")  # Jinja, Handlebars, ERB, PHP
# What only the fallback pages of Nuxt, SvelteKit and React Router contain.
_FALLBACK_MARKS = (b'data-ssr="false"', b"kit.start(app, element);", b'"isSpaMode":true')
# A fallback for pages in all folders loads its scripts by absolute paths. These are relative.
_RELATIVE_PATHS = (b'="./', b'="../', b'("./', b'("../')
_PREVIEW_MARKS = (b"sb-nopreview", b"storybook-root")
_BUNDLER_ENDINGS = (".ts", ".tsx", ".jsx", ".vue", ".svelte")  # no browser runs these scripts
# A script that redirects, `location = "/tea/"`, or that answers the window from which its own
# window was opened, `opener.postMessage("done")`, has one of these words.
_REDIRECT_WORDS = ("location", "opener", "parent", "window.close")
# A script with one of these may fill in the page, or ask the reader or the browser.
_PAGE_WORDS = (
    *("document.write", "document.body", "document.get", "document.query", "document.create"),
    *("innerHTML", "textContent", "append", "insert", "import", "eval", "alert", "prompt"),
    *("navigator", "language", "cookie", "Storage"),
)
# Files that generators leave beside pages: an output of a notebook, named by its hash, and the
# source of a post (`posts/tea/index.src.html` of Nikola).
_SOURCE_OR_OUTPUT = re.compile(r"(?:^|/)build/(?:[^/]*\W)?[0-9a-f]{32,64}\.html?$|\.src\.html$")
# A part that fills a frame, as YARD's `class_list.html`: links open outside of it.
_FRAME_BASE = re.compile(
    rb"<base\s(?![^<>]*\bhref)[^<>]*\btarget=[\"']?_(?:parent|top)\b", re.IGNORECASE
)
_TEXT = "p, pre, table, dl"  # lists for a frame do not have these
_INVISIBLE = "script, style, template, noscript"
_INVISIBLE_OR_NAVIGATION = f"{_INVISIBLE}, nav, header, footer, aside"
_MEDIA = (
    "img, svg, canvas, video, audio, iframe, frame, object, embed, input, textarea, select, math"
)
_CODE = "pre, code, kbd, samp, textarea"  # placeholders in them may be examples
_ANGULAR_APP = "[ng-app], [ng-bind], [ng-controller]"  # the browser fills in its title
_VIEW = "[ng-repeat], [ng-if], [ng-show], [ng-hide], [ng-click], [ng-model], [ng-class]"
_VIEW += ', [href*="{{"], [src*="{{"], [class*="{{"]'


def kind_of(path: str, data: bytes, head_end: int | None) -> str | None:
    """Says what an HTML file is if it is not a page, such as "app shell". None for a page.

    A file with a kind is excluded from the sitemap, and the kind is the reason shown. A file that
    may be either counts as a page. `data` are its bytes. `head_end` is the position at which its
    head ends, None if that is not known.
    """
    # Our own report, and other formats, such as a feed.
    if data.find(_REPORT_MARK, 0, 64) >= 0:
        return OWN_REPORT
    has_head = _HEAD.search(data, 0, _START) is not None
    if _is_other_format(data, has_head):
        return "not HTML"
    # Parts of pages, such as "fragment (template)".
    if has_head:
        part = _part_with_head(data, data[: head_end or _START])
    else:
        part = _part_without_head(path, data)
    if part:
        return f"fragment ({part})"
    # Files of generators, then files that only scripts fill in.
    kind = _generated_beside_pages(path, data)
    if kind is None and len(data) < _FEW_BYTES and b"<script" in data:
        kind = _kind_by_scripts(data)
    if kind is None and has_head and _is_shell(path, data):
        return "app shell"
    return kind


def _is_other_format(data: bytes, has_head: bool) -> bool:
    """Whether a file that is called like a page is no HTML, so that it is not listed.

    | the file                                           | result |
    |----------------------------------------------------|--------|
    | is empty                                           | True   |
    | begins with `<rss>` or another root of a feed      | True   |
    | is JSON                                            | True   |
    | has a `<head>` or the like (`has_head`)            | False  |
    | is UTF-16, in which NULs hide the tags             | False  |
    | has a NUL: it is binary                            | True   |
    | has no tag: it is plain text                       | True   |
    | has a tag, such as `<p>`                           | False  |
    """
    if not data or data.isspace():
        return True
    before_content = _BEFORE_CONTENT.match(data, 0, _START)
    first_tag = before_content["first_tag"] if before_content else None
    if first_tag and first_tag.lower() in _FOREIGN_ROOTS:  # <rss>
        return True
    if _JSON.match(data):
        with suppress(ValueError, RecursionError):  # it only begins like JSON
            json.loads(data)
            return True
    if has_head or data.startswith(_UTF16):
        return False
    has_nul = data.find(b"\0", 0, _START) >= 0
    return has_nul or not _MARKUP.search(data)


def _part_with_head(data: bytes, head: bytes) -> str:
    """Recognizes a file that is no page of its own, though it has a head. "" for a page.

    | the file                                         | result                   |
    |--------------------------------------------------|--------------------------|
    | has the title `{{ .Title }}`                     | "template"               |
    | links to a main file, as sheets of Excel do      | "part of an Office page" |
    | has `<base target="_parent">`, and no text       | "list for a frame"       |
    | is by Javadoc, and all its links open in a frame | "list for a frame"       |
    | has the class of Doxygen's search results        | "search result"          |

    Each check first searches the bytes for a mark, such as `{{`, because parsing is slow and most
    files have none. `head` are the bytes of the head: elsewhere, an article may quote a mark.
    """
    if b"{{" in head and _has_placeholder_title(data):
        return "template"
    # Word and Excel save sheets and headers beside the main file, which these name.
    if b"Main-File" in head and parse_tree(data).css_first("link[rel=Main-File]"):
        return "part of an Office page"
    # YARD shows the list of a program's classes in a frame. The file has no text, because a script
    # fills it. Its tag `<base target="_parent">` lets all links open outside of the frame.
    if _FRAME_BASE.search(head) and not parse_tree(data).css_first(_TEXT):
        return "list for a frame"
    # Javadoc writes its comment at the start of the head of each page.
    if head.find(b"<!-- Generated by javadoc", 0, 1024) >= 0 and _links_to_frames_only(data):
        return "list for a frame"
    # Doxygen's search results have this mark at the beginning of the body.
    if data.find(b'class="SRPage"', len(head), len(head) + 200) >= 0:
        return "search result"
    return ""


def _has_placeholder_title(data: bytes) -> bool:
    """Whether the language or the whole title of a file is a placeholder, so it is a template.

    `<html lang="{{ lang }}">` or `<title>{{ .Title }} | {{ .Site.Title }}</title>`. A page of
    AngularJS may have such a title too, which the browser fills in.
    """
    tree = parse_tree(data)
    if tree.css_first(_ANGULAR_APP):
        return False
    if tree.css_first('html[lang^="{{"]'):
        return True
    title = tree.css_first("head title")
    text = title.text().strip() if title else ""
    return text.startswith("{{") and text.endswith("}}")


def _links_to_frames_only(data: bytes) -> bool:
    """Whether a file has links, and all of them open in a named frame: `target="classFrame"`.

    Javadoc's `allclasses-frame.html`, a list of classes in a frame, is such a file. Its pages have
    links without a target or with `target="_top"`, too.
    """
    links = parse_tree(data).css("a[href]")
    targets = [link.attributes.get("target") or "_self" for link in links]  # by default, `_self`
    are_all_frames = not any(target.startswith("_") for target in targets)
    return bool(targets) and are_all_frames


def _part_without_head(path: str, data: bytes) -> str:
    """Recognizes a file without a head that is only a part of a page. "" if it may be a page.

    A page may be written without `<head>` and `<title>`, so only these files are no pages:

    | the file                                                    | result                       |
    |-------------------------------------------------------------|------------------------------|
    | is an `a.html` that begins with `{% extends %}` or `<?php`  | "template"                   |
    | has a name such as `posts/tea/index.src.html`: the source   | "source or output of a page" |
    | of a post, or the output of a notebook, beside the page     |                              |
    | has `<li ng-repeat="tea in teas">`                          | "view of an app"             |
    | has only a `<nav>` or a `<footer>`                          | "no content of its own"      |
    | has only links, and no `<body>`                             | "list of links"              |
    """
    before_content = _BEFORE_CONTENT.match(data, 0, _START)  # such as a comment
    content_start = before_content.end() if before_content else 0
    starts_like_template = data.startswith(_TEMPLATE_STARTS, content_start)
    # In `a.html`, servers do not run `<?php`. In `a.php` they do, so that file may be a page.
    if starts_like_template and is_page_name(path):
        return "template"
    if _SOURCE_OR_OUTPUT.search(path):
        return "source or output of a page"
    # AngularJS loads views into the page with `ng-app`, which is no view itself. The bytes are
    # searched first, because parsing is slow.
    may_be_view = b"{{" in data or b" ng-" in data
    if may_be_view and b"ng-app" not in data and _is_view(data):
        return "view of an app"
    if _has_nothing_but(_INVISIBLE_OR_NAVIGATION, data):
        return "no content of its own"
    if not _BODY.search(data) and _holds_only_links(data):
        return "list of links"
    return ""


def _is_view(data: bytes) -> bool:
    """Whether a file is a view: a part of a page in which AngularJS or a template fills in values.

    `<li ng-repeat="tea in teas">` shows it, and so does `<h1>{{ title }}</h1>` in a short text. A
    text of 200 characters or more may be an article about templates. So may a `{{` in code.
    """
    tree = _visible(data)
    if tree.css_first(_VIEW):
        return True
    _remove(tree, _CODE)
    has_placeholder = tree.body is not None and "{{" in (tree.body.html or "")
    return has_placeholder and text_length(tree.body) < _LITTLE_TEXT


def _holds_only_links(data: bytes) -> bool:
    """Whether a file is a list of links: nine tenths of its text are in links and buttons.

    Menus that frames show are like this, such as dartdoc's sidebars and Dokka's navigation. A file
    without text is none.
    """
    tree = _visible(data)
    length = text_length(tree.body)
    _remove(tree, "a[href], button")
    return length > 0 and text_length(tree.body) <= length / 10


def _generated_beside_pages(path: str, data: bytes) -> str | None:
    """Says which kind of file Sphinx has generated beside the pages, None for all other files.

    `search.html` and `search/index.html` → "search page". `genindex.html`, `genindex-A.html`,
    `py-modindex.html` and `genindex/index.html` → "generated index". A mark in the file must
    confirm it, because a page may have such a name too.
    """
    name = path.removesuffix("/index.html").rpartition("/")[2]
    is_named_search = name in ("search", "search.html")
    if is_named_search and b"searchtools.js" in data and b'id="search-results"' in data:
        return "search page"
    is_named_index = name.startswith("genindex") or "-modindex" in name
    if is_named_index and b"documentation_options" in data[:_START].lower():
        return GENERATED_INDEX
    return None


def _kind_by_scripts(data: bytes) -> str | None:
    """Says what a file with scripts is if it shows nothing without them. None if it may be a page.

    Called for files of less than 4 KB, because a page mostly has more.

    | the file has                           | result          | because                           |
    |----------------------------------------|-----------------|-----------------------------------|
    | a meta refresh                         | None            | crawlers follow it: a redirect    |
    | an image, or a link in `<noscript>`    | None            | it shows them without scripts     |
    | text                                   | None            | it shows the text without scripts |
    | `<script src="/main.tsx">`             | "app shell"     | no browser runs it: not built yet |
    | `<script src="/main.js">`              | None            | the script may show content       |
    | `<script>document.write(a)</script>`   | None            | the script may show content       |
    | `<script>start()</script>`             | None            | the script may do anything        |
    | `<script>location = "/tea/"</script>`  | "shows nothing" | it only redirects                 |

    Scripts are not interpreted: the words in them decide.
    """
    if b"refresh" in data.lower():
        return None
    tree = parse_tree(data)
    if tree.css_first(f"noscript a[href], {_MEDIA}"):
        return None
    scripts = tree.css("script")
    files = [script.attributes.get("src") or "" for script in scripts]
    texts = [script.text() for script in scripts]
    # A file with text is a page.
    _remove(tree, _INVISIBLE)
    if text_length(tree.body):
        return None
    if any(file.partition("?")[0].endswith(_BUNDLER_ENDINGS) for file in files):
        return "app shell"
    if not texts or any(files):  # what the script in a file does is not known
        return None
    for text in texts:
        may_show_content = any(word in text for word in _PAGE_WORDS)
        redirects = any(word in text for word in _REDIRECT_WORDS)  # or answers another window
        if may_show_content or not redirects:
            return None
    return "shows nothing"


def _is_shell(path: str, data: bytes) -> bool:
    """Whether a file has no content until a script fills it in, so that it is no page.

    By the first of these that the file is:

    | the file is                                                              | result |
    |--------------------------------------------------------------------------|--------|
    | what Next writes for a page that only redirects, without text            | True   |
    | the `iframe.html` of Storybook, in which it shows a component            | True   |
    | in a folder or an `index.html`: it may be the page of its own URL        | False  |
    | a fallback, such as `200.html` of SvelteKit: the app that a server sends | True   |
    | for each URL path without a file                                         |        |
    | any other                                                                | False  |
    """
    if data.find(b'id="__next_error__"', 0, 512) >= 0:  # Next
        return _has_nothing_but(_INVISIBLE, data)
    if path.endswith("iframe.html") and any(mark in data for mark in _PREVIEW_MARKS):
        return True
    if "/" in path or path.startswith("index."):
        return False
    # A server sends a fallback for `/a` and for `/a/b/c`. From these two, `./app.js` would lead to
    # two files, `/app.js` and `/a/b/app.js`. So a fallback has no relative paths.
    has_fallback_mark = any(mark in data for mark in _FALLBACK_MARKS)
    has_relative_path = any(mark in data for mark in _RELATIVE_PATHS)
    return has_fallback_mark and not has_relative_path


def _visible(data: bytes) -> LexborHTMLParser:
    """Parses a file to a tree, without elements that show nothing, such as scripts."""
    tree = parse_tree(data)
    _remove(tree, _INVISIBLE)
    return tree


def _remove(tree: LexborHTMLParser, selector: str) -> bool:
    """Removes the elements that match a selector. Returns whether there were any."""
    nodes = tree.css(selector)
    for node in reversed(nodes):  # inner ones first, because a node is freed with its content
        node.decompose()
    return bool(nodes)


def _has_nothing_but(selector: str, data: bytes) -> bool:
    """Whether a file has elements that match a selector, and nothing to see besides them.

    With `nav, footer`: True for a file with only a menu. Without it, the file has no text, image,
    form or other media.
    """
    tree = parse_tree(data)
    has_any = _remove(tree, selector)
    body = tree.body
    if not has_any or body is None:
        return False
    return not body.text().strip() and body.css_first(_MEDIA) is None
