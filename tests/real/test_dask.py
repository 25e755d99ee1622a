"""A real scheduler with two worker processes: the same bytes, and a killed worker is made up for."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support import BASE, write_site

from real.tools import BUILD, CACHE, ROOT, run

pytestmark = pytest.mark.real

PYTHON = CACHE / "dask" / "bin" / "python"
SITEMAPPER = (str(PYTHON), *BUILD[1:])
PAGES = 20_000
WAIT = "import sys; from distributed import Client; Client(sys.argv[1]).wait_for_workers(2, timeout=120)"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    head = '<html><head><link rel="canonical" href="{}{}"></head><body>' + "<p>text</p>" * 300
    names = [f"{n // 100:03}/page-{n}.html" for n in range(PAGES)]
    return write_site(
        tmp_path_factory.mktemp("dask") / "public", {n: head.format(BASE, n) for n in names}
    )


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler; its process and those of its two workers."""
    with ExitStack() as stack:

        def start(*command: str) -> subprocess.Popen[bytes]:
            module = f"distributed.cli.{command[0]}"
            program = (PYTHON, "-m", module, *command[1:], "--no-dashboard")
            process = stack.enter_context(
                subprocess.Popen(program, cwd=ROOT, stderr=subprocess.DEVNULL)
            )
            stack.callback(process.kill)
            return process

        file = tmp_path / "scheduler.json"
        head = start("dask_scheduler", "--host=127.0.0.1", "--port=0", f"--scheduler-file={file}")
        while not (
            file.exists() and (found := re.search(r'"address": "([^"]+)"', file.read_text()))
        ):
            assert head.poll() is None, "the scheduler has ended"
            time.sleep(0.05)
        places = (f"--scheduler-file={file}", f"--local-directory={tmp_path}")
        worker = ("dask_worker", *places, "--nthreads=1", "--no-nanny")
        workers = [start(*worker) for _ in range(2)]
        run(PYTHON, "-c", WAIT, found[1])
        yield found[1], [head, *workers]


def seconds(process: subprocess.Popen[bytes]) -> float:
    """The processor time of a process."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(
    building: subprocess.Popen[Any], worker: subprocess.Popen[bytes], spent: float
) -> None:
    """Waits until a worker, which had spent some processor time before the build, has spent more."""
    while building.poll() is None and seconds(worker) < spent + 0.5:
        time.sleep(0.05)
    assert building.poll() is None, "the site is too small for this test"


def built(site: Path, out: Path, *flags: str) -> bytes:
    ledger = out.with_suffix(".ledger")
    where = ("--base-url", BASE, "--output", out, "--ledger", ledger)
    run(*SITEMAPPER, site, *where, *flags)
    return (out / "sitemap.xml").read_bytes() + ledger.read_bytes()


def command_of(site: Path, folder: Path, *flags: str) -> list[str]:
    """A build whose output and ledger lie in a folder."""
    program = (*SITEMAPPER, site, "--base-url", BASE, "--output", folder / "out")
    return [*map(str, program), "--ledger", str(folder / "ledger"), *flags]


def test_a_cluster_gives_the_same_bytes(
    site: Path, scheduler: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    alone = built(site, tmp_path / "alone", "--jobs=1")
    assert built(site, tmp_path / "cluster", f"--scheduler={scheduler[0]}") == alone


def test_a_worker_that_is_killed_is_made_up_for(
    site: Path, scheduler: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, (_, *workers) = scheduler
    command = command_of(site, tmp_path, f"--scheduler={address}")
    spent = seconds(workers[0])
    with subprocess.Popen(command, cwd=tmp_path) as building:
        wait_for_work(building, workers[0], spent)
        workers[0].send_signal(signal.SIGKILL)
        assert building.wait() == 0
    assert (tmp_path / "out/sitemap.xml").read_bytes().count(b"<loc>") == PAGES


FROZEN = "error: the cluster gave no result for a minute, so nothing was published\n"


@pytest.mark.parametrize(
    ("number", "hit", "said"),
    [
        pytest.param(signal.SIGKILL, (1, 2), "error: ", id="workers gone"),
        pytest.param(signal.SIGKILL, (0,), "error: ", id="scheduler gone"),
        pytest.param(signal.SIGSTOP, (1, 2), FROZEN, id="all workers frozen"),
    ],
)
def test_a_cluster_that_is_gone_or_frozen_is_an_error(
    site: Path,
    scheduler: tuple[str, list[subprocess.Popen[bytes]]],
    tmp_path: Path,
    number: signal.Signals,
    hit: tuple[int, ...],
    said: str,
) -> None:
    address, cluster = scheduler
    command = command_of(site, tmp_path, f"--scheduler={address}")
    spent = seconds(cluster[1])
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as building:
        wait_for_work(building, cluster[1], spent)
        for n in hit:
            cluster[n].send_signal(number)
        _, err = building.communicate(timeout=300)
    assert building.returncode == 2
    assert err.startswith(said) and err.count("error: ") == 1, err
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_is_frozen_from_the_start(
    site: Path, scheduler: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, (head, *_) = scheduler
    head.send_signal(signal.SIGSTOP)
    command = command_of(site, tmp_path, f"--scheduler={address}")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: --scheduler {address}: no answer ("), done.stderr
    assert not (tmp_path / "out").exists()


def test_nobody_answers(site: Path, tmp_path: Path) -> None:
    command = command_of(site, tmp_path, "--scheduler=tcp://127.0.0.1:1")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: --scheduler tcp://127.0.0.1:1: no answer (")
    assert not (tmp_path / "out/sitemap.xml").exists()


# Reads 600 pages in this process and by two workers, again after an edit; then a worker dies.
READ_TWICE = """
import os
import sys
from functools import partial
from pathlib import Path
import distributed
from sitemapper.config.load import Config
from sitemapper.config.model import Settings
from sitemapper.model import Found, Origin, Page, Run
from sitemapper.messages import QUIET
from sitemapper.read import read
from sitemapper.read.executors import call_for_chunks

folder = Path(sys.argv[1])

def die_once(mark, number):
    if number == 3 and not os.path.exists(mark):
        Path(mark).touch()
        os._exit(9)
    return number

def page_of(name):
    status = (folder / name).stat()
    return Page(name, status.st_mtime_ns, status.st_size)

if __name__ == "__main__":
    names = [f"{n:03}.html" for n in range(600)]
    for name in names:
        (folder / name).write_text(f"<h1>{name}</h1><p>Tea.")
    config = Config(Settings(lastmod=("ledger",)), None, {}, (), ())
    place = str(folder)
    found = Found(config, place, place, None, (), (), "sitemapper.ledger", Origin("SITE"))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as one:
        there = Run(place, {}, scheduler=one.scheduler_address)
        for text in ("<p>Tea.", "<p>Coffee."):
            (folder / "002.html").write_text(text)
            pages = list(map(page_of, names))
            here = read(pages, found, Run(place, {}, jobs=1), QUIET)
            print(here == read(pages, found, there, QUIET), len(set(here.facts)))
        call = partial(die_once, str(folder / "died"))
        print(list(call_for_chunks(call, list(range(20)), there)) == list(range(20)))
"""


def test_the_new_core_reads_on_a_cluster_what_it_reads_alone(tmp_path: Path) -> None:
    script = tmp_path / "read_twice.py"
    script.write_text(READ_TWICE)
    site = tmp_path / "site"
    site.mkdir()
    said = run(PYTHON, script, site, env={"PYTHONPATH": str(ROOT)})
    assert said.split() == ["True", "600", "True", "600", "True"]
