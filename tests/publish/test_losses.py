"""What stops a run: a sitemap that would lose most of its pages, or all of them."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest
from support import BASE, NOW, Run, Site, asking, build, locs, settings, write_site
from support.heads import NOINDEX, canonical
from support.ledger import page

import sitemapper
from sitemapper import SitemapperError
from sitemapper.model import Batch
from sitemapper.read import walk


@pytest.mark.parametrize(
    ("left", "max_drop", "fits"), [(3, 70, True), (3, 69, False), (10, 0, True), (9, 0, False)]
)
def test_max_drop_is_exact(site: Site, left: int, max_drop: float, fits: bool) -> None:
    root = site({f"{n}.html": "" for n in range(10)})
    build(root)
    for n in range(left, 10):
        (root / f"{n}.html").unlink()
    if fits:
        assert build(root, max_drop=max_drop).listed == left
    else:
        with pytest.raises(SitemapperError, match="would lose more than"):
            build(root, max_drop=max_drop)


@pytest.mark.parametrize(("index", "left"), [("auto", []), ("always", [f"{BASE}sitemap-1.xml"])])
def test_an_empty_sitemap_replaces_a_good_one_only_if_it_may(
    site: Site, index: str, left: list[str]
) -> None:
    root = site({"a.html": ""})
    build(root)
    good = (root / "sitemap.xml").read_bytes()
    with pytest.raises(SitemapperError, match=r"no page to list \(excluded: 1 ignored; --dry-run"):
        build(root, ignore=["*.html"])
    assert (root / "sitemap.xml").read_bytes() == good
    allowed = settings(root, ignore=["*.html"], sitemap={"index": index})
    assert sitemapper.build(asking(allowed, allow_empty=True), now=NOW).listed == 0
    assert locs(root) == left


def test_the_flag_allows_an_empty_sitemap_and_the_key_does_not(
    site: Site, run: Run, tmp_path: Path
) -> None:
    root = site({"index.html": "", "a.html": ""})
    command = ("build", root, "--base-url", BASE)
    assert run(*command) == 0
    (tmp_path / "sitemapper.toml").write_text("max_drop = 100\n")
    assert run(*command, "--ignore", "*.html") == 2
    assert "--max-drop 100 publishes an empty sitemap\n" in run.err
    assert run(*command, "--ignore", "*.html", "--max-drop", "99") == 2
    assert run(*command, "--ignore", "*.html", "--max-drop", "100") == 0
    assert locs(root) == []


@pytest.mark.parametrize("max_urls", [50_000, 3])
def test_too_many_lost_pages_stop_the_run(site: Site, max_urls: int) -> None:
    root = site({f"{n}.html": "" for n in range(10)})
    assert build(root, sitemap={"max_urls": max_urls}).previous is None
    for n in range(6):
        (root / f"{n}.html").unlink()
    with pytest.raises(
        SitemapperError,
        match=f"6 published URLs are gone: {BASE}0.html, {BASE}1.html, {BASE}2.html and 3 more. The "
        "sitemap would lose more than 50% of its 10 URLs, so nothing was published",
    ):
        build(root, sitemap={"max_urls": max_urls})
    with pytest.raises(SitemapperError, match="--max-drop"):
        build(root, dry_run=True)
    assert build(root, max_drop=60).previous == 10


TYPO = "https://exmaple.dev/"


def test_another_host_for_most_pages_stops_the_run(site: Site, run: Run) -> None:
    root = site({f"{n}.html": "<p>" for n in range(4)})
    assert run("build", root, "--base-url", "https://pots.dev/") == 0
    published = (root / "sitemap.xml").read_bytes()
    assert run("build", root, "--base-url", TYPO) == 2
    assert (
        "the host in base_url is exmaple.dev, but 4 of the 4 published URLs are on pots.dev"
        in run.err
    )
    assert "--max-drop 100" in run.err and "--previous none" in run.err
    assert (root / "sitemap.xml").read_bytes() == published
    assert run("check", root, "--base-url", TYPO) == 2
    assert run("build", root, "--base-url", TYPO, "--output", root.parent / "other") == 0
    assert run("build", root, "--base-url", TYPO, "--max-drop", 100) == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://www.pots.dev/", "https://pots.dev/"),
        ("http://pots.dev:8080/", "https://pots.dev/"),
        ("https://deploy-preview-1--pots.netlify.app/", "https://pots.dev/"),
        ("https://example.com/", "https://pots.dev/"),
    ],
)
def test_the_host_may_change_from_one_that_no_site_has(
    site: Site, run: Run, before: str, after: str
) -> None:
    root = site({"a.html": "<p>", "b.html": "<p>"})
    assert run("build", root, "--base-url", before) == 0
    assert run("build", root, "--base-url", after) == 0


def test_pages_below_an_unreadable_folder_are_not_lost(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site({f"{name}.html": "<p>" for name in ("index", "blog/a", "blog/b", *"cdefghijk")})
    build = ("build", root, "--base-url", BASE)
    with monkeypatch.context() as patch:
        make_unreadable(patch, "blog")
        for _ in range(2):
            assert run(*build) == 0
            assert "warning: " in run.err
    assert run(*build) == 0
    published = (root / "sitemap.xml").read_bytes()
    make_unreadable(monkeypatch, "blog")
    assert run(*build) == 2
    assert "blog/: cannot be read (Permission denied), and 2 published URLs are below it" in run.err
    assert 'ignore = ["/blog/"]' in run.err
    assert (root / "sitemap.xml").read_bytes() == published
    assert run(*build, "--max-drop", 100, "-v") == 0
    assert "lost" not in run.out + run.err
    assert "Permission denied" in run.out + run.err


def make_unreadable(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The system refuses to list one folder. The user of the tests may read all of them."""
    ordinary = walk._read_directory

    def refuse(site: walk.SiteRoot, folder: str, place: str | int) -> list[Batch | str]:
        if folder == f"{name}/":
            raise PermissionError(errno.EACCES, "Permission denied")
        return ordinary(site, folder, place)

    monkeypatch.setattr(walk, "_read_directory", refuse)


