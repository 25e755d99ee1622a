"""Requests to other machines, through the proxies of the environment.

The only file that uses urllib3.
"""

from __future__ import annotations

import re
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.client import responses
from ipaddress import IPv6Address, ip_address
from threading import Event, Lock, Thread, local
from typing import IO, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # not in typeshed
from weakref import WeakSet

import urllib3
from urllib3 import exceptions
from urllib3.connection import HTTPConnection, HTTPSConnection

from .._version import __version__
from ..errors import NetworkError, OtherHostError

_CONNECT = 10.0  # seconds until a connection
_READ = 30.0  # seconds between two bytes
_DEADLINE = 300.0  # seconds for a whole call
_LATE_PAUSE = 0.1  # seconds until the connections that a late call opens are closed too
_MAX_RETRY_AFTER = 3600.0
_REDIRECTS = 5
_BLOCK = 1 << 16
# Nested encodings would be unpacked without a limit.
_ENCODINGS = ("", "identity", "gzip", "x-gzip")
_UNCONNECTED = (
    exceptions.NewConnectionError,
    exceptions.ConnectTimeoutError,
    exceptions.SSLError,
    exceptions.ProxyError,
)
# What urllib3 puts before the cause: "HTTPSConnection(host='example.com', port=443): ", or
# "<urllib3.connection.HTTPConnection object at 0x7f00>: ".
_CONNECTION_NAME = re.compile(r"(?>^<?\S*?HTTPS?Connection).*?[>)]: ")
_MAX_QUOTE = 200  # characters of an answer in a message
_NO_CACHE = {"Cache-Control": "no-cache"}
_KNOWN_NAME = "example.com"  # exists for ever (RFC 2606, 3)
_NO_NAME = ".invalid"  # never exists (RFC 6761, 6.4)
# What a resolver answers for a name that does not exist, and for one that has no address.
_UNKNOWN_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_CONNECTIONS = 4
_TRIES = 3  # of a URL that fails
_PAUSE = 1.0  # seconds after a 429 or 503 without a Retry-After
_MAX_PAUSE = 60.0  # seconds after any 429 or 503
# Seconds between two requests after a 429 or 503, at least. Without a rate, there were 0 seconds
# before, and twice 0 would change nothing.
_MIN_INTERVAL_AFTER_PAUSE = 0.1
_MAX_RUN_BYTES = 2_000_000_000


class Answer(NamedTuple):
    """What a host answered to a request, as far as it arrived. Without an answer, status is 0."""

    status: int = 0  # 0 without an answer
    headers: tuple[tuple[str, str], ...] = ()  # with names in lower case
    body: bytes = b""  # as it came, also if it is compressed
    error: str = ""  # why the answer is missing or incomplete, unless the request limited it
    is_connected: bool = True  # false if the host could not be reached at all
    retry_after: float | None = None  # seconds

    def values(self, name: str) -> list[str]:
        """Lists the values of a header, of which an answer may have several, such as two `link`."""
        return [value for key, value in self.headers if key == name]

    def header(self, name: str) -> str:
        """Joins the values of a header, such as `a, b`. "" if the answer does not have it."""
        return ", ".join(self.values(name))

    @property
    def text(self) -> str:
        """Describes the answer in words, for messages.

        no answer               → the error
        a failure with a text   → the beginning of the text, on one line: `key not found`
        any other answer        → the name of its status: `Forbidden`

        A text that was cut off, or is compressed, is not quoted.
        """
        if not self.status:
            return self.error
        quote = ""
        can_be_quoted = not self.error and not self.header("content-encoding")
        if self.status >= 400 and can_be_quoted:
            text = self.body.decode("utf-8", "replace")
            quote = " ".join(text.split())[:_MAX_QUOTE]
        return quote or responses.get(self.status, "")

    def __str__(self) -> str:
        return f"{self.status} {self.text}" if self.status else self.text


