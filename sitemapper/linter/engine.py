"""Chooses the files to check and their order, finds the files of URLs, and runs the rules."""

import os
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..errors import SitemapperError
from ..fs import regular
from ..protocol import MAX_URL_LENGTH, SITEMAPINDEX, URLSET
from ..syntax import robots
from ..syntax.ledger_rows import LIVE_MARK
from .model import Context, Document, Entry, Fault, FileError, Finding, origin
from .reader import elements, uncompressed
from .rules import documents, entries, locs

STDIN = "-"
ROBOTS = "robots.txt"
_WHAT = "name a sitemap, a folder or -"
_XML = re.compile(r".*\.xml(\.gz)?", re.IGNORECASE)
_CALLED_SITEMAP = re.compile(
    r"(?>.*?sitemap).*\.xml(\.gz)?|sitemap[\w.-]*\.txt(\.gz)?", re.IGNORECASE
)
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z]\w*)[\s/>]")
_START = 1 << 20  # bytes within which the root must begin
_MAX_FOLDERS = 32  # in a URL whose file is searched
ENTRY_CHECKS = (entries.check_entry, locs.check_entry, documents.check_entry)
DOCUMENT_CHECKS = (documents.check_document, entries.check_document, documents.check_date)

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
    """Checks files, folders and "-" (stdin). `now` is in seconds, `codes` are the rules, None for
    all.

    robots.txt must allow at least one of the crawlers `agents`; without any, it may close
    everything. Follows indexes to the files below their folder. Calls `on_file` with each file and
    its number of entries, `on_entry` with each entry, and `on_named` with each robots.txt or index
    and a file that it names. Raises SitemapperError for a file that cannot be read.
    """
    files = _Files(on_file, on_entry, on_named)
    for path in paths:
        for source in _sources(path, now, agents):
            files.add(source)
    for finding in files.findings():
        if codes is None or finding.code in codes:
            yield finding


def validate_blocks(
    name: str,
    blocks: Iterator[bytes],
    document: Document,
    follow: Callable[[Entry], Iterable[Finding]],
) -> Iterator[Finding]:
    """Checks one sitemap, and adds its entries to `document`. `follow` is called with each."""
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


class _Tree:
    """A folder of files. Never leaves it, because its links may come from a stranger."""

    def __init__(self, top: str) -> None:
        self.top = top
        self.root = cache(_root)
        self._real = os.path.join(os.path.realpath(top or os.curdir), "")
        # How many folders of the URLs are above this one. The first file that is found shows it.
        self._above: int | None = None

    def crawling(self, agents: Sequence[str]) -> robots.Crawling | None:
        """The rules of its robots.txt for some crawlers; None if it has none, or no crawler is
        given.
        """
        path = os.path.join(self.top, ROBOTS)
        if not agents or not self._holds(path):
            return None
        text = regular(path, robots.SIZE_LIMIT)
        if text is None:
            return None
        return robots.crawling(text, agents)

    def sitemaps(self) -> Iterator[str]:
        """Its robots.txt and all files that look like sitemaps, sorted by name in each folder."""
        if self._holds(os.path.join(self.top, ROBOTS)):
            yield os.path.join(self.top, ROBOTS)
        folders = [self.top]
        while folders:
            folder, below, names = next(os.walk(folders.pop()), ("", [], []))
            for name in sorted(names):
                path = os.path.join(folder, name)
                if self._is_sitemap(name, path):
                    yield path
            for name in sorted(below, reverse=True):
                path = os.path.join(folder, name)
                if not name.startswith(".") and not os.path.islink(path):
                    folders.append(path)

    def _is_sitemap(self, name: str, path: str) -> bool:
        """Whether a file is called a sitemap, or is XML with the root of one."""
        if _CALLED_SITEMAP.fullmatch(name):
            return self._holds(path)
        return _XML.fullmatch(name) is not None and self._holds(path) and self.root(path) != ""

    def file(self, url: str, by: str) -> str | None:
        """The file for a URL in the file `by`. "" if there is none, None if that is unknown."""
        names = _folders_and_file(url)
        if names is None:
            return None
        levels: Iterable[int] = range(len(names))
        if self._above is not None:
            levels = (self._above,)
        for above in levels:
            file = os.path.join(self.top, *names[above:])
            if not self._holds(file):
                continue
            # An index may name itself, but this does not prove that folders must be dropped.
            is_proof = not above or self._above or not os.path.samefile(file, by)
            if is_proof:
                self._above = above
                return file
        return ""

    def _holds(self, path: str) -> bool:
        return os.path.isfile(path) and os.path.realpath(path).startswith(self._real)


