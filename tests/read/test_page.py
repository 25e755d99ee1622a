"""Pages that are read again although they are remembered, and pages that are read in part."""

from __future__ import annotations

import os

import pytest
from support import BASE, Run, Site
from support.facts import METADATA_ONLY

from sitemapper.model import (
    Batch,
    PageFacts,
    PageRow,
    PossibleSource,
)
from sitemapper.read import server, walk
from sitemapper.read.page import PageReader


@pytest.mark.parametrize(("bytes_of_source", "is_read"), [(200, False), (300, False), (2, True)])
def test_a_remembered_page_is_read_again_for_a_source_that_is_shorter_now(
    site: Site, reads: list[str], bytes_of_source: int, is_read: bool
) -> None:
    def reader(size: int, versions: dict[str, bytes]) -> PageReader:
        row = PageRow(sources=[PossibleSource("a.md", size, "", has_own_title=False)])
        batch = Batch([page], (), {}, rows=[row], versions=versions)
        return PageReader(root, METADATA_ONLY, batch)

    folder = site({"a.html": f"<nav>{'Menu ' * 105}</nav><p>Text."})
    root = walk.make_site_root(str(folder), (), ("*",))
    page = server.find_page(root, "a.html")
    assert page
    page_before = page._replace(path="A.html")  # of the batch that links to the page
    first = reader(200, {})
    first.facts(page, is_version=True)
    reads.clear()
    second = reader(bytes_of_source, first.pack_versions_after(page_before))
    facts = second.facts(page, is_version=True)
    assert isinstance(facts, PageFacts)
    assert facts.shown
    assert (facts.shown[1] == len("Text.")) is is_read
    assert reads == ["a.html"] * is_read
    reads.clear()
    reader(2, second.pack_versions_after(page_before)).facts(page)
    assert reads == ["a.html"] * (not is_read)


def test_pages_that_googlebot_reads_only_in_part_are_counted_by_check(site: Site, run: Run) -> None:
    """No other command says so without -v, and nothing is said where no page is read."""
    names = ("index.html", "a/large.html", "b/larger.html", "closed.html", "small.html")
    root = site(dict.fromkeys(names, "<title>Tea</title>"))
    (root / "closed.html").write_text("<meta name=robots content=noindex><title>Tea</title>")
    sizes = {"a/large.html": 2_000_001, "b/larger.html": 2_500_000, "closed.html": 3_000_000, "small.html": 2_000_000}  # fmt: skip
    for name, size in sizes.items():
        os.truncate(root / name, size)
    note = "2 pages are larger than 2 MB, and Googlebot reads only the first 2 MB; the largest is b/larger.html with 2,500,000 bytes"
    unread = [part for name in ("noindex", "canonical", "refresh") for part in ("--no-respect", name)]  # fmt: skip
    for command, flags, is_said in (("check", (), True), ("build", ("-v",), True), ("build", (), False), ("check", unread, False)):  # fmt: skip
        assert run(command, root, "--base-url", BASE, "--no-lastmod", *flags) in (0, 1)
        assert (note in run.err + run.out) is is_said, (command, flags)
