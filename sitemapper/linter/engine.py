"""Which files are checked and in which order, and which rules see each part of a file."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..errors import SitemapperError
from ..fs import regular
from ..protocol import SITEMAPINDEX
from ..syntax import robots
from .elements import Context, Document, Entry, FileError, Link, origin
from .files import ROBOTS, STDIN, WHAT, Tree, opened
from .reader import elements
from .rule import Finding, Rule
from .rules import documents, entries, indexes, locs

OF_ENTRIES = (*entries.OF_ENTRIES, *locs.OF_ENTRIES, *indexes.OF_ENTRIES)
OF_DOCUMENTS = (*documents.OF_DOCUMENTS, *entries.OF_DOCUMENTS, *indexes.OF_DOCUMENTS)
_OF_FAULTS = {rule.about: rule for rule in documents.FAULTS}

Read = Callable[[str, int], None]
Heard = Callable[[str, Entry], None]


def validate(
    paths: Iterable[str],
    *,
    now: int,
    codes: frozenset[str] | None = None,
    read: Read | None = None,
    heard: Heard | None = None,
) -> Iterator[Finding]:
    """Checks files, folders and "-" (stdin); `now` is in seconds, `codes` are the rules, None for all.

    Follows indexes to the files below their folder. `read` is called with each file and its number of
    entries, `heard` with each entry. Raises SitemapperError for a file that cannot be read.
    """
    files = _Files(read, heard)
    for path in paths:
        for source in _sources(path, now):
            files.add(source)
    yield from (finding for finding in files.findings() if codes is None or finding.code in codes)


class _Source(NamedTuple):
    """A file to check: its name as shown, the folder it was found in, and what is known of it."""

    name: str
    tree: Tree
    context: Context


def _sources(path: str, now: int) -> Iterator[_Source]:
    is_folder = path != STDIN and os.path.isdir(path)
    tree = Tree(path if is_folder else os.path.dirname(path))
    names = list(tree.sitemaps()) if is_folder else [path]
    if is_folder and all(_is_robots(name) and not _named(name) for name in names):
        what = f"{path}: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt)"
        more = ", and its robots.txt names none" if names else " and no robots.txt"
        raise SitemapperError(what + more, "name the folder that holds the sitemap")
    context = Context(now, crawling=None if path == STDIN else tree.crawling())
    return (_Source(name, tree, context) for name in names)


def _is_robots(name: str) -> bool:
    return os.path.basename(name).lower() == ROBOTS


def _named(name: str) -> list[str]:
    return robots.sitemap_lines(regular(name, robots.SIZE_LIMIT) or b"")


def _apply(rules: Iterable[Rule], fact: object, name: str) -> Iterator[Finding]:
    for rule in rules:
        yield from (rule.at(name, said) for said in rule.about(fact))


class _Files:
    """The files to check. An index or robots.txt is read before the sitemaps that it names."""

    def __init__(self, read: Read | None, heard: Heard | None) -> None:
        self._read = read or (lambda name, entries: None)
        self._heard = heard or (lambda name, entry: None)
        self._heads: deque[_Source] = deque()
        self._leaves: dict[str, _Source] = {}

    def add(self, source: _Source) -> None:
        """Adds a file, or what else is known of it."""
        name, tree, context = source
        real = os.path.realpath(name)
        if name != STDIN and (_is_robots(name) or tree.root(name) == SITEMAPINDEX):
            self._heads.append(source)
        elif real not in self._leaves:
            self._leaves[real] = source
        else:
            known = self._leaves[real].context
            both = known if known.url else context
            both = both._replace(in_robots=known.in_robots or context.in_robots)
            self._leaves[real] = _Source(name, tree, both)

    def findings(self) -> Iterator[Finding]:
        """All findings, file by file."""
        done: set[str] = set()
        while self._heads or self._leaves:
            if self._heads:
                sources = [self._heads.popleft()]
            else:
                sources, self._leaves = list(self._leaves.values()), {}
            for source in sources:
                real = os.path.realpath(source.name)
                if real not in done:
                    done.add(real)
                    yield from self._robots(source) if _is_robots(source.name) else self._sitemap(source)

    def _robots(self, source: _Source) -> Iterator[Finding]:
        name, tree, context = source
        text = regular(name, robots.SIZE_LIMIT)
        if text is None:
            raise SitemapperError(f"{name}: no such file", WHAT)
        self._read(name, 0)
        for number, line in enumerate(re.split(rb"\r\n|\r|\n", text), 1):
            for url in robots.sitemap_lines(line):
                found = tree.file(url, name)
                yield from _apply(indexes.OF_LINKS, Link(number, url, "robots", found != ""), name)
                if found:
                    self.add(_Source(found, tree, context._replace(in_robots=True)))

    def _sitemap(self, source: _Source) -> Iterator[Finding]:
        document = Document(source.context)
        name = source.name
        with opened(name) as data:
            for fact in elements(data):
                if isinstance(fact, FileError):
                    document.is_whole = False
                    yield _OF_FAULTS[type(fact)].at(name, (fact.line, fact.text))
                    continue
                entry = document.entry(*fact)
                yield from _apply(OF_ENTRIES, entry, name)
                if document.root == SITEMAPINDEX and entry.loc and name != STDIN:
                    yield from self._follow(source, entry)
                self._heard(name, entry)
        yield from _apply(OF_DOCUMENTS, document, name)
        self._read(name, document.entries)

    def _follow(self, source: _Source, entry: Entry) -> Iterator[Finding]:
        """Adds the sitemap that an index names."""
        name, tree, context = source
        is_elsewhere = origin(entry.loc) != entry.origin  # a finding of its own; its file is not here
        found = None if is_elsewhere else tree.file(entry.loc, name)
        is_index = bool(found) and tree.root(found or "") == SITEMAPINDEX
        link = Link(entry.line, entry.loc, "index", found != "", is_index)
        yield from _apply(indexes.OF_LINKS, link, name)
        if found and not is_index:
            url = entry.loc if origin(entry.loc) else ""
            self.add(_Source(found, tree, context._replace(url=url, date=entry.date, named_by=name)))
