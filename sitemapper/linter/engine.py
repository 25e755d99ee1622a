"""Finds the sitemaps to check, in a folder or on a live host, and checks each once."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..errors import SitemapperError
from ..files import contents, is_inside, read_regular
from ..protocol import MAX_BYTES
from ..read.sitemap import root_of
from ..syntax.robots import Crawling, sitemap_lines
from ..syntax.urls import is_placeholder, is_preview
from .checks import Context, Fault, check_sitemap, origin_of
from .rules import Finding

STDIN = "-"
ROBOTS = "robots.txt"
_HELP = "pass a sitemap, a folder, a URL or -"
_START = 1 << 16  # bytes of a file that show its root

Fetch = Callable[[str], bytes | None]


class Linted(NamedTuple):
    """The findings, and which files were checked."""

    findings: list[Finding]
    files: list[tuple[str, int]]  # with their numbers of entries
    named: Mapping[str, list[str]]  # the files that a robots.txt or an index names


class _Folder:
    """A folder with sitemaps, of which only files inside it are read.

    It may be the output of a pull request, so a stranger may have put a symbolic link into it that
    leads to a secret file.
    """

    def __init__(self, top: str) -> None:
        self._top = top
        self._real_top = os.path.realpath(top or os.curdir)
        self.robots = contents(self._real_top, ROBOTS)
        # Folders of a URL that are not in this folder: 1 if https://a.example/docs/a.xml is `a.xml`
        # here. The first URL whose file is found decides for all.
        self._dropped: int | None = None

    def sitemaps(self) -> list[str]:
        """Lists the folder's robots.txt, then all sitemaps in it and below it, sorted by name.

        A sitemap is a file with `sitemap` in its name, or an XML file with the right root. Raises
        SitemapperError for a folder without sitemaps: it may be the wrong one.
        """
        robots = os.path.join(self._top, ROBOTS)
        found = [robots] if self._has_file(robots) else []
        for folder, folders, names in os.walk(self._top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = os.path.join(folder, name)
                is_named = re.fullmatch(r"sitemap.*\.txt|.*sitemap.*\.xml", _plain(name))
                is_xml = _plain(name).endswith(".xml")
                if self._has_file(path) and (is_named or (is_xml and self.root(path))):
                    found.append(path)
        if not found or (found == [robots] and not sitemap_lines(self.robots)):
            what = f"{self._top}: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt)"
            more = ", and its robots.txt lists none" if found else " and no robots.txt"
            raise SitemapperError(what + more, "pass the sitemap's folder")
        return found

    def read(self, path: str) -> bytes | None:
        """Reads a file, None if it does not exist. Raises SitemapperError if it cannot be read."""
        try:
            return read_regular(path, MAX_BYTES + 1)
        except OSError as error:
            raise SitemapperError(f"{path}: {error.strerror}", _HELP) from None

    def root(self, path: str) -> str:
        """The root of a sitemap, "" for other files and for those that cannot be read."""
        try:
            return root_of(read_regular(path, _START) or b"")
        except OSError:
            return ""

    def find(self, url: str, named_by: str) -> str | None:
        """The file for the URL of a sitemap, None if it is missing, "" if the URL may be elsewhere.

        https://a.example/docs/a.xml may be `docs/a.xml`, or `a.xml` if the folder has only what is
        below /docs/. `named_by` is the path of the robots.txt or the index that has the URL.
        """
        parts = urlsplit(url)
        names = [name for name in unquote(parts.path).split("/") if name]
        # Windows takes colons and backslashes for separators.
        if parts.query or any(name in (".", "..") or re.search(r"[\\:]", name) for name in names):
            return ""
        dropped = range(len(names)) if self._dropped is None else [self._dropped]
        for number in dropped:
            file = os.path.join(self._top, *names[number:])
            # The index `sitemap.xml` may name /docs/sitemap.xml, which is missing here. Without
            # `docs`, the path would be that of the index itself, which has another URL.
            if self._has_file(file) and not (number and os.path.samefile(file, named_by)):
                self._dropped = number
                return file
        return None

    def _has_file(self, path: str) -> bool:
        return os.path.isfile(path) and is_inside(os.path.realpath(path), self._real_top)


class _Host:
    """The host of a live sitemap; or stdin, which has nothing but one sitemap."""

    def __init__(self, url: str, fetch: Fetch) -> None:
        self._origin = origin_of(url)
        self._fetch = fetch
        self._fetched: dict[str, bytes | None] = {}
        self.robots = self.read(f"{self._origin}/{ROBOTS}") or b""

    def read(self, url: str) -> bytes | None:
        """Downloads a file once, None if the host does not have it."""
        if url not in self._fetched:
            self._fetched[url] = self._fetch(url)
        return self._fetched[url]

    def root(self, url: str) -> str:
        """The root of a sitemap, "" for other files."""
        return root_of(self.read(url) or b"")

    def find(self, url: str, _named_by: str) -> str | None:
        """The URL itself, None if the host does not have it, "" if it is on another host."""
        if not self._origin or origin_of(url) != self._origin:
            return ""
        return None if self.read(url) is None else url


class _Source(NamedTuple):
    """A file to check, and where the files are that it names."""

    name: str  # a path, a URL, or "-" for stdin
    place: _Folder | _Host
    context: Context


def lint(
    paths: Sequence[str],
    *,
    now: int,
    codes: frozenset[str] | None = None,
    obeys_robots: bool = True,
    stdin: bytes = b"",
    fetch: Fetch = lambda url: None,
) -> Linted:
    """Checks sitemaps, and the sitemaps that an index or a robots.txt names below its folder.

    `paths` are files, folders, URLs, or "-" for stdin. `codes` are the rules to check, None for
    all. If it `obeys_robots`, robots.txt must allow each listed URL. `fetch` downloads a URL, and
    returns None if the host does not have it. `now` is in seconds.

    Raises SitemapperError for what cannot be read, and for a folder without sitemaps.
    """
    # Each robots.txt is checked before the indexes, and these before the sitemaps that they name.
    stages: tuple[dict[str, _Source], ...] = ({}, {}, {})
    for path in paths:
        place: _Folder | _Host
        names, url = [path], ""
        if path == STDIN:
            place = _Host(path, {STDIN: stdin}.get)
        elif origin_of(path):
            place, url = _Host(path, fetch), path
        elif os.path.isdir(path):
            place = _Folder(path)
            names = place.sitemaps()
        else:
            place = _Folder(os.path.dirname(path))
        crawling = Crawling(place.robots) if obeys_robots else None
        context = Context(now, url, url in sitemap_lines(place.robots), crawling)
        for name in names:
            _add(stages, _Source(name, place, context))
    findings: list[Finding] = []
    files: list[tuple[str, int]] = []
    named: dict[str, list[str]] = {}
    for stage in stages:
        for source in list(stage.values()):
            faults, entries, others = _check(source)
            files.append((source.name, entries))
            for code, line, message in faults:
                if codes is None or code in codes:
                    findings.append(Finding(source.name, line, code, message))
            for other in others:
                named.setdefault(source.name, []).append(other.name)
                _add(stages, other)
    return Linted(findings, files, named)


def validate(paths: Sequence[str], *, now: int) -> Iterator[Finding]:
    """Yields what is wrong with sitemaps: files, or folders with them. `now` is in seconds."""
    return iter(lint(paths, now=now).findings)


def _add(stages: Sequence[dict[str, _Source]], source: _Source) -> None:
    """Adds a file to those of its kind. If several files name it, all that they say counts."""
    name, place, context = source
    stage = stages[2]
    if is_robots(name):
        stage = stages[0]
    elif place.root(name) == "sitemapindex":
        stage = stages[1]
    key = name if "://" in name else os.path.realpath(name)
    first = stage.get(key, source)
    url = first.context.url or context.url
    in_robots = first.context.in_robots or context.in_robots
    stage[key] = first._replace(context=context._replace(url=url, in_robots=in_robots))


def _check(source: _Source) -> tuple[list[Fault], int, list[_Source]]:
    """Checks a file: what is wrong with it, the number of its entries, and the files it names."""
    name, place, context = source
    data = place.read(name)
    if data is None:
        raise SitemapperError(f"{name}: no such file", _HELP)
    if is_robots(name):
        faults, links = _check_robots(data)
        entries = 0
    else:
        faults, entries, children = check_sitemap(name, data, context)
        # Sitemaps on another host than the first are for another rule.
        first_origin = next(filter(None, (origin_of(child.loc) for child in children)), "none")
        links = [
            (child.loc_line, child.loc)
            for child in children
            if origin_of(child.loc) == first_origin
        ]
    named: list[_Source] = []
    for line, url in links:
        file = place.find(url, name)
        if file == "":
            continue
        if file is None:
            faults.append(("SM401", line, f"{url}: no such file"))
        elif is_robots(name):
            named.append(_Source(file, place, context._replace(in_robots=True)))
        elif place.root(file) == "sitemapindex":
            faults.append(("SM402", line, f"{url} is itself an index"))
        else:
            named.append(_Source(file, place, context._replace(url=url, in_robots=False)))
    return faults, entries, named


def _check_robots(text: bytes) -> tuple[list[Fault], list[tuple[int, str]]]:
    """Checks the `Sitemap:` lines of a robots.txt: what is wrong, and the URLs with their lines."""
    faults: list[Fault] = []
    links: list[tuple[int, str]] = []
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", text), 1):
        for url in sitemap_lines(line):
            if not origin_of(url):
                faults.append(("SM404", number, f"Sitemap: {url!r} is not an absolute URL"))
            elif is_placeholder(url) or is_preview(url):
                what = f"Sitemap: {url} is not at the site's own address"
                faults.append(("SM407", number, what))
            else:
                links.append((number, url))
    return faults, links


def is_robots(name: str) -> bool:
    """Whether a path or a URL is that of a robots.txt."""
    return re.split(r"[\\/]", name)[-1].lower() == ROBOTS


def _plain(name: str) -> str:
    return name.lower().removesuffix(".gz")
