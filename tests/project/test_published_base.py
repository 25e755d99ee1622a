"""The base URL that an earlier sitemap or robots.txt of a site shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Site

from sitemapper.project.published_base import find_feed_base, find_published_base

PAGES = dict.fromkeys(["index.html", "a.html", "docs/index.html", "docs/b.html"], "a")


def sitemap(*urls: str, root: str = "urlset", entry: str = "url") -> str:
    rows = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{root}>'


def found(root: Path) -> tuple[str, str] | None:
    """The base URL and where it is from."""
    base = find_published_base(str(root), str(root.parent))
    if base is None:
        return None
    return str(base.value), str(base.origin)


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
        (["http://localhost:1313/", "http://localhost:1313/a.html"], None),
        (["https://example.com/"], None),
        (["/", "//[", "x"], None),
        (["http://[x/a"], None),
        (["https://a.test/", "http://[x/a"], None),
        ([f"https://a.test/{'x/' * 32}a"], f"https://a.test/{'x/' * 32}"),
        ([], None),
    ],
)
def test_the_urls_of_a_sitemap_name_files_of_the_site(
    site: Site, urls: list[str], base: str | None
) -> None:
    root = site({**PAGES, "sitemap.xml": sitemap(*urls)})
    assert found(root) == (base and (base, "public/sitemap.xml"))


def test_an_index_names_sitemaps_of_the_site(site: Site) -> None:
    index = sitemap("https://a.test/x/sitemap-0.xml", root="sitemapindex", entry="sitemap")
    root = site({**PAGES, "sitemap.xml": index, "sitemap-0.xml": sitemap("https://a.test/x/")})
    assert found(root) == ("https://a.test/x/", "public/sitemap.xml")


@pytest.mark.parametrize("text", ["", "<", "<!DOCTYPE x [<!ENTITY a 'b'>]><urlset/>", "<html>"])
def test_a_broken_sitemap_shows_nothing(site: Site, text: str) -> None:
    assert found(site({**PAGES, "sitemap.xml": text})) is None


@pytest.mark.parametrize("depth", [33, 30_000])
def test_a_url_with_too_many_folders_shows_nothing(site: Site, depth: int) -> None:
    deep = f"https://a.test/{'x/' * depth}a"
    assert found(site({**PAGES, "sitemap.xml": sitemap(*[deep] * 200)})) is None
    assert found(site({**PAGES, "robots.txt": f"Sitemap: {deep}.xml\n"})) is None


def test_a_link_out_of_the_site_is_not_followed(site: Site, tmp_path: Path) -> None:
    root = site(PAGES)
    (tmp_path / "sitemap.xml").write_text(sitemap("https://a.test/"))
    (root / "sitemap.xml").symlink_to(tmp_path / "sitemap.xml")
    assert found(root) is None


@pytest.mark.parametrize(
    ("lines", "base"),
    [
        ("Sitemap: https://a.test/sitemap.xml", "https://a.test/"),
        ("User-agent: *\nsitemap: https://a.test/x/other.xml\n", "https://a.test/x/"),
        ("Sitemap: https://a.test/docs/map.xml", "https://a.test/"),
        ("Sitemap: https://a.test/1.xml\nSitemap: https://a.test/2.xml", "https://a.test/"),
        ("Sitemap: https://a.test/1.xml\nSitemap: https://b.test/2.xml", None),
        ("Sitemap: /sitemap.xml", None),
        ("Disallow: /", None),
    ],
)
def test_a_line_of_robots_txt_names_a_sitemap_of_the_site(
    site: Site, lines: str, base: str | None
) -> None:
    root = site({**PAGES, "docs/map.xml": "", "robots.txt": lines})
    assert found(root) == (base and (base, "public/robots.txt"))


def test_the_sitemap_counts_before_robots_txt(site: Site) -> None:
    robots = "Sitemap: https://b.test/sitemap.xml"
    root = site({**PAGES, "sitemap.xml": sitemap("https://a.test/"), "robots.txt": robots})
    assert found(root) == ("https://a.test/", "public/sitemap.xml")


def test_a_sitemap_with_the_mark_is_no_witness_nor_a_line_that_names_it(site: Site) -> None:
    robots = "Sitemap: https://a.test/sitemap.xml"
    text = "<!-- ours -->" + sitemap("https://a.test/")
    root = site({**PAGES, "sitemap.xml": text, "robots.txt": robots})
    assert find_published_base(str(root), str(root), b"<!-- ours -->") is None
    assert find_published_base(str(root), str(root), b"<!-- others -->") is not None


def test_the_index_of_a_generator_is_a_witness(site: Site) -> None:
    index = sitemap("https://a.test/sitemap-0.xml", root="sitemapindex", entry="sitemap")
    root = site({**PAGES, "sitemap-index.xml": index, "sitemap-0.xml": ""})
    assert found(root) == ("https://a.test/", "public/sitemap-index.xml")


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("<rss><channel><item><link>https://a.test/a</link></item></channel></rss>", True),
        ("<rss><channel><link>https://a.test/</link></channel></rss>", True),
        ("<rss><channel><item><link>https://b.test/else</link></item></channel></rss>", False),
        (
            '<rss><channel><link>https://b.test/</link><atom:link href="https://a.test/feed.xml" '
            'rel="self"/></channel></rss>',
            True,
        ),
        ('<feed><link rel="self" href="https://a.test/feed.xml"/></feed>', True),
        ('<feed><link rel="self" href="https://feeds.test/tea"/></feed>', False),
        ('<feed><link rel="alternate" href="https://b.test/feed.xml"/></feed>', False),
        ("<rss><channel><!-- <link>https://b.test/</link> --><link>https://a.test/</link>", True),
        ("<rss><channel><image><link>https://a.test/</link></image></channel></rss>", False),
        ("<rss><channel><br><link>https://a.test/</link></channel></rss>", False),  # no XML
        ("not a feed", False),
    ],
)
def test_a_feed_names_its_entries_or_else_itself(site: Site, text: str, base: bool) -> None:
    root = site({**PAGES, "feed.xml": text})
    claim = find_feed_base(str(root), str(root))
    assert (claim and claim.value) == ("https://a.test/" if base else None)
