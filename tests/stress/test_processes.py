"""Processes that are killed, ended or starved leave nothing behind that stops the next run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import BASE, write_site

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
PAGE = "<title>{0}</title><main>" + "<p>word " * 2_000 + "{0}</main>"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Pages that take a few seconds to digest."""
    return write_site(tmp_path / "public", {f"{n:04}.html": PAGE.format(n) for n in range(1_500)})


def begun(site: Path, *flags: str) -> subprocess.Popen[str]:
    """A build with two processes, whose workers are at work."""
    command = [sys.executable, "-m", "sitemapper", "build", str(site), "--base-url", BASE, "--jobs", "2"]
    command += ["--ledger", str(site.parent / "ledger"), "--no-cache", "--quiet", *flags]
    run = subprocess.Popen(command, cwd=site.parent, stderr=subprocess.PIPE, text=True)
    while run.poll() is None and not children(run):
        time.sleep(0.01)
    assert run.poll() is None, "the site is too small for this test"
    return run


def children(run: subprocess.Popen[str]) -> list[str]:
    return Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()


def left(workers: list[str]) -> list[str]:
    """The workers that still run after a while."""
    end = time.monotonic() + 20
    while time.monotonic() < end and any(is_running(worker) for worker in workers):
        time.sleep(0.05)
    return [worker for worker in workers if is_running(worker)]


def is_running(worker: str) -> bool:
    try:
        return Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGKILL, -9, ""),
        (signal.SIGTERM, 143, "ended by SIGTERM; what is published is whole\n"),
        (signal.SIGHUP, 129, "ended by SIGHUP; what is published is whole\n"),
        (signal.SIGINT, 130, "interrupted; what is published is whole\n"),
    ],
)
def test_an_ended_run_leaves_no_process_no_file_and_no_lock(
    site: Path, number: int, code: int, said: str
) -> None:
    run = begun(site)
    workers = children(run)
    os.kill(run.pid, number)
    assert run.communicate(timeout=30)[1] == said
    assert run.returncode == code
    assert left(workers) == []
    assert [path.name for path in site.iterdir() if not path.name.endswith(".html")] == []
    command = [sys.executable, "-m", "sitemapper", "build", str(site), "--base-url", BASE, "--dry-run"]
    build = [*command[:-1], "--no-lastmod", "--no-respect=noindex", "--quiet"]
    assert subprocess.run(build, cwd=site.parent, timeout=30, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["-v 400000", "-u 4"])
def test_a_starved_run_ends(site: Path, limit: str, tmp_path: Path) -> None:
    flags = f"--base-url {BASE} --no-cache --quiet --ledger {site.parent / 'ledger'}"
    user = "setpriv --reuid=65534 --clear-groups " if os.geteuid() == 0 and limit.startswith("-u") else ""
    if user:
        os.chmod(tmp_path, 0o777)
        subprocess.run(["chown", "-R", "65534", str(site)], check=True)
    command = f"ulimit {limit}; exec {user}{sys.executable} -m sitemapper build {site} {flags}"
    done = subprocess.run(["bash", "-c", command], cwd="/", timeout=120, capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
