"""The only module that opens a socket: requests by urllib3, through the environment's proxies."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # not in typeshed

import urllib3
from urllib3 import HTTPHeaderDict, exceptions

from . import __version__
from .messages import SitemapperError
from .protocol import MAX_BYTES
from .syntax.urls import host_of, origin_of, resolve

_CONNECTIONS = 4  # requests at a time
_TRIES = 3  # of a URL that fails
_REDIRECTS = 5
_BLOCK = 1 << 16
_MAX_PAUSE = 60.0  # seconds; a `Retry-After` may name hours
# Why there is no answer, or not all of it, and what to do. The first row that fits counts.
_FAILURES = (
    (
        (exceptions.ProxyError, exceptions.ProxySchemeUnknown),
        "the proxy {proxy} does not connect",
        "correct the variable https_proxy, or name the host in no_proxy",
    ),
    (
        exceptions.NameResolutionError,
        "there is no DNS record for {host}, or no DNS server answers",
        "check the spelling of the address, the domain's DNS records, and the network",
    ),
    (
        exceptions.SSLError,
        "TLS fails: {error.args[0]}",
        "renew or complete the certificate of the host. For an authority of your own, name its "
        "certificate in SSL_CERT_FILE",
    ),
    (
        exceptions.NewConnectionError,
        "nothing answers at {host}",
        "start the server, or name the address at which the site is served",
    ),
    (
        exceptions.TimeoutError,
        "did not answer within {seconds:g} seconds",
        "try again when the host is faster",
    ),
    (
        exceptions.DecodeError,
        "the body is not compressed as its Content-Encoding says",
        "correct the header, or the compression, in the settings of the server",
    ),
    (ValueError, "is no URL that can be requested", "write it as https://tea.example/"),
    (
        exceptions.HTTPError,
        "the connection was closed before the answer was complete",
        "try again; if it stays so, look into the log of the server",
    ),
)


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
        """Takes what the class describes. No connection is opened yet."""
        self._proxies: dict[str, str] = {}
        # Proxies by scheme: {"https": …} for HTTPS_PROXY or https_proxy. Of the two, the name in
        # lower case is sorted last and so is stronger, as for curl and Python.
        for name, value in sorted(environment.items()):
            if value and name.lower().endswith("_proxy"):
                self._proxies[name.lower().removesuffix("_proxy")] = value
        self._managers: dict[str, urllib3.PoolManager] = {}  # by proxy, "" for none
        self._origin = origin
        self._secret = secret or {}
        self._timeout = timeout
        self._pause = pause
        self._interval = 1 / rate if rate else 0.0  # seconds between two requests
        self._next_turn = 0.0  # when the next request may be sent, by the monotonic clock
        self._lock = Lock()  # guards `_next_turn`
        self._is_stopped = Event()  # set when the caller of `get_all` takes no more answers

    def get(self, url: str, limit: int = MAX_BYTES) -> Answer:
        """Requests a URL, and reads at most `limit` bytes. No redirect is followed.

        A request that fails, with a 429 or 5xx or without an answer, is tried three times in all.
        """
        answer = Answer(url)
        for _ in range(_TRIES):
            # Waits for its turn, or until nobody needs the answer any more.
            if self._is_stopped.wait(self._seconds_to_turn()):
                return answer
            answer = self._request("GET", url, limit)
            if answer.status in (429, 503):
                self._wait(answer.headers.get("Retry-After", ""))
            elif answer.status < 500 and not answer.failure:
                return answer
        return answer

    def get_all(self, urls: Iterable[str], limit: int = MAX_BYTES) -> Generator[Answer, None, None]:
        """Requests URLs as `get` does, four at a time, and yields the answers in their order."""
        pending: deque[Future[Answer]] = deque()
        with ThreadPoolExecutor(_CONNECTIONS) as threads:
            try:
                for url in urls:
                    pending.append(threads.submit(self.get, url, limit))
                    # The caller may take no more answers, so few requests run ahead.
                    if len(pending) > 2 * _CONNECTIONS:
                        yield pending.popleft().result()
                while pending:
                    yield pending.popleft().result()
            finally:
                # The caller may have stopped early: then threads that wait must end at once.
                self._is_stopped.set()
                threads.shutdown(cancel_futures=True)
                self._is_stopped.clear()

    def follow(self, url: str, limit: int = MAX_BYTES) -> Answer:
        """Requests a URL, and follows at most five redirects on its host.

        A redirect to another host or from https to http is not followed: it is the answer, and so
        is the sixth one.
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
        answer = self.follow(url, limit + 1)  # one byte more shows a file that is too large
        if answer.failure:
            raise SitemapperError(f"{url}: {answer.failure.text}", answer.failure.help)

        if answer.status in (404, 410):
            return None
        if answer.status != 200:
            what = f"answers {answer.status}"
            if answer.location:
                what = f"redirects to {answer.location}, which is not followed"
            raise SitemapperError(
                f"{url}: {what}",
                "name the address at which the site is served, without a login or a bot check",
            )
        if len(answer.body) > limit:
            what = f"{url}: has more than {limit:,} bytes"
            raise SitemapperError(what, "name the address of a sitemap")
        return answer.body

    def post(self, url: str, message: Mapping[str, object]) -> Answer:
        """Sends a message as JSON, once only, and reads the first bytes of the answer."""
        return self._request("POST", url, _BLOCK, message)

    def _seconds_to_turn(self) -> float:
        """Reserves a turn to send a request, and returns the seconds until then."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next_turn)
            self._next_turn = turn + self._interval
        return turn - now

    def _wait(self, retry_after: str) -> None:
        """Delays the next request of any thread by the seconds that a host names.

        Without a number in `Retry-After`, the usual pause is made, and never more than a minute.
        """
        seconds = float(retry_after) if retry_after.isdecimal() else self._pause
        with self._lock:
            until = time.monotonic() + min(seconds, _MAX_PAUSE)
            self._next_turn = max(self._next_turn, until)

    def _request(
        self, method: str, url: str, limit: int, message: Mapping[str, object] | None = None
    ) -> Answer:
        """Sends one request, with `message` as JSON if there is one, and reads `limit` bytes.

        No failure is raised: the answer has it as `failure`, with the bytes that have arrived.
        """
        answer = Answer(url)
        received = bytearray()
        headers = {
            "User-Agent": f"sitemapper/{__version__}",
            "Accept-Encoding": "gzip",
            "Cache-Control": "no-cache",
        }
        if stays_on_host(self._origin, url):  # no other host may see them
            headers.update(self._secret)
        proxy = ""
        deadline = time.monotonic() + self._timeout
        try:
            proxy = self._proxy_for(url)
            with self._manager(proxy).request(
                method, url, json=message, headers=headers, redirect=False, retries=False,
                preload_content=False,
            ) as response:  # fmt: skip
                answer = Answer(url, response.status, response.headers)
                # A block is what has arrived, so that a slow body does not outlast the deadline.
                while len(received) < limit and (block := response.read1(_BLOCK)):
                    received += block
                    if time.monotonic() > deadline:
                        raise exceptions.TimeoutError
        except (exceptions.HTTPError, ValueError) as error:
            failure = _failure(error, host_of(url), host_of(proxy), self._timeout)
            answer = answer._replace(failure=failure)
        return answer._replace(body=bytes(received[:limit]))

    def _proxy_for(self, url: str) -> str:
        """The proxy for a URL, "" for none. In no_proxy, `a.example` is its subdomains, too."""
        parts = urlsplit(url)
        if proxy_bypass_environment(parts.netloc, self._proxies):
            return ""
        return self._proxies.get(parts.scheme) or self._proxies.get("all", "")

    def _manager(self, proxy: str) -> urllib3.PoolManager:
        """The connections through a proxy such as `http://name:password@proxy.example:3128`.

        Without one (""), they go to hosts directly. They are kept for later requests.
        """
        if proxy in self._managers:
            return self._managers[proxy]
        manager = urllib3.PoolManager(maxsize=_CONNECTIONS, timeout=self._timeout)
        if proxy:
            login = unquote(urllib3.util.parse_url(proxy).auth or "")  # `name:password`
            headers = urllib3.make_headers(proxy_basic_auth=login)
            manager = urllib3.ProxyManager(
                proxy, maxsize=_CONNECTIONS, timeout=self._timeout, proxy_headers=headers
            )
        self._managers[proxy] = manager
        return manager


def _failure(error: Exception, host: str, proxy: str, seconds: float) -> SitemapperError:
    """Explains an error of a request in words for users: `nothing answers at a.example`.

    `host` and `proxy` are those of the request, and `seconds` is how long it was allowed to take.
    """
    shown_proxy = proxy.rpartition("@")[2]  # without a password
    _, text, help = next(row for row in _FAILURES if isinstance(error, row[0]))
    text = text.format(error=error, host=host, proxy=shown_proxy, seconds=seconds)
    return SitemapperError(text, help)


def stays_on_host(url: str, target: str) -> bool:
    """Whether `target` may be requested with the secret headers that are meant for `url`.

    It must be on the same host and port. A step from http up to https is allowed.
    """
    origin = origin_of(url)
    return origin_of(target) in (origin, origin.replace("http://", "https://", 1))
