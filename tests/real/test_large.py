"""Ten thousand pages that nobody made for us: the documentation of OpenJDK, as Debian packages it."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote

import pytest
from support import BASE, paths

from real.tools import CACHE, PLAIN, mtimes, sitemapper
from sitemapper.read.html import all_tags, parse
from sitemapper.read.page import Options, _facts_of_tags, facts_of

pytestmark = pytest.mark.real

SITE = CACHE / "openjdk/usr/share/doc/openjdk-17-jre-headless"
ERRORS = ("404.html", "500.html", "50x.html")


def regular_pages() -> list[str]:
    """Every HTML file but those that are ignored by default."""
    return [
        (Path(folder) / name).relative_to(SITE).as_posix()
        for folder, _, names in os.walk(SITE)
        for name in names
        if name.endswith(".html") and not name.startswith(".") and name not in ERRORS
    ]


def file_of(path: str) -> str:
    """The file behind the path of a URL."""
    return unquote(path) + ("index.html" if path[-1:] in ("", "/") else "")


def test_every_page_is_listed_and_a_second_build_writes_nothing(tmp_path: Path) -> None:
    pages = regular_pages()
    assert len(pages) > 10_000, f"{SITE} is missing: run tests/real/install.sh"
    assert sitemapper(SITE, BASE, "--dry-run", *PLAIN)["listed"] == len(pages)
    assert not (SITE / "sitemap.xml").exists()
    out = tmp_path / "out"
    sitemapper(SITE, BASE, "--output", out, *PLAIN)
    assert sorted(map(file_of, paths(out))) == sorted(pages)
    written = mtimes(out)
    again = sitemapper(SITE, BASE, "--output", out, *PLAIN)
    assert {file["change"] for file in again["files"]} == {"kept"}
    assert mtimes(out) == written


def test_the_head_alone_says_what_the_parser_sees() -> None:
    options = Options(signals=True, canonical=True, alternates=True)
    for path in regular_pages():
        data = (SITE / path).read_bytes()
        slowly = _facts_of_tags(path, all_tags(parse(data)), options)
        assert facts_of(path, data, options) == slowly, path
