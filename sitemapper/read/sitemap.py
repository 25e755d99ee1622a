"""The one reader of sitemaps, by any tool: XML or text, packed or not, or an index."""

import io
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ..protocol import MAX_BYTES, NAMESPACE

_ENTRY_OF = {"urlset": "url", "sitemapindex": "sitemap"}
_TEXTS = ("loc", "lastmod", "changefreq", "priority")  # elements of an entry with a text
_BLOCK = 1 << 16  # characters that the parser gets at once
_GZIP = b"\x1f\x8b"
SPACE = " \t\r\n"  # of XML, without the no-break space
_MAX_DEPTH = 32
_MAX_ELEMENTS = 20_000  # of one entry
_MAX_TEXT = 1 << 16  # characters of one element
# The lines of our own sitemaps, which need no parser. Before the first entry: declaration,
# comments and the root, each on a line.
_HEAD = re.compile(
    r"\ufeff?(?:<\?xml [^<>]*\?>\n|<!--[^<>]*-->\n|<(?:urlset|sitemapindex) [^<>]*>\n)*"
)
_TEXT = r'((?:[^<>&"\s]++|&(?:amp|lt|gt|quot|apos|#39);)*+)'
_ROW = re.compile(
    rf"<(?:url|(sitemap))><loc>{_TEXT}</loc>(?:<lastmod>{_TEXT}</lastmod>)?+"
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
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]\w*)[\s/>]")
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)", re.IGNORECASE)
_START = 1 << 16  # bytes in which the root begins

Fault = Literal["malformed", "encoding", "root", "size", "unsafe", "damaged"]


class SitemapFault(Exception):
    """Why a sitemap cannot be read, or not to its end: what is wrong, in which line, from 1."""

    def __init__(self, fault: Fault, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.fault = fault
        self.line = line
        self.text = text


class Element(NamedTuple):
    """An element of an entry. Before its name is its namespace, unless that is the root's."""

    name: str  # "lastmod", "http://www.w3.org/1999/xhtml link", " loc" without a namespace
    text: str
    line: int
    attributes: Mapping[str, str]


class SitemapEntry(NamedTuple):
    """A URL of a sitemap, or a sitemap of an index, with its line. "" stands for no element."""

    loc: str = ""
    lastmod: str = ""
    changefreq: str = ""
    priority: str = ""
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, URL)
    images: tuple[str, ...] = ()
    line: int = 0
    is_sitemap: bool = False
    elements: tuple[Element, ...] = ()  # all of them, where `read_sitemap` is strict

    @property
    def loc_line(self) -> int:
        """The line of the URL; that of the entry if it is not known."""
        return next((one.line for one in self.elements if one.name == "loc"), self.line)


