"""What `validate` finds in files: for each rule, files that break it, and others that do not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support import BASE
from support.findings import Files, assert_rule_tells_apart, codes, findings_in
from support.sitemaps import LOC, index, locs, urlset

DEEP = urlset(LOC + "<x:a>" * 40 + "</x:a>" * 40, spaces='xmlns:x="x"')
ONE = {"a.xml": locs(BASE)}
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'


def dated(count: int, seconds: int) -> str:
    """So many pages, whose dates are so many seconds apart."""
    times = [
        f"2026-01-{1 + n * seconds // 3600 % 28:02}T{n * seconds % 3600 // 60:02}:00:00Z"
        for n in range(count)
    ]
    return urlset(
        *(f"<loc>{BASE}{n}</loc><lastmod>{time}</lastmod>" for n, time in enumerate(times))
    )


def alternates(*languages: str, href: str = BASE, more: str = "") -> str:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{name}" href="{href}"/>' for name in languages
    )
    return urlset(LOC + links + more, spaces=XHTML)


# The same page as AMP, for another device and in apps; none is a language.
OTHER_LINKS = (
    f'<xhtml:link rel="amphtml" href="{BASE}amp/"/>'
    f'<xhtml:link rel="alternate" media="handheld" href="{BASE}m/"/>'
    '<xhtml:link rel="alternate" href="android-app://com.example/https/example.com/"/>'
    '<xhtml:link rel="alternate" href="ios-app://123/example/a"/>'
)

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
    "SM201": (urlset("<lastmod>2026-01-01</lastmod>"), urlset(LOC)),
    "SM203": (
        urlset(f"{LOC}<lastmod>2026-01-01T00:00:00</lastmod>"),
        urlset(f"{LOC}<lastmod>2026-01</lastmod>", "<loc>https://example.com/b</loc><lastmod>2026-01-01T00:00:00.5+02:00</lastmod>"),
    ),
    "SM204": (urlset(f"{LOC}<lastmod>2999-01-01</lastmod>"), urlset(f"{LOC}<lastmod>2026-06-01</lastmod>")),
    "SM205": (urlset(f"{LOC}<changefreq>Daily</changefreq>"), urlset(f"{LOC}<changefreq>daily</changefreq>")),
    "SM206": (urlset(f"{LOC}<priority>1.1</priority>"), urlset(f"{LOC}<priority>1.0</priority>")),
    "SM207": (dated(20, 0), dated(20, 3600)),
    "SM209": (alternates("de_DE"), alternates("de-DE", "x-default", "zh-Hans", "es-419", more=OTHER_LINKS)),
    "SM212": (alternates("de", href=f"{BASE}de/"), alternates(more=OTHER_LINKS)),
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
    "SM404": ({"robots.txt": "Sitemap: /a.xml", **ONE}, {"robots.txt": f"Sitemap: {BASE}a.xml", **ONE}),
    "SM405": ({"robots.txt": f"Sitemap: {BASE}b.xml", **ONE}, {"robots.txt": f"Sitemap: {BASE}a.xml", **ONE}),
    "SM406": (
        {"robots.txt": "User-agent: *\nDisallow: /b/", "a.xml": locs(f"{BASE}b/c")},
        {"robots.txt": "User-agent: x\nDisallow: /", "a.xml": locs(f"{BASE}b/c")},
    ),
}  # fmt: skip
SLOW = {"SM104"}  # its files hold 50,000 URLs


def test_every_rule_about_files_has_its_cases() -> None:
    assert list(CASES) == [code for family in "1234" for code in codes(f"SM{family}")]


@pytest.mark.parametrize(
    "code", [pytest.param(c, marks=[pytest.mark.slow] * (c in SLOW)) for c in CASES]
)
def test_a_rule_finds_what_breaks_it_and_nothing_else(code: str, tmp_path: Path) -> None:
    assert_rule_tells_apart(code, *CASES[code], tmp_path)


@pytest.mark.parametrize("url", ["http://[", "https://example.com:x/", "https://[::1/a#b?sid=1"])
def test_what_no_parser_takes_for_a_url_is_one_finding(url: str, tmp_path: Path) -> None:
    assert [finding.code for finding in findings_in(tmp_path, locs(BASE, url))] == ["SM301"]
