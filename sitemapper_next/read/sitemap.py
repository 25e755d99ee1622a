"""The one reader of sitemaps, by any tool: XML or text, packed or not, or an index."""

import re
import zlib
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from ..protocol import MAX_BYTES

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_IMAGES = "http://www.google.com/schemas/sitemap-image/"
_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 16  # characters that the parser gets at once
_SPACE = " \t\r\n"  # of XML, without the no-break space
# The lines of our own sitemaps, which need no parser. Before the first entry: declaration,
# comments and the root, each on a line.
_HEAD = re.compile(r"(?:<\?xml [^<>]*\?>\n|<!--[^<>]*-->\n|<(?:urlset|sitemapindex) [^<>]*>\n)+")
_ROW = re.compile(
    r"<(?:url|sitemap)><loc>([^<]*+)</loc>(?:<lastmod>([^<]*+)</lastmod>)?+"
    r"(?:<changefreq>([^<]*+)</changefreq>)?+(?:<priority>([^<]*+)</priority>)?+"
    r'((?:<xhtml:link rel="alternate" hreflang="[^"<]*+" href="[^"<]*+"/>)*+)'
    r"((?:<image:image><image:loc>[^<]*+</image:loc></image:image>)*+)</(?:url|sitemap)>\n"
)
_ROW_ALTERNATE = re.compile(r'hreflang="([^"]*+)" href="([^"]*+)"')
_ROW_IMAGE = re.compile("<image:loc>([^<]*+)")
_HTML = re.compile(r"\s*<(?:!doctype\s+html|html)", re.IGNORECASE)

Fault = Literal["malformed", "encoding", "root", "size", "unsafe", "damaged"]


class SitemapFault(Exception):
    """Why a sitemap cannot be read, or not to its end: what is wrong, in which line, from 1."""

    def __init__(self, fault: Fault, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.fault = fault
        self.line = line
        self.text = text


class SitemapEntry(NamedTuple):
    """A URL of a sitemap, or a sitemap of an index, with its line. "" stands for no element."""

    loc: str
    lastmod: str
    line: int
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, URL)
    images: tuple[str, ...] = ()
    changefreq: str = ""
    priority: str = ""
    is_sitemap: bool = False


def unpack(data: bytes, limit: int = MAX_BYTES) -> bytes:
    """Unpacks the bytes of a sitemap if they are gzip; others are returned as they are.

    Raises SitemapFault for what is damaged, a zip archive, or has more than `limit` bytes.
    """
    if data.startswith(b"PK"):
        raise SitemapFault("damaged", 1, "is a zip archive; only gzip is allowed")
    if not data.startswith(_GZIP):
        return data
    parts = []
    left = limit + 1
    rest = data
    while rest:  # a row of members (RFC 1952, 2.2)
        member = zlib.decompressobj(31)  # with a gzip header
        try:
            parts.append(member.decompress(rest, left))
        except zlib.error as error:
            raise SitemapFault("damaged", 1, f"cannot be decompressed: {error}") from None
        left -= len(parts[-1])
        if left <= 0:
            raise SitemapFault("size", 1, f"more than {limit:,} bytes uncompressed")
        if not member.eof:
            raise SitemapFault("damaged", 1, "ends in the middle of the compressed data")
        rest = member.unused_data.lstrip(b"\0")
    return b"".join(parts)


