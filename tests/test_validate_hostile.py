"""What is thrown at `validate` ends in a finding, in little time and memory."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from conftest import BASE, write_site
from sitemaps import LOC, index, urlset

import sitemapper


def test_open_comments_and_long_dates_cost_no_time_and_no_memory(tmp_path: Path) -> None:
    entries = "".join(f"<sitemap><loc>{BASE}a.xml</loc></sitemap>" for _ in range(500))
    write_site(
        tmp_path / "site",
        {
            "sitemap.xml": urlset(root="sitemapindex").replace(
                "</sitemapindex>", entries + "</sitemapindex>"
            ),
            "a.xml": "<!--" * 100_000,
            "b.xml": f"<!-- {'x' * 70_000} -->"
            + urlset(f"{LOC}<lastmod>{'9' * 60_000}</lastmod>").split("?>")[1],
        },
    )
    started = time.process_time()
    found = {finding.code for finding in sitemapper.validate([str(tmp_path / "site")], now=0)}
    assert {"SM101", "SM203"} <= found
    assert time.process_time() - started < 5


def test_long_locs_of_an_index_and_long_robots_lines_take_no_long_time(tmp_path: Path) -> None:
    write_site(
        tmp_path / "site",
        {
            "i.xml": index(f"<loc>{BASE}{'a/' * 30_000}</loc>"),
            "robots.txt": b"Sitemap: x" + b" " * 200_000 + b"y\n",
        },
    )
    started = time.process_time()
    assert [f.code for f in sitemapper.validate([str(tmp_path / "site")], now=0)] == ["SM404", "SM302"]
    assert time.process_time() - started < 5


def codes(folder: Path, name: str, data: bytes) -> list[str]:
    (folder / name).write_bytes(data)
    return [finding.code for finding in sitemapper.validate([str(folder / name)], now=0)]


SPACE = b"http://www.sitemaps.org/schemas/sitemap/0.9"


URLSET = b'<urlset xmlns="%s">' % SPACE


BOMB = b"<!DOCTYPE l [<!ENTITY a 'lol'>%s]><urlset>&j;</urlset>" % b"".join(
    b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (BOMB, "SM107"),
        (b"<!DOCTYPE x SYSTEM 'file:///etc/passwd'><urlset/>", "SM107"),
        (b"<!DOCTYPE x [<!ENTITY % p SYSTEM 'http://127.0.0.1/'> %p;]><urlset/>", "SM107"),
        (URLSET + b"<url>" + b"<x:a xmlns:x='x'>" * 100_000, "SM108"),
        (URLSET + b"<url><loc a='" + b"b" * 3_000_000, "SM108"),
        (b"x" * 3_000_000, "SM108"),
        (URLSET + b"<url>" + b"<loc/>" * 30_000, "SM108"),
        (b"\xff\xfe" + "<urlset/>".encode("utf-16-le"), "SM102"),
        (b'<?xml version="1.0" encoding="x-unknown"?><urlset/>', "SM102"),
        (URLSET + b"<url><loc>https://e.com/\xe9</loc></url></urlset>", "SM102"),
        (b"\x00\x01\x02", "SM102"),
        ("<urlset/>".encode("utf-16-le"), "SM102"),
        (b'<?xml version="1.1"?><urlset/>', "SM101"),
        (b"Warning: mysql\n" + URLSET + b"</urlset>", "SM101"),
        (URLSET + b"".join(b"<a%d/>" % n for n in range(2000)), "SM108"),
        (b"<!DOCTYPE html><html><body>404", "SM103"),
        (b"<rss><channel/></rss>", "SM103"),
        (b"", "SM106"),
        (b"PK\x03\x04zip", "SM109"),
        (b"\x1f\x8b\x08nonsense", "SM109"),
        (gzip.compress(gzip.compress(URLSET, mtime=0), mtime=0), "SM109"),
        (gzip.compress(URLSET, mtime=0)[:-1], "SM109"),
        (URLSET + b"<url><loc>&#0;</loc></url></urlset>", "SM101"),
        (URLSET + b"\n<a:url/></urlset>", "SM101"),
    ],
)
def test_what_is_thrown_at_validate_ends_in_a_finding(tmp_path: Path, data: bytes, says: str) -> None:
    assert says in codes(tmp_path, "sitemap.xml", data)


def test_a_byte_order_mark_crlf_and_a_split_character_are_no_fault(tmp_path: Path) -> None:
    crlf = b"\xef\xbb\xbf" + urlset(LOC).replace("\n", "\r\n").encode()
    assert codes(tmp_path, "s.xml", crlf) == []
    assert (
        codes(tmp_path, "s.txt", b"\xef\xbb\xbfhttps://example.com/\r\n\r\n https://example.com/a\r\n") == []
    )
    padded = (
        urlset(LOC)
        .encode()
        .replace(b"<url>", b"<!--" + b"x" * (65_535 - 120) + "é".encode() * 9 + b"--><url>", 1)
    )
    assert all(codes(tmp_path, "s.xml", padded.replace(b"x", b"x" * n, 1)) == [] for n in (1, 2, 3, 4))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the peak of memory")
def test_memory_of_validate_is_bounded(tmp_path: Path) -> None:
    row = b"<url><loc>https://example.com/%d/" + b"x" * 900 + b"</loc><lastmod>x</lastmod></url>\n"
    rows = b"".join(row % n for n in range(50_000))
    (tmp_path / "big.xml").write_bytes(URLSET + rows + b"</urlset>")
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    with open(tmp_path / "bomb.xml.gz", "wb") as file:
        file.write(pack.compress(URLSET))
        for _ in range(200):
            file.write(pack.compress(b" " * 10_000_000))
        file.write(pack.flush())
    program = (
        "import re, sys\nfrom sitemapper.__main__ import main\nmain(['validate', *sys.argv[1:]])\n"
        "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    )
    argv = [sys.executable, "-c", program, str(tmp_path / "big.xml"), str(tmp_path / "bomb.xml.gz")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    *_, peak = subprocess.run(argv, env=environment, capture_output=True, text=True).stdout.split()
    assert int(peak) < 80 << 10  # kilobytes
