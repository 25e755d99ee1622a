"""RSS and Atom are read as sitemaps: their URLs and dates are checked, nothing else."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest
from support import Run

import sitemapper

RSS_ITEM = "<item><title>A &amp; B</title>{}</item>\n"
ATOM_NAMESPACE = "http://www.w3.org/2005/Atom"
LINK = "<link>https://a.test/a</link>"
RSS_DATE = "an RFC 822 date such as Sun, 01 Mar 2026 12:00:00 +0000"
ATOM_DATE = "a W3C Datetime such as 2026-03-01T12:00:00+00:00"
ATOM_LINK = '<link href="https://a.test/a"/>'


def rss(*items: str) -> str:
    """A feed with items, each after a line of its own."""
    start = '<rss version="2.0"><channel><title>T</title><link>https://a.test/</link>\n'
    return start + "".join(RSS_ITEM.format(item) for item in items) + "</channel></rss>"


def atom(*entries: str, namespace: str = ATOM_NAMESPACE) -> str:
    """The same in Atom."""
    start = f'<feed xmlns="{namespace}"><link rel="self" href="atom.xml"/>\n'
    return start + "".join(f"<entry>{entry}</entry>\n" for entry in entries) + "</feed>"


def found(folder: Path, feed: str | bytes, name: str = "feed.xml") -> list[str]:
    """The findings in a feed, as `line CODE: message`."""
    file = folder / name
    file.write_bytes(feed.encode() if isinstance(feed, str) else feed)
    findings = sitemapper.validate([str(file)], now=1_780_000_000)
    return [f"{finding.line} {finding.code}: {finding.message}" for finding in findings]


GOOD = {
    "RSS": rss(f"{LINK}<pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate>"),
    "RSS without a date": rss(LINK),
    "RSS with more": rss(f"{LINK}<guid>x</guid><x:y xmlns:x='x'>z</x:y><description><![CDATA[<p>]]>"
                         "</description>"),
    "RSS with a zone by name": rss(f"{LINK}<pubDate>02 Mar 26 10:00 EST</pubDate>"),
    "RSS in UTC from elsewhere": rss(f"{LINK}<pubDate>02 Mar 2026 10:00:00 -0000</pubDate>"),
    "Atom": atom(f"{ATOM_LINK}<updated>2026-03-02T10:00:00Z</updated>"),
    "Atom 0.3": atom(f"{ATOM_LINK}<modified>2026-03-02T10:00:00Z</modified>",
                     namespace="http://purl.org/atom/ns#"),
    "Atom with other links": atom(f'<link rel="edit" href="/e"/>{ATOM_LINK}'),
    "Atom with XHTML": atom(f"{ATOM_LINK}<content><div xmlns='http://www.w3.org/1999/xhtml'>a<p/>"
                            "</div></content>"),
}  # fmt: skip
BAD = {
    "no link": (rss("<guid>https://a.test/a</guid>"), "2 SM201: <item> has no <link>"),
    "no alternate link": (
        atom('<link rel="edit" href="/e"/>'),
        "2 SM201: <entry> has no <link>",
    ),
    "relative": (rss("<link>/a</link>"), "2 SM301: '/a' is not an absolute http or https URL"),
    "another host": (
        rss(LINK, "<link>https://b.test/</link>"),
        "3 SM305: https://b.test/ is not on https://a.test like the first entry",
    ),
    "twice": (rss(LINK, LINK), "3 SM307: https://a.test/a is already in line 2"),
    "a date of Atom in RSS": (
        rss(f"{LINK}<pubDate>2026-03-02T10:00:00Z</pubDate>"),
        f"2 SM214: pubDate '2026-03-02T10:00:00Z' is not {RSS_DATE}",
    ),
    "a date without a zone": (
        rss(f"{LINK}<pubDate>Mon, 02 Mar 2026 10:00:00</pubDate>"),
        f"2 SM214: pubDate 'Mon, 02 Mar 2026 10:00:00' is not {RSS_DATE}",
    ),
    "a date of RSS in Atom": (
        atom(f"{ATOM_LINK}<updated>Mon, 02 Mar 2026 10:00:00 GMT</updated>"),
        f"2 SM214: updated 'Mon, 02 Mar 2026 10:00:00 GMT' is not {ATOM_DATE}",
    ),
    "tomorrow": (
        rss(f"{LINK}<pubDate>Mon, 02 Mar 2099 10:00:00 GMT</pubDate>"),
        "2 SM204: lastmod 2099-03-02T10:00:00+00:00 is in the future",
    ),
    "no entry": (rss(), "1 SM106: is empty"),
    "RSS 1.0": (
        "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
        "1 SM103: <RDF> is not urlset, sitemapindex, rss or feed",
    ),
    "another namespace": (
        atom(ATOM_LINK, namespace="x"),
        f'1 SM103: the namespace of <feed> is "x", not "{ATOM_NAMESPACE}"',
    ),
    "an entity": (
        '<!DOCTYPE rss [<!ENTITY a "a">]>' + rss(LINK),
        "1 SM107: declares rss in a DOCTYPE; the rest was not read",
    ),
    "too many elements": (
        rss(LINK + "<a/>" * 20_001),
        "2 SM108: more than 20,000 elements in one entry; the rest was not read",
    ),
}


@pytest.mark.parametrize("feed", GOOD.values(), ids=GOOD)
def test_a_feed_without_a_fault(feed: str, tmp_path: Path) -> None:
    assert found(tmp_path, feed) == []
    assert found(tmp_path, gzip.compress(feed.encode(), mtime=0), "feed.xml.gz") == []


@pytest.mark.parametrize(("feed", "finding"), BAD.values(), ids=BAD)
def test_what_is_wrong_with_a_feed(feed: str, finding: str, tmp_path: Path) -> None:
    assert found(tmp_path, feed) == [finding]


def test_items_are_counted_and_stdin_may_be_a_feed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [f"<link>https://a.test/{n}</link>" for n in range(3)]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rss(*items).encode())))
    assert run("validate", "-") == 0
    assert run.out == "no fault in 1 file, 3 entries\n"


def test_a_feed_may_have_more_elements_than_one_entry_may(tmp_path: Path) -> None:
    items = [f"<link>https://a.test/{n}</link>" for n in range(11_000)]
    assert found(tmp_path, rss(*items)) == []


def test_robots_may_name_a_feed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text("Sitemap: https://a.test/feed.xml\n")
    (tmp_path / "feed.xml").write_text(rss(LINK, "<link>/b</link>"))
    assert run("validate", "robots.txt") == 1
    assert "feed.xml:3: SM301" in run.out
