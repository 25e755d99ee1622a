"""Ignore patterns: their order and their origins."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import Site, build, write_site

from sitemapper import SitemapperError, load


@pytest.mark.parametrize("text", ["ignore = true", "ignore = 3"])
def test_a_bad_ignore_value_is_told_though_flags_add_to_it(
    site: Site, tmp_path: Path, text: str
) -> None:
    root = site({"a.html": ""})
    (tmp_path / "sitemapper.toml").write_text(text)
    with pytest.raises(SitemapperError, match=r"sitemapper\.toml:1: ignore: must be a list"):
        build(root, ignore=["x"])


def test_ignore_patterns_add_up_in_order_with_their_origins(tmp_path: Path) -> None:
    write_site(
        tmp_path,
        {
            "sitemapper.toml": 'base_url = "https://a.example"\nsite = "out"\nignore = [\n  "b/",\n  \'c/\',\n]\n',
        },
    )
    write_site(tmp_path, {".sitemapignore": "# beside the configuration\nx/\n"})
    write_site(tmp_path, {"out/.sitemapignore": "w/\n"})
    lines = load({"ignore": ["d/"]}, cwd=str(tmp_path), label="command line").site.ignore
    assert [
        str(line.origin)
        for line in lines
        if line.text in ("/404.html", "w/", "x/", "b/", "c/", "d/")
    ] == [
        "built-in default: 404.html",
        f"out{os.sep}.sitemapignore:1: w/",
        ".sitemapignore:2: x/",
        "sitemapper.toml:4: b/",
        "sitemapper.toml:5: c/",
        "--ignore: d/",
    ]
