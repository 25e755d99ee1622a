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
from ..syntax.robots import Crawling, read_crawling
from ..syntax.urls import web_origin
from .model import Context, Document, Fault, Finding, LintedEntry
from .rules import documents, entries, locs

STDIN = "-"
ROBOTS = "robots.txt"
_WHAT = "pass a sitemap, a folder or -"
_START = 1 << 20  # bytes within which the root must begin
_MAX_FOLDERS = 32  # in a URL whose file is searched, because each is tried as the first one
ENTRY_CHECKS = (entries.check_entry, locs.check_entry, documents.check_entry)
_RULE_OF_FAULT = {rule.code: rule for rule in (*documents.ALL, *entries.ALL)}
DOCUMENT_CHECKS = (documents.check_document, entries.check_document)

OnFile = Callable[[str, int], None]
OnNamed = Callable[[str, str], None]


def validate(
    paths: Iterable[str],
    *,
    now: int,
    codes: frozenset[str] | None = None,
    reads_robots: bool = True,
    on_file: OnFile = lambda name, entries: None,
    on_named: OnNamed = lambda name, file: None,
) -> Iterator[Finding]:
    """Checks sitemaps, and yields what is wrong with them, file by file.

    `paths` are files, folders with sitemaps, or "-" for stdin. The sitemaps that an index or a
    robots.txt names are checked too, if they are below its folder. `codes` are the rules to check,
    None for all. With `reads_robots`, robots.txt must allow crawlers to fetch each listed URL.
    `now` is in seconds.

    Calls `on_file` with each file and its number of entries, and `on_named` with each robots.txt or
    index and a file that it names. Raises SitemapperError for a file that cannot be read.
    """
    files = _Files(on_file, on_named)
    for path in paths:
        for source in _find_sources(path, now, reads_robots=reads_robots):
            files.add(source)
    for finding in files.findings():
        if codes is None or finding.code in codes:
            yield finding


def check_sitemap(
    name: str, blocks: Iterator[bytes], document: Document
) -> Iterator[Finding | LintedEntry]:
    """Checks a sitemap, and yields the findings about each entry and then the entry itself.

    The findings about the whole file come last. `blocks` are its bytes, and `name` is its name in
    findings. Counts the entries in `document`.
    """
    for element in elements(blocks):
        if isinstance(element, FileError):  # such as XML that is not well-formed
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
    """Turns the faults of a file into findings, which also name the file."""
    return (rule.at(name, line, text) for rule, line, text in faults)


class _FileOfUrl(NamedTuple):
    """What is known about the local file for the URL of a sitemap. There are three cases:

    - `path` is set, such as "a.xml": the file is there, and is checked, too
    - `path` is "", and `is_missing`: the folder should have the file, so this is a finding
    - `path` is "", and not `is_missing`: it is not known which file the URL has, for example
      because it has a query. The URL is passed over
    """

    path: str = ""
    is_missing: bool = False


_MISSING = _FileOfUrl(is_missing=True)
_UNKNOWN = _FileOfUrl()


