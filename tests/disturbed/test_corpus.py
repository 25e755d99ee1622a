"""Files that once ended a reader with a traceback, took it too long, or were read wrongly.

Each folder of tests/data/corpus is named for the reader that its files are for. Those of pages and
sitemaps are read in tests/rooms.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from sitemapper import SitemapperError
from sitemapper.hosts import find_host
from sitemapper.lastmod.ledger import read_rows
from sitemapper.model import Origin
from sitemapper.syntax.robots import Crawling

CORPUS = Path(__file__).parents[1] / "data/corpus"


def robots(path: Path) -> str:
    return str(Crawling(path.read_bytes()).closing_line("https://example.com/x"))


def host(name: str, file: str) -> Callable[[Path], str]:
    def read(path: Path) -> str:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copyfile(path, Path(folder, file))
            found, messages = find_host(
                folder, name, Origin("host"), "https://example.com/", {}, [folder]
            )
        rule = found.move_at("/x") or found.header_at("/x", 1_800_000_000)
        # What Python says of the fault differs by its version.
        said = [message.text.partition(": ")[0] for message in messages]
        return str([str(rule.origin) if rule else "", *said])

    return read


def ledger(path: Path) -> str:
    try:
        rows = read_rows(path.read_bytes(), "ledger")
    except SitemapperError as error:
        return error.text
    return str({name: row.lastmod for name, row in rows.items()})


READERS = {
    "robots": robots,
    "redirects": host("netlify", "_redirects"),
    "headers": host("netlify", "_headers"),
    "vercel": host("vercel", "vercel.json"),
    "netlify": host("netlify", "netlify.toml"),
    "ledger": ledger,
}


def test_each_file_is_read_as_it_should_be() -> None:
    found = {
        str(path.relative_to(CORPUS)): READERS[path.parent.name](path)
        for path in sorted(CORPUS.glob("*/*"))
        if path.parent.name in READERS
    }
    assert found == {
        "headers/colons.txt": "['']",
        "headers/date-of-no-calendar.txt": "['_headers:2: X-Robots-Tag: unavailable_after: 31 Feb 2020 25:61 XYZ, noindex']",
        "headers/nothing-but-a-mark.txt": "['_headers:4: X-Robots-Tag: noindex']",
        "ledger/above-the-site.txt": "{'/../a.html': '-'}",
        "ledger/after-the-last-day.txt": "ledger:1: '9999-12-31T23:59:59-23:59' is not a date",
        "ledger/before-the-first-day.txt": "ledger:1: '0001-01-01T00:00:00+23:59' is not a date",
        "ledger/capitals.txt": "ledger:1: expected “path TAB lastmod TAB digest”",
        "ledger/carriage-returns.txt": "{'a.html': '2026-01-01', 'b.html': '-'}",
        "ledger/conflict.txt": "ledger:2: git left a conflict here",
        "ledger/cut.txt": "ledger:2: expected “path TAB lastmod TAB digest”",
        "ledger/not-in-order.txt": "{'b.html': '-', 'a.html': '-'}",
        "ledger/not-utf-8.txt": "ledger:1: expected “path TAB lastmod TAB digest”",
        "ledger/nul.txt": "ledger:3: expected “path TAB lastmod TAB digest”",
        "ledger/other-digits.txt": "ledger:1: expected “path TAB lastmod TAB digest”",
        "ledger/year-0.txt": "ledger:1: '0000' is not a date",
        "netlify/deep.toml": "['', 'netlify.toml cannot be parsed']",
        "netlify/number-of-many-digits.toml": "['', 'netlify.toml cannot be parsed']",
        "netlify/other-shapes.toml": "['']",
        "redirects/comment-behind-a-tab.txt": "['']",
        "redirects/condition-of-a-country.txt": "['']",
        "redirects/loops-of-the-expression.txt": "['_redirects:2: /x /b 301!']",
        "redirects/not-utf-8.txt": "['_redirects:2: /x /b 301!']",
        "redirects/relative-target.txt": "['']",
        "redirects/target-of-no-host.txt": "['_redirects:1: /x https://[ 301!']",
        "robots/agent-without-a-name.txt": "None",
        "robots/bad-escape.txt": "robots.txt:3: Disallow: /%78$",
        "robots/byte-order-mark.txt": "robots.txt:2: Disallow: /x",
        "robots/carriage-returns.txt": "robots.txt:2: Disallow: /x",
        "robots/many-stars.txt": "robots.txt:3: Disallow: /x",
        "robots/not-utf-8.txt": "robots.txt:3: Disallow: /x",
        "robots/nul.txt": "None",
        "vercel/deep.json": "['', 'vercel.json cannot be parsed']",
        "vercel/expression-that-explodes.json": "['vercel.json: /x']",
        "vercel/expression-that-is-none.json": "['']",
        "vercel/number-of-many-digits.json": "['', 'vercel.json cannot be parsed']",
        "vercel/other-shapes.json": "['']",
    }
