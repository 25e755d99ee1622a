"""Reading the live sitemaps: which URLs they list, and where they differ from the built files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support import BASE
from support.answers import Answers, answers
from support.sitemaps import index, locs, urlset

from sitemapper.commands.asking import Scope
from sitemapper.commands.live_sitemaps import LiveSitemaps, Rows
from sitemapper.net.client import Answer

SITEMAP = f"{BASE}sitemap.xml"
SCOPE = Scope(SITEMAP, BASE, BASE)
NOW = 1_800_000_000
NO_FILES: Rows = {}


def xml(text: str) -> Answer:
    return Answer(200, (("content-type", "application/xml"),), text.encode())


def sitemaps_of(host: Answers, built: Rows = NO_FILES, wait: float = 0) -> LiveSitemaps:
    live = LiveSitemaps(SCOPE, host, built, now=NOW)
    live.read(wait)
    return live


def test_the_urls_of_all_parts_are_kept_with_their_files_and_lines() -> None:
    parts = f"{BASE}1.xml", f"{BASE}2.xml"
    pages = {
        SITEMAP: xml(index(*(f"<loc>{part}</loc>" for part in parts))),
        parts[0]: xml(locs(BASE, f"{BASE}a")),
        parts[1]: xml(locs(f"{BASE}b")),
    }
    live = sitemaps_of(answers(pages))
    assert [(entry.url, entry.file, entry.line) for entry in live.entries] == [
        (BASE, parts[0], 3),
        (f"{BASE}a", parts[0], 4),
        (f"{BASE}b", parts[1], 3),
    ]
    assert (live.listed, live.judged) == (3, 3)
    assert live.findings == []


def test_an_entry_keeps_its_language_versions() -> None:
    link = '<xhtml:link rel="alternate" hreflang="{}" href="https://example.com/{}"/>'
    entry = f"<loc>{BASE}de</loc>{link.format('de', 'de')}{link.format('en', 'en')}"
    text = urlset(entry, spaces='xmlns:xhtml="http://www.w3.org/1999/xhtml"')
    live = sitemaps_of(answers({SITEMAP: xml(text)}))
    assert [one.alternates for one in live.entries] == [(f"{BASE}de", f"{BASE}en")]


@pytest.mark.parametrize(
    ("paths", "difference"),
    [
        (("a", "b"), ""),
        (("a",), "entry 2 is missing, not https://example.com/b 2026-03-01"),
        (("a", "c"), "entry 2 is https://example.com/c 2026-03-01, not https://example.com/b"),
        (("a", "b", "c"), "entry 3 is https://example.com/c 2026-03-01, not nothing"),
    ],
)
def test_the_first_entry_that_differs_from_the_built_file(
    paths: tuple[str, ...], difference: str
) -> None:
    def rows() -> Iterator[bytes]:
        for path in ("a", "b"):
            yield f"<url><loc>{BASE}{path}</loc><lastmod>2026-03-01</lastmod></url>".encode()

    text = urlset(*(f"<loc>{BASE}{path}</loc><lastmod>2026-03-01</lastmod>" for path in paths))
    live = sitemaps_of(answers({SITEMAP: xml(text)}), {SITEMAP: rows})
    assert [difference in finding.message for finding in live.findings] == [True] * bool(difference)


def test_an_answer_that_is_no_sitemap_is_read_again_until_the_time_is_over() -> None:
    page = Answer(200, (("content-type", "text/html"),), b"<!doctype html><title>Home</title>")
    host = answers({SITEMAP: page})
    live = sitemaps_of(host, {SITEMAP: lambda: iter(())}, wait=7)
    assert (live.entries, live.files) == ([], [])
    assert host.waits == [2, 4, 1]
    assert len(live.answers) == 1, "only the last reading counts"
