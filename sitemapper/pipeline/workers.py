"""Calls on many items: here, in processes of this machine, or on a cluster; results in order.

Memory is bounded by a window of calls under way. This process takes calls too while the others are busy
or not there yet, so that a pool costs no waiting.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from importlib import import_module
from typing import Any, Generic, TypeVar

from sitemapper.errors import WorkerError

Item = TypeVar("Item")
Result = TypeVar("Result")
Start = Callable[[], Executor]
_PATIENCE = 10.0  # seconds without a result, before a cluster is asked for its workers


class Pool(Generic[Item, Result]):
    """One way to make the calls: a function, what starts an executor, how many workers that has.

    No call is ever cancelled: a pool that breaks while it holds a cancelled one never ends
    (CPython 3.11). So few are sent ahead, and this process takes from those that are not sent yet.
    """

    def __init__(self, call: Callable[[Item], Result], start: Start, workers: int) -> None:
        self._call = call
        self._start = start
        self._flying = 2 * workers
        self._window = 2 * workers + 4
        self._pending: deque[tuple[Item, Future[Result] | None]] = deque()
        self._executor: Executor | None = None
        self._restarts = 0

    def results(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Each item with its result, in order.

        Raises WorkerError if workers die twice, and whatever a call raises.
        """
        try:
            for item in items:
                self._pending.append((item, None))
                self._send()
                if len(self._pending) >= self._window:
                    yield self._first()
            while self._pending:
                yield self._first()
        finally:
            self._stop()

    def _send(self) -> None:
        """Sends the next calls, as many as keep the workers busy."""
        flying = sum(future is not None and not future.done() for _, future in self._pending)
        for n, (item, future) in enumerate(self._pending):
            if flying >= self._flying:
                return
            if future is None:
                self._pending[n] = item, self._submit(item)
                flying += 1

    def _submit(self, item: Item) -> Future[Result]:
        if self._executor is None:
            self._executor = self._start()
        try:
            return self._executor.submit(self._call, item)
        except BrokenExecutor as error:
            return _failed(error)
        except OSError as error:  # no process can be started
            return _failed(BrokenExecutor(str(error)))

    def _first(self) -> tuple[Item, Result]:
        self._send()
        item, future = self._pending[0]
        while future is None or not future.done():
            idle = not self._take_one() and not wait([future] if future else [], _PATIENCE).done
            if idle and isinstance(self._executor, _Cluster):
                self._executor.check()
            self._send()
            item, future = self._pending[0]
        try:
            result = future.result()
        except Exception as error:
            if not _is_loss(error):
                raise
            self._restart(error)
            return self._first()
        self._pending.popleft()
        return item, result

    def _take_one(self) -> bool:
        """Makes one call here that is not sent yet; whether there was one."""
        for n, (item, future) in enumerate(self._pending):
            if future is None:
                done: Future[Result] = Future()
                done.set_result(self._call(item))
                self._pending[n] = item, done
                return True
        return False

    def _restart(self, error: BaseException) -> None:
        """Begins all calls again that a dead worker took with it; once."""
        self._restarts += 1
        if self._restarts > 1:
            raise WorkerError(
                f"a worker died, and so did the one in its place ({type(error).__name__}), so nothing was "
                "published. Most die for want of memory: take fewer with --jobs"
            ) from error
        self._stop()
        for n, (item, future) in enumerate(self._pending):
            kept = (
                future is not None and future.done() and not future.cancelled() and future.exception() is None
            )
            self._pending[n] = item, future if kept else None

    def _stop(self) -> None:
        if self._executor:
            # Processes are waited for: Python complains at its own end about those that go at that moment.
            self._executor.shutdown(wait=not isinstance(self._executor, _Cluster))
        self._executor = None


def _failed(error: BaseException) -> Future[Result]:
    future: Future[Result] = Future()
    future.set_exception(error)
    return future


def _is_loss(error: BaseException) -> bool:
    """Whether the worker was lost rather than the call wrong (Dask's errors are known by name)."""
    names = {"KilledWorker", "CommClosedError", "FutureCancelledError"}
    return isinstance(error, (BrokenExecutor, CancelledError)) or type(error).__name__ in names


def processes(workers: int, *, must: bool) -> Start:
    """Starts processes of this machine, whose modules are imported once.

    Where none can be started (sandboxes without semaphores) that is a WorkerError if there `must` be some,
    because the user asked for them; else a thread does their part.
    """

    def start() -> Executor:
        # Imported here: most runs need no second process.
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

        methods = multiprocessing.get_all_start_methods()
        # A fork takes 20 ms where a new interpreter takes 400; it is safe while there is one thread.
        alone = sys.platform == "linux" and threading.active_count() == 1
        method = "fork" if alone else "forkserver" if "forkserver" in methods else "spawn"
        context = multiprocessing.get_context(method)
        if method == "forkserver":
            context.set_forkserver_preload(["sitemapper.pipeline.processes"])
        try:
            return ProcessPoolExecutor(workers, context, _begin)
        except (OSError, ImportError, NotImplementedError) as error:
            if must:
                raise WorkerError(
                    f"no other process can be started here ({error}); run with --jobs 1"
                ) from None
            return ThreadPoolExecutor(1)

    return start


def _begin() -> None:
    """Makes a process ours: Ctrl-C is for the one that the user started, and nothing makes cycles."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def cluster(address: str) -> Start:
    """Connects to a Dask scheduler. Raises WorkerError where there is none."""

    def start() -> Executor:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise WorkerError(
                "--engine dask needs Dask: pip install 'static-sitemapper[dask]', here and on each worker"
            ) from None
        # What they log about connections that end is told as an error here.
        for name in [*logging.root.manager.loggerDict, "tornado.application"]:
            if name.startswith(("distributed", "tornado")):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            client = distributed.Client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise WorkerError(
                f"--scheduler {address}: nobody answers there ({error}); start one with `dask scheduler`"
            ) from None
        return _Cluster(client)

    return start


class _Cluster(Executor):
    """Dask's executor, which leaves its client open."""

    def __init__(self, client: Any) -> None:
        self._client = client
        # Results are never reused: the same batch may read other bytes the next time.
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Sends the call to a worker."""
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        return future

    def check(self) -> None:
        """Raises WorkerError if nobody is left to make the calls."""
        try:
            workers = self._client.scheduler_info()["workers"]
        except (OSError, KeyError):
            workers = {}
        if not workers:
            raise WorkerError(
                "the cluster has no worker, so nothing was published. Start `dask worker` where sitemapper "
                "of this version is installed; a worker that ends at once says why in its own log"
            )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the connection."""
        self._executor.shutdown(wait=wait)
        self._client.close()


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