class Client:
    """Sends requests, each within `deadline` seconds, through the `proxies` of the environment.

    `proxies` has the URL of a proxy for `http`, `https` and `all`, and for `no` the hosts that need
    none. With `public_only`, a host with a private address is refused, so that a sitemap cannot
    lead into the network of the machine that builds.
    """

    def __init__(
        self,
        proxies: Mapping[str, str],
        *,
        deadline: float = _DEADLINE,
        public_only: bool = False,
    ) -> None:
        self._public_only = public_only
        self._proxies = proxies
        self._max_seconds = deadline  # of a call
        self._timeout = urllib3.Timeout(connect=_CONNECT, read=_READ)
        # Filled by requests.
        self._managers: dict[str, urllib3.PoolManager] = {}  # by proxy, "" for none
        self._sockets: WeakSet[socket.socket] = WeakSet()  # of all open connections
        self._is_late = False  # whether the current call exceeded its deadline

    def fetch(
        self,
        method: str,
        url: str,
        limit: int,
        *,
        headers: Mapping[str, str] = _NO_CACHE,
        body: bytes = b"",
    ) -> Answer:
        """Sends one request, and returns the answer. No redirect is followed.

        At most `limit` bytes of the body are read, and a compressed body stays compressed. A
        failure is not raised: it is the `error` of the answer, which has the part that arrived.
        """
        head = Answer()  # without the body, which may still fail
        received = bytearray()
        try:
            with self._limited(url), self._request(method, url, headers, body) as response:
                head = Answer(
                    status=response.status,
                    headers=tuple((name.lower(), text) for name, text in response.headers.items()),
                    retry_after=_retry_after(response.headers.get("Retry-After")),
                )
                for block in response.stream(_BLOCK, decode_content=False):
                    received += block[: limit - len(received)]
                    if len(received) == limit:
                        break
        except NetworkError as error:
            return head._replace(
                body=bytes(received),
                error=str(error).removeprefix(f"{url}: "),
                is_connected=not isinstance(error.__cause__, _UNCONNECTED),
            )
        return head._replace(body=bytes(received))

    def download(self, url: str, into: IO[bytes], limit: int) -> int:
        """Requests a URL, writes the unpacked body of a 200 into a file, and returns the status.

        Up to five redirects are followed on the host. Those to another host raise OtherHostError.
        Raises NetworkError if the answer is incomplete, or has more than `limit` bytes.
        """
        place = url  # changes with each redirect
        with self._limited(url):
            for _ in range(_REDIRECTS + 1):
                with self._request("GET", place, _NO_CACHE) as response:
                    target = response.get_redirect_location()
                    if not target:
                        if response.status == 200:
                            _save(response, into, limit, url)
                        return response.status
                location = urljoin(place, target)
                if not _stays_on_host(place, location):
                    raise OtherHostError(f"{url}: redirects to {location}, another host")
                place = location
        raise NetworkError(f"{url}: redirects more than {_REDIRECTS} times")

    @contextmanager
    def _limited(self, url: str) -> Iterator[None]:
        """Limits the time in which the `with` block may send a request and read the answer.

        Raises NetworkError if the request fails, or is not done at the deadline: "https://a.example/:
        took longer than 300 seconds".

        urllib3 only limits the time between two bytes. So a thread closes the connections at the
        deadline, and the request fails with an error about its connection.
        """
        failure: NetworkError | None = None
        self._is_late = False  # the thread sets it at the deadline
        has_ended = Event()
        watch = Thread(target=self._end_in_time, args=(has_ended,), daemon=True)
        watch.start()
        try:
            yield
        except NetworkError as error:
            failure = error
        except (exceptions.HTTPError, ValueError) as error:
            failure = NetworkError(f"{url}: {_in_words(error, url)}")
            failure.__cause__ = error
        finally:
            has_ended.set()
            watch.join()
        # Only now is it known whether the deadline was the reason of a failure.
        if self._is_late:
            raise NetworkError(f"{url}: took longer than {self._max_seconds:g} seconds")
        if failure:
            raise failure

    def _end_in_time(self, has_ended: Event) -> None:
        """Closes all connections when the time for a call is over, so that the call fails.

        Runs in a thread of its own. `has_ended` is set when the call ends: within its time, nothing
        is closed. A late call may still open more connections, as for the next redirect. So they
        are closed again every tenth of a second, until the call has ended.
        """
        pause = self._max_seconds  # for the first time
        while not has_ended.wait(pause):
            self._is_late = True
            for open_socket in tuple(self._sockets):
                with suppress(OSError):  # it is closed
                    # Not SSLSocket's own method, which would remove the encryption during a read.
                    socket.socket.shutdown(open_socket, socket.SHUT_RDWR)
            pause = _LATE_PAUSE

    def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> urllib3.BaseHTTPResponse:
        """Sends a request, through the proxy for its URL if there is one, and reads its headers.

        The body is still to be read. No redirect is followed, and nothing is tried again.
        """
        proxy = self._proxy_for(url)  # "" for direct connections
        if proxy not in self._managers:
            self._managers[proxy] = self._connect(proxy)
        sent = {"User-Agent": f"sitemapper/{__version__}", **headers}
        return self._managers[proxy].request(
            method,
            url,
            body or None,
            headers=sent,
            redirect=False,
            retries=False,
            preload_content=False,
        )

    def _proxy_for(self, url: str) -> str:
        """Finds the proxy for a URL, "" for none.

        In no_proxy, `example.com` also means its subdomains, and `example.com:8080` one port.
        """
        parts = urlsplit(url)
        if proxy_bypass_environment(parts.netloc, dict(self._proxies)):
            return ""
        return self._proxies.get(parts.scheme) or self._proxies.get("all", "")

    def _connect(self, proxy: str) -> urllib3.PoolManager:
        """Makes a pool of connections that go through a proxy, or of direct ones if it is "".

        `http://name:password@proxy.example:3128` → the proxy gets this name and this password.
        """
        if proxy:
            login = None
            name_and_password = urllib3.util.parse_url(proxy).auth
            if name_and_password:
                login = urllib3.make_headers(proxy_basic_auth=unquote(name_and_password))
            manager: urllib3.PoolManager = urllib3.ProxyManager(
                proxy, timeout=self._timeout, proxy_headers=login
            )
        else:
            manager = urllib3.PoolManager(timeout=self._timeout)
        # A proxy may well have a private address, and decides itself what may be requested.
        public_only = self._public_only and not proxy
        manager.pool_classes_by_scheme = _watched_pools(self._sockets, public_only=public_only)
        return manager


