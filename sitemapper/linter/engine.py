"""Which files are checked, in which order, and the way from a file's elements to findings."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple
from urllib.parse import unquote, urlsplit

from .. import robots
from ..dates import moment
from ..errors import SitemapperError
from ..lastmod.uniform import Histogram
from ..urls import MAX_LENGTH
from ..user_files import regular
from . import documents, entries, indexes, locations
from .facts import Context, Document, Entry, Fault, Link, Node, origin
from .reader import Stop, elements, looks_like_a_sitemap, unpacked
from .registry import Finding, Rule, Said

OF_ENTRIES = (*entries.OF_ENTRIES, *locations.OF_ENTRIES, *indexes.OF_ENTRIES)
OF_DOCUMENTS = (*documents.OF_DOCUMENTS, *entries.OF_DOCUMENTS, *indexes.OF_DOCUMENTS)
STDIN = "-"
_OF_FAULTS = {rule.about: rule for rule in documents.FAULTS}
_REMEMBERED = 200_000  # URLs of a file among which duplicates are looked for
_TEXT_NAME = re.compile(r"sitemap[\w.-]*\.txt(\.gz)?", re.IGNORECASE)
_WHAT = "name a sitemap, a folder or -"


class Source(NamedTuple):
    """A file to check: its name as shown, and what is known of it."""

    name: str
    context: Context


def validate(
    paths: Iterable[str],
    *,
    now: int,
    codes: frozenset[str] | None = None,
    read: Callable[[str, int], None] | None = None,
    heard: Callable[[str, Entry], None] | None = None,
) -> Iterator[Finding]:
    """Checks files, folders and "-" (stdin); `now` is in seconds, `codes` the rules to apply, else all.

    Indexes are followed to the files below their folder. `read` is told each file that was read and its
    number of entries, `heard` each entry. Raises SitemapperError for what cannot be read.
    """
    done: set[str] = set()
    for path in paths:
        todo = list(reversed(_sources(path, now)))
        while todo:
            source = todo.pop()
            real = os.path.realpath(source.name)
            if real not in done:
                done.add(real)
                check = _robots if os.path.basename(source.name).lower() == "robots.txt" else _sitemap
                found = check(_File(source, todo, read, heard))
                yield from (f for f in found if codes is None or f.code in codes)


class _File(NamedTuple):
    """A file being checked; `todo` takes what it names."""

    source: Source
    todo: list[Source]
    read: Callable[[str, int], None] | None
    heard: Callable[[str, Entry], None] | None

    def apply(self, rules: Iterable[Rule], fact: object) -> Iterator[Finding]:
        """What the rules say of a fact."""
        for rule in rules:
            said: Iterator[Said] = rule.about(fact)
            yield from (rule.at(self.source.name, one) for one in said)

    def named(self, url: str) -> str | None:
        """The file below this one's folder that a URL may mean: by the longest end of its path."""
        if len(url) >= MAX_LENGTH:  # of 60,000 characters, the ends would take minutes
            return None
        try:
            parts = [part for part in unquote(urlsplit(url).path).split("/") if part]
        except ValueError:
            return None
        if {".", ".."} & set(parts) or "\0" in url:
            return None
        folder = os.path.dirname(self.source.name)
        names = (os.path.join(folder, *parts[n:]) for n in range(len(parts)))
        return next((name for name in names if os.path.isfile(name)), None)


def _sources(path: str, now: int) -> list[Source]:
    """What is to be checked at a path: robots.txt first, then indexes, as they tell of the others."""
    if path == STDIN or not os.path.isdir(path):
        return [Source(path, Context(now))]
    top = os.path.join(path, "robots.txt")
    text = regular(top)
    names = [name for _, name in sorted(_sitemaps(path))]
    if not names and text is None:
        raise SitemapperError(f"{path}: holds no sitemap (*.xml, *.xml.gz, sitemap*.txt) and no robots.txt")
    crawling = None if text is None else robots.crawling(text, ["*"])
    return [
        Source(name, Context(now, crawling=crawling)) for name in ([top] if text is not None else []) + names
    ]


