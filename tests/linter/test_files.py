"""Which files `validate` looks at, and what an index, robots.txt and others say of each other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, Run, write_site
from support.sitemaps import LOC, index, locs, urlset


def test_robots_txt_beside_a_sitemap_counts_however_it_is_named(run: Run, tmp_path: Path) -> None:
    """Also for a URL in another spelling."""
    robots = f"User-agent: *\nDisallow: /b\nSitemap: {BASE}s.xml"
    write_site(tmp_path, {"robots.txt": robots, "s.xml": locs(f"{BASE}b", f"{BASE}%62/c")})
    for path in (".", "robots.txt", "s.xml"):
        assert run("validate", path) == 1
        for url in ("b", "%62/c"):
            said = f"SM406 error: {BASE}{url} is disallowed by robots.txt:2: Disallow: /b"
            assert said in run.out


def test_an_index_that_names_itself_is_found(run: Run, tmp_path: Path) -> None:
    (tmp_path / "i.xml").write_text(index(f"<loc>{BASE}i.xml</loc>"))
    assert run("validate", "i.xml") == 1
    assert run.out.startswith(f"i.xml:3: SM402 error: {BASE}i.xml is itself an index\n")


def test_a_url_of_an_index_means_one_file_only(run: Run, tmp_path: Path) -> None:
    """A query is another document, and what is cut off one URL is cut off all."""
    tree = {
        "sitemap.xml": index(
            f"<loc>{BASE}s-1.xml</loc>",
            f"<loc>{BASE}de/s-1.xml</loc>",
            f"<loc>{BASE}sitemap.xml?page=1</loc>",
        ),
        "s-1.xml": locs(BASE),
    }
    write_site(tmp_path / "site", tree)
    assert run("validate", "site") == 1
    assert [line.split(": ", 2)[1:] for line in run.out.splitlines()[:-2]] == [
        ["SM401 error", f"{BASE}de/s-1.xml: no such file beside the index"]
    ]


@pytest.mark.parametrize(
    "loc", ["s-1.xml", "https://Example.com/s-1.xml", "HTTPS://example.com:443/s-1.xml"]
)
def test_an_index_in_another_spelling_gives_its_sitemaps_no_other_scope(
    run: Run, tmp_path: Path, loc: str
) -> None:
    write_site(
        tmp_path / "site", {"i.xml": index(f"<loc>{loc}</loc>"), "s-1.xml": locs(f"{BASE}a")}
    )
    run("validate", "site")
    assert "SM306" not in run.out


def test_the_order_of_arguments_changes_nothing(run: Run, tmp_path: Path) -> None:
    index_of = index(f"<loc>{BASE}a/s.xml</loc>")
    write_site(tmp_path, {"i.xml": index_of, "a/s.xml": urlset(LOC, "<loc>/b</loc>")})
    assert run("validate", "a/s.xml", "i.xml") == 1
    first = run.out
    assert run("validate", "i.xml", "a/s.xml") == 1
    assert run.out == first
    assert "SM306" in first and "SM301" in first


@pytest.mark.parametrize("names", [("i.xml", "a/s.xml"), ("a/s.xml", "i.xml")])
def test_what_robots_and_an_index_say_of_a_sitemap_is_put_together(
    run: Run, tmp_path: Path, names: tuple[str, str]
) -> None:
    """robots.txt may name a sitemap of any folder, whatever the index says."""
    tree = {
        "robots.txt": "".join(f"Sitemap: {BASE}{name}\n" for name in names),
        "i.xml": index(f"<loc>{BASE}a/s.xml</loc>"),
        "a/s.xml": urlset(LOC),
    }
    write_site(tmp_path / "site", tree)
    assert run("validate", "site", "--strict") == 0
    assert "SM306" not in run.out


def test_a_folder_passes_over_no_broken_sitemap(run: Run, tmp_path: Path) -> None:
    broken = {
        "page-sitemap.xml": "<!DOCTYPE html>",
        "sitemap.xml": "<urlst/>",
        "sitemap-2.xml": "",
        "feed.xml": "<rss/>",
    }
    write_site(tmp_path / "site", broken)
    assert run("validate", "site") == 1
    assert [line.split(":")[0] for line in run.out.splitlines()[:3]] == [
        os.path.join("site", name) for name in ("page-sitemap.xml", "sitemap-2.xml", "sitemap.xml")
    ]


def test_validate_follows_no_link_out_of_a_folder(run: Run, tmp_path: Path) -> None:
    files = {
        "secret": "one:two\n",
        "site/i.xml": index(f"<loc>{BASE}s.xml</loc>"),
        "site/a.xml": locs(f"{BASE}b"),
    }
    write_site(tmp_path, files | {"rules": "User-agent: *\nDisallow: /b # secret"})
    os.symlink(tmp_path / "rules", tmp_path / "site/robots.txt")
    os.symlink(tmp_path / "secret", tmp_path / "site/s.xml")
    os.symlink(tmp_path / "secret", tmp_path / "site/sitemap.txt")
    assert run("validate", "site") == 1
    assert "two" not in run.out and "secret" not in run.out
    assert "SM401" in run.out and "SM406" not in run.out
    assert run("validate", "site/sitemap.txt") == 1  # what the user names is read
    assert "two" in run.out


def test_a_comment_about_an_index_makes_no_index(run: Run, tmp_path: Path) -> None:
    child = locs(BASE).replace("<urlset", "<!-- part of <sitemapindex> --><urlset")
    write_site(tmp_path / "site", {"i.xml": index(f"<loc>{BASE}s.xml</loc>"), "s.xml": child})
    assert run("validate", "site") == 0


def test_a_folder_without_a_sitemap_is_not_called_faultless(run: Run, tmp_path: Path) -> None:
    write_site(tmp_path / "site", {"a.html": "<p>"})
    none = "error: site: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt)"
    help = "\n  help: pass the sitemap's folder\n"
    assert run("validate", "site") == 2
    assert run.err == f"{none} and no robots.txt{help}"
    write_site(tmp_path / "site", {"robots.txt": "User-agent: *\n"})
    assert run("validate", "site") == 2
    assert (run.out, run.err) == ("", f"{none}, and its robots.txt lists none{help}")
    write_site(tmp_path / "site", {"robots.txt": f"Sitemap: {BASE}gone.xml\n"})
    assert run("validate", "site") == 0
    assert run.out.startswith("site/robots.txt:1: SM405 warning: ".replace("/", os.sep))


def test_a_feed_is_no_sitemap(run: Run, tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_text('<rss version="2.0"><channel/></rss>')
    assert run("validate", "feed.xml") == 1
    assert run.out.startswith("feed.xml:1: SM103 error: <rss> is not urlset or sitemapindex\n")
