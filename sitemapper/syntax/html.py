"""Bytes of a page to what it says about its indexing. Never raises, opens nothing.

lexbor, an HTML5 parser, reads the head alone where that proves the same as the whole page would, with
scripting off, as for a crawler.
"""

from __future__ import annotations

import codecs
import re
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..model import Metadata
from .robots_directives import AGENTS, meta_forbids, unavailable_after

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

SIZE_LIMIT = 15 * 1024 * 1024  # bytes; Google reads no more of a page
_HEAD_LIMIT = 64 * 1024  # bytes; 99.9 % of heads end within 16 KB
_BODY = re.compile(rb"<(?:body|frameset)(?=[\t\n\f\r />])", re.IGNORECASE)
_META = re.compile(rb"<[mM][eE][tT][aA]")
_MARK = f"m{secrets.token_hex(8)}"
_MARKER = f"<base id={_MARK}>".encode()

# Elements left open, for each of which an HTML5 parser may look at all others, and steps that end tags
# without an element may take through them: of a page that has more, only the beginning is parsed.
_OPEN_LIMIT, _STEP_LIMIT = 30_000, 300_000_000
_VOID = (b"<br", b"<img", b"<input", b"<link", b"<meta", b"<hr", b"<path", b"<!--")
# A parser compares each attribute of a tag with all others, so a page ends before a tag that has more.
_ATTRIBUTE_LIMIT = 1_000
_LONG_TAG = re.compile(rb"<[a-zA-Z][^>]{4096,}+")
_ATTRIBUTE = re.compile(rb"""[^\s"'=/]++(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>]++))?""")

Attributes = dict[str, str | None]


class Tags(NamedTuple):
    """The attributes, with names in lower case, of each `meta`, and of what counts in the head only: `meta`,
    `link`, `base`."""

    metas: list[Attributes]
    head_metas: list[Attributes]
    links: list[Attributes]
    bases: list[Attributes]


_REFRESH = re.compile(r"\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_MARKUP_IS_ASCII = re.compile(
    r"windows-125[0-8]|iso-8859-([2-9]|1[03456])|koi8-[ru]|gbk|gb2312|gb18030|big5|euc-jp|euc-kr|shift_jis"
)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def parse(data: bytes) -> Metadata:
    """What the first SIZE_LIMIT bytes of a page say."""
    tags = head_alone(data)
    return interpret(parse_full(data) if tags is None else tags)


def head_alone(data: bytes) -> Tags | None:
    """The tags, read from the head alone; None where that does not prove what a whole page says.

    A marker is put behind the head. Where the parser finds it directly in `head`, it has read all
    before it as in the whole page. The marker is random, so that no page can hold one.
    """
    body = _BODY.search(data, 0, _HEAD_LIMIT)
    if body is None or _META.search(data, body.start()):
        return None
    # Imported here: a site whose pages are all known needs no parser.
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_text(data[: body.start()] + _MARKER, *_encoding(data)))
    # By name: it takes half the time of a CSS selector.
    metas, links, bases = (
        [(node, node.attributes) for node in tree.tags(name)] for name in ("meta", "link", "base")
    )
    above = bases[-1][0].parent if bases else None
    if above is None or above.tag != "head" or bases[-1][1].get("id") != _MARK:
        return None
    found = [attributes for _, attributes in metas]
    return Tags(found, found, [attributes for _, attributes in links], [a for _, a in bases[:-1]])


def parsed(data: bytes) -> LexborHTMLParser:
    """The tree of a page; `noscript` is read as by a crawler without scripting."""
    # Imported here, as above.
    from selectolax.lexbor import LexborHTMLParser

    data = _parsable(data)
    return LexborHTMLParser(_text(data, *_encoding(data)))


