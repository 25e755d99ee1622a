"""The documentation as `make docs` builds it: its search, its picture, its links."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import docs_pictures
import pytest

from real.once import Once
from real.tools import ROOT, run

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def docs(once: Once) -> Path:
    """Built once: a second process would remove the files that the first one reads."""

    def make(folder: Path) -> str:
        run("make", "docs", cwd=ROOT, env={"MAKEFLAGS": "", "PATH": os.environ["PATH"]})
        return str(ROOT / ".docs")

    _, built = once("docs", make)
    return Path(built)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("Windows", "getting-started/"),
        ("updating", "getting-started/"),
        ("Docker", "getting-started/"),
        ("nginx", "hosts/"),
        ("IIS", "hosts/"),
        ("GitHub Pages rules", "hosts/"),
        ("preview Netlify", "ci/"),
    ],
)
def test_the_search_has_a_section_with_the_words(docs: Path, words: str, page: str) -> None:
    index = json.loads((docs / "search/search_index.json").read_text())
    found = {
        section["location"].partition("#")[0]
        for section in index["docs"]
        if all(
            re.search(rf"\b{word}\b", section["title"] + section["text"], re.I)
            for word in words.split()
        )
    }
    assert page in found


def test_each_page_leads_to_the_next_and_the_previous(docs: Path) -> None:
    page = (docs / "hosts/index.html").read_text()
    assert re.findall(r'<a href="([^"]+)" class="md-footer__link', page) == [
        "../dates/",
        "../ci/",
    ]


def test_the_texts_of_the_picture_are_those_of_the_browser(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text(docs_pictures.make_report(tmp_path / "site"))
    texts = docs_pictures.read_texts(docs_pictures.ask_chromium(page, "--dump-dom"))
    assert texts == docs_pictures.TEXTS.read_text(), "run: make docs-pictures"
