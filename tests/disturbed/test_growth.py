"""Time grows with hostile input, never with its square: each is run in three sizes by the real command."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest
from support import POSIX, SITEMAPPER, Count
from support.hostile import CACHES, TABLE, Make

pytestmark = [POSIX, pytest.mark.slow]
ENDLESS = 300  # seconds of the processor, after which a run is stopped on any machine
NOISE = 0.15  # seconds
TRIES = 3  # other programs can make a run longer, never shorter


def seconds(folder: Path, make: Make, n: int) -> float:
    """The processor time of a run on an input of size n."""
    folder.mkdir()
    command = make(folder, n)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*SITEMAPPER, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (ENDLESS, ENDLESS)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["rm", "-rf", folder], check=True)
    assert done.returncode in (0, 1, 2), f"size {n} takes more than {ENDLESS} seconds, or is killed"
    assert "Traceback" not in done.stderr, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> float:
    """What a run takes in any case."""
    return seconds(tmp_path_factory.mktemp("start") / "1", TABLE["page, links"][1], 1)


@pytest.mark.parametrize("name", TABLE)
def test_time_does_not_grow_with_the_square_of(
    name: str, start: float, tmp_path: Path, count: Count
) -> None:
    size, make = TABLE[name]
    for attempt in range(TRIES):
        took = [seconds(tmp_path / f"{attempt}-{n}", make, n) for n in (size, 2 * size, 4 * size)]
        first, _, last = (max(spent - start, NOISE) for spent in took)
        count("runs on hostile input", 3)
        if last < 9 * first:
            return
    pytest.fail(f"{[round(spent, 2) for spent in (start, *took)]} seconds")


@pytest.mark.parametrize("name", CACHES)
def test_time_does_not_jump_where_a_cache_is_full(name: str, tmp_path: Path, count: Count) -> None:
    size, make = CACHES[name]
    for attempt in range(TRIES):
        sizes = (1, size, size + 1, 2 * size)
        least, fits, more, twice = (seconds(tmp_path / f"{attempt}-{n}", make, n) for n in sizes)
        fits = max(fits - least, NOISE)
        count("runs on hostile input", 4)
        if more - least < 2 * fits and twice - least < 4 * fits:
            return
    pytest.fail(
        f"{size} items in {fits:.2f} seconds, one more in {more - least:.2f}, twice as many in {twice - least:.2f}"
    )
