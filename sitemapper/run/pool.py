"""Runs `process` on batches in other processes or on a cluster. Results keep their order.

Only some batches are sent at a time, so that memory does not grow with the site.
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

_MAX_PROCESSES_PER_CORE = 4  # more would only take memory
_DEFAULT_CLUSTER_WORKERS = 8  # that are kept busy if --jobs does not say how many there are
_PATIENCE = 10.0  # seconds without a result before the workers are checked
# Dask's errors when a worker is lost.
_LOST_WORKER_ERRORS_OF_DASK = ("KilledWorker", "CommClosedError", "FutureCancelledError")
_CLUSTER_TIMEOUT = 30.0  # seconds in which all workers must answer, even if they are busy
Process = Callable[[Batch, Plan], BatchResult]
Call = Callable[[Batch], BatchResult]
StartExecutor = Callable[[], Executor]


def process_in_pool(
    process: Process, plan: Plan, batches: Iterable[Batch], cores: int
) -> Iterator[tuple[Batch, BatchResult]]:
    """Processes batches in other processes or on a cluster, and yields each with its result.

    The results come in the order of the batches. `cores` is the number of processors that this
    process may use.

    If no worker can be started, this process does the work itself. But with `--scheduler`, or
    `--jobs 2` or more, the user requires workers, and WorkerError is raised.
    """
    # Workers neither lock files nor walk the site, so they get the plan without these parts.
    shared = pickle.dumps(plan._replace(locks=(), beginning=NOTHING_YET))
    if plan.scheduler is not None:
        workers = plan.jobs or _DEFAULT_CLUSTER_WORKERS
        # Other machines may have another version, so each worker compares its code with this one.
        call = partial(_process, process, _version_and_code_hash(), shared)
        connect = partial(connect_to_cluster, plan.scheduler)
        pool = Pool(call, connect, workers, requires_workers=True)
        return pool.results(batches)
    call = partial(_process, process, None, shared)
    workers = min(plan.jobs or cores, _MAX_PROCESSES_PER_CORE * cores)
    start_processes = partial(processes, workers, plan.locks)
    pool = Pool(call, start_processes, workers, requires_workers=plan.jobs > 1)
    return pool.results(batches)


def _process(process: Process, code: str | None, plan: bytes, batch: Batch) -> BatchResult:
    """Processes a batch in a worker. `plan` is the pickled plan of the run.

    `code` is the version and code hash of the main process, or None for a worker on the same
    machine, which has the same code. Raises WorkerError if a worker of a cluster has other code.
    """
    if code is not None and code != _version_and_code_hash():
        raise WorkerError(
            f"a worker runs sitemapper {_version_and_code_hash()}, but this machine runs {code}, "
            "so nothing was published",
            "install the same version on all machines, and start the workers again",
        )
    return process(batch, _load_plan(plan))


@lru_cache(maxsize=1)
def _version_and_code_hash() -> str:
    """Names the version of sitemapper with a hash of its source code: `1.0.0 (3f0c9a1b)`.

    Two machines with the same version may have different code, which may write different bytes.
    """
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    code_hash = blake2b(b"".join(file.read_bytes() for file in files), digest_size=4)
    return f"{__version__} ({code_hash.hexdigest()})"


@lru_cache(maxsize=1)
def _load_plan(plan: bytes) -> Plan:
    """Unpickles the plan of the run, in a worker. It does this once, because batches share it."""
    loaded: Plan = pickle.loads(plan)
    if loaded.read_options.reads:
        tune_malloc()
    return loaded


class Pool:
    """Sends batches to the workers of an executor, and returns the results in order.

    For each worker, two batches are pending: one in work, and the next one. One more waits for all
    workers together. If a worker dies, new workers are started, and all pending batches are sent
    again. If a worker dies once more, the run ends with an error.

    If no worker can be started, this process does the work. With `requires_workers`, that is an
    error instead. No call is ever cancelled, because in CPython 3.11 an executor that breaks with a
    cancelled call never ends.
    """

    def __init__(
        self, call: Call, start: StartExecutor, workers: int, *, requires_workers: bool
    ) -> None:
        """Makes a pool, which starts its workers when the first batch comes.

        `call` is what a worker does with a batch. `start` makes the executor, whose number of
        worker processes is `workers`. If they cannot be started, this process does the work. With
        `requires_workers`, the run ends with a WorkerError instead.
        """
        self._call = call
        self._requires_workers = requires_workers
        # For each worker, one batch in work and one that waits for it. One more batch for the
        # worker that is done while this process takes a result. Any more would only take memory.
        self._max_pending = 2 * workers + 1
        # The batches that were sent, the oldest first, each with its future result.
        self._pending: deque[tuple[Batch, Future[BatchResult]]] = deque()
        # None if no worker could be started.
        self._start_executor: StartExecutor | None = start
        # None before the first batch, and while no worker runs.
        self._executor: Executor | None = None
        self._has_lost_worker = False

    def results(self, batches: Iterable[Batch]) -> Iterator[tuple[Batch, BatchResult]]:
        """Yields each batch with its result, in order. Raises WorkerError if workers die twice."""
        try:
            for batch in batches:
                self._pending.append((batch, self._submit(batch)))
                if len(self._pending) >= self._max_pending:
                    yield self._take_first_result()
            while self._pending:
                yield self._take_first_result()
        # Also GeneratorExit, if the caller needs no more results, and KeyboardInterrupt.
        except BaseException:
            self._kill_workers()
            raise
        finally:
            self._close_executor()

    def _submit(self, batch: Batch) -> Future[BatchResult]:
        """Sends a batch to a worker, and returns its future result.

        The workers are started for the first batch. What may go wrong:

        - The workers have died: the future has the error, and `_take_first_result` starts others.
        - No worker can be started: this process does the work, for this batch and all later ones.
          If the user requires workers, WorkerError is raised instead.
        """
        future: Future[BatchResult] = Future()
        try:
            if self._start_executor:
                # The first call starts processes. Ctrl-C waits until all of them are started.
                with deferred_signals():
                    self._executor = self._executor or self._start_executor()
                    return self._executor.submit(self._call, batch)
        except BrokenExecutor as error:  # the workers have died
            future.set_exception(error)
            return future
        except (OSError, RuntimeError, ImportError, NotImplementedError, MemoryError) as error:
            if self._requires_workers:
                what = f"no other process can be started here ({error})"
                raise WorkerError(what, "run with --jobs 1") from None
            self._start_executor = None  # do not try again for later batches
            self._executor = None
        # There are no workers, so this process does the work.
        future.set_result(self._call(batch))
        return future

    def _take_first_result(self) -> tuple[Batch, BatchResult]:
        """Waits for the oldest batch, removes it from `_pending`, and returns it with its result.

        If a worker died, all pending batches are sent again first. Raises what the work raised.
        """
        batch, future = self._pending[0]
        self._wait_for(future)
        try:
            result = future.result()
        except Exception as error:
            if not _is_lost_worker(error):
                raise
            self._send_all_again(error)
            return self._take_first_result()
        self._pending.popleft()
        return batch, result

    def _wait_for(self, future: Future[BatchResult]) -> None:
        """Waits until a future has a result or an error.

        Every ten seconds, it checks whether the workers live, because a dead one gives no result.
        If one on this machine is dead, all are killed, and the executor sets an error in the
        future. Raises WorkerError if the workers of a cluster do not answer.
        """
        while not future.done():
            wait([future], _PATIENCE)
            if future.done():
                return
            if isinstance(self._executor, _ClusterExecutor):
                self._executor.check()
            elif not all(worker.is_alive() for worker in self._local_workers()):
                # A worker that died while it sent a result holds a lock. The others would wait for
                # this lock for ever.
                self._kill_workers()

    def _send_all_again(self, error: Exception) -> None:
        """Starts new workers, and sends all pending batches again.

        Raises WorkerError the second time, because a batch probably needs too much memory.
        """
        if self._has_lost_worker:
            raise WorkerError(
                f"two workers died ({type(error).__name__}), so nothing was published",
                "use fewer --jobs, because workers usually die when memory runs out",
            ) from error
        self._has_lost_worker = True
        self._kill_workers()
        self._close_executor()
        self._pending = deque((batch, self._submit(batch)) for batch, _ in self._pending)

    def _kill_workers(self) -> None:
        """Kills the workers of this machine, even if they are busy. They write no files.

        The executor has two threads in this process, and `_close_executor` waits for both. One
        writes calls into a pipe, and the workers read them. The other reads results from a second
        pipe, into which the workers write. This process also has the workers' ends of both pipes
        open. So the threads do not notice that the workers are dead, and would wait for ever.

        To stop them, the workers' ends are closed here, too. The executor has no public way to do
        that.
        """
        for worker in self._local_workers():
            worker.kill()
        calls = getattr(self._executor, "_call_queue", None)
        # Since 3.11.5, CPython closes this end itself, in a thread of its own:
        # https://github.com/python/cpython/issues/94777.
        is_reader_left_open = sys.version_info < (3, 11, 5)
        if calls and is_reader_left_open:
            calls._reader.close()  # so that nobody can read calls, and the thread stops writing
        results = getattr(self._executor, "_result_queue", None)
        if results:
            results._writer.close()  # so that nobody can write results, and the thread stops

    def _local_workers(self) -> list[Any]:
        """Lists the worker processes on this machine: none on a cluster, or if none was started."""
        # `ProcessPoolExecutor` has no public way to see that one of its processes has died.
        process_by_id = getattr(self._executor, "_processes", None) or {}
        return list(process_by_id.values())

    def _close_executor(self) -> None:
        """Closes the executor, if there is one, and waits until its processes have ended.

        If Python exited before them, it would print errors. Workers of a cluster go on running.
        """
        if self._executor:
            self._executor.shutdown(wait=True)
        self._executor = None  # the next batch starts another one


def _is_lost_worker(error: Exception) -> bool:
    """Whether an error says that a worker died, so that its batch may be sent again.

    False for an error of the work itself, which would come again.
    """
    is_of_process = isinstance(error, (BrokenExecutor, CancelledError))
    # By their names, because Dask may not be installed.
    return is_of_process or type(error).__name__ in _LOST_WORKER_ERRORS_OF_DASK


def processes(workers: int, locks: tuple[int, ...] = ()) -> Executor:
    """Makes a pool of worker processes on this machine, which start when the first call is made.

    `locks` are the descriptors of the files that the run has locked. A forked process inherits
    them, and closes them: otherwise, the files would stay locked until it ends.
    """
    # Imported here: most runs need no second process.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A fork takes 20 ms, a new interpreter 400. It is safe while there is only one thread.
    is_fork_safe = sys.platform == "linux" and threading.active_count() == 1
    method = "fork" if is_fork_safe else "spawn"
    inherited = locks if is_fork_safe else ()
    context = multiprocessing.get_context(method)
    return ProcessPoolExecutor(workers, context, _prepare_worker, (inherited,))


def _prepare_worker(locks: tuple[int, ...]) -> None:
    """Prepares a worker process: closes the run's locks, and sets what signals do.

    SIGINT is ignored, because Ctrl-C also reaches the main process, which then ends the workers.
    SIGTERM and SIGHUP end the worker. The worker also ends when the main process does.
    """
    gc.disable()  # the work makes no reference cycles
    # A file stays locked while any process has it open.
    for descriptor in locks:
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    # Signals were blocked while this process started. They are unblocked after the lines above,
    # because a signal may be waiting, and must find the new settings.
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Waits until the main process has ended, even if it was killed, and ends this worker."""
    # Imported here, as in `processes`.
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def connect_to_cluster(address: str) -> Executor:
    """Connects to the Dask scheduler at an address, such as `tcp://10.0.0.1:8786`.

    Returns an executor, which sends calls to the workers of the cluster. Raises WorkerError if Dask
    is not installed, or if the scheduler does not answer.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise WorkerError(
            "--scheduler needs Dask",
            "install it here and on each worker: pip install 'dask[distributed]'",
        ) from None
    # Dask and Tornado log each closed connection. Their logs are turned off, because a lost
    # connection is reported as one error.
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
    return _ClusterExecutor(client)


def _with_timeout(seconds: float, call: Callable[[], Any]) -> Any:
    """Makes a call in a thread, and returns its result or raises its error.

    Raises TimeoutError after `seconds`, because a call to a frozen scheduler never returns.
    """
    future: Future[Any] = Future()

    def run_call() -> None:
        """Makes the call, and passes its result or its error to the other thread."""
        try:
            future.set_result(call())
        except (OSError, ValueError, RuntimeError, TypeError) as error:  # what Dask raises
            future.set_exception(error)

    threading.Thread(target=run_call, daemon=True).start()
    return future.result(seconds)


class _ClusterExecutor(Executor):
    """The executor of a Dask client. Dask's own one would not close the client at its end."""

    def __init__(self, client: Any) -> None:
        self._client = client
        # Results are never reused, because the same batch may read other bytes the next time.
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Sends the call to a worker."""
        future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        return future

    def check(self) -> None:
        """Raises WorkerError if the cluster has no worker, or one does not answer in 30 seconds."""
        # Ask each worker for its process number: {address of the worker: number}. Any answer shows
        # that the worker lives.
        call = partial(self._client.run, os.getpid, on_error="ignore")
        try:
            workers = _with_timeout(_CLUSTER_TIMEOUT, call)
        except TimeoutError:
            raise WorkerError(
                f"the cluster has not answered for {_CLUSTER_TIMEOUT:g} seconds, so nothing was "
                "published",
                "start the scheduler and the workers again; one of them is frozen or cannot be "
                "reached",
            ) from None
        except OSError:  # the scheduler has closed the connection
            workers = {}
        if not workers:
            raise WorkerError(
                "the cluster has no worker, so nothing was published",
                "start `dask worker` where this version of sitemapper is installed; a worker that "
                "ends at once says why in its own log",
            )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Closes the connection, even if nobody answers. The scheduler then drops the calls."""
        with contextlib.suppress(OSError):
            self._client.close(timeout=_PATIENCE)
