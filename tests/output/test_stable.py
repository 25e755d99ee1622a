"""Sitemaps that stay as they are when others change, and the small one of the newest pages."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from support import BASE, Site, build, locs, paths

from sitemapper import SitemapperError
from sitemapper.model import RenderedEntries, ShardSeries
from sitemapper.output.shards import STABLE_MEAN_URLS, Limits, Sharder

XML = ShardSeries("xml", "")


def stable(numbers: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The shards of a large site, by their keys, as the numbers of its pages."""
    cutter = Sharder(XML, Limits(50_000, 1 << 40), STABLE_MEAN_URLS)
    for start in range(0, len(numbers), 4_000):
        some = numbers[start : start + 4_000]
        locs = [f"{BASE}section-{n // 999}/page-{n}.html" for n in some]
        cutter.add(RenderedEntries(XML, b"x" * len(some), range(1, len(some) + 1), [None] * len(some), locs))
    found, at = {}, 0
    for shard in cutter.close():
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
    after = [*BEFORE[:place], *([BEFORE[place], BEFORE[place] + 1] if adds else []), *BEFORE[place + 1 :]]
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
    assert [note for note in summary.notes if "2 sitemaps were cut by the limits" in note]
    assert {f.change.value for f in build(root, **values).files} == {"kept"}
    build(root)
    assert list(root.glob("sitemap-*")) == []


def test_the_newest_pages_once_more(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(9)})  # each an hour newer than the one before
    values: dict[str, Any] = {"sitemap": {"recent": 3, "text": True}}
    summary = build(root, **values)
    assert paths(root, "sitemap-recent.xml") == ["8.html", "7.html", "6.html"]
    assert locs(root) == [f"{BASE}sitemap-1.xml", f"{BASE}sitemap-recent.xml"]
    assert summary.listed == 9
    assert not (root / "sitemap-recent.txt").exists()
    os.unlink(root / "8.html")
    again = build(root, **values)
    assert (again.previous, {c.value: n for c, n in again.changes.items()}) == (
        9,
        {"added": 0, "changed": 0, "removed": 1},
    )
    assert paths(root, "sitemap-recent.xml") == ["7.html", "6.html", "5.html"]
    build(root)
    assert not (root / "sitemap-recent.xml").exists()


def test_pages_without_a_date_are_not_recent(site: Site) -> None:
    root = site({"a.html": "", "b.html": ""})
    build(root, lastmod=[], sitemap={"recent": 3})
    assert locs(root) == [f"{BASE}sitemap-1.xml"]


def test_a_section_cannot_be_called_like_the_newest_pages(site: Site) -> None:
    with pytest.raises(SitemapperError, match="another sitemap would also be named 'recent'"):
        build(site({"a.html": ""}), sitemaps=[{"name": "recent", "match": ["*"]}], sitemap={"recent": 3})
