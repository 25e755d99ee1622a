"""Finds the sitemaps to check, in a folder or on a live host, and checks each once."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote

from ..files import contents, files_below, is_inside, read_regular
from ..messages import SitemapperError
from ..protocol import MAX_BYTES
from ..read.sitemap import SitemapEntry, SitemapFault, read_sitemap
from ..syntax.robots import Crawling, sitemap_lines
from ..syntax.urls import is_placeholder, is_preview, resolve
from .checks import Checked, Fault, check_sitemap, web_origin
from .rules import Finding

STDIN = "-"
ROBOTS = "robots.txt"
_HELP = "pass a sitemap, a folder, a URL or -"

Fetch = Callable[[str], bytes | None]


class Linted(NamedTuple):
    """The findings, and which files were checked."""

    findings: list[Finding]
    files: list[tuple[str, int]]  # with their numbers of entries


class _Folder:
    """A folder with sitemaps, of which only files inside it are read.

    It may be the output of a pull request, so a stranger may have put a symbolic link into it that
    leads to a secret file.
    """

    def __init__(self, top: str) -> None:
        """`top` is the path of the folder, "" for the working directory."""
        self._top = top
        self._real_top = os.path.realpath(top or os.curdir)
        self.robots = contents(self._real_top, ROBOTS)
        # How many folders of a URL's path this folder stands for: 1 if the file of
        # https://a.example/docs/a.xml is `a.xml` here. The first URL whose file is found decides
        # for all; None until then.
        self._depth: int | None = None

    def sitemaps(self) -> list[str]:
        """Lists the folder's robots.txt, then all sitemaps in it and below it, sorted by name.

        A sitemap is a file with `sitemap` in its name, or an XML file with the right root. Raises
        SitemapperError for a folder without sitemaps: it may be the wrong one.
        """
        found = sorted(filter(self._is_sitemap, files_below(self._top)))
        if not found and not sitemap_lines(self.robots):
            what = f"{self._top}: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt)"
            what += ", and no robots.txt that lists one"
            raise SitemapperError(what, "pass the sitemap's folder")
        robots = os.path.join(self._top, ROBOTS)
        return [robots, *found] if self._has_file(robots) else found

    def _is_sitemap(self, path: str) -> bool:
        """Whether a file is a sitemap by its name, or by what an XML or text file contains."""
        name = os.path.basename(path).lower().removesuffix(".gz")
        if not name.endswith((".xml", ".txt")) or not self._has_file(path):
            return False
        if re.fullmatch(r"sitemap.*\.txt|.*sitemap.*\.xml", name):
            return True
        data = self.read(path) or b""
        return data != b"" and _first_entry(data) is not None

    def read(self, path: str) -> bytes | None:
        """Reads a file, None if it does not exist. Raises SitemapperError if it cannot be read."""
        try:
            return read_regular(path, MAX_BYTES + 1)
        except OSError as error:
            raise SitemapperError(f"{path}: {error.strerror}", _HELP) from None

    def find(self, url: str, named_by: str) -> str | None:
        """The file for the URL of a sitemap, None if it is missing.

        https://a.example/docs/a.xml may be `docs/a.xml`, or `a.xml` if the folder has only what is
        below /docs/. `named_by` is the path of the robots.txt or the index that has the URL.
        """
        names = [name for name in unquote(url).split("/")[3:] if name]
        depths = range(len(names)) if self._depth is None else [self._depth]
        for depth in depths:
            file = os.path.join(self._top, *names[depth:])
            if not self._has_file(file):
                continue
            # If the index `sitemap.xml` names /docs/sitemap.xml, and that is missing here, then the
            # path without `docs` is that of the index itself, which has another URL.
            if depth > 0 and os.path.samefile(file, named_by):
                continue
            self._depth = depth
            return file
        return None

    def _has_file(self, path: str) -> bool:
        """Whether a file is there and, if it is a link, leads to a file inside the folder."""
        return os.path.isfile(path) and is_inside(os.path.realpath(path), self._real_top)


class _Host:
    """The host of a live sitemap; or stdin, which has nothing but one sitemap."""

    def __init__(self, url: str, fetch: Fetch) -> None:
        """`url` is that of the sitemap, or `-` for stdin. `fetch` gets the bytes at a URL."""
        self._origin = web_origin(url)  # "" for stdin
        # Downloads a file once, although it is asked for several times; None if there is none.
        self.read: Fetch = cache(fetch)
        self.robots = self.read(f"{self._origin}/{ROBOTS}") or b""

    def find(self, url: str, _named_by: str) -> str | None:
        """The URL itself, None if the host does not have it, "" if it is on another host."""
        if not self._origin or web_origin(url) != self._origin:
            return ""
        return None if self.read(url) is None else url


class _Source(NamedTuple):
    """A file to check, and what is known about it before it is read."""

    name: str  # a path, a URL, or "-" for stdin
    container: _Folder | _Host  # where it is, and what it names is looked for
    robots: Crawling | None  # the rules that its URLs must obey, None for no rules
    # The URL below which its pages must be: "" for any page, None if it is not known.
    scope: str | None = None

    @property
    def is_robots(self) -> bool:
        """Whether the file is a robots.txt, by its name."""
        return os.path.basename(self.name).lower() == ROBOTS

    @property
    def is_index(self) -> bool:
        """Whether the file lists sitemaps, by its first entry."""
        first = _first_entry(self.container.read(self.name) or b"")
        return first is not None and first.is_sitemap


def lint(
    paths: Sequence[str],
    *,
    now: int,
    obeys_robots: bool = True,
    stdin: bytes = b"",
    fetch: Fetch = lambda url: None,
) -> Linted:
    """Checks sitemaps, and the sitemaps that an index or a robots.txt names, each once.

    `paths` are files, folders, URLs, or "-" for stdin. If it `obeys_robots`, robots.txt must allow
    each listed URL. `fetch` downloads a URL, and returns None if the host does not have it. `now`
    is in seconds. Raises SitemapperError for what cannot be read, and for a folder without
    sitemaps.
    """
    # First each robots.txt, then the indexes, then the other sitemaps: a file names only files of a
    # later group.
    groups: tuple[dict[str, _Source], ...] = ({}, {}, {})
    for path in paths:
        container: _Folder | _Host
        names = [path]
        scope = None
        if path == STDIN:
            container = _Host(path, {STDIN: stdin}.get)
        elif web_origin(path):
            container = _Host(path, fetch)
            # A sitemap may list only what is below its folder, or any page if robots.txt names it.
            scope = "" if path in sitemap_lines(container.robots) else resolve(".", path)
        elif os.path.isdir(path):
            container = _Folder(path)
            names = container.sitemaps()
        else:
            container = _Folder(os.path.dirname(path))
        robots = Crawling(container.robots) if obeys_robots else None
        for name in names:
            _add_to_group(groups, _Source(name, container, robots, scope))

    findings: list[Finding] = []
    files: list[tuple[str, int]] = []
    for group in groups:
        for source in list(group.values()):  # what it names goes into later groups only
            faults, entries, named = _check_source(source, now)
            files.append((source.name, entries))
            findings += [Finding(source.name, line, code, text) for code, line, text in faults]
            for sitemap in named:
                _add_to_group(groups, sitemap)
    return Linted(findings, files)


def validate(paths: Sequence[str], *, now: int) -> Iterator[Finding]:
    """Yields what is wrong with sitemaps: files, or folders with them. `now` is in seconds."""
    return iter(lint(paths, now=now).findings)


def _add_to_group(groups: Sequence[dict[str, _Source]], source: _Source) -> None:
    """Adds a file to the group of its kind: each robots.txt, the indexes, or the other sitemaps.

    `groups` has a table for each kind, which this function changes. Two files may name the same
    sitemap. It is not checked twice, but its scope (the URL below which its pages must be) is taken
    from the new `source` if that of the first one is None, for not known.
    """
    # Choose the group by the kind of the file.
    robots_files, indexes, sitemaps = groups
    group = sitemaps
    if source.is_robots:
        group = robots_files
    elif source.is_index:
        group = indexes

    # Without symbolic links, one file has one key, however it is named.
    key = os.path.realpath(source.name)
    known = group.setdefault(key, source)
    if known.scope is None and source.scope is not None:
        group[key] = source


def _check_source(source: _Source, now: int) -> tuple[list[Fault], int, list[_Source]]:
    """Checks a file, and looks for the sitemaps that it names.

    Returns its faults, the number of its entries, and the sitemaps that are to be checked, too.
    Raises SitemapperError if the file does not exist.
    """
    data = source.container.read(source.name)
    if data is None:
        raise SitemapperError(f"{source.name}: no such file", _HELP)
    if source.is_robots:
        faults, entries, children = _check_robots(data)
    else:
        faults, entries, children = check_sitemap(
            source.name, data, now, source.scope, source.robots
        )

    named: list[_Source] = []
    for child in children:
        line, url = child.line, child.loc
        file = source.container.find(url, source.name)
        if file is None:
            faults.append(("SM401", line, f"{url}: no such file"))
            continue
        if not file:  # on another host, so it cannot be checked
            continue
        # robots.txt may name a sitemap with any pages, an index only one with those below it.
        scope = "" if source.is_robots else resolve(".", url)
        sitemap = source._replace(name=file, scope=scope)
        if sitemap.is_index and not source.is_robots:
            faults.append(("SM402", line, f"{url} is itself an index"))
        else:
            named.append(sitemap)
    return faults, entries, named


def _check_robots(text: bytes) -> Checked:
    """Checks the `Sitemap:` lines of a robots.txt, and lists the sitemaps that they name.

    A line is wrong without an absolute URL, or if that is at a preview or a placeholder.
    """
    faults: list[Fault] = []
    children: list[SitemapEntry] = []
    for number, line in enumerate(text.splitlines(), 1):
        for url in sitemap_lines(line):
            if not web_origin(url):
                faults.append(("SM404", number, f"Sitemap: {url!r} is not an absolute URL"))
            elif is_placeholder(url) or is_preview(url):
                what = f"Sitemap: {url} is not at the site's own address"
                faults.append(("SM407", number, what))
            else:
                children.append(SitemapEntry(url, line=number))
    return Checked(faults, 0, children)


def _first_entry(data: bytes) -> SitemapEntry | None:
    """The first entry of a sitemap; None for a file that is no sitemap.

    A sitemap that lists nothing has an empty entry, so that the two can be told apart.
    """
    try:
        return next(read_sitemap(data), SitemapEntry())
    except SitemapFault:
        return None
