"""A whole run: extra URLs, the order of shards, entries of the configuration without an effect."""

from __future__ import annotations

from typing import Any

import pytest
from support import BASE, Site, build, paths
from support.heard import heard

from sitemapper import Reason

NOINDEX = '<meta name="robots" content="noindex">'


def test_an_extra_url_is_left_out_for_a_page_for_robots_txt_and_for_its_own_file(
    site: Site,
) -> None:
    root = site(
        {
            "a.html": "a",
            "hidden.html": f"<title>b</title>{NOINDEX}",
            "robots.txt": "User-agent: *\nDisallow: /closed\n",
        }
    )
    urls = [{"loc": f"{BASE}{name}"} for name in ("a.html", "hidden.html", "closed", "app")]
    found = heard(root, urls=urls).excluded
    assert paths(root) == ["a.html", "app"]
    assert found == {
        "hidden.html": (Reason.NOINDEX, f"hidden.html: {NOINDEX}"),
        f"{BASE}a.html": (Reason.DUPLICATE, "settings: is the URL of a.html"),
        f"{BASE}hidden.html": (Reason.NOINDEX, f"hidden.html: {NOINDEX}"),
        f"{BASE}closed": (Reason.ROBOTS, "robots.txt:2: Disallow: /closed"),
    }


def test_the_index_names_the_pages_of_no_section_first_then_sections_as_configured(
    site: Site,
) -> None:
    root = site({"a/1.html": "a", "b/2.html": "b", "c/3.html": "c"})
    sections = [{"name": name, "match": [f"{name}/"]} for name in ("b", "a")]
    build(root, sitemaps=sections)
    assert [
        line.partition("</loc>")[0].removeprefix(f"<sitemap><loc>{BASE}")
        for line in (root / "sitemap.xml").read_text().splitlines()
        if line.startswith("<sitemap>")
    ] == ["sitemap-1.xml", "sitemap-b.xml", "sitemap-a.xml"]


UNUSED = {
    "comments and what is included again": ({"ignore": ["# a note", " ", "!nowhere/"]}, {}),
    "selector with a part of a page": (
        {"lastmod": ["ledger", "mtime"], "ledger": {"drop": ["p"]}},
        {},
    ),
    "selector of a digest that is not read": ({"ledger": {"drop": [".nowhere"]}}, {}),
    "pattern to include": ({"include": ["*.nowhere"]}, {}),
    "pattern to include HTML": ({"include": ["a.html"]}, {"INCLUDE": ("include: a.html",)}),
    "pattern that takes away": ({"include": ["*.nowhere", "!b.html"]}, {}),
}


@pytest.mark.parametrize(("values", "expected"), UNUSED.values(), ids=UNUSED.keys())
def test_what_can_have_no_effect_is_named(
    site: Site, values: dict[str, Any], expected: dict[str, tuple[str, ...]]
) -> None:
    root = site({"a.html": "a", "b.html": "b"})
    assert heard(root, **{"lastmod": ["mtime"], **values}).warned == expected
