"""Each rule of `validate` and `check --against`: a sitemap that breaks it, and one that is fine."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from support import BASE, MTIME, NOW, settings, write_site
from support.sitemaps import LOC, index, locs, urlset

from sitemapper.commands.compare import compare
from sitemapper.linter import ALL, Finding, Severity, validate

XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'


IMAGE = 'xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"'


VIDEO = 'xmlns:v="http://www.google.com/schemas/sitemap-video/1.1"'


NEWS = 'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"'


Files = str | bytes | Mapping[str, str | bytes]


def dated(count: int, seconds: int) -> str:
    """So many pages, whose dates are so many seconds apart."""
    times = [
        f"2026-01-{1 + n * seconds // 3600 % 28:02}T{n * seconds % 3600 // 60:02}:00:00Z"
        for n in range(count)
    ]
    return urlset(*(f"<loc>{BASE}{n}</loc><lastmod>{time}</lastmod>" for n, time in enumerate(times)))


def alternates(*languages: str, href: str = BASE) -> str:
    links = "".join(f'<xhtml:link rel="alternate" hreflang="{name}" href="{href}"/>' for name in languages)
    return urlset(LOC + links, spaces=XHTML)


VIDEO_PARTS = "<v:thumbnail_loc>https://example.com/x</v:thumbnail_loc><v:title>x</v:title><v:description>x</v:description>"


NEWS_PARTS = (
    "<n:news><n:publication><n:name>x</n:name><n:language>en</n:language></n:publication>"
    "<n:publication_date>2026-01-01</n:publication_date><n:title>x</n:title></n:news>"
)


DEEP = urlset(LOC + "<x:a>" * 40 + "</x:a>" * 40, spaces='xmlns:x="x"')


ONE = {"a.xml": locs(BASE)}


# code: files (or sitemap.xml) that break the rule, and those that do not
CASES: dict[str, tuple[Files, Files]] = {
    "SM101": ("<urlset><url>&</url></urlset>", urlset(LOC)),
    "SM102": (urlset(LOC).replace("UTF-8", "ISO-8859-1"), urlset(LOC).replace("UTF-8", "utf-8")),
    "SM103": (urlset(LOC).replace("0.9", "9.0"), urlset(LOC)),
    "SM104": (locs(*(f"{BASE}{n}" for n in range(50_001))), locs(*(f"{BASE}{n}" for n in range(50_000)))),
    "SM105": (
        {"sitemap.xml.gz": gzip.compress((urlset(LOC) + " " * 52_428_800).encode())},
        {"sitemap.xml.gz": gzip.compress((urlset(LOC) + " " * 1_000_000).encode())},
    ),
    "SM106": (urlset(), urlset(LOC)),
    "SM107": (f'<!DOCTYPE x [<!ENTITY a "b">]>\n{urlset(LOC)[39:]}', urlset(LOC)),
    "SM108": (DEEP, urlset(LOC + "<x:a><x:b/></x:a>", spaces='xmlns:x="x"')),
    "SM109": (
        {"sitemap.xml.gz": gzip.compress(urlset(LOC).encode())[:-9]},
        {"sitemap.xml.gz": gzip.compress(urlset(LOC).encode())},
    ),
    "SM110": (urlset(f"{LOC}<lastMod>2026-01-01</lastMod>"), urlset(f"{LOC}<lastmod>2026-01-01</lastmod>")),
    "SM201": (urlset("<lastmod>2026-01-01</lastmod>"), urlset(LOC)),
    "SM202": (urlset(LOC + "<priority>0.1</priority>" * 2), urlset(f"{LOC}<priority>0.1</priority>")),
    "SM203": (
        urlset(f"{LOC}<lastmod>2026-01-01T00:00:00</lastmod>"),
        urlset(f"{LOC}<lastmod>2026-01</lastmod>", "<loc>https://example.com/b</loc><lastmod>2026-01-01T00:00:00.5+02:00</lastmod>"),
    ),
    "SM204": (urlset(f"{LOC}<lastmod>2999-01-01</lastmod>"), urlset(f"{LOC}<lastmod>2026-06-01</lastmod>")),
    "SM205": (urlset(f"{LOC}<changefreq>Daily</changefreq>"), urlset(f"{LOC}<changefreq>daily</changefreq>")),
    "SM206": (urlset(f"{LOC}<priority>1.1</priority>"), urlset(f"{LOC}<priority>1.0</priority>")),
    "SM207": (dated(20, 0), dated(20, 3600)),
    "SM208": (urlset(f"<priority>1</priority>{LOC}"), urlset(f"{LOC}<priority>1</priority>")),
    "SM209": (alternates("de_DE"), alternates("de-DE", "x-default", "zh-Hans", "es-419")),
    "SM210": (
        urlset(f"{LOC}<v:video>{VIDEO_PARTS}</v:video>", spaces=VIDEO),
        urlset(
            f"{LOC}<i:image><i:loc>https://example.com/a.png</i:loc></i:image>"
            f"<v:video>{VIDEO_PARTS}<v:content_loc>https://example.com/x</v:content_loc><v:duration>9</v:duration></v:video>{NEWS_PARTS}",
            spaces=f"{IMAGE} {VIDEO} {NEWS}",
        ),
    ),
    "SM211": (
        urlset(*(f"<loc>{BASE}{n}</loc>{NEWS_PARTS}" for n in range(1001)), spaces=NEWS),
        urlset(*(f"<loc>{BASE}{n}</loc>{NEWS_PARTS}" for n in range(1000)), spaces=NEWS),
    ),
    "SM212": (alternates("de", href=f"{BASE}de/"), alternates("de")),
    "SM213": (
        urlset(f"{LOC}<i:image><i:loc>{BASE}a.png</i:loc><i:caption>x</i:caption></i:image>", spaces=IMAGE),
        urlset(f"{LOC}<i:image><i:loc>{BASE}a.png</i:loc></i:image>", spaces=IMAGE),
    ),
    "SM301": (locs("/a/"), locs(BASE)),
    "SM302": (locs(BASE + "a" * 2028), locs(BASE + "a" * 2027)),
    "SM303": (locs(f"{BASE}über uns"), locs(f"{BASE}%C3%BCber%20uns?a=b&amp;c=[d]")),
    "SM304": (locs(f"{BASE}#a"), locs(f"{BASE}%23a")),
    "SM305": (locs(BASE, "http://example.com/b"), locs(BASE, "HTTPS://Example.com/b")),
    "SM306": (
        {"i.xml": index("<loc>https://example.com/a/s.xml</loc>"), "a/s.xml": locs(f"{BASE}b/")},
        {"i.xml": index("<loc>https://example.com/a/s.xml</loc>"), "a/s.xml": locs(f"{BASE}a/b/")},
    ),
    "SM307": (locs(BASE, BASE), locs(BASE, f"{BASE}b")),
    "SM308": (locs(f"{BASE}a;jsessionid=1?b=2"), locs(f"{BASE}sessions?inside=1")),
    "SM401": ({"i.xml": index("<loc>https://example.com/b.xml</loc>")}, {"i.xml": index("<loc>https://example.com/a.xml</loc>"), **ONE}),
    "SM402": (
        {"i.xml": index("<loc>https://example.com/j.xml</loc>"), "j.xml": index("<loc>https://example.com/a.xml</loc>"), **ONE},
        {"i.xml": index("<loc>https://example.com/a.xml</loc>"), **ONE},
    ),
    "SM403": (
        {"i.xml": index(f"<loc>{BASE}a.xml</loc><lastmod>2026-01-01</lastmod>"), "a.xml": urlset(f"{LOC}<lastmod>2026-02-01</lastmod>")},
        {"i.xml": index(f"<loc>{BASE}a.xml</loc><lastmod>2026-02-01</lastmod>"), "a.xml": urlset(f"{LOC}<lastmod>2026-02-01</lastmod>")},
    ),
    "SM404": ({"robots.txt": "Sitemap: /a.xml", **ONE}, {"robots.txt": f"Sitemap: {BASE}a.xml", **ONE}),
    "SM405": ({"robots.txt": f"Sitemap: {BASE}b.xml", **ONE}, {"robots.txt": f"Sitemap: {BASE}a.xml", **ONE}),
    "SM406": (
        {"robots.txt": "User-agent: *\nDisallow: /b/", "a.xml": locs(f"{BASE}b/c")},
        {"robots.txt": "User-agent: x\nDisallow: /", "a.xml": locs(f"{BASE}b/c")},
    ),
}  # fmt: skip


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


def found(folder: Path, files: Files) -> list[Finding]:
    write_site(folder, {"sitemap.xml": files} if isinstance(files, str | bytes) else files)
    return list(validate([str(folder)], now=int(NOW.timestamp())))


def audited(folder: Path, files: dict[str, str], listed: tuple[str, ...]) -> list[Finding]:
    root = write_site(folder / "public", files)
    pairs = [name.partition(" ") for name in listed]
    entries = (
        f"<loc>{BASE}{path}</loc>" + (f"<lastmod>{date}</lastmod>" if date else "") for path, _, date in pairs
    )
    (folder / "theirs.xml").write_text(urlset(*entries))
    return list(compare(settings(root), str(folder / "theirs.xml"), now=NOW, read=lambda *_: None))


def test_every_rule_has_its_cases_and_its_page() -> None:
    assert sorted([*CASES, *AUDITED]) == [rule.code for rule in ALL]
    assert [rule.code for rule in ALL if "\nFix: " not in rule.page or len(rule.page.splitlines()) < 4] == []


SLOW = {"SM104"}  # its files hold 50,000 URLs


@pytest.mark.parametrize("code", [pytest.param(c, marks=[pytest.mark.slow] * (c in SLOW)) for c in CASES])
def test_a_rule_finds_what_breaks_it_and_nothing_else(code: str, tmp_path: Path) -> None:
    bad, good = CASES[code]
    assert code in [finding.code for finding in found(tmp_path / "bad", bad)]
    assert [f for f in found(tmp_path / "good", good) if f.severity is Severity.ERROR or f.code == code] == []


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
