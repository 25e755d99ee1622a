"""Which files are checked and in which order, and which rules get each part of a file."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..errors import SitemapperError
from ..fs import regular
from ..protocol import SITEMAPINDEX
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK
from .elements import Context, Document, Entry, FileError, origin
from .files import ROBOTS, STDIN, WHAT, Tree, open_blocks
from .reader import elements
from .rule import Fault, Finding
from .rules import documents, entries, indexes, locs

ENTRY_CHECKS = (entries.check_entry, locs.check_entry, indexes.check_entry)
DOCUMENT_CHECKS = (documents.check_document, entries.check_document, indexes.check_document)

OnFile = Callable[[str, int], None]
OnEntry = Callable[[str, Entry], None]
OnNamed = Callable[[str, str], None]


def validate(
    paths: Iterable[str],
    *,
    now: int,
    codes: frozenset[str] | None = None,
    agents: Sequence[str] = ("*",),
    on_file: OnFile = lambda name, entries: None,
    on_entry: OnEntry = lambda name, entry: None,
    on_named: OnNamed = lambda name, file: None,
) -> Iterator[Finding]:
    """Checks files, folders and "-" (stdin); `now` is in seconds, `codes` are the rules, None for all.

    `agents` are the crawlers of which one must be allowed by robots.txt; with none it may close everything.
    Follows indexes to the files below their folder. `on_file` is called with each file and its
    number of entries, `on_entry` with each entry, `on_named` with each robots.txt or index and a file that it
    names. Raises SitemapperError for a file that cannot be read.
    """
    files = _Files(on_file, on_entry, on_named)
    for path in paths:
        for source in _sources(path, now, agents):
            files.add(source)
    yield from (finding for finding in files.findings() if codes is None or finding.code in codes)


class _Source(NamedTuple):
    """A file to check: its name as shown, the folder it lies in, and what is known of it."""

    name: str
    tree: Tree
    context: Context


def _sources(path: str, now: int, agents: Sequence[str]) -> Iterator[_Source]:
    is_folder = path != STDIN and os.path.isdir(path)
    tree = Tree(path if is_folder else os.path.dirname(path))
    names = [name for name in (tree.sitemaps() if is_folder else [path]) if not _is_ledger(name)]
    if is_folder and all(
        _is_robots(name) and not robots.sitemap_lines(regular(name, robots.SIZE_LIMIT) or b"")
        for name in names
    ):
        what = f"{path}: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt)"
        more = ", and its robots.txt names none" if names else " and no robots.txt"
        raise SitemapperError(what + more, "name the folder of the sitemap")
    context = Context(now, crawling=None if path == STDIN else tree.crawling(agents))
    return (_Source(name, tree, context) for name in names)


def _is_ledger(name: str) -> bool:
    """Whether a file is a published ledger, whose name begins like that of a sitemap."""
    return name.endswith("-ledger.txt") and (regular(name, len(LIVE_MARK)) or b"") == LIVE_MARK


def _is_robots(name: str) -> bool:
    return os.path.basename(name).lower() == ROBOTS


def validate_blocks(
    name: str, blocks: Iterator[bytes], document: Document, follow: Callable[[Entry], Iterable[Finding]]
) -> Iterator[Finding]:
    """Checks one sitemap, whose entries fill `document`; `follow` is called with each."""
    for element in elements(blocks):
        if isinstance(element, FileError):
            document.is_whole = False
            yield element.rule.at(name, element.line, element.text)
            continue
        entry = document.entry(*element)
        for check in ENTRY_CHECKS:
            for rule, line, text in check(entry):
                yield rule.at(name, line, text)
        yield from follow(entry)
    for check_whole in DOCUMENT_CHECKS:
        yield from findings_at(name, check_whole(document))


def findings_at(name: str, faults: Iterable[Fault]) -> Iterator[Finding]:
    """The findings in a file."""
    return (rule.at(name, line, text) for rule, line, text in faults)


class _Files:
    """The files to check. An index or robots.txt is read before the sitemaps that it names."""

    def __init__(self, on_file: OnFile, on_entry: OnEntry, on_named: OnNamed) -> None:
        self._on_file, self._on_entry, self._on_named = on_file, on_entry, on_named
        self._naming: deque[_Source] = deque()
        self._sitemaps: dict[str, _Source] = {}

    def add(self, source: _Source) -> None:
        """Adds a file, or what is known of it."""
        name, tree, context = source
        real = os.path.realpath(name)
        if name != STDIN and (_is_robots(name) or tree.root(name) == SITEMAPINDEX):
            self._naming.append(source)
        elif real not in self._sitemaps:
            self._sitemaps[real] = source
        else:
            earlier = self._sitemaps[real].context
            merged = earlier if earlier.url else context
            merged = merged._replace(in_robots=earlier.in_robots or context.in_robots)
            self._sitemaps[real] = _Source(name, tree, merged)

    def findings(self) -> Iterator[Finding]:
        """All findings, file by file."""
        read: set[str] = set()
        while self._naming or self._sitemaps:
            if self._naming:
                sources = [self._naming.popleft()]
            else:
                sources, self._sitemaps = list(self._sitemaps.values()), {}
            for source in sources:
                real = os.path.realpath(source.name)
                if real not in read:
                    read.add(real)
                    yield from self._robots(source) if _is_robots(source.name) else self._sitemap(source)

    def _robots(self, source: _Source) -> Iterator[Finding]:
        name, tree, context = source
        text = regular(name, robots.SIZE_LIMIT)
        if text is None:
            raise SitemapperError(f"{name}: no such file", WHAT)
        self._on_file(name, 0)
        for number, line in enumerate(re.split(rb"\r\n|\r|\n", text), 1):
            for url in robots.sitemap_lines(line):
                file = tree.file(url, name)
                yield from findings_at(name, indexes.check_robots_line(number, url, file != ""))
                if file:
                    self._on_named(name, file)
                    self.add(_Source(file, tree, context._replace(in_robots=True)))

    def _sitemap(self, source: _Source) -> Iterator[Finding]:
        document = Document(source.context)
        name = source.name

        def follow(entry: Entry) -> Iterator[Finding]:
            if document.root == SITEMAPINDEX and entry.loc and name != STDIN:
                yield from self._follow(source, entry)
            self._on_entry(name, entry)

        with open_blocks(name) as blocks:
            yield from validate_blocks(name, blocks, document, follow)
        self._on_file(name, document.entries)

    def _follow(self, source: _Source, entry: Entry) -> Iterator[Finding]:
        """Adds the sitemap that an index names."""
        name, tree, context = source
        is_elsewhere = origin(entry.loc) != entry.origin  # a finding of its own; its file is not here
        file = None if is_elsewhere else tree.file(entry.loc, name)
        is_index = bool(file) and tree.root(file or "") == SITEMAPINDEX
        yield from findings_at(name, indexes.check_child(entry, file != "", is_index))
        if file and not is_index:
            self._on_named(name, file)
            url = entry.loc if origin(entry.loc) else ""
            self.add(_Source(file, tree, context._replace(url=url, date=entry.date, named_by=name)))
