"""A rule with its manual, the parts of a sitemap that rules check, and their findings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from itertools import islice
from typing import NamedTuple

from ..histogram import Histogram
from ..read.sitemap_xml import Node
from ..syntax.dates import moment
from ..syntax.robots import Crawling
from ..syntax.urls import web_origin

_REMEMBERED = 200_000  # URLs of a file that are checked for duplicates


class Severity(Enum):
    """An error breaks the protocol, or does not agree with the pages. A warning harms the site."""

    ERROR = "error"
    WARNING = "warning"


class Finding(NamedTuple):
    """A fault that a rule found: in which file and line (from 1), and what it is, in words."""

    code: str
    severity: Severity
    file: str
    line: int
    message: str


@dataclass(frozen=True)
class Rule:
    """A rule of the linter with its manual: what is wrong, why that matters, and how to fix it.

    `code` never changes, such as SM203. `title` says in one sentence what is wrong: "lastmod is in
    the future."
    """

    code: str
    severity: Severity
    title: str
    _: KW_ONLY
    reason: str = ""
    fix: str

    @property
    def manual(self) -> str:
        """The reason and the fix, as docs/rules.md has them."""
        fix = f"Fix: {self.fix}"
        return f"{self.reason}\n{fix}" if self.reason else fix

    def at(self, file: str, line: int, message: str) -> Finding:
        """Makes the finding for a line of a file."""
        return Finding(self.code, self.severity, file, line, message)


Fault = tuple[Rule, int, str]  # a broken rule, the line, and what is wrong there


def joined(texts: Collection[str], max_shown: int) -> str:
    """Joins at most `max_shown` texts, and says how many are left: `a, b and 3 more`."""
    shown = ", ".join(islice(texts, max_shown))
    left = len(texts) - max_shown
    return f"{shown} and {left:,} more" if left > 0 else shown


class Context(NamedTuple):
    """What is known about a sitemap before it is read."""

    now: int  # in seconds
    url: str = ""  # its URL in the index that names it
    named_by: str = ""  # the URL of that index, on a live host
    in_robots: bool = False  # robots.txt names it
    crawling: Crawling | None = None  # the rules of the robots.txt beside it


class LintedEntry(NamedTuple):
    """One `<url>` or `<sitemap>` element, or one line of a text sitemap."""

    node: Node
    fields: Mapping[str, Sequence[Node]]  # the elements of the protocol in it, by name
    loc: str  # "" without a URL
    # Scheme and host of the first entry of the file that has them, "" if none has them so far.
    first_origin: str
    first_line: int | None  # the first line with the same URL, None if this is the first
    context: Context

    @property
    def has_extensions(self) -> bool:
        """Whether the entry has elements of extensions, such as images or language links."""
        # All other children are in `fields`: the elements of the protocol, such as `<loc>`.
        return len(self.node.children) > sum(map(len, self.fields.values()))

    @property
    def date(self) -> str:
        """The text of the entry's first `<lastmod>`, "" if it has none."""
        return next((node.text for node in self.fields.get("lastmod", ())), "")

    @property
    def line(self) -> int:
        """The line of the entry's `<loc>`, or of the entry itself if it has none."""
        return next((node.line for node in self.fields.get("loc", ())), self.node.line)


class Document:
    """What is counted while a sitemap is read, for the rules about the whole file."""

    def __init__(self, context: Context) -> None:
        self.context = context
        # Filled by `add`, entry by entry.
        self.root = ""  # such as "urlset", or "text" for a text file
        self.entries = 0
        self.dates = Histogram()
        self._origin = ""  # scheme and host of the first entry with an absolute URL
        self._lines: dict[int, int] = {}  # by the hash of a URL, where it was first
        # Set to False by the reader if it stops at an error.
        self.is_whole = True

    def add(self, root: str, node: Node) -> LintedEntry:
        """Makes the next entry of the file from its XML node, and counts it and its date.

        `root` is the name of the root element. All is in one function, because it runs for each of
        perhaps 50,000 entries.
        """
        self.root = root
        self.entries += 1
        # The elements of the protocol, which have the namespace of the entry: {"loc": [node], …}.
        fields: dict[str, list[Node]] = {}
        for child in node.children:
            if child.space == node.space:
                fields.setdefault(child.name, []).append(child)
        loc = fields["loc"][0].text if "loc" in fields else ""
        if not self._origin:  # the scheme and host of the first entry, with which others must agree
            self._origin = web_origin(loc)
        # The line of an earlier entry with the same URL, of which this one is a duplicate.
        first_line = None
        if loc:
            # A hash takes less memory than the URL. Two URLs hardly ever have the same one.
            key = hash(loc)
            first_line = self._lines.get(key)
            if first_line is None and len(self._lines) < _REMEMBERED:
                self._lines[key] = node.line
        entry = LintedEntry(node, fields, loc, self._origin, first_line, self.context)
        # The date, None if it cannot be read.
        seconds = moment(entry.date)
        if seconds is not None:
            self.dates.add([seconds])
        return entry
