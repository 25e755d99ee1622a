"""A page of which less was remembered than is asked now is read again."""

from __future__ import annotations

import pytest
from support import Site
from support.facts import METADATA_ONLY

from sitemapper.model import (
    Batch,
    CachedBatch,
    PageFacts,
    PageRow,
    PossibleSource,
)
from sitemapper.read import cache, server, walk
from sitemapper.read.page import PageReader

LATER = 9_000_000_000_000_000_000  # ns: every file is old by then


@pytest.mark.parametrize(("bytes_of_source", "is_read"), [(200, False), (300, False), (2, True)])
def test_a_remembered_page_is_read_again_for_a_source_that_is_shorter_now(
    site: Site, reads: list[str], bytes_of_source: int, is_read: bool
) -> None:
    def reader(size: int, blocks: list[bytes]) -> PageReader:
        row = PageRow(sources=[PossibleSource("a.md", size, "", has_own_title=False)])
        batch = Batch([page], (), {}, rows=[row], cached=CachedBatch(1, LATER, blocks))
        return PageReader(root, METADATA_ONLY, batch)

    folder = site({"a.html": f"<nav>{'Menu ' * 105}</nav><p>Text."})
    root = walk.folder(str(folder), (), ("*",))
    page = server.find_page(root, "a.html")
    assert page
    first = reader(200, [])
    first.facts(page)
    reads.clear()
    second = reader(bytes_of_source, [cache.pack(first.records)])
    facts = second.facts(page)
    assert isinstance(facts, PageFacts)
    assert facts.shown
    assert (facts.shown[1] == len("Text.")) is is_read
    assert reads == ["a.html"] * is_read
    reads.clear()
    reader(2, [cache.pack(second.records)]).facts(page)
    assert reads == ["a.html"] * (not is_read)
