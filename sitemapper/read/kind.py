"""HTML files that are not pages: other formats, app shells, fragments of pages. Pure.

In doubt, a file counts as a page. If other files of the site decide, the kind begins with `?`, and
read/context.py reads them. The line after a kind is the line of its evidence.

Of 140,745 files of documentation in 71 Debian packages, 18 have no doctype, `html`, `head` or
`title`, and 13 of them are pages. The 318 files with a name that begins with "_" are all pages. So
neither is enough evidence.
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
OWN_REPORT, INDEX = "report of sitemapper", "generated index"
# Kinds that are pages after all if no script loads them, a page links to them, the site has the
# named file.
LOADED, UNLINKED, LACKS = "?loaded", "?unlinked", "?lacks:"
_START = 64 * 1024  # bytes in which a page must show that it is one
_PAGE = re.compile(rb"<(?:!doctype|html|head|title)(?=[\s/>])", re.IGNORECASE)
_TITLE = rb"(?i)<title(?=[\s/>])"
_MODULE = rb"type=[\"']?module|rel=[\"']?modulepreload|\bimport\("
# The roots of XML for machines. Copies of WordPress and Ghost store some under the name of a page.
_FOREIGN_ROOT = re.compile(
    rb"""
    (?: \xef\xbb\xbf )?                                     # a byte order mark
    (?> \s* < (?: \?.*?\? | !--.*?-- | !doctype[^<>]* ) > )*+  # a declaration, comments
    \s*
    < (?: rss | feed | rdf:rdf | rsd | oembed | opml | urlset | sitemapindex | manifest
        | opensearchdescription ) [\s/>]
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKUP = rb"<[a-zA-Z!?/]"
_SHORT = 16 * 1024  # bytes; pages that show nothing are smaller
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]")
# An unrendered template, recognised by its first statement or an expression in place of a value.
_STATEMENT = rb"""(?isx)
    (?> \s* <!-- (?!\#) .*? --> )*+ \s*  # after comments
    (?: \{%                            # Jinja, Liquid, Twig
      | \{\{ [\#{]                      # Handlebars
      | <%                             # EJS, ERB
      | <\?php
      | (<!--\#include)                 # server-side includes
    )
"""
_UNFILLED = rb"""(?ix)
    <html\b [^<>]* \blang= ["']? \{\{                                      # <html lang="{{
  | <title [^<>]* > (?> \s* \{\{ [^<>{}]* \}\} [^<>{}\w]* )++ </title>     # only placeholders
"""
_ANGULAR = rb"\bng-(?:app|bind|controller)\b"  # its titles are filled in by the browser
# What only the fallback pages of Nuxt, SvelteKit and React Router contain.
_UNRENDERED = (b'data-ssr="false"', b"kit.start(app, element);", b'"isSpaMode":true')
# A fallback for pages in all folders loads its scripts by absolute paths.
_RELATIVE = rb"""(?:\b(?:src|href)=|\bimport\()["']?\.\.?/"""
# Pages that Sphinx generates for itself, by name and mark.
_SEARCH = rb"\ssrc=[\"']?[^\s\"'<>]{0,200}\bsearchtools\.js"
_INDEX = r"(?:^|/)(?:genindex|genindex-[^/]+|[^/]+-modindex)(?:\.html?|/index\.html?)$"
_OPTIONS = rb"(?i)\bdocumentation_options\b"
_RESULT = r"(?:^|/)search/(?!index\.)[^/]+$"
_PREVIEW = rb"\bsb-nopreview\b|\bid=[\"']?storybook-root\b"
_INVISIBLE = "script, style, template, noscript"
_PARTS = f"{_INVISIBLE}, nav, header, footer, aside"
_MEDIA = (
    "img, svg, canvas, video, audio, iframe, frame, object, embed, input, textarea, select, math"
)
_TEXT = "p, pre, table, dl"  # lists do not have these
_BODY = rb"(?i)<body(?=[\s/>])"
# In a part of an Office page, the link to that page.
_MAIN_FILE = rb"(?i)<link\b[^<>]*\srel=[\"']?Main-File\b"
# Files that some generators leave beside pages: outputs of notebooks, and the sources of posts.
_SOURCE = r"""(?x)
    (?: ^ | / ) build/ (?: [^/]* \W )? [0-9a-f]{32,64} \.html? $  # an output, named by its hash
  | \.src\.html $                                                 # the source of a post
"""
_BINDING = rb"\sng-[a-z]|\{\{"
# A module that only a bundler can read, or may have to.
_MODULE_FILE = rb"""(?x)
    <script\b (?= [^<>]* \bmodule\b ) [^<>]*
    \bsrc= ["']?
    (?P<path>
        [^"'\s<>?]+ \.
        (?: (?P<source> tsx? | jsx | vue | svelte )  # only a bundler can read it
          | m?js )                                   # the browser may
    )
    ["'\s>?]
"""
# Signs of a page that nobody opens: no title, or a redirect.
_NEVER_SHOWN = rb"""(?ix)
    <noscript> \s* <meta [^<>]* \bhttp-equiv= ["']? refresh
  | <title [^<>]* > \s* </title
"""
_FRAME_BASE = re.compile(
    rb"<base\s(?![^<>]*\bhref)[^<>]*\btarget=[\"']?_(?:parent|top)\b", re.IGNORECASE
)
# A link to another frame by its name, as `target="classFrame"`. Those that begin with "_", such as
# `_top` and `_blank`, also stand in pages of Javadoc.
_LINK_TO_FRAME = rb"(?i)\starget=[\"']?(?!_)\w"
_FEW_BYTES, _LITTLE_TEXT = 4096, 200  # a page that only redirects has fewer
_REFRESH = rb"(?i)http-equiv=[\"']?refresh"
_WORDS = (b"opener", b"parent", b"window.close")
_SPEAKS = rb"\b(?:location|opener|parent|window\.close)\b"
# The start of a statement that always runs: it begins a block, or follows a semicolon or a line
# that is no condition. For use with (?x).
_ALWAYS = r"""
    (?: (?<![^;{}])                         # after a semicolon or a brace, or at the start
      | (?<=\n) (?<!\)\n) (?<!\belse\n)     # on a new line, not after `if (…)`, `else`
    ) \s?
"""
_LOCATION = r"(?:(?:window|document|self|top|parent)\.){0,2}location"
# Except for statements that lead to the page itself or out of a frame.
_MOVES = rf"""(?x)
    {_ALWAYS} {_LOCATION}
    (?: (?:\.href)? \s? = (?!=)          # `location = …`, `location.href = …`
      | \. (?:replace|assign) \( )       # `location.replace(…)`
    \s?+ (?! {_LOCATION}\b )             # not to `location` itself, such as `location.pathname`
"""
_JS_COMMENT = r"(?s)/\*.*?(?:\*/|\Z)|(?<![:\"'\w])//[^\n]*"
_JS_SPACE = r"\s+"  # one of each run remains
# A block. Its text counts if it always runs: a function called at once, on loading or after a
# while.
_FUNCTION = r"""
    (?: (?:async[ ])? function \s? \w{0,20} \s? \( \w{0,20} \)  # `function name(argument)`
      | \(? \w{0,20} \)? \s? =>                                 # `(argument) =>`
    ) \s?
"""
_JS_BLOCK = rf"""(?x)
    # a function that is called at once: `(function() {{ … }})()`
    {_ALWAYS} [!+]? \( \s? {_FUNCTION} \{{ (?P<called> [^{{}}]* ) \}} \s?
    \)? \s? (?: \( | \.call\( )

    # `try {{ … }}`, or a function for a later time
  | {_ALWAYS}
    (?: try
      | (?:window\.)? (?: setTimeout\( \s? | onload \s? = \s? ) {_FUNCTION}
      | (?: (?:window|document) \. )? addEventListener\( \s?
        ["'] (?:DOMContentLoaded|load) ["'] \s? , \s? {_FUNCTION}
    )
    \s? \{{ (?P<later> [^{{}}]* ) \}}

    # a statement in quotes, for a later time
  | {_ALWAYS} (?:window\.)? setTimeout\( \s? ["'] (?P<quoted> [^\n]{{1,300}}? ) ["'] \s? ,

    # any other block, which may not run
  | \{{ [^{{}}]* \}}
"""
# What may insert something into a page, or depends on the reader.
_WRITES = r"""(?x)
    \bdocument\b  # except for what changes nothing
    (?! \s? \. \s? (?: readyState | addEventListener | location | referrer | domain ) \b )
  | \b (?:inner|outer) (?:HTML|Text) \b | \btextContent\b
  | \b (?:append|insert|prepend) \w* \s? \(
  | \bimport\b | \beval\b
    # the reader's language, state and browser, and dialogs
  | \blanguages?\b | \bcookie\b | \b (?:local|session) Storage \b | \buserAgent\b
  | \balert\b | \bprompt\b
"""
_JS_CHOICE = r"\bnavigator\b|\blanguages?\b|\bcookie\b|\blocalStorage\b|\breturn\b"
Sign = re.Match[bytes] | bool | None  # of a kind: its position, or whether it is there


