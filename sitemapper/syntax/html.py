"""Parses the bytes of a page to a tree, or only the tags of its head. Never raises, opens no files.

lexbor, an HTML5 parser, runs with scripting off, as in a crawler.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

SIZE_LIMIT = 15 * 1024 * 1024  # bytes; Google reads no more of a page
_HEAD_LIMIT = 64 * 1024  # bytes; 99.9 % of heads end within 16 KB
_BODY = re.compile(rb"<(?:body|frameset)(?=[\t\n\f\r />])", re.IGNORECASE)
_VALUE = rb"(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=`]++)"
# As in breadcrumbs of Docusaurus.
_MICRODATA = rb"(?:\s++(?:itemprop|content|property)=" + _VALUE + rb")++\s*+/?>"
_META = re.compile(rb"<meta(?!" + _MICRODATA + rb")", re.IGNORECASE)  # which may be for robots
_MARK = f"m{os.urandom(8).hex()}"
_MARKER = f"<base id={_MARK}>".encode()

# Elements left open, for each of which an HTML5 parser may look at all others, and steps that end
# tags without an element may take through them: of a page that has more, only the beginning is
# parsed.
_OPEN_LIMIT = 30_000
_STEP_LIMIT = 300_000_000
_VOID = (b"<br", b"<img", b"<input", b"<link", b"<meta", b"<hr", b"<path", b"<!--")
# A parser compares each attribute of a tag with all others, so a page is cut before a tag with
# more.
_ATTRIBUTE_LIMIT = 1_000
_LONG_TAG = re.compile(rb"<[a-zA-Z][^>]{4096,}+")
_STRIDE = 2048  # a long tag contains an aligned block of this many bytes
_ATTRIBUTE = re.compile(rb"""[^\s"'=/]++(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]++))?""")

_S = r"[\t\n\f\r ]"  # a space of HTML
_ATTRIBUTES = rf"""
    (?>
        {_S}++ [a-z][a-z0-9:._-]*+                                        # the name
        (?: {_S}*+ = {_S}*+
            (?: '[^'<>]*+' | "[^"<>]*+" | [^\t\n\f\r "'<>=`]++ )         # the value
        )?+
    )*+
    {_S}*+ /?>
"""
# A comment that every parser ends at the same place, without the beginning of a tag that counts.
_PLAIN_COMMENT = r"""
    <!-- (?! -?> ) [^<-]*+
    (?: (?: < (?! link|meta|base ) | - (?! -!?> ) ) [^<-]*+ )*+
    -->
"""
# A head in lower case that every parser reads alike: it has only the elements of heads, and no
# attribute or content looks like another tag.
_PLAIN_HEAD = re.compile(
    rf"""
    (?> {_S}++ | {_PLAIN_COMMENT} )*+
    (?: <!doctype {_S} [^<>]*+ > )?+
    (?> {_S}++ | {_PLAIN_COMMENT} )*+
    (?: <html {_ATTRIBUTES} )?+
    (?> {_S}++ | {_PLAIN_COMMENT} )*+
    (?: <head {_ATTRIBUTES} )?+
    (?>
        {_S}++
        | < (?>
            (?: meta|link|base ) {_ATTRIBUTES}
            | script {_ATTRIBUTES}
              [^<]*+ (?: < (?! /script|!--|link|meta|base ) [^<]*+ )*+
              </script {_S}*+ >
            | title {_ATTRIBUTES} [^<]*+ </title {_S}*+ >
            | style {_ATTRIBUTES} [^<]*+ </style {_S}*+ >
            | noscript> (?> {_S}++ | <link {_ATTRIBUTES} )*+ </noscript>
          )
        | {_PLAIN_COMMENT}
    )*+
    (?: </head {_S}*+ > {_S}*+ )?+
    """.encode(),
    re.VERBOSE,
)
_TAG = re.compile(rb"<[a-zA-Z][^>]{4096,}+")
_STRIDE = 2048  # a long tag contains an aligned block of this many bytes
_ATTRIBUTE = re.compile(rb"""[^\s"'=/]++(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]++))?""")

