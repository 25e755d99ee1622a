"""Laws of the earlier sitemap: whoever wrote it, its URLs and dates are read, each once."""

from __future__ import annotations

import gzip
import html
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import settings
from support.sitemaps import urlset

from sitemapper.errors import PreviousError
from sitemapper.publish.published import find_previous
from sitemapper.read.sitemap import MARK, parse_row
from sitemapper.syntax.urls import encode_path

BASE = "https://www.tea.dev/docs/"
FORMER = ("https://www.tea.dev/docs/", "http://www.tea.dev/docs/", "https://tea.dev/docs/")
# Without empty parameters and dots, which a URL of a page does not have.
LETTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=";.")
PATHS = st.text(LETTERS, max_size=8).map(encode_path)
DATES = st.sampled_from(["", "2026-01-02", "2026-01-02T03:04:05+00:00"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("previous")
    (root / "public").mkdir()
    return root


@given(
    listed=st.dictionaries(PATHS, DATES, max_size=20),
    former=st.sampled_from(FORMER),
    is_packed=st.booleans(),
    repeats=st.booleans(),
)
def test_every_url_is_read_once_with_its_date(
    folder: Path, listed: dict[str, str], former: str, is_packed: bool, repeats: bool
) -> None:
    rows = []
    for path, date in listed.items():
        dated = f"<lastmod>{date}</lastmod>" if date else ""
        rows.append(f"<loc>{html.escape(former + path)}</loc>{dated}")
    text = urlset(*rows, *(rows if repeats else ())).encode()
    file = folder / "old.xml"
    file.write_bytes(gzip.compress(text) if is_packed else text)
    setup = settings(folder / "public", base_url=BASE)
    with find_previous(str(file), setup.site, setup.run, None) as previous:
        assert dict(map(parse_row, previous.all_rows())) == {BASE + p: d for p, d in listed.items()}
        assert previous.count_urls() == len(listed)
        assert previous.count_dates() == sum(map(bool, listed.values()))
        # Without a URL, a note says so.
        assert len(previous.notes) == (0 if listed else 1)


HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'
OURS = HEAD + MARK + b'\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
WHOLE = OURS + b"".join(
    f"<url><loc>{BASE}{n}.html</loc><lastmod>2026-01-02</lastmod></url>\n".encode()
    for n in range(3)
)


@given(length=st.integers(0, len(WHOLE) + len(b"</urlset")))
def test_a_sitemap_that_is_cut_off_anywhere_is_refused(folder: Path, length: int) -> None:
    file = folder / "cut.xml"
    file.write_bytes((WHOLE + b"</urlset>\n")[:length])
    setup = settings(folder / "public", base_url=BASE)
    with (
        pytest.raises(PreviousError, match="so nothing was published"),
        find_previous(str(file), setup.site, setup.run, None),
    ):
        pass


@given(start=st.sampled_from([b"", OURS, HEAD, b"\x1f\x8b\x08", b"<rss>"]), rest=st.binary())
def test_any_bytes_are_read_or_refused(folder: Path, start: bytes, rest: bytes) -> None:
    file = folder / "any.xml"
    file.write_bytes(start + rest)
    setup = settings(folder / "public", base_url=BASE)
    with (
        suppress(PreviousError),
        find_previous(str(file), setup.site, setup.run, None) as previous,
    ):
        assert previous.count_urls() is not None