def kind_of(path: str, data: bytes, end: int | None) -> str | None:
    """What a file is if it is not a page, such as "app shell" or "fragment:3". None for a page.

    `end` is that of its head (`head_end`).
    """
    if data.find(_REPORT_MARK, 0, 64) >= 0:
        return OWN_REPORT
    has_marks = bool(_PAGE.search(data, 0, _START))
    if _is_foreign(data, has_marks):
        return "not HTML"
    head = data[: end or _START]
    part = _page_part(data, head) if has_marks else _loose_part(path, data)
    if part:
        return _named("fragment", data, part)
    is_utf16 = data.startswith(_UTF16)
    if not (has_marks or is_utf16 or re.search(_MARKUP, data)):
        return "not HTML"
    is_short = len(data) < _FEW_BYTES  # as a page that only redirects
    has_script = is_short and b"<script" in data
    kind = _generated_beside_pages(path, data)
    if kind is None and is_short:
        kind = _kind_by_script(data, has_script)
    if kind:
        return kind
    if has_marks:
        return _unread(path, data, head, has_script)
    if is_utf16 or re.search(_BODY, data):
        return None
    return LOADED


def _generated_beside_pages(path: str, data: bytes) -> str | None:
    """The kind of a file that a generator writes beside the pages, by the generator's mark."""
    start = data[:_START]
    if path.rpartition("/")[2] == "search.html":
        if re.search(_SEARCH, start) and b'id="search-results"' in data:
            return "search page"
    may_be_index = "genindex" in path or "-modindex" in path
    if may_be_index and re.search(_INDEX, path) and re.search(_OPTIONS, start):
        return INDEX
    return None