def read_sitemap(data: bytes, *, is_strict: bool = False) -> Iterator[SitemapEntry]:
    """Yields the entries of a sitemap or an index, packed or not, in the order of the file.

    Raises SitemapFault after the entries before the fault. If it `is_strict`, entries of XML
    have their elements, and the namespace of the root must be that of the protocol.
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
    if "<" not in text:
        yield from _read_lines(text.removeprefix("\ufeff"))
        return
    start = position = len(_HEAD.match(text)[0])  # type: ignore[index]
    line = text.count("\n", 0, start)
    rows = 0
    while not is_strict and (row := _ROW.match(text, position)):
        position = row.end()
        rows += 1
        sitemap, loc, lastmod, changefreq, priority, rest = row.groups("")[:6]
        alternates: list[tuple[str, str]] = []
        images: list[str] = []
        if rest:
            alternates = [(name, _unescaped(url)) for name, url in _ROW_ALTERNATE.findall(rest)]
            images = [_unescaped(url) for url in _ROW_IMAGE.findall(rest)]
        yield SitemapEntry(
            _unescaped(loc),
            lastmod,
            changefreq,
            priority,
            tuple(alternates),
            tuple(images),
            line + rows,
            sitemap != "",
        )
    # What is left is mostly `</urlset>`. Empty lines stand for the rows, so that lines count right.
    yield from _parse(text[:start] + "\n" * rows + text[position:], is_strict)


def unpack(data: bytes) -> bytes:
    """Unpacks the bytes of a sitemap if they are gzip; others are returned as they are.

    Raises SitemapFault for what is damaged or has more bytes than the protocol allows.
    """
    if not data.startswith(_GZIP):
        return data
    import gzip  # few sitemaps are packed

    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SitemapFault("damaged", 1, f"cannot be decompressed: {error}") from None
    if len(unpacked) > MAX_BYTES:
        raise SitemapFault("size", 1, f"has more than {MAX_BYTES:,} bytes uncompressed")
    return unpacked


def root_of(start: bytes) -> str:
    """The root of a sitemap, `urlset` or `sitemapindex`, by its first bytes; "" for other files."""
    if start.startswith(_GZIP):
        try:
            start = zlib.decompressobj(31).decompress(start, _START)
        except zlib.error:
            return ""
    tag = _TAG.search(_COMMENT.sub(b"", start[:_START]))
    name = tag[1].decode() if tag else ""
    return name if name in _ENTRY_OF else ""


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    from html import unescape  # loads the names of all characters

    return unescape(text)


def _read_lines(text: str) -> Iterator[SitemapEntry]:
    """Yields each line of a text sitemap. Raises SitemapFault for a text without a URL."""
    if text.strip() and "://" not in text:
        raise SitemapFault("root", 1, "is neither XML nor a list with one URL per line")
    for number, line in enumerate(text.split("\n"), 1):
        loc = line.strip(SPACE)
        if loc:
            yield SitemapEntry(loc, line=number)


def _parse(text: str, is_strict: bool) -> Iterator[SitemapEntry]:
    """Yields the entries that expat, the parser of Python, finds in XML."""
    from xml.parsers import expat  # a build that finds only our own sitemaps parses little

    parser = expat.ParserCreate(namespace_separator=" ")
    reader = _EntryReader(parser, is_strict)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = reader.refuse_doctype
    parser.StartElementHandler = reader.open
    parser.EndElementHandler = reader.close
    parser.CharacterDataHandler = reader.add_text
    for start in range(0, len(text) + 1, _BLOCK):
        try:
            parser.Parse(text[start : start + _BLOCK], start + _BLOCK > len(text))
        except expat.ExpatError as error:
            yield from reader.entries
            problem = expat.ErrorString(error.code)
            what = f"column {error.offset + 1}: {_PLAIN_WORDS.get(problem, problem)}"
            raise SitemapFault("malformed", error.lineno, what) from None
        except SitemapFault:
            yield from reader.entries
            raise
        yield from reader.entries
        reader.entries.clear()
    if is_strict and reader.space != f"{NAMESPACE} ":
        what = f'the namespace of the root is "{reader.space.strip()}", not "{NAMESPACE}"'
        raise SitemapFault("root", reader.root_line, what)


class _EntryReader:
    """Makes entries of what the parser calls. Names begin with their namespace: `http://… loc`."""

    def __init__(self, parser: Any, is_strict: bool) -> None:
        self.entries: list[SitemapEntry] = []  # complete, and not yielded yet
        self.space = ""  # the namespace of the root, with a blank
        self.root_line = 0
        self._parser = parser
        self._is_strict = is_strict
        self._entry = ""  # the name that entries have
        self._texts: list[str] = []  # of the open elements
        self._starts: list[tuple[int, Mapping[str, str]]] = []  # their lines and attributes
        # Of the entry that is open:
        self._fields: dict[str, str] = {}
        self._alternates: list[tuple[str, str]] = []
        self._images: list[str] = []
        self._elements: list[Element] = []

    def refuse_doctype(self, name: str, *_: object) -> None:
        """Raises SitemapFault: entities may grow without a limit, or name files."""
        raise self._fault("unsafe", f"declares {name} in a DOCTYPE; the rest was not read")

    def _fault(self, fault: Fault, text: str) -> SitemapFault:
        return SitemapFault(fault, self._parser.CurrentLineNumber, text)

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Takes the start of an element. Raises SitemapFault for another root."""
        depth = len(self._texts)
        line = self._parser.CurrentLineNumber
        if depth == 0:
            local = name.rpartition(" ")[2]
            if local not in _ENTRY_OF:
                raise self._fault("root", f"<{local}> is not urlset or sitemapindex")
            self.space = name.removesuffix(local)
            self.root_line = line
            self._entry = self.space + _ENTRY_OF[local]
        elif depth == 1:
            self._fields, self._alternates, self._images, self._elements = {}, [], [], []
        elif depth == _MAX_DEPTH or len(self._elements) > _MAX_ELEMENTS:
            raise self._fault("unsafe", "nests elements too deep, or has too many in one entry")
        self._texts.append("")
        self._starts.append((line, attributes))

    def add_text(self, text: str) -> None:
        """Takes a part of the text of an element. Between entries, there is nothing but space."""
        if len(self._texts) > 1:
            self._texts[-1] += text[: _MAX_TEXT - len(self._texts[-1])]

    def close(self, name: str) -> None:
        """Takes the end of an element. An entry is complete then."""
        text = self._texts.pop()
        line, attributes = self._starts.pop()
        depth = len(self._texts)
        if depth == 2:
            if name.startswith(self.space):
                local = name.removeprefix(self.space)
            else:
                local = name if " " in name else f" {name}"  # `xmlns=""`, as .NET writes it
            if self._is_strict:
                self._elements.append(Element(local, text, line, attributes))
            if local in _TEXTS:
                self._fields.setdefault(local, text.strip(SPACE))  # of two, the first one counts
            elif attributes.get("rel") == "alternate" and name.endswith("link"):
                alternate = (attributes.get("hreflang", ""), attributes.get("href", ""))
                self._alternates.append(alternate)
        elif depth == 3 and name.endswith("loc"):
            self._images.append(text.strip(SPACE))
        elif depth == 1 and name == self._entry:
            self.entries.append(
                SitemapEntry(
                    **self._fields,
                    alternates=tuple(self._alternates),
                    images=tuple(self._images),
                    line=line,
                    is_sitemap=name.endswith("sitemap"),
                    elements=tuple(self._elements),
                )
            )
