"""Parses the bytes of one sitemap to entries and errors, in bounded time and memory."""

import codecs
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import IO
from xml.parsers import expat

from ..protocol import ENTRY_OF, FIELDS_OF, MAX_BYTES, NAMESPACE, XSI_NAMESPACE
from .feeds import FEEDS, XML_BASE, Feed, read_entry
from .model import FileError, Node
from .rules.documents import (
    DAMAGED,
    ENCODING,
    MALFORMED,
    TOO_COMPLEX,
    TOO_LARGE,
    UNEXPECTED,
    UNSAFE,
    WRONG_ROOT,
)

_BLOCK = 1 << 16
_PIECE = 1 << 12  # of a gzip file; short, because the bytes after a member are copied
_GZIP = b"\x1f\x8b"
_TELLING = 256  # bytes that show the type of a file
_MAX_DEPTH = 32
_MAX_TOKEN = 1 << 20  # bytes of one tag
_MAX_TEXT = 1 << 16  # characters kept of one element
_MAX_NAMES = 1_000
_MAX_NODES = 20_000  # elements of one entry
_ALLOWED = {f"{XSI_NAMESPACE} schemaLocation", f"{XSI_NAMESPACE} noNamespaceSchemaLocation"}
_SPACE = " \t\r\n"  # white space of XML, without the no-break space
_ERRORS = expat.errors
_CODES = expat.errors.codes
_PLAINLY = {  # clearer than the words of expat
    _CODES[_ERRORS.XML_ERROR_INVALID_TOKEN]: "not allowed here in XML; an unescaped & or <?",
    _CODES[_ERRORS.XML_ERROR_NO_ELEMENTS]: "the file ends before the root element does",
    _CODES[_ERRORS.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]: "there is content after the root element",
    _CODES[_ERRORS.XML_ERROR_MISPLACED_XML_PI]: "there is content before the XML declaration",
    _CODES[_ERRORS.XML_ERROR_UNCLOSED_TOKEN]: "the file ends inside a tag",
}

Element = tuple[str, Node] | FileError