def _named(name: str, data: bytes, sign: Sign) -> str:
    """A kind with the line of its evidence."""
    if not isinstance(sign, re.Match):
        return name
    line = data.count(b"\n", 0, sign.end()) + 1
    return f"{name}:{line}"


def _is_foreign(data: bytes, has_marks: bool) -> bool:
    """Whether a file is empty, a feed, JSON or binary."""
    if not data or data.isspace() or _FOREIGN_ROOT.match(data, 0, _START):
        return True
    if _JSON.match(data):
        with suppress(ValueError, RecursionError):
            json.loads(data)
            return True
        return False
    return not has_marks and not data.startswith(_UTF16) and data.find(b"\0", 0, _START) >= 0


def _page_part(data: bytes, head: bytes) -> Sign:
    """The evidence that a file with a head is an unrendered template, or only in frames."""
    if b"{{" in head:
        placeholder = re.search(_UNFILLED, head)
        if placeholder and not re.search(_ANGULAR, data):
            return placeholder
    if head.find(b"Main-File", 0, 1024) >= 0:
        office_link = re.search(_MAIN_FILE, head)
        if office_link:
            return office_link
    frame_base = _FRAME_BASE.search(head)  # YARD's lists
    if frame_base and not parse_tree(data).css_first(_TEXT):
        return frame_base
    # Javadoc writes its comment at the start of the head of each page.
    if head.find(b"<!-- Generated by javadoc", 0, 1024) >= 0:
        frame_link = re.search(_LINK_TO_FRAME, data)
        if frame_link and _leads_to_frames_only(data):
            return frame_link
    # Doxygen's search results have this mark at the beginning of the body.
    return data.find(b'class="SRPage"', len(head), len(head) + 200) >= 0


