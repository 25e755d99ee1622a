"""The files of a sitemap, for `previous` and `check --against`: itself and the parts of an index.

They are on a live host, or in a folder.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import IO
from urllib.parse import unquote, urlsplit

from ..errors import NetworkError
from ..fs import open_file_inside
from ..protocol import MAX_BYTES, MAX_URLS
from ..read.sitemap import is_html
from ..site import Run
from ..syntax.urls import web_origin, without_scheme, without_www

_MAX_SECONDS_PER_SITEMAP = 60.0  # redirects included
_MAX_SECONDS_FOR_ALL = 900.0
_MAX_BYTES_FOR_ALL = 2_000_000_000
_HTML_START_BYTES = 1 << 10  # that show whether a file is an HTML page
_STATUSES_OF_MISSING = (404, 410)


class UnreadableSitemap(Exception):
    """A sitemap that cannot be read: its `name` in messages, and the `problem` with it.

    `help` is the beginning of the advice, to which a caller adds its own. For a sitemap on a host,
    it is to pass a secret that the host may want. It does not depend on the problem, because a host
    may refuse a request with any answer.
    """

    def __init__(self, name: str, problem: str) -> None:
        self.name = name
        self.problem = problem
        is_on_host = "://" in name
        self.help = ""
        if is_on_host:
            self.help = "if the host asks for a secret, pass --header NAME=ENVVAR; or "


class MissingSitemap(Exception):
    """There is no sitemap on the host yet."""


# Opens the main sitemap, or the part with a URL, and gives its name in messages.
OpenFile = Callable[[str], AbstractContextManager[tuple[str, IO[bytes]]]]
# Reads a sitemap with a name, and returns the URLs of its parts if it is an index.
ReadFile = Callable[[str, IO[bytes]], Sequence[str]]


def read_with_parts(main: str, open_file: OpenFile, read: ReadFile) -> None:
    """Opens and reads a sitemap and, if it is an index, each sitemap that it names, once.

    Raises UnreadableSitemap if any of them cannot be read or is itself an index, or if they are too
    many. Raises MissingSitemap if there is no sitemap.
    """
    with open_file(main) as (name, file):
        parts = list(dict.fromkeys(read(name, file)))
    if len(parts) > MAX_URLS:
        problem = f"names {len(parts):,} sitemaps, more than {MAX_URLS:,}"
        raise UnreadableSitemap(name, problem)
    for part in parts:
        with open_file(part) as (name, file):
            if read(name, file):
                problem = "is itself an index, and an index may not name another"
                raise UnreadableSitemap(name, problem)


def open_beside(main: str, run: Run) -> OpenFile:
    """Makes a function that opens the sitemap in the file `main`, or a part of it by its URL.

    The parts of an index are beside it: for `old/sitemap.xml`, `https://a.example/b/sitemap-1.xml`
    opens `old/sitemap-1.xml`. The function raises UnreadableSitemap, also for a link out of the
    folder.
    """
    folder = os.path.dirname(main)

    @contextmanager
    def open_file(main_or_url: str) -> Iterator[tuple[str, IO[bytes]]]:
        """Opens the file `main`, or the file in its folder with the name in the URL of a part."""
        path = main
        if main_or_url != main:
            path = os.path.join(folder, unquote(main_or_url).rpartition("/")[2])
        name = run.display(path)
        try:
            with open_file_inside(folder, path) as file:
                yield name, file
        except OSError as error:
            problem = f"cannot be read: {error.strerror or error}"
            raise UnreadableSitemap(name, problem) from None

    return open_file


class LiveSitemap:
    """Downloads a sitemap from a host, and its parts. Requests go to this host only, within limits.

    `url` is that of the main sitemap.
    """

    def __init__(self, url: str, run: Run) -> None:
        # Imported here: urllib3 is an extra.
        from ..net.client import Client, is_private_name

        # A host with a public name must not lead to an address in the local network.
        public_only = not is_private_name(urlsplit(url).hostname or "")
        self._url = url
        self._headers = run.headers
        self._client = Client(
            run.proxies, deadline=_MAX_SECONDS_PER_SITEMAP, public_only=public_only
        )
        # Limits for all sitemaps together.
        self._end = time.monotonic() + _MAX_SECONDS_FOR_ALL
        self._bytes_left = _MAX_BYTES_FOR_ALL

    @contextmanager
    def open(self, url: str) -> Iterator[tuple[str, IO[bytes]]]:
        """Downloads the main sitemap, or a part of it, to a temporary file, by its URL.

        Gives the URL and the file, which is deleted at the end of the block. Raises MissingSitemap
        if the host has no main sitemap yet: it answers 404 or 410, or its name does not exist. For
        everything else, it raises UnreadableSitemap. An HTML page with status 200 is an error, too,
        because it may be a login with the sitemap behind it.
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
        """Finds the URL to request for a sitemap that the index names.

        The index at https://a.example/ may name `http://www.a.example/b.xml`, from a time with
        another scheme or `www.`. Only its own host is known to answer, so `https://a.example/b.xml`
        is requested. Raises UnreadableSitemap if the part is on another host.
        """
        origin = web_origin(self._url)
        if without_www(web_origin(url)) != without_www(origin):
            raise UnreadableSitemap(self._url, f"names {url}, which is on another host")
        _, _, path = without_scheme(url).partition("/")
        return f"{origin}/{path}"

    def _download(self, place: str, into: IO[bytes]) -> int:
        """Downloads a file within the limits, sets it to its beginning, and returns the status.

        Raises UnreadableSitemap without an answer, or if the limits for all sitemaps are exceeded,
        and MissingSitemap if it is the main sitemap and the name of the host does not exist.
        """
        # Imported here: urllib3 is an extra.
        from ..net.client import is_unknown_host

        if time.monotonic() > self._end or self._bytes_left <= 0:
            problem = "has too many parts to be read in 15 minutes"
            raise UnreadableSitemap(self._url, problem)
        try:
            status = self._client.download(place, into, MAX_BYTES, self._headers)
        except NetworkError as error:
            is_main = place == self._url
            if is_main and is_unknown_host(urlsplit(place).hostname or "", error):
                raise MissingSitemap from None
            problem = f"cannot be read: {str(error).removeprefix(f'{place}: ')}"
            raise UnreadableSitemap(place, problem) from None
        self._bytes_left -= into.tell()
        into.seek(0)
        return status
