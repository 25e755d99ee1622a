"""The times of files: none in a burst dates a page, all others do, however a run goes."""

from __future__ import annotations

import os
import random
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import MTIME, NOW, settings, write_site
from support.git import Repo
from support.laws import examples
from support.ledger import dates

import sitemapper
from sitemapper.commands.explain import explain
from sitemapper.lastmod.file_times import with_bursts
from sitemapper.model import Batch, Listed, Page, PageRow
from sitemapper.read import walk
from sitemapper.run import process

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


def in_bursts(seconds: list[int | None], near: int = 500) -> list[bool]:
    """Whether each file is in a burst, by a second reading of the rule. None does not count."""
    least = min(5, max(2, len(seconds)))
    found = []
    for place, own in enumerate(seconds):
        around = seconds[max(0, place - near) : place + near + 1]
        apart = [abs(s - own) for s in around if s is not None and own is not None]
        is_slow = sum(distance <= 40 for distance in apart) >= least
        is_quick = sum(distance <= 1 for distance in apart) >= 3
        found.append(is_slow or is_quick)
    return found


def expected_dates(times: list[int]) -> list[bool]:
    """Whether each file has an honest time."""
    seconds: list[int | None] = [time // 10**9 for time in times]
    return [
        not is_in_burst and second is not None and 662_688_000 <= second <= NOW_SECOND + 60
        for second, is_in_burst in zip(seconds, in_bursts(seconds), strict=True)
    ]


@given(
    seconds=st.lists(
        st.integers(0, 400) | st.integers(-DAY, 30 * DAY) | st.none() | st.just(7), max_size=60
    ),
    size=st.sampled_from([1, 2, 7, 60]),
    near=st.sampled_from([5, 9, 500]),
)
def test_the_bursts_do_not_depend_on_the_batches(
    seconds: list[int | None], size: int, near: int
) -> None:
    pages = [Page(f"{place}.html", 1, (s or 0) * 10**9) for place, s in enumerate(seconds)]
    clean = {page.path for page, s in zip(pages, seconds, strict=True) if s is None}
    batches = []
    for start in range(0, len(pages), size):
        own = pages[start : start + size]
        rows = [PageRow(is_committed=page.path in clean) for page in own]
        batches.append(Batch(own, (), {}, rows))
    with patch("sitemapper.lastmod.file_times._NEAR", near):
        found = list(with_bursts(batches))
    assert [batch.pages for batch in found] == [batch.pages for batch in batches]
    expected = in_bursts(seconds, near)
    assert [row.is_in_burst for batch in found for _, row in batch.page_rows()] == expected


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
    monkeypatch.setattr("sitemapper.read.walk.BATCH", chance.choice((1, 4, 1_000)))
    zone = chance.choice(("UTC", "Europe/Berlin", "Pacific/Auckland"))
    setup = settings(root, dates={"timezone": zone}, url_style="file")
    sitemapper.build(setup, now=NOW)
    found = dates(root)
    expected = dict(zip(names, expected_dates(times), strict=True))
    assert {name: date is not None for name, date in found.items()} == expected
    for name in names:
        verdict = explain(setup, name, now=NOW).decision
        assert isinstance(verdict, Listed)
        assert (verdict.lastmod and verdict.lastmod.text) == found[name]


@pytest.mark.parametrize("is_in_git", [False, True])
@pytest.mark.parametrize("text", ["longer, " * 9, "new", ""])
def test_a_page_saved_while_a_build_runs_has_the_time_of_that_save(
    tmp_path: Path, text: str, is_in_git: bool
) -> None:
    root = write_site(tmp_path / "site", {f"{name}.html": f"<p>text {name}" for name in "abcd"})
    if is_in_git:
        Repo(tmp_path).commit(1, {})
    saved_at = MTIME + 20 * DAY
    evaluate = process.select_batch

    def save_first(batch: Batch, *others: Any) -> Any:
        write_site(root, {"b.html": f"<title>b</title><p>{text}"}, mtime=saved_at)
        return evaluate(batch, *others)

    setup = settings(root, lastmod=["ledger", "git", "mtime"], ledger={"path": "ledger"})
    with patch.object(process, "select_batch", save_first):
        sitemapper.build(setup, now=NOW)
    while_saved = dates(root)
    assert while_saved["b.html"] == f"{datetime.fromtimestamp(saved_at, UTC):%FT%T+00:00}"
    sitemapper.build(setup, now=NOW)
    assert dates(root) == while_saved


@pytest.mark.parametrize("batch", [1, 2, 1000])
def test_pages_that_one_build_did_not_walk_keep_their_dates(tmp_path: Path, batch: int) -> None:
    """The folder of some pages is ignored for one build. Deleted folders leave the ledger."""
    names = ["a/1", "a/b/index", "a/b/2", "a/b/c/3", "b", "d/4", "d/index", "z/5"]
    files = {f"{name}.html": f"<p>text of {name}" for name in names}
    root = write_site(tmp_path / "site", files)
    ledger = tmp_path / "ledger"

    def build(*ignore: str) -> str:
        values = {"ledger": {"path": "ledger"}, "ignore": ignore, "max_drop": 100}
        sitemapper.build(settings(root, lastmod=["ledger", "mtime"], **values), now=NOW)
        return ledger.read_text()

    with patch.object(walk, "BATCH", 4 * batch):
        before = build()
        for ignored in (["a/"], ["a/b/"], ["a/b/2.html"], ["d/"], ["z/"], ["d/index.html", "z/"]):
            without = build(*ignored)
            assert "unlisted" in without
            assert without.replace("\tunlisted", "") == before
            write_site(root, files, mtime=MTIME + 20 * DAY)  # another build of the same content
            assert build() == before
        shutil.rmtree(root / "a/b")
        after = build("a/b/", "z/")
    assert "a/b/" not in after
    assert "z/5.html" in after
