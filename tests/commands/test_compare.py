"""Where a sitemap and the pages disagree: `check --against`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, MTIME, NOW, settings, write_site
from support.findings import compared
from support.heads import NOINDEX
from support.sitemaps import LOC, urlset

from sitemapper.commands.compare import compare

PAGE = "<html><head></head><body>text"


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
def test_a_page_is_known_under_other_forms_of_its_url(
    url: str, says: list[str], tmp_path: Path
) -> None:
    root = write_site(tmp_path / "public", {"a.html" if "61" in url else "index.html": PAGE})
    (tmp_path / "theirs.txt").write_text(url)
    findings = list(compare(settings(root), str(tmp_path / "theirs.txt"), now=NOW, files=[]))
    assert [finding.code for finding in findings] == says
    assert all(finding.line == 1 for finding in findings)


def test_urls_belong_to_the_pages_that_own_them(tmp_path: Path) -> None:
    files = {"a.html": PAGE, "a/index.html": PAGE, "b.html": NOINDEX, "b/index.html": PAGE}
    (finding,) = compared(tmp_path, files, ("a/", "b/"))
    assert (finding.code, finding.message) == (
        "SM507",
        f"{BASE}a.html: can be indexed, but is not listed",
    )


def test_two_other_urls_of_one_page(tmp_path: Path) -> None:
    findings = compared(tmp_path, {"index.html": PAGE, "b.html": PAGE}, ("", "b", "b/"))
    says = f"the site's form is {BASE}b.html"
    assert [(finding.code, finding.message) for finding in findings] == [
        ("SM508", f"{BASE}b: {says}"),
        ("SM508", f"{BASE}b/: {says}"),
    ]


def test_a_page_that_is_listed_by_two_urls_is_named_once_more(tmp_path: Path) -> None:
    (finding,) = compared(tmp_path, {"index.html": PAGE}, ("", "index.html"))
    assert (finding.code, finding.message) == ("SM508", f"{BASE}index.html: also listed as {BASE}")


@pytest.mark.parametrize(
    ("date", "says"),
    [("2026-01-01", ["SM509"]), ("2026-03-01", []), ("2026-03-02", []), ("2026-04-01", ["SM509"])],
)
def test_an_honest_source_finds_dates_that_miss_a_change(
    tmp_path: Path, date: str, says: list[str]
) -> None:
    page = '<meta name="dcterms.modified" content="2026-03-01">'
    root = write_site(tmp_path / "public", {"index.html": page})
    theirs = tmp_path / "theirs.xml"
    theirs.write_text(urlset(f"{LOC}<lastmod>{date}</lastmod>"))
    os.utime(theirs, (MTIME, MTIME))
    given = settings(root, lastmod=["page"])
    assert [f.code for f in compare(given, str(theirs), now=NOW, files=[])] == says


def test_the_order_of_the_other_sitemap_does_not_matter(tmp_path: Path) -> None:
    names = [f"{n}.html" for n in range(8)]
    files = dict.fromkeys(names, PAGE) | {"5.html": NOINDEX, "9.html": PAGE}
    listed = [*names, "gone.html"]
    orders = (listed, listed[::-1], listed[3:] + listed[:3])
    found = [
        {(finding.code, finding.message) for finding in compared(tmp_path / str(n), files, order)}
        for n, order in enumerate(orders)
    ]
    assert {code for code, _ in found[0]} == {"SM501", "SM502", "SM507"}
    assert found[0] == found[1] == found[2]
