"""The picture of the report shows what the report of today's code says."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode

import docs_pictures
import pytest

# A sentence of the report is put together: "listed page" + "s" + " have a date" + ".".
MOST_PIECES = 4


def printed_texts(report: str) -> str:
    """All texts from which the script of the report makes what the browser shows."""
    found = re.search(r'id="data">(.*?)</script>', report, re.S)
    assert found
    data = json.loads(found[1])
    lists = [*data["pages"].values(), *data["changes"].values()]
    rows = [gzip.decompress(b64decode(packed["rows"])).decode() for packed in lists]
    return "\n".join([report, json.dumps(data, ensure_ascii=False), *rows])


def count_pieces(text: str, printed: str) -> int:
    """Into how few pieces a text has to be cut, so that each is in what is printed."""
    pieces = 0
    while text:
        longest = next((n for n in range(len(text), 0, -1) if text[:n] in printed), 0)
        text = text[max(longest, 1) :]
        pieces += 1
    return pieces


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("report") / "site"
    return printed_texts(docs_pictures.make_report(folder))


@pytest.mark.slow
def test_each_text_of_the_picture_is_printed_by_todays_code(printed: str) -> None:
    texts = docs_pictures.TEXTS.read_text().splitlines()
    parts = {part.strip() for text in texts for part in re.split(r"\d[\d,.]*", text)}
    assert len(parts) > 30
    assert [part for part in parts if count_pieces(part, printed) > MOST_PIECES] == [], (
        "run: make docs-pictures"
    )


def test_each_number_of_the_picture_is_printed_by_todays_code(printed: str) -> None:
    texts = docs_pictures.TEXTS.read_text().replace(",", "")
    files = json.loads(re.search(r'"files":(\[.*?\]\])', printed)[1])  # type: ignore[index]
    assert len(files) == 2
    for name, change, urls, size in files:
        assert f"{name}\n{change}\n" in texts
        assert {str(urls or ""), str(size)} - {""} <= set(texts.splitlines())


def test_a_text_that_is_no_longer_printed_is_found(printed: str) -> None:
    old = "there is no earlier sitemap, so every page counts as added"
    assert count_pieces(old, printed) > MOST_PIECES
