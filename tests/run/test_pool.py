"""Processes and clusters give the same bytes as one process; a dying worker costs a second try."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import NOW, POSIX, Run, Site, asking, settings
from support.heads import NOINDEX

import sitemapper
from sitemapper import SitemapperError
from sitemapper.find.plan import make_plan
from sitemapper.model import Batch, BatchResult
from sitemapper.read import walk as walking
from sitemapper.run import pool
from sitemapper.run.pool import Pool, processes
from sitemapper.run.stream import process

FILES = {f"{n // 7}/{n}.html": NOINDEX if n % 5 == 0 else f"<p>{n}" for n in range(60)}


def outputs(root: Path) -> dict[str, bytes]:
    ledger = root.parent / "sitemapper.ledger"
    found = {path.name: path.read_bytes() for path in root.glob("sitemap*")} | {
        "ledger": ledger.read_bytes()
    }
    for path in [*root.glob("sitemap*"), ledger]:
        path.unlink()
    return found


@pytest.mark.slow
def test_any_number_of_processes_gives_the_same(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "BATCH", 9)
    root = site(FILES)
    values: dict[str, Any] = {
        "lastmod": ["ledger", "mtime"],
        "sitemap": {"max_urls": 11},
        "hreflang": True,
        "images": True,
    }
    told = []
    for jobs in (1, 2, 3):
        (root / "robots.txt").write_text("User-agent: *\nDisallow: /3/\n")
        given_values = asking(settings(root, **values), jobs=jobs)
        summary = sitemapper.build(given_values, now=NOW)
        told.append((summary, outputs(root)))
    assert told[0] == told[1] == told[2]


def pooled(
    call: Any, start: Any, items: Any, workers: int = 1, *, requires_workers: bool = True
) -> list[Any]:
    """What workers give for each item, in the order in which the pool yields it."""
    pool = Pool(call, start, workers, requires_workers=requires_workers)
    return list(pool.results(items))


NUMBERS = [(n, str(n)) for n in range(20)]  # with their texts, which `str` gives


@given(st.lists(st.integers(), max_size=40), st.integers(1, 4))
def test_results_come_in_order(items: list[int], workers: int) -> None:
    found = pooled(str, lambda: ThreadPoolExecutor(workers), items, workers)
    assert found == [(item, str(item)) for item in items]


def test_memory_is_bounded_by_a_window() -> None:
    taken = []

    def items() -> Iterator[int]:
        for n in range(100):
            taken.append(n)
            yield n

    threads = Pool(str, lambda: ThreadPoolExecutor(2), 2, requires_workers=True)
    for item, _ in threads.results(items()):
        assert taken[-1] - item <= 8


class Dying(ThreadPoolExecutor):
    """A pool whose workers die when they are to work on a seven, so many times."""

    deaths = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        return super().submit(self._die_of_seven, fn, *args)

    @classmethod
    def _die_of_seven(cls, call: Any, item: int) -> Any:
        if item == 7 and cls.deaths:
            cls.deaths -= 1
            raise BrokenProcessPool("gone")
        return call(item)


def test_a_dying_worker_costs_one_more_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dying, "deaths", 1)
    assert pooled(str, lambda: Dying(1), range(20)) == NUMBERS
    monkeypatch.setattr(Dying, "deaths", 2)
    with pytest.raises(SitemapperError, match="two workers died"):
        pooled(str, lambda: Dying(1), range(20))


def test_a_call_that_is_wrong_is_told_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        pooled((1).__truediv__, lambda: ThreadPoolExecutor(1), [0])


def test_a_cancelled_call_is_begun_again() -> None:
    class Cancelling(ThreadPoolExecutor):
        """A cluster whose scheduler goes once it was sent something."""

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            future: Future[Any] = Future()
            future.cancel()
            return future

    started = []

    def start() -> ThreadPoolExecutor:
        started.append(1)
        return Cancelling(1) if len(started) == 1 else ThreadPoolExecutor(1)

    assert pooled(str, start, range(20)) == NUMBERS
    assert len(started) == 2


def test_a_worker_of_another_version_is_an_error() -> None:
    with pytest.raises(
        SitemapperError, match=r"a worker runs sitemapper .*, but this machine runs 0\.0\.9"
    ):
        pool._process(process, "0.0.9", b"", Batch([], [], {}))


def after_a_moment(page: bytes) -> int:
    time.sleep(0.02)
    return len(page)


def test_a_run_that_stops_early_does_not_wait_for_what_it_was_sending() -> None:
    """A batch is larger than a pipe holds. Python 3.11.2 waited for ever."""
    pages: Any = (bytes(1_000_000) for _ in range(20))
    workers: Any = Pool(after_a_moment, partial(processes, 2), 2, requires_workers=True)  # type: ignore[arg-type]
    results = workers.results(pages)
    assert next(results)[1] == 1_000_000
    results.close()


def killed(path: str) -> int:
    """Ends its process the first time that it is called."""
    if not os.path.exists(path):
        with open(path, "w") as file:
            file.write("killed")
        assert multiprocessing.parent_process(), "no process can be started here"
        os._exit(9)
    return os.getpid()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="imports this module in the worker")
def test_a_process_that_is_killed_is_replaced(tmp_path: Path) -> None:
    ((_, process),) = pooled(killed, partial(processes, 1), [str(tmp_path / "killed")])
    assert process != os.getpid()


def test_tls_without_a_certificate(site: Site, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def client(address: str, **_: object) -> None:
        raise TypeError("TLS expects a `ssl_context` argument of type ssl.SSLContext, got None")

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=client))
    root = site({"a.html": ""})
    assert run("build", root, "--base-url", "https://example.com", "--scheduler", "tls://x:1") == 2
    assert run.err == (
        "error: --scheduler tls://x:1: Dask has no TLS settings\n"
        "  help: set distributed.comm.tls in its configuration\n"
    )


def test_without_dask(site: Site, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    root = site({"a.html": ""})
    assert run("build", root, "--base-url", "https://example.com", "--scheduler", "tcp://x:1") == 2
    assert run.err.startswith(
        "error: --scheduler needs Dask\n  help: install it here and on each worker: pip install 'dask[distributed]'"
    )
    assert not (root / "sitemap.xml").exists()


class Failing(ThreadPoolExecutor):
    """A pool that takes a few calls, and then can start no process any more."""

    left = 3

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise OSError("no semaphores")
        return super().submit(fn, *args)


def refused(error: type[Exception]) -> None:
    raise error("no semaphores")


NEVER = [partial(refused, error) for error in (OSError, ImportError, NotImplementedError)]


@pytest.mark.parametrize("start", [*NEVER, lambda: Failing(1)])
def test_where_no_process_can_be_started_only_a_wish_for_some_is_an_error(start: Any) -> None:
    assert pooled(str, start, range(20), requires_workers=False) == NUMBERS
    said = r"no other process .*\(no semaphores\)\nhelp: run with --jobs 1"
    with pytest.raises(SitemapperError, match=said):
        pooled(str, start, range(20))


def test_what_crosses_to_workers_can_be_pickled(site: Site) -> None:
    plan = make_plan(
        settings(site({"a.html": ""}), ignore=["b/"], hreflang=True, images=True), NOW, None
    )
    again = pickle.loads(pickle.dumps(plan))
    batch = pickle.loads(pickle.dumps(Batch([sitemapper.model.Page("a.html", 0, 0)], [], {})))
    assert process(batch, again) == process(batch, plan)


class Asked(BaseException):
    """Somebody asks the process to end."""


@contextmanager
def alarms(first: float, later: float) -> Iterator[None]:
    """Raises Asked after some seconds, and again and again, so that a test of what never ends does end."""

    def ask(*_: object) -> None:
        raise Asked

    before = signal.signal(signal.SIGALRM, ask)
    signal.setitimer(signal.ITIMER_REAL, first, later)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("work", ["rest", "begin_and_rest"])
def test_a_signal_ends_at_once_whatever_the_workers_work_on(work: str) -> None:
    start = time.monotonic()
    with alarms(1, 30), pytest.raises(Asked):
        pooled(globals()[work], partial(processes, 2), [Batch([], [], {})] * 9, 2)
    assert time.monotonic() - start < 20  # of 60 seconds and more
    assert not multiprocessing.active_children()


def rest(_batch: Batch) -> BatchResult:
    time.sleep(60)
    raise AssertionError


def begin_result() -> None:
    """Writes the first bytes of a result, as a worker does that is killed in the middle of a long one."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        assert frame.f_back
        frame = frame.f_back
    queue = frame.f_locals["result_queue"]
    queue._wlock.acquire()
    os.write(queue._writer.fileno(), b"\x00\x00\x10\x00 of 4,096 bytes")


def begin_and_rest(batch: Batch) -> BatchResult:
    begin_result()
    return rest(batch)


def begin_and_die(path: str) -> int:
    """Dies the first time that it is called, in the middle of its result."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return os.getpid()
    begin_result()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@pytest.mark.slow
@POSIX
def test_a_worker_that_dies_in_the_middle_of_its_result_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_PATIENCE", 0.2)
    paths = [str(tmp_path / "begun")] * 9
    with alarms(60, 60):
        results = pooled(begin_and_die, partial(processes, 2), paths, 2)
    assert [path for path, _ in results] == paths
    assert not multiprocessing.active_children()
