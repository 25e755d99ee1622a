"""The one reader of sitemaps, by any tool: XML or text, packed or not, or an index."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from html import unescape
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..protocol import MARK, MAX_BYTES, NAMESPACE

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element as Node
    from xml.parsers.expat import XMLParserType

_ENTRY_OF = {"urlset": "url", "sitemapindex": "sitemap"}
_FIELDS = ("loc", "lastmod", "changefreq", "priority")  # of an entry
_BLOCK = 1 << 16  # characters that the parser gets at once
START = 512  # bytes, in which our mark stands
_GZIP = b"\x1f\x8b"
_MAX_ELEMENTS = 20_000  # of one entry, however deep
SPACE = " \t\r\n"  # of XML, without the no-break space
# The lines of our own sitemaps, which need no parser. Before the first entry: declaration,
# comments and the root, each on a line.
_HEAD = re.compile(
    r"\ufeff?(?:<\?xml [^<>]*\?>\n|<!--[^<>]*-->\n|<(?:urlset|sitemapindex) [^<>]*>\n)*"
)
_TEXT = r'(?:[^<>&"\s]++|&(?:amp|lt|gt|quot|apos|#39);)*+'
_ROW = re.compile(
    rf"<(url|sitemap)><loc>({_TEXT})</loc>(?:<lastmod>({_TEXT})</lastmod>)?+"
    rf"(?:<changefreq>{_TEXT}</changefreq>)?+(?:<priority>{_TEXT}</priority>)?+"
    rf'((?:<xhtml:link rel="alternate" hreflang="{_TEXT}" href="{_TEXT}"/>'
    rf"|<image:image><image:loc>{_TEXT}</image:loc></image:image>)*+)</(?:url|sitemap)>\n"
)
_ROW_ALTERNATE = re.compile(r'hreflang="([^"]*+)" href="([^"]*+)"')
_ROW_IMAGE = re.compile("<image:loc>([^<]*+)")
_PLAIN_WORDS = {  # by the words of expat
    "not well-formed (invalid token)": "not allowed here in XML; an unescaped & or <?",
    "no element found": "the file ends before the root element does",
    "junk after document element": "there is content after the root element",
    "XML or text declaration not at start of entity": "content stands before the XML declaration",
    "unclosed token": "the file ends inside a tag",
}
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)", re.IGNORECASE)

Fault = Literal["malformed", "encoding", "root", "size", "unsafe", "damaged"]


class SitemapFault(Exception):
    """Why a sitemap cannot be read, or not to its end: what is wrong, in which line, from 1."""

    def __init__(self, fault: Fault, line: int, text: str) -> None:
        """`fault` is the kind, such as "malformed", and `text` says what is wrong, for a person."""
        super().__init__(f"line {line}: {text}")
        self.fault = fault
        self.line = line
        self.text = text


class Element(NamedTuple):
    """An element of an entry. Before its name is its namespace, unless it is a field."""

    name: str  # "lastmod", "http://www.w3.org/1999/xhtml link"
    text: str
    line: int
    attributes: Mapping[str, str]


class SitemapEntry(NamedTuple):
    """A URL of a sitemap, or a sitemap of an index. "" stands for no element."""

    loc: str = ""
    lastmod: str = ""
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, URL)
    images: tuple[str, ...] = ()
    line: int = 0  # of the URL; of an entry without one, where that begins
    is_sitemap: bool = False
    elements: tuple[Element, ...] = ()  # none if no parser was needed


def read_sitemap(data: bytes, *, is_strict: bool = False) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap or an index, packed or not, in the order of the file.

    `is_strict` is for the linter: entries of XML also have all their elements, and the namespace of
    the root must be that of the protocol. Raises SitemapFault for a fault, after the entries that
    stand before it.
    """
    unpacked = unpack(data)
    if _HTML.match(unpacked):
        what = "is an HTML page, such as servers send for a missing file"
        raise SitemapFault("root", 1, what)
    try:
        text = unpacked.decode("utf-8")
    except UnicodeDecodeError as error:
        line = unpacked.count(b"\n", 0, error.start) + 1
        what = f"the byte {unpacked[error.start]:#04x} is not UTF-8"
        raise SitemapFault("encoding", line, what) from None
    if "<" not in text:  # a text sitemap, with one URL a line
        yield from _read_lines(text.removeprefix("\ufeff"))
        return

    # A sitemap as we write it has one entry a line, which a regular expression reads much faster
    # than the parser. It stops at the first line in another form.
    start = position = _HEAD.match(text).end()  # type: ignore[union-attr]
    lines_before = text.count("\n", 0, start)
    rows = 0
    while not is_strict and (row := _ROW.match(text, position)):
        position = row.end()
        rows += 1
        kind, loc, lastmod, extensions = row.groups("")
        alternates: list[tuple[str, str]] = []
        images: list[str] = []
        if extensions:
            for language, url in _ROW_ALTERNATE.findall(extensions):
                alternates.append((language, unescape(url)))
            images = [unescape(url) for url in _ROW_IMAGE.findall(extensions)]
        yield SitemapEntry(
            unescape(loc),
            lastmod,
            alternates=tuple(alternates),
            images=tuple(images),
            line=lines_before + rows,
            is_sitemap=kind == "sitemap",
        )
    # The parser reads the rest from the first row that is not as we write it: mostly `</urlset>`.
    # Empty lines stand for the rows before it, so that faults name the right lines.
    yield from _parse(text[:start] + "\n" * rows + text[position:], is_strict)


