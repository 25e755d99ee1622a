"""What is wrong with an entry, and what many entries show together."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE
from support.findings import Files, assert_rule_tells_apart, codes
from support.sitemaps import LOC, urlset

XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'


IMAGE = 'xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"'


VIDEO = 'xmlns:v="http://www.google.com/schemas/sitemap-video/1.1"'


NEWS = 'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"'


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


VIDEO_PARTS = "<v:thumbnail_loc>https://example.com/x</v:thumbnail_loc><v:title>x</v:title><v:description>x</v:description>"


NEWS_PARTS = (
    "<n:news><n:publication><n:name>x</n:name><n:language>en</n:language></n:publication>"
    "<n:publication_date>2026-01-01</n:publication_date><n:title>x</n:title></n:news>"
)


FEED = f"<rss><channel><item><link>{BASE}</link><pubDate>{{}}</pubDate></item></channel></rss>"
# code: files (or sitemap.xml) that break the rule, and those that do not
CASES: dict[str, tuple[Files, Files]] = {
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
    "SM209": (alternates("de_DE"), alternates("de-DE", "x-default", "zh-Hans", "es-419", more=OTHER_LINKS)),
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
    "SM212": (alternates("de", href=f"{BASE}de/"), alternates(more=OTHER_LINKS)),
    "SM213": (
        urlset(f"{LOC}<i:image><i:loc>{BASE}a.png</i:loc><i:caption>x</i:caption></i:image>", spaces=IMAGE),
        urlset(f"{LOC}<i:image><i:loc>{BASE}a.png</i:loc></i:image>", spaces=IMAGE),
    ),
    "SM214": (FEED.format("2026-03-02"), FEED.format("Mon, 02 Mar 2026 10:00:00 +0100")),
}  # fmt: skip


def test_every_rule_of_the_family_has_its_cases() -> None:
    assert list(CASES) == codes("SM2")


@pytest.mark.parametrize("code", CASES)
def test_a_rule_finds_what_breaks_it_and_nothing_else(code: str, tmp_path: Path) -> None:
    assert_rule_tells_apart(code, *CASES[code], tmp_path)