def _sitemaps(folder: str) -> Iterator[tuple[int, str]]:
    """The sitemaps below a folder, with what they are sorted by: indexes come first."""
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(above, name)
            if name.lower().endswith((".xml", ".xml.gz")) and os.path.isfile(path):
                start = _start(path)
                if looks_like_a_sitemap(start):
                    yield 0 if b"sitemapindex" in start else 1, path
            elif _TEXT_NAME.fullmatch(name) and os.path.isfile(path):
                yield 2, path


def _start(path: str) -> bytes:
    try:
        with _opened(path) as file:
            return next(unpacked(file), b"")[:4096]
    except Stop:
        return b"<urlset>"  # that it cannot be unpacked is to be told


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    if name == STDIN:
        yield sys.stdin.buffer
        return
    if not os.path.isfile(name):
        what = "is no regular file" if os.path.exists(name) else "there is no such file"
        raise SitemapperError(f"{name}: {what}; {_WHAT}")
    with open(name, "rb") as file:
        yield file


def _robots(file: _File) -> Iterator[Finding]:
    text = regular(file.source.name)
    if text is None:
        raise SitemapperError(f"{file.source.name}: there is no such file; {_WHAT}")
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", text), 1):
        for url in robots.sitemap_lines(line):
            found = file.named(url)
            yield from file.apply(indexes.OF_LINKS, Link(number, url, "robots", found is not None))
            if found:
                file.todo.append(Source(found, file.source.context))


def _sitemap(file: _File) -> Iterator[Finding]:
    sheet = Sheet(file.source.context)
    name = file.source.name
    with _opened(name) as data:
        for fact in elements(unpacked(data)):
            if isinstance(fact, Fault):
                sheet.is_whole = False
                yield _OF_FAULTS[type(fact)].at(name, (fact.line, fact.text))
                continue
            entry = sheet.entry(*fact)
            yield from file.apply(OF_ENTRIES, entry)
            if sheet.root == "sitemapindex" and entry.loc and name != STDIN:
                yield from _follow(file, entry)
            if file.heard:
                file.heard(name, entry)
    yield from file.apply(OF_DOCUMENTS, sheet.document())
    if file.read:
        file.read(name, sheet.entries)


def _follow(file: _File, entry: Entry) -> Iterator[Finding]:
    """The sitemap that an index names."""
    found = file.named(entry.loc)
    yield from file.apply(indexes.OF_LINKS, Link(entry.node.line, entry.loc, "index", found is not None))
    if found and not file.source.context.is_indexed:
        date = next((node.text for node in entry.node.named("lastmod")), "")
        file.todo.append(Source(found, file.source.context._replace(url=entry.loc, date=date)))


class Sheet:
    """What is remembered of a sitemap while it is read."""

    def __init__(self, context: Context) -> None:
        self.root = ""
        self.entries = 0
        self.is_whole = True
        self._news = 0
        self._origin = ""
        self._context = context
        self._dates = Histogram()
        self._lines: dict[int, int] = {}

    def entry(self, root: str, node: Node) -> Entry:
        """The next entry, with what went before."""
        self.root = root
        self.entries += 1
        self._news += any(child.name == "news" for child in node.children)
        loc = next((child.text for child in node.named("loc")), "")
        self._origin = self._origin or origin(loc)
        seconds = [moment(child.text) for child in node.named("lastmod")[:1]]
        self._dates.add([second for second in seconds if second is not None])
        return Entry(node, loc, self._origin, self._first(loc, node.line), self._context)

    def _first(self, loc: str, line: int) -> int | None:
        """Where the same URL stood before."""
        key = hash(loc)
        first = self._lines.get(key) if loc else None
        if loc and first is None and len(self._lines) < _REMEMBERED:
            self._lines[key] = line
        return first

    def document(self) -> Document:
        """The whole."""
        return Document(self.root, self.entries, self._news, self.is_whole, self._dates, self._context)
