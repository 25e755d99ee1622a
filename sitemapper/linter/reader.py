"""The bytes of one sitemap to elements and faults: streaming, in bounded memory, whatever is thrown at it."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import IO
from xml.parsers import expat

from sitemapper.linter.facts import MAX_BYTES, NAMESPACE, Fault, Node
from sitemapper.linter.rules.documents import (
    TOO_LARGE,
    Damaged,
    Encoding,
    Malformed,
    Monstrous,
    Stray,
    TooLarge,
    Unsafe,
    WrongRoot,
)

BLOCK = 1 << 16
_GZIP = b"\x1f\x8b"
_TELLING = 256  # bytes that tell what a file is
_MAX_DEPTH = 32
_MAX_TOKEN = 1 << 20  # bytes of one tag
_MAX_TEXT = 1 << 16  # characters kept of one element
_MAX_NAMES = 1_000
_MAX_NODES = 20_000  # elements of one entry
_ENTRIES = {"urlset": "url", "sitemapindex": "sitemap"}
_FIELDS = {"url": ("loc", "lastmod", "changefreq", "priority"), "sitemap": ("loc", "lastmod")}
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_ALLOWED = {f"{_XSI} schemaLocation", f"{_XSI} noNamespaceSchemaLocation"}
_SPACE = " \t\r\n"  # of XML: a no-break space is none


# What expat says in a way that helps nobody.
_PLAINLY = {
    expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]: "no XML may hold this here; a bare & or <?",
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]: "the file ends before its root does",
    expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]: "something stands behind the root",
    expat.errors.codes[
        expat.errors.XML_ERROR_MISPLACED_XML_PI
    ]: "something stands before the XML declaration",
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN]: "the file ends within a tag",
}


class Stop(Exception):
    """The rest of the file is not read."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


def unpacked(file: IO[bytes], *, is_packed: bool = False) -> Iterator[bytes]:
    """The bytes of a file, of a gzip file those inside, as far as the protocol's limit.

    `is_packed` tells that its name says so. Raises Stop.
    """
    size = 0
    for block in _blocks(file, is_packed=is_packed):
        if not size and block[:2] == _GZIP:
            raise Stop(Damaged(1, "is packed twice"))
        size += len(block)
        if size > MAX_BYTES:
            yield block[: len(block) - (size - MAX_BYTES)]
            raise Stop(TooLarge(1, TOO_LARGE))
        yield block


def _blocks(file: IO[bytes], *, is_packed: bool) -> Iterator[bytes]:
    block = file.read(BLOCK)
    if block[:2] == b"PK":
        raise Stop(Damaged(1, "is a zip archive; sitemaps may be packed with gzip only"))
    if block[:2] != _GZIP:
        if is_packed:
            raise Stop(Damaged(1, "is called .gz, and is not packed"))
        while block:
            yield block
            block = file.read(BLOCK)
        return
    unpack = zlib.decompressobj(31)  # 31: with a gzip header
    while block or unpack.unconsumed_tail:
        try:
            found = unpack.decompress(unpack.unconsumed_tail + block, BLOCK)
        except zlib.error as error:
            raise Stop(Damaged(1, f"cannot be unpacked: {error}")) from None
        yield found
        block = b""
        if unpack.eof and unpack.unused_data.strip(b"\0"):  # gzip files may stand one behind the other
            block, unpack = unpack.unused_data, zlib.decompressobj(31)
        elif not unpack.unconsumed_tail:
            block = file.read(BLOCK)
    if not unpack.eof:
        raise Stop(Damaged(1, "ends in the middle of what is packed"))


def elements(blocks: Iterator[bytes]) -> Iterator[tuple[str, Node] | Fault]:
    """The root's name with each entry, of XML or of lines; faults where they are met."""
    reader: Xml | Lines = Lines()
    try:
        first = b""
        for block in blocks:
            first += block
            if len(first.strip()) >= _TELLING or len(first) > _MAX_TOKEN:
                break
        reader = _reader(first.removeprefix(codecs.BOM_UTF8).lstrip())
        for block in chain([first], blocks):
            yield from reader.feed(block)
        yield from reader.close()
    except Stop as stop:
        yield from reader.found()
        yield stop.fault


