"""Bytes of a page to what it says about its indexing. Never raises, opens nothing.

Two readers share one meaning. The quick one answers only where regular expressions prove that an
HTML5 parser would see the same tags, because nothing in the head is unusual and no `meta` stands
behind it; everything else goes to lexbor, with scripting off, as for a crawler.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from sitemapper.model import Head

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

SIZE_LIMIT = 15 * 1024 * 1024  # bytes; Google reads no more of a page
_HEAD_LIMIT = 64 * 1024  # bytes; 99.9 % of heads end within 16 KB, a longer one is for lexbor

# Elements left open, for each of which an HTML5 parser may look at all others: of a page that has
# more, only the beginning is parsed.
_OPEN_LIMIT = 30_000


class Tag(NamedTuple):
    """A `meta`, `link` or `base`: its name, attributes in lower case, whether it is in the head."""

    name: str
    attributes: dict[str, str]
    in_head: bool


# The quick reader's grammar, on lower-cased bytes. Quotes count only behind `name=`, as in HTML5.
_WS = rb"[\t\n\f\r ]"
_END = rb"(?=[\t\n\f\r />])"
_VALUE = rb"(?:\"[^\"<\0]*+\"|'[^'<\0]*+'|[^\0\t\n\f\r \"'<>=`]++)"
_ATTRIBUTES = rb"(?:[^<>\"'=\0]*+(?<=[a-z0-9:_-])=" + _VALUE + rb"(?=[\t\n\f\r />]))*+[^<>\"'=\0]*+>"
_COMMENT = rb"!--(?!-?>)[^-\0]*+(?:-(?!-[!>])[^-\0]*+)*+-->"
_BLANK = rb"(?:" + _WS + rb"|<" + _COMMENT + rb")*+"
_STYLE = rb"style" + _END + _ATTRIBUTES + rb"[^<\0]*+(?:<(?!/style)[^<\0]*+)*+</style" + _WS + rb"*+>"
_ITEM = (
    rb"(?:meta|link|base)" + _END + _ATTRIBUTES
    + rb"|script" + _END + _ATTRIBUTES
    + rb"[^<\0]*+(?:<(?!!--|/script)[^<\0]*+)*+</script" + _WS + rb"*+>"
    + rb"|title" + _END + _ATTRIBUTES + rb"[^<\0]*+</title" + _WS + rb"*+>|" + _STYLE + rb"|" + _COMMENT
    + rb"|noscript" + _WS + rb"*+>(?:" + _WS + rb"++|<(?:(?:meta|link)" + _END + _ATTRIBUTES
    + rb"|" + _STYLE + rb"|" + _COMMENT + rb"))*+</noscript" + _WS + rb"*+>"
)  # fmt: skip
_PLAIN = re.compile(
    rb"(?:\xef\xbb\xbf)?" + _BLANK + rb"(?:<\?[^>\0]*+>)?" + _BLANK + rb"(?:<!doctype[^>\0]*+>)?" + _BLANK
    + rb"<html" + _END + _ATTRIBUTES + _BLANK + rb"<head" + _END + _ATTRIBUTES
    + rb"(?:" + _WS + rb"++|<(?:" + _ITEM + rb"))*+"
    + rb"</head" + _WS + rb"*+>" + _BLANK + rb"<(?:body|frameset)" + _END
)  # fmt: skip
# In a plain head every "<" begins a tag, but for those in here.
_RAW = re.compile(rb"<(?:!--.*?-->|(script|style)" + _END + rb".*?</\1)", re.DOTALL)
_PAIR = _WS + rb"++([^\t\n\f\r \"'<>/=\0]++)(?:=(" + _VALUE + rb"))?+"
_PAIRS = re.compile(_PAIR)
_TAG = re.compile(rb"(?:meta|link|base)(?:" + _PAIR + rb")*+" + _WS + rb"*+/?>")
_WORDS = (b"canonical", b"bot", b"refresh", b"hreflang", b"<base", b"&#")  # "bot": robots, googlebot
_META = re.compile(rb"<[mM][eE][tT][aA]")

_ROBOTS = ("robots", "googlebot")
_REFRESH = re.compile(r"\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_MARKUP_IS_ASCII = re.compile(
    r"windows-125[0-8]|iso-8859-([2-9]|1[03456])|koi8-[ru]|gbk|gb2312|gb18030|big5|euc-jp|euc-kr|shift_jis"
)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def parse(data: bytes) -> Head:
    """What the first SIZE_LIMIT bytes of a page say."""
    tags = quick(data)
    return meaning(full(data) if tags is None else tags)


def quick(data: bytes) -> list[Tag] | None:
    """The tags that matter, where that can be proved without a parser; None where it cannot."""
    head = data[:4096].lower()
    plain = _PLAIN.match(head)
    if plain is None and len(data) > 4096:
        head = data[:_HEAD_LIMIT].lower()
        plain = _PLAIN.match(head)
    if plain is None or _META.search(data, plain.end()):
        return None
    head = head[: plain.end()]
    starts = _starts(head)
    if not starts:
        return []
    hidden = [found.span() for found in _RAW.finditer(head)]
    tags: list[Tag] = []
    for start in sorted(starts):
        if any(first <= start < last for first, last in hidden):
            continue
        end = head.find(b"<", start + 1)
        found = _TAG.match(head, start + 1, end)
        tag = _tag(found[0], data[start + 1 : found.end()]) if found else None
        if tag is None and head.startswith((b"<meta", b"<link", b"<base"), start):
            return None
        tags += [tag] if tag else []
    return tags


def _starts(head: bytes) -> set[int]:
    """Where the tags begin in which a word stands that can matter."""
    starts = set()
    for word in _WORDS:
        place = head.find(word)
        while place >= 0:
            starts.add(head.rfind(b"<", 0, place + 1))
            place = head.find(word, place + 1)
    return starts


def _tag(lowered: bytes, text: bytes) -> Tag | None:
    """A tag of a plain head; None if its attributes need a parser: entities, bytes outside ASCII."""
    if b"&" in text.replace(b"&amp;", b"") or b"\r" in text or not text.isascii():
        return None
    attributes: dict[str, str] = {}
    for found in _PAIRS.finditer(text):
        value = found[2] or b""
        value = value[1:-1] if value[:1] in (b'"', b"'") else value
        attributes.setdefault(found[1].decode().lower(), value.replace(b"&amp;", b"&").decode())
    return Tag(lowered[:4].decode(), attributes, in_head=True)


def parsed(data: bytes) -> LexborHTMLParser:
    """The tree of a page; `noscript` is read as by a crawler without scripting."""
    # Imported here: a site whose heads are all plain never needs it.
    from selectolax.lexbor import LexborHTMLParser

    if len(data) > 3 * _OPEN_LIMIT and data.count(b"<") - 2 * data.count(b"</") > _OPEN_LIMIT:
        data = data[:_HEAD_LIMIT]
    return LexborHTMLParser(_utf8(data))


def full(data: bytes) -> list[Tag]:
    """The tags as an HTML5 parser sees them."""
    tree = parsed(data)
    heads = {node.mem_id for node in tree.css("head meta, head link, head base")}
    return [
        Tag(node.tag or "", {k: v or "" for k, v in node.attributes.items()}, node.mem_id in heads)
        for node in tree.css("meta, link, base")
    ]


def _utf8(data: bytes) -> bytes | str:
    """A page without NUL: itself if it is UTF-8, for a copy into text and back is a third of a parse."""
    name, start = _encoding(data)
    if name == "utf-8" and not start and b"\0" not in data:
        try:
            data.decode()
        except UnicodeDecodeError:
            return data.decode(errors="replace")
        return data
    return data[start:].decode(name, "replace").replace("\0", "\ufffd")


def _encoding(data: bytes) -> tuple[str, int]:
    """The encoding, and where the text begins: byte order mark, `<meta charset>` near the top, else UTF-8."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name, len(mark)
    declared = _CHARSET.search(re.sub(rb"<!--.*?-->", b"", data[:1024], flags=re.DOTALL))
    label = declared[1].decode().lower() if declared else "utf-8"
    # As browsers have it (WHATWG Encoding): Latin-1 means Windows-1252. Only encodings in which markup
    # is ASCII: a page cannot hide its tags by claiming another, and the quick reader stays right.
    if label in ("iso-8859-1", "latin1", "us-ascii", "ascii"):
        label = "windows-1252"
    return (label if _MARKUP_IS_ASCII.fullmatch(label) else "utf-8"), 0