def read_sitemap(data: bytes) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap or an index, packed or not, in the order of the file.

    Raises SitemapFault after the entries before the fault.
    """
    unpacked = unpack(data)
    try:
        text = unpacked.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = unpacked.count(b"\n", 0, error.start) + 1
        what = f"the byte {unpacked[error.start]:#04x} is not UTF-8"
        raise SitemapFault("encoding", line, what) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SitemapFault("encoding", line, "contains a NUL byte, as UTF-16 does")
    if _HTML.match(text):
        what = "is an HTML page, such as servers send for a missing file"
        raise SitemapFault("root", 1, what)
    start = text.lstrip()
    if not (start.startswith("<") or "<urlset" in text[:4096] or "<?xml" in text[:4096]):
        yield from _text_entries(text)
        return
    head = _HEAD.match(text)
    if head is None:
        yield from _parse_entries(text)
        return
    line = text.count("\n", 0, head.end())
    position = head.end()
    while row := _ROW.match(text, position):
        line += 1
        position = row.end()
        yield _entry_of_row(row, line)
    # What is left is mostly `</urlset>`. The parser gets empty lines for the rows, so that it
    # counts right.
    rows = line - text.count("\n", 0, head.end())
    yield from _parse_entries(head[0] + "\n" * rows + text[position:])


def _entry_of_row(row: re.Match[str], line: int) -> SitemapEntry:
    loc, lastmod, changefreq, priority, links, images = row.groups("")
    is_sitemap = row[0].startswith("<sitemap>")
    if not (links or images or changefreq or priority):
        return SitemapEntry(_unescaped(loc), lastmod, line, is_sitemap=is_sitemap)
    return SitemapEntry(
        _unescaped(loc),
        lastmod,
        line,
        tuple((language, _unescaped(url)) for language, url in _ROW_ALTERNATE.findall(links)),
        tuple(_unescaped(url) for url in _ROW_IMAGE.findall(images)),
        changefreq,
        priority,
        is_sitemap,
    )


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape  # loads the names of all characters

    return unescape(text)


def _text_entries(text: str) -> Iterator[SitemapEntry]:
    """Yields each line of a text sitemap as an entry. Raises SitemapFault for prose."""
    lines = text.split("\n")
    # A line of a text sitemap is one word, even if it is no URL. In prose, half of the lines or
    # more have several words.
    prose = [line for line in lines if " " in line.strip() and not line.startswith("http")]
    if prose and 2 * len(prose) >= len([line for line in lines if line.strip()]):
        raise SitemapFault("root", 1, "is neither XML nor a list with one URL per line")
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield SitemapEntry(line.strip(_SPACE), "", number)


def _parse_entries(text: str) -> Iterator[SitemapEntry]:
    """Yields the entries that expat finds."""
    from xml.parsers import expat  # a build that finds only our own sitemaps parses no XML

    reader = _EntryReader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = reader.refuse_doctype
    parser.StartElementHandler = reader.open
    parser.EndElementHandler = reader.close
    parser.CharacterDataHandler = reader.add_text
    reader.parser = parser
    for start in range(0, len(text) + 1, _BLOCK):
        try:
            parser.Parse(text[start : start + _BLOCK], start + _BLOCK > len(text))
        except expat.ExpatError as error:
            yield from reader.entries
            what = f"column {error.offset + 1}: {expat.ErrorString(error.code)}"
            raise SitemapFault("malformed", error.lineno, what) from None
        yield from reader.entries
        reader.entries.clear()


class _EntryReader:
    """Collects the entries of an XML sitemap from what the parser calls."""

    def __init__(self) -> None:
        self.parser: Any = None
        self.entries: list[SitemapEntry] = []  # complete, and not taken yet
        self._space = ""  # the namespace of the root
        self._depth = 0
        self._line = 0  # of the entry that is open
        self._text: list[str] = []
        self._fields: dict[str, str] = {}  # the first of each name
        self._alternates: list[tuple[str, str]] = []
        self._images: list[str] = []

    def refuse_doctype(self, *_: object) -> None:
        """Raises SitemapFault: entities may grow without a limit, or name files."""
        raise SitemapFault("unsafe", self.parser.CurrentLineNumber, "has a DOCTYPE")

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Takes the start tag of an element, whose name has its namespace: `http://… loc`."""
        space, _, local = name.rpartition(" ")
        self._text.clear()
        if self._depth == 0:
            self._space = space
            if local not in ("urlset", "sitemapindex"):
                line = self.parser.CurrentLineNumber
                raise SitemapFault("root", line, f"<{local}> is not urlset or sitemapindex")
        elif self._depth == 1:
            self._line = self.parser.CurrentLineNumber
            self._fields, self._alternates, self._images = {}, [], []
        elif local == "link" and attributes.get("rel") == "alternate":
            self._alternates.append((attributes.get("hreflang", ""), attributes.get("href", "")))
        self._depth += 1

    def add_text(self, text: str) -> None:
        """Takes a part of the text of an element."""
        self._text.append(text)

    def close(self, name: str) -> None:
        """Takes the end tag of an element."""
        self._depth -= 1
        space, _, local = name.rpartition(" ")
        text = "".join(self._text).strip(_SPACE)
        if self._depth == 2 and space == self._space:
            self._fields.setdefault(local, text)
        elif self._depth == 3 and local == "loc" and space.startswith(_IMAGES):
            self._images.append(text)
        elif self._depth == 1 and local in ("url", "sitemap") and space == self._space:
            fields = self._fields
            self.entries.append(
                SitemapEntry(
                    fields.get("loc", ""),
                    fields.get("lastmod", ""),
                    self._line,
                    tuple(self._alternates),
                    tuple(self._images),
                    fields.get("changefreq", ""),
                    fields.get("priority", ""),
                    local == "sitemap",
                )
            )
