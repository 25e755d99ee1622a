"""Shards are as full as both limits allow; stable ones stay as they are when others change."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from support import BASE, Site, build, locs, notes_of, settings

from sitemapper import SitemapperError
from sitemapper.model import LastMod, RenderedEntries, Shard, ShardSeries
from sitemapper.publish.shards import Limits, Sharder, capacity, layout, limits_of

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
    sharder = Sharder(XML, Limits(urls, size))
    for sizes in parts:
        sharder.add(part(sizes))
    shards = sharder.close()
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
def test_fifty_thousand_urls_and_one_more(
    entries: int, expected: list[int], tmp_path: Path
) -> None:
    sharder = Sharder(XML, limits_of(XML, settings(tmp_path).site.output))
    sharder.add(part([1] * entries))
    assert [shard.urls for shard in sharder.close()] == expected


@pytest.mark.parametrize(("more", "expected"), [(0, 1), (1, 2)])
def test_fifty_mebibytes_with_the_envelope_and_one_byte_more(
    more: int, expected: int, tmp_path: Path
) -> None:
    limit = limits_of(XML, settings(tmp_path).site.output)
    envelope = 52_428_800 - limit.size
    shard = Shard(XML, 1, 1, 0, limit.size - 100)
    assert envelope > 100
    assert capacity(shard, [100 + more], 0, limit) == 2 - expected


def test_bytes_of_real_files_never_pass_the_limit(tmp_path: Path) -> None:
    root = tmp_path / "public"
    root.mkdir()
    for n in range(60):
        (root / f"{'x' * (n % 17)}{n}.html").write_text("<p>")
    summary = build(root, sitemap={"max_bytes": 1200})
    names = [f.name for f in summary.files if f.urls]
    sizes = [(root / name).stat().st_size for name in names]
    assert max(sizes) <= 1200
    assert all(size + 60 > 1200 - 40 for size in sizes[:-1])
    assert sum(len(locs(root, name)) for name in names) == 60


def test_more_shards_than_an_index_may_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitemapper.publish.shards.MAX_URLS", 5)
    shards = [Shard(XML, n, 1, 0, 1) for n in range(1, 7)]
    words = "the site needs 6 sitemaps, and an index may list 5"
    with pytest.raises(SitemapperError, match=words):
        layout(shards, settings(tmp_path).site.output)
    assert len(layout(shards[:-1], settings(tmp_path).site.output)) == 6


def test_a_url_larger_than_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SitemapperError, match="too few for one URL"):
        Sharder(XML, Limits(5, 3)).add(part([4]))


def stable_shards(locs: Sequence[str], batch: int) -> Sequence[Shard]:
    """The stable shards of entries of one byte, which come in batches."""
    sharder = Sharder(XML, Limits(50_000, 1 << 40))
    for start in range(0, len(locs), batch):
        some = locs[start : start + batch]
        ends, dates = range(1, len(some) + 1), [None] * len(some)
        sharder.add(RenderedEntries(XML, b"x" * len(some), ends, dates, some))
    shards: Sequence[Shard] = sharder.close()
    return shards


def stable(numbers: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The shards of a large site, by their keys, as the numbers of its pages."""
    locs = [f"{BASE}section-{n // 999}/page-{n}.html" for n in numbers]
    found, at = {}, 0
    for shard in stable_shards(locs, 4_000):
        found[shard.key] = tuple(numbers[at : at + shard.urls])
        at += shard.urls
    assert at == len(numbers)
    return found


BEFORE = range(0, 800_000, 2)
before_all = cache(lambda: stable(BEFORE))


@pytest.mark.slow
@hypothesis_settings(max_examples=30, deadline=None)
@given(st.integers(0, 399_999), st.booleans())
def test_one_page_more_or_less_changes_few_stable_shards(place: int, adds: bool) -> None:
    there = [BEFORE[place], BEFORE[place] + 1] if adds else []
    after = [*BEFORE[:place], *there, *BEFORE[place + 1 :]]
    old, new = before_all(), stable(after)
    written = [key for key, pages in new.items() if old.get(key) != pages]
    assert len(written) <= 3  # more only behind a cut that the limits forced
    assert max(map(len, new.values())) <= 50_000
    assert min(list(map(len, new.values()))[:-1]) >= 1_000


def test_stable_shards_are_named_and_found_again(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(12)})
    values: dict[str, Any] = {"sitemap": {"strategy": "stable", "max_urls": 5}}
    summary = build(root, **values)
    names = sorted(path.name for path in root.glob("sitemap-*"))
    assert len(names) == 3
    assert all(re.fullmatch(r"sitemap-[0-9a-f]{12}\.xml", name) for name in names)
    assert [note for note in notes_of(summary) if "a limit split 2 sitemaps" in note]
    assert {f.change.value for f in build(root, **values).files} == {"kept"}
    build(root)
    assert list(root.glob("sitemap-*")) == []


def test_a_stable_shard_ends_where_a_hash_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemapper.publish.shards.STABLE_MIN_URLS", 2)
    monkeypatch.setattr("sitemapper.publish.shards.STABLE_MEAN_URLS", 3)

    def firsts(locs: Sequence[str]) -> list[str]:
        shards = stable_shards(locs, 7)
        assert sum(shard.urls for shard in shards) == len(locs)
        assert min(shard.urls for shard in shards[:-1]) == 2
        assert len({shard.key for shard in shards}) == len(shards)
        return [locs[shard.start] for shard in shards]

    locs = [f"https://example.com/{n:03}.html" for n in range(100)]
    cuts = firsts(locs)
    assert len(cuts) > 10
    without = firsts([*locs[:50], *locs[51:]])
    assert len(set(cuts) ^ set(without)) <= 3
