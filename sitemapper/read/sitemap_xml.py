"""Parses XML sitemaps, RSS and Atom to entries and faults, in bounded time and memory.

Search engines read feeds as sitemaps, with a URL and a date for each entry (sitemaps.org, "Other
Sitemap formats"). The URL is the `link` of an entry, and its lastmod is the `pubDate` of RSS, the
`updated` of Atom 1.0 or the `modified` of Atom 0.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import NamedTuple

from ..protocol import ENTRY_OF, FIELDS_OF, NAMESPACE, XSI_NAMESPACE
from ..syntax.dates import mail_moment, moment, utc_text
from ..syntax.urls import resolve

SPACE = " \t\r\n"  # white space of XML, without the no-break space
MAX_TOKEN = 1 << 20  # bytes of one tag, and of a line of text
MAX_TEXT = 1 << 16  # characters kept of one element
_BLOCK = 1 << 16
_MAX_DEPTH = 32
_MAX_NAMES = 1_000
_MAX_NODES = 20_000  # elements of one entry
_ALLOWED = {f"{XSI_NAMESPACE} schemaLocation", f"{XSI_NAMESPACE} noNamespaceSchemaLocation"}
_XML_BASE = "http://www.w3.org/XML/1998/namespace base"  # `xml:base`, as expat names it
_PLAINLY = {  # by the words of expat, which are less clear
    "not well-formed (invalid token)": "not allowed here in XML; an unescaped & or <?",
    "no element found": "the file ends before the root element does",
    "junk after document element": "there is content after the root element",
    "XML or text declaration not at start of entity": (
        "there is content before the XML declaration"
    ),
    "unclosed token": "the file ends inside a tag",
}


class FileFault(Enum):
    """What can be wrong with a file, before any rule looks at its entries: the code of its rule."""

    MALFORMED = "SM101"
    ENCODING = "SM102"
    WRONG_ROOT = "SM103"
    TOO_LARGE = "SM105"
    UNSAFE = "SM107"
    TOO_COMPLEX = "SM108"
    DAMAGED = "SM109"
    UNEXPECTED = "SM110"
    BAD_FEED_DATE = "SM214"


@dataclass(eq=False)
class FileError(Exception):
    """A fault in a file, with its line. Raised if reading cannot continue."""

    fault: FileFault
    line: int
    text: str


@dataclass(slots=True)
class Node:
    """One element: its namespace and name, attributes, line in the file, own text and children.

    The parser adds to the last two until it has read the end tag.
    """

    space: str
    name: str
    attributes: Mapping[str, str]
    line: int
    text: str
    children: list[Node]

    def named(self, name: str, space: str) -> list[Node]:
        """The children with a name in a namespace."""
        return [child for child in self.children if child.name == name and child.space == space]


Element = tuple[str, Node] | FileError  # an entry with the name of the root, or a fault


def field(name: str, text: str, line: int, space: str = NAMESPACE) -> Node:
    """An element of the protocol with text only, such as a `loc`."""
    return Node(space, name, {}, line, text, [])


class XmlParser:
    """Parses XML with expat, which loads no other files.

    Refuses entities, limits depth and lengths.
    """

    def __init__(self) -> None:
        self._elements: list[Element] = []  # that `read` has not yielded yet
        self._stack: list[Node] = []  # the open elements, from the root inwards
        self._names: set[str] = set()
        self._nodes = 0  # elements inside the current entry
        self._text_line = 0  # where text between entries begins
        self._reports_text = True  # between entries; one report is enough
        self._has_entry = False
        self._feed: _Feed | None = None  # the format, if the file is a feed
        self._depth = 1  # elements around an entry
        # Imported here: a build that finds only our own sitemaps parses no XML.
        from xml.parsers import expat

        self._errors = expat.ExpatError
        self._describe_error = expat.ErrorString
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
            try:
                self._parser.Parse(block, not block)
                # The parser stays at the start of a tag until it has the whole tag.
                if fed - self._parser.CurrentByteIndex > MAX_TOKEN + _BLOCK:
                    raise self._too_complex("a tag is longer than 1 MiB")
            except self._errors as error:
                words = self._describe_error(error.code)
                problem = _PLAINLY.get(words, words)
                what = f"column {error.offset + 1}: {problem}"
                failure = FileError(FileFault.MALFORMED, error.lineno, what)
            except FileError as error:
                failure = error
            yield from self._elements
            self._elements.clear()
            if failure:
                raise failure

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _add_fault(self, fault: FileFault, line: int, text: str) -> None:
        """Adds a fault after which reading goes on."""
        self._elements.append(FileError(fault, line, text))

    def _too_complex(self, what: str) -> FileError:
        """The error for a file that exceeds a limit, at the line that was reached."""
        text = f"{what}; the rest was not read"
        return FileError(FileFault.TOO_COMPLEX, self._line, text)

    def _check_declaration(self, version: str, encoding: str | None, _standalone: int) -> None:
        """Raises FileError for `<?xml ...?>` with another version or encoding than allowed."""
        if version != "1.0":
            text = f"declares XML {version}; the protocol requires 1.0"
            raise FileError(FileFault.MALFORMED, 1, text)
        if encoding and encoding.upper() not in ("UTF-8", "US-ASCII", "ASCII"):
            text = f"declares the encoding {encoding}; the protocol requires UTF-8"
            raise FileError(FileFault.ENCODING, 1, text)

    def _refuse_doctype(self, name: str, *_: object) -> None:
        """Raises FileError. Entities may expand without a limit, or name other files."""
        text = f"declares {name} in a DOCTYPE; the rest was not read"
        raise FileError(FileFault.UNSAFE, self._line, text)

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        """Takes a start tag. Raises FileError if the file has more of something than it may.

        The parser calls this. Text before a child of the root is complete now, so it is checked.
        """
        # As expat gives a name: the namespace, a space and the name, or the name alone.
        space, _, local = name.rpartition(" ")
        element = Node(space, local, attributes, self._parser.CurrentLineNumber, "", [])
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

    def _open_root(self, root: Node) -> None:
        """Recognises the kind of the file. Raises FileError for any other XML."""
        feed = _FEEDS.get(root.name)
        if feed is None and root.name not in ENTRY_OF:
            text = f"<{root.name}> is not urlset, sitemapindex, rss or feed"
            raise FileError(FileFault.WRONG_ROOT, root.line, text)
        namespaces = feed.namespaces if feed else (NAMESPACE,)
        if root.space not in namespaces:
            text = f'the namespace of <{root.name}> is "{root.space}", not "{namespaces[0]}"'
            self._add_fault(FileFault.WRONG_ROOT, root.line, text)
        if feed:
            self._feed = feed
            self._depth = feed.depth
        else:
            self._check_attributes(root)

    def _close(self, _name: str) -> None:
        """Takes an end tag, when the parser calls it. The innermost open element is complete.

        This may be the root, a field inside an entry, or an entry.
        """
        element = self._stack.pop()
        if not self._stack:
            self._check_text(element)
            return
        stripped = element.text.strip(SPACE)
        # The schema allows white space around a URL, a date or a number, but not around a
        # changefreq.
        if element.name != "changefreq" or not stripped:
            element.text = stripped
        if len(self._stack) > self._depth:
            self._stack[-1].children.append(element)
        elif self._feed:
            self._add_feed_entry(self._feed, element)
        else:
            self._add_entry(element)

    def _add_entry(self, node: Node) -> None:
        """Adds a child of the root: an entry after its faults, or the fault that it is none."""
        root = self._stack[0]
        is_named_entry = node.name == ENTRY_OF[root.name]
        if is_named_entry and node.space == root.space:
            self._has_entry = True
            self._check_entry(node)
            self._elements.append((root.name, node))
            return
        # Elements of other namespaces are accepted before the first entry, and only there.
        is_extension = node.space not in ("", root.space) and not is_named_entry
        if not is_extension or self._has_entry:
            text = f"<{node.name}> does not belong in <{root.name}>"
            self._add_fault(FileFault.UNEXPECTED, node.line, text)

    def _add_feed_entry(self, feed: _Feed, node: Node) -> None:
        """Adds an entry of a feed after its faults. Other elements are about the feed itself."""
        root = self._stack[0]
        is_entry = node.name == feed.entry and node.space == root.space
        if not is_entry or len(self._stack) != feed.depth:
            return
        fields = []
        link = _link_of(node)
        if link:
            bases = [part.attributes.get(_XML_BASE, "") for part in (link, node, root)]
            fields.append(field("loc", _url_of(link, bases), link.line))
        date = self._date_of(feed, node)
        if date:
            fields.append(date)
        entry = Node(NAMESPACE, node.name, {}, node.line, "", fields)
        self._elements.append((root.name, entry))

    def _date_of(self, feed: _Feed, node: Node) -> Node | None:
        """The lastmod of an entry of a feed: the first valid one of its dates. Adds faults."""
        lastmod = None
        for name in feed.dates:
            for date in node.named(name, node.space):
                seconds = feed.seconds(date.text)
                if seconds is None:
                    text = f"{name} {shorten(date.text, 60)!r} is not {feed.expected}"
                    self._add_fault(FileFault.BAD_FEED_DATE, date.line, text)
                elif lastmod is None:
                    lastmod = field("lastmod", utc_text(seconds), date.line)
        return lastmod

    def _add_text(self, text: str) -> None:
        """Takes a piece of text, when the parser calls it. An element keeps MAX_TEXT characters.

        Between entries, white space before the text is dropped, so that layout is no text.
        """
        element = self._stack[-1]
        kept = text
        is_first_between_entries = len(self._stack) == 1 and not element.text
        if is_first_between_entries:
            kept = text.lstrip(SPACE)
            self._text_line = self._line - kept.count("\n")  # expat reports text at its end
        if len(element.text) < MAX_TEXT:
            element.text += kept[: MAX_TEXT - len(element.text)]

    def _check_text(self, root: Node) -> None:
        """Reports text between entries, once. It may arrive in several pieces."""
        if root.text and self._reports_text and not self._feed:
            self._reports_text = False
            text = f"text between entries: {root.text.strip(SPACE)[:60]!r}"
            self._add_fault(FileFault.UNEXPECTED, self._text_line, text)

    def _check_entry(self, entry: Node) -> None:
        """Reports what the protocol does not allow in an entry: attributes, text, or children.

        A <url> may have fields, such as <lastmod>, and elements of other namespaces, such as
        <image:image>.
        """
        self._check_attributes(entry)
        if entry.text:
            text = f"text in <{entry.name}>: {entry.text[:60]!r}"
            self._add_fault(FileFault.UNEXPECTED, entry.line, text)
        for child in entry.children:
            is_in_protocol = child.space == entry.space
            is_field_name = child.name in FIELDS_OF[entry.name]
            if is_in_protocol and is_field_name:
                self._check_field(child)
                continue
            # The schema allows elements of other namespaces in a <url>, and none in a <sitemap>.
            # One that is named like a field, such as <x:lastmod>, is a mistake.
            is_extension = child.space != "" and not is_in_protocol and not is_field_name
            if not is_extension or entry.name == "sitemap":
                text = f"the protocol has no <{child.name}> in <{entry.name}>"
                self._add_fault(FileFault.UNEXPECTED, child.line, text)

    def _check_field(self, element: Node) -> None:
        """Reports the attributes and elements of a field, which may have text only."""
        self._check_attributes(element)
        for child in element.children:
            text = f"<{child.name}> does not belong in <{element.name}>"
            self._add_fault(FileFault.UNEXPECTED, child.line, text)

    def _check_attributes(self, node: Node) -> None:
        """Reports attributes, of which the protocol has none but those of schemas."""
        for name in node.attributes:
            if name not in _ALLOWED:
                local = name.rpartition(" ")[2]
                text = f"the protocol has no attribute {local} on <{node.name}>"
                self._add_fault(FileFault.UNEXPECTED, node.line, text)


def shorten(text: str, most: int = 100) -> str:
    """The text, shortened to a maximum length."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


