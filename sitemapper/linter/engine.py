"""Which files are checked, in which order, and the way from a file's elements to findings."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from sitemapper.config.files import regular
from sitemapper.errors import SitemapperError
from sitemapper.linter.facts import Context, Document, Entry, Fault, Link, Node, origin
from sitemapper.linter.files import ROBOTS, STDIN, Tree, opened
from sitemapper.linter.reader import elements
from sitemapper.linter.rule import Finding, Rule, Said
from sitemapper.linter.rules import documents, entries, indexes, locs
from sitemapper.syntax import robots
from sitemapper.syntax.dates import moment
from sitemapper.syntax.uniform import Histogram

OF_ENTRIES = (*entries.OF_ENTRIES, *locs.OF_ENTRIES, *indexes.OF_ENTRIES)
OF_DOCUMENTS = (*documents.OF_DOCUMENTS, *entries.OF_DOCUMENTS, *indexes.OF_DOCUMENTS)
_OF_FAULTS = {rule.about: rule for rule in documents.FAULTS}
_REMEMBERED = 200_000  # URLs of a file among which duplicates are looked for


class Source(NamedTuple):
    """A file to check: its name as shown, the folder it was found in, and what is known of it."""

    name: str
    tree: Tree
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
    heads: deque[Source] = deque()
    leaves: dict[str, Source] = {}
    done: set[str] = set()

    def findings(source: Source) -> Iterator[Finding]:
        file = _File(source, [], read, heard)
        found = _robots(file) if _is_robots(source.name) else _sitemap(file)
        yield from (f for f in found if codes is None or f.code in codes)
        _sort(file.names, heads, leaves)

    for path in paths:
        _sort(_sources(path, now), heads, leaves)
    # What names others comes first, because it tells of them.
    while heads:
        source = heads.popleft()
        if os.path.realpath(source.name) not in done:
            done.add(os.path.realpath(source.name))
            yield from findings(source)
    for source in leaves.values():
        yield from findings(source)


def _sort(sources: Iterable[Source], heads: deque[Source], leaves: dict[str, Source]) -> None:
    """Into those that name others and those that do not; what several say of one is put together."""
    for source in sources:
        name, tree, context = source
        is_head = name != STDIN and (_is_robots(name) or tree.root(name) == "sitemapindex")
        real = os.path.realpath(name)
        if is_head:
            heads.append(source)
        elif real not in leaves:
            leaves[real] = source
        else:
            known = leaves[real].context
            told = known if known.is_indexed else context
            leaves[real] = Source(name, tree, told._replace(crosses=known.crosses or context.crosses))


def _sources(path: str, now: int) -> Iterator[Source]:
    is_folder = path != STDIN and os.path.isdir(path)
    tree = Tree(path if is_folder else os.path.dirname(path))
    names = list(tree.sitemaps()) if is_folder else [path]
    if not names:
        raise SitemapperError(f"{path}: holds no sitemap (*.xml, *.xml.gz, sitemap*.txt) and no robots.txt")
    context = Context(now, crawling=None if path == STDIN else tree.crawling())
    return (Source(name, tree, context) for name in names)


def _is_robots(name: str) -> bool:
    return os.path.basename(name).lower() == ROBOTS


class _File(NamedTuple):
    """A file being checked; `names` takes the sitemaps that it names."""

    source: Source
    names: list[Source]
    read: Callable[[str, int], None] | None
    heard: Callable[[str, Entry], None] | None

    def apply(self, rules: Iterable[Rule], fact: object) -> Iterator[Finding]:
        """What the rules say of a fact."""
        for rule in rules:
            said: Iterator[Said] = rule.about(fact)
            yield from (rule.at(self.source.name, one) for one in said)


def _robots(file: _File) -> Iterator[Finding]:
    name, tree, context = file.source
    text = regular(name)
    if text is None:
        raise SitemapperError(f"{name}: there is no such file; name a sitemap, a folder or -")
    if file.read:
        file.read(name, 0)
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", text[: robots.SIZE_LIMIT]), 1):
        for url in robots.sitemap_lines(line):
            found = tree.file(url, name)
            yield from file.apply(indexes.OF_LINKS, Link(number, url, "robots", found != ""))
            if found:
                file.names.append(Source(found, tree, context._replace(crosses=True)))


def _sitemap(file: _File) -> Iterator[Finding]:
    sheet = Sheet(file.source.context)
    name = file.source.name
    with opened(name) as data:
        for fact in elements(data):
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
    name, tree, context = file.source
    elsewhere = origin(entry.loc) != entry.origin  # told as such; its file cannot be here
    found = None if elsewhere else tree.file(entry.loc, name)
    is_index = bool(found) and tree.root(found or "") == "sitemapindex"
    yield from file.apply(indexes.OF_LINKS, Link(entry.line, entry.loc, "index", found != "", is_index))
    if found and not is_index:
        url = entry.loc if origin(entry.loc) else ""
        file.names.append(Source(found, tree, context._replace(url=url, date=entry.date, told_by=name)))


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
        self._newest = 0
        self._lines: dict[int, int] = {}

    def entry(self, root: str, node: Node) -> Entry:
        """The next entry, with what went before."""
        self.root = root
        self.entries += 1
        self._news += any(child.name == "news" for child in node.children)
        fields: dict[str, list[Node]] = {}
        for child in node.children:
            if child.space == node.space:
                fields.setdefault(child.name, []).append(child)
        loc = fields["loc"][0].text if "loc" in fields else ""
        self._origin = self._origin or origin(loc)
        entry = Entry(node, fields, loc, self._origin, self._first(loc, node.line), self._context)
        second = moment(entry.date)
        if second is not None:
            self._dates.add([second])
            self._newest = max(self._newest, second)
        return entry

    def _first(self, loc: str, line: int) -> int | None:
        """Where the same URL stood before."""
        key = hash(loc)
        first = self._lines.get(key) if loc else None
        if loc and first is None and len(self._lines) < _REMEMBERED:
            self._lines[key] = line
        return first

    def document(self) -> Document:
        """The whole."""
        counts = self.root, self.entries, self._news, self.is_whole
        return Document(*counts, self._dates, self._newest, self._context)
