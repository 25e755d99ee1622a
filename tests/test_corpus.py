"""Files that once ended a reader with a traceback, took it too long, or were read wrongly.

Each folder of tests/data/corpus is named for the reader that its files are for.
The results are written by `make snapshots T=tests/test_corpus.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from support import NOW
from support.facts import ALL
from support.hosts import origin_at
from support.snapshots import snapshot

from sitemapper.errors import LedgerError
from sitemapper.hosts.choose import choose
from sitemapper.lastmod.ledger import LedgerFile, LedgerReader
from sitemapper.model import Batch, Page
from sitemapper.read.facts import extract_facts
from sitemapper.read.sitemap import elements
from sitemapper.read.sitemap_xml import FileError
from sitemapper.syntax import dates
from sitemapper.syntax.robots import read_crawling

CORPUS = Path(__file__).parent / "data/corpus"
UTC = dates.Writer(ZoneInfo("UTC"))


def page(path: Path) -> str:
    facts = extract_facts("a.html", path.read_bytes(), ALL._replace(digest=None))
    metadata = facts.metadata
    names = ("noindex", "unavailable_after", "refresh", "canonical")
    told: dict[str, object] = {name: metadata.signals.get(name) for name in names}
    told |= {"base": metadata.base, "alternates": metadata.alternates}
    told |= {"kind": facts.kind, "date": facts.date}
    return ", ".join(f"{name} {value}" for name, value in told.items() if value)


def robots(path: Path) -> str:
    return str(read_crawling(path.read_bytes()).forbids("https://example.com/x"))


def host(name: str, file: str) -> Callable[[Path], str]:
    def read(path: Path) -> str:
        text = path.read_bytes().decode("utf-8", "replace")
        try:
            [rules] = choose(name, {file: text}, "example.com", int(NOW.timestamp())).rules
        except ValueError as error:
            return str(error).partition(": is not")[0] + " is refused"
        return origin_at(rules, "/x") or "None"

    return read


def date_lines(path: Path) -> str:
    return " | ".join(map(date, path.read_bytes().decode("utf-8", "replace").splitlines()))


def date(text: str) -> str:
    try:
        return dates.read(text, UTC).text
    except ValueError:
        return "-"


def ledger(path: Path) -> str:
    try:
        reader = LedgerReader(LedgerFile(str(path), "ledger"), UTC)
        batch = Batch([Page("a.html", 1, 1, 1), Page("b.html", 1, 1, 2)], (), {})
        rows = {page.path: row.ledger for page, row in reader.attach(batch).page_rows()}
        reader.finish()
    except LedgerError as error:
        return str(error).partition("\n")[0]
    dates = {name: row.lastmod and row.lastmod.text for name, row in rows.items() if row}
    return str(dates)


def sitemap(path: Path) -> str:
    found = elements(iter([path.read_bytes()]))
    return ", ".join(
        f"{e.fault.value} in line {e.line}" if isinstance(e, FileError) else e[0] for e in found
    )


READERS = {
    "pages": page,
    "robots": robots,
    "redirects": host("netlify", "_redirects"),
    "headers": host("netlify", "_headers"),
    "vercel": host("vercel", "vercel.json"),
    "netlify": host("netlify", "netlify.toml"),
    "dates": date_lines,
    "ledger": ledger,
    "sitemaps": sitemap,
}


def test_each_folder_has_its_reader() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} == set(READERS)


def test_each_file_is_read_as_it_should_be() -> None:
    found = {
        str(path.relative_to(CORPUS)): READERS[path.parent.name](path)
        for path in sorted(CORPUS.glob("*/*"))
    }
    assert found == snapshot(
        {
            "dates/of-none.txt": "- | - | - | - | - | - | - | - | - | - | - | - | - | -",
            "dates/of-one-meaning.txt": "2014-02-04T12:30:15+00:00 | 2014-02-04T12:00:00+00:00 | 2014-02-04T12:30:15+00:00 | 2014-02-04T12:30:15+00:00 | 2024-05 | 2024-05 | 2024-12-25 | 2024-05-01T12:30:00+00:00",
            "headers/colons.txt": "None",
            "headers/date-of-no-calendar.txt": "_headers:2: X-Robots-Tag: unavailable_after: 31 Feb 2020 25:61 XYZ, noindex",
            "headers/nothing-but-a-mark.txt": "_headers:4: X-Robots-Tag: noindex",
            "ledger/above-the-site.txt": "{}",
            "ledger/after-the-last-day.txt": "ledger:1: '9999-12-31T23:59:59-23:59' is not a date",
            "ledger/before-the-first-day.txt": "ledger:1: '0001-01-01T00:00:00+23:59' is not a date",
            "ledger/capitals.txt": "ledger:1: expected “path TAB lastmod TAB digest”",
            "ledger/carriage-returns.txt": "{'a.html': '2026-01-01', 'b.html': None}",
            "ledger/conflict.txt": "ledger:2: git left a conflict here",
            "ledger/cut.txt": "ledger:2: expected “path TAB lastmod TAB digest”",
            "ledger/not-in-order.txt": "ledger:2: is not in the order of the walk",
            "ledger/not-utf-8.txt": "ledger:1: expected “path TAB lastmod TAB digest”",
            "ledger/nul.txt": "ledger:2: is not in the order of the walk",
            "ledger/other-digits.txt": "ledger:1: expected “path TAB lastmod TAB digest”",
            "ledger/year-0.txt": "ledger:1: '0000' is not a date",
            "netlify/deep.toml": "netlify.toml is refused",
            "netlify/number-of-many-digits.toml": "netlify.toml is refused",
            "netlify/other-shapes.toml": "None",
            "pages/address-of-no-host.html": "refresh //[, canonical http://[/, base http://[",
            "pages/answer-for-the-window-that-asked.html": "kind shows nothing",
            "pages/attribute-without-a-name.html": "canonical /a/",
            "pages/base-before-body.html": "base /b/",
            "pages/base-without-quotes.html": "base /b<body/",
            "pages/built-app.html": "",
            "pages/canonical-beside-that-of-a-device.html": "canonical /tea/",
            "pages/canonical-of-a-device.html": "",
            "pages/charset-utf-7.html": 'noindex <meta name="robots" content="noindex">',
            "pages/comment-in-a-script.html": "",
            "pages/comment-that-ends-early.html": 'noindex <meta name="robots" content="noindex">',
            "pages/date-after-the-last-day.html": "date 9999-12-31T23:59:59-10:00",
            "pages/date-that-hides-another.html": "date 2026-03-01",
            "pages/deep-json-ld.html": "",
            "pages/deep-json.html": "kind not HTML",
            "pages/feed.html": "kind not HTML",
            "pages/frame-buster.html": "",
            "pages/frames-for-old-links.html": "kind shows nothing",
            "pages/half-a-character.html": "",
            "pages/language-chooser.html": "",
            "pages/leads-away-after-a-while.html": "",
            "pages/leads-away-on-load.html": "",
            "pages/long-number.html": "",
            "pages/never-built.html": "kind app shell",
            "pages/noindex-behind-the-head.html": 'noindex <meta name="googlebot" content="none">',
            "pages/nul.html": "",
            "pages/page-about-templates.html": "",
            "pages/picture.html": "kind not HTML",
            "pages/piece-of-a-page.html": "",
            "pages/refresh-of-many-digits.html": "",
            "pages/refresh-without-scripts.html": "",
            "pages/result-of-a-search.html": "",
            "pages/session-check.html": "kind shows nothing",
            "pages/sheet-of-a-workbook.html": "kind fragment (part of an Office page)",
            "pages/source-of-an-app.html": "",
            "pages/surrogate-alone.html": "",
            "pages/tag-that-never-ends.html": "",
            "pages/text-without-a-tag.html": "kind not HTML",
            "pages/title-of-a-drawing.html": "",
            "pages/utf-16.html": 'noindex <meta name="robots" content="noindex">',
            "pages/view-of-an-app.html": "kind fragment (view of an app)",
            "redirects/comment-behind-a-tab.txt": "None",
            "redirects/condition-of-a-country.txt": "None",
            "redirects/loops-of-the-expression.txt": "_redirects:2: /x /b 301!",
            "redirects/not-utf-8.txt": "_redirects:2: /x /b 301!",
            "redirects/relative-target.txt": "None",
            "redirects/target-of-no-host.txt": "_redirects:1: /x https://[ 301!",
            "robots/agent-without-a-name.txt": "None",
            "robots/bad-escape.txt": "robots.txt:3: Disallow: /%78$",
            "robots/byte-order-mark.txt": "robots.txt:2: Disallow: /x",
            "robots/carriage-returns.txt": "robots.txt:2: Disallow: /x",
            "robots/many-stars.txt": "robots.txt:3: Disallow: /x",
            "robots/next-line.txt": "None",
            "robots/no-colon.txt": "robots.txt:2: Disallow /x",
            "robots/not-utf-8.txt": "robots.txt:3: Disallow: /x",
            "robots/nul.txt": "None",
            "sitemaps/cut.xml": "SM101 in line 1",
            "sitemaps/deep.xml": "SM108 in line 1",
            "sitemaps/entities.xml": "SM107 in line 1",
            "sitemaps/entity-of-a-file.xml": "SM107 in line 1",
            "sitemaps/lines.xml": "SM102 in line 1",
            "sitemaps/many-names.xml": "SM108 in line 1",
            "sitemaps/no-break-space.xml": "urlset",
            "sitemaps/nothing.xml": "",
            "sitemaps/number-of-a-nul.xml": "SM101 in line 1",
            "sitemaps/page.xml": "SM103 in line 1",
            "sitemaps/two-marks.xml": "SM101 in line 1",
            "sitemaps/unknown-encoding.xml": "SM102 in line 1",
            "sitemaps/unknown-prefix.xml": "SM101 in line 1",
            "sitemaps/utf-16-without-a-mark.xml": "SM102 in line 1",
            "sitemaps/utf-16.xml": "SM102 in line 1",
            "vercel/deep.json": "vercel.json is refused",
            "vercel/expression-that-explodes.json": "vercel.json:1: /x -> /",
            "vercel/expression-that-is-none.json": "None",
            "vercel/number-of-many-digits.json": "vercel.json is refused",
            "vercel/other-shapes.json": "None",
        }
    )
