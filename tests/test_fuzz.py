"""What nobody wrote by hand, thrown at everything that reads: an answer, or an error for a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import mutants
import pytest
from conftest import BASE, NOW
from hypothesis import given
from hypothesis import strategies as st

import sitemapper
from sitemapper import head
from sitemapper.content import digest, rule
from sitemapper.dates import Writer
from sitemapper.errors import ConfigError, LedgerError
from sitemapper.lastmod import ledger
from sitemapper.lastmod.page import modified
from sitemapper.linter import ALL, Finding, validate
from sitemapper.linter.facts import Fault
from sitemapper.linter.reader import elements
from sitemapper.model import Page
from sitemapper.robots import crawling, sitemap_lines
from sitemapper.settings import Config

SECOND = int(NOW.timestamp())

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
    lambda parts, name: "".join(parts).encode(name, "replace" if name != "utf-8" else "surrogatepass"),
    st.lists(TAGS | st.text(max_size=6), max_size=30),
    ENCODINGS,
) | st.binary(max_size=200)
DROP = st.lists(
    st.sampled_from(["p", "#x", "main *", "a:not([href])", "body", "html", "div + div"]), max_size=2
)


@given(PAGES, DROP, st.integers(0, 400))
def test_every_page_is_read(data: bytes, drop: list[str], end: int) -> None:
    for page in (data, data[:end]):
        found = head.parse(page)
        assert found == head.parse(page)
        assert all(lang and href for lang, href in found.alternates)
        modified(page)
        first, again = digest(page, rule(drop)), digest(page, rule(drop))
        assert first == again
        assert re.fullmatch("[0-9a-f]{4}-[0-9a-f]{16}", first)


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
    st.lists(st.text(max_size=9), min_size=1, max_size=2),
)
def test_every_robots_txt_is_read(rows: list[str], newline: str, tail: str, agents: list[str]) -> None:
    text = newline.join(rows).encode("utf-8", "surrogateescape" if newline == "\n" else "replace")
    lines = re.split(rb"\r\n|\r|\n", text)
    for wanted in (agents, ["*"], ["googlebot", "*"]):
        closed = crawling(text, wanted).forbids("https://example.com/" + tail)
        if closed:
            assert closed.line is not None
            assert closed.text == lines[closed.line - 1].decode("utf-8", "replace").strip()
    assert len(sitemap_lines(text)) <= len(lines)


# --- configuration

KEYS = [
    *Config.model_fields,
    *(k for f in Config.model_fields.values() for k in getattr(type(f.default), "model_fields", ())),
]
WORDS = st.sampled_from(
    [
        "a", "", "auto", "mtime", "ledger", "git", "page", "https://example.com/", "https://[", "http://example.com:99999", "https://é..com", "//",
        "sitemap.xml", "../x", "\\", "a\\", "[", "{x}", "{", "UTC", "Europe/Berlin", "../UTC", "2026-01-01", "never", "also", "stable", "recent", "a-2",
        "robots.txt", "*", "!", "**/a", "p >", "\n", "\x00", "é", "https://xn--a.example/", "x" * 300, "omit", "{x}/{x}",
    ]
) | st.text(max_size=8)  # fmt: skip
SCALARS = (
    WORDS | st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | st.datetimes() | st.times() | st.binary(max_size=2)
    | st.sampled_from([10**400, -1, 0, 0.5, 50_000])
)  # fmt: skip
NAMES = st.sampled_from(KEYS) | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
TYPED: dict[str, Any] = {
    **dict.fromkeys(("include", "ignore", "lastmod", "extra", "session_ids"), st.lists(WORDS, max_size=3)),
    "rules": st.lists(
        st.fixed_dictionaries({"match": st.lists(WORDS, max_size=2)}, optional={"lastmod": SCALARS, "priority": st.floats(0, 1), "list": st.booleans()}), max_size=2
    ),
    "sitemaps": st.lists(st.fixed_dictionaries({"name": WORDS, "match": st.lists(WORDS, max_size=2)}), max_size=3),
    "urls": st.lists(st.fixed_dictionaries({"loc": WORDS}, optional={"lastmod": SCALARS}), max_size=2),
    "ledger": st.fixed_dictionaries({}, optional={"path": WORDS, "drop": st.lists(WORDS, max_size=2)}),
    "git": st.fixed_dictionaries({"map": st.lists(st.fixed_dictionaries({"page": WORDS, "source": st.lists(WORDS, max_size=2)}), max_size=2)}),
    "sitemap": st.fixed_dictionaries({}, optional={"name": WORDS, "recent": st.integers(0, 9)}),
    **dict.fromkeys(("base_url", "site", "output", "host", "url_style"), WORDS),
}  # fmt: skip
LAYERS = st.fixed_dictionaries({}, optional=TYPED) | st.dictionaries(NAMES, VALUES, max_size=4)

TOML = st.lists(
    st.sampled_from(
        [
            'base_url = "https://example.com/"', 'site = "a"', "[sitemap]", "[[sitemaps]]", "[[rules]]", 'match = ["a"]', "priority = 2", "[ledger]",
            "path = 'robots.txt'", '"" = 1', '"a b" = 1', '"a[" = 1', '"a\\nb" = 1', "a.b.c = 1", "ignore = ['a', 'b\\\\']", "ignore = {}", "[tool.x]",
            "lastmod = 2026-01-01T00:00:00+23:59", "lastmod = 07:00:00", "lastmod = ['mtime']", "[[urls]]", "loc = '/x'", "[git]", "[[git.map]]",
            "page = '{a}'", "source = ['{b}']", "[dates]", "timezone = 'UTC'", "max_urls = 0x" + "f" * 4000, "max_drop = nan", "site = [[[[]]]]",
            "sitemap.name = 'a.xml'", "'sitemap'.\"name\" = 1", "[[ rules ]]", "[ \"sitemap\" ]", 'x = """', '"""', "# c", "= 1", "é = 1", "\ufeff", "[[rules.match]]",
        ]
    )
    | st.builds("{} = {!r}".format, NAMES, SCALARS),
    max_size=9,
).map("\n".join)  # fmt: skip
VARIABLES = st.dictionaries(
    st.sampled_from(["BASE_URL", "SITE", "IGNORE", "LASTMOD", "SITEMAP_MAX_URLS", "MAX_DROP", "LEDGER_PATH", "HREFLANG", "RULES", "X"]).map("SITEMAPPER_{}".format)
    | st.just("SOURCE_DATE_EPOCH"),
    WORDS | st.sampled_from(["1", "true", "0.5", "9" * 20, "a,,b", "-1", "1e9"]),
    max_size=3,
)  # fmt: skip
# `place: key: what is wrong`; what concerns the whole file has no key.
SENTENCE = re.compile(
    r"[^:\s][^:]*(:\d+)?: .+: .+|[^:]+(:\d+)?: (is not UTF-8|is nested too deep|cannot be read).*", re.DOTALL
)


def loaded(folder: Path, text: str | bytes | None = None, values: Any = None, **more: Any) -> Sequence[str]:
    """What is wrong with a configuration."""
    file = folder / "sitemapper.toml"
    file.unlink(missing_ok=True)
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    try:
        sitemapper.load(values, cwd=str(folder), **more)
    except ConfigError as error:
        assert error.problems
        return error.problems
    return ()


@given(TOML | st.binary(max_size=60), LAYERS, VARIABLES)
def test_every_configuration_loads_or_says_where_it_is_wrong(
    tmp_path_factory: pytest.TempPathFactory, text: str | bytes, values: dict[str, Any], env: dict[str, str]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    for problems in (
        loaded(folder, text, values, env=env),
        loaded(folder, text),
        loaded(folder, None, {"base_url": BASE, **values}),
    ):
        assert [problem for problem in problems if not SENTENCE.fullmatch(problem)] == []


# --- sitemaps

CODES = {rule.code for rule in ALL}


def findings(folder: Path, data: bytes, name: str = "sitemap.xml", *, whole: bool = False) -> list[Finding]:
    path = folder / name
    path.write_bytes(data)
    try:
        return list(validate([str(folder if whole else path)], now=SECOND))
    finally:
        path.unlink()


def check(found: Iterable[Finding], data: bytes) -> None:
    lines = len(re.split(rb"\r\n|\r|\n", data))
    for finding in found:
        assert finding.code in CODES
        assert 1 <= finding.line <= lines, finding
        assert finding.message.strip(), finding


@st.composite
def sitemaps(draw: st.DrawFn) -> bytes:
    def choose(items: Sequence[Any]) -> Any:
        return draw(st.sampled_from(items))

    return mutants.data(choose, choose, choose(("urlset", "urlset", "sitemapindex")))


@given(
    sitemaps() | st.binary(max_size=80) | st.text(max_size=60).map(lambda text: f"{BASE}\n{text}".encode())
)
def test_every_sitemap_is_checked(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "sitemaps"
    folder.mkdir(exist_ok=True)
    found = findings(folder, data)
    check(found, data)
    for name in ("sitemap.txt", "sitemap-x.xml"):
        check(findings(folder, data, name), data)
    assert findings(folder, data) == found
    (folder / "robots.txt").write_bytes(
        b"User-agent: *\nDisallow: /a\nSitemap: https://example.com/sitemap.xml"
    )
    findings(folder, data, whole=True)
    (folder / "robots.txt").write_bytes(data)
    findings(folder, data, whole=True)
    (folder / "robots.txt").unlink()


@given(st.data())
def test_every_packed_sitemap_is_checked(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    def choose(items: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(items))

    folder = tmp_path_factory.getbasetemp()
    raw = mutants.data(choose, choose)
    said = [finding[0:1] + finding[3:] for finding in findings(folder, raw)]
    intact = findings(folder, mutants.gzip.compress(raw), "s.xml.gz")
    assert [finding[0:1] + finding[3:] for finding in intact] == said
    for finding in findings(folder, mutants.packed(raw, choose), "s.xml.gz"):
        assert finding.code in CODES


def facts(blocks: Iterator[bytes]) -> list[Any]:
    found: list[Any] = []
    for fact in elements(blocks):
        found.append((type(fact), fact.line, fact.text) if isinstance(fact, Fault) else fact)
    return found


@given(st.data())
def test_sitemaps_say_the_same_wherever_blocks_end(data: st.DataObject) -> None:
    def choose(items: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(items))

    blank = choose(("", "", " \n", "\n" * 9)).encode()
    raw = blank + mutants.text(choose, choose).encode("utf-8", "replace").replace(b"\0", b"")
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=5)))
    start = len(blank) + 4  # a mark or a beginning is never cut
    blocks = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    if not cuts or cuts[0] >= start or not raw[: cuts[0]].strip():
        assert facts(iter(blocks)) == facts(iter([raw]))


# --- the ledger

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
            return end.join(draw(st.lists(st.sampled_from(ROWS) | st.text(max_size=20), max_size=8))).encode(
                "utf-8", "surrogatepass"
            )
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
    from zoneinfo import ZoneInfo

    path = tmp_path_factory.getbasetemp() / "sitemapper.ledger"
    path.write_bytes(data)
    pages = [Page(f"{n:03}.html", 1, 1, n) for n in range(0, 30, 2)] + [Page("a.html", 1, 1, 40)]
    reader = None
    try:
        reader = ledger.Reader(str(path), "the.ledger", Writer(ZoneInfo(zone)))
        for n in range(0, len(pages), size):
            for name, row in reader.rows(pages[n : n + size]).items():
                assert name in {page.path for page in pages[n : n + size]}
                assert re.fullmatch("[0-9a-f]{4}-[0-9a-f]{16}", row.digest)
        reader.finish()
    except LedgerError as error:
        found = re.match(r"the\.ledger:(\d+): .+; .+", str(error), re.DOTALL)
        assert found
        assert 1 <= int(found[1]) <= data.count(b"\n") + 1


# --- what was found in this way, each with the smallest input that shows it

ENTRY = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{mutants.SPACE}">\n<url><loc>{BASE}</loc>{{}}</url>{{}}</urlset>'
OTHER = 'xmlns="http://www.sitemaps.org/0.8"'


def codes(folder: Path, data: bytes, name: str = "sitemap.xml") -> list[str]:
    return [finding.code for finding in findings(folder, data, name)]


@pytest.mark.parametrize("data", [b"PK\3\4", b"\x1f\x8b\0\0", b"\x1f\x8b"])
def test_a_file_that_cannot_be_unpacked_from_its_first_byte_on(data: bytes, tmp_path: Path) -> None:
    assert codes(tmp_path, data) == ["SM109"]


@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0" encoding="UTF-8"?>'])
def test_utf_16_that_the_parser_would_read_by_itself(declaration: str, tmp_path: Path) -> None:
    text = declaration + ENTRY.format("", "").partition("\n")[2]
    assert codes(tmp_path, text.encode("utf-16-le")) == ["SM102"]


@pytest.mark.parametrize(
    ("inside", "behind", "code"),
    [
        ("<priority>٠.٥</priority>", "", "SM206"),
        ("<priority>1.00000000000000000001</priority>", "", "SM206"),
        ("<priority>0.5\u00a0</priority>", "", "SM206"),
        ("<changefreq> daily </changefreq>", "", "SM205"),
        ("<lastmod>2026-01-01T00:00:00+14:01</lastmod>", "", "SM203"),
        ("\u00a0", "", "SM110"),
        ("", "\u00a0", "SM110"),
        (f"<lastmod {OTHER}>2026-01-01</lastmod>", "", "SM110"),
        ("", f"<url {OTHER}><loc>{BASE}a</loc></url>", "SM110"),
        ("", '<x:a xmlns:x="x"/>', "SM110"),
        ("", f'<url xml:lang="de"><loc>{BASE}a</loc></url>', "SM110"),
        ("", f"<url><loc>{BASE}[a]</loc></url>", "SM303"),
    ],
)
def test_what_the_schema_refuses(inside: str, behind: str, code: str, tmp_path: Path) -> None:
    assert codes(tmp_path, ENTRY.format(inside, behind).encode()) == [code]


def test_a_stranger_in_an_index(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(ENTRY.format("", ""))
    text = (
        f'<sitemapindex xmlns="{mutants.SPACE}"><sitemap><loc>{BASE}a.xml</loc>{{}}</sitemap></sitemapindex>'
    )
    assert codes(tmp_path, text.format("").encode()) == []
    assert codes(tmp_path, text.format('<x:a xmlns:x="x"/>').encode()) == ["SM110"]


def test_white_space_of_a_block_before_the_declaration(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, b"\n" * 65_536 + ENTRY.format("", "").encode())
    assert (finding.code, finding.line) == ("SM101", 65_537)


@pytest.mark.parametrize("value", [5, "a"])
@pytest.mark.parametrize("key", ["ignore", "include"])
def test_no_list_above_a_list(key: str, value: object, tmp_path: Path) -> None:
    (problem,) = loaded(tmp_path, f'base_url = "{BASE}"\n{key} = ["a"]', {key: value})
    assert problem.startswith(f"settings: {key}: must be a list")


@pytest.mark.parametrize("key", ["max_drop", "site", "sitemap.max_urls", "lastmod"])
def test_numbers_that_python_does_not_write(key: str, tmp_path: Path) -> None:
    problems = loaded(tmp_path, f'base_url = "{BASE}"\n{key} = 0x{"f" * 4000}')
    assert [
        problem for problem in problems if not problem.startswith(f"sitemapper.toml:2: {key}: must ")
    ] == []
    assert problems


def test_keys_nested_beyond_all_limits(tmp_path: Path) -> None:
    (problem,) = loaded(tmp_path, ".".join("a" * 5000) + " = 1")
    assert problem.startswith("sitemapper.toml: is nested too deep")


@pytest.mark.parametrize(
    ("key", "shown"),
    [('""', '""'), ('"a["', '"a["'), ('"a\\nb"', '"a\\nb"'), ('sitemap."a b"', 'sitemap."a b"')],
)
def test_unknown_keys_that_are_no_words(key: str, shown: str, tmp_path: Path) -> None:
    (problem,) = loaded(tmp_path, f'base_url = "{BASE}"\n{key} = 1')
    assert re.match(rf"sitemapper\.toml:\d: {re.escape(shown)}: unknown key", problem)


@pytest.mark.parametrize("key", ["ignore", "include"])
def test_a_nul_in_a_pattern(key: str, tmp_path: Path) -> None:
    (problem,) = loaded(tmp_path, None, {"base_url": BASE, key: ["a\0"]})
    assert problem.endswith(f"{key}: 'a\\x00' is no gitignore pattern (it holds a NUL)")


def test_a_very_long_path_in_an_index_takes_no_time(tmp_path: Path) -> None:
    row = f"<sitemap><loc>{BASE}{'a/' * 30_000}.xml</loc></sitemap>"
    text = f'<sitemapindex xmlns="{mutants.SPACE}">{row}</sitemapindex>'
    assert codes(tmp_path, text.encode()) == ["SM302"]