def _reader(start: bytes) -> Xml | Lines:
    if start[:14].lower().startswith((b"<!doctype html", b"<html")):
        raise Stop(WrongRoot(1, "is an HTML page, as servers show in place of a missing file"))
    if b"\0" in start[:4]:
        raise Stop(Encoding(1, "the file is UTF-16 or no text; the rest was not read"))
    is_xml = start.startswith(b"<") or b"<urlset" in start or b"<?xml" in start
    return Xml() if is_xml else Lines()


class _Open:
    """An element that is not closed yet."""

    def __init__(self, name: str, attributes: dict[str, str], line: int) -> None:
        self.space, _, self.name = name.rpartition(" ")
        self.attributes = attributes
        self.line = line
        self.text: list[str] = []
        self.size = 0
        self.children: list[Node] = []

    def closed(self) -> Node:
        """The whole element."""
        text = "".join(self.text)
        # The schema lets space stand around a URL, a date, a number, but not around a word of its list.
        text = text if self.name == "changefreq" and text.strip(_SPACE) else text.strip(_SPACE)
        return Node(self.space, self.name, self.attributes, text, tuple(self.children), self.line)


class _Reader:
    """What both forms have in common."""

    def __init__(self) -> None:
        self._found: list[tuple[str, Node] | Fault] = []
        self._utf8 = Utf8()

    def found(self) -> Iterator[tuple[str, Node] | Fault]:
        """What was read since it was last asked for."""
        found, self._found = self._found, []
        return iter(found)


class Xml(_Reader):
    """Reads XML by expat, which loads nothing from elsewhere; entities, depth and lengths are bounded."""

    root = "urlset"

    def __init__(self) -> None:
        super().__init__()
        self._stack: list[_Open] = []
        self._names: set[str] = set()
        self._nodes = 0
        self._has_entry = False
        self._fed = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.XmlDeclHandler = self._declared
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._chars

    def feed(self, block: bytes) -> Iterator[tuple[str, Node] | Fault]:
        """Reads on. Raises Stop."""
        self._utf8.check(block)
        self._fed += len(block)
        self._parse(block, last=False)
        if self._fed - self._parser.CurrentByteIndex > _MAX_TOKEN + BLOCK:
            raise Stop(Monstrous(self._line, "a tag of more than a megabyte"))
        return self.found()

    def close(self) -> Iterator[tuple[str, Node] | Fault]:
        """The end of the file. Raises Stop."""
        self._parse(b"", last=True)
        return self.found()

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _parse(self, block: bytes, *, last: bool) -> None:
        try:
            self._parser.Parse(block, last)
        except expat.ExpatError as error:
            said = _PLAINLY.get(error.code) or expat.ErrorString(error.code)
            raise Stop(Malformed(error.lineno, f"column {error.offset + 1}: {said}")) from None

    def _declared(self, version: str, encoding: str | None, _standalone: int) -> None:
        if version != "1.0":
            raise Stop(Malformed(1, f"declares XML {version}; the protocol wants 1.0"))
        if encoding and encoding.upper() not in ("UTF-8", "US-ASCII", "ASCII"):
            raise Stop(Encoding(1, f"declares the encoding {encoding}; the protocol wants UTF-8"))

    def _doctype(self, name: str, *_: object) -> None:
        raise Stop(Unsafe(self._line, f"declares {name} in a DOCTYPE; the rest was not read"))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        opened = _Open(name, attributes, self._line)
        self._names.update((name, *attributes))
        if len(self._names) > _MAX_NAMES:  # which the parser keeps
            raise Stop(Monstrous(self._line, f"more than {_MAX_NAMES:,} names of elements and attributes"))
        if not self._stack:
            self._begin(opened)
        elif len(self._stack) == 1:
            self._nodes = 0
        self._nodes += 1
        self._stack.append(opened)
        if len(self._stack) > _MAX_DEPTH:
            raise Stop(Monstrous(self._line, f"nested {_MAX_DEPTH} levels deep; the rest was not read"))
        if self._nodes > _MAX_NODES:
            raise Stop(Monstrous(self._line, f"more than {_MAX_NODES:,} elements in one entry"))

    def _begin(self, root: _Open) -> None:
        if root.name not in _ENTRIES:
            raise Stop(WrongRoot(root.line, f"<{root.name}> is neither urlset nor sitemapindex"))
        if root.space != NAMESPACE:
            self._found.append(
                WrongRoot(root.line, f'the namespace of <{root.name}> is "{root.space}", not "{NAMESPACE}"')
            )
        self.root = root.name
        self._found += _attributes(root.closed())

    def _end(self, _name: str) -> None:
        node = self._stack.pop().closed()
        if not self._stack:
            return
        if len(self._stack) > 1:
            self._stack[-1].children.append(node)
        elif node.space == self._stack[0].space and node.name == _ENTRIES[self.root]:
            self._has_entry = True
            self._found += strays(node)
            self._found.append((self.root, node))
        elif node.space in ("", self._stack[0].space) or self._has_entry or node.name == _ENTRIES[self.root]:
            self._found.append(Stray(node.line, f"<{node.name}> does not belong into <{self.root}>"))

    def _chars(self, text: str) -> None:
        opened = self._stack[-1]
        between = len(self._stack) == 1
        if between and not text.strip(_SPACE):
            return
        if between and not opened.size:
            line = self._line - text.lstrip(_SPACE).count("\n")  # expat hands text over at its end
            self._found.append(Stray(line, f"text between entries: {text.strip()[:60]!r}"))
        if opened.size < _MAX_TEXT:
            opened.text.append(text[:_MAX_TEXT])
            opened.size += len(text)