def is_marked(data: bytes) -> bool:
    """Whether a sitemap, or its first bytes, packed or not, has our mark."""
    with suppress(zlib.error):  # damaged, so without a mark
        if data.startswith(_GZIP):
            data = zlib.decompressobj(31).decompress(data[:START], START)  # 31: gzip
    return MARK in data[:START]


def unpack(data: bytes) -> bytes:
    """Unpacks the bytes of a sitemap if they are gzip; others are returned as they are.

    Raises SitemapFault for what is damaged or has more bytes than the protocol allows.
    """
    if data.startswith(_GZIP):
        import gzip  # few sitemaps are packed

        try:
            # One byte too many shows a file that is too large; the rest is never unpacked.
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise SitemapFault("damaged", 1, f"cannot be decompressed: {error}") from None
        if data.startswith(_GZIP):
            raise SitemapFault("damaged", 1, "is compressed twice")
    if len(data) > MAX_BYTES:
        raise SitemapFault("size", 1, f"has more than {MAX_BYTES:,} bytes uncompressed")
    return data


def _read_lines(text: str) -> Iterator[SitemapEntry]:
    """Yields an entry for each line of a text sitemap that is not blank.

    Raises SitemapFault for a text without any URL, which is another kind of file.
    """
    if text.strip() and "://" not in text:
        raise SitemapFault("root", 1, "is neither XML nor a list with one URL per line")
    for number, line in enumerate(text.split("\n"), 1):
        loc = line.strip(SPACE)
        if loc:
            yield SitemapEntry(loc, line=number)