def _leads_to_frames_only(data: bytes) -> bool:
    """Whether all links open in a frame with a name of its own, as in `allclasses-frame.html`."""
    links = parse_tree(data).css("a[href]")
    targets = [link.attributes.get("target") or "_self" for link in links]
    return all(not target.startswith("_") for target in targets)


def _loose_part(path: str, data: bytes) -> Sign:
    """The evidence that a file without a head is an unrendered template, a frame or a list of
    links.
    """
    start = data[:_START]
    statement = re.match(_STATEMENT, start) if is_page_name(path) else None
    if statement:
        is_include = bool(statement[1])  # which some servers fill in before a page
        if not is_include or text_length(_visible(data).body) < _LITTLE_TEXT:
            return statement
    if re.search(_SOURCE, path):
        return True
    binding = re.search(_BINDING, start)
    if binding and b"ng-app" not in data and _is_view(data):
        return binding
    if _holds_only(_PARTS, data):
        return True
    if re.search(_BODY, data):
        return False
    # Menus and indexes that frames show: nine tenths of the text are in links and buttons.
    tree = _visible(data)
    length = text_length(tree.body)
    _remove(tree, "a[href], button")
    return length > 0 and text_length(tree.body) <= length / 10


def _is_view(data: bytes) -> bool:
    """Whether an app fills in a file by attributes, or by `{{ … }}` beside little text.

    What stands in code may be an example.
    """
    tree = _visible(data)
    _remove(tree, "pre, code, kbd, samp, textarea")
    for node in tree.css("*"):
        for name, value in node.attributes.items():
            if name.startswith("ng-") or (value and "{{" in value):
                return True
    if tree.body is None or "{{" not in tree.body.text():
        return False
    return text_length(tree.body) < _LITTLE_TEXT


def _unread(path: str, data: bytes, head: bytes, has_script: bool) -> str | None:
    """The kind of a file with a head that no reader opens. None if readers may open it.

    It is an app shell, or a result in the index of a search without a title.
    """
    if has_script:
        shell = _unbuilt_shell(data)
        if shell:
            return shell
    if _is_shell(path, data, head):
        return "app shell"
    is_search_result = "search/" in path and re.search(_RESULT, path)
    if not is_search_result:
        return None
    title = re.search(_TITLE, head)
    if title and not re.match(_NEVER_SHOWN, head[title.start() :]):
        return None
    return UNLINKED


def _unbuilt_shell(data: bytes) -> str | None:
    """The kind of a file that shows nothing but a module that only a bundler can read.

    A module in a folder `src` may be such a source, if the site does not have its file.
    """
    module = re.search(_MODULE_FILE, data)
    if module is None:
        return None
    path = module["path"]
    is_source = module["source"] is not None
    is_in_source_folder = b"/src/" in b"/" + path and b"//" not in path
    if not (is_source or is_in_source_folder) or not _holds_only(_INVISIBLE, data):
        return None
    shell = _named("app shell", data, module)
    if is_source:
        return shell
    return f"{LACKS}{path.decode('utf-8', 'replace')}:{shell}"


def _is_shell(path: str, data: bytes, head: bytes) -> bool:
    """Whether an app fills in a file that has nothing to show by itself."""
    if data.find(b'id="__next_error__"', 0, 512) >= 0:  # Next's redirect()
        return _holds_only(_INVISIBLE, data)
    name = path.rpartition("/")[2]
    if name == "iframe.html" and re.search(_PREVIEW, data):  # Storybook's preview
        return True
    if "/" in path:
        is_shell = _is_hidden(data, head)
    elif path.startswith("index."):
        return False
    else:
        is_shell = _is_fallback(data)
    return is_shell and not re.search(_RELATIVE, data)


