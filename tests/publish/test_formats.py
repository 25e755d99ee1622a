"""What is published: index, sections, gzip and text, and where an output may lie."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support import BASE, MTIME, Site, build, changed, paths, write_site

from sitemapper import SitemapperError


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


def test_sections(site: Site) -> None:
    root = site(
        dict.fromkeys(["a.html", "blog/a.html", "blog/b.html", "blog/c.html", "docs/a.html"], "")
    )
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
    assert (
        gzip.decompress((root / "sitemap.txt.gz").read_bytes())
        == f"{BASE}a.html\n{BASE}b.html\n".encode()
    )
    (root / "sitemap-1.xml.gz").write_bytes(gzip.compress(gzip.decompress(packed), 1))
    assert (
        changed(build(root, sitemap={"gzip": "only", "text": True}))["sitemap-1.xml.gz"] == "kept"
    )


def test_images_can_be_listed_as_text(site: Site) -> None:
    root = site({"a.png": "", "b/ä.PNG": "", "c.html": ""})
    (root.parent / "sitemapper.toml").write_text('include = ["!*.html", "*.png"]')
    build(root, sitemap={"text": True})
    assert (root / "sitemap.txt").read_text() == f"{BASE}a.png\n{BASE}b/%C3%A4.PNG\n"


def test_an_output_below_the_site_is_refused_with_the_rule(site: Site) -> None:
    root = site({"a.html": ""})
    with pytest.raises(
        SitemapperError,
        match=r"a sitemap in maps/ may only list URLs below https://example.com/maps/",
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


def test_dry_run_says_the_same_and_writes_nothing(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(7)})
    options = {"sitemap": {"max_urls": 3, "gzip": "also", "text": True}}
    planned = build(root, dry_run=True, **options)
    assert [p for p in os.listdir(root) if "html" not in p] == []
    done = build(root, **options)
    assert changed(planned) == changed(done)
    assert set(changed(build(root, dry_run=True, **options)).values()) == {"kept"}
    os.utime(root / "6.html", (MTIME, MTIME))
    assert [n for n, c in changed(build(root, dry_run=True, **options)).items() if c == "updated"] == [
        "sitemap-3.xml", "sitemap-3.xml.gz", "sitemap.xml", "sitemap.xml.gz"
    ]  # fmt: skip


def test_published_files_keep_the_mode_they_had(site: Site) -> None:
    root = site({"a.html": ""})
    build(root)
    (root / "sitemap.xml").chmod(0o640)
    write_site(root, {"b.html": ""}, mtime=MTIME + 86_400)
    build(root)
    assert (root / "sitemap.xml").stat().st_mode & 0o777 == 0o640
    assert (root / "robots.txt").stat().st_mode == (
        root / "b.html"
    ).stat().st_mode  # as the umask has it