def _parse(text: str, is_strict: bool) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap in XML, by expat, the parser of Python.

    `is_strict` as for `read_sitemap`. Raises SitemapFault after the entries before the fault.
    """
    from xml.parsers import expat  # a build that finds only our own sitemaps parses little

    parser = expat.ParserCreate(namespace_separator=" ")
    builder = _EntryBuilder(parser, is_strict)
    parser.StartDoctypeDeclHandler = builder.refuse_doctype
    parser.StartElementHandler = builder.open
    parser.EndElementHandler = builder.close
    parser.CharacterDataHandler = builder.tree.data
    # Block by block, so that memory has the entries of one block only.
    for start in range(0, len(text) + 1, _BLOCK):
        fault = None
        try:
            parser.Parse(text[start : start + _BLOCK], start + _BLOCK > len(text))
        except SitemapFault as error:
            fault = error
        except expat.ExpatError as error:
            problem = expat.ErrorString(error.code)
            what = f"column {error.offset + 1}: {_PLAIN_WORDS.get(problem, problem)}"
            fault = SitemapFault("malformed", error.lineno, what)
        yield from builder.entries
        builder.entries.clear()
        if fault:
            raise fault
    if builder.last_fault:
        raise builder.last_fault


class _EntryBuilder:
    """Makes entries of what the parser finds. It calls `open` and `close` for each element.

    Only the elements of one entry are in memory at a time. Names begin with their namespace:
    `http://www.sitemaps.org/schemas/sitemap/0.9 loc`.
    """

    def __init__(self, parser: XMLParserType, is_strict: bool) -> None:
        """`parser` knows the current line. If it `is_strict`, the namespace of the root counts."""
        from xml.etree.ElementTree import TreeBuilder

        self.entries: list[SitemapEntry] = []  # complete, and not yielded yet
        # A fault that does not stop the reading, and is raised after the last entry.
        self.last_fault: SitemapFault | None = None
        self.tree = TreeBuilder()
        self._parser = parser
        self._is_strict = is_strict
        self._root: Node | None = None
        self._entry_name = ""  # of the elements that are entries: "http://… url"
        # The fields by the names of their elements: {"http://… loc": "loc"}.
        self._fields: dict[str, str] = {}
        self._lines: dict[Node, int] = {}  # of each element of the current entry

    def refuse_doctype(self, name: str, *_: object) -> None:
        """Raises SitemapFault: entities may grow without a limit, or name files."""
        raise self._fault("unsafe", f"declares {name} in a DOCTYPE; the rest was not read")

    def _fault(self, fault: Fault, text: str) -> SitemapFault:
        """A fault in the line that the parser reads now."""
        return SitemapFault(fault, self._parser.CurrentLineNumber, text)

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Takes the start of an element from the parser.

        Raises SitemapFault for a root that is not that of a sitemap, and for an entry with too many
        elements.
        """
        node = self.tree.start(name, attributes)
        if self._root is not None:
            self._lines[node] = self._parser.CurrentLineNumber
            if len(self._lines) > _MAX_ELEMENTS:
                raise self._fault(
                    "unsafe", f"has more than {_MAX_ELEMENTS:,} elements in one entry"
                )
            return

        # The first element is the root, which decides how entries and fields are named.
        self._root = node
        namespace, _, root = name.rpartition(" ")
        if root not in _ENTRY_OF:
            raise self._fault("root", f"<{root}> is not urlset or sitemapindex")
        if self._is_strict and namespace != NAMESPACE:
            what = f'the namespace of the root is "{namespace}", not "{NAMESPACE}"'
            self.last_fault = self._fault("root", what)
        prefix = name.removesuffix(root)  # namespace and space
        self._entry_name = prefix + _ENTRY_OF[root]
        self._fields = {prefix + field: field for field in _FIELDS}

    def close(self, name: str) -> None:
        """Takes the end of an element from the parser. A child of the root is complete then."""
        node = self.tree.end(name)
        root = self._root
        # The root has one child at most, because complete ones are removed.
        if root is None or not len(root) or root[0] is not node:
            return
        if name == self._entry_name:
            self.entries.append(self._entry_of(node))
        root.clear()
        self._lines.clear()

    def _entry_of(self, node: Node) -> SitemapEntry:
        """Makes an entry of a complete `<url>` or `<sitemap>`.

        It has `<loc>` and other fields, `<xhtml:link>` for each language version, and
        `<image:image>`, in which `<image:loc>` has the URL. The line is that of `<loc>`.
        """
        fields: dict[str, str] = {}
        alternates: list[tuple[str, str]] = []
        images: list[str] = []
        elements: list[Element] = []
        line = self._lines[node]
        for child in node:
            field = self._fields.get(child.tag)
            text = child.text or ""
            elements.append(Element(field or child.tag, text, self._lines[child], child.attrib))
            if field and field not in fields:  # of two, the first one counts
                fields[field] = text.strip(SPACE)
                if field == "loc":
                    line = self._lines[child]
            elif child.get("rel") == "alternate":
                alternates.append((child.get("hreflang", ""), child.get("href", "")))
            for grandchild in child:
                if grandchild.tag.endswith("loc"):
                    images.append((grandchild.text or "").strip(SPACE))
        return SitemapEntry(
            fields.get("loc", ""),
            fields.get("lastmod", ""),
            alternates=tuple(alternates),
            images=tuple(images),
            line=line,
            is_sitemap=node.tag.endswith("sitemap"),
            elements=tuple(elements),
        )