def _in_words(error: exceptions.HTTPError | ValueError, url: str) -> str:
    """Says why a request failed, without urllib3's name of a connection.

    "<urllib3.connection.HTTPConnection object at 0x7f00>: Failed to …" → "Failed to …".
    """
    if isinstance(error, exceptions.NameResolutionError):
        return f"the host {urlsplit(url).hostname} does not exist, or the DNS does not answer"
    if error.args[0] == "Connection aborted.":
        return "the connection was closed"
    return _CONNECTION_NAME.sub("", str(error.args[0]))


def _stays_on_host(url: str, target: str) -> bool:
    """Whether a redirect may be followed: it stays on the host, and does not leave https.

    http://a.example/b → https://a.example/b   True
    https://a.example/b → http://a.example/b   False: a secret header could be read on the way
    https://a.example/b → https://c.example/b  False
    """
    old = urlsplit(url)
    new = urlsplit(target)
    if (old.scheme, old.netloc) == (new.scheme, new.netloc):
        return True
    is_upgrade = old.scheme == "http" and new.scheme == "https"
    return is_upgrade and old.hostname == new.hostname


def _watched_pools(
    sockets: WeakSet[socket.socket], *, public_only: bool
) -> dict[str, type[urllib3.HTTPConnectionPool]]:
    """Makes classes of connections for urllib3, by scheme, that add their sockets to `sockets`.

    So a client can close all sockets at its deadline. With `public_only`, a connection to a private
    address fails.
    """

    class WatchedHTTPConnection(HTTPConnection):
        def __setattr__(self, name: str, value: object) -> None:
            """Sets an attribute of the connection. If it is the socket, adds that to `sockets`.

            urllib3 has no other place for this. After it has stored a new socket, it talks to a
            proxy or begins TLS at once, which may block. Nothing is sent yet, and the real address
            of the host is known, so a private address can be refused.
            """
            if isinstance(value, socket.socket):
                sockets.add(value)
                if public_only and not _is_public(value.getpeername()[0]):
                    value.close()
                    raise exceptions.NewConnectionError(self, f"{self.host} is a private address")
            super().__setattr__(name, value)

    class WatchedHTTPSConnection(WatchedHTTPConnection, HTTPSConnection):
        pass

    # urllib3 takes a class of pools, and a pool takes its connections from `ConnectionCls`.
    class WatchedHTTPConnectionPool(urllib3.HTTPConnectionPool):
        ConnectionCls = WatchedHTTPConnection

    class WatchedHTTPSConnectionPool(urllib3.HTTPSConnectionPool):
        ConnectionCls = WatchedHTTPSConnection

    return {"http": WatchedHTTPConnectionPool, "https": WatchedHTTPSConnectionPool}


