"""The documentation as `make docs` builds it: its search, its links."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

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
        ("Windows", "start/"),
        ("update", "start/"),
        ("Docker", "start/"),
        ("nginx", "hosts/"),
        ("canonicals links", "hosts/"),
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
