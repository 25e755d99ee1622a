"""Any bytes that are given for a sitemap are checked, whatever blocks they come in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE, NOW, mutants
from support.laws import own_folder

from sitemapper.linter import ALL, Finding, validate
from sitemapper.read.sitemap import elements
from sitemapper.read.sitemap_xml import FileError

SECOND = int(NOW.timestamp())

# --- pages


CODES = {rule.code for rule in ALL}


def findings(
    folder: Path, data: bytes, name: str = "sitemap.xml", *, whole: bool = False
) -> list[Finding]:
    path = folder / name
    path.write_bytes(data)
    try:
        return list(validate([str(folder if whole else path)], now=SECOND))
    finally:
        path.unlink()


def check(found: Iterable[Finding], data: bytes) -> None:
    lines = len(re.split(rb"\r\n|\r|\n", data))
    for finding in found:
        assert finding.code in CODES
        assert 1 <= finding.line <= lines, finding
        assert finding.message.strip(), finding


@st.composite
def sitemaps(draw: st.DrawFn) -> bytes:
    def choose(items: Sequence[Any]) -> Any:
        return draw(st.sampled_from(items))

    return mutants.data(choose, choose, choose(("urlset", "urlset", "sitemapindex")))


@given(
    sitemaps()
    | st.binary(max_size=80)
    | st.text(max_size=60).map(lambda text: f"{BASE}\n{text}".encode())
)
def test_every_sitemap_is_checked(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = own_folder(tmp_path_factory, "sitemaps")
    found = findings(folder, data)
    check(found, data)
    for name in ("sitemap.txt", "sitemap-x.xml"):
        check(findings(folder, data, name), data)
    assert findings(folder, data) == found
    (folder / "robots.txt").write_bytes(
        b"User-agent: *\nDisallow: /a\nSitemap: https://example.com/sitemap.xml"
    )
    findings(folder, data, whole=True)
    (folder / "robots.txt").write_bytes(data)
    findings(folder, data, whole=True)
    (folder / "robots.txt").unlink()


@given(st.data())
def test_every_packed_sitemap_is_checked(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    def choose(items: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(items))

    folder = own_folder(tmp_path_factory, "packed")
    raw = mutants.data(choose, choose)
    said = [finding[0:1] + finding[3:] for finding in findings(folder, raw)]
    intact = findings(folder, mutants.gzip.compress(raw), "s.xml.gz")
    assert [finding[0:1] + finding[3:] for finding in intact] == said
    for finding in findings(folder, mutants.packed(raw, choose), "s.xml.gz"):
        assert finding.code in CODES


def facts(blocks: Iterator[bytes]) -> list[Any]:
    found: list[Any] = []
    for fact in elements(blocks):
        found.append((type(fact), fact.line, fact.text) if isinstance(fact, FileError) else fact)
    return found


@given(st.data())
def test_sitemaps_say_the_same_wherever_blocks_end(data: st.DataObject) -> None:
    def choose(items: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(items))

    blank = choose(("", "", " \n", "\n" * 9)).encode()
    raw = blank + mutants.text(choose, choose).encode("utf-8", "replace").replace(b"\0", b"")
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=5)))
    start = len(blank) + 4  # a mark or a beginning is never cut
    blocks = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    if not cuts or cuts[0] >= start or not raw[: cuts[0]].strip():
        assert facts(iter(blocks)) == facts(iter([raw]))


# --- the ledger


ENTRY = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{mutants.SPACE}">\n<url><loc>{BASE}</loc>{{}}</url>{{}}</urlset>'


OTHER = 'xmlns="http://www.sitemaps.org/0.8"'


def codes(folder: Path, data: bytes, name: str = "sitemap.xml") -> list[str]:
    return [finding.code for finding in findings(folder, data, name)]


@pytest.mark.parametrize("data", [b"PK\3\4", b"\x1f\x8b\0\0", b"\x1f\x8b"])
def test_a_file_that_cannot_be_unpacked_from_its_first_byte_on(data: bytes, tmp_path: Path) -> None:
    assert codes(tmp_path, data) == ["SM109"]


@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0" encoding="UTF-8"?>'])
def test_utf_16_that_the_parser_would_read_by_itself(declaration: str, tmp_path: Path) -> None:
    text = declaration + ENTRY.format("", "").partition("\n")[2]
    assert codes(tmp_path, text.encode("utf-16-le")) == ["SM102"]


@pytest.mark.parametrize(
    ("inside", "behind", "code"),
    [
        ("<priority>٠.٥</priority>", "", "SM206"),
        ("<priority>1.00000000000000000001</priority>", "", "SM206"),
        ("<priority>0.5\u00a0</priority>", "", "SM206"),
        ("<changefreq> daily </changefreq>", "", "SM205"),
        ("<lastmod>2026-01-01T00:00:00+14:01</lastmod>", "", "SM203"),
        ("\u00a0", "", "SM110"),
        ("", "\u00a0", "SM110"),
        (f"<lastmod {OTHER}>2026-01-01</lastmod>", "", "SM110"),
        ("", f"<url {OTHER}><loc>{BASE}a</loc></url>", "SM110"),
        ("", '<x:a xmlns:x="x"/>', "SM110"),
        ("", f'<url xml:lang="de"><loc>{BASE}a</loc></url>', "SM110"),
        ("", f"<url><loc>{BASE}[a]</loc></url>", "SM303"),
    ],
)
def test_what_the_schema_refuses(inside: str, behind: str, code: str, tmp_path: Path) -> None:
    assert codes(tmp_path, ENTRY.format(inside, behind).encode()) == [code]


def test_a_stranger_in_an_index(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(ENTRY.format("", ""))
    text = f'<sitemapindex xmlns="{mutants.SPACE}"><sitemap><loc>{BASE}a.xml</loc>{{}}</sitemap></sitemapindex>'
    assert codes(tmp_path, text.format("").encode()) == []
    assert codes(tmp_path, text.format('<x:a xmlns:x="x"/>').encode()) == ["SM110"]


def test_white_space_of_a_block_before_the_declaration(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, b"\n" * 65_536 + ENTRY.format("", "").encode())
    assert (finding.code, finding.line) == ("SM101", 65_537)


def test_a_very_long_path_in_an_index_takes_no_time(tmp_path: Path) -> None:
    row = f"<sitemap><loc>{BASE}{'a/' * 30_000}.xml</loc></sitemap>"
    text = f'<sitemapindex xmlns="{mutants.SPACE}">{row}</sitemapindex>'
    assert codes(tmp_path, text.encode()) == ["SM302"]
