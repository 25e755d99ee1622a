"""A sitemap on a live host, with its parts: the one reader of `previous` and `check --against`."""

import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import IO
from urllib.parse import urljoin, urlsplit

from ..errors import NetworkError, OtherHostError, SitemapperError
from ..linter.model import origin
from ..linter.reader import is_html
from ..protocol import MAX_BYTES, MAX_URLS
from ..site import Run
from ..syntax.urls import without_scheme, without_www

_DEADLINE = 60.0  # seconds for one sitemap, redirects included
_HEAD_DEADLINE = 15.0  # seconds until an answer begins
_MAX_TIME = 900.0  # seconds for all of them
_MAX_TOTAL = 2_000_000_000  # bytes of all of them
_TELLING = 1 << 16  # bytes of a page that may ask for a password
_MISSING = (404, 410)
_CLOSED = (401, 403)

# Makes an error of a file, of what is wrong, and of whether a secret header might help.
Refuse = Callable[[str, str, bool], SitemapperError]
# Takes a sitemap and its name, and returns the URLs of its parts if it is an index.
AddFile = Callable[[IO[bytes], str], Sequence[str]]


def check_parts(parts: Sequence[str], label: str, refuse: Refuse) -> list[str]:
    """The parts of an index, each once. Raises what `refuse` makes if there are too many."""
    unique = list(dict.fromkeys(parts))
    if len(unique) > MAX_URLS:
        raise refuse(label, f"names {len(unique):,} sitemaps, more than {MAX_URLS:,}", False)
    return unique


def check_nested(parts: Sequence[str], label: str, refuse: Refuse) -> None:
    """Raises what `refuse` makes if the part of an index is itself an index."""
    if parts:
        raise refuse(label, "is itself an index, and an index may not name another", False)


class LiveSitemap:
    """A sitemap on a host, with its parts. Requests go to this host only, within limits.

    `refuse` makes the error for a URL that cannot be read: with why, and whether a secret header
    might help.
    """

    def __init__(self, url: str, run: Run, refuse: Refuse) -> None:
        # Imported here: urllib3 is an extra.
        from ..net.client import Client, is_private_name

        public_only = not is_private_name(urlsplit(url).hostname or "")
        self._url = url
        self._refuse = refuse
        self._headers = run.headers
        self._client = Client(
            run.proxies, deadline=_DEADLINE, head_deadline=_HEAD_DEADLINE, public_only=public_only
        )
        self._end = time.monotonic() + _MAX_TIME
        self._bytes_left = _MAX_TOTAL

    def read(self, add: AddFile) -> bool:
        """Adds the sitemap and its parts. Returns False if the host has none yet.

        `add` is called with each file and its URL, and returns the URLs of the parts if it is an
        index. Raises what `refuse` makes if that cannot be told, or if any cannot be read.
        """
        with ExitStack() as stack:
            file = stack.enter_context(tempfile.TemporaryFile())
            if not self._download_main(file):
                return False
            parts = check_parts(add(file, self._url), self._url, self._refuse)
        for part in parts:
            with tempfile.TemporaryFile() as file:
                status = self._download(self._place_of(part), file)
                if status != 200:
                    raise self._refuse(part, f"answers {status}", status in _CLOSED)
                check_nested(add(file, part), part, self._refuse)
        return True

    def _download_main(self, file: IO[bytes]) -> bool:
        """Downloads the main sitemap. Returns False if there is none yet.

        A host may send a page for all that is missing, so a page counts as missing if a made-up
        name beside it gets one, too. A page that asks for a password hides what is there.
        """
        from ..net.client import is_unknown_host

        try:
            status = self._download(self._url, file)
        except SitemapperError as error:
            host = urlsplit(self._url).hostname or ""
            cause = error.__cause__
            if isinstance(cause, NetworkError) and is_unknown_host(host, cause):
                return False
            raise
        if status in _MISSING:
            return False
        if status != 200:
            raise self._refuse(self._url, f"answers {status}", status in _CLOSED)
        page = file.read(_TELLING)
        file.seek(0)
        if not is_html(page):
            return True
        if b"password" in page.lower():
            raise self._refuse(self._url, "is a page that asks for a password", True)
        with tempfile.TemporaryFile() as other:
            made_up = urljoin(self._url, f"{secrets.token_hex(16)}.xml")
            is_sent_for_missing = self._download(made_up, other) == 200
            is_sent_for_missing = is_sent_for_missing and is_html(other.read(_TELLING))
        if is_sent_for_missing:
            return False
        raise self._refuse(self._url, "is an HTML page, not a sitemap", True)

    def _place_of(self, part: str) -> str:
        """The URL to request for a part of the index, on the host of the index.

        It may not be on another one.
        """
        wanted = without_www(origin(part) + "/")
        if wanted != without_www(origin(self._url) + "/"):
            raise self._refuse(self._url, f"names {part}, which is on another host", False)
        path = without_scheme(part).partition("/")[2]
        return f"{origin(self._url)}/{path}"

    def _download(self, url: str, into: IO[bytes]) -> int:
        """Downloads a file, ready to be read, and returns the status."""
        if time.monotonic() > self._end or self._bytes_left <= 0:
            raise self._refuse(self._url, "has too many parts to be read in 15 minutes", False)
        try:
            status = self._client.download(url, into, MAX_BYTES, self._headers)
        except NetworkError as error:
            why = str(error).removeprefix(f"{url}: ")
            may_be_login = isinstance(error, OtherHostError)
            raise self._refuse(url, f"cannot be read: {why}", may_be_login) from error
        self._bytes_left -= into.tell()
        into.seek(0)
        return status
