"""Alternates that pages name become xhtml:link elements, and images of their main content image:image elements."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, locs, paths, write_site
from support.cost import assert_linear
from support.heads import alternates

IMAGE = "<image:image><image:loc>{}</image:loc></image:image>"


def images(root: Path) -> list[str]:
    """The images that the sitemap lists below the base."""
    text = (root / "sitemap.xml").read_text()
    return [url.removeprefix(BASE) for url in re.findall("<image:loc>(.*?)</image:loc>", text)]


def test_the_images_of_the_main_content_are_listed_with_their_page(site: Site, run: Run) -> None:
    page = (
        "<body><header><img src=logo.png></header><main><p><img src='a b.png'></p>"
        "<img src=https://cdn.example/c.jpg?w=1&amp;h=2><aside><img src=ad.png></aside></main>"
        "<footer><img src=/badge.svg></footer>"
    )
    root = site({"blog/index.html": page, "plain.html": "<main>text</main>"})
    build(root, images=True)
    text = (root / "sitemap.xml").read_text()
    assert 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"' in text
    assert (
        f"</lastmod>{IMAGE.format(f'{BASE}blog/a%20b.png')}"
        f"{IMAGE.format('https://cdn.example/c.jpg?w=1&amp;h=2')}</url>"
    ) in text
    assert len(images(root)) == 2
    build(root)
    assert "image" not in (root / "sitemap.xml").read_text()


@pytest.mark.parametrize(
    ("body", "listed"),
    [
        ("<img src=a.png><img src=/a.png><img src=a.png#x>", ["a.png"]),
        ("<img><img src=''><img src=' '>", []),
        ("<img src=data:image/png;base64,AAAA><img src=blob:x><img src=mailto:x><img src='//[::1'>", []),
        ("<img src=p.gif width=1 height=1><img src=p.gif width=1px height=0><img src=q.gif width=1 height=90>", ["q.gif"]),
        ("<img src=s.png srcset='m.png 640w, l.png 1280w, s.png 320w'>", ["l.png"]),
        ("<img src=s.png srcset='s.png, l.png 2x'>", ["l.png"]),
        ("<img src=s.png srcset='f_auto,w_100/a.png 100w,f_auto,w_200/a.png 200w'>", ["f_auto,w_200/a.png"]),
        ("<img src=s.png srcset='data:image/gif;base64,AA 5x'>", ["s.png"]),
        ("<img srcset=',,, ,'><img srcset='a.png'>", ["a.png"]),
        ("<picture><source srcset='a.webp 2x'><img src=a.png></picture>", ["a.png"]),
        ("<picture><source srcset='a.webp 1x, b.webp 2x'><img src=data:,x></picture>", ["b.webp"]),
        ("<picture><source srcset=a.webp> <source srcset=b.webp><img></picture>", ["a.webp"]),
        ("<picture><source srcset=a.webp><img><source srcset=b.webp><img></picture>", ["a.webp", "b.webp"]),
        ("<img src='#'><img src=#top data-src=a.png>", []),
        ("<noscript><img src=a.png></noscript><template><img src=b.png></template><!--<img src=c.png>-->", []),
        ("<img src='https://cdn.example/a,b.png'><img src=//cdn.example/c.png>", ["https://cdn.example/a,b.png", "https://cdn.example/c.png"]),
        (f"<img src={'a' * 2048}.png><img src=ü.png>", ["%C3%BC.png"]),
    ],
)  # fmt: skip
def test_which_images_are_listed(body: str, listed: list[str], site: Site) -> None:
    root = site({"index.html": f"<html><head></head><body><main>{body}</main>"})
    build(root, images=True)
    assert images(root) == listed


@pytest.mark.parametrize(
    ("base", "listed"),
    [
        ("/files/", "files/c.png"),
        ("https://cdn.example/", "https://cdn.example/c.png"),
        ("http://[", "a/c.png"),
    ],
)
def test_images_are_relative_to_the_base_of_the_page(site: Site, base: str, listed: str) -> None:
    root = site({"a/b.html": f"<head><base href={base}></head><main><img src=c.png></main>"})
    build(root, images=True)
    assert images(root) == [listed]


def test_a_page_has_at_most_a_thousand_images(site: Site) -> None:
    root = site({"index.html": "".join(f"<img src={n}.png>" for n in range(1002))})
    build(root, images=True)
    assert images(root) == [f"{n}.png" for n in range(1000)]


def test_explain_names_the_images(site: Site, run: Run, tmp_path: Path) -> None:
    site({"index.html": "<img src=a.png><img src=b.png>"})
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\nimages = true\n'
    )
    assert run("explain", "index.html") == 0
    assert f"  image 1     {BASE}a.png  (index.html: <img>)\n  image 2     {BASE}b.png" in run.out


@pytest.mark.slow
def test_hostile_sources_take_linear_time(tmp_path: Path) -> None:
    texts = (",", "a,", " ,", "a ", "a 1", "1.1", "a\t,")

    def prepare(n: int) -> Callable[[], object]:
        write_site(
            tmp_path / "public",
            {"index.html": "".join(f"<img srcset='{text * n}'>" for text in texts)},
        )
        return partial(build, tmp_path / "public", images=True)

    assert_linear(prepare, 100_000)


@pytest.mark.slow
def test_many_images_in_one_picture_take_no_time(tmp_path: Path) -> None:
    def prepare(n: int) -> Callable[[], object]:
        many = "<source srcset=a.webp>" * n + "<img>" * n
        write_site(tmp_path / "public", {"index.html": f"<main><picture>{many}</picture></main>"})
        return partial(build, tmp_path / "public", images=True)

    assert_linear(prepare, 5_000)
    assert images(tmp_path / "public") == ["a.webp"]


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
    assert [(k.name, examples) for k, examples, _, _ in summary.warnings] == [
        ("HREFLANG", ("https://example.com/de/ does not list https://example.com/es/",))
    ]
    assert paths(root) == ["de/", "es/", "zh/"]
    assert "xhtml" not in (build(root), (root / "sitemap.xml").read_text())[1]


@pytest.mark.parametrize("pages", [("de/index.html", "fr/index.html"), ("de.html", "fr.html")])
@pytest.mark.parametrize("named", ["/{}", "/{}/"])
def test_a_translation_is_named_as_it_is_listed(
    site: Site, pages: tuple[str, str], named: str
) -> None:
    both = tuple((language, named.format(language)) for language in ("de", "fr"))
    root = site(dict.fromkeys(pages, alternates(*both)))
    assert build(root, hreflang=True).warnings == ()
    hrefs = re.findall(r'href="(.*?)"', (root / "sitemap.xml").read_text())
    assert sorted(set(hrefs)) == locs(root)


def test_a_page_that_does_not_name_itself_is_added(site: Site) -> None:
    both = {
        "de/index.html": alternates(("fr", "/fr/")),
        "fr/index.html": alternates(("de", "/de/")),
    }
    root = site(both)
    assert build(root, hreflang=True).warnings == ()
    text = (root / "sitemap.xml").read_text()
    for language in ("de", "fr"):
        assert text.count(f'hreflang="{language}" href="{BASE}{language}/"') == 2


def test_a_feed_is_no_language(site: Site) -> None:
    feed = alternates(("de", "/rss.xml")).replace("<link", '<link type="application/rss+xml"')
    root = site({"a.html": feed})
    assert build(root, hreflang=True).warnings == ()
    assert "xhtml:link" not in (root / "sitemap.xml").read_text()
