"""The one reader of sitemaps, by any tool: XML or text, packed or not, or an index."""

import io
import re
import zlib
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from ..protocol import MAX_BYTES

_TEXTS = ("loc", "lastmod", "changefreq", "priority")  # elements of an entry with a text
_BLOCK = 1 << 16  # characters that the parser gets at once
_SPACE = " \t\r\n"  # of XML, without the no-break space
# The lines of our own sitemaps, which need no parser. Before the first entry: declaration,
# comments and the root, each on a line.
_HEAD = re.compile(r"(?:<\?xml [^<>]*\?>\n|<!--[^<>]*-->\n|<(?:urlset|sitemapindex) [^<>]*>\n)*")
_TEXT = r'((?:[^<>&"\s]++|&(?:amp|lt|gt|quot|apos|#39);)*+)'
_ROW = re.compile(
    rf"<(?:url|(sitemap))><loc>{_TEXT}</loc>(?:<lastmod>{_TEXT}</lastmod>)?+"
    rf"(?:<changefreq>{_TEXT}</changefreq>)?+(?:<priority>{_TEXT}</priority>)?+"
    rf'((?:<xhtml:link rel="alternate" hreflang="{_TEXT}" href="{_TEXT}"/>'
    rf"|<image:image><image:loc>{_TEXT}</image:loc></image:image>)*+)</(?:url|sitemap)>\n"
)
_ROW_ALTERNATE = re.compile(r'hreflang="([^"]*+)" href="([^"]*+)"')
_ROW_IMAGE = re.compile("<image:loc>([^<]*+)")

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

    loc: str = ""
    lastmod: str = ""
    changefreq: str = ""
    priority: str = ""
    alternates: tuple[tuple[str, str], ...] = ()  # (hreflang, URL)
    images: tuple[str, ...] = ()
    line: int = 0
    is_sitemap: bool = False


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
    if "<" not in text:
        yield from _read_lines(text)
        return
    start = position = len(_HEAD.match(text)[0])  # type: ignore[index]
    line = text.count("\n", 0, start)
    rows = 0
    while row := _ROW.match(text, position):
        position = row.end()
        rows += 1
        sitemap, loc, lastmod, changefreq, priority, rest = row.groups("")[:6]
        yield SitemapEntry(
            _unescaped(loc),
            lastmod,
            changefreq,
            priority,
            tuple((language, _unescaped(url)) for language, url in _ROW_ALTERNATE.findall(rest)),
            tuple(map(_unescaped, _ROW_IMAGE.findall(rest))),
            line + rows,
            sitemap != "",
        )
    # What is left is mostly `</urlset>`. Empty lines stand for the rows, so that lines count right.
    yield from _parse(text[:start] + "\n" * rows + text[position:])


def unpack(data: bytes) -> bytes:
    """Unpacks the bytes of a sitemap if they are gzip; others are returned as they are.

    Raises SitemapFault for what is damaged or has more bytes than the protocol allows.
    """
    if not data.startswith(b"\x1f\x8b"):
        return data
    import gzip  # few sitemaps are packed

    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise SitemapFault("damaged", 1, f"cannot be decompressed: {error}") from None
    if len(unpacked) > MAX_BYTES:
        raise SitemapFault("size", 1, f"has more than {MAX_BYTES:,} bytes uncompressed")
    return unpacked


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
        loc = line.strip(_SPACE)
        if loc:
            yield SitemapEntry(loc, line=number)


def _parse(text: str) -> Iterator[SitemapEntry]:
    """Yields the entries that expat, the parser of Python, finds in XML."""
    from xml.parsers import expat  # a build that finds only our own sitemaps parses little

    parser = expat.ParserCreate(namespace_separator=" ")
    reader = _EntryReader(parser)
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
            what = f"column {error.offset + 1}: {expat.ErrorString(error.code)}"
            raise SitemapFault("malformed", error.lineno, what) from None
        yield from reader.entries
        reader.entries.clear()


class _EntryReader:
    """Makes entries of what the parser calls. Names begin with their namespace: `http://… loc`."""

    def __init__(self, parser: Any) -> None:
        self.entries: list[SitemapEntry] = []  # complete, and not yielded yet
        self._parser = parser
        self._depth = 0
        self._text = ""
        self._texts: dict[str, str] = {}  # of the elements of the entry that is open
        self._line = 0
        self._alternates: list[tuple[str, str]] = []
        self._images: list[str] = []

    def refuse_doctype(self, *_: object) -> None:
        """Raises SitemapFault: entities may grow without a limit, or name files."""
        what = "has a DOCTYPE, as an HTML page has and a sitemap must not"
        raise SitemapFault("unsafe", self._parser.CurrentLineNumber, what)

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Takes the start of an element. Raises SitemapFault for another root."""
        local = name.rpartition(" ")[2]
        self._text = ""
        self._depth += 1
        if self._depth < 3:
            self._line = self._parser.CurrentLineNumber
        if self._depth == 1 and local not in ("urlset", "sitemapindex"):
            raise SitemapFault("root", self._line, f"<{local}> is not urlset or sitemapindex")
        if self._depth == 2:
            self._texts, self._alternates, self._images = {}, [], []
        elif local == "link" and attributes.get("rel") == "alternate":
            self._alternates.append((attributes.get("hreflang", ""), attributes.get("href", "")))

    def add_text(self, text: str) -> None:
        """Takes a part of the text of an element."""
        self._text += text

    def close(self, name: str) -> None:
        """Takes the end of an element. An entry is complete then."""
        local = name.rpartition(" ")[2]
        text = self._text.strip(_SPACE)
        if self._depth == 3 and local in _TEXTS:
            self._texts.setdefault(local, text)  # of two, the first one counts
        elif self._depth == 4 and local == "loc":
            self._images.append(text)
        elif self._depth == 2 and local in ("url", "sitemap"):
            self.entries.append(
                SitemapEntry(
                    **self._texts,
                    alternates=tuple(self._alternates),
                    images=tuple(self._images),
                    line=self._line,
                    is_sitemap=local == "sitemap",
                )
            )
        self._depth -= 1
