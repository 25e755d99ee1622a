"""Runs that are killed or run at once: what is published stays whole, and the next run repairs the rest.

`make stress KILLS=600` makes the random ones ten times as many.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from support import POSIX, SITEMAPPER, Count, Site
from support.trial import ENDED, KILLS, Trial

pytestmark = [
    POSIX,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for names of open files"),
]

PARTS = 3  # of the random trials, so that all processors have some


@pytest.mark.parametrize("part", range(PARTS))
def test_killed_at_any_moment_what_is_published_is_whole(
    trial: Trial, part: int, count: Count
) -> None:
    chance = random.Random(part)
    begun = time.monotonic()
    trial.finish()
    lasts = time.monotonic() - begun
    seen: list[str] = []
    reads = 0
    stop = threading.Event()

    def read() -> None:
        nonlocal reads
        while not stop.is_set():
            reads += 1
            seen.extend(trial.faults())
            time.sleep(0.001)

    for n in range(KILLS // 2 // PARTS):
        trial.turn(1 - trial.state)
        stop.clear()
        reader = threading.Thread(target=read)
        reader.start()
        run = trial.start()
        try:
            if n % 3:  # most of a run writes nothing: wait until it does
                while run.poll() is None and not any(
                    name.endswith(".tmp") for name in os.listdir(trial.root)
                ):
                    time.sleep(0.001)
                time.sleep(chance.uniform(0, 0.03))
            else:
                time.sleep(chance.uniform(0, lasts))
        finally:
            run.kill()
            run.wait()
            stop.set()
            reader.join()
        assert seen + trial.faults() == []
        if n % 5 == 4:
            trial.mended()
    trial.mended()
    count("kills at any moment", KILLS // 2 // PARTS)
    count("reads meanwhile", reads)


@pytest.mark.parametrize("half", [0, 1])
def test_a_signal_at_any_call_of_the_system_leaves_all_whole(
    trial: Trial, half: int, count: Count
) -> None:
    """Each kind of call, such as rename or write, is as likely, and so is each of its calls.

    At each step of an undisturbed run, a reader sees a whole set too.
    """
    chance = random.Random(half)
    with trial.forks() as forks:
        calls = []
        for state in (1, 0):
            trial.turn(state)
            steps, seen = forks.watched()
            assert (seen, trial.published()) == ([], trial.sets[state])
            assert steps > 60
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
                code, said = forks.signalled(number, name, at, before=before)
                where = (signal.Signals(number).name, name, at, before, code, said)
                trial.ended_well(number, code, said, where)
            if code in (0, -number) or n % 6 > 3:
                assert forks.run() == (0, ""), where
                assert trial.published() == trial.sets[trial.state], where
                assert trial.temp_files() == [], where
    count("signals at any call of the system", 2 * KILLS)


@pytest.mark.skipif(
    not os.path.isdir("/dev/shm"), reason="another file system that is always there"
)
def test_an_output_on_another_file_system(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as output:
        trial = Trial(tmp_path, Path(output))
        if os.stat(output).st_dev == os.stat(trial.root).st_dev:
            pytest.skip("the tests' own folders lie there too")
        with trial.forks() as forks:
            trial.turn(1)
            steps, seen = forks.watched()
            assert (seen, trial.published()) == ([], trial.sets[1])
            for step in range(steps // 2, steps, 8):
                trial.turn(1 - trial.state)
                forks.run(kill=step)
                assert trial.faults() == []
        trial.mended()


@pytest.mark.parametrize("builds", [2, 20])
def test_runs_at_once_end_well_or_say_that_another_one_is_there(
    trial: Trial, builds: int, count: Count
) -> None:
    checks = builds // 2
    rounds = max(1, KILLS // 24)
    reads = 0
    for _ in range(rounds):
        trial.turn(1 - trial.state)
        commands = ["build"] * builds + ["check"] * checks
        random.Random(builds).shuffle(commands)
        runs = [(command, trial.start(command, stderr=subprocess.PIPE)) for command in commands]
        seen: list[str] = []
        while any(run.poll() is None for _, run in runs):
            reads += 1
            seen += trial.faults()
            time.sleep(0.005)
        ends = [(command, run.returncode, run.communicate()[1].decode()) for command, run in runs]
        assert seen == []
        assert ("build", 0, "") in ends
        for command, code, said in ends:
            is_fine = said == "" and code in ((0,) if command == "build" else (0, 1))
            assert is_fine or (code == 2 and "another run of sitemapper" in said), (
                command,
                code,
                said,
            )
        assert trial.published() == trial.sets[trial.state]
        assert trial.temp_files() == []
    count("builds and checks at once", rounds * (builds + checks))
    count("reads meanwhile", reads)


def test_a_build_whose_worker_is_killed_ends_well(site: Site, tmp_path: Path) -> None:
    """CPython 3.11 hangs where a pool breaks that holds a cancelled call."""
    root = site({"a.html": "<main>" + "word " * 3_000})
    for n in range(6_000):
        os.link(root / "a.html", root / f"{n}.html")
    command = [*SITEMAPPER, "build", str(root), "--base-url", "https://example.com"]
    command += ["--jobs", "3", "--ledger", str(tmp_path / "ledger"), "--quiet"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as building:
        children = Path(f"/proc/{building.pid}/task/{building.pid}/children")
        workers: list[str] = []
        while building.poll() is None and len(workers) < 3:  # git is an only child
            time.sleep(0.05)
            workers = children.read_text().split()
        time.sleep(0.2)  # until they have begun to read
        os.kill(int(workers[0]), signal.SIGKILL)
        _, said = building.communicate(timeout=300)
    assert building.returncode == 2
    assert said.startswith("error: a worker died") and said.count("\n") == 2
    assert not (root / "sitemap.xml").exists() and not (tmp_path / "ledger").exists()
