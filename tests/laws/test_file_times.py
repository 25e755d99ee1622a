"""The times of files: none in a burst dates a page, all others do, however a run goes."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import MTIME, NOW, settings, write_site
from support.laws import examples
from support.ledger import dates

import sitemapper
from sitemapper.commands.explain import explain
from sitemapper.lastmod.file_times import FileTimes, find_bursts
from sitemapper.model import Batch, Listed, Page

DAY = 86_400
NOW_SECOND = int(NOW.timestamp())
SUMMER_TIME = 1_774_746_000  # 2026-03-29T01:00:00Z: clocks go forward in Berlin
LEAP_SECOND = 1_483_228_800  # 2017-01-01, after 23:59:60
STARTS = (MTIME, SUMMER_TIME - 3, LEAP_SECOND - 2, NOW_SECOND - 5, 3, -DAY)


def random_times(chance: random.Random) -> list[int]:
    """Times in ns: copies of any size and pace, edits, and clocks that are fast or slow."""
    seconds: list[float] = []
    for _ in range(chance.randint(1, 4)):
        start = chance.choice(STARTS) + chance.randint(-3, 3) * DAY
        pace = chance.choice((0, 0.01, 1, 2, 10, 11))
        seconds += (start + number * pace for number in range(chance.randint(1, 9)))
    seconds += (chance.randint(MTIME - 99 * DAY, MTIME) for _ in range(chance.randint(0, 5)))
    chance.shuffle(seconds)
    return [int(second * 10**9) for second in seconds]


def expected_dates(times: list[int]) -> list[bool]:
    """Whether each file has an honest time, by a second reading of the rule."""
    seconds = [time // 10**9 for time in times]
    least = min(5, max(2, len(seconds)))
    honest = []
    for own in seconds:
        chain = {own}
        while True:
            longer = {s for s in seconds if any(abs(s - other) <= 10 for other in chain)}
            if longer == chain:
                break
            chain = longer
        is_burst = sum(second in chain for second in seconds) >= least
        is_plausible = 662_688_000 <= own <= NOW_SECOND + 60
        honest.append(is_plausible and not is_burst)
    return honest


@given(
    seconds=st.lists(st.integers(0, 400) | st.integers(-DAY, 30 * DAY), max_size=40),
    size=st.sampled_from([1, 2, 7, 40]),
)
# Of the parts in which all times are sorted, two share this burst.
@example(seconds=[0, 102, 103, 104, 105, 106, 200], size=1)
def test_the_bursts_do_not_depend_on_the_batches(seconds: list[int], size: int) -> None:
    pages = [Page(f"{number}.html", 1, second * 10**9) for number, second in enumerate(seconds)]
    times = FileTimes(None)
    for start in range(0, len(pages), size):
        times.add(Batch(pages[start : start + size], (), {}))
    times.finish()
    assert times.bursts == find_bursts(seconds, len(pages))


@pytest.mark.parametrize("seed", range(examples(25, 250)))
def test_a_page_has_a_date_if_its_file_is_in_no_burst(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    times = random_times(chance)
    names = [f"{chance.choice('abc')}/{number:02}.html" for number in range(len(times))]
    root = write_site(tmp_path / "public", {name: f"<p>{name}" for name in names})
    for name, time in zip(names, times, strict=True):
        os.utime(root / name, ns=(time, time))
    monkeypatch.setattr("sitemapper.pipeline.evidence._HELD", chance.choice((1, 5, 5_000)))
    monkeypatch.setattr("sitemapper.site.walk.BATCH", chance.choice((1, 4, 1_000)))
    zone = chance.choice(("UTC", "Europe/Berlin", "Pacific/Auckland"))
    setup = settings(root, dates={"timezone": zone}, url_style="file")
    sitemapper.build(setup, now=NOW)
    found = dates(root)
    expected = dict(zip(names, expected_dates(times), strict=True))
    assert {name: date is not None for name, date in found.items()} == expected
    for name in names:
        verdict = explain(setup, name, now=NOW).verdict
        assert isinstance(verdict, Listed)
        assert (verdict.lastmod and verdict.lastmod.text) == found[name]
