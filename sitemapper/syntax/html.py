"""Parses the bytes of a page to a tree, or only the tags of its head. Never raises, opens no files.

lexbor, an HTML5 parser, runs with scripting off, as in a crawler.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# Bytes that are read of a page: the default of Google's crawlers. Googlebot fetches at most 2 MB of
# a page (Google's Search Central blog, 31 March 2026), but other crawlers read what follows.
SIZE_LIMIT = 15 * 1024 * 1024
GOOGLEBOT_LIMIT = 2_000_000
_HEAD_LIMIT = 64 * 1024  # bytes; 99.9 % of heads end within 16 KB
_BODY = re.compile(rb"<(?:body|frameset)(?=[\t\n\f\r />])", re.IGNORECASE)
_VALUE = rb"(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=`]++)"
# As in breadcrumbs of Docusaurus.
_MICRODATA = rb"(?:\s++(?:itemprop|content|property)=" + _VALUE + rb")++\s*+/?>"
_META = re.compile(rb"<meta(?!" + _MICRODATA + rb")", re.IGNORECASE)  # which may be for robots
_MARK = f"m{os.urandom(8).hex()}"
_MARKER = f"<base id={_MARK}>".encode()

# Of a page that exceeds one of these limits, only the beginning is parsed. An HTML5 parser may go
# through all open elements (`<b><b>…`) for each new one, and for each end tag without an element.
_MAX_OPEN_ELEMENTS = 30_000
_MAX_STEPS = 300_000_000  # open elements times end tags
_TAG_NAME = re.compile(rb"<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]{0,20})")
_VOID = (b"br", b"img", b"input", b"link", b"meta", b"hr", b"path")
# Selectors take time for each element above another one. Blink, the engine of Chrome, nests no more
# elements either (`maximumHTMLParserDOMTreeDepth`).
_MAX_DEPTH = 512
_MIN_TAGS_OF_DEEP_PAGE = (
    3_000  # start and end tags; a page with fewer is read in no time however deep it is
)
_BEGINNING_SIZE = 16 * 1024  # bytes of a page that are always parsed
_MAX_ATTRIBUTES = 1_000  # of one tag
_LONG_TAG = re.compile(rb"<[a-zA-Z][^>]{4096,}+")
_BLOCK_SIZE = 2048  # half of a long tag, so that each long tag fills a block of the page
# Compiled when it is used.
_ATTRIBUTE = rb"""[^\s"'=/]++(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]++))?"""

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
_UNAMBIGUOUS_HEAD = rf"""(?x)
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
_TAG = re.compile(rb"<(?:base|link|meta)[^<>]*+>")
# A name or a relation with a character code: `name="r&#111;bots"`. Compiled when it is used.
_NAME_WITH_CODE = rb"(?:name|equiv|rel)\s*=\s*(?:\"[^\"]*&#|'[^']*&#|[^\s\"'>]*&#)"
# Characters that neither a parser nor a decoder changes.
_ASCII_WITHOUT_AMPERSAND = re.compile(r"[ -%'-~\t\n\f]+")
_PAIR = re.compile(
    r"""\s([a-z][^\s>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?+""",
    re.IGNORECASE | re.ASCII,
)
Attributes = dict[str, str | None]


class Tags(NamedTuple):
    """The attributes of some tags of a page, with names in lower case.

    `metas` are all metas of the page, because a robots meta counts anywhere. `head_metas`, `links`
    and `bases` are those in the head, where others count. `noscript` are metas such as a refresh
    for readers without scripts. Only with these, `scripts` is the text of the scripts in the head.
    """

    metas: list[Attributes]
    head_metas: list[Attributes]
    links: list[Attributes]
    bases: list[Attributes]
    noscript: Sequence[Attributes] = ()
    scripts: str = ""


_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_CHARSET = re.compile(rb"<meta[^<>]*?charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_.:-]+)", re.IGNORECASE)
# Compiled when it is used.
_MARKUP_IS_ASCII = (
    r"windows-125[0-8]|iso-8859-([2-9]|1[03456])|koi8-[ru]"
    r"|gbk|gb2312|gb18030|big5|euc-jp|euc-kr|shift_jis"
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def unescaped(text: str) -> str:
    """Replaces the references to characters in a text: `a&amp;b` → `a&b`."""
    if "&" not in text:
        return text
    # Imported here: it loads the names of all characters.
    from html import unescape

    return unescape(text)


def head_end(data: bytes) -> int | None:
    """The position at which a page's `<body>` begins. None if it is not in the first 64 KB."""
    body = _BODY.search(data, 0, _HEAD_LIMIT)
    return body.start() if body else None


def head_tags(data: bytes, words: Sequence[bytes], end: int | None) -> Tags | None:
    """Reads the meta, link and base tags of a page from its head alone, to save a full parse.

    The head ends at the position `end` (`head_end`). None if the caller has to parse the whole
    page, because what follows the head may change the result.

    `words`, such as `robots`, are in lower case. To save time, a tag that contains none of them may
    be left out of the result.
    """
    if end is None:  # `<body>` is not in the first 64 KB
        return None
    if _META.search(data, end):  # a `<meta>` follows the head, and a robots meta counts anywhere
        return None
    head = data[:end]
    # In most heads, tags can be found by their bytes. Not so in Shift JIS, where the byte of `|`
    # may be the second half of a Japanese character.
    can_search_bytes = head.isascii() or _find_encoding(data)[0] == "utf-8"
    if can_search_bytes:
        tags = _find_plain_tags(head, words)
        if tags is not None:
            return tags
    # It takes a parser. It finds nothing if a tag of the head is not closed, but goes on in the
    # body. Then the caller has to parse the whole page.
    return _parse_head(head, data)


def _parse_head(head: bytes, page: bytes) -> Tags | None:
    """Reads the tags of a head with a parser. None if something in the head is not closed.

    The head gets a marker at its end, the tag `<base id=m0123…>`. Its ID is random, so no page can
    contain it. If the parser finds the marker as it is, and directly in `<head>`, it has read all
    tags before it as in the whole page. In these heads, it finds the marker elsewhere:

        <meta content="    in the attributes of the meta
        <title>Tea         in the text of the title
        <p>                in the body

    `page` is the whole page, whose beginning declares the encoding.
    """
    # Imported here: few pages need the parser.
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_decode(head + _MARKER, page))
    bases = tree.tags("base")  # by name: this takes half the time of a CSS selector
    above = bases[-1].parent if bases else None
    is_in_head = above is not None and above.tag == "head"
    if not is_in_head or bases[-1].attributes != {"id": _MARK}:
        return None
    return all_tags(tree)


def read_tags(data: bytes, words: Sequence[bytes]) -> Tags:
    """Reads the meta, link and base tags of a page that contain a word, such as `robots`.

    Tags without one of the `words` may be missing. The whole page is only parsed if its head alone
    is not enough, as when a `<meta>` follows the head.
    """
    return head_tags(data, words, head_end(data)) or all_tags(parse_tree(data))


def _find_plain_tags(head: bytes, words: Sequence[bytes]) -> Tags | None:
    """Finds the tags of a head that contain one of the words, without a parser.

    `<meta name="robots" content="noindex">`, with the word `robots` → its attributes, as one of the
    metas. None if it takes a parser to read the head as browsers do.
    """
    lower_head = head.lower()
    if not _is_plain(lower_head):
        return None
    metas: list[Attributes] = []
    links: list[Attributes] = []
    bases: list[Attributes] = []
    tags_by_name = {b"<meta": metas, b"<link": links, b"<base": bases}
    for start in _find_tags_with(words, lower_head):
        name_end = start + len("<meta")  # `<link` and `<base` have as many characters
        tags = tags_by_name.get(lower_head[start:name_end])
        if tags is None:
            continue  # another element, such as a script
        end = lower_head.index(b">", start) + 1
        tag = head[start:end].decode("latin-1")
        # A parser would replace `&amp;`, and decode `é`.
        if not _ASCII_WITHOUT_AMPERSAND.fullmatch(tag):
            return None
        attributes: Attributes = {}
        # In reverse order, because the first attribute with a name counts.
        for name, double_quoted, single_quoted, unquoted in reversed(_PAIR.findall(tag)):
            attributes[name.lower()] = double_quoted or single_quoted or unquoted
        tags.append(attributes)
    # The caller has seen that no meta follows the head, so these are all metas of the page, too.
    return Tags(metas=metas, head_metas=metas, links=links, bases=bases)


def _is_plain(lower_head: bytes) -> bool:
    """Whether a search of bytes finds the same tags in a head as every parser would.

    `lower_head` is the head in lower case. False if it has one of these:

        <p>                           an element that does not belong into a head
        <title>Tea                    an element that is not closed
        <meta content="<link …>">     what looks like a tag in a quote
        <meta name="r&#111;bots">     a name with a character code: a search for `robots` fails
    """
    if not _HAS_CORRECT_REGEX:  # the next pattern would match too much (gh-106052)
        return False
    if not re.fullmatch(_UNAMBIGUOUS_HEAD, lower_head):  # the first three of the list
        return False
    if b"&#" not in lower_head:  # most heads: no character code
        return True
    coded_tags = [tag for tag in _TAG.findall(lower_head) if b"&#" in tag]
    return not any(re.search(_NAME_WITH_CODE, tag) for tag in coded_tags)


def _find_tags_with(words: Sequence[bytes], lower_head: bytes) -> list[int]:
    """Finds where the tags begin that contain one of the words, in order.

    `<p><meta name=robots>` with the word `robots` → `[3]`.
    """
    starts = set()
    for word in words:
        position = lower_head.find(word)
        while position >= 0:
            starts.add(lower_head.rfind(b"<", 0, position + 1))
            position = lower_head.find(word, position + 1)
    return sorted(starts)


def parse_tree(data: bytes) -> LexborHTMLParser:
    """Parses a page to a tree of its elements, or only its beginning if all would take very long.

    Three kinds of broken pages take long, and each is cut off in another place:

        <b><b><b>…              30,000 open elements: what follows the first 64 KB
        <a b c d …>             1,000 attributes: the page from this tag on
        <div>…<div>…<div>…      512 levels of open elements: what follows the first 16 KB

    `noscript` is parsed as by a crawler without scripting.
    """
    from selectolax.lexbor import LexborHTMLParser

    # 1. Open elements. The shortest tag, `<b>`, has three bytes, so a smaller page has too few.
    may_have_many_tags = len(data) > 3 * _MAX_OPEN_ELEMENTS
    if may_have_many_tags and _has_too_many_open_elements(data):
        data = data[:_HEAD_LIMIT]
    # 2. Attributes.
    if len(data) > _BEGINNING_SIZE:
        data = _before_long_tag(data)
    # 3. Levels, which only the tree shows.
    tree = LexborHTMLParser(_decode(data, data))
    may_be_deep = len(data) > _BEGINNING_SIZE and data.count(b"<") > _MIN_TAGS_OF_DEEP_PAGE
    if may_be_deep and _is_deep(tree):
        # Only unclosed tags of a broken page nest so deep. Its beginning has the head.
        beginning = data[:_BEGINNING_SIZE]
        return LexborHTMLParser(_decode(beginning, data))
    return tree


def _before_long_tag(data: bytes) -> bytes:
    """Cuts a page off before its first tag with more than 1,000 attributes.

    A page without such a tag is returned whole. A parser compares each attribute of a tag with all
    others, so `<a b c d …>` with 100,000 of them would take very long.
    """
    # Only tags of more than 4,096 bytes are searched, because shorter ones take no time. Few pages
    # have one. If the page is cut into blocks of 2,048 bytes, so long a tag fills a whole block,
    # which has no `>`. To look for such a block takes a tenth of the time of the search.
    blocks = range(0, len(data) - _BLOCK_SIZE, _BLOCK_SIZE)
    may_have_long_tag = any(data.find(b">", start, start + _BLOCK_SIZE) < 0 for start in blocks)
    if not may_have_long_tag:
        return data
    for tag in _LONG_TAG.finditer(data):
        if len(re.findall(_ATTRIBUTE, tag[0])) > _MAX_ATTRIBUTES:
            return data[: tag.start()]
    return data


def _has_too_many_open_elements(data: bytes) -> bool:
    """Whether a page has so many open elements that a parser would take very long.

    Such a page is not parsed whole. There are two ways to take so long:

    - 30,000 elements are never closed: `<b><b><b>…`. The parser goes through all of them for each
      new one.
    - Many elements are open, and many end tags follow: `<i><i>…</b></b>…`. The parser goes through
      all open elements for each end tag that closes none of them.

    The tags are only counted by name, which takes a fraction of the time of a parse. So an element
    counts as open until there is an end tag with its name, wherever that is.
    """
    if data.count(b"<") <= _MAX_OPEN_ELEMENTS:  # too few tags for either
        return False
    open_by_name: Counter[bytes] = Counter()
    open_count = 0
    max_open_count = 0
    end_tag_count = 0
    for tag in _TAG_NAME.finditer(data):
        name = tag["name"].lower()
        is_start_tag = not tag["slash"]
        if is_start_tag:
            open_by_name[name] += 1
            open_count += 1
            max_open_count = max(max_open_count, open_count)
            continue
        end_tag_count += 1
        if open_by_name[name]:
            open_by_name[name] -= 1
            open_count -= 1
    if open_count > _MAX_OPEN_ELEMENTS:
        return True
    if max_open_count * end_tag_count < _MAX_STEPS:
        return False
    # Elements such as `<br>` have no end tag, so they were counted as open, which they are not.
    void_count = sum(open_by_name[name] for name in _VOID)
    return (max_open_count - void_count) * end_tag_count > _MAX_STEPS


def _is_deep(tree: LexborHTMLParser) -> bool:
    """Whether elements are nested in 512 levels or more, deeper than any browser shows them.

    To save time, only every 512th element is checked, so 600 levels may be missed. In 1,024 levels,
    at least 512 elements in a row are below level 512, so one of them is checked.
    """
    for node in tree.tags("*")[::_MAX_DEPTH]:
        above = node.parent
        depth = 0
        while above and depth < _MAX_DEPTH:
            above = above.parent
            depth += 1
        if depth == _MAX_DEPTH:
            return True
    return False


def all_tags(tree: LexborHTMLParser) -> Tags:
    """Reads the tags of a whole page: all its metas, and the links and bases in its head.

    | tag                                                | field of the result                 |
    |----------------------------------------------------|-------------------------------------|
    | `<meta http-equiv="refresh">` in a `noscript`      | `metas`, `noscript`                 |
    | any other `<meta>` in the head                     | `metas`, `head_metas`               |
    | `<meta>` in the body                               | `metas`                             |
    | `<link>`, `<base>` in the head                     | `links`, `bases`                    |
    | `<script>` in the head, if `noscript` is not empty | `scripts`                           |

    A redirect in a `noscript` is only for readers without scripts. It counts if a script redirects
    to the same URL, so the caller needs the scripts of such a page.
    """
    metas: list[Attributes] = []
    head_metas: list[Attributes] = []
    links: list[Attributes] = []
    bases: list[Attributes] = []
    noscript: list[Attributes] = []
    for node in tree.head.css("meta, link, base") if tree.head else ():
        attributes = node.attributes
        if node.tag == "link":
            links.append(attributes)
        elif node.tag == "base":
            bases.append(attributes)
        else:
            metas.append(attributes)
            if "http-equiv" in attributes and node.parent and node.parent.tag == "noscript":
                noscript.append(attributes)
            else:
                head_metas.append(attributes)
    # `tree.tags` lists all metas of the page, those of the head first. These are not read again,
    # because reading attributes takes long.
    metas_of_body = tree.tags("meta")[len(metas) :]
    metas += [node.attributes for node in metas_of_body]
    scripts = ""
    if noscript:
        scripts = "\n".join(node.text() for node in tree.css("head script"))
    return Tags(
        metas=metas,
        head_metas=head_metas,
        links=links,
        bases=bases,
        noscript=noscript,
        scripts=scripts,
    )


def text_length(node: LexborNode | None) -> int:
    """The length of a node's text without white space. 0 for a node that is missing."""
    return len("".join(node.text().split())) if node else 0


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


def _decode(part: bytes, page: bytes) -> bytes | str:
    """Decodes the beginning of a page for the parser, in the encoding that the page declares.

    NUL characters are replaced, as in browsers. Valid UTF-8 without them stays bytes, because to
    decode and encode it costs a third of a parse. A byte order mark is left out.
    """
    encoding, start = _find_encoding(page)
    if encoding == "utf-8" and not start and b"\0" not in part:
        with suppress(UnicodeDecodeError):
            part.decode()
            return part
    return part[start:].decode(encoding, "replace").replace("\0", "\ufffd")


def _find_encoding(data: bytes) -> tuple[str, int]:
    """Finds the encoding of a page, and where its text starts: at 3 after the mark of UTF-8.

    | page                                                | encoding                        |
    |-----------------------------------------------------|---------------------------------|
    | begins with a byte order mark                       | that of the mark                |
    | `<meta charset="koi8-r">` in the first 1,024 bytes  | `koi8-r`                        |
    | `<meta charset="latin1">` there                     | `windows-1252`, as in browsers  |
    | an encoding in which tags are not ASCII, or none    | `utf-8`                         |
    """
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
    # As browsers have it (WHATWG Encoding): Latin-1 means Windows-1252.
    if label in ("iso-8859-1", "latin1", "us-ascii", "ascii"):
        return "windows-1252", 0
    # Only encodings in which markup is ASCII: a page cannot hide its tags by claiming another, and
    # the quick reader stays right.
    if re.fullmatch(_MARKUP_IS_ASCII, label):
        return label, 0
    return "utf-8", 0
