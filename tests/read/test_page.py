"""A page is read only where that is needed, and one that cannot be read is left out with the reason."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support import Site
from support.facts import METADATA_ONLY
from support.heads import NOINDEX
from support.heard import Heard, heard

import sitemapper
from sitemapper.model import (
    NO_FACTS,
    Batch,
    CachedBatch,
    Excluded,
    Page,
    PageFacts,
    PageRow,
    Reason,
    SourceCandidate,
)
from sitemapper.read import cache, server, walk
from sitemapper.read.facts import ReadOptions
from sitemapper.read.page import PageReader

NOTHING = ReadOptions(signals=None, dates=False, digest=None, images=False)
LATER = 9_000_000_000_000_000_000  # ns: every file is old by then


def page(folder: Path, name: str) -> Page:
    found = server.find_page(root(folder), name)
    assert found
    return found


def batch(blocks: list[bytes]) -> Batch:
    return Batch([], [], {}, cached=CachedBatch(1, LATER, blocks))


def root(folder: Path) -> walk.SiteRoot:
    return walk.folder(str(folder), (), ("*",))


def test_only_html_is_opened_for_its_head(site: Site, reads: list[str]) -> None:
    folder = site({"a.html": NOINDEX, "b.pdf": NOINDEX, "empty.html": b""})
    reader = PageReader(root(folder), METADATA_ONLY)
    facts = [reader.facts(page(folder, name)) for name in ("a.html", "b.pdf", "empty.html")]
    assert isinstance(facts[0], PageFacts)
    assert "noindex" in facts[0].metadata.signals
    assert facts[1:] == [NO_FACTS, PageFacts(kind="not HTML")]
    assert (reads, reader.parsed) == (["a.html"], 1)
    assert PageReader(root(folder), NOTHING).facts(page(folder, "a.html")) == NO_FACTS
    assert reads == ["a.html"]


def test_a_page_that_another_names_is_opened_once(site: Site, reads: list[str]) -> None:
    folder = site({"a.html": NOINDEX})
    reader = PageReader(root(folder), METADATA_ONLY)
    facts = reader.facts(page(folder, "a.html"), is_version=True)
    assert reader.facts(page(folder, "a.html")) == facts
    assert reads == ["a.html"]


def test_a_page_that_is_gone_is_left_out_with_the_reason(site: Site) -> None:
    folder = site({"a.html": NOINDEX})
    gone = page(folder, "a.html")
    (folder / "a.html").unlink()
    facts = PageReader(root(folder), METADATA_ONLY).facts(gone)
    assert isinstance(facts, Excluded)
    assert (facts.path, facts.reason) == ("a.html", Reason.UNREADABLE)
    assert facts.origin.source == os.strerror(2)


@pytest.mark.parametrize(
    ("text", "is_touched", "is_read", "is_parsed"),
    [
        (NOINDEX, False, False, False),
        (NOINDEX, True, True, False),  # another time, the same bytes
        ("<title>new</title>", True, True, True),
    ],
)
def test_a_remembered_page_is_read_again_only_if_it_may_have_changed(
    site: Site, reads: list[str], text: str, is_touched: bool, is_read: bool, is_parsed: bool
) -> None:
    folder = site({"a.html": NOINDEX})
    first = PageReader(root(folder), METADATA_ONLY, batch([]))
    first.facts(page(folder, "a.html"))
    if is_touched:
        (folder / "a.html").write_text(text)
        os.utime(folder / "a.html", (1_700_000_000, 1_700_000_000))
    reads.clear()
    second = PageReader(root(folder), METADATA_ONLY, batch([cache.pack(first.records)]))
    facts = second.facts(page(folder, "a.html"))
    assert isinstance(facts, PageFacts)
    assert ("noindex" in facts.metadata.signals) is (text == NOINDEX)
    assert (reads, second.parsed) == (["a.html"] * is_read, int(is_parsed))
    assert list(second.records) == ["a.html"]


@pytest.mark.parametrize(("bytes_of_source", "is_read"), [(200, False), (300, False), (2, True)])
def test_a_remembered_page_is_read_again_for_a_source_that_is_shorter_now(
    site: Site, reads: list[str], bytes_of_source: int, is_read: bool
) -> None:
    def reader(size: int, blocks: list[bytes]) -> PageReader:
        source = SourceCandidate("a.md", size, "", is_named=False)
        row = PageRow(sources=[source])
        pages = [page(folder, "a.html")]
        own = batch(blocks)._replace(pages=pages, rows=[row])
        return PageReader(root(folder), METADATA_ONLY, own)

    folder = site({"a.html": f"<nav>{'Menu ' * 105}</nav><p>Text."})
    first = reader(200, [])
    first.facts(page(folder, "a.html"))
    reads.clear()
    second = reader(bytes_of_source, [cache.pack(first.records)])
    facts = second.facts(page(folder, "a.html"))
    assert isinstance(facts, PageFacts)
    assert facts.shown
    assert (facts.shown[1] == len("Text.")) is is_read
    assert reads == ["a.html"] * is_read
    reads.clear()
    reader(2, [cache.pack(second.records)]).facts(page(folder, "a.html"))
    assert reads == ["a.html"] * (not is_read)


def test_a_page_that_loses_its_permission_is_a_warning(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({"a.html": "x", "b.html": "x"})
    real = sitemapper.read.contents.read

    def deny(folder: Any, page: Any, limit: int) -> bytes:
        if page.path == "a.html":
            raise PermissionError(13, "Permission denied")
        return real(folder, page, limit)

    monkeypatch.setattr("sitemapper.read.contents.read", deny)
    assert heard(root) == Heard(
        {"a.html": (Reason.UNREADABLE, "Permission denied")},
        {"UNREADABLE": ("a.html (Permission denied)",)},
    )
