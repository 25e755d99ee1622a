"""Where a sitemap and the pages disagree: `check --against`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, MTIME, NOW, settings, write_site
from support.findings import codes
from support.sitemaps import LOC, urlset

from sitemapper.commands.compare import compare
from sitemapper.linter import Finding

PAGE = "<html><head></head><body>text"


NOINDEX = '<html><head><meta name="robots" content="noindex"></head>'


MOVED = '<html><head><meta http-equiv="refresh" content="0; url=/"></head>'


ELSEWHERE = f'<html><head><link rel="canonical" href="{BASE}"></head>'


# code: the site, the URLs that its sitemap lists (with dates) wrongly and rightly
HOME = {"index.html": PAGE}


AUDITED: dict[str, tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]] = {
    "SM501": (HOME, ("", "gone/"), ("",)),
    "SM502": (HOME | {"a.html": NOINDEX}, ("", "a.html"), ("",)),
    "SM503": (HOME | {"a.html": MOVED}, ("", "a.html"), ("",)),
    "SM504": (HOME | {"a.html": ELSEWHERE}, ("", "a.html"), ("",)),
    "SM505": (HOME | {"robots.txt": "User-agent: *\nDisallow: /a", "a.html": PAGE}, ("", "a.html"), ("",)),
    "SM506": (HOME | {"404.html": PAGE}, ("", "404.html"), ("",)),
    "SM507": (HOME | {"a.html": PAGE}, ("",), ("", "a.html")),
    "SM508": (HOME | {"a/index.html": PAGE}, ("", "a/index.html"), ("", "a/")),
    "SM509": (HOME, (" 2026-05-01",), (" 2026-01-02",)),
}


def audited(folder: Path, files: dict[str, str], listed: tuple[str, ...]) -> list[Finding]:
    root = write_site(folder / "public", files)
    pairs = [name.partition(" ") for name in listed]
    entries = (
        f"<loc>{BASE}{path}</loc>" + (f"<lastmod>{date}</lastmod>" if date else "") for path, _, date in pairs
    )
    (folder / "theirs.xml").write_text(urlset(*entries))
    return list(compare(settings(root), str(folder / "theirs.xml"), now=NOW, read=lambda *_: None))


def test_every_rule_of_the_family_has_its_cases() -> None:
    assert list(AUDITED) == codes("SM5")


@pytest.mark.parametrize("code", AUDITED)
def test_an_audit_finds_where_sitemap_and_pages_disagree(code: str, tmp_path: Path) -> None:
    files, wrong, right = AUDITED[code]
    (tmp_path / "bad").mkdir()
    (tmp_path / "good").mkdir()
    assert [finding.code for finding in audited(tmp_path / "bad", files, wrong)] == [code]
    assert audited(tmp_path / "good", files, right) == []


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://example.com/", ["SM508"]),
        ("https://example.com", []),
        ("HTTPS://EXAMPLE.com:443/", []),
        ("https://example.com/#top", []),
        ("https://example.com/%61.html", []),
        ("https://example.com/?a=b", ["SM508"]),
        ("/index.html", ["SM301", "SM507"]),
        ("https://example.com/a/../", []),
    ],
)
def test_an_audit_knows_a_page_under_other_forms(url: str, says: list[str], tmp_path: Path) -> None:
    root = write_site(tmp_path / "public", {"a.html" if "61" in url else "index.html": PAGE})
    (tmp_path / "theirs.txt").write_text(url)
    findings = list(compare(settings(root), str(tmp_path / "theirs.txt"), now=NOW, read=lambda *_: None))
    assert [finding.code for finding in findings] == says
    assert all(finding.line == 1 for finding in findings)


def test_an_audit_leaves_urls_to_the_pages_that_own_them(tmp_path: Path) -> None:
    files = {"a.html": PAGE, "a/index.html": PAGE, "b.html": NOINDEX, "b/index.html": PAGE}
    (finding,) = audited(tmp_path, files, ("a/", "b/"))
    assert (finding.code, finding.message) == ("SM507", f"{BASE}a.html: can be indexed, and is not listed")


def test_an_audit_with_an_honest_source_finds_dates_that_miss_a_change(tmp_path: Path) -> None:
    root = write_site(
        tmp_path / "public", {"index.html": '<meta name="dcterms.modified" content="2026-03-01">'}
    )
    theirs = tmp_path / "theirs.xml"
    for date, says in (
        ("2026-01-01", ["SM509"]),
        ("2026-03-01", []),
        ("2026-03-02", []),
        ("2026-04-01", ["SM509"]),
    ):
        theirs.write_text(urlset(f"{LOC}<lastmod>{date}</lastmod>"))
        os.utime(theirs, (MTIME, MTIME))
        given = settings(root, lastmod=["page"])
        assert [f.code for f in compare(given, str(theirs), now=NOW, read=lambda *_: None)] == says
