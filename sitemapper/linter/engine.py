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
from ..fs import files_below, regular
from ..protocol import ENTRY_OF, MAX_URL_LENGTH, SITEMAPINDEX
from ..read.sitemap import elements, root_of, uncompressed
from ..read.sitemap_xml import FileError
from ..syntax import robots
from ..syntax.crawling import Crawling, read_crawling
from ..syntax.ledger_rows import LIVE_MARK
from ..syntax.urls import web_origin
from .model import Context, Document, Fault, Finding, LintedEntry
from .rules import documents, entries, locs

STDIN = "-"
ROBOTS = "robots.txt"
_WHAT = "name a sitemap, a folder or -"
_START = 1 << 20  # bytes within which the root must begin
_MAX_FOLDERS = 32  # in a URL whose file is searched, because each is tried as the first one
ENTRY_CHECKS = (entries.check_entry, locs.check_entry, documents.check_entry)
_RULE_OF_FAULT = {rule.code: rule for rule in (*documents.ALL, *entries.ALL)}
DOCUMENT_CHECKS = (documents.check_document, entries.check_document, documents.check_date)

OnFile = Callable[[str, int], None]
OnEntry = Callable[[str, LintedEntry], None]
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
    """The findings in files, in the sitemaps of folders, and in stdin ("-").

    An index and a robots.txt lead to the sitemaps that they name, if these are below their folder.
    `codes` are the rules to check, None for all. robots.txt must allow listed URLs to at least one
    of the crawlers `agents`; without any, it is not asked. `now` is in seconds.

    Calls `on_file` with each file and its number of entries, `on_entry` with each entry, and
    `on_named` with each robots.txt or index and a file that it names. Raises SitemapperError for a
    file that cannot be read.
    """
    files = _Files(on_file, on_entry, on_named)
    for path in paths:
        for source in _sources(path, now, agents):
            files.add(source)
    for finding in files.findings():
        if codes is None or finding.code in codes:
            yield finding


def check_sitemap(
    name: str, blocks: Iterator[bytes], document: Document
) -> Iterator[Finding | LintedEntry]:
    """Each entry of a sitemap, after the findings about it, and at last those about the file.

    `blocks` are its bytes, and `name` is its name in findings. Counts the entries in `document`.
    """
    for element in elements(blocks):
        if isinstance(element, FileError):
            document.is_whole = False
            yield _RULE_OF_FAULT[element.fault.value].at(name, element.line, element.text)
            continue
        root, node = element
        entry = document.add(root, node)
        for check in ENTRY_CHECKS:
            for rule, line, text in check(entry):
                yield rule.at(name, line, text)
        yield entry
    for check_whole in DOCUMENT_CHECKS:
        yield from findings_at(name, check_whole(document))


def findings_at(name: str, faults: Iterable[Fault]) -> Iterator[Finding]:
    """The faults of a file as findings, with its name."""
    return (rule.at(name, line, text) for rule, line, text in faults)


class _FileOfUrl(NamedTuple):
    """The file for a URL, or that it is missing.

    With neither, no file can tell: the URL is on another host, or is not one of a file.
    """

    path: str = ""
    is_missing: bool = False


_MISSING = _FileOfUrl(is_missing=True)
_UNKNOWN = _FileOfUrl()