def meaning(tags: Iterable[Tag]) -> Head:
    """What the tags amount to (docs/PROTOCOL §4). Robots metas count anywhere, the others in the head."""
    noindex = after = refresh = base = None
    canonicals: list[str] = []
    alternates: list[tuple[str, str]] = []
    for name, attributes, in_head in tags:
        content, href = attributes.get("content", ""), attributes.get("href", "").strip()
        if name == "meta" and attributes.get("name", "").strip().lower() in _ROBOTS:
            after = after or unavailable_after(content)
            if noindex is None and forbids(content):
                noindex = f'<meta name="{attributes["name"]}" content="{content}">'
        elif not in_head:
            continue
        elif name == "meta" and attributes.get("http-equiv", "").strip().lower() == "refresh":
            refresh = refresh or _target(content)
        elif name == "base" and href:
            base = base or href
        elif name == "link" and href:
            kinds = attributes.get("rel", "").lower().split()
            canonicals += [href] if "canonical" in kinds else []
            if "alternate" in kinds and attributes.get("hreflang", "").strip():
                alternates.append((attributes["hreflang"].strip(), href))
    # Canonicals that disagree cancel each other, as for Google.
    canonical = canonicals[0] if len(set(canonicals)) == 1 else None
    return Head(noindex, after, refresh, canonical, base, tuple(alternates))


def forbids(content: str) -> bool:
    """Whether robots directives, a comma list of whole tokens, forbid indexing."""
    return not {"noindex", "none"}.isdisjoint(t.strip().lower() for t in content.split(","))


def unavailable_after(content: str) -> str | None:
    """The date of an `unavailable_after` directive, commas and colons and all."""
    before, said, rest = content.lower().partition("unavailable_after")
    if not said or not rest.lstrip().startswith(":"):
        return None
    text = content[len(before) + len(said) :].lstrip()[1:]
    pieces = text.split(",")
    # A date may hold a comma ("Wed, 01 May 2024"); a directive behind it holds no digit.
    kept = [p for n, p in enumerate(pieces) if n == 0 or any(c.isdigit() for c in p.partition(":")[0])]
    return ",".join(kept).strip() or None


def _target(content: str) -> str | None:
    """The URL of a refresh, as the HTML standard reads it ("declarative refresh"); None to itself."""
    found = _REFRESH.fullmatch(content)
    if not found:
        return None
    url = found[1].strip()
    if url[:1] in ("'", '"'):
        url = url[1:].partition(url[0])[0]
    return url.strip() or None
