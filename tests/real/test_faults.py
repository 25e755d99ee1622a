"""File systems that are full, to the last block or the last inode, and folders of a million files. Needs root."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import BASE, SITEMAPPER
from support.memory import peak
from support.trial import ENDED, KILLS, Trial

from real.tools import PLAIN, run

pytestmark = pytest.mark.real

Mount = Callable[[str], Path]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """`mount("size=1m")` gives a file system of that size; a machine that cannot mount fails the test."""
    mounted: list[Path] = []

    def new(options: str) -> Path:
        folder = tmp_path / f"disk{len(mounted)}"
        folder.mkdir()
        run("mount", "-t", "tmpfs", "-o", options, "none", folder)
        mounted.append(folder)
        return folder

    yield new
    for folder in mounted:
        run("umount", folder)


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


def refused_or_done(trial: Trial, code: int, said: str, before: dict[str, bytes]) -> bool:
    """Whether a run could not write; it says so and changes nothing, or all is as if there were room."""
    assert trial.temp_files() == []
    if code == 0:
        assert said == ""
        assert trial.published() == trial.sets[trial.state]
        return False
    assert (code, said.count("error: ")) == (2, 1), said
    assert "No space left on device; nothing was published" in said
    assert trial.published() == before
    return True


def test_a_disk_with_little_room(tmp_path: Path, mount: Mount) -> None:
    disk = mount("size=4m")
    trial = Trial(tmp_path, disk)
    page = os.sysconf("SC_PAGE_SIZE")
    ballast = disk / "ballast"
    outcomes = []
    with trial.forks() as forks:
        for room in [*range(60), 300]:
            trial.turn(1 - trial.state)
            before = trial.published()
            found = os.statvfs(disk)
            ballast.write_bytes(bytes((found.f_bavail - room) * page))
            assert os.statvfs(disk).f_bavail == room
            outcomes.append(refused_or_done(trial, *forks.run(), before))
            ballast.unlink()
            if outcomes[-1]:
                trial.mended()
    assert outcomes[0] and not outcomes[-1]


def test_a_disk_with_few_inodes_left(tmp_path: Path, mount: Mount) -> None:
    disk = mount("size=4m,nr_inodes=100")
    trial = Trial(tmp_path, disk)
    outcomes = []
    with trial.forks() as forks:
        for room in range(40):
            trial.turn(1 - trial.state)
            before = trial.published()
            fill = [disk / f"ballast{n}" for n in range(os.statvfs(disk).f_favail - room)]
            for path in fill:
                path.touch()
            outcomes.append(refused_or_done(trial, *forks.run(), before))
            for path in fill:
                path.unlink()
            if outcomes[-1]:
                trial.mended()
    assert outcomes[0] and not outcomes[-1]


def test_another_disk_that_is_full(tmp_path: Path, mount: Mount) -> None:
    disk = mount("size=1m")
    (tmp_path / "kept").symlink_to(disk)
    trial = Trial(tmp_path)
    page = os.sysconf("SC_PAGE_SIZE")
    ballast = disk / "ballast"
    outcomes = []
    with trial.forks() as forks:
        for room in [*range(8), 100]:
            trial.turn(1 - trial.state)
            before = trial.published()
            size = os.statvfs(disk).f_bavail * page
            ballast.write_bytes(bytes(size))
            os.truncate(ballast, max(0, size - room * page))
            code, said = forks.run()
            ballast.unlink()
            outcomes.append(refused_or_done(trial, code, said, before))
    assert outcomes[0] and not outcomes[-1]


def test_a_disk_that_was_made_read_only(tmp_path: Path, mount: Mount) -> None:
    disk = mount("size=4m")
    trial = Trial(tmp_path, disk)
    trial.turn(1)
    before = trial.published()
    run("mount", "-o", "remount,ro", disk)
    with trial.forks() as forks:
        code, said = forks.run()
    assert (code, said.count("error: ")) == (2, 1)
    assert "Read-only file system; nothing was published" in said
    assert trial.published() == before
    run("mount", "-o", "remount,rw", disk)
    trial.mended()


def test_a_million_files_in_one_folder(mount: Mount, capsys: pytest.CaptureFixture[str]) -> None:
    root = mount("size=2g,nr_inodes=1100000")
    (root / "0000000.html").write_text("<title>Tea</title>")
    place = os.open(root, os.O_RDONLY)
    for n in range(1, 1_000_000):  # each with a page of its own, they would fill the memory
        os.link("0000000.html", f"{n:07}.html", src_dir_fd=place, dst_dir_fd=place)
    os.close(place)
    for flags in ([], [*PLAIN, "--url-style", "clean"]):
        begun = time.monotonic()
        megabytes = peak("build", root, "--base-url", BASE, *flags, "--quiet") // 1024
        with capsys.disabled():
            seconds = time.monotonic() - begun
            print(f"a million files in one folder: {seconds:.1f} s, {megabytes} MB")
        assert megabytes < 2000
        shards = list(root.glob("sitemap-*.xml"))
        assert len(shards) == 20
        assert sum(shard.read_bytes().count(b"<loc>") for shard in shards) == 1_000_000


CALLS = ("openat", "flock", "write", "fsync", "rename", "unlink", "close", "getdents64")


def test_signals_at_any_system_call(trial: Trial) -> None:
    """strace sends the signal at the n-th system call of a kind; without --seccomp-bpf, which injects nothing."""
    log = trial.root.parent / "calls"
    chance = random.Random(1)

    def traced(*options: str) -> subprocess.CompletedProcess[str]:
        command = ["strace", "-o", str(log), *options, *SITEMAPPER, *trial.arguments]
        return subprocess.run(command, capture_output=True, text=True)

    counts = []
    for state in (1, 0):
        trial.turn(state)
        assert traced("-e", f"trace={','.join(CALLS)}").returncode == 0
        counts.append(Counter(line.partition("(")[0] for line in log.read_text().splitlines()))
        assert trial.published() == trial.sets[state]
    sent = 0
    for n in range(KILLS):
        trial.turn(1 - trial.state)
        name, number = CALLS[n % len(CALLS)], chance.choice([signal.SIGKILL, *ENDED])
        # Most calls of these kinds load Python and our modules; what is written comes last.
        most = counts[1 - trial.state][name]
        at = chance.randint(max(1, most - 80), most)
        injected = f"inject={name}:signal={signal.Signals(number).name}:when={at}"
        done = traced("-e", f"trace={name}", "-e", injected)
        # After a run that was ended, the next may have less to do, and make fewer calls.
        sent += signal.Signals(number).name in log.read_text()
        code = -number if done.returncode == 128 + number and done.stderr == "" else done.returncode
        trial.ended_well(number, code, done.stderr, (signal.Signals(number).name, name, at, done))
        if n % 4 == 3 or number == signal.SIGKILL:
            trial.mended()
    assert sent > KILLS // 2, "strace sent too few signals"
