"""What an index, robots.txt and sitemaps say of each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE
from support.findings import Files, assert_rule_tells_apart, codes
from support.sitemaps import LOC, index, locs, urlset

ONE = {"a.xml": locs(BASE)}


# code: files (or sitemap.xml) that break the rule, and those that do not
CASES: dict[str, tuple[Files, Files]] = {
    "SM401": ({"i.xml": index("<loc>https://example.com/b.xml</loc>")}, {"i.xml": index("<loc>https://example.com/a.xml</loc>"), **ONE}),
    "SM402": (
        {"i.xml": index("<loc>https://example.com/j.xml</loc>"), "j.xml": index("<loc>https://example.com/a.xml</loc>"), **ONE},
        {"i.xml": index("<loc>https://example.com/a.xml</loc>"), **ONE},
    ),
    "SM403": (
        {"i.xml": index(f"<loc>{BASE}a.xml</loc><lastmod>2026-01-01</lastmod>"), "a.xml": urlset(f"{LOC}<lastmod>2026-02-01</lastmod>")},
        {"i.xml": index(f"<loc>{BASE}a.xml</loc><lastmod>2026-02-01</lastmod>"), "a.xml": urlset(f"{LOC}<lastmod>2026-02-01</lastmod>")},
    ),
    "SM404": ({"robots.txt": "Sitemap: /a.xml", **ONE}, {"robots.txt": f"Sitemap: {BASE}a.xml", **ONE}),
    "SM405": ({"robots.txt": f"Sitemap: {BASE}b.xml", **ONE}, {"robots.txt": f"Sitemap: {BASE}a.xml", **ONE}),
    "SM406": (
        {"robots.txt": "User-agent: *\nDisallow: /b/", "a.xml": locs(f"{BASE}b/c")},
        {"robots.txt": "User-agent: x\nDisallow: /", "a.xml": locs(f"{BASE}b/c")},
    ),
}  # fmt: skip


def test_every_rule_of_the_family_has_its_cases() -> None:
    assert list(CASES) == codes("SM4")


@pytest.mark.parametrize("code", CASES)
def test_a_rule_finds_what_breaks_it_and_nothing_else(code: str, tmp_path: Path) -> None:
    assert_rule_tells_apart(code, *CASES[code], tmp_path)