def _is_public(address: str) -> bool:
    """Whether an address is on the public internet. Raises ValueError if it is no address."""
    without_zone, _, _ = address.partition("%")  # "fe80::1%eth0" (RFC 4007)
    ip = ip_address(without_zone)
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:  # "::ffff:127.0.0.1"
        return ip.ipv4_mapped.is_global
    return ip.is_global


def is_private_name(host: str) -> bool:
    """Whether a host is a private address or this machine, by its name alone.

    True for 192.168.0.1, ::1 and localhost. False for other names, which are not looked up.
    """
    try:
        return not _is_public(host)
    except ValueError:  # a name, not an address
        return host == "localhost" or host.endswith(".localhost")


def is_unknown_host(host: str, error: NetworkError) -> bool:
    """Whether a request failed because the name of the host does not exist.

    False if no name can be resolved at all, because the network may be down.
    """
    # urllib3's error has that of the system as its cause.
    resolution_error = error.__cause__
    if not isinstance(resolution_error, exceptions.NameResolutionError):
        return False
    cause = resolution_error.__cause__
    is_unknown = isinstance(cause, socket.gaierror) and cause.errno in _UNKNOWN_NAME
    if not is_unknown:
        return False
    if host.endswith(_NO_NAME):  # such as a.invalid, which never exists
        return True
    # Some systems call each name unknown if the network is down, so ask for one that exists.
    try:
        return bool(socket.getaddrinfo(_KNOWN_NAME, 443))
    except OSError:
        return False


def _retry_after(text: str | None) -> float | None:
    """Reads the seconds of a `Retry-After`, at most an hour: "120" → 120.0. A date is read too.

    None if there is none, or if it is invalid. A date so late that Python has no such year gives an
    hour, as any late date does.
    """
    try:
        seconds = urllib3.Retry(0).parse_retry_after(text or "")  # for its parser; nothing is sent
    except exceptions.InvalidHeader:  # also for ""
        return None
    except (ValueError, OverflowError):  # a year outside the calendar
        return _MAX_RETRY_AFTER
    return min(seconds, _MAX_RETRY_AFTER)


def _save(response: urllib3.BaseHTTPResponse, into: IO[bytes], limit: int, url: str) -> None:
    """Writes the unpacked body of a response into a file.

    Raises NetworkError if it has more than `limit` bytes, or an encoding other than gzip.
    """
    if response.headers.get("Content-Encoding", "").strip().lower() not in _ENCODINGS:
        raise NetworkError(f"{url}: has an unknown content encoding")
    size = 0
    for block in response.stream(_BLOCK):
        size += into.write(block)
        if size > limit:
            raise NetworkError(f"{url}: is larger than {limit:,} bytes")


