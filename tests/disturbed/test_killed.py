"""Runs that are killed or run at once: what is published stays whole, and the next run repairs the rest.

`make stress KILLS=240` makes ten times as many.
"""

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
from support import BASE, MTIME, POSIX, SITEMAPPER, paths, write_site
from support.heads import NOINDEX
from support.trial import ENDED, KILLS, Trial

from sitemapper.model import Run
from sitemapper.publish import lock

pytestmark = [
    POSIX,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for names of open files"),
]


@pytest.mark.parametrize("half", [0, 1])
def test_a_signal_at_any_call_of_the_system_leaves_all_whole(trial: Trial, half: int) -> None:
    """Each kind of call, such as rename or write, is as likely, and so is each of its calls."""
    chance = random.Random(half)
    with trial.forks() as forks:
        calls = []
        for state in (1, 0):
            trial.turn(state)
            calls.append(forks.calls())
            assert trial.published() == trial.sets[state]
        for kinds in calls:  # before a run can say how it ends
            for name in ("TextIOWrapper.reconfigure", "posix.putenv"):
                kinds.pop(name, None)
        assert {"posix.replace", "posix.unlink", "posix.fsync", "fcntl.flock"} <= set(calls[0])
        for n in range(2 * KILLS):
            number = chance.choice([signal.SIGKILL, *ENDED])
            # SIGKILL leaves temporaries, which the next run removes, also those of several runs.
            for _ in range(chance.randint(1, 3) if number == signal.SIGKILL else 1):
                trial.turn(1 - trial.state)
                kinds = calls[1 - trial.state]
                name = chance.choice(sorted(kinds))
                at, before = chance.randint(1, kinds[name]), chance.random() < 0.5
                code, said = forks.run(signal=number, name=name, at=at, before=before)
                where = (signal.Signals(number).name, name, at, before, code, said)
                trial.ended_well(number, code, said, where)
            if code in (0, -number) or n % 6 > 3:
                assert forks.run() == (0, ""), where
                assert trial.published() == trial.sets[trial.state], where
                assert trial.temp_files() == [], where


@pytest.mark.parametrize("builds", [2, 20])
def test_runs_at_once_end_well_or_say_that_another_one_is_there(trial: Trial, builds: int) -> None:
    checks = builds // 2
    rounds = max(1, KILLS // 24)
    for _ in range(rounds):
        trial.turn(1 - trial.state)
        commands = ["build"] * builds + ["check"] * checks
        random.Random(builds).shuffle(commands)
        runs = [(command, trial.start(command, stderr=subprocess.PIPE)) for command in commands]
        seen: list[str] = []
        while any(run.poll() is None for _, run in runs):
            seen += trial.faults()
            time.sleep(0.005)
        ends = [(command, run.returncode, run.communicate()[1].decode()) for command, run in runs]
        assert seen == []
        assert ("build", 0, "") in ends
        for command, code, said in ends:
            is_fine = said == "" and code in ((0,) if command == "build" else (0, 1))
            is_late = code == 2 and "another run of sitemapper" in said
            assert is_fine or is_late, (command, code, said)
        assert trial.published() == trial.sets[trial.state]
        assert trial.temp_files() == []


def test_an_edit_while_the_lock_is_waited_for_counts(trial: Trial) -> None:
    """The lock is taken before anything is read."""
    closed, left_out = sorted(path.name for path in trial.root.glob("*.html"))[:2]
    with lock(str(trial.root), Run(str(trial.root), {})):
        process = trial.start(stderr=subprocess.PIPE)
        time.sleep(1.5)
        assert process.poll() is None
        robots = f"User-agent: *\nDisallow: /{closed}\n"
        write_site(trial.root, {"robots.txt": robots, left_out: NOINDEX})
    assert process.communicate(timeout=300)[1] == b""
    assert process.returncode == 0
    listed = {name for number in (1, 2, 3) for name in paths(trial.root, f"sitemap-{number}.xml")}
    assert listed == {path.name for path in trial.root.glob("*.html")} - {closed, left_out}


PARTS = 2  # of the kills, so that two processors have some
ENDS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def children(run: subprocess.Popen[bytes]) -> str:
    return Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text()


def family(mark: str) -> list[str]:
    """The processes that were started with a mark in their environment, after a while if there are any."""
    end = time.monotonic() + 60
    found = ["?"]
    while found and time.monotonic() < end:
        found = [pid for pid in os.listdir("/proc") if pid.isdigit() and mark in environment(pid)]
        time.sleep(0.02)
    return found


def environment(pid: str) -> str:
    """That of a process that runs."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return "" if state == "Z" else Path(f"/proc/{pid}/environ").read_text(errors="replace")
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


@pytest.mark.parametrize("part", range(PARTS))
def test_no_kill_leaves_a_process_a_temporary_or_a_lock(tmp_path: Path, part: int) -> None:
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

    finish()
    for n in range(KILLS // PARTS):
        edited = {f"{k:03}.html": f"<main>{n} {k}" for k in range(0, 600, 150)}
        write_site(root, edited, MTIME + n + 1)
        old = temporaries()  # of runs that were killed
        run = start()
        moment = ("importing", "at work", "writing")[n % 3]
        if moment == "importing":
            time.sleep(chance.uniform(0, 0.2))
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
