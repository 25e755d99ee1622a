"""The base URL that the sitemap in a site shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Site
from support.sitemaps import index, locs

from sitemapper.read.built_sitemap import find_built_sitemap

PAGES = dict.fromkeys(["index.html", "a.html", "docs/index.html", "docs/b.html"], "a")


@pytest.mark.parametrize(
    ("urls", "base"),
    [
        (["https://a.test/"], "https://a.test/"),
        (["https://a.test/a.html", "https://a.test/docs/b.html"], "https://a.test/"),
        (["https://a.test/docs/", "https://a.test/docs/b"], "https://a.test/"),
        (
            ["https://a.test/x/", "https://a.test/x/a", "https://a.test/x/docs/"],
            "https://a.test/x/",
        ),
        (["https://a.test/", "https://a.test/gone"], None),
        (["https://a.test/", "https://b.test/a.html"], None),
        (["/", "//[", "x"], None),
        (["http://[x/a"], None),
        (["https://a.test/", "http://[x/a"], None),
        ([f"https://a.test/{'x/' * 32}a"], f"https://a.test/{'x/' * 32}"),
        ([f"https://a.test/{'x/' * 33}a"] * 200, None),
        ([f"https://a.test/{'x/' * 30_000}a"] * 200, None),
        ([], None),
    ],
)
def test_the_urls_of_a_sitemap_name_files_of_the_site(
    site: Site, urls: list[str], base: str | None
) -> None:
    root = site({**PAGES, "sitemap.xml": locs(*urls)})
    assert find_built_sitemap(str(root)) == (base and ("sitemap.xml", base))


@pytest.mark.parametrize("name", ["sitemap.xml", "sitemap-index.xml"])
def test_an_index_names_sitemaps_of_the_site(site: Site, name: str) -> None:
    named = index("<loc>https://a.test/x/sitemap-0.xml</loc>")
    root = site({**PAGES, name: named, "sitemap-0.xml": locs("https://a.test/x/")})
    assert find_built_sitemap(str(root)) == (name, "https://a.test/x/")


@pytest.mark.parametrize("text", ["", "<", "<!DOCTYPE x [<!ENTITY a 'b'>]><urlset/>", "<html>"])
def test_a_broken_sitemap_shows_nothing(site: Site, text: str) -> None:
    assert find_built_sitemap(str(site({**PAGES, "sitemap.xml": text}))) is None


def test_a_link_out_of_the_site_is_not_followed(site: Site, tmp_path: Path) -> None:
    root = site(PAGES)
    (tmp_path / "sitemap.xml").write_text(locs("https://a.test/"))
    (root / "sitemap.xml").symlink_to(tmp_path / "sitemap.xml")
    assert find_built_sitemap(str(root)) is None
