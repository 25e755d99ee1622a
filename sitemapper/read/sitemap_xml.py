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

SPACE = " \t\r\n"  # white space of XML, without the no-break space
MAX_TOKEN = 1 << 20  # bytes of one tag, and of a line of text
MAX_TEXT = 1 << 16  # characters kept of one element
_BLOCK = 1 << 16
_MAX_DEPTH = 32
_MAX_NAMES = 1_000
_MAX_NODES = 20_000  # elements of one entry
_ALLOWED = {f"{XSI_NAMESPACE} schemaLocation", f"{XSI_NAMESPACE} noNamespaceSchemaLocation"}
_PLAIN_WORDS = {  # by the words of expat, which are less clear
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
    """One XML element: its namespace, name, attributes, line in the file, text and children.

    The parser adds to `text` and `children` until it has read the end tag.
    """

    space: str
    name: str
    attributes: Mapping[str, str]
    line: int
    text: str
    children: list[Node]

    def named(self, name: str, space: str) -> list[Node]:
        """Returns the children with a name in a namespace, such as each `<link>` of an entry."""
        return [child for child in self.children if child.name == name and child.space == space]


# What the parser yields: an entry with the name of its root (`("urlset", node)`), or a fault.
Element = tuple[str, Node] | FileError


def field(name: str, text: str, line: int, space: str = NAMESPACE) -> Node:
    """Makes an element of the protocol with text only: `<loc>https://a.example/</loc>`."""
    return Node(space=space, name=name, attributes={}, line=line, text=text, children=[])


class XmlParser:
    """Parses one sitemap or feed with expat, and yields its entries and faults.

    expat calls a method for each tag and text, which adds to `_elements`. `read` yields from there.
    The parser loads no other files, refuses entities, and limits depth and lengths.
    """

    def __init__(self) -> None:
        """Makes the parser of expat, and says which method it calls for a tag, a text and so on."""
        # Imported here: a build that finds only our own sitemaps parses no XML.
        from xml.parsers import expat

        # The kind of the file: None for a sitemap. `_recognise_root` changes it for a feed.
        self._feed: _Feed | None = None
        # How many elements are around an entry: <urlset> around <url>, <rss><channel> in RSS.
        self._entry_depth = 1
        # Where the parser is. `_open`, `_close` and `_add_text` keep it up to date.
        self._elements: list[Element] = []  # complete, and not yielded by `read` yet
        self._open_elements: list[Node] = []  # from the root inwards
        self._has_entry = False  # whether an entry was complete already
        # What is counted against the limits.
        self._names: set[str] = set()  # of elements and attributes in the file
        self._nodes_in_entry = 0
        # Text between entries is a fault. It is reported only once for a file.
        self._text_line = 0  # the line where the text begins
        self._may_report_text = True
        # The parser, and what `read` needs from the module, which only this method imports.
        self._expat_error = expat.ExpatError
        self._describe_error = expat.ErrorString
        self._parser = expat.ParserCreate(namespace_separator=" ")  # names: `http://… loc`
        self._parser.buffer_text = True  # calls `_add_text` less often
        self._parser.XmlDeclHandler = self._check_declaration
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.EntityDeclHandler = self._refuse_doctype  # a DOCTYPE may declare entities
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._parser.CharacterDataHandler = self._add_text

    def read(self, blocks: Iterator[bytes]) -> Iterator[Element]:
        """Parses a file block by block, and yields its entries and faults in order.

        The parser of Python, expat, calls methods such as `_close`, which add entries and faults to
        `_elements`. A fault that ends the reading is yielded last.
        """
        bytes_given = 0  # to expat
        try:
            # An empty block tells expat that the file ends. So there is only one, as the last.
            for block in chain(filter(None, blocks), [b""]):
                bytes_given += len(block)
                is_last = not block
                self._parser.Parse(block, is_last)  # adds to `_elements`
                # expat keeps a tag in memory until the tag ends, and one may never end.
                bytes_kept = bytes_given - self._parser.CurrentByteIndex
                if bytes_kept > MAX_TOKEN + _BLOCK:
                    raise self._too_complex("a tag is longer than 1 MiB")
                yield from self._elements
                self._elements.clear()
        except self._expat_error as error:  # the XML is malformed
            words_of_expat = self._describe_error(error.code)
            problem = _PLAIN_WORDS.get(words_of_expat, words_of_expat)
            what = f"column {error.offset + 1}: {problem}"
            self._add_fault(FileFault.MALFORMED, error.lineno, what)
        except FileError as error:  # of a limit, here or in a method that expat called
            self._elements.append(error)
        yield from self._elements

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _add_fault(self, fault: FileFault, line: int, text: str) -> None:
        """Adds a fault to what `read` yields. Reading goes on after it."""
        self._elements.append(FileError(fault, line, text))

    def _too_complex(self, what: str) -> FileError:
        """Makes the error for a file that exceeds a limit, at the line that was reached."""
        text = f"{what}; the rest was not read"
        return FileError(FileFault.TOO_COMPLEX, self._line, text)

    def _check_declaration(self, version: str, encoding: str | None, _standalone: int) -> None:
        """Raises FileError if `<?xml …?>` names another version than 1.0, or another encoding.

        UTF-8 is allowed, and so is ASCII, which is a part of it.
        """
        if version != "1.0":
            text = f"declares XML {version}; the protocol requires 1.0"
            raise FileError(FileFault.MALFORMED, 1, text)
        if encoding and encoding.upper() not in ("UTF-8", "US-ASCII", "ASCII"):
            text = f"declares the encoding {encoding}; the protocol requires UTF-8"
            raise FileError(FileFault.ENCODING, 1, text)

    def _refuse_doctype(self, name: str, *_: object) -> None:
        """Raises FileError for a DOCTYPE: its entities may grow without a limit, or name files."""
        text = f"declares {name} in a DOCTYPE; the rest was not read"
        raise FileError(FileFault.UNSAFE, self._line, text)

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        """Adds an element to those that are open. The parser calls this at its start tag: `<loc>`.

        Raises FileError if the file has too many different names or levels, or an entry has too
        many elements: they would fill the memory.
        """
        # The parser gives a name with its namespace, `http://… loc`, or without one, `loc`.
        space, _, local = name.rpartition(" ")
        element = Node(space, local, attributes, self._line, text="", children=[])
        elements_around = len(self._open_elements)
        if elements_around == 0:  # the first tag of the file
            self._recognise_root(element)
        elif elements_around == 1:  # a child of the root, before which there may be no text
            self._check_text(self._open_elements[0])
        self._open_elements.append(element)
        # One element is around an entry, `<urlset>`, but two are in RSS: `<rss><channel>`.
        is_inside_entry = elements_around > self._entry_depth
        self._nodes_in_entry = self._nodes_in_entry + 1 if is_inside_entry else 0
        self._names.update((name, *attributes))
        if len(self._names) > _MAX_NAMES:  # the parser keeps all names in memory
            raise self._too_complex(f"more than {_MAX_NAMES:,} different names")
        if elements_around >= _MAX_DEPTH:
            raise self._too_complex(f"more than {_MAX_DEPTH} levels of nesting")
        if self._nodes_in_entry > _MAX_NODES:
            raise self._too_complex(f"more than {_MAX_NODES:,} elements in one entry")

    def _recognise_root(self, root: Node) -> None:
        """Sets the kind of the file by its root: `<urlset>`, `<sitemapindex>`, `<rss>` or `<feed>`.

        Raises FileError for any other root. The right root in a wrong namespace is only a fault.
        """
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
            self._entry_depth = feed.entry_depth
        else:
            self._check_attributes(root)

    def _close(self, _name: str) -> None:
        """Takes a complete element, such as `<loc>…</loc>`. The parser calls this at its end tag.

        A complete entry, such as `<url>…</url>`, is checked, and `read` yields it. An element in an
        entry becomes a child of the element around it.
        """
        element = self._open_elements.pop()
        if not self._open_elements:  # the root, so this is the end of the file
            self._check_text(element)  # adds a fault for text after the last entry
            return
        # White space around a URL, a date or a number is allowed, and is removed. Around a
        # changefreq, it is not allowed, and stays, so that the linter can report it.
        stripped = element.text.strip(SPACE)
        keeps_space = element.name == "changefreq" and stripped != ""
        if not keeps_space:
            element.text = stripped
        # One element is around an entry, `<urlset>`, but two are in RSS: `<rss><channel>`.
        is_inside_entry = len(self._open_elements) > self._entry_depth
        if is_inside_entry:
            self._open_elements[-1].children.append(element)
        elif self._feed:  # the file is a feed: RSS or Atom
            self._add_feed_entry(self._feed, element)
        else:
            self._add_entry(element)

    def _add_entry(self, node: Node) -> None:
        """Adds a `<url>` or `<sitemap>`, and any faults in it, to what `read` yields.

        Any other child of the root is a fault, except elements of other namespaces before the first
        entry.
        """
        root = self._open_elements[0]
        is_named_entry = node.name == ENTRY_OF[root.name]
        if is_named_entry and node.space == root.space:
            self._has_entry = True
            self._check_entry(node)
            self._elements.append((root.name, node))
            return
        # Elements of other namespaces are accepted before the first entry, and only there. But
        # `<x:url>` is a mistake for `<url>`.
        is_extension = node.space not in ("", root.space) and not is_named_entry
        if not is_extension or self._has_entry:
            text = f"<{node.name}> does not belong in <{root.name}>"
            self._add_fault(FileFault.UNEXPECTED, node.line, text)

    def _add_feed_entry(self, feed: _Feed, node: Node) -> None:
        """Turns an entry of a feed into an entry of a sitemap, which `read` yields.

        `<item>` of RSS with `<link>` and `<pubDate>` → a Node with `<loc>` and `<lastmod>`. `node`
        may also be another element, such as the `<title>` of the feed. Then this does nothing.
        """
        root = self._open_elements[0]
        is_at_depth_of_entries = len(self._open_elements) == feed.entry_depth
        is_entry = node.name == feed.entry and node.space == root.space
        if not (is_entry and is_at_depth_of_entries):
            return
        fields = []  # `loc` and `lastmod`, each if the entry has it
        for link in node.named("link", node.space):
            # The link to the page has no `rel`, or "alternate". Atom may have other links, such as
            # `<link rel="self">` (RFC 4287, 4.2.7.2).
            if link.attributes.get("rel", "alternate") == "alternate":
                # Atom has `<link href="https://a.example/"/>`, and RSS has the URL as the text.
                url = link.attributes.get("href", link.text)
                fields.append(field("loc", url, link.line))
                break
        lastmod = self._date_of(feed, node)  # adds faults for dates that are not valid
        if lastmod:
            fields.append(lastmod)
        entry = Node(
            space=NAMESPACE, name=node.name, attributes={}, line=node.line, text="", children=fields
        )
        self._elements.append((root.name, entry))

    def _date_of(self, feed: _Feed, node: Node) -> Node | None:
        """Makes the `<lastmod>` of a feed's entry from its first valid date, None without one.

        `<updated>2026-03-01T12:00:00Z</updated>` of Atom comes before `<published>`.
        """
        lastmod = None
        # All dates are read, to add a fault for each one that is not valid.
        for name in feed.dates:
            for date in node.named(name, node.space):
                seconds = feed.parse_date(date.text)
                if seconds is None:
                    text = f"{name} {shorten(date.text, 60)!r} is not {feed.expected}"
                    self._add_fault(FileFault.BAD_FEED_DATE, date.line, text)
                elif lastmod is None:
                    lastmod = field("lastmod", utc_text(seconds), date.line)
        return lastmod

    def _add_text(self, text: str) -> None:
        """Adds a piece of text to the element that contains it. The parser calls this.

        An element keeps 65,536 characters. Text in the root is between two entries, where only line
        breaks and indents are allowed. The root keeps all text from the first other character on,
        which is a fault that `_check_text` reports at its line.
        """
        element = self._open_elements[-1]
        is_between_entries = len(self._open_elements) == 1  # only the root is open
        if is_between_entries and not element.text:
            text = text.lstrip(SPACE)  # "" if there are only line breaks and indents
            # The line where the text begins. The parser is at the end of the text now.
            self._text_line = self._line - text.count("\n")
        element.text += text[: MAX_TEXT - len(element.text)]

    def _check_text(self, root: Node) -> None:
        """Adds a fault if there is text between two entries, which the root has as its `text`.

        Only the first such text in a file is reported. Feeds may have text between entries.
        """
        if root.text and self._may_report_text and not self._feed:
            self._may_report_text = False
            text = f"text between entries: {root.text.strip(SPACE)[:60]!r}"
            self._add_fault(FileFault.UNEXPECTED, self._text_line, text)

    def _check_entry(self, entry: Node) -> None:
        """Adds a fault for all that the protocol does not allow in a `<url>` or `<sitemap>`.

        These are attributes, text, and unknown children. A `<url>` may have fields, such as
        `<lastmod>`, and elements of other namespaces, such as `<image:image>`.
        """
        self._check_attributes(entry)
        if entry.text:
            text = f"text in <{entry.name}>: {entry.text[:60]!r}"
            self._add_fault(FileFault.UNEXPECTED, entry.line, text)
        for child in entry.children:
            is_in_protocol = child.space == entry.space
            is_field_name = child.name in FIELDS_OF[entry.name]
            if is_in_protocol and is_field_name:
                self._check_attributes(child)
                for inner in child.children:  # a field may have text only
                    text = f"<{inner.name}> does not belong in <{child.name}>"
                    self._add_fault(FileFault.UNEXPECTED, inner.line, text)
                continue
            # The schema allows elements of other namespaces in a <url>, and none in a <sitemap>.
            # An element of another namespace with the name of a field, <x:lastmod>, is a mistake.
            is_extension = child.space != "" and not is_in_protocol and not is_field_name
            if not is_extension or entry.name == "sitemap":
                text = f"the protocol has no <{child.name}> in <{entry.name}>"
                self._add_fault(FileFault.UNEXPECTED, child.line, text)

    def _check_attributes(self, node: Node) -> None:
        """Adds a fault for each attribute of an element, except those that name a schema."""
        for name in node.attributes:
            if name not in _ALLOWED:
                local = name.rpartition(" ")[2]  # without the namespace: `http://… href` → `href`
                text = f"the protocol has no attribute {local} on <{node.name}>"
                self._add_fault(FileFault.UNEXPECTED, node.line, text)


def shorten(text: str, most: int = 100) -> str:
    """Cuts a text to at most `most` characters: `lindenhof` with 5 → `lind…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


class _Feed(NamedTuple):
    """A format of feeds, RSS or Atom: how to find its entries and their dates."""

    namespaces: tuple[str, ...]  # of the root
    entry: str  # the name of an entry
    entry_depth: int  # how many elements are around an entry
    dates: tuple[str, ...]  # the first that an entry has is its lastmod
    parse_date: Callable[[str], int | None]  # reads a date, None for an invalid one
    expected: str  # what a date should be, in words


_FEEDS = {
    # RSS 2.0 has no namespace, and dates of RFC 822 (rssboard.org/rss-specification).
    "rss": _Feed(
        namespaces=("",),
        entry="item",
        entry_depth=2,  # <rss><channel>
        dates=("pubDate",),
        parse_date=mail_moment,
        expected="an RFC 822 date such as Sun, 01 Mar 2026 12:00:00 +0000",
    ),
    # Atom 1.0 (RFC 4287) and 0.3 have dates of RFC 3339.
    "feed": _Feed(
        namespaces=("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"),
        entry="entry",
        entry_depth=1,
        dates=("updated", "modified", "published"),
        parse_date=moment,
        expected="a W3C Datetime such as 2026-03-01T12:00:00+00:00",
    ),
}
