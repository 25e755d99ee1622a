"""The base URL that the sitemap in a site shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Site

from sitemapper.read.built_sitemap import find_built_sitemap

PAGES = dict.fromkeys(["index.html", "a.html", "docs/index.html", "docs/b.html"], "a")


def sitemap(*urls: str, root: str = "urlset", entry: str = "url") -> str:
    rows = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{root}>'


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
        (["https://a.test/x/docs/b.html"], "https://a.test/x/"),
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
    root = site({**PAGES, "sitemap.xml": sitemap(*urls)})
    assert find_built_sitemap(str(root)) == (base and ("sitemap.xml", base))


@pytest.mark.parametrize("name", ["sitemap.xml", "sitemap-index.xml"])
def test_an_index_names_sitemaps_of_the_site(site: Site, name: str) -> None:
    index = sitemap("https://a.test/x/sitemap-0.xml", root="sitemapindex", entry="sitemap")
    root = site({**PAGES, name: index, "sitemap-0.xml": sitemap("https://a.test/x/")})
    assert find_built_sitemap(str(root)) == (name, "https://a.test/x/")


@pytest.mark.parametrize("text", ["", "<", "<!DOCTYPE x [<!ENTITY a 'b'>]><urlset/>", "<html>"])
def test_a_broken_sitemap_shows_nothing(site: Site, text: str) -> None:
    assert find_built_sitemap(str(site({**PAGES, "sitemap.xml": text}))) is None


def test_a_link_out_of_the_site_is_not_followed(site: Site, tmp_path: Path) -> None:
    root = site(PAGES)
    (tmp_path / "sitemap.xml").write_text(sitemap("https://a.test/"))
    (root / "sitemap.xml").symlink_to(tmp_path / "sitemap.xml")
    assert find_built_sitemap(str(root)) is None
