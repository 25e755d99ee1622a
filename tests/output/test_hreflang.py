"""Alternates that pages name become xhtml:link elements."""

from __future__ import annotations

from support import Site, build, paths
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
