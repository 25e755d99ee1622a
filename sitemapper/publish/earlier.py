"""Reads the earlier sitemap that `previous` names: itself and, if it is an index, its parts."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from typing import IO, NamedTuple
from urllib.parse import unquote, urlsplit

from ..errors import NetworkError, PreviousError
from ..fs import open_file_inside
from ..messages import Kind, Message
from ..protocol import MAX_BYTES, MAX_URLS, SITEMAPINDEX, URLSET
from ..read import sitemap
from ..read.sitemap import Entry, is_html
from ..read.sitemap_xml import FileError
from ..site import Run, Site
from ..syntax.urls import resolve, web_origin, without_scheme, without_www
from . import formats

_MEMORY_OF_ROWS = 1 << 20  # bytes, before they are written to a temporary file
_MAX_SEEN = 200_000  # URLs among which a repeated one is found, in some 13 MiB
_SKIP_ONCE = "skip the comparison once (--previous none)"
_ADVICE = f"compare with a copy (--previous FILE), or {_SKIP_ONCE}"
_MAX_SECONDS_PER_SITEMAP = 60.0  # redirects included
_MAX_SECONDS_FOR_ALL = 900.0
_MAX_BYTES_FOR_ALL = 2_000_000_000
_HTML_START_BYTES = 1 << 10  # that show whether a file is an HTML page
_STATUSES_OF_MISSING = (404, 410)


class UnreadableSitemap(Exception):
    """A sitemap that cannot be read: its `name` in messages, and the `problem` with it."""

    def __init__(self, name: str, problem: str) -> None:
        self.name = name
        self.problem = problem


class MissingSitemap(Exception):
    """There is no sitemap on the host yet."""


# Opens the main sitemap, or the part with a URL, and gives its name in messages.
OpenFile = Callable[[str], AbstractContextManager[tuple[str, IO[bytes]]]]
# Reads a sitemap with a name, and returns the URLs of its parts if it is an index.
ReadFile = Callable[[str, IO[bytes]], Sequence[str]]


def read_with_parts(main: str, open_file: OpenFile, read: ReadFile) -> None:
    """Opens and reads a sitemap and, if it is an index, each sitemap that it names, once.

    `read` does something with each sitemap, and returns the URLs of the sitemaps that an index
    names, its parts. Raises UnreadableSitemap if a sitemap cannot be read, if a part is itself an
    index, or if there are too many parts. Raises MissingSitemap if there is no sitemap.
    """
    with open_file(main) as (name, file):
        parts = list(dict.fromkeys(read(name, file)))
    if len(parts) > MAX_URLS:
        problem = f"lists {len(parts):,} sitemaps, more than {MAX_URLS:,}"
        raise UnreadableSitemap(name, problem)
    for part in parts:
        with open_file(part) as (name, file):
            if read(name, file):
                problem = "is itself an index, and an index may not list another"
                raise UnreadableSitemap(name, problem)


def open_beside(main: str, run: Run) -> OpenFile:
    """Makes a function that opens the sitemap in the file `main`, or a sitemap that it names.

    If `main` is the copy of an index, the copies of its sitemaps are in the same folder. So with
    the index `old/sitemap.xml`, `https://a.example/b/sitemap-1.xml` opens `old/sitemap-1.xml`.
    """
    folder = os.path.dirname(main)

    @contextmanager
    def open_file(main_or_url: str) -> Iterator[tuple[str, IO[bytes]]]:
        """Opens the main sitemap by its path, or a sitemap that it names by its URL.

        `old/sitemap.xml`                   → this file, if it is the path `main`
        `https://a.example/b/part%201.xml`  → `old/part 1.xml`, in the folder of `main`

        Yields what messages call the file, and the open file. Raises UnreadableSitemap if it cannot
        be read, or if a link leads out of the folder.
        """
        path = main
        if main_or_url != main:
            file_name = unquote(main_or_url).rpartition("/")[2]
            path = os.path.join(folder, file_name)
        name = run.display(path)
        try:
            with open_file_inside(folder, path) as file:
                yield name, file
        except OSError as error:
            problem = f"cannot be read: {error.strerror or error}"
            raise UnreadableSitemap(name, problem) from None

    return open_file


class EarlierSitemap(NamedTuple):
    """An earlier sitemap: its `name` in messages, and notes on it.

    `rows` is a file with its URLs as rows of our format, None if the host has no sitemap yet.
    """

    name: str
    rows: IO[bytes] | None
    notes: tuple[Message, ...]


@contextmanager
def open_earlier(place: str, site: Site, run: Run) -> Iterator[EarlierSitemap]:
    """Reads an earlier sitemap from a file or a URL, `place`, and yields it for the `with` block.

    Its rows, such as `<url><loc>https://a.example/b</loc></url>`, are copied to a temporary file.
    So all later comparisons read the same rows, and the host is asked only once. If the host has no
    sitemap yet, there are no rows, and a note says so.

    Raises PreviousError or NetworkError if the sitemap cannot be read, and PreviousError if it
    lists only URLs of other sites.
    """
    is_url = "://" in place
    name = place if is_url else run.display(place)
    open_file = LiveSitemap(place, run).open if is_url else open_beside(place, run)
    with tempfile.SpooledTemporaryFile(_MEMORY_OF_ROWS) as rows:
        writer = _RowWriter(rows, site.base_url)
        try:
            read_with_parts(place, open_file, writer.read)
            writer.check(name)
            earlier = EarlierSitemap(name, rows, tuple(writer.notes(name)))
        except MissingSitemap:  # the live site has none yet
            notes = (Message(Kind.PREVIOUS_MISSING, (name,)),)
            earlier = EarlierSitemap(name, rows=None, notes=notes)
        except UnreadableSitemap as error:
            raise PreviousError(f"{error.name}: {error.problem}", _ADVICE) from None
        yield earlier


class LiveSitemap:
    """Downloads a sitemap from a host, and its parts. Requests go to this host only, within limits.

    `url` is that of the main sitemap.
    """

    def __init__(self, url: str, run: Run) -> None:
        """Makes the client for the host of `url`, which is the main sitemap. Requests nothing yet.

        From now on, 15 minutes and 2 GB are left for all sitemaps together.
        """
        # Imported here: most runs send no requests.
        from ..net.client import Client, is_private_name

        # A host with a public name must not lead to an address in the local network.
        public_only = not is_private_name(urlsplit(url).hostname or "")
        self._url = url
        self._client = Client(
            run.proxies, deadline=_MAX_SECONDS_PER_SITEMAP, public_only=public_only
        )
        # Limits for all sitemaps together.
        self._end = time.monotonic() + _MAX_SECONDS_FOR_ALL
        self._bytes_left = _MAX_BYTES_FOR_ALL

    @contextmanager
    def open(self, url: str) -> Iterator[tuple[str, IO[bytes]]]:
        """Downloads the sitemap at a URL, the main one or a part, to a temporary file.

        Yields the URL and the file, which is deleted at the end of the block.

        Raises MissingSitemap if the host has no main sitemap yet: it answers 404 or 410, or the
        name of the host does not exist. Raises UnreadableSitemap for all other errors. If the main
        sitemap is an HTML page, that is an error, too: it may be the login before the sitemap.
        """
        is_main = url == self._url
        place = url if is_main else self._place_of_part(url)
        with tempfile.TemporaryFile() as file:
            status = self._download(place, file)
            if is_main and status in _STATUSES_OF_MISSING:
                raise MissingSitemap
            if status != 200:
                raise UnreadableSitemap(url, f"answers {status}")
            if is_main and is_html(file.read(_HTML_START_BYTES)):
                raise UnreadableSitemap(url, "is an HTML page, not a sitemap")
            file.seek(0)
            yield url, file

    def _place_of_part(self, url: str) -> str:
        """Finds the URL to request for a sitemap that the index names, always on the index's host.

        The index at https://a.example/ may name `http://www.a.example/b.xml`, if the site had
        another scheme or `www.` before. Then `https://a.example/b.xml` is requested, because only
        the host of the index is known to answer. Raises UnreadableSitemap for a URL on another
        host.
        """
        origin = web_origin(self._url)
        if without_www(web_origin(url)) != without_www(origin):
            raise UnreadableSitemap(self._url, f"lists {url}, which is on another host")
        _, _, path = without_scheme(url).partition("/")
        return f"{origin}/{path}"

    def _download(self, place: str, into: IO[bytes]) -> int:
        """Downloads the URL `place` into a file, and returns the status of the answer, such as 200.

        The file is then at its beginning, ready to be read. Raises MissingSitemap if the URL is
        that of the main sitemap, and the name of the host does not exist. Raises UnreadableSitemap
        if there is no answer, or if the limits for all sitemaps together are exceeded.
        """
        # Imported here: most runs send no requests.
        from ..net.client import is_unknown_host

        if time.monotonic() > self._end or self._bytes_left <= 0:
            problem = "has too many parts to be read in 15 minutes"
            raise UnreadableSitemap(self._url, problem)
        try:
            status = self._client.download(place, into, MAX_BYTES)
        except NetworkError as error:
            is_main = place == self._url
            if is_main and is_unknown_host(urlsplit(place).hostname or "", error):
                raise MissingSitemap from None
            problem = f"cannot be read: {str(error).removeprefix(f'{place}: ')}"
            raise UnreadableSitemap(place, problem) from None
        self._bytes_left -= into.tell()
        into.seek(0)
        return status


class _RowWriter:
    """Writes the URLs of an earlier sitemap to a file, as rows of our format.

    They get the scheme and the host of this site: with the base `https://a.example/`, the row of
    `http://www.a.example/b` is `<url><loc>https://a.example/b</loc></url>`. URLs that are not below
    the base get no row. They are counted, because a sitemap with only such URLs is that of another
    site.
    """

    def __init__(self, file: IO[bytes], base_url: str) -> None:
        """Makes a writer to `file`, for a site at `base_url`. `read` writes the rows."""
        self._file = file
        self._base = base_url
        self._base_host_and_path = without_www(base_url)  # `a.example/`
        # How a row begins that sitemapper has written for this base.
        self._start_of_own_row = f"<url><loc>{formats.escape(base_url)}".encode()
        # What `read` has found so far. Of URLs, only the hashes are stored, to save memory.
        self._seen: set[int] = set()
        self._count_below_base = 0
        self._count_outside = 0
        self._first_outside = ""
        self._first_invalid: str | None = None  # the first text that is no URL, None if all are

    def read(self, name: str, file: IO[bytes]) -> Sequence[str]:
        """Reads a sitemap: adds a row for each of its URLs that is below the base URL.

        If the file is an index, adds nothing, and returns the URLs of its sitemaps, which the
        caller reads next. Otherwise, the result is empty. `name` is what messages call the file.
        Raises UnreadableSitemap if the file is no sitemap, such as an HTML page, or if its end
        is missing.
        """
        parts: list[str] = []
        try:
            blocks = sitemap.uncompressed(file)
            start = next(blocks, b"")
            if not start.strip():
                raise UnreadableSitemap(name, "is empty")
            # `only_ours`: our index may also name sitemaps of other tools. Their URLs do not count,
            # because the new sitemap does not list them either.
            for entry in sitemap.entries(chain([start], blocks), only_ours=True):
                # Any file that is no XML would pass for a text sitemap, so its lines must be URLs.
                if entry.root != URLSET and not web_origin(entry.loc):
                    problem = "names no URL, so this is no sitemap"
                    raise UnreadableSitemap(f"{name}:{entry.line}", problem)
                if entry.root == SITEMAPINDEX:
                    parts.append(entry.loc)
                else:
                    self._add(entry)
        except FileError as error:
            raise UnreadableSitemap(f"{name}:{error.line}", error.text) from None
        return parts

    def check(self, name: str) -> None:
        """Raises an error if the sitemap lists something, but no URL of this site.

        Raises PreviousError if it lists URLs of another site, and UnreadableSitemap if it lists
        only texts that are no URLs. An empty sitemap is no error. `name` is what messages call the
        sitemap.
        """
        if self._count_below_base:
            return
        if self._count_outside:
            raise PreviousError(
                f"{name}: lists {self._first_outside}, which is not below {self._base}",
                f"correct base_url, pass this site's sitemap (--previous FILE), or {_SKIP_ONCE}",
            )
        if self._first_invalid is not None:
            raise UnreadableSitemap(name, f"lists {self._first_invalid!r}, which is no URL")

    def notes(self, name: str) -> Iterator[Message]:
        """Yields notes: that the sitemap lists no URL of this site, or some URLs of other sites.

        `name` is what messages call the sitemap.
        """
        if not self._count_below_base:
            yield Message(Kind.PREVIOUS_EMPTY, (name,))
        if self._count_outside:
            subjects = (name, self._base, self._first_outside)
            yield Message(Kind.PREVIOUS_OUTSIDE, subjects, self._count_outside)

    def _add(self, entry: Entry) -> None:
        """Writes the row of an entry of the earlier sitemap, if its URL is one of this site.

        | the entry, with the base `https://a.example/` | what is done                            |
        |-----------------------------------------------|-----------------------------------------|
        | a row of ours, with `https://a.example/b`     | the row is copied                       |
        | `tea`, which is no URL                        | the first such text is kept for `check` |
        | a URL that came before, with `www.` or not    | nothing                                 |
        | `https://b.example/b`                         | it is counted, the first kept for notes |
        | `http://www.a.example/b`                      | a row with `https://a.example/b`        |
        """
        is_own_row = entry.row.startswith(self._start_of_own_row)
        if is_own_row:  # the usual case, which is fast. Our sitemaps list no URL twice
            self._write(entry.row)
            return
        if not web_origin(entry.loc):
            if self._first_invalid is None:
                self._first_invalid = entry.loc
            return
        url = resolve(entry.loc, self._base) or entry.loc
        # A site may have had another scheme, or `www.`, so URLs are compared without these two:
        # `http://www.a.example/b` as `a.example/b`.
        host_and_path = without_www(url)
        # Other tools may list a URL twice.
        if hash(host_and_path) in self._seen:
            return
        if len(self._seen) < _MAX_SEEN:  # in a longer sitemap, a later URL may be written twice
            self._seen.add(hash(host_and_path))
        # With a slash, because the home page may be listed without one: `https://a.example`.
        is_of_site = f"{host_and_path}/".startswith(self._base_host_and_path)
        if not is_of_site:
            self._count_outside += 1
            self._first_outside = self._first_outside or url
            return
        path = host_and_path[len(self._base_host_and_path) :]  # "" for the home page
        url_here = self._base + path
        lastmod = f"<lastmod>{formats.escape(entry.lastmod)}</lastmod>" if entry.lastmod else ""
        self._write(f"<url><loc>{formats.escape(url_here)}</loc>{lastmod}</url>".encode())

    def _write(self, row: bytes) -> None:
        """Writes a row to the file, and counts the URL in it as one of this site."""
        self._file.write(row + b"\n")
        self._count_below_base += 1
