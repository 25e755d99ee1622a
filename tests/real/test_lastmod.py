"""Honest dates on sites of real themes: an edit moves a date; a build, a theme or a neighbour does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, MTIME
from support.ledger import DAY, dates, moved

from real import themes
from real.tools import sitemapper

pytestmark = pytest.mark.real

NAMES = ("boil", "brew", "cups")
RESTYLED = {
    "Ann": "Ann and Ben",
    "Kettle": "Samovar",
    "7.2.1": "7.2.2",
    '"one.css"': '"one.css", "two.css"',
    '"one.js"': '"one.js", "two.js"',
}
MARKS = ("Ann and Ben", "Samovar", "7.2.2", "two.css", "two.js", "Clean")
# These runs are outside of the projects, and so see no generator.
STYLE = ("--url-style", "directory", "--ignore", "/search.html")


@pytest.mark.parametrize("name", themes.ALL)
def test_only_the_edited_and_the_new_page_and_lists_of_them_get_another_date(
    name: str, tmp_path: Path
) -> None:
    theme, ledger = themes.ALL[name], tmp_path / "ledger"
    out = theme.build(tmp_path / "first", theme.sources(*NAMES), MTIME)
    for n, page in enumerate(sorted(out.rglob("*.html"))):
        os.utime(page, (MTIME + 100 * n, MTIME + 100 * n))  # as a hand would write them
    sitemapper(out, BASE, *STYLE, "--ledger", ledger)
    before = dates(out)
    assert set(map(theme.url, NAMES)) < before.keys()

    # Built elsewhere and at another time, so that no page stays as it was.
    files = theme.sources(*NAMES, "clean")
    source = theme.page.format("brew")
    files[source] = files[source].replace("ninety", "seventy")
    for old, new in RESTYLED.items():
        files = {path: text.replace(old, new) for path, text in files.items()}
    again = theme.build(tmp_path / "elsewhere", files, MTIME + DAY)
    for built in ("index.html", *map(theme.built.format, NAMES)):
        text = (again / built).read_text()
        assert [mark for mark in MARKS if mark not in text] == [], built
        assert text != (out / built).read_text(), built
    sitemapper(again, BASE, *STYLE, "--lastmod=ledger", "--lastmod=mtime", "--ledger", ledger)
    assert moved(before, dates(again)) == {theme.url("brew"), theme.url("clean"), *theme.lists}
