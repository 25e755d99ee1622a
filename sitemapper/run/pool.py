"""Runs `process` on batches in other processes or on a cluster. Results keep their order.

A window of batches in progress bounds memory.
"""

import contextlib
import gc
import logging
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from functools import lru_cache, partial
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

from .._version import __version__
from ..errors import WorkerError
from ..model import Batch, BatchResult
from ..plan import Plan
from ..posix_signals import deferred_signals
from ..read.walk import NOTHING_YET
from ..syntax.html import tune_malloc

_MOST = 4  # processes for each processor; more would only take memory
_WORKERS_OF_CLUSTER = 8  # that are kept busy by default; --jobs says how many there are
_PATIENCE = 10.0  # seconds without a result before the workers are checked
# Dask's errors when a worker is lost.
_DASK_LOSSES = ("KilledWorker", "CommClosedError", "FutureCancelledError")
_ANSWER = 30.0  # seconds in which all workers must answer, even if they are busy
Process = Callable[[Batch, Plan], BatchResult]
Call = Callable[[Batch], BatchResult]
Start = Callable[[], Executor]


def process_in_pool(
    process: Process, plan: Plan, batches: Iterable[Batch], cores: int
) -> Iterator[tuple[Batch, BatchResult]]:
    """Each batch with its result, in order, from other processes or a cluster.

    `cores` is the number of processors that this process may use.
    Raises WorkerError if they are required and fail.
    """
    shared = pickle.dumps(plan._replace(locks=(), beginning=NOTHING_YET))
    if plan.scheduler is not None:
        workers = plan.jobs or _WORKERS_OF_CLUSTER
        call = partial(_process, process, _code(), shared)
        return Pool(call, cluster(plan.scheduler), workers, must=True).results(batches)
    call = partial(_process, process, None, shared)
    workers = min(plan.jobs or cores, _MOST * cores)
    start = partial(processes, workers, plan.locks)
    return Pool(call, start, workers, must=plan.jobs > 1).results(batches)


def _process(process: Process, code: str | None, plan: bytes, batch: Batch) -> BatchResult:
    """Processes a batch in a worker, which gets the plan packed.

    Raises WorkerError if the worker has other code than `code`, None if it cannot.
    """
    if code not in (None, _code()):
        raise WorkerError(
            f"a worker runs sitemapper {_code()}, this is {code}, so nothing was published",
            "install the same version on all machines, and start the workers again",
        )
    return process(batch, _load_plan(plan))


