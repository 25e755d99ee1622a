"""The one reader of sitemaps, by any tool: XML or text, packed or not, or an index.

`entries` gives the URLs with their dates and lines. `elements` gives all that a file contains and
all that is wrong with it, for the linter. `own_rows` and `parse_row` are for the lines of our own
sitemaps, which need no parser.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from typing import IO, NamedTuple

from ..protocol import MAX_BYTES, SITEMAPINDEX, URLSET
from ..syntax.html import unescaped
from .sitemap_xml import (
    MAX_TEXT,
    MAX_TOKEN,
    SPACE,
    Element,
    FileError,
    FileFault,
    Node,
    XmlParser,
    loc_of,
)

# The second line of each XML file of ours.
MARK = b"<!-- sitemapper wrote this file; its next run will replace it -->"
# In an index of ours, what follows names sitemaps of other tools.
OTHERS = b"<!-- sitemaps of other tools -->\n"
TEXT = "text"  # instead of the name of a root, for a list of URLs
# Bytes of content that the parser gets at once: 64 KiB. It reads an open comment again from its
# start with each block, so small blocks would take long.
_BLOCK = 1 << 16
# Bytes that are read of a gzip file at once: 4 KiB. With each member that ends, zlib copies all
# bytes after it, so large pieces would take long.
_PIECE = 1 << 12
_GZIP = b"\x1f\x8b"
_BYTES_OF_TYPE = 256  # that show the type of a file
_HEAD = re.compile(rb"<(?:\?|!--|urlset |sitemapindex ).*>\n")  # a line before the first entry
_MAX_HEAD = 8  # lines before the first entry; ours has at most five
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)", re.IGNORECASE)
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]\w*)[\s/>]")
_ENDS_OF_ENTRY = (b"</url>\n", b"</sitemap>\n")
_ROW = re.compile(rb"<(?:url|sitemap)><loc>([^<]*+)</loc>(?:<lastmod>([^<]*+)</lastmod>)?")


class Entry(NamedTuple):
    """A URL with its lastmod, "" for none, and its line. Of an index, the URL of a sitemap.

    `root` is the name of the root element, or TEXT. `row` is the line of a sitemap of ours, empty
    for others.
    """

    loc: str
    lastmod: str
    line: int
    root: str
    row: bytes = b""


def entries(blocks: Iterator[bytes], *, only_ours: bool = False) -> Iterator[Entry]:
    """Yields the URLs of a sitemap, or the sitemaps of an index, in the order of the file.

    `<url><loc>https://a.example/</loc></url>` on line 4 → `Entry("https://a.example/", "", 4, …)`.
    `only_ours` leaves out the sitemaps of other tools that an index of ours names. Of a file that
    another tool wrote, all entries are yielded in any case. If the file is damaged, FileError is
    raised after the entries before the damage.
    """
    start = next(blocks, b"")
    all_blocks = chain([start], blocks)
    is_ours = MARK in start[:512]  # the comment by which sitemapper recognises its files
    if not is_ours:
        yield from _parse_entries(all_blocks)
        return
    lines = _lines(all_blocks)
    if only_ours:
        lines = _before_others(lines)
    # A file of ours is read line by line, which is much faster than a parser. `_own_entries` yields
    # these entries, and returns what is left for the parser: mostly only `</urlset>`. If somebody
    # edited a line, it is all lines from there.
    lines_for_parser = yield from _own_entries(lines)
    yield from _parse_entries(lines_for_parser)


def _own_entries(lines: Iterator[bytes]) -> Generator[Entry, None, Iterator[bytes]]:
    """Yields the entries of a sitemap of ours without a parser, because each is a line of its own.

    Stops at the first line that is no such entry: `</urlset>`, or a line that somebody edited.
    Returns the sitemap for a parser, which reads the rest. In place of each entry, there is an
    empty line, so that the parser counts lines right.
    """
    head, line = _take_head(lines)
    entry_count = 0
    while line.endswith(_ENDS_OF_ENTRY) and line.count(b"<loc>") == 1:
        loc, lastmod = parse_row(line)
        if not loc:
            break
        entry_count += 1
        number = len(head) + entry_count
        root = URLSET if line.startswith(b"<url>") else SITEMAPINDEX
        yield Entry(loc, lastmod, number, root, row=line.rstrip(b"\n"))
        line = next(lines, b"")  # b"" at the end of the file
    empty_lines = b"\n" * entry_count
    return chain(head, [empty_lines, line], lines)  # `line` is the one that is no entry


def _take_head(lines: Iterator[bytes]) -> tuple[list[bytes], bytes]:
    """Takes the lines before the first entry, and the line after them, from `lines`.

    The head of a sitemap of ours has lines such as `<?xml …?>`, a comment, and `<urlset …>`.
    """
    head: list[bytes] = []
    line = next(lines, b"")  # b"" if the file ends here
    while len(head) < _MAX_HEAD and _HEAD.fullmatch(line):
        head.append(line)
        line = next(lines, b"")
    return head, line


def _parse_entries(blocks: Iterator[bytes]) -> Iterator[Entry]:
    """Yields the entries that the parser finds in a sitemap, and passes over faults between them.

    A fault after the last entry is raised as FileError, because entries may be missing there: for
    instance, the file may end in the middle.
    """
    last_fault: FileError | None = None  # a fault after the last entry that was read so far
    for element in elements(blocks):
        if isinstance(element, FileError):
            last_fault = element
            continue
        last_fault = None
        root, node = element
        # Other children, such as `changefreq`, get into `texts`, too, where nobody reads them.
        texts = {"loc": "", "lastmod": ""}
        for child in reversed(node.children):  # reversed, because of two, the first one counts
            if child.space == node.space:
                texts[child.name] = child.text
        yield Entry(texts["loc"], texts["lastmod"], node.line, root)
    if last_fault:
        raise last_fault


def own_rows(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the lines `<url>…</url>` of a sitemap of ours, without line ends.

    Other lines, such as `</urlset>`, are passed over. If the file is damaged, the lines before the
    damage are yielded.
    """
    try:
        for line in _lines(blocks):
            if line.startswith(b"<url>"):
                yield line.rstrip(b"\n")
    except FileError:
        return


