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

_DEADLINE = 60.0  # seconds for one sitemap, redirects included
_MAX_TIME = 900.0  # seconds for all of them
_MAX_TOTAL = 2_000_000_000  # bytes of all of them
_START = 1 << 10  # bytes that show whether a file is a page
_MISSING = (404, 410)


@dataclass(eq=False)
class UnreadableSitemap(Exception):
    """A sitemap that cannot be read: its name in messages, and what is wrong."""

    name: str
    problem: str

    @property
    def help(self) -> str:
        """What may open a sitemap on a host, "" for one in a file.

        A host may hide it behind any answer, so this is the same for all.
        """
        is_on_host = "://" in self.name
        return "if the host asks for a secret, pass --header NAME=ENVVAR; or " if is_on_host else ""


class MissingSitemap(Exception):
    """There is no sitemap on the host yet."""


# Opens the main sitemap, or the part with a URL, and gives its name in messages.
OpenFile = Callable[[str], AbstractContextManager[tuple[str, IO[bytes]]]]
# Reads a sitemap with a name, and returns the URLs of its parts if it is an index.
ReadFile = Callable[[str, IO[bytes]], Sequence[str]]


def read_with_parts(main: str, open_file: OpenFile, read: ReadFile) -> None:
    """Reads a sitemap and, if it is an index, each of its parts once.

    Raises UnreadableSitemap if any cannot be read, and MissingSitemap if there is none.
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
    """How to open a sitemap in a file. The parts of an index lie beside it."""

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

        public_only = not is_private_name(urlsplit(url).hostname or "")
        self._url = url
        self._headers = run.headers
        self._client = Client(run.proxies, deadline=_DEADLINE, public_only=public_only)
        self._end = time.monotonic() + _MAX_TIME
        self._bytes_left = _MAX_TOTAL

    @contextmanager
    def open(self, url: str) -> Iterator[tuple[str, IO[bytes]]]:
        """The main sitemap, or the part with a URL, in a temporary file."""
        with tempfile.TemporaryFile() as file:
            if url == self._url:
                self._download_main(file)
            else:
                self._download_part(url, file)
            yield url, file

    def _download_main(self, file: IO[bytes]) -> None:
        """Downloads the main sitemap.

        It is missing if the host says so, or has no name yet. A page in its place is an error, also
        one that the host sends for every name: it may hide a sitemap behind a login.
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
        if status in _MISSING:
            raise MissingSitemap
        self._check_status(self._url, status)
        if is_html(file.read(_START)):
            raise UnreadableSitemap(self._url, "is an HTML page, not a sitemap")
        file.seek(0)

    def _download_part(self, url: str, file: IO[bytes]) -> None:
        """Downloads a part of the index, which may not be on another host than the index."""
        host = web_origin(self._url)
        if without_www(web_origin(url) + "/") != without_www(host + "/"):
            raise UnreadableSitemap(self._url, f"names {url}, which is on another host")
        path = without_scheme(url).partition("/")[2]
        self._check_status(url, self._download(f"{host}/{path}", file))

    def _check_status(self, url: str, status: int) -> None:
        if status != 200:
            raise UnreadableSitemap(url, f"answers {status}")

    def _download(self, url: str, into: IO[bytes]) -> int:
        """Downloads a file, ready to be read, and returns the status."""
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
