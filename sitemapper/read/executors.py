"""Who reads the chunks of a site: this process, a pool of processes, or a Dask cluster.

Results come in the order of the chunks.
"""

import gc
import logging
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from typing import Any, TypeVar

from ..messages import SitemapperError
from ..model import Run

_MIN_CHUNKS_OF_POOL = 10  # of 200 pages; for fewer, processes do not pay
_CLUSTER_WORKERS = 8  # that are kept busy if --jobs does not say how many there are
_PATIENCE = 10.0  # seconds in which the cluster must answer and have a worker
_PATIENCE_WITH_CHUNK = 60.0  # seconds in which it must read a chunk, which takes one or two
_ENDING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


def call_for_chunks(
    call: Callable[[Chunk], Result], chunks: Sequence[Chunk], run: Run
) -> Iterator[Result]:
    """Yields what `call` gives for each chunk, in order.

    Raises SitemapperError if a worker dies, or if the cluster does not answer.
    """
    if run.scheduler is not None:
        cluster = _connect(run.scheduler)
        count = run.jobs or _CLUSTER_WORKERS
        logging.disable()  # Dask logs each lost connection, which is told as one error here
        try:
            yield from _call_by_workers(call, chunks, cluster, count, _PATIENCE_WITH_CHUNK)
        finally:
            logging.disable(logging.NOTSET)
        return
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    workers = min(run.jobs or cores, len(chunks))
    is_worth_it = len(chunks) >= _MIN_CHUNKS_OF_POOL or run.jobs > 1
    if workers > 1 and is_worth_it:
        # Some systems have no semaphores, and on them this process reads all.
        with suppress(OSError, ImportError, NotImplementedError):
            pool = _fork(workers)
            yield from _call_by_workers(call, chunks, pool, workers)
            return
    _keep_freed_memory()
    yield from map(call, chunks)


def _call_by_workers(
    call: Callable[[Chunk], Result],
    chunks: Sequence[Chunk],
    workers: AbstractContextManager[Executor],
    count: int,
    seconds: float | None = None,  # in which a result must come
) -> Iterator[Result]:
    """Yields the results of workers, in the order of the chunks.

    A few chunks wait for each worker, and no more: memory need not hold all of a large site.
    """
    try:
        with workers as executor:
            pending: deque[Future[Result]] = deque()
            for chunk in chunks:
                pending.append(executor.submit(call, chunk))
                # For each worker one chunk in work and one that waits.
                if len(pending) > 2 * count:
                    yield pending.popleft().result(seconds)
            while pending:
                yield pending.popleft().result(seconds)
    except BrokenExecutor as error:
        raise SitemapperError(
            f"a worker died ({error or 'no reason known'}), so nothing was published",
            "use fewer --jobs, because workers usually die when memory runs out",
        ) from error


def _fork(workers: int) -> Executor:
    """Makes a pool of processes on this machine."""
    # Imported here: most runs need no second process.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A fork takes 20 ms, a new interpreter 400. It is safe while there is only one thread.
    is_fork_safe = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if is_fork_safe else "spawn")
    executor = ProcessPoolExecutor(workers, context, _prepare_worker)
    if is_fork_safe:
        # Callbacks run at each fork, and in them Python only prints what a signal raises.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            executor.submit(int)  # which forks all workers
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    return executor


def _prepare_worker() -> None:
    """Prepares a worker process, which ends when the process that started it does."""
    # Ctrl-C also reaches the main process, which then ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    gc.disable()  # reading makes no cycles
    _keep_freed_memory()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Waits until the main process has ended, even if it was killed, and ends this one."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _keep_freed_memory() -> None:
    """Makes glibc keep the memory of a tree for the next one, which saves a third of a parse."""
    import ctypes  # slow to load

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # no glibc
        return
    for option in (-1, -3):  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
        mallopt(option, 64 << 20)


@contextmanager
def _connect(address: str) -> Iterator[Executor]:
    """Connects to a Dask scheduler. Raises SitemapperError if it or its workers do not answer."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        text = "--scheduler needs Dask"
        help = "install it here and on each worker: pip install 'dask[distributed]'"
        raise SitemapperError(text, help) from None

    def connect() -> Any:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
        client.wait_for_workers(1, timeout=_PATIENCE)
        return client

    try:
        client = _within(3 * _PATIENCE, connect)
    except (OSError, ValueError, TypeError) as error:  # TypeError: tls:// without a certificate
        text = f"--scheduler {address}: no answer ({str(error) or 'timed out'})"
        help = "start `dask scheduler`, and `dask worker` where this sitemapper is installed"
        raise SitemapperError(text, help) from None
    try:
        # Results are never reused, because the same files may have other bytes the next time.
        yield client.get_executor(pure=False)
    except TimeoutError:
        text = "the cluster gave no result for a minute, so nothing was published"
        raise SitemapperError(text, "see what its scheduler and its workers say") from None
    except (OSError, CancelledError, distributed.KilledWorker) as error:
        raise BrokenExecutor(str(error) or type(error).__name__) from error
    finally:
        client.close(timeout=_PATIENCE)


def _within(seconds: float, call: Callable[[], Any]) -> Any:
    """Makes a call in a thread, because one to a port where nobody answers never returns.

    Raises TimeoutError after so many seconds, or what Dask raises.
    """
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(seconds)