def parse_row(row: bytes) -> tuple[str, str]:
    """Reads the URL and the lastmod from a line of a sitemap of ours, "" for what is not there.

    `<url><loc>https://a.example/</loc><lastmod>2026-03-01</lastmod></url>` →
    `("https://a.example/", "2026-03-01")`.
    """
    match = _ROW.match(row)
    if match is None:
        return "", ""
    loc, lastmod = match.groups(b"")
    return unescaped(loc.decode("utf-8", "replace")), lastmod.decode("utf-8", "replace")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the lines of a file with their ends. A line longer than 1 MiB comes in pieces.

    The blocks may end anywhere in a line.
    """
    begun = b""  # the beginning of a line whose end is in a later block
    for block in blocks:
        *lines, begun = (begun + block).split(b"\n")
        for line in lines:
            yield line + b"\n"
        if len(begun) > MAX_TOKEN:
            yield begun
            begun = b""
    if begun:
        yield begun


def _before_others(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the lines of an index of ours without the sitemaps of other tools, which come last.

    The comment `OTHERS` stands before these. In its place, `</sitemapindex>` is yielded, so that
    the parser finds the end of the index.
    """
    for line in lines:
        if line == OTHERS:
            yield f"</{SITEMAPINDEX}>".encode()
            return
        yield line


