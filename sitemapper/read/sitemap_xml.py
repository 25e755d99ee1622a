"""Parses XML sitemaps to entries and faults, in bounded time and memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import chain

from ..protocol import ENTRY_OF, NAMESPACE

SPACE = " \t\r\n"  # white space of XML, without the no-break space
MAX_TOKEN = 1 << 20  # bytes of one tag, and of a line of text
MAX_TEXT = 1 << 16  # characters kept of one element
_BLOCK = 1 << 16
_MAX_DEPTH = 32
_MAX_NAMES = 1_000
_MAX_NODES = 20_000  # elements of one entry
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


# What the parser yields: an entry with the name of its root (`("urlset", node)`), or a fault.
Element = tuple[str, Node] | FileError


def loc_of(text: str, line: int) -> Node:
    """Makes a `<loc>` of a URL: `<loc>https://a.example/</loc>`."""
    return Node(space=NAMESPACE, name="loc", attributes={}, line=line, text=text, children=[])


class XmlParser:
    """Parses one sitemap with expat, and yields its entries and faults.

    expat calls a method for each tag and text, which adds to `_elements`. `read` yields from there.
    The parser loads no other files, refuses entities, and limits depth and lengths.
    """

    def __init__(self) -> None:
        """Makes the parser of expat, and says which method it calls for a tag, a text and so on."""
        # Imported here: a build that finds only our own sitemaps parses no XML.
        from xml.parsers import expat

        # Where the parser is. `_open`, `_close` and `_add_text` keep it up to date.
        self._elements: list[Element] = []  # complete, and not yielded by `read` yet
        self._open_elements: list[Node] = []  # from the root inwards
        # What is counted against the limits.
        self._names: set[str] = set()  # of elements and attributes in the file
        self._nodes_in_entry = 0
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
            self._check_root(element)
        self._open_elements.append(element)
        is_inside_entry = elements_around > 1
        self._nodes_in_entry = self._nodes_in_entry + 1 if is_inside_entry else 0
        self._names.update((name, *attributes))
        if len(self._names) > _MAX_NAMES:  # the parser keeps all names in memory
            raise self._too_complex(f"more than {_MAX_NAMES:,} different names")
        if elements_around >= _MAX_DEPTH:
            raise self._too_complex(f"more than {_MAX_DEPTH} levels of nesting")
        if self._nodes_in_entry > _MAX_NODES:
            raise self._too_complex(f"more than {_MAX_NODES:,} elements in one entry")

    def _check_root(self, root: Node) -> None:
        """Raises FileError if the root is neither `<urlset>` nor `<sitemapindex>`.

        The right root in a wrong namespace is only a fault.
        """
        if root.name not in ENTRY_OF:
            text = f"<{root.name}> is not urlset or sitemapindex"
            raise FileError(FileFault.WRONG_ROOT, root.line, text)
        if root.space != NAMESPACE:
            text = f'the namespace of <{root.name}> is "{root.space}", not "{NAMESPACE}"'
            self._add_fault(FileFault.WRONG_ROOT, root.line, text)

    def _close(self, _name: str) -> None:
        """Takes a complete element, such as `<loc>…</loc>`. The parser calls this at its end tag.

        `read` yields a complete entry, such as `<url>…</url>`. An element in an entry becomes a
        child of the element around it. Any other child of the root is passed over.
        """
        element = self._open_elements.pop()
        if not self._open_elements:  # the root, so this is the end of the file
            return
        # White space around a URL, a date or a number is allowed, and is removed. Around a
        # changefreq, it is not allowed, and stays, so that the linter can report it.
        stripped = element.text.strip(SPACE)
        keeps_space = element.name == "changefreq" and stripped != ""
        if not keeps_space:
            element.text = stripped
        root = self._open_elements[0]
        is_inside_entry = len(self._open_elements) > 1
        if is_inside_entry:
            self._open_elements[-1].children.append(element)
        elif element.name == ENTRY_OF[root.name] and element.space == root.space:
            self._elements.append((root.name, element))

    def _add_text(self, text: str) -> None:
        """Adds a piece of text to the element that contains it. The parser calls this.

        An element keeps 65,536 characters. Text between two entries is passed over.
        """
        is_between_entries = len(self._open_elements) == 1  # only the root is open
        if not is_between_entries:
            element = self._open_elements[-1]
            element.text += text[: MAX_TEXT - len(element.text)]


def shorten(text: str, most: int = 100) -> str:
    """Cuts a text to at most `most` characters: `lindenhof` with 5 → `lind…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