class Fetcher:
    """Requests URLs, `rate` of them a second, until `max_time` seconds or the limit of bytes.

    Four requests are under way at a time, so that a slow answer does not stop the others. A rate of
    0 is no limit. After an answer 429 or 503, which ask to slow down, the rate is halved.
    """

    def __init__(
        self,
        connect: Callable[[], Client],
        headers: Mapping[str, str],
        rate: float,
        max_time: float,
    ) -> None:
        """Starts the threads that send requests. `connect` makes the client of a thread."""
        self.is_over = False  # a limit of the run was reached
        self._connect = connect
        self._headers = {"Accept-Encoding": "gzip", "Cache-Control": "no-cache", **headers}
        # The limits. Times are in seconds by the monotonic clock.
        self._interval = 1 / rate if rate else 0.0  # between two requests
        self._next_turn = 0.0  # when the next request may be sent
        self._paused_until = 0.0  # the host has asked to wait
        self._end = time.monotonic() + max_time
        self._bytes_left = _MAX_RUN_BYTES
        self._lock = Lock()  # held while one of the limits changes
        # The threads, each with its own client in `_local`.
        self._stop = Event()
        self._local = local()
        self._threads = ThreadPoolExecutor(_CONNECTIONS)

    @property
    def rate(self) -> float:
        """Tells how many requests are sent a second, 0 for no limit."""
        return 1 / self._interval if self._interval else 0.0

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._threads.shutdown(cancel_futures=True)

    def get(self, url: str, limit: int) -> Answer:
        """Requests one URL, and returns the answer, of at most `limit` bytes.

        If the run is over, nothing is requested, and the status is 0.
        """
        for _, answer in self.get_all([url], limit):
            return answer
        return Answer(error="was not requested")

    def get_all(self, urls: Iterable[str], limit: int) -> Iterator[tuple[str, Answer]]:
        """Requests URLs, and yields each with its answer, of at most `limit` bytes.

        A URL that fails (no answer, 429 or 5xx) is tried again after all others, up to three times.
        If it fails each time, it comes at the end with its last failure. URLs that were not
        requested before the end of the run are left out.
        """
        failed: dict[str, Answer] = {}  # the last failure of each URL that has not succeeded
        waiting = urls  # to be requested in the next round
        for _try in range(_TRIES):
            for url, answer in self._request_once(waiting, limit):
                may_succeed_later = answer.status >= 500 or answer.status == 429
                if answer.error or may_succeed_later:
                    failed[url] = answer
                else:
                    failed.pop(url, None)
                    yield url, answer
            if not failed:
                return
            waiting = tuple(failed)
        yield from failed.items()

    def wait(self, seconds: float) -> None:
        """Waits so many seconds, but not beyond the end of the run."""
        self._stop.wait(min(seconds, max(0.0, self._end - time.monotonic())))

    def _request_once(self, urls: Iterable[str], limit: int) -> Iterator[tuple[str, Answer]]:
        """Requests each URL once, and yields each with its answer, in the order of the URLs.

        Four threads request URLs at the same time. So the answer for the second URL may arrive
        first, and then waits for that of the first. URLs that were not requested before the end of
        the run are left out.
        """
        waiting = deque(urls)
        submitted: deque[tuple[str, Future[Answer | None]]] = deque()
        while waiting or submitted:
            # Few are submitted ahead, because the caller may stop after any answer.
            while waiting and len(submitted) < 2 * _CONNECTIONS:
                url = waiting.popleft()
                submitted.append((url, self._threads.submit(self._request, url, limit)))
            url, future = submitted.popleft()
            answer = future.result()
            if answer is not None:
                yield url, answer

    def _request(self, url: str, limit: int) -> Answer | None:
        """Waits until a URL may be requested, and requests it. None if the run is over by then.

        Runs in a thread of the pool. Counts the bytes of the answer for the limit of the run. By a
        429 or 503, the host asks for fewer requests, so all threads become slower.
        """
        if not self._wait_for_turn():
            return None
        # Each thread has a client of its own, because at a deadline it closes all its connections.
        if not hasattr(self._local, "client"):
            self._local.client = self._connect()
        client: Client = self._local.client
        answer = client.fetch("GET", url, limit, headers=self._headers)
        with self._lock:
            self._bytes_left -= len(answer.body)
            if answer.status in (429, 503):
                self._slow_down(answer.retry_after)
        return answer

    def _slow_down(self, retry_after: float | None) -> None:
        """Stops all requests for a while, and halves the rate afterwards. Called with the lock.

        `retry_after` are the seconds for which the host asks, None if it names no time:

        - 20 seconds → a pause of 20 seconds
        - an hour → a pause of a minute, the longest one
        - None → a pause of a second
        """
        now = time.monotonic()
        if now < self._paused_until:  # the pause began already; this request was sent before it
            return
        pause = _PAUSE if retry_after is None else retry_after
        self._paused_until = now + min(pause, _MAX_PAUSE)
        self._interval = max(2 * self._interval, _MIN_INTERVAL_AFTER_PAUSE)

    def _wait_for_turn(self) -> bool:
        """Waits until a request may be sent. False if the run is over by then.

        Each thread reserves a time of its own, `_interval` seconds after that of the one before it,
        so that all threads together keep to the rate.
        """
        while True:
            with self._lock:
                now = time.monotonic()
                turn = max(now, self._next_turn, self._paused_until)
                if turn >= self._end or self._bytes_left <= 0:
                    self.is_over = True
                if self.is_over:
                    return False
                self._next_turn = turn + self._interval
            is_stopped = self._stop.wait(turn - now)
            if is_stopped:
                return False
            # The host may have asked for a pause meanwhile. Then another turn is needed.
            if time.monotonic() >= self._paused_until:
                return True
