"""Processes and clusters give the same bytes as one process; a dying worker costs a second try."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import NOW, Run, Site, asking, settings
from support.heads import NOINDEX

import sitemapper
from sitemapper import SitemapperError
from sitemapper.model import Batch
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


def test_a_worker_of_another_version_is_an_error() -> None:
    with pytest.raises(
        SitemapperError, match=r"a worker runs sitemapper .*, but this machine runs 0\.0\.9"
    ):
        pool._process(process, "0.0.9", b"", Batch([], [], {}))


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
