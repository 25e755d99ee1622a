"""A real scheduler with two worker processes: the same bytes, and a killed worker is made up for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support import BASE, MTIME, write_site

from real.tools import CACHE, ROOT, run

pytestmark = pytest.mark.real

PYTHON = CACHE / "dask/bin/python"
PAGES = 10_000
WAIT = "import sys; from distributed import Client; Client(sys.argv[1]).wait_for_workers(2, timeout=120)"


class Cluster(NamedTuple):
    """The address of a scheduler, its process and those of its two workers."""

    address: str
    processes: list[subprocess.Popen[bytes]]

    @property
    def seconds(self) -> float:
        """The processor time of the first worker."""
        fields = Path(f"/proc/{self.processes[1].pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_at_work(self, building: subprocess.Popen[Any], spent: float) -> bool:
        """Waits until the first worker, which had spent some time before the build, has spent more."""
        while building.poll() is None and self.seconds < spent + 0.5:
            time.sleep(0.05)
        return building.poll() is None


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    head = '<html><head><link rel="canonical" href="{}{}"></head><body>' + "<p>text</p>" * 300
    names = [f"{n // 100:03}/page-{n}.html" for n in range(PAGES)]
    folder = tmp_path_factory.mktemp("dask") / "public"
    pages = {name: head.format(BASE, name) for name in names}
    return write_site(folder, pages, MTIME - 3600 * PAGES)  # none is of the future


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:

        def start(*command: str) -> subprocess.Popen[bytes]:
            program = (PYTHON, "-m", *command, "--no-dashboard")
            process = subprocess.Popen(program, cwd=ROOT, stderr=subprocess.DEVNULL)
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        file = tmp_path / "scheduler.json"
        place = f"--scheduler-file={file}"
        head = start("distributed.cli.dask_scheduler", "--host=127.0.0.1", "--port=0", place)
        while not (file.exists() and file.read_text().endswith("}")):
            assert head.poll() is None, "the scheduler has ended"
            time.sleep(0.05)
        flags = (place, f"--local-directory={tmp_path}", "--nthreads=1", "--no-nanny")
        workers = [start("distributed.cli.dask_worker", *flags) for _ in range(2)]
        address = json.loads(file.read_text())["address"]
        run(PYTHON, "-c", WAIT, address)
        yield Cluster(address, [head, *workers])


def command(site: Path, out: Path, *flags: str) -> list[str]:
    """A build into a folder, with the ledger beside it."""
    places = ("--output", str(out), "--ledger", str(out.with_suffix(".ledger")))
    return [
        str(PYTHON),
        "-m",
        "sitemapper",
        "build",
        str(site),
        "--base-url",
        BASE,
        *places,
        *flags,
    ]


def test_a_cluster_gives_the_same_bytes_though_a_worker_is_killed(
    site: Path, cluster: Cluster, tmp_path: Path
) -> None:
    alone, whole, hit = (tmp_path / name for name in ("alone", "whole", "hit"))
    run(*command(site, alone, "--jobs=1"))
    run(*command(site, whole, f"--scheduler={cluster.address}"))
    spent = cluster.seconds
    with subprocess.Popen(command(site, hit, f"--scheduler={cluster.address}")) as building:
        assert cluster.is_at_work(building, spent), "the site is too small for this test"
        cluster.processes[1].send_signal(signal.SIGKILL)
    assert building.returncode == 0
    places = [(out / "sitemap.xml", out.with_suffix(".ledger")) for out in (alone, whole, hit)]
    published = [[path.read_bytes() for path in paths] for paths in places]
    assert published[0][0].count(b"<loc>") == PAGES
    assert published[0] == published[1] == published[2]


@pytest.mark.parametrize(
    ("number", "hit", "said"),
    [
        pytest.param(signal.SIGKILL, (0,), "error: ", id="scheduler gone"),
        pytest.param(
            signal.SIGSTOP,
            (1, 2),
            "error: the cluster gave no result for a minute",
            id="all workers frozen",
        ),
    ],
)
def test_a_cluster_that_is_gone_or_frozen_is_an_error(
    site: Path, cluster: Cluster, tmp_path: Path, number: int, hit: tuple[int, ...], said: str
) -> None:
    spent = cluster.seconds
    started = command(site, tmp_path / "out", f"--scheduler={cluster.address}")
    with subprocess.Popen(started, stderr=subprocess.PIPE, text=True) as building:
        assert cluster.is_at_work(building, spent), "the site is too small for this test"
        for n in hit:
            cluster.processes[n].send_signal(number)
        _, err = building.communicate(timeout=300)
    assert building.returncode == 2
    assert err.startswith(said) and err.count("error: ") == 1, err
    assert not (tmp_path / "out/sitemap.xml").exists()


def test_a_scheduler_that_is_silent_is_an_error(
    site: Path, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.processes[0].send_signal(signal.SIGSTOP)
    build = command(site, tmp_path / "out", f"--scheduler={cluster.address}")
    done = subprocess.run(build, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: --scheduler {cluster.address}: no answer (")
