"""`explain` answers for one page what a build would do, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, paths
from support.heads import NOINDEX


@pytest.fixture
def small(site: Site, tmp_path: Path) -> Path:
    (tmp_path / "sitemapper.toml").write_text(
        'base_url = "https://example.com/"\nsite = "public"\nignore = ["drafts/"]\n'
        '[[rules]]\nmatch = ["blog/"]\nchangefreq = "weekly"\npriority = 0.8\n'
        '[[urls]]\nloc = "https://example.com/app/"\npriority = 1\n'
    )
    return site(
        {
            "index.html": "",
            "blog/a.html": "",
            "drafts/b.html": "",
            "thanks.html": NOINDEX,
            "x.png": "",
        }
    )


@pytest.mark.parametrize("target", ["blog/a.html", "public/blog/a.html", f"{BASE}blog/a.html", "/blog/a.html", "./blog/a.html", "blog/../blog/a.html", "blog//a.html"])  # fmt: skip
def test_a_listed_page(small: Path, run: Run, target: str) -> None:
    build(small)
    assert run("explain", target) == 0
    assert run.out == (
        "blog/a.html is listed\n"
        "  loc         https://example.com/blog/a.html  (url_style directory)\n"
        "  lastmod     2026-01-02T04:04:05+00:00  (mtime)\n"
        "  changefreq  weekly  (sitemapper.toml:4: blog/)\n"
        "  priority    0.8  (sitemapper.toml:4: blog/)\n"
        "  published   in sitemap.xml\n"
    )


@pytest.mark.parametrize("target", ["public/blog/", "public/blog", "blog/", "/blog/", "public//blog/", f"{BASE}blog/"])  # fmt: skip
def test_a_folder_means_its_index_page(small: Path, run: Run, target: str) -> None:
    (small / "blog" / "index.html").write_text("<p>Blog")
    assert run("explain", target) == 0
    assert run.out.startswith("blog/index.html is listed\n")


@pytest.mark.parametrize(
    "target",
    ["public/none/", "../public/", "https://[", "https://[::1/a.html", "http://[bad]/a.html", "//[x"],
)  # fmt: skip
def test_a_folder_without_an_index_page_and_a_broken_url_are_no_pages(
    small: Path, run: Run, target: str
) -> None:
    assert run("explain", target) == 2
    assert f"{target}: no page of " in run.err


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("thanks.html", 'thanks.html is not listed: noindex\n  decided by  thanks.html: <meta name="robots" content="noindex">\n'),
        ("drafts/b.html", "drafts/b.html is not listed: ignored (the folder drafts/)\n  decided by  sitemapper.toml:3: drafts/\n"),
        (f"{BASE}drafts/b.html", "drafts/b.html is not listed: ignored (the folder drafts/)\n  decided by  sitemapper.toml:3: drafts/\n"),
        *((target, "drafts/ is not listed: ignored (the folder drafts/)\n  decided by  sitemapper.toml:3: drafts/\n") for target in ("drafts/", "drafts", f"{BASE}drafts/")),
        ("x.png", "x.png is not listed: ignored\n  decided by  include: no pattern matches\n"),
        *((target, f"index.html is listed\n  loc         {BASE}  (url_style directory)\n  lastmod     2026-01-02T03:04:05+00:00  (mtime)\n  published   not yet\n") for target in ("public/", BASE)),
        (f"{BASE}app/", f"{BASE}app/ is listed\n  loc         {BASE}app/  (sitemapper.toml:8)\n  priority    1.0  (sitemapper.toml:8)\n  published   not yet\n"),

    ],
)  # fmt: skip
def test_answers(small: Path, run: Run, target: str, said: str) -> None:
    assert run("explain", target) == 0
    assert run.out == said


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("BLOG/AA.html", "blog/a.html"), ("abuot", "about/index.html"), ("404.htm", "404.html")],
)
def test_a_suggestion_may_be_a_folder_or_an_excluded_page_in_any_case(
    site: Site, run: Run, typed: str, meant: str
) -> None:
    root = site({"blog/a.html": "", "about/index.html": "", "404.html": ""})
    assert run("explain", typed, "--site", root, "--base-url", BASE) == 2
    assert f"help: did you mean {meant}" in run.err


@pytest.mark.parametrize(
    "url",
    ["https://www.example.com/blog/a.html", "https://www.example.com?a", "//www.example.com#a"],
)
def test_a_url_of_another_host_is_told_so(small: Path, run: Run, url: str) -> None:
    assert run("explain", url) == 2
    assert "help: www.example.com is not the host of base_url, example.com\n" in run.err


def test_a_url_in_a_query_is_no_host(small: Path, run: Run) -> None:
    assert run("explain", "x?u=http://www.example.com/") == 2
    assert "is not the host" not in run.err


def test_json(small: Path, run: Run) -> None:
    assert run("explain", "thanks.html", "--format", "json") == 0
    assert json.loads(run.out) == {
        "version": 1,
        "path": "thanks.html",
        "listed": False,
        "reason": "noindex",
        "origin": 'thanks.html: <meta name="robots" content="noindex">',
        "values": {},
        "warnings": [],
    }
    assert run("explain", "index.html", "--format", "json") == 0
    assert json.loads(run.out)["values"]["loc"] == {"value": BASE, "origin": "url_style directory"}


def test_an_index_page_behind_another_has_its_full_url(site: Site, run: Run) -> None:
    root = site({"a/index.html": "", "a/index.htm": ""})
    assert run("explain", "a/index.htm", "--site", root, "--base-url", BASE) == 0
    assert "  loc         https://example.com/a/index.htm  (url_style directory)\n" in run.out


def test_an_extra_url_beside_a_page_is_explained_itself(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"index.html": "", "app.html": ""})
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\n[[urls]]\nloc = "{BASE}app"\n'
    )
    assert run("build") == 0
    assert paths(root) == ["", "app.html", "app"]
    assert run("explain", f"{BASE}app") == 0
    assert f"loc         {BASE}app  (sitemapper.toml:3" in run.out
    assert run("explain", f"{BASE}app.html") == 0
    assert f"loc         {BASE}app.html" in run.out
    assert run("explain", "app.html") == 0
    assert f"loc         {BASE}app.html" in run.out


def test_a_path_on_the_host_counts_below_a_base_with_a_path(site: Site, run: Run) -> None:
    """As a person copies it from the address bar. A path in the site comes first."""
    root = site({"a/index.html": "", "blog/b.html": ""})
    for target, url in (
        ("/blog/a/", "https://example.com/blog/a/"),
        ("/a/", "https://example.com/blog/a/"),
        ("/blog/b.html", "https://example.com/blog/blog/b.html"),
    ):
        assert (
            run("explain", target, "--site", root, "--base-url", "https://example.com/blog/") == 0
        )
        assert url in run.out
