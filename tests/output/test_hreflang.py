"""Alternates that pages name become xhtml:link elements."""

from __future__ import annotations

import re

import pytest
from support import BASE, Site, build, locs, paths
from support.heads import alternates


def test_hreflang_alternates(site: Site) -> None:
    both = (("de", "/de/"), ("zh-Hans", "/zh/"), ("x-default", "/de/"), ("deutsch!", "/x/"))
    root = site({"de/index.html": alternates(*both), "zh/index.html": alternates(*both), "es/index.html": alternates(("es-419", "/es/"), ("de", "/de/"))})  # fmt: skip
    summary = build(root, hreflang=True)
    text = (root / "sitemap.xml").read_text()
    assert 'xmlns:xhtml="http://www.w3.org/1999/xhtml"' in text
    links = (
        '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de/"/>'
        '<xhtml:link rel="alternate" hreflang="zh-Hans" href="https://example.com/zh/"/>'
        '<xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/de/"/></url>'
    )
    assert text.count(links) == 2
    assert [(k.name, examples) for k, _, examples in summary.warnings] == [
        ("HREFLANG", ("https://example.com/de/ does not list https://example.com/es/",))
    ]
    assert paths(root) == ["de/", "es/", "zh/"]
    assert "xhtml" not in (build(root), (root / "sitemap.xml").read_text())[1]


@pytest.mark.parametrize("pages", [("de/index.html", "fr/index.html"), ("de.html", "fr.html")])
@pytest.mark.parametrize("named", ["/{}", "/{}/"])
def test_a_translation_is_named_as_it_is_listed(site: Site, pages: tuple[str, str], named: str) -> None:
    both = tuple((language, named.format(language)) for language in ("de", "fr"))
    root = site(dict.fromkeys(pages, alternates(*both)))
    assert build(root, hreflang=True).warnings == ()
    hrefs = re.findall(r'href="(.*?)"', (root / "sitemap.xml").read_text())
    assert sorted(set(hrefs)) == locs(root)


def test_a_page_that_does_not_name_itself_is_added(site: Site) -> None:
    root = site({"de/index.html": alternates(("fr", "/fr/")), "fr/index.html": alternates(("de", "/de/"))})
    assert build(root, hreflang=True).warnings == ()
    text = (root / "sitemap.xml").read_text()
    assert [text.count(f'hreflang="{language}" href="{BASE}{language}/"') for language in ("de", "fr")] == [
        2,
        2,
    ]


def test_a_feed_is_no_language(site: Site) -> None:
    feed = alternates(("de", "/rss.xml")).replace("<link", '<link type="application/rss+xml"')
    root = site({"a.html": feed})
    assert build(root, hreflang=True).warnings == ()
    assert "xhtml:link" not in (root / "sitemap.xml").read_text()
