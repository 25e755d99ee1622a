"""What stops a run: a sitemap that would lose most of its pages, or all of them."""

from __future__ import annotations

import pytest
from support import BASE, NOW, Site, asking, build, locs, settings
from support.heads import NOINDEX

import sitemapper
from sitemapper import SitemapperError


@pytest.mark.parametrize(
    ("left", "max_drop", "fits"), [(3, 70, True), (3, 69, False), (10, 0, True), (9, 0, False)]
)
def test_max_drop_is_exact(site: Site, left: int, max_drop: float, fits: bool) -> None:
    root = site({f"{n}.html": "" for n in range(10)})
    build(root)
    for n in range(left, 10):
        (root / f"{n}.html").unlink()
    if fits:
        assert build(root, max_drop=max_drop).listed == left
    else:
        with pytest.raises(SitemapperError, match="would lose more than"):
            build(root, max_drop=max_drop)


def test_an_empty_site_with_an_index_names_one_empty_sitemap(site: Site) -> None:
    root = site({})
    options = asking(settings(root, sitemap={"index": "always"}), allow_empty=True)
    sitemapper.build(options, now=NOW)
    assert locs(root) == [f"{BASE}sitemap-1.xml"]


def test_an_empty_site_is_told_alike_with_and_without_a_cache(site: Site) -> None:
    root = site({"a.html": NOINDEX})
    empty = asking(settings(root), allow_empty=True)
    for _ in range(2):
        found = sitemapper.build(empty, now=NOW, cache=str(root.parent / "cache"))
    assert found == sitemapper.build(empty, now=NOW)
    assert found.previous == 0


def test_an_empty_sitemap_never_replaces_a_good_one(site: Site) -> None:
    root = site({"a.html": ""})
    build(root)
    good = (root / "sitemap.xml").read_bytes()
    with pytest.raises(SitemapperError, match=r"no page to list \(excluded: 1 ignored; --dry-run"):
        build(root, ignore=["*.html"])
    assert (root / "sitemap.xml").read_bytes() == good
    allowed = asking(settings(root, ignore=["*.html"]), allow_empty=True)
    assert sitemapper.build(allowed, now=NOW).listed == 0
    assert locs(root) == []


@pytest.mark.parametrize("max_urls", [50_000, 3])
def test_too_many_lost_pages_stop_the_run(site: Site, max_urls: int) -> None:
    root = site({f"{n}.html": "" for n in range(10)})
    assert build(root, sitemap={"max_urls": max_urls}).previous is None
    for n in range(6):
        (root / f"{n}.html").unlink()
    with pytest.raises(
        SitemapperError,
        match="4 to list, but 10 are published. The sitemap would lose more than 50 %",
    ):
        build(root, sitemap={"max_urls": max_urls})
    with pytest.raises(SitemapperError, match="--max-drop"):
        build(root, dry_run=True)
    assert build(root, max_drop=60).previous == 10
