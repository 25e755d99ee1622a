"""Processes that are killed, ended or starved leave nothing behind that stops the next run."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import BASE, MTIME, SITEMAPPER, Count, for_starved, write_site
from support.trial import ENDED, KILLS

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def children(run: subprocess.Popen[bytes]) -> list[str]:
    return Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()


def is_running(worker: str) -> bool:
    try:
        return Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


NOBODY_ELSE = "64321"  # a user without processes, because the limit counts all of a user


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["-v 200000", "-v 300000", "-v 400000", "-u 2", "-u 4"])
def test_a_starved_run_ends(limit: str, tmp_path: Path, count: Count) -> None:
    pages = {f"{n:04}.html": f"<title>{n}</title>{'<p>word ' * 2_000}" for n in range(1_500)}
    site = write_site(tmp_path / "public", {**pages, "z.html": "<p>" + "word " * 3_000_000})
    flags = f"--base-url {BASE} --quiet --ledger {tmp_path / 'ledger'}"
    user = ""
    if os.geteuid() == 0 and limit.startswith("-u"):
        user = f"setpriv --reuid={NOBODY_ELSE} --clear-groups "
        os.chmod(tmp_path, 0o777)
        subprocess.run(["chown", "-R", NOBODY_ELSE, str(site)], check=True)
    command = f"ulimit {limit}; exec {user}{sys.executable} -m sitemapper build {site} {flags}"
    shell, environment = ["bash", "-c", command], for_starved()
    done = subprocess.run(
        shell, cwd="/", env=environment, timeout=300, capture_output=True, text=True
    )
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or done.stderr.startswith("error: ")
    assert not list(site.glob(".*"))
    count("starved runs", 1)


PARTS = 2  # of the kills, so that two processors have some
ENDS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def family(mark: str) -> list[str]:
    """The processes that were started with a mark in their environment, after a while if there are any."""
    end = time.monotonic() + 60
    while found := [
        pid for pid in filter(str.isdigit, os.listdir("/proc")) if mark in environment(pid)
    ]:
        if time.monotonic() > end:
            return found
        time.sleep(0.02)
    return []


def environment(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace") if is_running(pid) else ""
    except OSError:
        return ""


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock of a folder or file."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_kill_leaves_a_process_a_temporary_or_a_lock(
    tmp_path: Path, part: int, count: Count
) -> None:
    chance = random.Random(part)
    root, ledger = tmp_path / "public", tmp_path / "ledger"
    pages = {f"{n:03}.html": f"<title>{n}</title><main>{'word ' * 400}" for n in range(600)}
    write_site(root, pages)
    mark = f"SITEMAPPER_TEST_MARK_{os.getpid()}_{part}"
    command = [*SITEMAPPER, "build", str(root), "--base-url", BASE, "--jobs", "2"]
    command += ["--ledger", str(ledger), "--quiet", "--config", "sitemap.max_urls = 200"]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, cwd=tmp_path, env=os.environ | {"MARK": mark}, stderr=subprocess.PIPE
        )

    def finish() -> None:
        run = start()
        assert run.communicate(timeout=300)[1] == b""
        assert run.returncode == 0

    def temporaries() -> set[str]:
        names = {*os.listdir(root), *os.listdir(tmp_path)}
        return {name for name in names if name.endswith(".tmp")}

    begun = time.monotonic()
    finish()
    lasts = time.monotonic() - begun
    for n in range(KILLS // PARTS):
        edited = {f"{k:03}.html": f"<main>{n} {k}" for k in range(0, 600, 150)}
        write_site(root, edited, MTIME + n + 1)
        old = temporaries()  # of runs that were killed
        run = start()
        moment = ("any", "importing", "at work", "writing")[n % 4]
        if moment in ("any", "importing"):
            time.sleep(chance.uniform(0, lasts if moment == "any" else 0.2))
        while run.poll() is None and (
            (moment == "at work" and not children(run))
            or (moment == "writing" and temporaries() <= old)
        ):
            time.sleep(0.001)
        end = ENDS[n % len(ENDS)]
        run.send_signal(end)
        _, said = run.communicate(timeout=300)
        if moment == "at work" and end is not signal.SIGKILL:
            ended = f"{ENDED[end]}; the published files are complete\n"
            assert (run.returncode, said.decode()) == (128 + end, ended)
        # A SIGINT may come while Python just starts.
        if end is not signal.SIGINT or run.returncode in (0, 128 + end):
            assert run.returncode in (0, -end, 128 + end), said
            assert b"Traceback" not in said, said
        assert family(mark) == []
        assert is_free(root) and is_free(ledger)
        assert end is signal.SIGKILL or temporaries() <= old
        if n % 10 == 9:
            finish()
            assert temporaries() == set()
    finish()
    assert temporaries() == set()
    count("kills of runs with processes", KILLS // PARTS)