def test_the_home_page_is_required_where_it_was_published(site: Site, run: Run) -> None:
    root = site({"index.html": "<p>", **{f"{n}.html": "<p>" for n in range(9)}})
    build = ("build", root, "--base-url", BASE)
    assert run(*build) == 0
    (root / "index.html").unlink()
    assert run(*build) == 2
    assert f"the home page {BASE} was listed before and is gone now" in run.err
    assert run(*build, "--max-drop", 100, "--dry-run") == 0


def test_a_missing_required_page_stops_the_build(site: Site, run: Run) -> None:
    root = site({"a.html": "<p>", "b.html": NOINDEX})
    (root.parent / "sitemapper.toml").write_text('[check]\nrequired = ["/b.html", "/a.html"]\n')
    assert run("build", root, "--base-url", BASE) == 2
    assert f"[check] required: {BASE}b.html: noindex (b.html" in run.err
    assert not (root / "sitemap.xml").exists()
    (root / "b.html").write_text("<p>")
    assert run("build", root, "--base-url", BASE) == 0


def test_a_program_is_told_from_an_empty_folder(site: Site) -> None:
    root = site({"style.css": ""})
    with pytest.raises(SitemapperError, match="there is no HTML here"):
        build(root)
    (root / "index.php").write_text("<?php")
    with pytest.raises(SitemapperError, match=r"index\.php is a program, .* --include index\.php"):
        build(root)
    assert build(root, include=["index.php"]).listed == 1


def test_new_urls_do_not_make_up_for_those_that_are_gone(site: Site) -> None:
    root = site({f"old/{n}.html": "" for n in range(10)})
    build(root)
    shutil.rmtree(root / "old")
    write_site(root, {f"new/{n}.html": "" for n in range(10)})
    with pytest.raises(SitemapperError, match="10 published URLs are gone"):
        build(root)
    assert build(root, max_drop=100).listed == 10


def test_a_url_that_the_host_redirects_is_no_loss(site: Site) -> None:
    """Netlify redirects where no file is."""
    root = site({"a.html": "", "b.html": "", "_redirects": "/b /a 301\n/b.html /a 301\n"})
    build(root, host="netlify")
    (root / "b.html").write_text(NOINDEX)
    with pytest.raises(SitemapperError, match="1 published URL is gone"):
        build(root, host="netlify", max_drop=0)
    (root / "b.html").unlink()
    assert build(root, host="netlify", max_drop=0).listed == 1


def test_a_url_that_one_rule_for_all_redirects_is_a_loss(site: Site) -> None:
    root = site({f"{name}.html": "" for name in ("index", *"abcdef")})
    build(root, host="netlify")
    for name in "abcde":
        (root / f"{name}.html").unlink()
    for rule in ("/* / 301", "/* https://new.example/:splat 301"):
        write_site(root, {"_redirects": f"{rule}\n"})
        with pytest.raises(SitemapperError, match="5 published URLs are gone"):
            build(root, host="netlify")
    write_site(root, {"_redirects": "/a.html / 301\n/b.html / 301\n/c.html / 301\n/* / 301\n"})
    assert build(root, host="netlify").listed == 2


def test_a_ledger_of_pages_in_another_form_is_that_of_this_site(site: Site) -> None:
    names = "abcdefgh"
    root = site({f"{name}/index.html": page(name) for name in names} | {"index.html": ""})
    write_site(root.parent, {"wrangler.toml": '[assets]\ndirectory = "public"\n'})
    build(root, lastmod=["ledger"])
    for name in names:
        (root / name / "index.html").rename(root / f"{name}.html")
        (root / name).rmdir()
    summary = build(root, lastmod=["ledger"])
    assert summary.listed == 9 and all(gone.is_same_page for gone in summary.gone)


def test_a_loss_of_pages_that_moved_says_how_to_see_where(site: Site) -> None:
    pages = {f"old/{name}.html": page(name, f"{name} is here. " * 20) for name in "abc"}
    root = site({"index.html": "", **pages})
    build(root, lastmod=["ledger"])
    (root / "old").rename(root / "new")
    with pytest.raises(SitemapperError, match="shows where 3 pages have moved"):
        build(root, lastmod=["ledger"])


ELSEWHERE = {name: canonical(f"https://www.tea.test/{name}") for name in ("index.html", "a.html")}


def test_where_all_canonicals_name_another_site_the_error_names_it(site: Site, run: Run) -> None:
    """Another scheme or `www.` is no other base URL, but another address."""
    assert run("build", site(ELSEWHERE), "--base-url", "https://tea.test/") == 2
    assert run.err.endswith(
        "no page to list (excluded: 2 canonical elsewhere; --dry-run --excluded - lists them), so nothing was "
        "published\n  help: correct base_url, or build the site again for it: canonicals name https://www.tea.test; "
        "--max-drop 100 publishes an empty sitemap\n"
    )