@lru_cache(maxsize=1)
def _code() -> str:
    """The version with a hash of the code, because other code may write different bytes."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    code_hash = blake2b(b"".join(file.read_bytes() for file in files), digest_size=4)
    return f"{__version__} ({code_hash.hexdigest()})"


@lru_cache(maxsize=1)
def _load_plan(plan: bytes) -> Plan:
    """The plan of the run. A worker unpacks it once, for its first batch."""
    loaded: Plan = pickle.loads(plan)
    if loaded.read_options.reads:
        tune_malloc()
    return loaded


class Pool:
    """Sends batches to the workers of an executor, and returns the results in order.

    So many batches are on their way at once that each worker has one to do and one to begin next.
    If a worker dies, the executor is started again once, and these batches are sent again.

    No call is ever cancelled, because a pool that breaks with a cancelled call never ends (CPython
    3.11). If no worker can be started, this process does the work, unless the user asked for
    workers (`must`).
    """

    def __init__(self, call: Call, start: Start, workers: int, *, must: bool) -> None:
        self._call = call
        self._start: Start | None = start  # None if no worker can be started
        self._must = must
        self._window = 2 * workers + 1  # batches that are on their way
        self._pending: deque[tuple[Batch, Future[BatchResult]]] = deque()
        self._executor: Executor | None = None
        self._lost = False

    def results(self, batches: Iterable[Batch]) -> Iterator[tuple[Batch, BatchResult]]:
        """Each batch with its result, in order. Raises WorkerError if workers die twice."""
        try:
            for batch in batches:
                self._pending.append((batch, self._submit(batch)))
                if len(self._pending) >= self._window:
                    yield self._first()
            while self._pending:
                yield self._first()
        except BaseException:  # also if no more results are needed, as after a signal
            self._kill()
            raise
        finally:
            self._stop()

    def _submit(self, batch: Batch) -> Future[BatchResult]:
        """Sends a batch to a worker, or processes it here if no worker can be started.

        Starts the workers for the first batch. If they have died, the future has the error, so that
        `_first` finds it when this batch is the oldest.
        """
        future: Future[BatchResult] = Future()
        try:
            if self._start:
                with deferred_signals():  # the first call forks
                    self._executor = self._executor or self._start()
                    return self._executor.submit(self._call, batch)
        except BrokenExecutor as error:
            future.set_exception(error)
            return future
        except (OSError, RuntimeError, ImportError, NotImplementedError, MemoryError) as error:
            if self._must:
                what = f"no other process can be started here ({error})"
                raise WorkerError(what, "run with --jobs 1") from None
            self._start = self._executor = None
        future.set_result(self._call(batch))
        return future

    def _first(self) -> tuple[Batch, BatchResult]:
        """Waits for the oldest batch, and returns it with its result.

        If a worker was lost, all batches are sent again.
        """
        batch, future = self._pending[0]
        self._wait_for(future)
        try:
            result = future.result()
        except Exception as error:
            if not _is_lost_worker(error):
                raise
            self._send_again(error)
            return self._first()
        self._pending.popleft()
        return batch, result

    def _wait_for(self, future: Future[BatchResult]) -> None:
        """Waits for a result. Ends the wait for one that can never come."""
        while not future.done() and not wait([future], _PATIENCE).done:
            if isinstance(self._executor, _Cluster):
                self._executor.check()
            elif not all(worker.is_alive() for worker in self._workers()):
                # The others wait for the lock of one that died while it sent its result.
                self._kill()

    def _send_again(self, error: Exception) -> None:
        """Sends all lost calls again, once. Raises WorkerError the second time."""
        if self._lost:
            raise WorkerError(
                f"two workers died ({type(error).__name__}), so nothing was published",
                "use fewer --jobs, because workers usually die when memory runs out",
            ) from error
        self._lost = True
        self._kill()
        self._stop()
        self._pending = deque((batch, self._submit(batch)) for batch, _ in self._pending)

    def _kill(self) -> None:
        """Kills the workers of this machine, even if they are busy. They only read."""
        for worker in self._workers():
            worker.kill()
        calls = getattr(self._executor, "_call_queue", None)
        if calls and sys.version_info < (3, 11, 5):
            # CPython waits for the rest of a call that no worker will read, as long as this
            # process could read it (https://github.com/python/cpython/issues/94777). Later
            # versions close this end themselves, in a thread of their own.
            calls._reader.close()
        results = getattr(self._executor, "_result_queue", None)
        if results:
            # CPython waits for the rest of a partial result as long as this process could write it.
            results._writer.close()

    def _workers(self) -> list[Any]:
        """The processes on this machine. None for a cluster, or before the first call."""
        process_by_id = getattr(self._executor, "_processes", None) or {}
        return list(process_by_id.values())

    def _stop(self) -> None:
        """Closes the executor. The next call starts another one."""
        if self._executor:
            # Waits for the processes, because Python complains about those that end when it exits.
            self._executor.shutdown(wait=not isinstance(self._executor, _Cluster))
        self._executor = None


def _is_lost_worker(error: Exception) -> bool:
    """Whether an error says that a worker ended, not that the work went wrong."""
    is_local = isinstance(error, (BrokenExecutor, CancelledError))
    return is_local or type(error).__name__ in _DASK_LOSSES


def processes(workers: int, locks: tuple[int, ...] = ()) -> Executor:
    """A pool of processes on this machine, which start in the fastest way that is safe.

    A process that inherits the run's `locks`, which are descriptors, closes them.
    """
    # Imported here: most runs need no second process.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A fork takes 20 ms, a new interpreter 400. It is safe while there is only one thread.
    is_fork_safe = sys.platform == "linux" and threading.active_count() == 1
    method = "fork" if is_fork_safe else "spawn"
    inherited = locks if is_fork_safe else ()
    context = multiprocessing.get_context(method)
    return ProcessPoolExecutor(workers, context, _init_worker, (inherited,))


def _init_worker(locks: tuple[int, ...]) -> None:
    """Prepares a worker: it ignores signals, and ends when the main process ends."""
    gc.disable()  # the work makes no reference cycles
    for descriptor in locks:  # inherited, and locked while any process has it open
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):  # last, because a signal may be waiting
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Waits until the main process has ended, and ends this worker."""
    # Imported here, as in `processes`.
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def cluster(address: str) -> Start:
    """A function that connects to a Dask scheduler. It raises WorkerError if there is none."""

    def start() -> Executor:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise WorkerError(
                "--scheduler needs Dask",
                "install it here and on each worker: pip install 'dask[distributed]'",
            ) from None
        # They log closed connections, which are reported as an error here.
        for name in [*logging.root.manager.loggerDict, "tornado.application"]:
            if name.startswith(("distributed", "tornado")):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            call = partial(distributed.Client, address, timeout=_PATIENCE, set_as_default=False)
            client = _with_timeout(2 * _PATIENCE, call)
        except TypeError:  # of a tls:// address without a certificate
            raise WorkerError(
                f"--scheduler {address}: Dask has no TLS settings",
                "set distributed.comm.tls in its configuration",
            ) from None
        except (OSError, ValueError) as error:
            why = str(error) or "timed out"
            raise WorkerError(
                f"--scheduler {address}: no answer ({why})", "start one with `dask scheduler`"
            ) from None
        return _Cluster(client)

    return start


def _with_timeout(seconds: float, call: Callable[[], Any]) -> Any:
    """The result of a call that may never return. Raises TimeoutError."""
    answer: Future[Any] = Future()

    def ask() -> None:
        try:
            answer.set_result(call())
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            answer.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    return answer.result(seconds)


class _Cluster(Executor):
    """Dask's executor. It does not close its client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        # Results are never reused, because the same batch may read other bytes the next time.
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Sends the call to a worker."""
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        return future

    def check(self) -> None:
        """Raises WorkerError if no worker is left, or one does not answer."""
        try:
            workers = _with_timeout(
                _ANSWER, partial(self._client.run, os.getpid, on_error="ignore")
            )
        except TimeoutError:
            raise WorkerError(
                f"the cluster has not answered for {_ANSWER:g} seconds, so nothing was published",
                (
                    "start the scheduler and the workers again; one of them is frozen or cannot "
                    "be reached"
                ),
            ) from None
        except OSError:
            workers = {}
        if not workers:
            raise WorkerError(
                "the cluster has no worker, so nothing was published",
                "start `dask worker` where this version of sitemapper is installed; a worker that "
                "ends at "
                "once says why in its own log",
            )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Closes the connection, even if nobody answers. The scheduler then drops the calls."""
        with contextlib.suppress(OSError):
            self._client.close(timeout=_PATIENCE)
