"""Many requests to one host, politely: a rate, few connections, the pauses that it asks for, three tries."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, Lock, local

from .client import Answer, Client

_CONNECTIONS = 4
_TRIES = 3
_PAUSE, _MAX_PAUSE = 1.0, 60.0  # seconds after 429 and 503: without a Retry-After, and at most
_SLOWEST = 0.1  # seconds between requests once a host without a rate asks for a pause
_MAX_RUN_BYTES = 2_000_000_000


class Fetcher:
    """Gets URLs at `rate` a second (0: no limit), until the time or the bytes of a run are over."""

    def __init__(
        self, connect: Callable[[], Client], headers: Mapping[str, str], rate: float, max_time: float
    ) -> None:
        self.is_over = False
        self._connect = connect
        self._headers = {"Accept-Encoding": "gzip", "Cache-Control": "no-cache", **headers}
        self._interval = 1 / rate if rate else 0.0
        self._next = self._paused = 0.0
        self._end = time.monotonic() + max_time
        self._bytes = _MAX_RUN_BYTES
        self._lock, self._stop, self._local = Lock(), Event(), local()
        self._threads = ThreadPoolExecutor(_CONNECTIONS)

    @property
    def rate(self) -> float:
        """The requests a second, 0 for no limit."""
        return 1 / self._interval if self._interval else 0.0

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._threads.shutdown(cancel_futures=True)

    def get(self, url: str, limit: int) -> Answer:
        """The answer for one URL; without a status if the run is over."""
        return next((answer for _, answer in self.get_all([url], limit)), Answer(error="was not requested"))

    def get_all(self, urls: Iterable[str], limit: int) -> Iterator[tuple[str, Answer]]:
        """The answers, those that had failed at the end; none for what is left when the run is over."""
        failed: dict[str, Answer] = {}
        for _ in range(_TRIES):
            for url, answer in self._round(failed or urls, limit):
                if answer.error or answer.status >= 500 or answer.status == 429:
                    failed[url] = answer
                else:
                    failed.pop(url, None)
                    yield url, answer
            if not failed:
                return
        yield from failed.items()

    def wait(self, seconds: float) -> None:
        """Waits, but not beyond the end of the run."""
        self._stop.wait(min(seconds, max(0.0, self._end - time.monotonic())))

    def _round(self, urls: Iterable[str], limit: int) -> Iterator[tuple[str, Answer]]:
        waiting = deque(urls)
        window: deque[tuple[str, Future[Answer | None]]] = deque()
        while waiting or window:
            while waiting and len(window) < 2 * _CONNECTIONS:
                window.append((waiting[0], self._threads.submit(self._ask, waiting.popleft(), limit)))
            url, future = window.popleft()
            if answer := future.result():
                yield url, answer

    def _ask(self, url: str, limit: int) -> Answer | None:
        if not self._has_turn():
            return None
        if not hasattr(self._local, "client"):
            self._local.client = self._connect()  # a client closes all its connections at a deadline
        client: Client = self._local.client
        answer = client.fetch("GET", url, limit, headers=self._headers)
        with self._lock:
            self._bytes -= len(answer.body)
            now = time.monotonic()
            if answer.status in (429, 503) and now >= self._paused:
                pause = _PAUSE if answer.retry_after is None else answer.retry_after
                self._paused = now + min(pause, _MAX_PAUSE)
                self._interval = max(2 * self._interval, _SLOWEST)
        return answer

    def _has_turn(self) -> bool:
        """Waits for the next turn; False if the run is over."""
        while True:
            with self._lock:
                now = time.monotonic()
                turn = max(now, self._next, self._paused)
                self.is_over = self.is_over or turn >= self._end or self._bytes <= 0
                if self.is_over:
                    return False
                self._next = turn + self._interval
            if self._stop.wait(turn - now):
                return False
            if time.monotonic() >= self._paused:
                return True