class _Folder:
    """A folder with sitemaps. Files behind links out of it are not read.

    It may be the output of a pull request, so its links may come from a stranger.
    """

    def __init__(self, top: str) -> None:
        self.top = top
        self.root = cache(_root)
        self._real = os.path.join(os.path.realpath(top or os.curdir), "")
        # How many folders at the start of a URL's path are not in this one, None if unknown yet.
        self._dropped: int | None = None

    def crawling(self, agents: Sequence[str]) -> Crawling | None:
        """The rules of its robots.txt for some crawlers, None without a file or a crawler."""
        path = os.path.join(self.top, ROBOTS)
        if not agents or not self._holds(path):
            return None
        text = regular(path, robots.SIZE_LIMIT)
        if text is None:
            return None
        return read_crawling(text, agents)

    def sitemaps(self) -> Iterator[str]:
        """Its robots.txt and all files that look like sitemaps, sorted by name in each folder."""
        if self._holds(os.path.join(self.top, ROBOTS)):
            yield os.path.join(self.top, ROBOTS)
        for path in files_below(self.top, skipped=(".",)):
            if self._is_sitemap(os.path.basename(path), path):
                yield path

    def _is_sitemap(self, name: str, path: str) -> bool:
        """Whether a file has the name of a sitemap, or is XML with the root of one.

        `blog-sitemap.xml.gz` and `sitemap-2.txt` have such names. `feed.xml` must be read.
        """
        unpacked_name = name.lower().removesuffix(".gz")
        if unpacked_name.endswith(".txt"):
            return unpacked_name.startswith("sitemap") and self._holds(path)
        if not unpacked_name.endswith(".xml") or not self._holds(path):
            return False
        return "sitemap" in unpacked_name or self.root(path) != ""

    def find(self, url: str, named_by: str) -> _FileOfUrl:
        """The file for the URL of a sitemap. The file `named_by` has this URL in it.

        The site may be in a folder of its host. So https://example.com/docs/a.xml may be
        `docs/a.xml` here, or `a.xml` if all URLs begin with docs/. The first URL whose file is
        found decides how many folders are dropped from this one and all that follow.
        """
        names = _folders_and_file(url)  # "docs" and "a.xml"
        if names is None:
            return _UNKNOWN
        if self._dropped is not None:
            path = os.path.join(self.top, *names[self._dropped :])
            return _FileOfUrl(path) if self._holds(path) else _MISSING
        for dropped in range(len(names)):
            path = os.path.join(self.top, *names[dropped:])
            if not self._holds(path):
                continue
            # An index may name itself, but this does not prove that folders must be dropped.
            if dropped > 0 and os.path.samefile(path, named_by):
                continue
            self._dropped = dropped
            return _FileOfUrl(path)
        return _MISSING

    def _holds(self, path: str) -> bool:
        """Whether a path is a file of this folder, also behind links."""
        return os.path.isfile(path) and os.path.realpath(path).startswith(self._real)


def _folders_and_file(url: str) -> list[str] | None:
    """The names in the path of a URL. None if they cannot be those of a file.

    For https://example.com/docs/a.xml, they are "docs" and "a.xml".
    """
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
    is_too_long = len(names) > _MAX_FOLDERS or len(url) >= MAX_URL_LENGTH
    if parts.query or is_too_long:
        return None
    return names


def _root(path: str) -> str:
    """`urlset` or `sitemapindex`, from the beginning of a file. "" for other files."""
    start = b""
    try:
        with open_blocks(path) as blocks:
            for block in blocks:
                start += block
                root = root_of(start)
                if root:
                    return root if root in ENTRY_OF else ""
                if len(start) > _START:
                    break
    except (FileError, OSError):
        pass
    return ""


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
    """A file to check: its name in findings, the folder that it may not leave, and its context."""

    name: str
    folder: _Folder
    context: Context


def _sources(path: str, now: int, agents: Sequence[str]) -> list[_Source]:
    """The files to check for a path that a person typed: itself, or the sitemaps in a folder.

    A published ledger, such as `sitemap-ledger.txt`, is left out. Raises SitemapperError for a
    folder without sitemaps.
    """
    is_folder = path != STDIN and os.path.isdir(path)
    folder = _Folder(path if is_folder else os.path.dirname(path))
    paths = folder.sitemaps() if is_folder else [path]
    names = [name for name in paths if not _is_live_ledger(name)]
    if is_folder:
        _check_has_sitemap(path, names)
    crawling = None if path == STDIN else folder.crawling(agents)
    context = Context(now, crawling=crawling)
    return [_Source(name, folder, context) for name in names]