def _parsable(data: bytes) -> bytes:
    """As much of a page as a parser reads in time that grows with its size."""
    if len(data) > 3 * _OPEN_LIMIT and _is_deep(data):
        data = data[:_HEAD_LIMIT]
    for tag in _LONG_TAG.finditer(data) if len(data) > _HEAD_LIMIT // 4 else ():
        if len(_ATTRIBUTE.findall(tag[0])) > _ATTRIBUTE_LIMIT:
            return data[: tag.start()]
    return data


def _is_deep(data: bytes) -> bool:
    """Whether very many elements may be open at once, or many end tags may look for theirs among them."""
    most = opened = closed = 0
    for start in range(0, len(data), _HEAD_LIMIT):
        ends = data.count(b"</", start, start + _HEAD_LIMIT)
        opened += data.count(b"<", start, start + _HEAD_LIMIT) - 2 * ends
        most, closed = max(most, opened), closed + ends
    if opened > _OPEN_LIMIT or most * closed < _STEP_LIMIT:
        return opened > _OPEN_LIMIT
    return (most - sum(map(data.count, _VOID))) * closed > _STEP_LIMIT


def parse_full(data: bytes) -> Tags:
    """The tags as an HTML5 parser sees them in the whole page."""
    tree = parsed(data)
    heads = {node.mem_id for node in tree.css("head meta, head link, head base")}
    in_head = (
        [node.attributes for node in tree.tags(name) if node.mem_id in heads]
        for name in ("meta", "link", "base")
    )
    return Tags([node.attributes for node in tree.tags("meta")], *in_head)


def _text(data: bytes, encoding: str, start: int) -> bytes | str:
    """The text without NUL. UTF-8 stays bytes: a copy into text and back costs a third of a parse."""
    if encoding == "utf-8" and not start and b"\0" not in data:
        try:
            data.decode()
        except UnicodeDecodeError:
            return data.decode(errors="replace")
        return data
    return data[start:].decode(encoding, "replace").replace("\0", "\ufffd")


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


def interpret(tags: Tags) -> Metadata:
    """What the tags amount to (docs/protocol.md §4). Robots metas count anywhere, the others in the head."""
    noindex = after = None
    for meta in tags.metas:
        name = meta.get("name")
        if name and name.strip().lower() in AGENTS:
            content = meta.get("content") or ""
            after = after or unavailable_after(content)
            if noindex is None and meta_forbids(content):
                noindex = f'<meta name="{name}" content="{content}">'
    canonicals, alternates = _links(tags.links)
    # Canonicals that disagree cancel each other, as for Google.
    canonical = canonicals.pop() if len(canonicals) == 1 else None
    base = next((href for href in map(_href, tags.bases) if href), None)
    return Metadata(noindex, after, _refresh(tags.head_metas), canonical, base, tuple(alternates))


def _refresh(metas: Iterable[Attributes]) -> str | None:
    for meta in metas:
        kind = meta.get("http-equiv")
        if kind and kind.strip().lower() == "refresh" and (url := _target(meta.get("content") or "")):
            return url
    return None


def _links(links: Iterable[Attributes]) -> tuple[set[str], list[tuple[str, str]]]:
    """The canonicals, and the alternates with their languages."""
    canonicals: set[str] = set()
    alternates: list[tuple[str, str]] = []
    for link in links:
        rel = link.get("rel")
        kinds = rel.lower().split() if rel else ()
        if "canonical" in kinds and (href := _href(link)):
            canonicals.add(href)
        if "alternate" in kinds and (language := (link.get("hreflang") or "").strip()):
            is_page = "html" in (link.get("type", "html") or "").lower()  # a feed has a language too
            if is_page and (href := _href(link)):
                alternates.append((language, href))
    return canonicals, alternates


def _href(link: Attributes) -> str:
    return (link.get("href") or "").strip()


def _target(content: str) -> str | None:
    """The URL of a refresh, as the HTML standard reads it ("declarative refresh"); None to itself."""
    match = _REFRESH.fullmatch(content)
    if not match:
        return None
    url = match[1].strip()
    if url[:1] in ("'", '"'):
        url = url[1:].partition(url[0])[0]
    return url.strip() or None