def strays(entry: Node) -> Iterator[Stray]:
    """What the schema does not allow in an entry."""
    yield from _attributes(entry)
    if entry.text:
        yield Stray(entry.line, f"text in <{entry.name}>: {entry.text[:60]!r}")
    for child in entry.children:
        own = child.space == entry.space
        if own and child.name in _FIELDS[entry.name]:
            yield from _attributes(child)
            yield from (
                Stray(c.line, f"<{c.name}> does not belong into <{child.name}>") for c in child.children
            )
        elif own or not child.space or child.name in _FIELDS[entry.name] or entry.name == "sitemap":
            yield Stray(child.line, f"the protocol knows no <{child.name}> in <{entry.name}>")


def _attributes(node: Node) -> Iterator[Stray]:
    for name in node.attributes:
        if name not in _ALLOWED:
            local = name.rpartition(" ")[2]
            yield Stray(node.line, f"the protocol knows no attribute {local} of <{node.name}>")


class Lines(_Reader):
    """Reads the text form, one URL a line."""

    def __init__(self) -> None:
        super().__init__()
        self._rest = b""
        self._line = 0

    def feed(self, block: bytes) -> Iterator[tuple[str, Node] | Fault]:
        """Reads on. Raises Stop."""
        self._utf8.check(block)
        *whole, self._rest = (self._rest + block).split(b"\n")
        for line in whole:
            self._add(line)
        if len(self._rest) > _MAX_TOKEN:
            raise Stop(Monstrous(self._line + 1, "a line of more than a megabyte"))
        return self.found()

    def close(self) -> Iterator[tuple[str, Node] | Fault]:
        """The end of the file."""
        self._add(self._rest)
        return self.found()

    def _add(self, line: bytes) -> None:
        self._line += 1
        text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip(_SPACE)
        if text:
            loc = Node(NAMESPACE, "loc", {}, text[:_MAX_TEXT], (), self._line)
            self._found.append(("text", Node(NAMESPACE, "line", {}, "", (loc,), self._line)))


class Utf8:
    """Says where bytes are not UTF-8."""

    def __init__(self) -> None:
        self._line = 1
        self._rest = b""

    def check(self, block: bytes) -> None:
        """Looks at the next bytes. Raises Stop."""
        data = self._rest + block
        self._rest = b""
        if b"\0" in data:  # UTF-8, but expat would take it for UTF-16
            line = self._line + data.count(b"\n", 0, data.index(b"\0"))
            raise Stop(Encoding(line, "holds a NUL byte, as UTF-16 does; the rest was not read"))
        try:
            data.decode()
        except UnicodeDecodeError as error:
            if (
                error.end < len(data)
                or len(data) - error.start > 3
                or error.reason != "unexpected end of data"
            ):
                line = self._line + data.count(b"\n", 0, error.start)
                utf16 = data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
                what = "the file is UTF-16" if utf16 else f"the byte {data[error.start]:#04x} is not UTF-8"
                raise Stop(Encoding(line, f"{what}; the rest was not read")) from None
            self._rest = data[error.start :]
        self._line += data.count(b"\n", 0, len(data) - len(self._rest))