def uncompressed(file: IO[bytes], *, is_gz: bool = False) -> Iterator[bytes]:
    """Yields the bytes of a sitemap in blocks, unpacked if the file is gzip.

    `is_gz` says that the name of the file ends in `.gz`. Raises FileError for a zip archive, a
    `.gz` file that is not packed, and a file that is packed twice or damaged. Of a sitemap with
    more than the 50 MiB of the protocol, these 50 MiB are yielded before FileError is raised.
    """
    start = file.read(_PIECE)
    if start[:2] == b"PK":
        raise FileError(FileFault.DAMAGED, 1, "is a zip archive; only gzip is allowed")
    is_packed = start[:2] == _GZIP
    if is_gz and not is_packed:
        raise FileError(FileFault.DAMAGED, 1, "is named .gz but is not compressed")
    bytes_at_once = _PIECE if is_packed else _BLOCK
    # Packed data may go on for ever without any content. So 100 MiB of it are read, and the file
    # then counts as cut off. A file that is not packed ends earlier, at the limit below.
    max_reads = 2 * MAX_BYTES // _PIECE
    rest = islice(iter(lambda: file.read(bytes_at_once), b""), max_reads)
    pieces = chain([start], rest)
    blocks = _unpacked(pieces) if is_packed else pieces
    bytes_left = MAX_BYTES
    for block in blocks:
        if bytes_left == MAX_BYTES and block[:2] == _GZIP:  # at the start
            raise FileError(FileFault.DAMAGED, 1, "is compressed twice")
        if len(block) > bytes_left:
            yield block[:bytes_left]
            what = f"more than {MAX_BYTES:,} bytes uncompressed; the rest was not read"
            raise FileError(FileFault.TOO_LARGE, 1, what)
        bytes_left -= len(block)
        yield block


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Unpacks the pieces of a gzip file, and yields what was in them in blocks of about 64 KiB.

    A gzip file is a row of members, each compressed for itself (RFC 1952, 2.2). Zeros may follow a
    member, as on tapes. Raises FileError after what could be unpacked.
    """
    # Many small members are collected into one block, so that they cost no more than a large one.
    unpacked = bytearray()
    member = None  # the one that has begun, and has not ended yet
    for piece in pieces:
        packed = piece
        while packed:
            if member is None:
                packed = packed.lstrip(b"\0")
                if not packed:
                    break
                member = zlib.decompressobj(31)  # 31: with a gzip header
            try:
                unpacked += member.decompress(packed, _BLOCK)
            except zlib.error as error:
                yield bytes(unpacked)
                what = f"cannot be decompressed: {error}"
                raise FileError(FileFault.DAMAGED, 1, what) from None
            # What is left: the next member, or what would unpack to more than a block.
            packed = member.unused_data or member.unconsumed_tail
            if member.eof:
                member = None
            if len(unpacked) >= _BLOCK:
                yield bytes(unpacked)
                unpacked.clear()
    yield bytes(unpacked)
    if member:
        raise FileError(FileFault.DAMAGED, 1, "ends in the middle of the compressed data")


def elements(blocks: Iterator[bytes]) -> Iterator[Element]:
    """Parses a sitemap or a text file, and yields its entries and faults in order.

    An entry comes with the name of the root: `("urlset", node)`. The first bytes show whether the
    file is XML or text. A fault that ends the reading is the last that is yielded.
    """
    try:
        # As many blocks as show the type. White space does not, and may be long.
        start = b""
        for block in blocks:
            start += block
            shows_type = len(start.strip()) >= _BYTES_OF_TYPE
            if shows_type or len(start) > MAX_TOKEN:
                break
        is_xml = _is_xml(start)
        valid = _until_invalid_utf8(chain([start], blocks))
        yield from XmlParser().read(valid) if is_xml else _text_lines(valid)
    except FileError as error:
        yield error


def _is_xml(start: bytes) -> bool:
    """Whether a sitemap is XML, by its first bytes. False for a text file with one URL per line.

    | the file                                       | result    |
    |------------------------------------------------|-----------|
    | an HTML page, which servers send as an error   | FileError |
    | UTF-16, or binary data                         | FileError |
    | `<?xml …`, or `<urlset` after other text       | True      |
    | prose, in which lines have several words       | FileError |
    | `https://a.example/`, or lines of one word    | False     |
    """
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if is_html(start):
        what = "is an HTML page, such as servers send for a missing file"
        raise FileError(FileFault.WRONG_ROOT, 1, what)
    if b"\0" in text[:4]:  # UTF-16 has a NUL beside each ASCII character
        what = "the file is UTF-16 or binary; the rest was not read"
        raise FileError(FileFault.ENCODING, 1, what)
    if text.startswith(b"<") or b"<urlset" in text or b"<?xml" in text:
        return True
    # A line of a text sitemap is one word, even if it is no URL. In prose, half of the lines or
    # more have several words. A line that begins with a URL does not count as prose.
    lines = [line.split() for line in text.split(b"\n") if line.strip()]
    prose = [words for words in lines if len(words) > 1 and not words[0].startswith(b"http")]
    if prose and 2 * len(prose) >= len(lines):
        what = "is neither XML nor a list with one URL per line"
        raise FileError(FileFault.WRONG_ROOT, 1, what)
    return False


def root_of(start: bytes) -> str:
    """Finds the name of the root element in the first bytes of an XML file: `sitemapindex`.

    `<?xml version="1.0"?><!-- <b> --><urlset …` → `urlset`, because comments are skipped. "" if the
    root begins after these bytes.
    """
    # The text before the first comment, and what follows each comment.
    before, *after_openings = start.split(b"<!--")
    after_comments = [text.partition(b"-->")[2] for text in after_openings]
    root = _ROOT.search(before + b"".join(after_comments))
    return root[1].decode() if root else ""


def is_html(start: bytes) -> bool:
    """Whether a file is an HTML page, by its first bytes: `<!doctype html` or `<html`."""
    return _HTML.match(start) is not None


def _text_lines(blocks: Iterator[bytes]) -> Iterator[Element]:
    """Yields each line of a text sitemap as an entry, whatever it contains.

    `https://a.example/` on line 2 → `("text", node)`. The node has the line 2, and one child: a
    `loc` with the URL. Empty lines are left out.

    Raises FileError for a line longer than 1 MiB, because a file may have no line end at all. Of a
    shorter line, 65,536 characters are kept. This is more than a URL may have, so the linter still
    reports that it is too long.
    """
    for number, line in enumerate(_lines(blocks), 1):
        if len(line) > MAX_TOKEN:
            what = "a line is longer than 1 MiB; the rest was not read"
            raise FileError(FileFault.TOO_COMPLEX, number, what)
        text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip(SPACE)
        if text:
            loc = loc_of(text[:MAX_TEXT], number)
            # Without keywords, which would take a tenth more time for a file.
            yield TEXT, Node(loc.space, "line", {}, number, "", [loc])


def _until_invalid_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the blocks of a file as they are, as long as they are UTF-8 without NUL.

    At the first block with an invalid byte or a NUL, FileError is raised instead, with the line of
    that byte: "the byte 0xe4 is not UTF-8".
    """
    line = 1
    decoder = codecs.getincrementaldecoder("utf-8")()
    for block in blocks:
        if b"\0" in block:  # valid UTF-8, but expat would read it as UTF-16
            line += block.count(b"\n", 0, block.index(b"\0"))
            what = "contains a NUL byte, as UTF-16 does; the rest was not read"
            raise FileError(FileFault.ENCODING, line, what)
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            data = error.object
            line += data.count(b"\n", 0, error.start)
            what = f"the byte {data[error.start]:#04x} is not UTF-8"
            if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                what = "the file is UTF-16"
            raise FileError(FileFault.ENCODING, line, f"{what}; the rest was not read") from None
        yield block
        line += block.count(b"\n")