# A head in lower case that every parser reads alike: it has only the elements of heads, and no
# attribute or content looks like another tag. S is a space, A the attributes of a tag, R a comment.
_PLAIN_HEAD = re.compile(
    (
        rb"(?>S++|R)*+(?:<!doctypeS[^<>]*+>)?+(?>S++|R)*+(?:<htmlA)?+(?>S++|R)*+(?:<headA)?+"
        rb"(?>S++|<(?>(?:meta|link|base)A|scriptA[^<]*+(?:<(?!/script|!--|link|meta|base)[^<]*+)*+</scriptS*+>"
        rb"|titleA[^<]*+</titleS*+>|styleA[^<]*+</styleS*+>|noscript>(?>S++|<linkA)*+</noscript>)|R)*+"
        rb"(?:</headS*+>S*+)?+"
    )
    .replace(b"R", rb"<!--(?!-?>)[^<-]*+(?:(?:<(?!link|meta|base)|-(?!-!?>))[^<-]*+)*+-->")
    .replace(
        b"A",
        rb"(?>S++[a-z][a-z0-9:._-]*+(?:S*+=S*+(?:'[^'<>]*+'|\"[^\"<>]*+\"|[^S\"'<>=`]++))?+)*+S*+/?>",
    )
    .replace(b"[^S", rb"[^\t\n\f\r ")
    .replace(b"S", rb"[\t\n\f\r ]")
)
_TAG = re.compile(rb"<(?:base|link|meta)[^<>]*+>")
_IS_CODED = re.compile(rb"(?:name|equiv|rel)\s*=\s*(?:\"[^\"]*&#|'[^']*&#|[^\s\"'>]*&#)")
_IS_LITERAL = re.compile(
    r"[ -%'-~\t\n\f]+"
)  # without characters that a parser or a decoder changes
_PAIR = re.compile(
    r"""\s([a-z][^\s>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?+""", re.IGNORECASE
)
Attributes = dict[str, str | None]


class Tags(NamedTuple):
    """The attributes, with names in lower case, of each `meta`, and of what counts in the head
    only: `meta`, `link`, `base`. A refresh for readers without scripts stands apart, with the
    scripts of the head."""

    metas: list[Attributes]
    head_metas: list[Attributes]
    links: list[Attributes]
    bases: list[Attributes]
    noscript: Sequence[Attributes] = ()
    scripts: str = ""


_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CHARSET = re.compile(rb"<meta[^<>]*?charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_MARKUP_IS_ASCII = re.compile(
    r"windows-125[0-8]|iso-8859-([2-9]|1[03456])|koi8-[ru]|gbk|gb2312|gb18030|big5|euc-jp|euc-kr|shift_jis"
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def head_end(data: bytes) -> int | None:
    """The position of the body. None if it is not near the beginning."""
    body = _BODY.search(data, 0, _HEAD_LIMIT)
    return body.start() if body else None


def head_tags(data: bytes, words: Sequence[bytes]) -> Tags | None:
    """The tags, read from the head alone. None if the head does not prove the result for the whole
    page.

    Tags in which none of the `words` stands, in lower case, may be missing.

    Most heads need no parser. In others, a marker is inserted after the head. If the parser finds
    it directly in `head`, it has read everything before it as in the whole page. The marker is
    random, so that no page can contain it.
    """
    end = head_end(data)
    if end is None or _META.search(data, end):
        return None
    head = data[:end]
    if head.isascii() or _encoding(data)[0] == "utf-8":
        tags = _plain_tags(head, words)
        if tags:
            return tags
    # Imported here: a run with a full cache needs no parser.
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_text(head + _MARKER, *_encoding(data)))
    # By name, because this takes half the time of a CSS selector.
    bases = tree.tags("base")
    above = bases[-1].parent if bases else None
    # An open tag would swallow the marker, and more attributes with it.
    if above is None or above.tag != "head" or bases[-1].attributes != {"id": _MARK}:
        return None
    metas = tree.tags("meta")
    return _tags(tree, metas, [*metas, *tree.tags("link"), *bases])


def _plain_tags(head: bytes, words: Sequence[bytes]) -> Tags | None:
    """The tags with one of the words, if every parser reads the head alike.

    None for other heads.
    """
    lower = head.lower()
    if not _PLAIN_HEAD.fullmatch(lower):
        return None
    if b"&#" in lower and any(
        b"&#" in tag and _IS_CODED.search(tag) for tag in _TAG.findall(lower)
    ):
        return None
    starts = set()
    for word in words:
        at = lower.find(word)
        while at >= 0:
            starts.add(lower.rfind(b"<", 0, at + 1))
            at = lower.find(word, at + 1)
    tags: dict[str, list[Attributes]] = {"m": [], "l": [], "b": []}
    for match in filter(None, [_TAG.match(lower, start) for start in sorted(starts)]):
        tag = head[slice(*match.span())].decode("latin-1")
        if not _IS_LITERAL.fullmatch(tag):
            return None
        pairs = reversed(_PAIR.findall(tag))  # the first one with a name counts
        tags[tag[1].lower()].append({name.lower(): a or b or c for name, a, b, c in pairs})
    metas, links, bases = tags.values()
    return Tags(metas, metas, links, bases)


