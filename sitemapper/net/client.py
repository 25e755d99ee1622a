"""Requests to other machines, through the proxies of the environment. The only file that knows urllib3."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import responses
from typing import IO, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from .._version import __version__
from ..errors import NetworkError

try:
    import urllib3
except ImportError:
    raise NetworkError(
        "urllib3 is not installed, and network requests need it", "pip install 'static-sitemapper[submit]'"
    ) from None

_CONNECT, _READ = 10.0, 30.0  # seconds without an answer
_REDIRECTS = 5
_BLOCK = 1 << 16
_MAX_QUOTE = 200  # characters of a reply that a message quotes


class Reply(NamedTuple):
    """A status, 0 without an answer; its text; the seconds to wait, if `Retry-After` names them."""

    status: int
    text: str
    retry_after: float | None = None

    def __str__(self) -> str:
        return f"{self.status} {self.text}" if self.status else self.text


class Client:
    """Sends requests. `proxies` maps http, https and all to URLs, and no to the hosts without a proxy."""

    def __init__(self, proxies: Mapping[str, str], read: float = _READ) -> None:
        self._proxies = proxies
        self._timeout = urllib3.Timeout(connect=_CONNECT, read=read)
        self._pools: dict[str, urllib3.PoolManager] = {}

    def send(self, method: str, url: str, json: bytes | None = None) -> Reply:
        """One request, no redirect followed."""
        headers = {"Content-Type": "application/json; charset=utf-8"} if json else {}
        try:
            with _failures_as_network_error(url), self._request(method, url, headers, json) as response:
                body = " ".join(response.read(10 * _MAX_QUOTE).decode("utf-8", "replace").split())
                quote = body[:_MAX_QUOTE] if response.status >= 400 else ""
                phrase = responses.get(response.status, "")
                return Reply(response.status, quote or phrase, _retry_after(response))
        except NetworkError as error:
            return Reply(0, str(error))

    def get(self, url: str, into: IO[bytes], limit: int) -> int:
        """Writes the body of a 200 into a file, and returns the status. Redirects must stay on the host.

        Raises NetworkError if the answer is incomplete, or has more than `limit` bytes.
        """
        place = url
        for _ in range(_REDIRECTS + 1):
            with (
                _failures_as_network_error(url),
                self._request("GET", place, {"Cache-Control": "no-cache"}) as response,
            ):
                target = response.get_redirect_location()
                if not target:
                    size = 0
                    for block in response.stream(_BLOCK) if response.status == 200 else ():
                        size += into.write(block)
                        if size > limit:
                            raise NetworkError(f"{url}: is larger than {limit:,} bytes")
                    return response.status
                place = _redirect_target(place, target, url)
        raise NetworkError(f"{url}: redirects more than {_REDIRECTS} times")

    def _request(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None = None
    ) -> urllib3.BaseHTTPResponse:
        headers["User-Agent"] = f"sitemapper/{__version__}"
        return self._pool(url).request(
            method, url, body, headers=headers, redirect=False, retries=False, preload_content=False
        )

    def _pool(self, url: str) -> urllib3.PoolManager:
        """The connections for a URL: those of its proxy, if it has one."""
        parts = urlsplit(url)
        proxy = self._proxies.get(parts.scheme) or self._proxies.get("all", "")
        if _is_direct((parts.hostname or "", parts.netloc), self._proxies.get("no", "")):
            proxy = ""
        if proxy not in self._pools:
            self._pools[proxy] = (
                _proxy_manager(proxy, self._timeout) if proxy else urllib3.PoolManager(timeout=self._timeout)
            )
        return self._pools[proxy]


def _is_direct(hosts: tuple[str, str], no_proxy: str) -> bool:
    """Whether a host, with or without its port, is one of those without a proxy, or below one."""
    names = [name.strip().lstrip(".") for name in no_proxy.split(",") if name.strip()]
    return "*" in names or any(f".{host}".endswith(f".{name}") for host in hosts for name in names)


def _proxy_manager(proxy: str, timeout: urllib3.Timeout) -> urllib3.ProxyManager:
    auth = urllib3.util.parse_url(proxy).auth
    headers = urllib3.make_headers(proxy_basic_auth=unquote(auth)) if auth else None
    return urllib3.ProxyManager(proxy, timeout=timeout, proxy_headers=headers)


def _retry_after(response: urllib3.BaseHTTPResponse) -> float | None:
    try:
        return urllib3.Retry(0).get_retry_after(response)
    except urllib3.exceptions.InvalidHeader:
        return None


def _redirect_target(place: str, target: str, url: str) -> str:
    """The target of a redirect. Raises NetworkError if it is on another host, or no longer https."""
    location = urljoin(place, target)
    old, new = urlsplit(place), urlsplit(location)
    upgraded = (old.scheme, new.scheme) == ("http", "https") and old.hostname == new.hostname
    if (old.scheme, old.netloc) != (new.scheme, new.netloc) and not upgraded:
        raise NetworkError(f"{url}: redirects to {location}, another host")
    return location


@contextmanager
def _failures_as_network_error(url: str) -> Iterator[None]:
    """Turns every failure into a NetworkError with the URL."""
    try:
        yield
    except (urllib3.exceptions.HTTPError, ValueError) as error:
        why = re.sub(r"^<?\S*HTTPS?Connection.*?[>)]: ", "", str(error.args[0]))
        raise NetworkError(f"{url}: {why}") from error
