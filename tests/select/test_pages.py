"""A page's way to its verdict, and the fast ways beside it, which say the same."""

from __future__ import annotations

from typing import Any

import pytest
from support import Site, build
from support.heads import NOINDEX, alternates, canonical, refresh

PAGES = {
    "index.html": "<title>a</title>",
    "a/index.html": canonical("/a/"),
    "b.html": canonical("/a/"),
    "c.html": NOINDEX,
    "d.html": refresh("0; url=/a/"),
    "é.html": alternates(("de", "/a/"), ("en", "/é.html")),
    "feed.html": "<rss></rss>",
    "x y.html": "<p>text",
}
SILENT = dict.fromkeys(("noindex", "canonical", "refresh", "robots"), False)
# A rule that matches no page asks about each of them, so no fast way is open.
SLOW = {"rules": [{"match": ["no-such/*"], "priority": 0.5}]}


@pytest.mark.parametrize("style", ["directory", "clean", "slash", "file"])
@pytest.mark.parametrize("respect", [{}, SILENT], ids=["read", "not read"])
def test_the_fast_ways_list_what_the_whole_way_lists(
    site: Site, style: str, respect: dict[str, bool]
) -> None:
    root = site(PAGES)
    written = set()
    for more in ({}, SLOW):
        values: dict[str, Any] = {"url_style": style, "respect": respect, "lastmod": []}
        build(root, **values, **more, hreflang=not respect)
        written.add((root / "sitemap.xml").read_bytes())
    assert len(written) == 1


def test_a_page_that_its_path_decides_is_not_opened(site: Site, reads: list[str]) -> None:
    files = dict.fromkeys(("a.html", "p/b.html", "c.html"), "")
    files |= {"d.pdf": "%PDF", "robots.txt": "User-agent: *\nDisallow: /p/\n"}
    root = site(files)
    values: dict[str, Any] = {
        "url_style": "file",
        "rules": [{"match": ["c.html"], "list": False}],
        "include": ["*.html", "*.pdf"],
    }
    build(root, **values, respect={"noindex": False})
    assert reads == ["a.html"]
    build(root, **values, respect=SILENT)
    assert reads == ["a.html"]


def test_a_page_behind_robots_txt_is_read_for_a_noindex_that_crawlers_cannot_see(
    site: Site, reads: list[str]
) -> None:
    root = site({"a.html": "", "p/b.html": NOINDEX, "robots.txt": "User-agent: *\nDisallow: /p/\n"})
    summary = build(root)
    assert sorted(set(reads)) == ["a.html", "p/b.html"]
    assert [(kind.name, names) for kind, names, _, _ in summary.warnings] == [
        ("HIDDEN", ("p/b.html",))
    ]
