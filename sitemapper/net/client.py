"""Requests to other machines by urllib3, through the proxies of the environment."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event, Lock
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # not in typeshed

import urllib3
from urllib3 import HTTPHeaderDict, exceptions

from .._version import __version__
from ..errors import SitemapperError
from ..protocol import MAX_BYTES
from ..syntax.urls import origin_of, resolve

_CONNECTIONS = 4  # requests at a time
_TRIES = 3  # of a URL that fails
_REDIRECTS = 5
_BLOCK = 1 << 16
_MAX_PAUSE = 60.0  # seconds; a `Retry-After` may name hours
_MAX_INTERVAL = 1.0  # seconds between two requests


class Answer(NamedTuple):
    """What a host answered to a request, as far as it arrived. Without an answer, status is 0."""

    url: str
    status: int = 0
    headers: HTTPHeaderDict = HTTPHeaderDict()  # `get` joins the values of a name by ", "
    body: bytes = b""  # unpacked
    failure: SitemapperError | None = None  # why the answer is missing or incomplete

    @property
    def location(self) -> str:
        """The absolute URL to which a redirect leads; "" for another answer, or a wrong URL."""
        if not 300 <= self.status < 400:
            return ""
        return resolve(self.headers.get("Location", ""), self.url) or ""


class Client:
    """Sends requests: `rate` a second (0 for no limit), four at a time.

    `environment` names the proxies, as in `https_proxy`. The headers `secret` are sent only to the
    host of the URL `origin`, and never from https down to http. Each answer has `timeout` seconds.
    A 429 or 503 is followed by `pause` seconds without a request, unless it names a time itself.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        origin: str = "",
        secret: Mapping[str, str] | None = None,
        rate: float = 0.0,
        timeout: float = 30.0,
        pause: float = 1.0,
    ) -> None:
        # In lower case they are stronger, as for curl and Python.
        names = sorted(name for name in environment if name.lower().endswith("_proxy"))
        self._proxies = {
            name.lower().removesuffix("_proxy"): environment[name]
            for name in names
            if environment[name]
        }
        self._origin = origin
        self._secret = secret or {}
        self._timeout = timeout
        self._pause = pause
        self._lock = Lock()
        # What the lock guards. Times are in seconds by the monotonic clock.
        self._managers: dict[str, urllib3.PoolManager] = {}  # by proxy, "" for none
        self._interval = 1 / rate if rate else 0.0  # between two requests
        self._next_turn = 0.0  # when the next request may be sent
        self._paused_until = 0.0  # the host asks to wait

    def get(self, url: str, limit: int = MAX_BYTES) -> Answer:
        """Requests a URL, and reads at most `limit` bytes. No redirect is followed.

        What fails, with a 429 or 5xx or without an answer, is tried three times in all.
        """
        return self._get(url, limit, Event())

    def get_all(self, urls: Iterable[str], limit: int = MAX_BYTES) -> Generator[Answer, None, None]:
        """Requests URLs as `get` does, four at a time, and yields the answers in their order."""
        stop = Event()
        pending: deque[Future[Answer]] = deque()
        with ThreadPoolExecutor(_CONNECTIONS) as threads:
            try:
                for url in urls:
                    pending.append(threads.submit(self._get, url, limit, stop))
                    # The caller may take no more answers, so few requests run ahead.
                    if len(pending) > 2 * _CONNECTIONS:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            finally:
                stop.set()
                threads.shutdown(cancel_futures=True)

    def follow(self, url: str, limit: int = MAX_BYTES) -> Answer:
        """Requests a URL, and follows at most five redirects on its host.

        The answer is a redirect if one leads to another host or down to http, or is one too many.
        """
        answer = self.get(url, limit)
        for _ in range(_REDIRECTS):
            target = answer.location
            if not target or not stays_on_host(answer.url, target):
                break
            answer = self.get(target, limit)
        return answer

    def download(self, url: str, limit: int = MAX_BYTES) -> bytes | None:
        """The body of a URL, after redirects on its host; None if it is not there (404, 410).

        Raises SitemapperError for any other answer, and for more than `limit` bytes.
        """
        answer = self.follow(url, limit + 1)
        if answer.failure:
            raise answer.failure
        if answer.status in (404, 410):
            return None
        if answer.location:
            raise SitemapperError(
                f"{url}: redirects to {answer.location}, which is not followed",
                "name the address at which the site is served",
            )
        if answer.status != 200:
            raise SitemapperError(
                f"{url}: answers {answer.status}",
                "open it in a browser: a host that asks for a login or checks browsers closes it",
            )
        if len(answer.body) > limit:
            raise SitemapperError(
                f"{url}: has more than {limit:,} bytes", "name the address of a sitemap"
            )
        return answer.body

    def post(self, url: str, body: bytes, content_type: str, limit: int = _BLOCK) -> Answer:
        """Sends data, once only, and reads at most `limit` bytes of the answer."""
        return self._request("POST", url, limit, body, content_type)

    def _get(self, url: str, limit: int, stop: Event) -> Answer:
        """Requests a URL when it is its turn, up to three times. Runs in several threads."""
        answer = Answer(url)
        for _ in range(_TRIES):
            if stop.wait(self._seconds_to_turn()):
                return answer
            answer = self._request("GET", url, limit)
            if answer.status in (429, 503):
                self._slow_down(answer.headers.get("Retry-After"))
            elif answer.status < 500 and not answer.failure:
                return answer
        return answer

    def _seconds_to_turn(self) -> float:
        """Reserves the next time at which a request may be sent."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next_turn, self._paused_until)
            self._next_turn = turn + self._interval
        return turn - now

    def _slow_down(self, retry_after: str | None) -> None:
        """Stops all requests for the time that a host names, and halves the rate afterwards."""
        seconds = self._pause
        with suppress(exceptions.InvalidHeader, ValueError, OverflowError):  # none, or no time
            seconds = urllib3.Retry(0).parse_retry_after(retry_after or "")  # also a date
        with self._lock:
            now = time.monotonic()
            if now < self._paused_until:  # this request was sent before the pause began
                return
            self._paused_until = now + min(seconds, _MAX_PAUSE)
            # Without a rate, there were none, and twice that would change nothing.
            interval = max(2 * self._interval, self._pause / 10)
            self._interval = min(interval, max(self._interval, _MAX_INTERVAL))

    def _request(
        self, method: str, url: str, limit: int, body: bytes | None = None, content_type: str = ""
    ) -> Answer:
        """Sends one request. A failure is not raised: the answer has it, and what has arrived."""
        answer = Answer(url)
        received = bytearray()
        sent = {
            "User-Agent": f"sitemapper/{__version__}",
            "Accept-Encoding": "gzip",
            "Cache-Control": "no-cache",
        }
        if content_type:
            sent["Content-Type"] = content_type
        proxy = ""
        deadline = time.monotonic() + self._timeout
        try:
            if self._secret and stays_on_host(self._origin, url):
                sent.update(self._secret)
            proxy = self._proxy_for(url)
            with self._manager(proxy).request(
                method, url, body, headers=sent, redirect=False, retries=False,
                preload_content=False,
            ) as response:  # fmt: skip
                answer = Answer(url, response.status, HTTPHeaderDict(response.headers))
                # A block is what has arrived, so that a slow body does not outlast the deadline.
                while len(received) < limit and (block := response.read1(_BLOCK)):
                    received += block
                    if time.monotonic() > deadline:
                        raise exceptions.TimeoutError
        except (exceptions.HTTPError, ValueError) as error:
            answer = answer._replace(failure=self._failure(error, url, proxy))
        return answer._replace(body=bytes(received[:limit]))

    def _proxy_for(self, url: str) -> str:
        """The proxy for a URL, "" for none. In no_proxy, `a.example` is its subdomains, too."""
        parts = urlsplit(url)
        if proxy_bypass_environment(parts.netloc, self._proxies):
            return ""
        return self._proxies.get(parts.scheme) or self._proxies.get("all", "")

    def _manager(self, proxy: str) -> urllib3.PoolManager:
        """The connections that go through a proxy, or directly if it is ""."""
        with self._lock:
            if proxy not in self._managers:
                timeout = urllib3.Timeout(connect=min(10.0, self._timeout), read=self._timeout)
                manager = urllib3.PoolManager(maxsize=_CONNECTIONS, timeout=timeout)
                if proxy:
                    login = urllib3.util.parse_url(proxy).auth  # `name:password`
                    headers = login and urllib3.make_headers(proxy_basic_auth=unquote(login))
                    manager = urllib3.ProxyManager(
                        proxy, maxsize=_CONNECTIONS, timeout=timeout, proxy_headers=headers or None
                    )
                self._managers[proxy] = manager
            return self._managers[proxy]

    def _failure(self, error: Exception, url: str, proxy: str) -> SitemapperError:
        """Says why there is no answer, or not all of it, and what to do."""
        if isinstance(error, ValueError) and not isinstance(error, exceptions.ProxySchemeUnknown):
            return SitemapperError(
                f"{url}: is no URL that can be requested", "write it as https://tea.example/"
            )
        host = urlsplit(url).netloc.rpartition("@")[2]
        what = "the connection was closed before the answer was complete"
        help = "try again; if it stays so, look into the log of the server"
        if isinstance(error, exceptions.ProxyError | exceptions.ProxySchemeUnknown):
            what = f"the proxy {urlsplit(proxy).netloc.rpartition('@')[2]} does not connect"
            help = "correct the variable https_proxy, or name the host in no_proxy"
        elif isinstance(error, exceptions.NameResolutionError):
            what = f"there is no DNS record for {host}, or no DNS server answers"
            help = "check the spelling of the address, the domain's DNS records, and the network"
        elif isinstance(error, exceptions.SSLError):
            what = f"TLS fails: {error.args[0]}"
            help = (
                "renew or complete the certificate of the host. For an authority of your own, "
                "name its certificate in SSL_CERT_FILE"
            )
        elif isinstance(error, exceptions.NewConnectionError):
            what = f"nothing answers at {host}"
            help = "start the server, or name the address at which the site is served"
        elif isinstance(error, exceptions.TimeoutError):
            what = f"did not answer within {self._timeout:g} seconds"
            help = "try again when the host is faster"
        elif isinstance(error, exceptions.DecodeError):
            what = "the body is not compressed as its Content-Encoding says"
            help = "correct the header, or the compression, in the settings of the server"
        return SitemapperError(f"{url}: {what}", help)


def stays_on_host(url: str, target: str) -> bool:
    """Whether a URL may be requested with the secrets of another one.

    It is on the same host and port, or the same host asks for https instead of http.
    """
    origin = origin_of(url)
    return origin_of(target) in (origin, origin.replace("http://", "https://", 1))
