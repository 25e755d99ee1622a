"""No reader takes time out of proportion to its text.

Ratios of processor times decide, so the machine does not.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from support import BASE
from support.cost import seconds

from sitemapper import SitemapperError
from sitemapper.hosts import find_host
from sitemapper.lastmod.ledger import read_rows
from sitemapper.model import Line, Origin
from sitemapper.read.page import Options, facts_of
from sitemapper.read.sitemap import SitemapFault, read_sitemap
from sitemapper.syntax import dates, robots, tables, urls
from sitemapper.syntax.patterns import Patterns

pytestmark = pytest.mark.slow
TRIALS = 2 * int(os.environ.get("SITEMAPPER_JUDGED", 60))  # of each reader
NOISE = 0.1  # seconds that a use may take for any reason
ENOUGH = 1.0  # seconds; a longer use is not tried with a longer text
FILE = 1 << 16


def growth(run: Callable[[int], Callable[[], object]], limit: int) -> str:
    """How the time grows out of proportion to the size of a text; "" if it does not.

    `run` prepares the use of a text of some size. Twice the size may take three times as long once,
    because larger texts may be read in another way, but not twice in a row.
    """
    last = 0.0
    size = 24
    steep = 0  # doublings in a row that took more than three times as long
    while size <= limit:
        now = seconds(run(size))
        is_steep = now > NOISE and now > 3 * max(last, NOISE / 4)
        steep = steep + 1 if is_steep and now > 3 * seconds(run(size // 2)) else 0
        if steep > 1 or (steep and now > ENOUGH):
            return f"{size // 2} characters {last:.4f} s, {size} {now:.4f} s"
        if now > ENOUGH:
            break
        last = now
        size *= 2
    return ""


def page(text: str) -> object:
    options = Options(*[True] * 7)
    return facts_of("a/b.html", text.encode(), options)


def host_file(name: str, text: str) -> object:
    """The file of a host is read, and a page is looked up."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_text(text)
        host, _ = find_host(folder, "auto", None, BASE, {}, [folder])
    return host.move_at("/a/b.html"), host.header_at("/a/b.html", 1_800_000_000)


def ignored(text: str) -> object:
    patterns = Patterns([Line(line, Origin("x", 1, line)) for line in text.splitlines()])
    return patterns.match("a" * 240), patterns.match("a/" * 100 + "b")


HTML = [*'<>"=/!- \n', "a", "<a", "<div>", "</div>", "<p>", "<b>", "</x>", "<!--", "-->", "<meta ", "<title>", "<script>", "</script>", "content=", "<table>", "<svg>", "&#", " - ", "<header>", "{{", "<nav>", "<img src=a>"]  # fmt: skip
JSON = [*'{}[]":,\\ \n', '"a"', "1", '{"a":', "//", "/*", "*/", '"redirects":[{"source":"', "(.*)", ":a*"]  # fmt: skip
LINES = [*":/*\n #[]\"'\\=", "a", "User-agent: *\n", "Disallow: ", "Sitemap: ", " 301", "X-Robots-Tag: ", "/:a", "http://a", "<", ">", ";", "%"]  # fmt: skip
CODE = [*"{}[]()\"'\n =:#,.\\/-`&*|>?!%", "a", "1", "  ", "- ", '"""', "//", "/*", "*/", "f'{", "---\n", "&a ", "*a", "=\n"]  # fmt: skip
XML = [*"<>/=\"' \n&;[]", "a", "<url>", "</url>", "<loc>", "</loc>", "<!--", "-->", "<![CDATA[", "]]>", "<!DOCTYPE a [", "<?xml ", "xmlns:a='b'", "http://a/"]  # fmt: skip
# The languages that we read: a function that reads a text, pieces of texts, and what can reach it.
READERS: dict[str, tuple[Callable[[str], object], list[str], int]] = {
    "HTML": (page, HTML, 1 << 15),
    "robots.txt": (lambda text: robots.Crawling(text.encode()).closing_line(f"{BASE}a"), LINES, FILE),
    "metas for robots": (lambda text: robots.forbids_index(text, 0), LINES, FILE),
    "sitemaps": (lambda text: list(read_sitemap(text.encode())), XML, FILE),
    "ignore": (ignored, [*"*?[]!/\\ a-^\n", "**/", "/**", "*a", "[a", "[[:", "a/"], 1 << 13),
    "dates": (lambda text: dates.read_date(text, dates.Writer()), [*"0123-:TZ+. ,/", "Mon", "Jan", "GMT", "2026-01-01"], 2_047),
    "URLs": (lambda text: (urls.resolve(text, BASE), urls.comparison_key(BASE + text), urls.path_below(BASE + text, BASE)), [*"/:?#%.@[];=&a", "../", "./", "%2F", "//", "http:", "index.html"], 2_047),
    "ledger": (lambda text: read_rows(text.encode(), "ledger"), [*"\t\n-:0a", "2026-01-01", "0000-0123456789abcdef"], FILE),
    **{name: (partial(host_file, name), LINES, FILE) for name in ("_redirects", "_headers")},
    **{name: (partial(host_file, name), JSON, FILE) for name in ("vercel.json", "firebase.json")},
    **{f"table of {name}": (lambda text, name=name: tables.read_table(name, text), CODE, 1 << 17) for name in ("a.toml", "a.jsonc")},
    "table of a.yml": (lambda text: tables.read_table("a.yml", text), CODE, 1 << 14),
}  # fmt: skip


def read(reader: Callable[[str], object], text: str) -> object:
    """The text as the reader has it."""
    try:
        return reader(text)
    except (ValueError, SitemapFault, SitemapperError) as error:
        return error


def attack(
    reader: Callable[[str], object], start: str, unit: str, end: str, size: int
) -> Callable[[], object]:
    return partial(read, reader, start + unit * (size // len(unit)) + end)


@pytest.mark.parametrize("name", READERS)
def test_no_language_takes_a_reader_long(name: str) -> None:
    reader, pieces, limit = READERS[name]
    units = [*pieces, *map("".join, product(pieces, repeat=2))]
    chances = random.Random(name)
    for _ in range(TRIALS):
        start, unit, end = (chances.choice(some) for some in (["", *pieces], units, ["", *pieces]))
        run = partial(attack, reader, start, unit, end)
        assert not all(growth(run, limit) for _ in range(3)), (start, unit, end)