class _Folder:
    """A folder with sitemaps, of which only files inside it are read.

    It may be the output of a pull request, so a stranger may have put a symbolic link into it that
    leads to a secret file.
    """

    def __init__(self, top: str) -> None:
        """Makes a folder with sitemaps. `top` is its path as typed, "" for the current folder."""
        self.top = top
        # The same path without symbolic links, with a slash at its end. A file is inside the folder
        # if its own path without links begins with this.
        self._real_top = os.path.join(os.path.realpath(top or os.curdir), "")
        self._robots_path = os.path.join(top, ROBOTS)  # of its robots.txt, which may not exist
        # Reads the root element of a file, such as "urlset". Each file is opened once.
        self.read_root = cache(_read_root)
        # If https://a.example/docs/a.xml is the file `a.xml` here, 1 folder of the URL is dropped:
        # `docs`. The number is the same for all URLs. None until the file of a URL is found.
        self._dropped_folders: int | None = None

    def crawling(self) -> Crawling | None:
        """Reads the rules of the folder's robots.txt for all crawlers. None without such a file."""
        if not self._has_file(self._robots_path):
            return None
        text = regular(self._robots_path, robots.SIZE_LIMIT)
        if text is None:  # the file was removed meanwhile
            return None
        return read_crawling(text)

    def sitemaps(self) -> Iterator[str]:
        """Lists the folder's robots.txt, then all sitemaps in it and below it.

        They are sorted by name in each folder. Folders whose names begin with a dot are left out.
        """
        if self._has_file(self._robots_path):
            yield self._robots_path
        for path in files_below(self.top, skipped=(".",)):
            if self._is_sitemap(path):
                yield path

    def _is_sitemap(self, path: str) -> bool:
        """Says whether a file below the folder is a sitemap, by its name or its root element.

        - `sitemap-2.txt` and `blog-sitemap.xml.gz` → True, by the name
        - `notes.txt` and `tea.html` → False, by the name
        - `feed.xml` → True only if its root is urlset or sitemapindex

        A symbolic link to a file outside of the folder is never a sitemap.
        """
        unpacked_name = os.path.basename(path).lower().removesuffix(".gz")
        if unpacked_name.endswith(".txt"):
            return unpacked_name.startswith("sitemap") and self._has_file(path)
        if not unpacked_name.endswith(".xml") or not self._has_file(path):
            return False
        return "sitemap" in unpacked_name or self.read_root(path) != ""

    def find(self, url: str, named_by: str) -> _FileOfUrl:
        """Finds the file in this folder for the URL of a sitemap.

        https://a.example/docs/a.xml may be `docs/a.xml`, or `a.xml` if the folder has only what is
        below /docs/. `named_by` is the path of the robots.txt or the index that has the URL.

        The first URL whose file is found decides how many folders of a URL are dropped, and the
        same number is dropped of all later URLs.
        """
        names = _folders_and_file(url)  # ["docs", "a.xml"]
        if names is None:
            return _UNKNOWN
        if self._dropped_folders is not None:  # an earlier URL has decided
            path = os.path.join(self.top, *names[self._dropped_folders :])
            return _FileOfUrl(path) if self._has_file(path) else _MISSING
        for dropped in range(len(names)):  # `docs/a.xml` is tried first, then `a.xml`
            path = os.path.join(self.top, *names[dropped:])
            if not self._has_file(path):
                continue
            # The index `sitemap.xml` may name /docs/sitemap.xml, which is missing here. Without
            # `docs`, the path would be that of the index itself, which has another URL.
            if dropped > 0 and os.path.samefile(path, named_by):
                continue
            self._dropped_folders = dropped
            return _FileOfUrl(path)
        return _MISSING

    def _has_file(self, path: str) -> bool:
        """Says whether a path is that of a file inside this folder.

        A symbolic link counts only if the file to which it leads is inside, too.
        """
        return os.path.isfile(path) and os.path.realpath(path).startswith(self._real_top)


