"""What is read of a sitemap, piece by piece: the facts that rules look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from sitemapper.syntax.robots import Crawling
from sitemapper.syntax.uniform import Histogram

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
MAX_ENTRIES = 50_000
MAX_BYTES = 52_428_800
_PORTS = {"http": 80, "https": 443}


class Context(NamedTuple):
    """What is known of a sitemap before it is read.

    `url` is its address and `date` its lastmod, where the file `told_by` said so; `crawling` the rules of the
    robots.txt beside it, `crosses` whether it names the sitemap; `now` the moment of the run, in seconds.
    """

    now: int
    url: str = ""
    date: str = ""
    told_by: str = ""
    crosses: bool = False
    crawling: Crawling | None = None

    @property
    def is_indexed(self) -> bool:
        """Whether an index names this sitemap."""
        return bool(self.url)


class Node(NamedTuple):
    """One element: its namespace and name, attributes, own text, children, and line in the file."""

    space: str
    name: str
    attributes: Mapping[str, str]
    text: str
    children: Sequence[Node]
    line: int

    def named(self, name: str, space: str) -> list[Node]:
        """The children of a name in a namespace."""
        return [child for child in self.children if child.name == name and child.space == space]


class Entry(NamedTuple):
    """One `<url>`, `<sitemap>` or line. `fields` are the protocol's elements by name, `origin` is the scheme
    and host of the file's first entry, `first` the line where the same URL stood before."""

    node: Node
    fields: Mapping[str, Sequence[Node]]
    loc: str
    origin: str
    first: int | None
    context: Context

    @property
    def has_more(self) -> bool:
        """Whether it holds elements of extensions."""
        return len(self.node.children) > sum(map(len, self.fields.values()))

    @property
    def date(self) -> str:
        """Its lastmod, "" for none."""
        return next((node.text for node in self.fields.get("lastmod", ())), "")

    @property
    def line(self) -> int:
        """Where its URL stands."""
        return next((node.line for node in self.fields.get("loc", ())), self.node.line)


class Document(NamedTuple):
    """A whole file: its root (`text` for lines), how many entries and how many with news it has,
    whether it was read to its end, its dates, and the newest second."""

    root: str
    entries: int
    news: int
    is_whole: bool
    dates: Histogram
    newest: int
    context: Context


class Link(NamedTuple):
    """A sitemap that an index or robots.txt names; whether its file is there, and is an index itself."""

    line: int
    url: str
    by: str
    exists: bool
    is_index: bool = False


class Fault:
    """What stands in the way of reading; each kind is a rule of its own."""

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.text = text


def origin(url: str) -> str:
    """Scheme, host and port of a web URL in one form; "" where it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme.lower() not in _PORTS or not parts.hostname or parts.username is not None:
        return ""
    own = "" if port in (None, _PORTS[parts.scheme.lower()]) else f":{port}"
    return f"{parts.scheme.lower()}://{parts.hostname}{own}"
