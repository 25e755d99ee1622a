"""Whole texts of each command, as a person reads them in a pipe. `make snapshots` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, write_site
from support.heads import canonical, refresh
from support.ledger import page
from support.sitemaps import LOC, urlset
from support.snapshots import plain, snapshot

NOINDEX = '<meta name="robots" content="noindex">'
SITE = ("public", "--base-url", BASE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = {
        "index.html": page("home"),
        "404.html": "",
        "a.html": page("a"),
        "b.html": page("b") + NOINDEX,
        "c.html": canonical("/a.html"),
        "d.html": refresh("0; url=/a.html"),
        "drafts/x.html": page("x"),
    }
    write_site(tmp_path / "public", pages)
    return tmp_path


@pytest.mark.parametrize("sources", [["ledger"], ["page", "mtime"]])
def test_a_build_that_lists_nothing_misses_no_dates(
    tmp_path: Path, run: Run, sources: list[str]
) -> None:
    write_site(tmp_path / "public", {"index.html": NOINDEX})
    flags = [part for source in sources for part in ("--lastmod", source)]
    assert run("build", *SITE, *flags, "--dry-run", "--max-drop", "100") == 0
    assert "dated" not in run.out
    assert "cannot date" not in run.err


def test_the_summary_of_a_build(folder: Path, run: Run) -> None:
    assert run("build", *SITE, "--ignore", "drafts/", "--verbose") == 0
    assert plain(run.out, folder) == snapshot("""\
https://example.com/sitemap.xml
  2 pages listed
  4 excluded (1 ignored, 1 redirect, 1 noindex, 1 canonical elsewhere)
  1 ignored folder not searched
    ignored: 404.html (built-in default: 404.html)
    ignored: drafts/ (--ignore: drafts/)
    redirect: d.html: <meta http-equiv="refresh"> to /a.html
    noindex: b.html: <meta name="robots" content="noindex">
    canonical elsewhere: c.html: <link rel="canonical" href="/a.html">
  2 dated by mtime
  created  sitemap.xml  2 URLs
  created  robots.txt
  published, 0.0 s
""")
    assert run("build", *SITE, "--ignore", "drafts/") == 0
    assert plain(run.out, folder) == snapshot("""\
https://example.com/sitemap.xml
  2 pages listed
  4 excluded (1 ignored, 1 redirect, 1 noindex, 1 canonical elsewhere)
  2 dated by mtime
  kept     sitemap.xml  2 URLs
  kept     robots.txt
  nothing to do, 0.0 s
""")


def test_check_of_a_site_without_a_sitemap(folder: Path, run: Run) -> None:
    assert run("check", *SITE) == 1
    assert plain(run.out, folder) == snapshot("""\
https://example.com/sitemap.xml
  3 pages listed
  4 excluded (1 ignored, 1 redirect, 1 noindex, 1 canonical elsewhere)
  3 dated by mtime
+ https://example.com/  2026-01-02T03:04:05+00:00
+ https://example.com/a.html  2026-01-02T05:04:05+00:00
+ https://example.com/drafts/x.html  2026-01-02T09:04:05+00:00
  would be created sitemap.xml  3 URLs
  would be created robots.txt with the line “Sitemap: https://example.com/sitemap.xml”
  differs from what a build would write now, 0.0 s
""")


def test_explain_a_page_that_is_listed_and_one_that_is_not(folder: Path, run: Run) -> None:
    assert run("explain", "a.html", "--site", *SITE) == 0
    assert plain(run.out, folder) == snapshot("""\
a.html is listed
  loc         https://example.com/a.html  (url_style directory)
  lastmod     2026-01-02T05:04:05+00:00  (mtime)
  published   not yet
""")
    assert run("explain", "c.html", "--site", *SITE) == 0
    assert plain(run.out, folder) == snapshot("""\
c.html is not listed: canonical elsewhere
  decided by  c.html: <link rel="canonical" href="/a.html">
""")


def test_findings_of_validate(folder: Path, run: Run) -> None:
    (folder / "s.xml").write_text(urlset(f"{LOC}<lastmod>tomorrow</lastmod>", "<loc>/a</loc>", LOC))
    assert run("validate", "s.xml") == 1
    assert plain(run.out, folder) == snapshot("""\
s.xml:3: SM203 error: lastmod 'tomorrow' is not a W3C Datetime such as 2026-03-01T12:00:00+00:00
s.xml:4: SM301 error: '/a' is not an absolute http or https URL
s.xml:5: SM307 warning: https://example.com/ is already in line 3
docs/rules.md explains the rules and how to fix the findings
2 errors, 1 warning in 1 file, 3 entries
""")


def test_errors_say_what_is_wrong_and_what_to_do(folder: Path, run: Run) -> None:
    assert run("build", "public") == 2
    assert plain(run.err, folder) == snapshot("""\
error: no base URL: no setting, CNAME, package.json, builder's environment, canonical, og:url or sitemap names one
  help: pass --base-url https://example.com/, or set base_url in sitemapper.toml
""")
    assert run("build", "gone", "--base-url", BASE) == 2
    assert plain(run.err, folder) == snapshot("""\
error: gone: does not exist
  help: build the site first, or correct the path
""")
    assert run("build", *SITE, "--ignore", "*") == 2
    assert plain(run.err, folder) == snapshot("""\
error: public: no page to list (excluded: 6 ignored, 1 ignored folder not searched; --dry-run --excluded - lists them), so nothing was published
  help: check the folder, `include` and `ignore`; --max-drop 100 publishes an empty sitemap
""")
    (folder / "sitemapper.toml").write_text('base_ulr = "x"\nmax_drop = 150\n')
    assert run("build", "public") == 2
    assert plain(run.err, folder) == snapshot("""\
error: sitemapper.toml:1: base_ulr: unknown key
  help: did you mean 'base_url'?
error: sitemapper.toml:2: max_drop: must be less than or equal to 100, not 150
""")
