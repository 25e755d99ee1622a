"""Who reads pages: one process, several, or a cluster say the same."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import process
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import POSIX
from support.heads import NOINDEX, canonical

from sitemapper.config.load import Config
from sitemapper.config.model import Settings
from sitemapper.messages import Observer, SitemapperError
from sitemapper.model import Found, Origin, Page, Run
from sitemapper.read import Read, read
from sitemapper.read.executors import call_for_chunks

JOBS = [1, 2, 3]


def large_site(folder: Path, count: int = 1_000) -> list[Page]:
    """A site of pages that say something, nothing, the same as others, or cannot be read."""
    pages = []
    for n in range(count):
        name = f"{n // 50}/{n:04}.html"
        text = (NOINDEX, canonical(f"https://x.example/{n // 50}/{n:04}"), f"<p>{n}")[n % 3]
        (folder / name).parent.mkdir(exist_ok=True)
        if n % 100 != 99:
            (folder / name).write_text(text)
        pages.append(Page(name, 0))
    return pages


class Counting(Observer):
    """Counts the pages that are done."""

    pages = 0

    def advances(self, pages: int) -> None:
        self.pages += pages


def read_by(folder: Path, pages: Sequence[Page], **run: Any) -> Read:
    observer = Counting()
    config = Config(Settings(lastmod=("ledger",)), None, {}, (), ())
    found = Found(
        config, str(folder), str(folder), None, (), (), "sitemapper.ledger", Origin("SITE")
    )
    told = read(pages, found, Run(str(folder), {}, **run), observer)
    assert observer.pages == len(pages)
    return told


@pytest.mark.slow
def test_any_number_of_processes_says_the_same(tmp_path: Path) -> None:
    pages = large_site(tmp_path)
    told = [read_by(tmp_path, pages, jobs=jobs) for jobs in JOBS]
    assert told[0] == told[1] == told[2]
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_processes_are_started_though_another_thread_runs(tmp_path: Path) -> None:
    """A progress bar has a thread, and a fork would inherit its locks."""
    pages = large_site(tmp_path, 400)
    is_over = threading.Event()
    thread = threading.Thread(target=is_over.wait)
    thread.start()
    try:
        assert read_by(tmp_path, pages, jobs=2) == read_by(tmp_path, pages, jobs=1)
    finally:
        is_over.set()
        thread.join()


def results(call: Any, chunks: Sequence[Any], **run: Any) -> list[Any]:
    return list(call_for_chunks(call, chunks, Run("", {}, **run)))


def die_of_three(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number


@POSIX
def test_where_a_process_is_killed_nothing_is_published() -> None:
    with pytest.raises(SitemapperError, match="a worker died.*\nhelp: use fewer --jobs"):
        results(die_of_three, range(20), jobs=2)
    assert not multiprocessing.active_children()


def test_a_fault_of_the_program_is_told_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        results((1).__truediv__, [1, 0], jobs=2)


def test_where_no_process_can_be_started_this_one_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_system_limits_checked", True)
    monkeypatch.setattr(process, "_system_limited", "this system has no semaphores")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    numbers = list(range(20))
    assert results(abs, numbers) == results(abs, numbers, jobs=2) == numbers


@pytest.mark.parametrize(
    ("dask", "said"),
    [
        (None, "--scheduler needs Dask\nhelp: install it here and on each worker"),
        (TypeError("TLS expects a `ssl_context`"), "tls://x:1: no answer .TLS expects"),
        (OSError("timed out"), "tls://x:1: no answer .timed out.\nhelp: start `dask scheduler`"),
    ],
)
def test_a_cluster_that_cannot_be_reached(
    monkeypatch: pytest.MonkeyPatch, dask: Exception | None, said: str
) -> None:
    def refuse(address: str, **_: object) -> None:
        assert dask
        raise dask

    module = SimpleNamespace(Client=refuse) if dask else None
    monkeypatch.setitem(sys.modules, "distributed", module)
    with pytest.raises(SitemapperError, match=said):
        results(abs, [1], scheduler="tls://x:1")
