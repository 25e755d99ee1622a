"""The tags of a page that say what it is: from its head alone where that is proven to be enough.

lexbor, an HTML5 parser, decides. It runs with scripting off, as a crawler does: `noscript` counts,
and comments, scripts, templates and text never do. Nothing here raises, whatever the bytes are.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_HEAD_LIMIT = 64 * 1024  # bytes; 99.9 % of heads end within 16 KB
_BODY = re.compile(rb"<(?:body|frameset)(?=[\t\n\f\r />])", re.IGNORECASE)
# Such as the breadcrumbs of Docusaurus have in the body.
_MICRODATA = (
    rb"(?:\s++(?:itemprop|content|property)=(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=`]++))++\s*+/?>"
)
_META = re.compile(rb"<meta(?!" + _MICRODATA + rb")", re.IGNORECASE)  # which may be for robots

# `"[^"<>]*+"`: Python finds a character in a set three times as fast as one that is in none.
_QUOTED = r'"[\x00-!\#-;=?-\xff]*+"'
_ATTRIBUTE = rf"""
    (?: \s++ [a-z][a-z0-9:._-]*+ (?: \s*+ = \s*+ (?: {_QUOTED} | '[^'<>]*+' | [^\s"'<>=`]++ ) )?+ )
"""
# A head in lower case that every parser reads alike: it has only the elements of heads, and no
# attribute looks like another tag. Parsers pass over a second `html`, `head` or doctype. It takes
# long to compile: done when it is used. A group that captures something in a possessive repetition
# raises SystemError in CPython 3.11.
_PLAIN_HEAD = rf"""(?x)
    (?:
        \s*+
        (?:
            < (?:
                (?: meta|link|base|html|head )
                  (?: [ ] [a-z][a-z0-9:._-]*+ = {_QUOTED} )*+  # mostly
                  {_ATTRIBUTE}*+ \s*+ /?>
                | script {_ATTRIBUTE}*+ \s*+ /?>
                  [^<]*+ (?: < (?! /script|!-- ) [^<]*+ )*+
                  </script \s*+ >
                | title {_ATTRIBUTE}*+ \s*+ /?> [^<]*+ </title \s*+ >
                | style {_ATTRIBUTE}*+ \s*+ /?> [^<]*+ </style \s*+ >
                | noscript> (?: \s++ | <link {_ATTRIBUTE}*+ \s*+ /?> )*+ </noscript>
                | !doctype \s [^<>]*+ >
              )
            | <!-- (?! -?> ) [^-]*+ (?: - (?! -!?> ) [^-]*+ )*+ -->
        )
    )*+
    \s*+
    (?: </head \s*+ > \s*+ )?+
""".encode()
# Before Python 3.11.5, a possessive repetition may pass over what its part does not match
# (gh-106052): `<base ` without an end. There, the parser reads all heads.
_HAS_CORRECT_REGEX = sys.version_info >= (3, 11, 5)
# The tags of a plain head, and its scripts and comments, in which tags do not count. A tag without
# one of the words is mostly of a style.
_TAG = re.compile(
    rb"<(?:base|link|meta)[^<>]*+>|<script[^>]*+>(?:[^<]++|<(?!/script))*+|<!--(?:[^-]++|-(?!->))*+"
)
_WORD = re.compile(rb"canonical|robots|googlebot|refresh|hreflang|<base")
# A name or a relation with a character code, `name="r&#111;bots"`, which hides the word.
_CODED_NAME = re.compile(rb"(?:name|equiv|rel)\s*=\s*(?:\"[^\"]*&#|'[^']*&#|[^\s\"'>]*&#)")
# Characters that neither a parser nor a decoder changes.
_UNCHANGED = re.compile(r"[ -%'-~\t\n\f]+")
_PAIR = re.compile(
    r"""\s([a-z][^\s>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?+""",
    re.IGNORECASE | re.ASCII,
)

_CHARSET = re.compile(rb"<meta[^<>]*?charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_.:-]+)", re.IGNORECASE)
# Only encodings in which markup is ASCII, and no second byte of a character is a `<`, `>` or quote:
# a page cannot hide its tags by claiming another, and the quick reader stays right.
_MARKUP_IS_ASCII = (
    r"windows-125[0-8]|latin1|iso-8859-([1-9]|1[03456])|koi8-[ru]"
    r"|gbk|gb2312|gb18030|big5|euc-jp|euc-kr|shift_jis"
)

# lexbor goes through all open elements for some tags, and through all attributes of a tag for each.
_MAX_OPEN = 10_000
_MAX_ATTRIBUTES = 1_000
# A tag, unless its element has no end tag or needs none.
_TAG_NAME = re.compile(
    rb"<(/?)(?!(?:area|br|col|d[dt]|hr|img|input|li|link|meta|option|p|source|t[dhr]|wbr)[\s/>])"
    rb"([a-zA-Z][^\s/>]{0,20})"
)
_LONG_TAG = re.compile(rb"<[a-zA-Z][^>]{4096,}+")
_QUOTED_VALUE = re.compile(rb"\"[^\"]*+\"|'[^']*+'")

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
    """Reads the meta, link and base tags that decide how a page is listed.

    For most pages, the head is read by a quick reader, without the parser. That is enough if the
    head is simple and the body has no meta that might be for robots.
    """
    body = _BODY.search(data, 0, _HEAD_LIMIT)
    if body is not None and _META.search(data, body.start()) is None:
        tags = _read_plain_head(data[: body.start()])
        if tags is not None:
            return tags
    return all_tags(parse(data))


def _read_plain_head(head: bytes) -> Tags | None:
    """Reads the tags of a simple head fast, by regular expressions instead of the parser.

    Tags that say nothing about listing, such as a description, are left out. Returns None for a
    head, or one tag in it, that the parser might read in another way: then the parser must decide.
    """
    lower = head.lower()
    if b"\v" in head or not _HAS_CORRECT_REGEX:  # a vertical tab is `\s` for Python only
        return None
    if re.fullmatch(_PLAIN_HEAD, lower) is None:
        return None

    metas: list[Attributes] = []
    links: list[Attributes] = []
    bases: list[Attributes] = []
    # The list for a tag, by its first five characters.
    lists = {b"<meta": metas, b"<link": links, b"<base": bases}
    for match in _TAG.finditer(lower):
        lower_tag = match[0]
        tags_of_kind = lists.get(lower_tag[:5])
        if tags_of_kind is None:  # a script or a comment
            continue
        if b"&#" in lower_tag and _CODED_NAME.search(lower_tag):
            return None  # it may matter, but `_WORD` would not find it
        if _WORD.search(lower_tag) is None:
            continue  # a style or a description, which says nothing about listing
        tag = head[match.start() : match.end()].decode("latin-1")  # not in lower case
        if _UNCHANGED.fullmatch(tag) is None:
            return None  # the parser would decode an `é` or an `&amp;` in it
        attributes: Attributes = {}
        # In reverse order, because the first attribute with a name counts.
        for name, double_quoted, single_quoted, unquoted in reversed(_PAIR.findall(tag)):
            attributes[name.lower()] = double_quoted or single_quoted or unquoted
        tags_of_kind.append(attributes)
    # There is no other meta in the page, and none in a `noscript`.
    return Tags(metas=metas, head_metas=metas, links=links, bases=bases, noscript=[])


def parse(data: bytes) -> LexborHTMLParser:
    """Parses a page to the tree that a crawler without scripting sees.

    Of a page that would take the parser minutes, only the first 64 KB are parsed.
    """
    from selectolax.lexbor import LexborHTMLParser  # costs time where no page is parsed

    if len(data) > _HEAD_LIMIT and _takes_long(data):
        data = data[:_HEAD_LIMIT]
    return LexborHTMLParser(as_utf8(data))


def _takes_long(data: bytes) -> bool:
    """Whether a page is so broken that the time of the parser grows with the square of its size.

    It has a tag with thousands of attributes, or thousands of elements without their end tags.
    """
    for tag in _LONG_TAG.findall(data):
        if len(_QUOTED_VALUE.sub(b"", tag).split()) > _MAX_ATTRIBUTES:
            return True

    # About how many elements are open at each point, by counting start and end tags.
    open_by_name: Counter[bytes] = Counter()
    open_count = 0
    for slash, name in _TAG_NAME.findall(data.lower()):
        if not slash:
            open_by_name[name] += 1
            open_count += 1
        elif open_by_name[name]:
            open_by_name[name] -= 1
            open_count -= 1
        if open_count > _MAX_OPEN:
            return True
    return False


def all_tags(tree: LexborHTMLParser) -> Tags:
    """Reads the tags of a page from its tree: all metas, and the links and bases of its head."""
    metas = [node.attributes for node in tree.tags("meta")]
    tags = Tags(metas, head_metas=[], links=[], bases=[], noscript=[])
    lists = {"meta": tags.head_metas, "link": tags.links, "base": tags.bases}
    for node in tree.head.css("meta, link, base") if tree.head else ():
        tags_of_kind = lists[node.tag or ""]
        is_in_noscript = node.parent is not None and node.parent.tag == "noscript"
        if node.tag == "meta" and is_in_noscript:
            tags_of_kind = tags.noscript
        tags_of_kind.append(node.attributes)
    if not tags.noscript:  # the scripts are only compared with what these metas say
        return tags
    return tags._replace(scripts="\n".join(node.text() for node in tree.css("head script")))


def value(attributes: Attributes, name: str) -> str:
    """The value of an attribute without spaces around it, "" for one that is missing."""
    return (attributes.get(name) or "").strip()


def as_utf8(data: bytes) -> bytes | str:
    """Prepares the bytes of a page for the parser, which reads only UTF-8.

    A page in another encoding is decoded, by what it declares: `<meta charset="gbk">`. Valid UTF-8
    stays bytes, because decoding it would take a third of the time of the parser. A byte order mark
    is left out, and NUL is replaced, as in browsers.
    """
    encoding = "utf-8-sig"
    declared = _CHARSET.search(data, 0, 1024)
    label = declared[1].decode().lower() if declared else ""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif re.fullmatch(_MARKUP_IS_ASCII, label) and not data.startswith(codecs.BOM_UTF8):
        encoding = label
    elif b"\0" not in data:
        with suppress(UnicodeDecodeError):
            data.decode()
            return data.removeprefix(codecs.BOM_UTF8)
    return data.decode(encoding, "replace").replace("\0", "\ufffd")
