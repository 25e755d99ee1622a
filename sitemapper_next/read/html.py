"""The tags of a page that say what it is: from its head alone where that is proven to be enough.

lexbor, an HTML5 parser, decides. It runs with scripting off, as a crawler does: `noscript` counts,
and comments, scripts, templates and text never do. Nothing here raises, whatever the bytes are.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_HEAD_LIMIT = 64 * 1024  # bytes; 99.9 % of heads end within 16 KB
_BODY = re.compile(rb"<(?:body|frameset)(?=[\t\n\f\r />])", re.IGNORECASE)
_VALUE = rb"(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=`]++)"
# Such as the breadcrumbs of Docusaurus have in the body.
_MICRODATA = rb"(?:\s++(?:itemprop|content|property)=" + _VALUE + rb")++\s*+/?>"
_META = re.compile(rb"<meta(?!" + _MICRODATA + rb")", re.IGNORECASE)  # which may be for robots
_MARK = f"m{os.urandom(8).hex()}"
_MARKER = f"<base id={_MARK}>".encode()

_S = r"[\t\n\f\r ]"  # a space of HTML
_NAME = r"[a-z][a-z0-9:._-]*+"
# `"[^"<>]*+"`: Python finds a character in a set three times as fast as one that is in none.
_QUOTED = r'"[\x00-!\#-;=?-\xff]*+"'
_ANY_ATTRIBUTE = rf"""
    {_S}++ {_NAME}
    (?: {_S}*+ = {_S}*+
        (?: '[^'<>]*+' | {_QUOTED} | [^\t\n\f\r "'<>=`]++ )  # the value
    )?+
"""
_ATTRIBUTES = rf"(?: {_ANY_ATTRIBUTE} )*+ {_S}*+ /?>"
# A comment that every parser ends at the same place, without the beginning of a tag that counts.
_PLAIN_COMMENT = r"""
    <!-- (?! -?> ) [^<-]*+
    (?: (?: < (?! link|meta|base ) | - (?! -!?> ) ) [^<-]*+ )*+
    -->
"""
# A head in lower case that every parser reads alike: it has only the elements of heads, and no
# attribute or content looks like another tag. Parsers pass over a second `html`, `head` or doctype.
# It takes long to compile: done when it is used.
_PLAIN_HEAD = rf"""(?x)
    (?:
        {_S}*+
        (?:
            < (?:
                (?: meta|link|base|html|head )
                  (?: [ ] {_NAME} = {_QUOTED} | {_ANY_ATTRIBUTE} )*+  # mostly the first form
                  {_S}*+ /?>
                | script {_ATTRIBUTES}
                  [^<]*+ (?: < (?! /script|!--|link|meta|base ) [^<]*+ )*+
                  </script {_S}*+ >
                | title {_ATTRIBUTES} [^<]*+ </title {_S}*+ >
                | style {_ATTRIBUTES} [^<]*+ </style {_S}*+ >
                | noscript> (?: {_S}++ | <link {_ATTRIBUTES} )*+ </noscript>
                | !doctype {_S} [^<>]*+ >
              )
            | {_PLAIN_COMMENT}
        )
    )*+
    {_S}*+
    (?: </head {_S}*+ > {_S}*+ )?+
""".encode()
# Before Python 3.11.5, a possessive repetition may pass over what its part does not match
# (gh-106052): `<base ` without an end. There, the parser reads all heads.
_HAS_CORRECT_REGEX = sys.version_info >= (3, 11, 5)
# The tags of a plain head that say something. All others, mostly of styles, are passed over.
_TELLING_TAG = re.compile(
    rb"<(?:base|(?:meta|link)\s[^<>]*?"
    rb"(?:robots|googlebot|refresh|canonical|hreflang|og:url))[^<>]*+>"
)
# A name or a relation with a character reference: `name="r&#111;bots"`, which hides the word.
_CODED_NAME = re.compile(
    rb"<(?:meta|link)\s[^<>]*?(?:name|equiv|rel|property)\s*=\s*"
    rb"(?:\"[^\"<>]*&|'[^'<>]*&|[^\s\"'<>]*&)"
)
# Characters that neither a parser nor a decoder changes.
_UNCHANGED = re.compile(r"[ -%'-~\t\n\f]+")
_PAIR = re.compile(
    r"""\s([a-z][^\s>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?+""",
    re.IGNORECASE | re.ASCII,
)

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CHARSET = re.compile(rb"<meta[^<>]*?charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_LATIN = ("iso-8859-1", "latin1", "us-ascii", "ascii")
# Only encodings in which markup is ASCII: a page cannot hide its tags by claiming another.
_MARKUP_IS_ASCII = (
    r"windows-125[0-8]|iso-8859-([2-9]|1[03456])|koi8-[ru]"
    r"|gbk|gb2312|gb18030|big5|euc-jp|euc-kr|shift_jis"
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

Attributes = dict[str, str | None]


class Tags(NamedTuple):
    """The attributes of some tags of a page, with names in lower case.

    `metas` are those of the whole page, because a robots meta counts anywhere; the others are those
    of the head. A meta in a `noscript` is for readers without scripts; `scripts` is the text of the
    scripts beside it.
    """

    metas: list[Attributes]
    head_metas: list[Attributes]
    links: list[Attributes]
    bases: list[Attributes]
    noscript: list[Attributes]
    scripts: str = ""


def read_tags(data: bytes) -> Tags:
    """Reads the meta, link and base tags that may say something about a page.

    Only the head is read, unless what follows it may change the result.
    """
    body = _BODY.search(data, 0, _HEAD_LIMIT)
    if body is None or _META.search(data, body.start()):
        return all_tags(parse(data))
    head = data[: body.start()]
    tags = None
    # In Shift JIS, the byte of `|` may be the second half of a Japanese character.
    if head.isascii() or _find_encoding(data)[0] == "utf-8":
        tags = _read_plain_head(head)
    if tags is None:
        tags = _parse_head(head, data)
    if tags is None:
        return all_tags(parse(data))
    return tags


def _read_plain_head(head: bytes) -> Tags | None:
    """Reads a head that every parser reads alike, without a parser; None for another head."""
    lower = head.lower()
    if not _HAS_CORRECT_REGEX or re.fullmatch(_PLAIN_HEAD, lower) is None:
        return None
    if b"&" in lower and _CODED_NAME.search(lower):
        return None
    metas: list[Attributes] = []
    links: list[Attributes] = []
    bases: list[Attributes] = []
    lists = {b"<meta": metas, b"<link": links, b"<base": bases}
    for match in _TELLING_TAG.finditer(lower):
        tag = head[match.start() : match.end()].decode("latin-1")
        if _UNCHANGED.fullmatch(tag) is None:
            return None
        attributes: Attributes = {}
        # In reverse order, because the first attribute with a name counts.
        for name, double_quoted, single_quoted, unquoted in reversed(_PAIR.findall(tag)):
            attributes[name.lower()] = double_quoted or single_quoted or unquoted
        lists[match[0][:5]].append(attributes)
    return Tags(metas, metas, links, bases, [])


def _parse_head(head: bytes, page: bytes) -> Tags | None:
    """Parses a head; None if something in it is not closed, so that it goes on in the body.

    A marker is put at its end: a base whose ID is random, so that no page contains it. Where the
    parser finds the marker as it is and directly in the head, it has read all tags before it as in
    the whole page. After `<title>Tea` or `<meta content="`, it finds none.
    """
    from selectolax.lexbor import LexborHTMLParser  # costs time where no page is read

    tree = LexborHTMLParser(as_utf8(head + _MARKER, page))
    bases = tree.tags("base")
    above = bases[-1].parent if bases else None
    if above is None or above.tag != "head" or bases[-1].attributes != {"id": _MARK}:
        return None
    return all_tags(tree)


def parse(data: bytes) -> LexborHTMLParser:
    """Parses a page to the tree that a crawler without scripting sees."""
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(as_utf8(data, data))


def all_tags(tree: LexborHTMLParser) -> Tags:
    """Reads the tags of a page from its tree: all metas, and the links and bases of its head."""
    tags = Tags([], [], [], [], [])
    for node in tree.head.css("meta, link, base") if tree.head else ():
        attributes = node.attributes
        if node.tag == "link":
            tags.links.append(attributes)
        elif node.tag == "base":
            tags.bases.append(attributes)
        else:
            tags.metas.append(attributes)
            is_in_noscript = node.parent is not None and node.parent.tag == "noscript"
            kind = tags.noscript if is_in_noscript else tags.head_metas
            kind.append(attributes)
    # `tree.tags` lists all metas of the page, those of the head first.
    for node in tree.tags("meta")[len(tags.metas) :]:
        tags.metas.append(node.attributes)
    if not tags.noscript:
        return tags
    return tags._replace(scripts="\n".join(node.text() for node in tree.css("head script")))


def as_utf8(part: bytes, page: bytes) -> bytes | str:
    """Decodes a part of a page, in the encoding that the page declares, for the parser.

    NUL is replaced, as in browsers. Valid UTF-8 without it stays bytes, because to decode and
    encode it costs a third of a parse. A byte order mark is left out.
    """
    encoding, start = _find_encoding(page)
    if encoding == "utf-8" and not start and b"\0" not in part:
        with suppress(UnicodeDecodeError):
            part.decode()
            return part
    return part[start:].decode(encoding, "replace").replace("\0", "\ufffd")


def _find_encoding(data: bytes) -> tuple[str, int]:
    """Finds the encoding of a page and where its text starts: byte order mark, meta, UTF-8."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name, len(mark)
    start = data[:1024]
    if b"<!--" in start:
        start = _COMMENT.sub(b"", start)
    declared = _CHARSET.search(start)
    if declared is None:
        return "utf-8", 0
    label = declared[1].decode().lower()
    if label in _LATIN:  # which mean Windows-1252 (WHATWG Encoding)
        return "windows-1252", 0
    if re.fullmatch(_MARKUP_IS_ASCII, label):
        return label, 0
    return "utf-8", 0
