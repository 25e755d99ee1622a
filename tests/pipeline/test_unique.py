"""URLs that a stream has listed twice: which pages to leave out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest
from support import BASE

from sitemapper.model import Shard, ShardSeries
from sitemapper.output.shards import Spool
from sitemapper.pipeline.unique import find_repeated

XML = ShardSeries("xml", "")


def repeated_in(
    listed: Sequence[str], suspects: Mapping[str, Sequence[str]], series: ShardSeries = XML
) -> dict[str, str]:
    """The paths to leave out of a stream that has listed these paths of the site."""
    text = "".join(f"<url><loc>{BASE}{path}</loc></url>\n" for path in listed).encode()
    with Spool() as spool:
        spool.append(series, text)
        shard = Shard(series, 1, len(listed), 0, len(text))
        return find_repeated(suspects, [shard], spool)


def test_of_pages_that_may_be_one_url_the_first_stays() -> None:
    suspects = {f"{BASE}a": ["a.html", "b.html", "c.html"]}
    assert repeated_in(["a", "a", "a"], suspects) == {"b.html": f"{BASE}a", "c.html": f"{BASE}a"}
    assert repeated_in(["a"], {f"{BASE}a": ["a.html"]}) == {}


def test_a_page_that_is_no_suspect_wins() -> None:
    assert repeated_in(["a", "b", "a"], {f"{BASE}a": ["b.html"]}) == {"b.html": f"{BASE}a"}


def test_only_the_entries_of_sitemaps_count() -> None:
    text_list = ShardSeries("txt", "")
    assert repeated_in(["a", "a"], {f"{BASE}a": ["b.html"]}, text_list) == {}


def test_an_escaped_url_is_found_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemapper.output.shards._BLOCK", 7)
    listed = ["a?x=1&amp;y=2", "b", "a?x=1&amp;y=2"]
    url = f"{BASE}a?x=1&y=2"
    assert repeated_in(listed, {url: ["a.html"]}) == {"a.html": url}


def test_without_suspects_nothing_is_read() -> None:
    def no_shards() -> Iterator[Shard]:
        pytest.fail("was read")
        yield

    with Spool() as spool:
        assert find_repeated({}, no_shards(), spool) == {}
