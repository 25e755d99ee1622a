"""Shards are as full as both limits allow, exactly at the border."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import build, locs, settings

from sitemapper import SitemapperError
from sitemapper.model import LastMod, RenderedEntries, Shard, ShardSeries
from sitemapper.output.shards import MAX_SHARDS, Limits, Sharder, capacity, layout, limits_of

XML = ShardSeries("xml", "")


def part(sizes: list[int]) -> RenderedEntries:
    return RenderedEntries(XML, b"".join(bytes([n % 251]) * size for n, size in enumerate(sizes)), list(itertools.accumulate(sizes)), [LastMod(n, str(n)) for n in range(len(sizes))])  # fmt: skip


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=6), max_size=6),
    st.integers(1, 5),
    st.integers(9, 30),
)
def test_shards_concatenate_to_the_input_and_no_two_could_be_one(
    parts: list[list[int]], urls: int, size: int
) -> None:
    cutter = Sharder(XML, Limits(urls, size))
    for sizes in parts:
        cutter.add(part(sizes))
    shards = cutter.close()
    entries = [n for sizes in parts for n in sizes]
    assert sum(s.size for s in shards) == sum(entries)
    assert [s.start for s in shards] == list(itertools.accumulate([0, *(s.size for s in shards)]))[
        : len(shards)
    ]
    assert sum(s.urls for s in shards) == len(entries)
    assert all(s.urls <= urls and s.size <= size for s in shards)
    first = 0
    for one, other in itertools.pairwise(shards):
        first += one.urls
        assert one.urls == urls or one.size + entries[first] > size
        assert other.urls


@pytest.mark.parametrize(("entries", "expected"), [(50_000, [50_000]), (50_001, [50_000, 1])])
def test_fifty_thousand_urls_and_one_more(entries: int, expected: list[int], tmp_path: Path) -> None:
    cutter = Sharder(XML, limits_of(XML, settings(tmp_path)))
    cutter.add(part([1] * entries))
    assert [shard.urls for shard in cutter.close()] == expected


@pytest.mark.parametrize(("more", "expected"), [(0, 1), (1, 2)])
def test_fifty_mebibytes_with_the_envelope_and_one_byte_more(
    more: int, expected: int, tmp_path: Path
) -> None:
    limit = limits_of(XML, settings(tmp_path))
    envelope = 52_428_800 - limit.size
    shard = Shard(XML, 1, 1, 0, limit.size - 100)
    assert envelope > 100
    assert capacity(shard, [100 + more], 0, limit) == 2 - expected


def test_bytes_of_real_files_never_pass_the_limit(tmp_path: Path) -> None:
    root = tmp_path / "public"
    root.mkdir()
    for n in range(60):
        (root / f"{'x' * (n % 17)}{n}.html").write_text("")
    summary = build(root, sitemap={"max_bytes": 1200})
    names = [f.name for f in summary.files if f.urls]
    sizes = [(root / name).stat().st_size for name in names]
    assert max(sizes) <= 1200
    assert all(size + 60 > 1200 - 40 for size in sizes[:-1])
    assert sum(len(locs(root, name)) for name in names) == 60


def test_more_than_fifty_thousand_shards_are_refused(tmp_path: Path) -> None:
    shards = [Shard(XML, n, 1, 0, 1) for n in range(1, MAX_SHARDS + 2)]
    with pytest.raises(SitemapperError, match="the site needs 50,001 sitemaps, and an index may name 50,000"):
        layout(shards, settings(tmp_path))
    assert len(layout(shards[:-1], settings(tmp_path))) == MAX_SHARDS + 1


def test_a_url_larger_than_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SitemapperError, match="too few for one URL"):
        Sharder(XML, Limits(5, 3)).add(part([4]))
