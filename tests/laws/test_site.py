"""Any bytes of pages, robots.txt and ledgers are read, or refused with their line."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.facts import ALL
from support.laws import own_folder

from sitemapper.errors import LedgerError
from sitemapper.lastmod import ledger
from sitemapper.model import Batch, Page
from sitemapper.read.content import make_rule
from sitemapper.read.facts import extract_facts
from sitemapper.syntax.dates import Writer
from sitemapper.syntax.robots import read_crawling, sitemap_lines

# --- pages


TAGS = st.sampled_from(
    [
        "<main>", "</main>", "<nav>", "</nav>", "<article>", "<header>", "</header>", "<footer>", "<h1>", "</h1>", "<title>", "</title>",
        '<script type="application/ld+json">', "</script>", '{"dateModified": "2026-01-01"}', "{" * 30, "[" * 999, "<table>", "<td>", "<p hidden>",
        '<time datetime="2026-01-01">', "<time datetime>", "<a href>", '<a href="#x">¶</a>', '<img src="/a.3f9a2c11.js">', "<source srcset=>",
        '<div role="main">', '<div class="sidebar header">', "<template>", "<svg>", "<math>", "<select>", "<option>", "<iframe src=//x>",
        '<meta charset="shift_jis">', '<meta charset="utf-16">', '<meta name="robots" content="noindex">', '<meta name="date" content="2026">',
        "<!--", "-->", "<![CDATA[", "]]>", "&#x110000;", "&#0;", "&nbsp", "\0", "\ud800", "é", "日本", "text ", "\r", "<", "<div>" * 99, "<plaintext>",
        '<link rel="canonical" href="http://[">', '<meta http-equiv="refresh" content="0;url=">', "<base href>", "<meta itemprop=dateModified content=x>",
    ]
)  # fmt: skip


ENCODINGS = st.sampled_from(
    ["utf-8", "utf-8", "utf-16", "utf-16-be", "utf-8-sig", "latin-1", "shift_jis", "utf-7"]
)


PAGES = st.builds(
    lambda parts, name: "".join(parts).encode(
        name, "replace" if name != "utf-8" else "surrogatepass"
    ),
    st.lists(TAGS | st.text(max_size=6), max_size=30),
    ENCODINGS,
) | st.binary(max_size=200)


DROP = st.lists(
    st.sampled_from(["p", "#x", "main *", "a:not([href])", "body", "html", "div + div"]), max_size=2
)


@given(PAGES, DROP, st.integers(0, 400))
def test_every_page_is_read(data: bytes, drop: list[str], end: int) -> None:
    for page in (data, data[:end]):
        options = ALL._replace(digest=make_rule(drop))
        facts = extract_facts("a.html", page, options)
        assert facts == extract_facts("a.html", page, options)
        assert all(lang and href for lang, href in facts.metadata.alternates)
        assert re.fullmatch("[0-9a-f]{4}-[0-9a-f]{16}", facts.digest or "")


# --- robots.txt


ROBOTS = st.lists(
    st.sampled_from(
        [
            "User-agent: *", "user-agent:googlebot", "User-agent: Googlebot/2.1", "User-agent:", "Disallow: /", "Disallow: /a*b$", "Disallow:",
            "Allow: /a", "disallow : /%61%zz%", "Disallow: *", "Disallow: $", "Disallow: a", "Disallow: /é日", "Allow: /\udcff", "Disallow: /?a=b&c",
            "Sitemap: https://example.com/s.xml", "Sitemap:", "Crawl-delay: x", "Disallow: /" + "*a" * 30, "# x", "", "\x85Disallow: /b", "Disallow: //", "Disallow: http://[",
        ]
    )
    | st.text(max_size=20),
    max_size=12,
)  # fmt: skip


TAILS = st.text(alphabet="ab/%6é*$?&=.;", max_size=12)


@given(
    ROBOTS,
    st.sampled_from(["\n", "\r\n", "\r", "\v"]),
    TAILS,
)
def test_every_robots_txt_is_read(rows: list[str], newline: str, tail: str) -> None:
    text = newline.join(rows).encode("utf-8", "surrogateescape" if newline == "\n" else "replace")
    lines = re.split(rb"\r\n|\r|\n", text)
    closed = read_crawling(text).forbids("https://example.com/" + tail)
    if closed:
        assert closed.line is not None
        assert closed.text == lines[closed.line - 1].decode("utf-8", "replace").strip()
    assert len(sitemap_lines(text)) <= len(lines)


# --- ledgers


ROWS = [
    "a.html\t2026-01-01\tabcd-0123456789abcdef", "b/index.html\t-\tabcd-0123456789abcdef", "c.html\t2026-01-01T00:00:00+00:00\tabcd-0123456789abcdef\tunlisted",
    "%C3%BC.html\t2026\tabcd-0123456789abcdef", "%FF\t2026-13\tabcd-0123456789abcdef", "z\t0000\tabcd-0123456789abcdef", "z\t9999-12-31T23:59:59-23:59\tabcd-0123456789abcdef",
    "%zz%\t-\tabcd-0123456789abcdef", "%00\t-\tabcd-0123456789abcdef", "/../x\t-\tabcd-0123456789abcdef", "<<<<<<< HEAD", "=======", ">>>>>>> x", "|||||||", "", "\t\t", "a.html",
    "x\t٢٠٢٦-01-01\tabcd-0123456789abcdef", "x\t2026-02-30\tabcd-0123456789abcdef", "x\t0001-01-01T00:00:00+23:59\tabcd-0123456789abcdef", "x\t-\tABCD-0123456789abcdef",
]  # fmt: skip


GOOD = "".join(f"{n:03}.html\t2026-01-{n % 28 + 1:02}\tabcd-{n:016x}\n" for n in range(30)).encode()


@st.composite
def ledgers(draw: st.DrawFn) -> bytes:
    match draw(st.integers(0, 3)):
        case 0:
            end = draw(st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
            return end.join(
                draw(st.lists(st.sampled_from(ROWS) | st.text(max_size=20), max_size=8))
            ).encode("utf-8", "surrogatepass")
        case 1:
            return draw(st.binary(max_size=80))
        case 2:
            return GOOD[: draw(st.integers(0, len(GOOD)))]
    at = draw(st.integers(0, len(GOOD) - 1))
    return GOOD[:at] + draw(st.binary(max_size=9)) + GOOD[at + draw(st.integers(0, 2)) :]


@given(ledgers(), st.integers(1, 9), st.sampled_from(["UTC", "Asia/Kolkata"]))
def test_every_ledger_is_read_or_refused_with_its_line(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int, zone: str
) -> None:
    path = own_folder(tmp_path_factory, "ledgers") / "sitemapper.ledger"
    path.write_bytes(data)
    pages = [Page(f"{n:03}.html", 1, 1, n) for n in range(0, 30, 2)] + [Page("a.html", 1, 1, 40)]
    reader = None
    try:
        reader = ledger.LedgerReader(
            ledger.LedgerFile(str(path), "the.ledger"), Writer(ZoneInfo(zone))
        )
        for n in range(0, len(pages), size):
            for _, row in reader.attach(Batch(pages[n : n + size], (), {})).page_rows():
                assert not row.ledger or re.fullmatch("[0-9a-f]{4}-[0-9a-f]{16}", row.ledger.digest)
        reader.finish()
    except LedgerError as error:
        found = re.match(r"the\.ledger:(\d+): .+\nhelp: .+", str(error), re.DOTALL)
        assert found
        assert 1 <= int(found[1]) <= data.count(b"\n") + 1
