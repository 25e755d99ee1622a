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
    """Yields what `call` returns for each chunk, in the order of the chunks.

    The calls are made by a Dask cluster if the run names one, by a pool of processes for a large
    site, or else by this process. Raises SitemapperError if a worker dies, or if the cluster does
    not answer.
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
        cores = len(os.sched_getaffinity(0))  # those that this process may use
    workers = min(run.jobs or cores, len(chunks))
    is_worth_it = len(chunks) >= _MIN_CHUNKS_OF_POOL or run.jobs > 1
    if workers > 1 and is_worth_it:
        # Some systems have no semaphores, and on them this process reads all.
        with suppress(OSError, ImportError, NotImplementedError):
            pool = _start_pool(workers)
            yield from _call_by_workers(call, chunks, pool, workers)
            return

    _keep_freed_memory()
    yield from map(call, chunks)


def _call_by_workers(
    call: Callable[[Chunk], Result],
    chunks: Sequence[Chunk],
    workers: AbstractContextManager[Executor],
    count: int,
    seconds: float | None = None,  # in which a result must come; None for any time
) -> Iterator[Result]:
    """Yields what `call` returns for each chunk, in order, by `count` workers at a time.

    Each worker has one chunk in work and one that waits. More are not sent ahead, so that the
    results of a large site need not be in memory at once. Raises TimeoutError if a result does not
    come in time.
    """
    try:
        with workers as executor:
            pending: deque[Future[Result]] = deque()
            for chunk in chunks:
                pending.append(executor.submit(call, chunk))
                if len(pending) > 2 * count:
                    yield pending.popleft().result(seconds)
            while pending:
                yield pending.popleft().result(seconds)
    except BrokenExecutor as error:
        raise SitemapperError(
            f"a worker died ({error or 'no reason known'}), so nothing was published",
            "use fewer --jobs, because workers usually die when memory runs out",
        ) from error


def _start_pool(workers: int) -> Executor:
    """Starts a pool of so many processes on this machine, which end when this process ends.

    Raises OSError, ImportError or NotImplementedError on a system that cannot have one.
    """
    # Imported here: most runs need no second process.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A fork takes 20 ms, and a new interpreter ("spawn") 400 ms. But a fork is safe only while
    # there is one thread: it would copy a lock of another one, which then is never released.
    is_fork_safe = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if is_fork_safe else "spawn")
    executor = ProcessPoolExecutor(workers, context, _prepare_worker)
    if is_fork_safe:
        # The first task forks all workers, so they are forked here by an empty one, `int()`.
        # Signals such as Ctrl-C must wait meanwhile: Python runs callbacks at each fork, and what a
        # signal raises in one of them is only printed. The run would go on.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            executor.submit(int)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    return executor


def _prepare_worker() -> None:
    """Prepares a worker process: its signals, its memory, and its end.

    Each worker calls it once, before its first task.
    """
    # Ctrl-C also reaches the main process, which then ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):  # which `_start_pool` has blocked, and a fork inherits
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    gc.disable()  # reading makes no reference cycles, and looking for some takes time
    _keep_freed_memory()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Waits in a thread of a worker until the main process has ended, and ends the worker.

    A main process that was killed cannot end its workers itself.
    """
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _keep_freed_memory() -> None:
    """Makes glibc keep the memory of a parsed page for the next one: it saves a third of the time.

    Usually, glibc gives freed blocks of this size back to the system, and asks for them again.
    """
    import ctypes  # slow to load

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # no glibc
        return
    for option in (-1, -3):  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
        mallopt(option, 64 << 20)


@contextmanager
def _connect(address: str) -> Iterator[Executor]:
    """Connects to the Dask scheduler at `address`, and gives an executor of its cluster.

    Raises SitemapperError if the scheduler or its workers do not answer, also later in the `with`
    block. A worker that dies raises BrokenExecutor.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        text = "--scheduler needs Dask"
        help = "install it here and on each worker: pip install 'dask[distributed]'"
        raise SitemapperError(text, help) from None

    def connect() -> Any:
        """Waits until the scheduler answers and has a worker."""
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
    """Makes a call, and returns its result, but waits only so many seconds.

    The call runs in a thread, because a connection to a port where nobody answers may never return.
    Raises TimeoutError after that time, or what Dask raises.
    """
    future: Future[Any] = Future()

    def run() -> None:
        """Gives the result of the call, or its error, to the thread that waits."""
        try:
            future.set_result(call())
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(seconds)
