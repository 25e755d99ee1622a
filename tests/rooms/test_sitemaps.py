"""Reading sitemaps: any file gives its entries, and ends in a fault with its line if it is wrong."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import mutants
from support.sitemaps import LOC, SPACE, index, urlset

from sitemapper.read.sitemap import SitemapEntry, SitemapFault, read_sitemap

CORPUS = Path(__file__).parents[1] / "data/corpus/sitemaps"
A, B = "https://example.com/a", "https://example.com/b"


def told(data: bytes | str) -> tuple[list[SitemapEntry], str]:
    """The entries of a file without their elements, and the fault at its end with its line."""
    found = []
    try:
        for entry in read_sitemap(data if isinstance(data, bytes) else data.encode()):
            found.append(entry._replace(elements=()))
    except SitemapFault as fault:
        return found, f"{fault.line} {fault.fault}: {fault.text}"
    return found, ""


OURS = f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- sitemapper wrote this file; its next run will replace it -->
<urlset xmlns="{SPACE}" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>{A}?c&amp;d</loc></url>
<url><loc>{B}</loc><lastmod>2026-03-01</lastmod><changefreq>weekly</changefreq><priority>0.8</priority><xhtml:link rel="alternate" hreflang="de" href="{A}&amp;"/><xhtml:link rel="alternate" hreflang="x-default" href="{B}"/><image:image><image:loc>{A}.png</image:loc></image:image></url>
</urlset>
"""
ENTRIES = [
    SitemapEntry(f"{A}?c&d", line=4),
    SitemapEntry(B, "2026-03-01", (("de", f"{A}&"), ("x-default", B)), (f"{A}.png",), 5),
]  # fmt: skip


def test_lines_of_ours_are_read_as_the_parser_reads_them() -> None:
    assert told(OURS) == (ENTRIES, "")
    for edited in (
        OURS.replace("<urlset", "<urlset "),
        OURS.replace("<url>", "<url >"),
        OURS.replace("?>\n", "?>\r\n"),
        OURS.replace(f"<loc>{B}", f"<loc>\t{B} "),
        OURS.replace("</urlset>", "<!--\n<url><loc>x</loc></url>\n--></urlset>"),
        OURS.replace("alternate", "&#97;lternate"),
        OURS.replace(f"<loc>{B}</loc>", f"<loc>{B}</loc><loc>{A}</loc>"),
    ):
        assert told(edited) == (ENTRIES, ""), edited
    assert told(gzip.compress(OURS.encode())) == (ENTRIES, "")


# A file, its URLs, and its fault.
FILES: list[tuple[bytes | str, str, str]] = [
    (f"\ufeff{A}\r\n\r\n {B}\r\n", f"{A} {B}", ""),
    (f"a.test/\n/b\n# two words\n{A}\n", f"a.test/ /b # two words {A}", ""),
    ("a.test/\n/b\n", "", "1 root: is neither XML nor a list with one URL per line"),
    ("# Tea\n\nHow to boil water, and when.\n", "", "1 root: is neither XML nor a list with one URL per line"),
    ('{\n  "name": "tea",\n  "files": []\n}\n', "", "1 root: is neither XML nor a list with one URL per line"),
    ("\n", "", ""),
    ("", "", ""),
    (index(f"<loc>{A}</loc>", f"<loc>{B}</loc>"), f"{A} {B}", ""),
    (f"<urlset><url><loc>{A}</loc></url></urlset>", A, ""),
    (OURS.replace("&amp;d", "&nbsp;"), "", "4 malformed: column 34: undefined entity"),
    (f'<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>{A}</loc></url></urlset>', A, ""),
    (f"<urlset><x/>text<url><loc>{A}</loc><x>b</x></url></urlset>", A, ""),
    (f"<urlset><url><loc><![CDATA[{A}]]></loc></url></urlset>", A, ""),
    ("<!DOCTYPE html><html><body>404", "", "1 root: is an HTML page, such as servers send for a missing file"),
    ("\n<html><body>404", "", "1 root: is an HTML page, such as servers send for a missing file"),
    ("<rss/>", "", "1 root: <rss> is not urlset or sitemapindex"),
    ("<!DOCTYPE l [<!ENTITY a 'lol'>]><urlset>&a;</urlset>", "", "1 unsafe: declares l in a DOCTYPE; the rest was not read"),
    ("<!DOCTYPE x SYSTEM 'file:///etc/passwd'><urlset/>", "", "1 unsafe: declares x in a DOCTYPE; the rest was not read"),
    (f"<urlset><url><loc>{A}</loc></url><url>" + "<a>" * 40_000, A, "1 unsafe: has more than 20,000 elements in one entry"),
    (f"<urlset>\n<url><loc>{A}</loc></url>\n<url><loc>{B}", A, "3 malformed: column 32: the file ends before the root element does"),
    (f"<urlset>\n<url><loc>{A}</loc></url>\n<url><loc>{B}&</loc>", A, "3 malformed: column 33: not allowed here in XML; an unescaped & or <?"),
    (b"<urlset>\n<url><loc>https://e.com/\xe9</loc></url></urlset>", "", "2 encoding: the byte 0xe9 is not UTF-8"),
    ("<urlset/>".encode("utf-16"), "", "1 encoding: the byte 0xff is not UTF-8"),
    (gzip.compress(b"<urlset/>", mtime=0)[:-9], "", "1 damaged: cannot be decompressed: Compressed file ended before the end-of-stream marker was reached"),
    (b"\x1f\x8b\x08nonsense", "", "1 damaged: cannot be decompressed: Compressed file ended before the end-of-stream marker was reached"),
    (gzip.compress(bytes(52_428_801)), "", "1 size: has more than 52,428,800 bytes uncompressed"),
    (gzip.compress(f"{A}\n".encode()) + bytes(999) + gzip.compress(B.encode()) + bytes(9), f"{A} {B}", ""),
]  # fmt: skip


@pytest.mark.parametrize(("data", "urls", "fault"), FILES)
def test_files(data: bytes | str, urls: str, fault: str) -> None:
    found, said = told(data)
    assert (" ".join(entry.loc for entry in found), said) == (urls, fault)


def test_a_sitemap_of_an_index_is_told_from_a_url() -> None:
    assert [entry.is_sitemap for entry in told(index(LOC))[0]] == [True]
    assert [entry.is_sitemap for entry in told(urlset(LOC))[0]] == [False]


def test_the_files_of_the_corpus() -> None:
    said = {path.stem: told(path.read_bytes())[1].split(":")[0] for path in CORPUS.glob("*.xml")}
    assert {name: fault for name, fault in said.items() if fault} == {
        "cut": "1 malformed",
        "deep": "1 malformed",
        "entities": "1 unsafe",
        "entity-of-a-file": "1 unsafe",
        "lines": "1 encoding",
        "number-of-a-nul": "1 malformed",
        "page": "1 root",
        "two-marks": "1 malformed",
        "unknown-prefix": "1 malformed",
        "utf-16": "1 encoding",
    }


@given(st.randoms(use_true_random=False), st.sampled_from(["urlset", "sitemapindex"]))
def test_no_file_raises_anything_else(rng: random.Random, root: str) -> None:
    told(mutants.packed(mutants.data(rng.choice, rng.choice, root), rng.choice))
    told(rng.randbytes(rng.randrange(99)))
