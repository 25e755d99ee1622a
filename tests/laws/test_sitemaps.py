"""Any bytes that are given for a sitemap are checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import BASE, NOW, mutants
from support.laws import own_folder

from sitemapper.linter import ALL, Finding, validate
from sitemapper.read.sitemap import MARK, entries
from sitemapper.read.sitemap_xml import FileError

SECOND = int(NOW.timestamp())


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


def chooser(draw: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Any]:
    return lambda items: draw(st.sampled_from(items))


@st.composite
def sitemaps(draw: st.DrawFn) -> bytes:
    choose = chooser(draw)
    return mutants.data(choose, choose, choose(("urlset", "urlset", "sitemapindex")))


@pytest.mark.slow
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
    choose = chooser(data.draw)
    folder = own_folder(tmp_path_factory, "packed")
    raw = mutants.data(choose, choose)
    said = [finding[0:1] + finding[3:] for finding in findings(folder, raw)]
    intact = findings(folder, mutants.gzip.compress(raw), "s.xml.gz")
    assert [finding[0:1] + finding[3:] for finding in intact] == said
    for finding in findings(folder, mutants.packed(raw, choose), "s.xml.gz"):
        assert finding.code in CODES


OUR_HEAD = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n{MARK.decode()}\n<urlset xmlns="{mutants.SPACE}">\n'
)
OUR_ROWS = [
    "<url><loc>https://example.com/{}</loc></url>\n",
    "<url><loc>https://example.com/?a&amp;b={}</loc><lastmod>2026-01-0{}</lastmod></url>\n",
    "<url><loc>https://example.com/ü{}</loc><priority>0.5</priority></url>\n",
]
CHANGED_ROWS = [
    "<url><loc>https://example.com/{}</loc></url>\r\n",
    "<url>\n  <loc>\n    https://example.com/{}\n  </loc>\n</url>\n",
    " <url><loc>https://example.com/{}</loc></url>\n",
    "<!-- a comment -->\n",
    "\n",
    "<url><lastmod>2026-01-0{}</lastmod></url>\n",
    "</urlset>\n",
    "<url><loc>https://example.com/{}",
]


def read_all(data: bytes) -> tuple[list[tuple[str, str, int, str]], str]:
    """The entries of a sitemap, without the lines as we wrote them, and what ended it."""
    read: list[tuple[str, str, int, str]] = []
    try:
        for entry in entries(iter([data])):
            read.append(entry[:4])
    except FileError as error:
        return read, f"{error.line}: {error.text}"
    return read, ""


@given(
    st.lists(st.sampled_from(OUR_ROWS), max_size=4),
    st.lists(st.sampled_from(OUR_ROWS + CHANGED_ROWS), max_size=4),
    st.sampled_from(["</urlset>\n", "</urlset>", ""]),
    st.booleans(),
)
def test_our_lines_are_read_as_the_parser_reads_them(
    ours: list[str], others: list[str], end: str, is_index: bool
) -> None:
    lines = [row.format(n, n) for n, row in enumerate(ours + others)]
    text = OUR_HEAD + "".join(lines) + end
    if is_index:
        text = text.replace("urlset", "sitemapindex").replace("url>", "sitemap>")
    data = text.encode()
    other_comment = b"<!--%s-->" % (b"x" * (len(MARK) - len("<!---->")))
    assert read_all(data) == read_all(data.replace(MARK, other_comment))