def _folders_and_file(url: str) -> list[str] | None:
    """The names in the path of a URL. None if they cannot be those of a file."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    path = unquote(parts.path)
    names = [name for name in path.split("/") if name]
    if "." in names or ".." in names:
        return None
    # Windows would take these for separators of folders and drives.
    if os.sep != "/" and re.search(r"[\\:]", path):
        return None
    if parts.query or len(names) > _MAX_FOLDERS or len(url) >= MAX_URL_LENGTH:
        return None
    return names


def _root(path: str) -> str:
    """`urlset` or `sitemapindex`, from the beginning of a file. "" for other files."""
    start = b""
    match = None
    try:
        with open_blocks(path) as blocks:
            for block in blocks:
                start += block
                match = _ROOT.search(_without_comments(start))
                if match or len(start) > _START:
                    break
    except (FileError, OSError):
        return ""
    name = match[1].decode() if match else ""
    return name if name in (URLSET, SITEMAPINDEX) else ""


def _without_comments(xml: bytes) -> bytes:
    """The beginning of a file without its comments, which may be cut off."""
    first, *comments = xml.split(b"<!--")
    return first + b"".join(comment.partition(b"-->")[2] for comment in comments)


@contextmanager
def open_blocks(name: str) -> Iterator[Iterator[bytes]]:
    """The uncompressed blocks of a file or stdin.

    Raises SitemapperError if there is no such file.
    """
    if name == STDIN:
        if sys.stdin is None:
            raise SitemapperError("stdin is closed", _WHAT)
        yield uncompressed(sys.stdin.buffer)
        return
    if "://" in name:
        raise SitemapperError(
            f"{name}: is a URL, not a file", f"curl -s {name} | sitemapper validate -"
        )
    if not os.path.isfile(name):
        what = "not a regular file" if os.path.exists(name) else "no such file"
        raise SitemapperError(f"{name}: {what}", _WHAT)
    with open(name, "rb") as file:
        yield uncompressed(file, is_gz=name.lower().endswith(".gz"))


class _Source(NamedTuple):
    """A file to check: its name as shown, its folder, and its context."""

    name: str
    tree: _Tree
    context: Context


def _sources(path: str, now: int, agents: Sequence[str]) -> list[_Source]:
    """The files that a path means. Raises SitemapperError for a folder without sitemaps."""
    if path != STDIN and os.path.isdir(path):
        tree = _Tree(path)
        names = [name for name in tree.sitemaps() if not _is_live_ledger(name)]
        if not any(map(_is_sitemap_or_names_one, names)):
            what = f"{path}: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt)"
            more = ", and its robots.txt names none" if names else " and no robots.txt"
            raise SitemapperError(what + more, "name the folder of the sitemap")
    else:
        tree = _Tree(os.path.dirname(path))
        names = [] if _is_live_ledger(path) else [path]
    crawling = None if path == STDIN else tree.crawling(agents)
    context = Context(now, crawling=crawling)
    return [_Source(name, tree, context) for name in names]


def _is_live_ledger(name: str) -> bool:
    """Whether a file is a published ledger, whose name begins like the name of a sitemap."""
    return name.endswith("-ledger.txt") and regular(name, len(LIVE_MARK)) == LIVE_MARK


def _is_sitemap_or_names_one(name: str) -> bool:
    """Whether a file is no robots.txt, or one with a `Sitemap:` line."""
    if not _is_robots(name):
        return True
    return bool(robots.sitemap_lines(regular(name, robots.SIZE_LIMIT) or b""))


def _is_robots(name: str) -> bool:
    return os.path.basename(name).lower() == ROBOTS


class _Files:
    """The files to check. An index or robots.txt comes before the sitemaps that it names."""

    def __init__(self, on_file: OnFile, on_entry: OnEntry, on_named: OnNamed) -> None:
        self._on_file = on_file
        self._on_entry = on_entry
        self._on_named = on_named
        self._naming: deque[_Source] = deque()
        self._sitemaps: dict[str, _Source] = {}

    def add(self, source: _Source) -> None:
        """Adds a file, or more context of a file."""
        name, tree, context = source
        real = os.path.realpath(name)
        if name != STDIN and (_is_robots(name) or tree.root(name) == SITEMAPINDEX):
            self._naming.append(source)
        elif real not in self._sitemaps:
            self._sitemaps[real] = source
        else:
            earlier = self._sitemaps[real].context
            merged = earlier if earlier.url else context
            in_robots = earlier.in_robots or context.in_robots
            self._sitemaps[real] = _Source(name, tree, merged._replace(in_robots=in_robots))

    def findings(self) -> Iterator[Finding]:
        """All findings, file by file."""
        read: set[str] = set()
        while self._naming or self._sitemaps:
            source = self._next()
            real = os.path.realpath(source.name)
            if real in read:
                continue
            read.add(real)
            if _is_robots(source.name):
                yield from self._robots(source)
            else:
                yield from self._sitemap(source)

    def _next(self) -> _Source:
        if self._naming:
            return self._naming.popleft()
        first = next(iter(self._sitemaps))
        return self._sitemaps.pop(first)

    def _robots(self, source: _Source) -> Iterator[Finding]:
        name, tree, context = source
        text = regular(name, robots.SIZE_LIMIT)
        if text is None:
            raise SitemapperError(f"{name}: no such file", _WHAT)
        self._on_file(name, 0)
        for number, line in enumerate(re.split(rb"\r\n|\r|\n", text), 1):
            for url in robots.sitemap_lines(line):
                file = tree.file(url, name)
                yield from findings_at(name, documents.check_robots_line(number, url, file != ""))
                if file:
                    self._on_named(name, file)
                    self.add(_Source(file, tree, context._replace(in_robots=True)))

    def _sitemap(self, source: _Source) -> Iterator[Finding]:
        name = source.name
        document = Document(source.context)

        def follow(entry: Entry) -> Iterator[Finding]:
            if document.root == SITEMAPINDEX and entry.loc and name != STDIN:
                yield from self._follow(entry, source)
            self._on_entry(name, entry)

        with open_blocks(name) as blocks:
            yield from validate_blocks(name, blocks, document, follow)
        self._on_file(name, document.entries)

    def _follow(self, entry: Entry, index: _Source) -> Iterator[Finding]:
        """Adds the sitemap that an entry of an index names."""
        name, tree, context = index
        own = origin(entry.loc)
        # A URL on another host is a finding of its own, and its file is not here.
        file = tree.file(entry.loc, name) if own == entry.origin else None
        is_index = bool(file) and tree.root(file or "") == SITEMAPINDEX
        yield from findings_at(name, documents.check_child(entry, file != "", is_index))
        if file and not is_index:
            self._on_named(name, file)
            url = entry.loc if own else ""
            named = context._replace(url=url, date=entry.date, named_by=name)
            self.add(_Source(file, tree, named))