def _check_has_sitemap(folder: str, names: Sequence[str]) -> None:
    """Raises SitemapperError unless one of the files is a sitemap, or a robots.txt with one."""
    if any(_is_sitemap_or_names_one(name) for name in names):
        return
    what = f"{folder}: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt)"
    more = ", and its robots.txt names none" if names else " and no robots.txt"
    raise SitemapperError(what + more, "name the folder of the sitemap")


def _is_live_ledger(name: str) -> bool:
    """Whether a file is a published ledger, whose name begins like the name of a sitemap."""
    return name.endswith("-ledger.txt") and regular(name, len(LIVE_MARK)) == LIVE_MARK


def _is_sitemap_or_names_one(name: str) -> bool:
    """Whether a file is no robots.txt, or one with a `Sitemap:` line."""
    if not _is_robots(name):
        return True
    text = regular(name, robots.SIZE_LIMIT) or b""
    return bool(robots.sitemap_lines(text))


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
        """Adds a file. If robots.txt and an index name the same sitemap, both count for it."""
        name, folder, context = source
        if name != STDIN and (_is_robots(name) or folder.root(name) == SITEMAPINDEX):
            self._naming.append(source)
            return
        real = os.path.realpath(name)
        known = self._sitemaps.get(real)
        if known is None:
            self._sitemaps[real] = source
            return
        # The first index that names a sitemap gives it its URL and date. robots.txt gives none.
        merged = context
        if known.context.url:
            merged = known.context
        in_robots = known.context.in_robots or context.in_robots
        self._sitemaps[real] = _Source(name, folder, merged._replace(in_robots=in_robots))

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
        """Takes the next file to read: first those that name others, in the order of arrival."""
        if self._naming:
            return self._naming.popleft()
        first = next(iter(self._sitemaps))
        return self._sitemaps.pop(first)

    def _robots(self, source: _Source) -> Iterator[Finding]:
        """The findings in the `Sitemap:` lines of a robots.txt. Adds the sitemaps named there."""
        name, folder, context = source
        text = regular(name, robots.SIZE_LIMIT)
        if text is None:
            raise SitemapperError(f"{name}: no such file", _WHAT)
        self._on_file(name, 0)
        for number, line in enumerate(re.split(rb"\r\n|\r|\n", text), 1):
            for url in robots.sitemap_lines(line):
                sitemap = folder.find(url, name)
                faults = documents.check_robots_line(number, url, is_missing=sitemap.is_missing)
                yield from findings_at(name, faults)
                if sitemap.path:
                    self._on_named(name, sitemap.path)
                    self.add(_Source(sitemap.path, folder, context._replace(in_robots=True)))

    def _sitemap(self, source: _Source) -> Iterator[Finding]:
        """The findings in a sitemap or an index. Adds the sitemaps that an index names."""
        name = source.name
        document = Document(source.context)
        with open_blocks(name) as blocks:
            for found in check_sitemap(name, blocks, document):
                if isinstance(found, Finding):
                    yield found
                    continue
                if document.root == SITEMAPINDEX and found.loc and name != STDIN:
                    yield from self._follow(found, source)
                self._on_entry(name, found)
        self._on_file(name, document.entries)

    def _follow(self, entry: LintedEntry, index: _Source) -> Iterator[Finding]:
        """Adds the sitemap that an entry of an index names, unless it is an index itself."""
        name, folder, context = index
        child_origin = web_origin(entry.loc)  # "" for a URL that is not absolute
        child = _UNKNOWN
        # A URL on another host is a finding of its own, and its file is not here.
        if child_origin == entry.origin:
            child = folder.find(entry.loc, name)
        is_index = child.path != "" and folder.root(child.path) == SITEMAPINDEX
        faults = documents.check_child(entry, is_missing=child.is_missing, is_index=is_index)
        yield from findings_at(name, faults)
        if not child.path or is_index:
            return
        self._on_named(name, child.path)
        url = entry.loc if child_origin else ""
        named = context._replace(url=url, date=entry.date, named_by=name)
        self.add(_Source(child.path, folder, named))
