"""What is published: shards, index, gzip, text, robots.txt, and what is refused."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import BASE, MTIME, NOW, Site, build, locs, paths, settings, write_site

import sitemapper
from sitemapper import SitemapperError, Summary


def changes(summary: Summary) -> dict[str, str]:
    return {file.name: file.change.value for file in summary.files}


def index_of(root: Path, name: str = "sitemap.xml") -> list[tuple[str, str | None]]:
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    tree = ElementTree.parse(root / name)
    return [
        ((s.findtext(f"{space}loc") or "").removeprefix(BASE), s.findtext(f"{space}lastmod"))
        for s in tree.iter(f"{space}sitemap")
    ]


def test_an_index_names_shards_with_their_newest_date(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(5)})
    summary = build(root, sitemap={"max_urls": 2})
    assert index_of(root) == [
        ("sitemap-1.xml", "2026-01-02T04:04:05+00:00"),
        ("sitemap-2.xml", "2026-01-02T06:04:05+00:00"),
        ("sitemap-3.xml", "2026-01-02T07:04:05+00:00"),
    ]
    assert [file.urls for file in summary.files] == [2, 2, 1, None, None]
    build(root, sitemap={"max_urls": 2}, lastmod=[])
    assert index_of(root)[0] == ("sitemap-1.xml", None)


def test_fewer_pages_remove_our_stale_shards_and_nothing_else(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(5)})
    (root / "sitemap-9.xml").write_text("<urlset>somebody else's</urlset>")
    build(root, sitemap={"max_urls": 2, "gzip": "also", "text": True})
    summary = build(root)
    assert changes(summary) == {
        "sitemap.xml": "updated", "robots.txt": "kept", "sitemap-1.txt": "removed", "sitemap-1.txt.gz": "removed",
        "sitemap-1.xml": "removed", "sitemap-1.xml.gz": "removed", "sitemap-2.txt": "removed",
        "sitemap-2.txt.gz": "removed", "sitemap-2.xml": "removed", "sitemap-2.xml.gz": "removed",
        "sitemap-3.txt": "removed", "sitemap-3.txt.gz": "removed", "sitemap-3.xml": "removed",
        "sitemap-3.xml.gz": "removed", "sitemap.xml.gz": "removed",
    }  # fmt: skip
    assert {p.name for p in root.iterdir() if "sitemap" in p.name} == {"sitemap.xml", "sitemap-9.xml"}


def test_sections(site: Site) -> None:
    root = site(dict.fromkeys(["a.html", "blog/a.html", "blog/b.html", "blog/c.html", "docs/a.html"], ""))
    sections = [{"name": "blog", "match": ["blog/"]}, {"name": "rest", "match": ["docs/", "blog/"]}]
    build(root, sitemaps=sections, sitemap={"max_urls": 2, "text": True})
    names = ["sitemap-1.xml", "sitemap-blog.xml", "sitemap-blog-2.xml", "sitemap-rest.xml"]
    assert [name for name, _ in index_of(root)] == names
    assert [paths(root, name) for name in names] == [
        ["a.html"], ["blog/a.html", "blog/b.html"], ["blog/c.html"], ["docs/a.html"]
    ]  # fmt: skip
    assert (root / "sitemap-1.txt").read_text() == f"{BASE}a.html\n{BASE}blog/a.html\n"


def test_gzip_only_names_gz_shards_in_a_plain_index(site: Site) -> None:
    root = site({"a.html": "", "b.html": ""})
    build(root, sitemap={"gzip": "only", "text": True})
    assert [name for name, _ in index_of(root)] == ["sitemap-1.xml.gz"]
    packed = (root / "sitemap-1.xml.gz").read_bytes()
    assert packed[3] == 0 and packed[4:8] == b"\0\0\0\0"
    assert b"<loc>https://example.com/b.html</loc>" in gzip.decompress(packed)
    assert gzip.decompress((root / "sitemap.txt.gz").read_bytes()) == f"{BASE}a.html\n{BASE}b.html\n".encode()
    (root / "sitemap-1.xml.gz").write_bytes(gzip.compress(gzip.decompress(packed), 1))
    assert changes(build(root, sitemap={"gzip": "only", "text": True}))["sitemap-1.xml.gz"] == "kept"


def test_images_can_be_listed_as_text(site: Site) -> None:
    root = site({"a.png": "", "b/ä.PNG": "", "c.html": ""})
    (root.parent / "sitemapper.toml").write_text('include = ["*.png"]')
    build(root, sitemap={"text": True})
    assert (root / "sitemap.txt").read_text() == f"{BASE}a.png\n{BASE}b/%C3%A4.PNG\n"


def test_two_sites_of_one_host_keep_to_their_scopes(tmp_path: Path) -> None:
    main = write_site(tmp_path / "main", {"index.html": ""})
    docs = write_site(tmp_path / "docs", {"index.html": "", "guide.html": ""})
    build(main)
    summary = build(docs, base_url="https://example.com/docs/")
    assert not (docs / "robots.txt").exists()
    assert (
        "add the line “Sitemap: https://example.com/docs/sitemap.xml” to https://example.com/robots.txt"
        in (summary.notes[-1])
    )
    index = sitemapper.output.xml.index(
        [("https://example.com/sitemap.xml", None), ("https://example.com/docs/sitemap.xml", None)],
        settings(main),
    )
    (main / "all.xml").write_bytes(index)
    assert [loc for name, _ in index_of(main, "all.xml") for loc in locs(tmp_path / "main" if name == "sitemap.xml" else docs)] == [
        "https://example.com/", "https://example.com/docs/", "https://example.com/docs/guide.html"
    ]  # fmt: skip


def test_an_output_below_the_site_is_refused_with_the_rule(site: Site) -> None:
    root = site({"a.html": ""})
    with pytest.raises(
        SitemapperError, match=r"served below https://example.com/maps/ and may list only URLs there"
    ):
        build(root, output=str(root / "maps"))
    assert not (root / "maps").exists()


def test_an_output_outside_the_site_is_served_at_the_base(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": "", "robots.txt": "User-agent: *\nDisallow:\n"})
    build(root, output=str(tmp_path / "new" / "out"))
    assert paths(tmp_path / "new" / "out") == ["a.html"]
    assert (
        (tmp_path / "new" / "out" / "robots.txt")
        .read_text()
        .startswith("User-agent: *\nDisallow:\nSitemap: ")
    )
    assert sorted(os.listdir(root)) == ["a.html", "robots.txt"]


def test_robots_txt_that_names_a_missing_sitemap_is_a_warning(site: Site) -> None:
    root = site({"a.html": "", "robots.txt": f"Sitemap: {BASE}old.xml\nSitemap: https://other.com/x.xml\n"})
    assert [(k.name, examples) for k, _, examples in build(root).warnings] == [
        ("STALE_ROBOTS", (f"{BASE}old.xml",))
    ]


def test_a_stale_sitemap_of_somebody_else_beside_ours_is_a_warning(site: Site) -> None:
    root = site({"a.html": "", "sitemap.xml.gz": gzip.compress(b"<urlset/>")})
    assert [(k.name, examples) for k, _, examples in build(root).warnings] == [
        ("FOREIGN", ("sitemap.xml.gz",))
    ]
    with pytest.raises(SitemapperError, match=r"sitemap\.xml\.gz: was not written by sitemapper"):
        build(root, sitemap={"gzip": "also"})


def test_an_empty_sitemap_never_replaces_a_good_one(site: Site) -> None:
    root = site({"a.html": ""})
    build(root)
    good = (root / "sitemap.xml").read_bytes()
    with pytest.raises(SitemapperError, match=r"no page to list \(left out: 1 ignored; --dry-run"):
        build(root, ignore=["*.html"])
    assert (root / "sitemap.xml").read_bytes() == good
    allowed = settings(root, ignore=["*.html"]).model_copy(update={"allow_empty": True})
    assert sitemapper.build(allowed, now=NOW).listed == 0
    assert locs(root) == []


@pytest.mark.parametrize("max_urls", [50_000, 3])
def test_too_many_lost_pages_stop_the_run(site: Site, max_urls: int) -> None:
    root = site({f"{n}.html": "" for n in range(10)})
    assert build(root, sitemap={"max_urls": max_urls}).previous is None
    for n in range(6):
        (root / f"{n}.html").unlink()
    with pytest.raises(SitemapperError, match="4 to list, 10 are published: more than 50 % would be lost"):
        build(root, sitemap={"max_urls": max_urls})
    with pytest.raises(SitemapperError, match="--max-drop"):
        build(root, dry_run=True)
    assert build(root, max_drop=60).previous == 10


def test_a_foreign_sitemap_is_never_replaced(site: Site) -> None:
    root = site({"a.html": "", "sitemap.xml": "<urlset/>"})
    with pytest.raises(SitemapperError, match=r"sitemap.xml: was not written by sitemapper"):
        build(root)
    assert (root / "sitemap.xml").read_text() == "<urlset/>"
    build(root, sitemap={"name": "sitemap-pages.xml"})
    assert paths(root, "sitemap-pages.xml") == ["a.html"]


def test_dry_run_says_the_same_and_writes_nothing(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(7)})
    options = {"sitemap": {"max_urls": 3, "gzip": "also", "text": True}}
    planned = build(root, dry_run=True, **options)
    assert [p for p in os.listdir(root) if "html" not in p] == []
    done = build(root, **options)
    assert changes(planned) == changes(done)
    assert set(changes(build(root, dry_run=True, **options)).values()) == {"kept"}
    os.utime(root / "6.html", (MTIME, MTIME))
    assert [n for n, c in changes(build(root, dry_run=True, **options)).items() if c == "updated"] == [
        "sitemap-3.xml", "sitemap-3.xml.gz", "sitemap.xml", "sitemap.xml.gz"
    ]  # fmt: skip


def test_published_files_keep_the_mode_they_had(site: Site) -> None:
    root = site({"a.html": ""})
    build(root)
    (root / "sitemap.xml").chmod(0o640)
    write_site(root, {"b.html": ""})
    build(root)
    assert (root / "sitemap.xml").stat().st_mode & 0o777 == 0o640
    assert (root / "robots.txt").stat().st_mode & 0o777 == 0o644