def _folders_and_file(url: str) -> list[str] | None:
    """Splits the path of a URL into names: https://example.com/docs/a.xml → "docs" and "a.xml".

    None if they cannot be those of a file below a folder: the URL is invalid or too long, has a
    query, or leads out of the folder by "..".
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


def _read_root(path: str) -> str:
    """Reads the name of the root element of a sitemap: `urlset` or `sitemapindex`.

    "" for any other file, for one that cannot be read, and if no root is in the first mebibyte.
    """
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
    except (FileError, OSError):  # found again, and reported, if the file is checked
        pass
    return ""


@contextmanager
def open_blocks(name: str) -> Iterator[Iterator[bytes]]:
    """Opens a file, or stdin for "-", and gives its uncompressed bytes in blocks.

    Raises SitemapperError if it is no regular file. For a URL, the message has the command that
    downloads and checks it.
    """
    if name == STDIN:
        if sys.stdin is None:
            raise SitemapperError(
                "cannot read from -: stdin is closed", "pass a sitemap or a folder instead"
            )
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
    """A file to check."""

    name: str  # as in findings, or "-" for stdin
    folder: _Folder  # in which the sitemaps that it names are searched
    context: Context


def _find_sources(path: str, now: int, *, reads_robots: bool) -> list[_Source]:
    """Lists the files to check for a path that a person typed: the file, or a folder's sitemaps.

    With `reads_robots`, the rules of the folder's robots.txt count. Raises SitemapperError for a
    folder without sitemaps.
    """
    if path == STDIN:
        # A sitemap from stdin is in no folder with a robots.txt. `_check_sitemap` does not search
        # for the sitemaps that it names, so any folder will do.
        return [_Source(path, _Folder(""), Context(now))]
    is_folder = os.path.isdir(path)
    # In this folder, the sitemaps are searched that an index or a robots.txt names.
    folder = _Folder(path if is_folder else os.path.dirname(path))
    names = list(folder.sitemaps()) if is_folder else [path]
    if is_folder:
        _check_has_sitemap(path, names)
    context = Context(now, crawling=folder.crawling() if reads_robots else None)
    return [_Source(name, folder, context) for name in names]


def _check_has_sitemap(folder: str, names: Sequence[str]) -> None:
    """Raises SitemapperError unless one of the files is a sitemap, or a robots.txt that names one.

    Otherwise, `validate` would pass for a wrong folder.
    """
    for name in names:
        is_sitemap = not _is_robots(name)
        if is_sitemap or robots.sitemap_lines(regular(name, robots.SIZE_LIMIT) or b""):
            return
    what = f"{folder}: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt)"
    more = ", and its robots.txt lists none" if names else " and no robots.txt"
    raise SitemapperError(what + more, "pass the sitemap's folder")


def _is_robots(name: str) -> bool:
    return os.path.basename(name).lower() == ROBOTS


def _merge_contexts(first: Context, second: Context) -> Context:
    """Merges what two files say of the sitemap that both name, such as an index and a robots.txt.

    The URL of a sitemap is that in the first index that names it.
    """
    context_of_index = first if first.url else second  # a robots.txt gives no URL
    return context_of_index._replace(in_robots=first.in_robots or second.in_robots)


class _Files:
    """Checks files in the right order: each index and robots.txt before the sitemaps they name.

    A sitemap is checked by its URL in the index, and by whether robots.txt names it, so these must
    be known before.
    """

    def __init__(self, on_file: OnFile, on_named: OnNamed) -> None:
        """Begins without files to check. The functions are called while files are checked."""
        self._on_file = on_file  # with the name of a checked file, and the number of its entries
        self._on_named = on_named  # with an index or a robots.txt, and a sitemap that it names
        # The files that are still to be checked. The sitemaps are kept by their real paths.
        self._indexes_and_robots: deque[_Source] = deque()
        self._sitemaps: dict[str, _Source] = {}

    def add(self, source: _Source) -> None:
        """Adds an index, a robots.txt or a sitemap to the files that are still to be checked."""
        name = source.name
        if name != STDIN and (_is_robots(name) or source.folder.read_root(name) == SITEMAPINDEX):
            self._indexes_and_robots.append(source)
            return
        # A robots.txt and an index may both name a sitemap. It is checked once, as named by both.
        real_path = os.path.realpath(name)
        if real_path in self._sitemaps:
            earlier_context = self._sitemaps[real_path].context
            source = source._replace(context=_merge_contexts(earlier_context, source.context))
        self._sitemaps[real_path] = source

    def findings(self) -> Iterator[Finding]:
        """Checks each file once, and yields the findings.

        Files that an index or a robots.txt names are added on the way.
        """
        checked_paths: set[str] = set()
        while self._indexes_and_robots or self._sitemaps:
            # Each index and robots.txt first, in the order in which they were added.
            if self._indexes_and_robots:
                source = self._indexes_and_robots.popleft()
            else:
                source = self._sitemaps.pop(next(iter(self._sitemaps)))
            real_path = os.path.realpath(source.name)
            if real_path in checked_paths:
                continue
            checked_paths.add(real_path)
            if _is_robots(source.name):
                yield from self._check_robots(source)
            else:
                yield from self._check_sitemap(source)

    def _check_robots(self, source: _Source) -> Iterator[Finding]:
        """Checks the `Sitemap:` lines of a robots.txt, and adds the sitemaps that they name.

        A line whose sitemap is missing yields a finding. Raises SitemapperError if there is no such
        robots.txt.
        """
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

    def _check_sitemap(self, source: _Source) -> Iterator[Finding]:
        """Checks a sitemap or an index, and yields its findings.

        The sitemaps that an index names are added to the files that are checked later.
        """
        name = source.name
        document = Document(source.context)
        with open_blocks(name) as blocks:
            for found in check_sitemap(name, blocks, document):  # findings, or entries
                if isinstance(found, Finding):
                    yield found
                    continue
                # An index from stdin has no folder with the sitemaps that it names.
                if document.root == SITEMAPINDEX and found.loc and name != STDIN:
                    yield from self._follow_entry(found, source)
        self._on_file(name, document.entries)

    def _follow_entry(self, entry: LintedEntry, index: _Source) -> Iterator[Finding]:
        """Finds the sitemap that an entry of an index names, and adds it to the files to check.

        Yields a finding instead if its file is missing, or is an index itself. Does nothing for an
        entry with another host than the first one in the index, which another rule reports.
        """
        # The folder has the files of one host. Both are "" if all URLs so far are relative.
        is_on_another_host = web_origin(entry.loc) != entry.first_origin
        if is_on_another_host:
            return
        file = index.folder.find(entry.loc, index.name)  # its path is "" if no file is found
        is_index = file.path != "" and index.folder.read_root(file.path) == SITEMAPINDEX
        faults = documents.check_child(entry, is_missing=file.is_missing, is_index=is_index)
        yield from findings_at(index.name, faults)
        if file.path and not is_index:
            self._add_named_sitemap(file.path, entry, index)

    def _add_named_sitemap(self, file: str, entry: LintedEntry, index: _Source) -> None:
        """Adds the sitemap that an entry of an index names to the files to check.

        `sitemap.xml` has the entry https://a.example/blog/a.xml. Its `file`, `blog/a.xml`, is then
        checked with the URL of the entry.
        """
        self._on_named(index.name, file)  # the caller of `validate` is told
        # By its URL, the sitemap may list only pages below https://a.example/blog/. Without a host,
        # as in `/blog/a.xml`, the URL is not known, and no page is compared with it.
        has_host = web_origin(entry.loc) != ""
        url = entry.loc if has_host else ""
        context = index.context._replace(url=url)
        self.add(_Source(file, index.folder, context))
