"""Pages that are not files: [[urls]]."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import BASE, POSIX, Run, Site, build, locs, paths, write_site
from support.heads import NOINDEX

from sitemapper import Reason, SitemapperError


@pytest.mark.parametrize("loc", ["docs/../secret", "docs/%2e%2e/secret", "docs/x/../../secret"])
def test_dots_do_not_lead_out_of_the_scope(site: Site, loc: str) -> None:
    with pytest.raises(SitemapperError, match="is outside https://example.com/docs/"):
        build(site({"a.html": ""}), base_url=f"{BASE}docs/", urls=[{"loc": BASE + loc}])


@pytest.mark.parametrize(
    ("canonical", "written", "listed"),
    [
        (None, "c%2B%2B/", ["c++/"]),
        ("/c%2b%2b/", "c%2B+/", ["c%2B%2B/"]),
        (f"http{BASE[5:]}c%2b%2b/", "c++/", ["c%2B%2B/"]),
        (None, "c%252B%252B/", ["c++/", "c%252B%252B/"]),  # a file with percent signs in its name
        (None, "c++/?q=%2B", ["c++/", "c++/?q=%2B"]),
    ],
)
def test_two_spellings_of_one_file_are_one_url(
    canonical: str | None, written: str, listed: list[str], site: Site, tmp_path: Path
) -> None:
    root = site({"c++/index.html": f"<link rel=canonical href={canonical}>" if canonical else ""})
    summary = build(root, urls=[{"loc": BASE + written}])
    assert paths(root) == listed
    assert summary.excluded == ({Reason.DUPLICATE: 1} if len(listed) == 1 else {})


def test_of_two_spellings_the_first_is_kept(site: Site) -> None:
    root = site({"a.html": ""})
    build(root, urls=[{"loc": BASE + path} for path in ("api/c%2b%2B", "api/c++", "api/d")])
    assert paths(root) == ["a.html", "api/c%2B%2B", "api/d"]


def test_explain_knows_an_extra_url_in_any_spelling(site: Site, run: Run) -> None:
    root = site({"a.html": ""})
    (root.parent / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\n[[urls]]\nloc = "{BASE}c%2B%2B"\n'
    )
    assert run("explain", f"{BASE}c++") == 0
    assert run.out.startswith(f"{BASE}c%2B%2B is listed")


def test_sections_take_extra_urls_by_their_path(site: Site) -> None:
    root = site({"a.html": ""})
    extra = [{"loc": f"{BASE}docs/app/x"}, {"loc": f"{BASE}docs/y"}]
    build(root, base_url=f"{BASE}docs/", urls=extra, sitemaps=[{"name": "app", "match": ["/app/"]}])
    assert locs(root, "sitemap-app.xml") == [f"{BASE}docs/app/x"]


def test_a_duplicate_url_that_ends_with_a_slash_is_no_folder(site: Site) -> None:
    summary = build(site({"about/index.html": ""}), urls=[{"loc": f"{BASE}about/"}])
    assert (summary.excluded, summary.pruned) == ({Reason.DUPLICATE: 1}, 0)


def test_an_extra_url_whose_file_excludes_itself_is_left_out(site: Site, run: Run) -> None:
    closed = "User-agent: *\nDisallow: /app\n"
    root = site({"a.html": "", "thanks/index.html": NOINDEX, "robots.txt": closed})
    (root.parent / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\n[[urls]]\nloc = "{BASE}thanks/"\n[[urls]]\nloc = "{BASE}app/"\n'
    )
    summary = build(root)
    assert paths(root) == ["a.html"]
    assert summary.excluded == {Reason.ROBOTS: 1, Reason.NOINDEX: 2}
    assert run("explain", f"{BASE}app/") == 0
    assert run.out.startswith(
        f"{BASE}app/ is not listed: disallowed by robots.txt\n  decided by  robots.txt:2"
    )
    assert run("explain", f"{BASE}thanks/") == 0
    assert "is not listed: noindex" in run.out


@POSIX
def test_no_page_behind_a_link_out_of_the_site_has_a_say(site: Site, tmp_path: Path) -> None:
    """Neither for an extra URL, which stays, nor for an alternate, which cannot be seen to answer."""
    secret = '<meta name=robots content=noindex><link rel=alternate hreflang=en href="/a.html">'
    write_site(tmp_path / "outside", {"secret.html": secret})
    root = site({"a.html": '<link rel=alternate hreflang=de href="/out/secret.html">'})
    (root / "out").symlink_to(tmp_path / "outside")
    summary = build(root, hreflang=True, urls=[{"loc": f"{BASE}out/secret.html"}])
    assert locs(root) == [f"{BASE}a.html", f"{BASE}out/secret.html"]
    assert summary.excluded == {}


def test_extra_urls_come_after_the_pages_sorted_and_once(site: Site) -> None:
    root = site({"about.html": "", "z.html": ""})
    urls = [
        {"loc": "https://example.com/c", "lastmod": "May 2024", "changefreq": "daily", "priority": 0.5},
        {"loc": "http://example.com/b?sid=9"},
        {"loc": "https://example.com/about.html"},
        {"loc": "https://example.com/b"},
        {"loc": "https://example.com/a", "lastmod": datetime(2026, 1, 1, tzinfo=UTC)},
    ]  # fmt: skip
    summary = build(root, urls=urls)
    assert paths(root) == ["about.html", "z.html", "a", "b", "c"]
    assert (
        "<loc>https://example.com/c</loc><lastmod>2024-05</lastmod><changefreq>daily</changefreq><priority>0.5<"
        in (root / "sitemap.xml").read_text()
    )
    assert summary.excluded == {Reason.DUPLICATE: 1}


def test_faults_of_extra_urls_name_file_and_line(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    urls = [f'[[urls]]\nloc = "{loc}"\n' for loc in (f"{BASE}b", "https://other.com/", "/c")]
    (tmp_path / "sitemapper.toml").write_text("".join(urls))
    with pytest.raises(SitemapperError) as caught:
        build(root)
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines() if not line.startswith("help: ")] == [
        "sitemapper.toml:3", "sitemapper.toml:5"
    ]  # fmt: skip
