"""A page takes some 1,000 bytes of memory, and what a packed file unpacks to takes nothing."""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path

import pytest
from support import BASE, locs, write_site
from support.memory import peak
from support.sitemaps import SPACE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the peak of memory"),
]


def test_memory_of_validate_is_bounded(tmp_path: Path) -> None:
    start = f'<urlset xmlns="{SPACE}">'.encode()
    row = b"<url><loc>https://example.com/%d/" + b"x" * 900 + b"</loc><lastmod>x</lastmod></url>\n"
    rows = b"".join(row % n for n in range(50_000))
    (tmp_path / "big.xml").write_bytes(start + rows + b"</urlset>")
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    with open(tmp_path / "bomb.xml.gz", "wb") as file:
        file.write(pack.compress(start))
        for _ in range(50):
            file.write(pack.compress(b" " * 10_000_000))
        file.write(pack.flush())
    assert peak("validate", tmp_path / "big.xml", tmp_path / "bomb.xml.gz", code=1) < 300 << 10


def test_120_000_pages_make_three_shards(tmp_path: Path) -> None:
    root = tmp_path / "public"
    for folder in range(120):
        (root / f"f{folder}").mkdir(parents=True)
        first = root / f"f{folder}" / "p0.html"
        first.write_text("<p>")
        for page in range(1, 1000):
            (root / f"f{folder}" / f"p{page}.html").hardlink_to(first)
    assert peak("build", root, "--base-url", BASE, "--quiet") < 200 << 10
    names = ["sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]
    assert sorted(p.name for p in root.glob("sitemap*")) == [*names, "sitemap.xml"]
    assert [len(locs(root, name)) for name in names] == [50_000, 50_000, 20_000]


def test_of_a_page_of_two_hundred_megabytes_fifteen_are_parsed(tmp_path: Path) -> None:
    peaks = []
    for size in (15, 200):
        root = write_site(tmp_path / f"public{size}", {"a.html": "<title>a</title><p>"})
        os.truncate(root / "a.html", size << 20)
        ledger = tmp_path / f"ledger{size}"
        peaks.append(peak("build", root, "--base-url", BASE, "--quiet", "--ledger", ledger))
        assert locs(root) == [f"{BASE}a.html"]
    assert peaks[1] < peaks[0] + (200 << 10), peaks
