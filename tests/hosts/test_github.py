"""GitHub Pages has no rules, adds the slash of folders, and serves `b.html` at `b` too."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import build, paths, write_site

PAGES = {"index.html": '<a href="b">', "b.html": "<p>b", "c/index.html": "<p>c"}
FOLDERS = ["c/index.html", "d/index.html"]
OTHERS_RULES = {"_redirects": "/b.html / 301!\n", "_headers": "/*\n  X-Robots-Tag: noindex\n"}


@pytest.mark.parametrize("link", ["b", "b.html"])
def test_the_links_choose_the_form_of_a_page(tmp_path: Path, link: str) -> None:
    write_site(tmp_path / "site", PAGES | {"index.html": f'<a href="{link}">'})
    build(tmp_path / "site", host="github")
    assert set(paths(tmp_path / "site")) == {"", link, "c/"}


def test_the_rules_of_other_hosts_take_no_page_away(tmp_path: Path) -> None:
    write_site(tmp_path / "site", PAGES | OTHERS_RULES)
    build(tmp_path / "site", host="github")
    assert set(paths(tmp_path / "site")) == {"", "b", "c/"}


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_a_folder_keeps_its_slash_against_the_canonicals(tmp_path: Path, host: str) -> None:
    page = '<link rel="canonical" href="https://example.com/{}"><p>tea'
    files = {name: page.format(name.removesuffix("/index.html")) for name in FOLDERS}
    write_site(tmp_path / "site", files | {"index.html": page.format("")})
    build(tmp_path / "site", host=host)
    assert set(paths(tmp_path / "site")) == {"", "c/", "d/"}
