"""Any file that is given for a sitemap is read, or ends in a finding, in little time and memory."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support import BASE, write_site
from support.sitemaps import LOC, SPACE, index, urlset

import sitemapper
from sitemapper.read.sitemap import elements
from sitemapper.read.sitemap_xml import FileError


def codes(folder: Path, name: str, data: bytes) -> list[str]:
    (folder / name).write_bytes(data)
    return [finding.code for finding in sitemapper.validate([str(folder / name)], now=0)]


URLSET = b'<urlset xmlns="%s">' % SPACE.encode()


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
        (b"<opml><body/></opml>", "SM103"),
        (b"<rss><channel/></rss>", "SM103"),
        (b"", "SM106"),
        (b"\x1f\x8b\x08nonsense", "SM109"),
        (URLSET + b"<url><loc>&#0;</loc></url></urlset>", "SM101"),
        (URLSET + b"\n<a:url/></urlset>", "SM101"),
    ],
)
def test_what_is_thrown_at_validate_ends_in_a_finding(
    tmp_path: Path, data: bytes, says: str
) -> None:
    assert says in codes(tmp_path, "sitemap.xml", data)


def test_a_byte_order_mark_crlf_and_a_split_character_are_no_fault(tmp_path: Path) -> None:
    crlf = "\ufeff" + urlset(LOC).replace("\n", "\r\n")
    assert codes(tmp_path, "s.xml", crlf.encode()) == []
    lines = "\ufeffhttps://example.com/\r\n\r\n https://example.com/a\r\n"
    assert codes(tmp_path, "s.txt", lines.encode()) == []
    for n in range(4):
        comment = f"<!--{'x' * (65_415 + n)}{'é' * 9}--><url>"
        assert codes(tmp_path, "s.xml", urlset(LOC).replace("<url>", comment).encode()) == []


def test_an_index_whose_root_is_found_late_is_followed(tmp_path: Path) -> None:
    """What looks like a sitemap at first may be an index."""
    comments = "<!-- {} -->".format("x" * 1_000) * 1_500
    late = index(f"<loc>{BASE}a.xml</loc>").replace("<sitemapindex", f"{comments}<sitemapindex")
    write_site(tmp_path / "site", {"a.xml": urlset("<loc>/a</loc>"), "sitemap.xml": late})
    assert [f.code for f in sitemapper.validate([str(tmp_path / "site/sitemap.xml")], now=0)] == [
        "SM301"
    ]


@pytest.mark.parametrize(
    ("text", "is_sitemap"),
    [
        ("# Tea\n\nHow to boil water, and when.\n\nhttps://a.test/\n", False),
        ('{\n  "name": "tea",\n  "files": []\n}\n', False),
        ("https://a.test/\nhttps://a.test/b\n", True),
        ("https://a.test/b c\nhttps://a.test/d 2026-01-01\n", True),  # faults of text sitemaps
        ("a.test/\n/b\n# two words\n", True),
        ("\n", True),
    ],
)
def test_a_text_of_many_words_is_one_fault_and_no_sitemap(text: str, is_sitemap: bool) -> None:
    found = list(elements(iter([text.encode()])))
    problem = "is neither XML nor a list with one URL per line"
    told = [one.text for one in found if isinstance(one, FileError)]
    assert told == ([] if is_sitemap else [problem])
    assert is_sitemap or len(found) == 1


ENTRY = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{SPACE}">\n<url><loc>{BASE}</loc>{{}}</url>{{}}</urlset>'


@pytest.mark.parametrize(
    ("inside", "behind", "code"),
    [
        ("<priority>٠.٥</priority>", "", "SM206"),
        ("<priority>1.00000000000000000001</priority>", "", "SM206"),
        ("<priority>0.5\u00a0</priority>", "", "SM206"),
        ("<changefreq> daily </changefreq>", "", "SM205"),
        ("<lastmod>2026-01-01T00:00:00+14:01</lastmod>", "", "SM203"),
        ("", f"<url><loc>{BASE}[a]</loc></url>", "SM303"),
    ],
)
def test_what_the_schema_refuses(inside: str, behind: str, code: str, tmp_path: Path) -> None:
    assert codes(tmp_path, "sitemap.xml", ENTRY.format(inside, behind).encode()) == [code]


def test_white_space_of_a_block_before_the_declaration(tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_bytes(b"\n" * 65_536 + ENTRY.format("", "").encode())
    (finding,) = sitemapper.validate([str(tmp_path / "s.xml")], now=0)
    assert (finding.code, finding.line) == ("SM101", 65_537)


WHOLE = gzip.compress(urlset(LOC).encode(), mtime=0)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (WHOLE[:-9], "ends in the middle of the compressed data"),
        (gzip.compress(WHOLE, mtime=0), "is compressed twice"),
        (urlset(LOC).encode(), "is named .gz but is not compressed"),
        (b"PK\x03\x04", "is a zip archive; only gzip is allowed"),
        (WHOLE[:20] + b"????" + WHOLE[24:], "cannot be decompressed"),
    ],
)
def test_a_damaged_file_is_named_with_its_damage(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "s.xml.gz").write_bytes(data)
    finding = next(sitemapper.validate([str(tmp_path / "s.xml.gz")], now=0))
    assert finding.code == "SM109"
    assert finding.message.startswith(says)


def test_a_file_may_be_compressed_whatever_its_name(tmp_path: Path) -> None:
    assert codes(tmp_path, "s.xml.gz", WHOLE) == codes(tmp_path, "s.xml", WHOLE) == []


def test_members_and_padding_are_read_to_the_end(tmp_path: Path) -> None:
    text = urlset(*[LOC + "<priority>0.1</priority>"] * 9, "<loc>/a</loc>").encode()
    first, second = gzip.compress(text[:500], mtime=0), gzip.compress(text[500:], mtime=0)
    wrong = [*["SM307"] * 8, "SM301"]
    assert codes(tmp_path, "s.xml.gz", first + second) == wrong
    assert codes(tmp_path, "s.xml.gz", first + bytes(99_999) + second + bytes(99_999)) == wrong
    assert codes(tmp_path, "s.xml.gz", first + second[:-1]) == [*wrong, "SM109"]
    assert codes(tmp_path, "s.xml.gz", first + second + b"x") == [*wrong, "SM109"]
