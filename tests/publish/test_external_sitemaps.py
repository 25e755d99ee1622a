"""`[sitemap] others`: the index also names sitemaps that other tools wrote on the same host."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, changed, locs
from support.sitemaps import LOC, index, urlset

from sitemapper import SitemapperError

DATED = urlset(
    f"{LOC}<lastmod>2025-03-01</lastmod>", f"<loc>{BASE}b</loc><lastmod>2025-04-01</lastmod>", LOC
)


def others(*names: str) -> dict[str, list[str]]:
    return {"others": list(names)}


def test_the_index_names_sitemaps_of_other_tools(site: Site) -> None:
    root = site({"index.html": "", "docs/sitemap.xml": DATED, "plain.txt": BASE})
    chosen = others("docs/sitemap.xml", f"{BASE}shop/sitemap.xml", "plain.txt")
    assert changed(build(root, sitemap=chosen)) == {
        "sitemap-1.xml": "created",
        "sitemap.xml": "created",
        "robots.txt": "created",
    }
    rows = (root / "sitemap.xml").read_text().splitlines()[3:]
    assert rows == [
        f"<sitemap><loc>{BASE}sitemap-1.xml</loc><lastmod>2026-01-02T03:04:05+00:00</lastmod></sitemap>",
        "<!-- sitemaps of other tools -->",
        f"<sitemap><loc>{BASE}docs/sitemap.xml</loc><lastmod>2025-04-01</lastmod></sitemap>",
        f"<sitemap><loc>{BASE}shop/sitemap.xml</loc></sitemap>",
        f"<sitemap><loc>{BASE}plain.txt</loc></sitemap>",
        "</sitemapindex>",
    ]
    assert (root / "robots.txt").read_text() == f"Sitemap: {BASE}sitemap.xml\n"
    assert set(changed(build(root, sitemap=chosen)).values()) == {"kept"}


def test_an_index_is_replaced_by_the_sitemaps_that_it_names(site: Site) -> None:
    entries = (
        f"<loc>{BASE}docs/sitemap-1.xml</loc><lastmod>2025-05-01</lastmod>",
        f"<loc>{BASE}docs/ü.xml</loc>",
    )
    root = site({"index.html": ""})
    (root / "docs").mkdir()
    (root / "docs/sitemap.xml.gz").write_bytes(gzip.compress(index(*entries).encode()))
    build(root, sitemap=others(f"{BASE}docs/sitemap.xml.gz"))
    assert locs(root) == [
        f"{BASE}sitemap-1.xml",
        f"{BASE}docs/sitemap-1.xml",
        f"{BASE}docs/%C3%BC.xml",
    ]
    assert (
        f"{BASE}docs/sitemap-1.xml</loc><lastmod>2025-05-01</lastmod>"
        in (root / "sitemap.xml").read_text()
    )


def test_two_builds_into_one_folder_share_an_index(site: Site) -> None:
    root = site({"index.html": "", "docs/a.html": "", "docs/b.html": ""})
    build(root, sitemap={"name": "sitemap-docs.xml"}, include=["docs/*"], robots={"write": False})
    mine = {"sitemap": others("sitemap-docs.xml"), "ignore": ["docs/"]}
    first = build(root, **mine)
    assert first.previous is None
    assert "LEFT" not in [caution.name for caution, *_ in first.warnings]
    assert build(root, **mine).previous == 1
    # What an index names that is ours, and is configured no more, is removed: this file is not ours.
    assert "sitemap-docs.xml" not in changed(build(root, ignore=["docs/"]))
    assert (root / "sitemap-docs.xml").exists()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("docs/sitemap.xml", "public/docs/sitemap.xml: no such file, see `others` under"),
        ("empty.xml", "public/empty.xml:1: "),
        ("https://other.example/sitemap.xml", "https://other.example/sitemap.xml is not below https://example.com/"),
        ("http://example.com/sitemap.xml", "is not below"),
        ("mailto:x", "is not below"),
        ("away.xml", "public/away.xml:3: 'http://localhost:3000/1.xml' is not below https://example.com/"),
        ("nothing.xml", "public/nothing.xml:3: '' is not below"),
        ("sitemap.xml", "is a name of this sitemap's own files"),
        ("./sitemap-2.xml", "is a name of this sitemap's own files"),
        ("sitemap-blog.xml", "is a name of this sitemap's own files"),
    ],
)  # fmt: skip
def test_what_cannot_be_named(other: str, said: str, site: Site, run: Run, tmp_path: Path) -> None:
    away = index("\n<loc>http://localhost:3000/1.xml</loc>")
    root = site(
        {"index.html": "", "empty.xml": "<!-- -->", "away.xml": away, "nothing.xml": index("\n")}
    )
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\n[sitemap]\nothers = ["{other}"]\n'
        '[[sitemaps]]\nname = "blog"\nmatch = ["blog/"]\n'
    )
    assert run("build") == 2
    assert said in run.err and "help: " in run.err
    assert not (root / "sitemap.xml").exists()


def test_too_many_sitemaps_for_one_index(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemapper.publish.shards.MAX_URLS", 3)
    many = index(*(f"<loc>{BASE}docs/{n}.xml</loc>" for n in range(3)))
    root = site({"index.html": "", "docs/sitemap.xml": many})
    with pytest.raises(SitemapperError, match="needs 4 sitemaps"):
        build(root, sitemap=others("docs/sitemap.xml"))