def _tags(tree: LexborHTMLParser, metas: list[LexborNode], in_head: list[LexborNode]) -> Tags:
    """The metas of the page, and all relevant tags in its head."""
    found: dict[str, list[Attributes]] = {"meta": [], "link": [], "base": [], "noscript": []}
    for node in in_head:
        kind = node.tag or ""
        if kind == "meta" and _is_refresh_without_scripts(node):
            kind = "noscript"
        found[kind].append(node.attributes)
    scripts = ""
    if found["noscript"]:
        scripts = "\n".join(node.text() for node in tree.css("head script"))
    return Tags(
        metas=[node.attributes for node in metas],
        head_metas=found["meta"],
        links=found["link"],
        bases=found["base"],
        noscript=found["noscript"],
        scripts=scripts,
    )


def _is_refresh_without_scripts(meta: LexborNode) -> bool:
    """Whether a meta stands in place of a header, for readers without scripts only."""
    if "http-equiv" not in meta.attributes:
        return False
    return meta.parent is not None and meta.parent.tag == "noscript"


def parse_tree(data: bytes) -> LexborHTMLParser:
    """The tree of a page, or of the part that a parser can read in linear time.

    `noscript` is parsed as by a crawler without scripting.
    """
    from selectolax.lexbor import LexborHTMLParser

    if len(data) > 3 * _OPEN_LIMIT and _is_deep(data):
        data = data[:_HEAD_LIMIT]
    if len(data) > _HEAD_LIMIT // 4 and _may_have_long_tag(data):
        data = _before_long_tag(data)
    return LexborHTMLParser(_text(data, *_encoding(data)))


def _may_have_long_tag(data: bytes) -> bool:
    """Whether some block has no end of a tag.

    This takes a tenth of the time of a search for tags.
    """
    starts = range(0, len(data) - _STRIDE, _STRIDE)
    return any(data.find(b">", start, start + _STRIDE) < 0 for start in starts)


def _before_long_tag(data: bytes) -> bytes:
    """The part of a page before the first tag with too many attributes."""
    for tag in _LONG_TAG.finditer(data):
        if len(_ATTRIBUTE.findall(tag[0])) > _ATTRIBUTE_LIMIT:
            return data[: tag.start()]
    return data


def _is_deep(data: bytes) -> bool:
    """Whether very many elements may be open at once, or many end tags may search among them."""
    if data.count(b"<") <= _OPEN_LIMIT:  # too few for either
        return False
    most = opened = closed = 0
    for start in range(0, len(data), _HEAD_LIMIT):
        stop = start + _HEAD_LIMIT
        end_tags = data.count(b"</", start, stop)
        start_tags = data.count(b"<", start, stop) - end_tags
        opened += start_tags - end_tags
        most = max(most, opened)
        closed += end_tags
    if opened > _OPEN_LIMIT:
        return True
    if most * closed < _STEP_LIMIT:
        return False
    void = sum(data.count(tag) for tag in _VOID)  # counted last: few pages come so far
    return (most - void) * closed > _STEP_LIMIT


def all_tags(tree: LexborHTMLParser) -> Tags:
    """The tags of a whole page."""
    head = tree.head
    return _tags(tree, tree.tags("meta"), head.css("meta, link, base") if head else [])


def tune_malloc() -> None:
    """Makes glibc keep freed memory for the next tree.

    lexbor builds a tree for each page: in a run that digests 20,000 pages this saves 0.9 s of 7.
    """
    # Imported here: most runs parse few pages and need no ctypes.
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # no glibc
        return
    for option in (-1, -3):  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
        mallopt(option, 64 << 20)


def _text(data: bytes, encoding: str, start: int) -> bytes | str:
    """The text without NUL.

    UTF-8 stays bytes, because decoding and encoding costs a third of a parse.
    """
    if encoding == "utf-8" and not start and b"\0" not in data:
        with suppress(UnicodeDecodeError):
            data.decode()
            return data
    return data[start:].decode(encoding, "replace").replace("\0", "\ufffd")


def _encoding(data: bytes) -> tuple[str, int]:
    """The encoding and the start of the text:

    by byte order mark, `<meta charset>` near the top, or UTF-8.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name, len(mark)
    start = data[:1024]
    if b"<!--" in start:
        start = _COMMENT.sub(b"", start)
    declared = _CHARSET.search(start)
    label = declared[1].decode().lower() if declared else "utf-8"
    # As browsers have it (WHATWG Encoding): Latin-1 means Windows-1252. Only encodings in which
    # markup is ASCII: a page cannot hide its tags by claiming another, and the quick reader stays
    # right.
    if label in ("iso-8859-1", "latin1", "us-ascii", "ascii"):
        label = "windows-1252"
    return (label if _MARKUP_IS_ASCII.fullmatch(label) else "utf-8"), 0