def _is_hidden(data: bytes, head: bytes) -> bool:
    """Whether a file in a folder shows nothing, and has an empty title or a redirect.

    Parsing is slow, so the title and the redirect are looked for first, in the head.
    """
    title_end = head.find(b"</title")
    # "" without a title; 99 bytes hold the end of its start tag and white space
    before_title_end = head[max(title_end - 99, 0) : max(title_end, 0)].rstrip()
    has_empty_title = before_title_end.endswith(b">")
    may_redirect = len(data) < _SHORT and b"<noscript" in head
    if not (has_empty_title or may_redirect):
        return False
    if not re.search(_NEVER_SHOWN, head):
        return False
    return _holds_only(_INVISIBLE, data)


def _is_fallback(data: bytes) -> bool:
    """Whether a file at the top stands for all pages of an app: by its mark, or a module alone."""
    if any(mark in data for mark in _UNRENDERED):
        return True
    if re.search(_TITLE, data[:_START]) or not re.search(_MODULE, data):
        return False
    return _holds_only(_INVISIBLE, data)


def _kind_by_script(data: bytes, has_script: bool) -> str | None:
    """The kind of a short page whose scripts only redirect, or message another window.

    None for other pages, and for those with a refresh, which crawlers follow too.
    """
    mentions_windows = has_script and any(word in data for word in _WORDS)
    if b"location" not in data and not mentions_windows:
        return None
    if re.search(_REFRESH, data):
        return None
    tree = parse_tree(data)
    elements = tree.css("script")
    in_page = [node.text() for node in elements if "src" not in node.attributes]
    scripts = [_without_comments(script) for script in in_page]
    on_load = ""
    if tree.body:
        on_load = tree.body.attributes.get("onload") or ""
    shows_media = tree.css_first(f"noscript a[href], {_MEDIA}") is not None
    # From here on, nodes are removed from the tree.
    _remove(tree, _INVISIBLE)
    length = text_length(tree.body)
    if length < _LITTLE_TEXT:
        for script in (_without_comments(on_load), *scripts):
            statement = _redirect_in(script)
            if statement:
                text = statement.strip("\n\t ;({").encode()
                return _named("redirect by script", data, re.search(re.escape(text), data))
    has_other_scripts = on_load or len(scripts) < len(elements)
    if length or shows_media or has_other_scripts or not scripts:
        return None
    # Scripts that message another window or redirect this one, and change nothing here.
    for script in scripts:
        mentions_window = re.search(_SPEAKS, script.encode())
        if not mentions_window or re.search(_WRITES, script):
            return None
    return "shows nothing"


def _without_comments(script: str) -> str:
    return re.sub(_JS_COMMENT, "", script)


def _redirect_in(script: str) -> str | None:
    """The statement of a script without comments that redirects every reader, None without one.

    Blocks are replaced from the inside out: one that always runs by its statements, others by
    nothing. Then each redirect that is left always runs.
    """
    on_lines = re.sub(_JS_SPACE, _one_space, script)
    if re.search(_JS_CHOICE, on_lines):
        return None
    without_blocks = on_lines
    replaced = 1
    while replaced:  # a file of 4 KB has few levels of nesting
        without_blocks, replaced = re.subn(_JS_BLOCK, _always_run, without_blocks)
    redirect = re.search(_MOVES, without_blocks)
    return redirect[0] if redirect else None


def _one_space(run: re.Match[str]) -> str:
    """A line end for a run of white space with one, else a space."""
    return "\n" if "\n" in run[0] else " "


def _always_run(block: re.Match[str]) -> str:
    """The statements of a block that always run."""
    statements = block["called"] or block["later"] or block["quoted"] or ""
    return f";{statements};"


def _visible(data: bytes) -> LexborHTMLParser:
    """The tree without invisible elements."""
    tree = parse_tree(data)
    _remove(tree, _INVISIBLE)
    return tree


def _remove(tree: LexborHTMLParser, selector: str) -> bool:
    """Removes the elements that match a selector. Returns whether there were any."""
    nodes = tree.css(selector)
    for node in reversed(nodes):  # this frees its content too
        node.decompose()
    return bool(nodes)


def _holds_only(selector: str, data: bytes) -> bool:
    """Whether a file shows nothing but such elements."""
    tree = parse_tree(data)
    has_any = _remove(tree, selector)
    body = tree.body
    if not has_any or body is None:
        return False
    return not body.text().strip() and body.css_first(_MEDIA) is None
