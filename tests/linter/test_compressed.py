"""Sitemaps in gzip files: what `validate` reads of them, and what is wrong with the file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support.sitemaps import LOC, urlset

import sitemapper

WHOLE = gzip.compress(urlset(LOC).encode(), mtime=0)


def findings(folder: Path, data: bytes, name: str = "s.xml.gz") -> list[tuple[str, str]]:
    (folder / name).write_bytes(data)
    return [
        (finding.code, finding.message)
        for finding in sitemapper.validate([str(folder / name)], now=0)
    ]


def codes(folder: Path, name: str, data: bytes) -> list[str]:
    return [code for code, _ in findings(folder, data, name)]


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
    (code, message), *_ = findings(tmp_path, data)
    assert code == "SM109"
    assert message.startswith(says)


def test_a_file_may_be_compressed_whatever_its_name(tmp_path: Path) -> None:
    assert findings(tmp_path, WHOLE) == findings(tmp_path, WHOLE, "s.xml") == []


def test_members_and_padding_are_read_to_the_end(tmp_path: Path) -> None:
    text = urlset(*[LOC + "<priority>0.1</priority>"] * 9, "<loc>/a</loc>").encode()
    first, second = gzip.compress(text[:500], mtime=0), gzip.compress(text[500:], mtime=0)
    wrong = [*["SM307"] * 8, "SM301"]
    assert codes(tmp_path, "s.xml.gz", first + second) == wrong
    assert codes(tmp_path, "s.xml.gz", first + bytes(99_999) + second + bytes(99_999)) == wrong
    assert codes(tmp_path, "s.xml.gz", first + second[:-1]) == [*wrong, "SM109"]
    assert codes(tmp_path, "s.xml.gz", first + second + b"x") == [*wrong, "SM109"]