def uncompressed(file: IO[bytes], *, is_gz: bool = False) -> Iterator[bytes]:
    """The bytes of a file, unpacked if it is gzip, up to the limit of the protocol.

    With `is_gz`, the name promises a gzip file. Raises FileError.
    """
    start = file.read(_PIECE)
    if start[:2] == b"PK":
        raise FileError(DAMAGED, 1, "is a zip archive; only gzip is allowed")
    is_packed = start[:2] == _GZIP
    if is_gz and not is_packed:
        raise FileError(DAMAGED, 1, "is named .gz but is not compressed")
    length = _PIECE if is_packed else _BLOCK
    rest = iter(lambda: file.read(length), b"")
    # Compressed data can be endless without any content, so its pieces are limited too.
    pieces = chain([start], islice(rest, 2 * MAX_BYTES // _PIECE))
    blocks = _unpacked(pieces) if is_packed else pieces
    size = 0
    for block in blocks:
        is_first = size == 0
        if is_first and block[:2] == _GZIP:
            raise FileError(DAMAGED, 1, "is compressed twice")
        size += len(block)
        excess = size - MAX_BYTES
        if excess > 0:
            yield block[: len(block) - excess]
            what = f"more than {MAX_BYTES:,} bytes uncompressed; the rest was not read"
            raise FileError(TOO_LARGE, 1, what)
        yield block


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Unpacks the pieces of a gzip file.

    Such a file is a row of members, each compressed for itself (RFC 1952, 2.2). Zeros may follow a
    member, as on tapes. The contents come in blocks of some size, so that many small members cost
    no more than one large one. Raises FileError after all that could be unpacked.
    """
    unpacked = bytearray()
    open_member = None  # has begun, and has not ended yet
    for piece in pieces:
        packed = piece
        if open_member is None:
            packed = packed.lstrip(b"\0")
        while packed:
            member = open_member or zlib.decompressobj(31)  # 31: with a gzip header
            try:
                unpacked += member.decompress(packed, _BLOCK)
            except zlib.error as error:
                yield bytes(unpacked)
                raise FileError(DAMAGED, 1, f"cannot be decompressed: {error}") from None
            if member.eof:
                open_member = None
                packed = member.unused_data.lstrip(b"\0")  # the beginning of the next member
            else:
                open_member = member
                packed = member.unconsumed_tail  # what would unpack to more than _BLOCK
            if len(unpacked) >= _BLOCK:
                yield bytes(unpacked)
                unpacked.clear()
    yield bytes(unpacked)
    if open_member:
        raise FileError(DAMAGED, 1, "ends in the middle of the compressed data")


def elements(blocks: Iterator[bytes]) -> Iterator[Element]:
    """Parses a sitemap, a feed or a text file, by what the file begins with.

    Yields each entry with the name of the root, and each error, in the order of the file.
    """
    try:
        start = b""
        for block in blocks:
            start += block
            shows_type = len(start.strip()) >= _TELLING
            if shows_type or len(start) > _MAX_TOKEN:
                break
        read_elements = _form_of(start)
        yield from read_elements(_utf8(chain([start], blocks)))
    except FileError as error:
        yield error


def _form_of(start: bytes) -> Callable[[Iterator[bytes]], Iterator[Element]]:
    """The reader of XML or of text, by the first bytes. Raises FileError for other files."""
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if is_html(start):
        what = "is an HTML page, such as servers send for a missing file"
        raise FileError(WRONG_ROOT, 1, what)
    if b"\0" in text[:4]:  # UTF-16 has a NUL beside each ASCII character
        raise FileError(ENCODING, 1, "the file is UTF-16 or binary; the rest was not read")
    is_xml = text.startswith(b"<") or b"<urlset" in text or b"<?xml" in text
    if is_xml:
        return _Xml().read
    if _is_prose(text):
        raise FileError(WRONG_ROOT, 1, "is neither XML nor a list with one URL per line")
    return _lines


def _is_prose(text: bytes) -> bool:
    """Whether most lines are several words. A line of a text sitemap is one, even if no URL."""
    lines = [line.split() for line in text.split(b"\n") if line.strip()]
    of_words = [words for words in lines if len(words) > 1 and not words[0].startswith(b"http")]
    return bool(of_words) and 2 * len(of_words) >= len(lines)


def is_html(start: bytes) -> bool:
    """Whether a file is an HTML page, by its first bytes."""
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    return text[:_TELLING].lower().startswith((b"<!doctype html", b"<html"))


def _lines(blocks: Iterator[bytes]) -> Iterator[Element]:
    """The text form, one URL a line. Raises FileError."""
    begun = b""  # a line whose end is in a later block
    number = 0
    for block in chain(blocks, [b"\n"]):
        *lines, begun = (begun + block).split(b"\n")
        for line in lines:
            number += 1
            text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip(_SPACE)
            if text:
                loc = Node(NAMESPACE, "loc", {}, text[:_MAX_TEXT], (), number)
                yield "text", Node(NAMESPACE, "line", {}, "", (loc,), number)
        if len(begun) > _MAX_TOKEN:
            raise FileError(
                TOO_COMPLEX, number + 1, "a line is longer than 1 MiB; the rest was not read"
            )


class _OpenElement:
    """An element whose start tag was read, and whose end tag was not yet.

    `size` is the number of characters in `text`.
    """

    __slots__ = ("attributes", "children", "line", "name", "size", "space", "text")

    def __init__(self, name: str, attributes: dict[str, str], line: int) -> None:
        # As expat gives it: the namespace, a space and the name, or the name alone.
        self.space, _, self.name = name.rpartition(" ")
        self.attributes = attributes
        self.line = line
        self.text: list[str] = []
        self.size = 0
        self.children: list[Node] = []

    def close(self) -> Node:
        """The whole element."""
        text = "".join(self.text)
        stripped = text.strip(_SPACE)
        # The schema allows white space around a URL, a date or a number, but not around a
        # changefreq.
        if self.name != "changefreq" or not stripped:
            text = stripped
        return Node(self.space, self.name, self.attributes, text, tuple(self.children), self.line)


class _Xml:
    """Parses XML with expat, which loads no other files.

    Refuses entities, limits depth and lengths.
    """

    def __init__(self) -> None:
        self._elements: list[Element] = []  # entries and errors that `read` has not yielded yet
        self._stack: list[_OpenElement] = []  # the open elements, from the root inwards
        self._names: set[str] = set()
        self._nodes = 0  # elements inside the current entry
        self._text_line = 0  # where text between entries begins
        self._has_entry = False
        self._feed: Feed | None = None  # the format, if the file is a feed
        self._depth = 1  # elements around an entry
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.XmlDeclHandler = self._check_declaration
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.EntityDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._parser.CharacterDataHandler = self._add_text

    def read(self, blocks: Iterator[bytes]) -> Iterator[Element]:
        """Each element when it ends. Raises FileError, after the elements before the error."""
        fed = 0
        failure = None
        for block in chain(filter(None, blocks), [b""]):
            fed += len(block)
            is_final = not block
            try:
                self._parser.Parse(block, is_final)
                # The parser stays at the start of a tag until it has the whole tag.
                if fed - self._parser.CurrentByteIndex > _MAX_TOKEN + _BLOCK:
                    raise self._too_complex("a tag is longer than 1 MiB")
            except expat.ExpatError as error:
                problem = _PLAINLY.get(error.code) or expat.ErrorString(error.code)
                what = f"column {error.offset + 1}: {problem}"
                failure = FileError(MALFORMED, error.lineno, what)
            except FileError as error:
                failure = error
            yield from self._elements
            self._elements.clear()
            if failure:
                raise failure

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _too_complex(self, what: str) -> FileError:
        """The error for a file that exceeds a limit, at the line that was reached."""
        return FileError(TOO_COMPLEX, self._line, f"{what}; the rest was not read")

    def _check_declaration(self, version: str, encoding: str | None, _standalone: int) -> None:
        """Raises FileError for `<?xml ...?>` with another version or encoding than allowed."""
        if version != "1.0":
            raise FileError(MALFORMED, 1, f"declares XML {version}; the protocol requires 1.0")
        if encoding and encoding.upper() not in ("UTF-8", "US-ASCII", "ASCII"):
            raise FileError(
                ENCODING, 1, f"declares the encoding {encoding}; the protocol requires UTF-8"
            )

    def _refuse_doctype(self, name: str, *_: object) -> None:
        """Raises FileError. Entities may expand without a limit, or name other files."""
        raise FileError(UNSAFE, self._line, f"declares {name} in a DOCTYPE; the rest was not read")

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        """Takes a start tag. Raises FileError if the file has more of something than it may.

        The parser calls this. Text before a child of the root is complete now, so it is checked.
        """
        element = _OpenElement(name, attributes, self._parser.CurrentLineNumber)
        if not self._stack:
            self._open_root(element)
        elif len(self._stack) == 1:
            self._check_text(self._stack[0])
        self._stack.append(element)
        self._names.add(name)
        if attributes:
            self._names.update(attributes)
        is_inside_entry = len(self._stack) > self._depth + 1
        if is_inside_entry:
            self._nodes += 1
        else:
            self._nodes = 0
        if len(self._names) > _MAX_NAMES:  # the parser keeps them all
            raise self._too_complex(f"more than {_MAX_NAMES:,} different names")
        if len(self._stack) > _MAX_DEPTH:
            raise self._too_complex(f"more than {_MAX_DEPTH} levels of nesting")
        if self._nodes > _MAX_NODES:
            raise self._too_complex(f"more than {_MAX_NODES:,} elements in one entry")

    def _open_root(self, root: _OpenElement) -> None:
        """Recognises the kind of the file. Raises FileError for any other XML."""
        feed = FEEDS.get(root.name)
        if feed is None and root.name not in ENTRY_OF:
            what = f"<{root.name}> is not urlset, sitemapindex, rss or feed"
            raise FileError(WRONG_ROOT, root.line, what)
        namespaces = feed.namespaces if feed else (NAMESPACE,)
        if root.space not in namespaces:
            what = f'the namespace of <{root.name}> is "{root.space}", not "{namespaces[0]}"'
            self._elements.append(FileError(WRONG_ROOT, root.line, what))
        if feed:
            self._feed = feed
            self._depth = feed.depth
        else:
            self._elements += _attributes(root.close())

    def _close(self, _name: str) -> None:
        """Takes an end tag, when the parser calls it. The innermost open element is complete.

        This may be the root, a field inside an entry, or an entry.
        """
        element = self._stack.pop()
        is_root = not self._stack
        if is_root:
            self._check_text(element)
            return
        node = element.close()
        is_inside_entry = len(self._stack) > self._depth
        if is_inside_entry:
            self._stack[-1].children.append(node)
            return
        root = self._stack[0]
        if self._feed:
            self._add_feed_entry(self._feed, node, root)
        else:
            self._add_entry(node, root)

    def _add_entry(self, node: Node, root: _OpenElement) -> None:
        """Adds a child of the root: an entry with its errors, or the error that it is none."""
        is_named_entry = node.name == ENTRY_OF[root.name]
        if is_named_entry and node.space == root.space:
            self._has_entry = True
            self._elements += (*_unexpected(node), (root.name, node))
            return
        # Elements of other namespaces are accepted before the first entry, and only there.
        is_extension = node.space not in ("", root.space) and not is_named_entry
        if not is_extension or self._has_entry:
            problem = f"<{node.name}> does not belong in <{root.name}>"
            self._elements.append(FileError(UNEXPECTED, node.line, problem))

    def _add_feed_entry(self, feed: Feed, node: Node, root: _OpenElement) -> None:
        """Adds an entry of a feed with its errors. Other elements are about the feed itself."""
        is_entry = node.name == feed.entry and node.space == root.space
        if not is_entry or len(self._stack) != feed.depth:
            return
        base = root.attributes.get(XML_BASE, "")
        for part in read_entry(feed, node, base):
            self._elements.append(part if isinstance(part, FileError) else (root.name, part))

    def _add_text(self, text: str) -> None:
        """Takes a piece of text, when the parser calls it. An element keeps _MAX_TEXT characters.

        Between entries, white space before the text is dropped, so that layout is no text.
        """
        element = self._stack[-1]
        kept = text
        is_first_between_entries = len(self._stack) == 1 and not element.size
        if is_first_between_entries:
            kept = text.lstrip(_SPACE)
            self._text_line = self._line - kept.count("\n")  # expat reports text at its end
        if kept and element.size < _MAX_TEXT:
            element.text.append(kept[: _MAX_TEXT - element.size])
            element.size += len(kept)

    def _check_text(self, root: _OpenElement) -> None:
        """Reports text between entries, once.

        It may arrive in several pieces, until the next tag.
        """
        if root.text and not self._feed:
            problem = f"text between entries: {root.close().text[:60]!r}"
            self._elements.append(FileError(UNEXPECTED, self._text_line, problem))
            root.text.clear()
            root.size = _MAX_TEXT


def _unexpected(entry: Node) -> Iterator[FileError]:
    """What an entry has that the protocol does not allow there: attributes, text, or children.

    A <url> may have fields, such as <lastmod>, and elements of other namespaces, such as
    <image:image>.
    """
    if entry.attributes:
        yield from _attributes(entry)
    if entry.text:
        yield FileError(UNEXPECTED, entry.line, f"text in <{entry.name}>: {entry.text[:60]!r}")
    for child in entry.children:
        is_in_protocol = child.space == entry.space
        is_field_name = child.name in FIELDS_OF[entry.name]
        if is_in_protocol and is_field_name:
            yield from _unexpected_in_field(child)
            continue
        # The schema allows elements of other namespaces in a <url>, and none in a <sitemap>. One
        # that is named like a field, such as <x:lastmod>, is a mistake.
        is_extension = child.space != "" and not is_in_protocol and not is_field_name
        if not is_extension or entry.name == "sitemap":
            problem = f"the protocol has no <{child.name}> in <{entry.name}>"
            yield FileError(UNEXPECTED, child.line, problem)


def _unexpected_in_field(field: Node) -> Iterator[FileError]:
    """The attributes and elements of a field, which may have text only."""
    if field.attributes:
        yield from _attributes(field)
    for child in field.children:
        problem = f"<{child.name}> does not belong in <{field.name}>"
        yield FileError(UNEXPECTED, child.line, problem)


def _attributes(node: Node) -> Iterator[FileError]:
    """The attributes of an element, of which the protocol has none but those of schemas."""
    for name in node.attributes:
        if name not in _ALLOWED:
            local = name.rpartition(" ")[2]
            yield FileError(
                UNEXPECTED, node.line, f"the protocol has no attribute {local} on <{node.name}>"
            )


def _utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks as they are. Raises FileError at the first byte that is not UTF-8."""
    line = 1
    decoder = codecs.getincrementaldecoder("utf-8")()
    for block in blocks:
        if b"\0" in block:  # valid UTF-8, but expat would read it as UTF-16
            line += block.count(b"\n", 0, block.index(b"\0"))
            raise FileError(
                ENCODING, line, "contains a NUL byte, as UTF-16 does; the rest was not read"
            )
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            data = error.object
            line += data.count(b"\n", 0, error.start)
            what = f"the byte {data[error.start]:#04x} is not UTF-8"
            if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                what = "the file is UTF-16"
            raise FileError(ENCODING, line, f"{what}; the rest was not read") from None
        yield block
        line += block.count(b"\n")