class _Feed(NamedTuple):
    """A format of feeds: its namespaces, its entries, how many elements are around one, and dates.

    The first of `dates` that an entry has is its lastmod. `expected` describes a date in words.
    """

    namespaces: tuple[str, ...]
    entry: str
    depth: int
    dates: tuple[str, ...]
    seconds: Callable[[str], int | None]
    expected: str


_FEEDS = {
    # RSS 2.0 has no namespace, and dates of RFC 822 (rssboard.org/rss-specification).
    "rss": _Feed(
        ("",),
        "item",
        2,  # <rss><channel>
        ("pubDate",),
        mail_moment,
        "an RFC 822 date such as Sun, 01 Mar 2026 12:00:00 +0000",
    ),
    # Atom 1.0 (RFC 4287) and 0.3 have dates of RFC 3339.
    "feed": _Feed(
        ("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"),
        "entry",
        1,
        ("updated", "modified", "published"),
        moment,
        "a W3C Datetime such as 2026-03-01T12:00:00+00:00",
    ),
}


def _link_of(node: Node) -> Node | None:
    """The link to the page of an entry. Atom's other links have a `rel` (RFC 4287, 4.2.7.2)."""
    for link in node.named("link", node.space):
        if link.attributes.get("rel", "alternate") == "alternate":
            return link
    return None


def _url_of(link: Node, bases: list[str]) -> str:
    """The URL of a link: the text in RSS, `href` in Atom, where `xml:base` may be its beginning.

    `bases` are those of the elements around it, the nearest first, "" for none.
    """
    url = link.attributes.get("href", link.text)
    for base in bases:
        if base:
            url = resolve(url, base) or url
    return url
