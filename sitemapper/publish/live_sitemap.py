"""The files of a sitemap, for `previous` and `check --against`: itself and the parts of an index.

They are on a live host, or in a folder.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
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


@dataclass(eq=False)
class UnreadableSitemap(Exception):
    """A sitemap that cannot be read: its name in messages, and what is wrong."""

    name: str
    problem: str

    @property
    def help(self) -> str:
        """The advice for a sitemap on a host, to pass a secret that the host may want.

        "" for one in a file. The advice does not depend on the problem, because a host may refuse a
        request with any answer.
        """
        is_on_host = "://" in self.name
        if not is_on_host:
            return ""
        return "if the host asks for a secret, pass --header NAME=ENVVAR; or "


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

    @contextmanager
    def open_file(path_or_url: str) -> Iterator[tuple[str, IO[bytes]]]:
        path = main
        folder = os.path.dirname(main)
        if path_or_url != main:
            path = os.path.join(folder, unquote(path_or_url).rpartition("/")[2])
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

    Raises UnreadableSitemap if one cannot be read, and MissingSitemap if the host has none yet.
    """

    def __init__(self, url: str, run: Run) -> None:
        # Imported here: urllib3 is an extra.
        from ..net.client import Client, is_private_name

        # A host with a public name must not lead to an address in the local network.
        public_only = not is_private_name(urlsplit(url).hostname or "")
        self._url = url  # of the main sitemap
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

        Gives the URL and the file, which is deleted at the end of the block.
        """
        with tempfile.TemporaryFile() as file:
            if url == self._url:
                self._download_main(file)
            else:
                self._download_part(url, file)
            yield url, file

    def _download_main(self, file: IO[bytes]) -> None:
        """Downloads the main sitemap. Raises MissingSitemap if the host has none yet.

        It has none if it answers 404 or 410, or if its name does not exist. Raises
        UnreadableSitemap for everything else, also for an HTML page. The page may be a login, so it
        does not show that there is no sitemap.
        """
        from ..net.client import is_unknown_host

        try:
            status = self._download(self._url, file)
        except UnreadableSitemap as error:
            host = urlsplit(self._url).hostname or ""
            cause = error.__cause__
            if isinstance(cause, NetworkError) and is_unknown_host(host, cause):
                raise MissingSitemap from None
            raise
        if status in _STATUSES_OF_MISSING:
            raise MissingSitemap
        self._check_status(self._url, status)
        if is_html(file.read(_HTML_START_BYTES)):
            raise UnreadableSitemap(self._url, "is an HTML page, not a sitemap")
        file.seek(0)

    def _download_part(self, url: str, file: IO[bytes]) -> None:
        """Downloads a sitemap that the index names, from the host of the index.

        Raises UnreadableSitemap if it is on another host. Its scheme and `www.` may differ: the
        request goes to those of the index, which answer.
        """
        origin = web_origin(self._url)
        if without_www(web_origin(url) + "/") != without_www(origin + "/"):
            raise UnreadableSitemap(self._url, f"names {url}, which is on another host")
        _, _, path = without_scheme(url).partition("/")
        self._check_status(url, self._download(f"{origin}/{path}", file))

    def _check_status(self, url: str, status: int) -> None:
        """Raises UnreadableSitemap for every status but 200."""
        if status != 200:
            raise UnreadableSitemap(url, f"answers {status}")

    def _download(self, url: str, into: IO[bytes]) -> int:
        """Downloads a file within the limits, sets it to its beginning, and returns the status.

        Raises UnreadableSitemap without an answer, or if the limits for all sitemaps are exceeded.
        """
        if time.monotonic() > self._end or self._bytes_left <= 0:
            problem = "has too many parts to be read in 15 minutes"
            raise UnreadableSitemap(self._url, problem)
        try:
            status = self._client.download(url, into, MAX_BYTES, self._headers)
        except NetworkError as error:
            problem = f"cannot be read: {str(error).removeprefix(f'{url}: ')}"
            raise UnreadableSitemap(url, problem) from error
        self._bytes_left -= into.tell()
        into.seek(0)
        return status
