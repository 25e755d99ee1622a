"""The linter: for each rule, files that break it and others that do not; which files are checked."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.rooms import NOW, write
from support.sitemaps import SPACE, index, locs, urlset

from sitemapper.linter import RULES, Finding, chosen, lint, validate
from sitemapper.messages import SitemapperError

Files = str | bytes | Mapping[str, str | bytes]

BASE = "https://tea.example/"
LOC = f"<loc>{BASE}</loc>"
SECONDS = int(NOW.timestamp())
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
ONE = {"a.xml": locs(BASE)}
OURS = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{SPACE}" {XHTML}>\n'
    f"<url>{LOC}<lastmod>2026-01-01</lastmod><changefreq>weekly</changefreq></url>\n</urlset>\n"
)


def linted(folder: Path, files: Files) -> list[Finding]:
    """What is found in a folder with these files; text alone is a sitemap.xml."""
    write(folder, {"sitemap.xml": files} if isinstance(files, str | bytes) else files)
    return list(validate([str(folder)], now=SECONDS))


def dated(count: int, seconds: int) -> str:
    """So many pages, whose dates are so many seconds apart."""
    times = [
        f"2026-01-{1 + n * seconds // 3600 % 28:02}T{n * seconds % 3600 // 60:02}:00:00Z"
        for n in range(count)
    ]
    return urlset(
        *(f"<loc>{BASE}{n}</loc><lastmod>{time}</lastmod>" for n, time in enumerate(times))
    )


def alternates(*languages: str, href: str = BASE, more: str = "", rel: str = "alternate") -> str:
    links = "".join(
        f'<xhtml:link rel="{rel}" hreflang="{name}" href="{href}"/>' for name in languages
    )
    return urlset(LOC + links + more, spaces=XHTML)


def ours(**values: str) -> str:
    """A line as sitemapper writes it, with other values."""
    text = OURS
    for old, new in values.items():
        text = text.replace({"date": "2026-01-01", "freq": "weekly", "loc": BASE}[old], new)
    return text


# The same page as AMP, for another device and in apps; none is a language.
OTHER_LINKS = (
    f'<xhtml:link rel="amphtml" href="{BASE}amp/"/>'
    f'<xhtml:link rel="alternate" media="handheld" href="{BASE}m/"/>'
    '<xhtml:link rel="alternate" href="android-app://com.example/https/example.com/"/>'
    '<xhtml:link rel="alternate" href="ios-app://123/example/a"/>'
)
CHILD = index(f"<loc>{BASE}a/s.xml</loc>")
GOOD = urlset(LOC)
# Files (or a sitemap.xml) that break a rule, and those that do not.
CASES: list[tuple[str, Files, Files]] = [
    ("SM101", "<urlset><url>&</url></urlset>", GOOD),
    ("SM101", "\n" + GOOD, "\ufeff" + GOOD),
    ("SM102", GOOD.replace("UTF-8", "ISO-8859-1"), GOOD.replace("UTF-8", "utf-8")),
    ("SM102", GOOD.encode("utf-16"), GOOD.replace(' encoding="UTF-8"', "")),
    ("SM102", GOOD[39:].encode("utf-16-le"), GOOD[39:]),
    ("SM103", GOOD.replace("0.9", "9.0"), GOOD),
    ("SM103", "<!doctype html><p>Not found", locs(f"{BASE}html")),
    ("SM103", {"sitemap.xml": '<rss version="2.0"><channel/></rss>'}, {"feed.xml": "<rss/>", **ONE}),
    ("SM104", locs(*(f"{BASE}{n}" for n in range(50_001))), locs(*(f"{BASE}{n}" for n in range(50_000)))),
    ("SM105", {"sitemap.xml.gz": gzip.compress((GOOD + " " * 52_428_800).encode())},
        {"sitemap.xml.gz": gzip.compress((GOOD + " " * 1_000_000).encode())}),
    ("SM105", GOOD + " " * 52_428_800, GOOD + " " * 1_000_000),
    ("SM106", urlset(), GOOD),
    ("SM106", {"sitemap.txt": "\n"}, {"sitemap.txt": f"{BASE}\n"}),
    ("SM107", f'<!DOCTYPE x [<!ENTITY a "b">]>\n{GOOD[39:]}', GOOD),
    ("SM107", urlset(f"{LOC}<a>{'<b/>' * 20_000}</a>"), urlset(f"{LOC}<a>{'<b/>' * 19_000}</a>")),
    ("SM107", urlset(f"{LOC}{'<a>' * 20_000}"), GOOD),
    ("SM109", {"sitemap.xml.gz": gzip.compress(GOOD.encode())[:-9]}, {"sitemap.xml.gz": gzip.compress(GOOD.encode())}),
    ("SM109", {"sitemap.xml.gz": GOOD}, GOOD),
    ("SM109", {"sitemap.xml.gz": gzip.compress(gzip.compress(GOOD.encode()))}, gzip.compress(GOOD.encode())),
    ("SM201", urlset("<lastmod>2026-01-01</lastmod>"), GOOD),
    ("SM201", urlset(f'<loc xmlns="">{BASE}</loc>'), GOOD),
    ("SM203", urlset(f"{LOC}<lastmod>2026-01-01T00:00:00</lastmod>"),
        urlset(f"{LOC}<lastmod>2026-01</lastmod>", f"<loc>{BASE}b</loc><lastmod>2026-01-01T00:00:00.5+02:00</lastmod>")),
    ("SM203", ours(date="1.1.2026"), OURS),
    ("SM203", urlset(f"{LOC}<lastmod>2026-01-01</lastmod><lastmod>x</lastmod>"), urlset(f"{LOC}<lastmod>\n2026\n</lastmod>")),
    ("SM204", urlset(f"{LOC}<lastmod>2999-01-01</lastmod>"), urlset(f"{LOC}<lastmod>2026-06-02</lastmod>")),
    ("SM205", urlset(f"{LOC}<changefreq>Daily</changefreq>"), urlset(f"{LOC}<changefreq>daily</changefreq>")),
    ("SM205", urlset(f"{LOC}<changefreq> daily</changefreq>"), OURS),
    ("SM205", ours(freq="often"), OURS),
    ("SM206", urlset(f"{LOC}<priority>1.1</priority>"), urlset(f"{LOC}<priority>1.0</priority>")),
    ("SM206", urlset(f"{LOC}<priority>1.00000000000000000001</priority>"), urlset(f"{LOC}<priority> .5 </priority>")),
    ("SM207", dated(20, 0), dated(20, 3600)),
    ("SM207", dated(20, 0), dated(19, 0)),
    ("SM207", dated(20, 0), {"i.xml": dated(20, 0).replace("urlset", "sitemapindex").replace("url>", "sitemap>")}),
    ("SM209", alternates("de_DE"), alternates("de-DE", "x-default", "zh-Hans", "es-419", more=OTHER_LINKS)),
    ("SM209", alternates("de", href="/de/"), alternates("de")),
    ("SM209", alternates("de", rel="alternative"), alternates("de")),
    ("SM212", alternates("de", href=f"{BASE}de/"), alternates(more=OTHER_LINKS)),
    ("SM301", locs("/a/"), locs(BASE)),
    ("SM301", locs("https://me:secret@tea.example/"), locs(f"{BASE}@b")),
    ("SM302", locs(BASE + "a" * 2028), locs(BASE + "a" * 2027)),
    ("SM303", locs(f"{BASE}über uns"), locs(f"{BASE}%C3%BCber%20uns?a=b&amp;c=[d]")),
    ("SM303", locs("https://tée.example/"), locs("https://xn--te-9ja.example/", "https://xn--te-9ja.example/%5Ba%5D")),
    ("SM304", locs(f"{BASE}#a"), locs(f"{BASE}%23a")),
    ("SM305", locs(BASE, "http://tea.example/b"), locs(BASE, "HTTPS://Tea.example:443/b")),
    ("SM305", locs(BASE, "https://tea.example.evil/b"), locs(BASE, f"{BASE}b")),
    ("SM306", {"i.xml": CHILD, "a/s.xml": locs(f"{BASE}b/")}, {"i.xml": CHILD, "a/s.xml": locs(f"{BASE}a/b/")}),
    ("SM306", {"i.xml": CHILD, "a/s.xml": locs(f"{BASE}ab/")},
        {"i.xml": CHILD, "a/s.xml": locs(f"{BASE}b/"), "robots.txt": f"Sitemap: {BASE}i.xml\nSitemap: {BASE}a/s.xml\n"}),
    ("SM307", locs(BASE, BASE), locs(BASE, f"{BASE}b")),
    ("SM308", locs(f"{BASE}a;jsessionid=1?b=2"), locs(f"{BASE}sessions?inside=1")),
    ("SM401", {"i.xml": index(f"<loc>{BASE}b.xml</loc>")}, {"i.xml": index(f"<loc>{BASE}a.xml</loc>"), **ONE}),
    ("SM401", {"robots.txt": f"Sitemap: {BASE}b.xml", **ONE}, {"robots.txt": f"Sitemap: {BASE}a.xml", **ONE}),
    ("SM402", {"i.xml": index(f"<loc>{BASE}j.xml</loc>"), "j.xml": index(f"<loc>{BASE}a.xml</loc>"), **ONE},
        {"i.xml": index(f"<loc>{BASE}a.xml</loc>"), **ONE}),
    ("SM404", {"robots.txt": "Sitemap: /a.xml", **ONE}, {"robots.txt": f"sitemap:{BASE}a.xml", **ONE}),
    ("SM406", {"robots.txt": "User-agent: *\nDisallow: /b/", "a.xml": locs(f"{BASE}%62/c")},
        {"robots.txt": "User-agent: x\nDisallow: /", "a.xml": locs(f"{BASE}b/c")}),
    ("SM407", {"robots.txt": "Sitemap: http://localhost:3000/a.xml", **ONE}, {"robots.txt": f"Sitemap: {BASE}a.xml", **ONE}),
    ("SM407", {"robots.txt": "Sitemap: https://deploy-preview-7--tea.netlify.app/a.xml", **ONE}, ONE),
]  # fmt: skip


def test_each_rule_about_files_has_a_case() -> None:
    assert {code for code, _, _ in CASES} == {code for code in RULES if code < "SM6"}


# Codes of rules that are gone, by CHANGELOG.md. People have them in `--disable`.
LEFT = {
    "SM108", "SM110", "SM202", "SM208", "SM210", "SM211", "SM213", "SM214", "SM403", "SM405",
    "SM501", "SM502", "SM503", "SM504", "SM505", "SM506", "SM507", "SM508", "SM509", "SM604",
    "SM607", "SM608", "SM609", "SM612", "SM613", "SM614", "SM615", "SM617", "SM626", "SM628",
    "SM631", "SM632", "SM634",
}  # fmt: skip


def test_no_code_is_used_twice() -> None:
    assert LEFT.isdisjoint(RULES)


@pytest.mark.parametrize(
    ("code", "bad", "good"), CASES, ids=[f"{n}-{one[0]}" for n, one in enumerate(CASES)]
)
def test_a_rule_finds_what_breaks_it_and_nothing_else(
    code: str, bad: Files, good: Files, tmp_path: Path
) -> None:
    assert code in [finding.code for finding in linted(tmp_path / "bad", bad)]
    found = linted(tmp_path / "good", good)
    assert [
        one for one in found if one.code == code or (one.severity == "error" and code != "SM207")
    ] == []


@pytest.mark.parametrize("url", ["http://[", "https://tea.example:x/", "https://[::1/a#b?sid=1"])
def test_what_is_no_url_is_one_finding(url: str, tmp_path: Path) -> None:
    assert [finding.code for finding in linted(tmp_path, locs(BASE, url))] == ["SM301"]


def test_a_finding_names_the_line_of_its_element(tmp_path: Path) -> None:
    entry = f"\n<loc>{BASE}ü</loc>\n<lastmod>x</lastmod>\n<priority>2</priority>\n<changefreq/>\n"
    found = linted(tmp_path, urlset(LOC, entry))
    assert [(one.code, one.line) for one in found] == [
        ("SM203", 6), ("SM206", 7), ("SM205", 8), ("SM303", 5),
    ]  # fmt: skip
    assert found[0].message == "lastmod 'x' is not a W3C Datetime such as 2026-03-01T12:00:00+00:00"
    assert found[3].message == f"{BASE}ü contains 'ü', which must be percent-encoded"


def test_a_file_that_cannot_be_read_to_its_end_is_not_called_empty(tmp_path: Path) -> None:
    assert [one.code for one in linted(tmp_path, urlset()[:-9])] == ["SM101"]
    faults = [(one.code, one.line) for one in linted(tmp_path, urlset("<lastmod/>")[:-9])]
    assert faults == [("SM203", 3), ("SM201", 3), ("SM101", 4)]


# --- Which files


def messages(path: str | Path | Sequence[str], **options: object) -> list[str]:
    """What is found, each with its file: `i.xml:3 SM401: …`."""
    paths = [str(path)] if isinstance(path, str | Path) else path
    found = lint(paths, now=SECONDS, **options).findings  # type: ignore[arg-type]
    return [f"{one.file}:{one.line} {one.code}: {one.message}" for one in found]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_robots_txt_beside_a_sitemap_counts_however_it_is_named(here: Path) -> None:
    robots = f"User-agent: *\nDisallow: /b\nSitemap: {BASE}s.xml"
    write(here, {"robots.txt": robots, "s.xml": locs(f"{BASE}b", f"{BASE}%62/c")})
    for path in (".", "robots.txt", "s.xml"):
        file = "./s.xml" if path == "." else "s.xml"
        assert messages(path) == [
            f"{file}:3 SM406: {BASE}b is disallowed by robots.txt:2: Disallow: /b",
            f"{file}:4 SM406: {BASE}%62/c is disallowed by robots.txt:2: Disallow: /b",
        ]
        assert messages(path, obeys_robots=False) == []


def test_an_index_that_names_itself_is_found(here: Path) -> None:
    write(here, {"i.xml": index(f"<loc>{BASE}i.xml</loc>")})
    assert messages("i.xml") == [f"i.xml:3 SM402: {BASE}i.xml is itself an index"]


def test_a_url_of_an_index_means_one_file_only(here: Path) -> None:
    """A query is another document, and what is cut off one URL is cut off all."""
    names = ("docs/s-1.xml", "docs/de/s-1.xml", "s-1.xml", "sitemap.xml?page=1", "../secret.xml")
    sitemap = index(*(f"<loc>{BASE}{name}</loc>" for name in names))
    write(here, {"site/sitemap.xml": sitemap, "site/s-1.xml": locs(f"{BASE}docs/")})
    assert messages("site") == [
        f"site/sitemap.xml:4 SM401: {BASE}docs/de/s-1.xml: no such file",
        f"site/sitemap.xml:5 SM401: {BASE}s-1.xml: no such file",
        f"site/sitemap.xml:6 SM401: {BASE}sitemap.xml?page=1: no such file",
        f"site/sitemap.xml:7 SM401: {BASE}../secret.xml: no such file",
    ]


@pytest.mark.parametrize(
    "loc", ["s-1.xml", "https://Tea.example/s-1.xml", "HTTPS://tea.example:443/s-1.xml"]
)
def test_another_spelling_in_an_index_is_no_other_scope(loc: str, tmp_path: Path) -> None:
    files = {"i.xml": index(f"<loc>{loc}</loc>"), "s-1.xml": locs(f"{BASE}a")}
    assert "SM306" not in [one.code for one in linted(tmp_path, files)]


def test_the_order_of_arguments_changes_nothing(here: Path) -> None:
    write(here, {"i.xml": CHILD, "a/s.xml": urlset(LOC, "<loc>/b</loc>")})
    first = messages(["a/s.xml", "i.xml"])
    assert [line.split()[1] for line in first] == ["SM306:", "SM301:"]
    assert messages(["i.xml", "a/s.xml"]) == messages(["i.xml", "a/s.xml", "./i.xml"]) == first


@pytest.mark.parametrize("names", [("i.xml", "a/s.xml"), ("a/s.xml", "i.xml")])
def test_what_robots_and_an_index_say_of_a_sitemap_is_put_together(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    robots = "".join(f"Sitemap: {BASE}{name}\n" for name in names)
    assert linted(tmp_path, {"robots.txt": robots, "i.xml": CHILD, "a/s.xml": GOOD}) == []


def test_a_folder_passes_over_no_broken_sitemap_and_takes_no_other_file(here: Path) -> None:
    files = {
        "page-sitemap.xml": "<!DOCTYPE html>", "sitemap-2.xml": "", "sitemap.xml": "<urlst/>", "sitemap.txt": "Tea",
        "pages.xml.gz": gzip.compress(f"<!-- part of <sitemapindex> -->{GOOD[39:]}".encode()),
        "feed.xml": "<rss/>", "notes.txt": "x", "sitemap.html": "", ".hidden/sitemap.xml": "", "broken.xml": "<!-- <urlset>",
    }  # fmt: skip
    write(here, {f"site/{name}": content for name, content in files.items()})
    found = lint(["site"], now=SECONDS)
    assert found.files == [
        ("site/page-sitemap.xml", 0), ("site/pages.xml.gz", 1), ("site/sitemap-2.xml", 0),
        ("site/sitemap.txt", 0), ("site/sitemap.xml", 0),
    ]  # fmt: skip
    assert [one.code for one in found.findings] == ["SM103", "SM106", "SM103", "SM103"]


def test_no_link_out_of_a_folder_is_followed(here: Path) -> None:
    files = {"site/i.xml": index(f"<loc>{BASE}s.xml</loc>"), "site/a.xml": locs(f"{BASE}b")}
    write(here, {**files, "secret": "one:two\n", "rules": "User-agent: *\nDisallow: /b # secret"})
    os.symlink(here / "rules", here / "site/robots.txt")
    os.symlink(here / "secret", here / "site/s.xml")
    os.symlink(here / "secret", here / "site/sitemap.txt")
    assert messages("site") == [f"site/i.xml:3 SM401: {BASE}s.xml: no such file"]
    assert "SM103" in messages("site/sitemap.txt")[0]  # what the user names is read


@pytest.mark.parametrize(
    ("files", "path", "says"),
    [
        ({"site/a.html": ""}, "site",
            "site: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt), and no robots.txt that lists one"),
        ({"site/robots.txt": "User-agent: *\n"}, "site",
            "site: contains no sitemap (*.xml, *.xml.gz, sitemap*.txt), and no robots.txt that lists one"),
        ({}, "no.xml", "no.xml: no such file"),
        ({"a/b": ""}, "a/../a/b/c.xml", "a/../a/b/c.xml: no such file"),
        ({}, "https://tea.example/no.xml", "https://tea.example/no.xml: no such file"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_an_error(here: Path, files: Files, path: str, says: str) -> None:
    write(here, files)  # type: ignore[arg-type]
    with pytest.raises(SitemapperError) as error:
        messages(path)
    assert error.value.text == says


def test_a_sitemap_a_thousand_folders_deep_is_found(here: Path) -> None:
    folder = "site" + "/a" * 1_200
    subprocess.run(["mkdir", "-p", folder], check=True)
    Path(folder, "s.xml").write_text(locs("/b"))
    try:
        found = messages("site")
    finally:
        subprocess.run(["rm", "-r", "site"], check=True)  # pytest cannot remove such a folder
    assert found == [f"{folder}/s.xml:3 SM301: '/b' is not an absolute http or https URL"]


def test_a_robots_txt_that_names_a_missing_sitemap_is_checked(here: Path) -> None:
    write(here, {"site/robots.txt": f"Sitemap: {BASE}gone.xml\n"})
    assert messages("site") == [f"site/robots.txt:1 SM401: {BASE}gone.xml: no such file"]


def test_stdin_is_checked_without_other_files(here: Path) -> None:
    write(here, {"robots.txt": "User-agent: *\nDisallow: /"})
    assert messages("-", stdin=gzip.compress(locs("/a").encode())) == [
        "-:3 SM301: '/a' is not an absolute http or https URL"
    ]
    assert messages("-", stdin=CHILD.encode()) == []


HOST: dict[str, str] = {
    "robots.txt": f"User-agent: *\nDisallow: /b\nSitemap: {BASE}docs/i.xml",
    "docs/i.xml": index(*(f"<loc>{url}</loc>" for url in (
        f"{BASE}docs/s.xml.gz", f"{BASE}no.xml", f"{BASE}docs/i.xml", "https://other.example/s.xml",
    ))),
    "docs/s.xml.gz": locs(f"{BASE}docs/", f"{BASE}b", f"{BASE}docs/#c"),
}  # fmt: skip


def test_a_live_sitemap_is_checked_with_those_that_it_names() -> None:
    asked: list[str] = []

    def fetch(url: str) -> bytes | None:
        asked.append(url)
        text = HOST.get(url.removeprefix(BASE))
        return None if text is None else text.encode()

    index_url, url = f"{BASE}docs/i.xml", f"{BASE}docs/s.xml.gz"
    assert messages(index_url, fetch=fetch) == [
        f"{index_url}:6 SM305: https://other.example/s.xml is not on https://tea.example like the first entry",
        f"{index_url}:4 SM401: {BASE}no.xml: no such file",
        f"{index_url}:5 SM402: {index_url} is itself an index",
        f"{url}:4 SM406: {BASE}b is disallowed by robots.txt:2: Disallow: /b",
        f"{url}:4 SM306: {BASE}b is not below {BASE}docs/, the folder of its sitemap",
        f"{url}:5 SM304: {BASE}docs/#c has a fragment, which crawlers ignore",
    ]
    assert sorted(asked) == sorted({f"{BASE}robots.txt", index_url, url, f"{BASE}no.xml"})

    # Of a server on this machine, nothing on the real host is requested.
    local = "http://localhost:8000/i.xml"
    pages = {local: CHILD.encode(), "http://localhost:8000/robots.txt": b""}
    found = messages(local, fetch=pages.__getitem__)
    assert found == [
        f"{local}:3 SM306: {BASE}a/s.xml is not below http://localhost:8000/, the folder of its sitemap"
    ]


# --- Which rules

UNREADABLE = {"SM101", "SM102", "SM103", "SM105", "SM107", "SM109"}


def test_select_and_disable_take_codes_and_families() -> None:
    with_2 = {code for code in RULES if code.startswith("SM2")}
    with_20, with_30 = ({code for code in RULES if code.startswith(f"SM{n}")} for n in (20, 30))
    assert {"SM203"} < with_20 < with_2
    assert chosen(["SM2"], ["SM20"]) == (with_2 - with_20) | UNREADABLE
    assert chosen(["sm203,SM30,"], []) == {"SM203"} | with_30 | UNREADABLE
    assert chosen(["SM2"], ["SM1"]) == with_2
    assert chosen([], []) == chosen([""], [","]) == {code for code in RULES if code < "SM6"}
    assert chosen([], [], is_live=True) == set(RULES)
    assert chosen(["SM601"], [], is_live=True) == {"SM601", *UNREADABLE}


@pytest.mark.parametrize(
    ("select", "disable", "says"),
    [
        (["SM601"], [], "SM601: this command has no such rule"),
        (["SM999"], [], "SM999: this command has no such rule"),
        ([], ["SM203,foo"], "FOO: this command has no such rule"),
        ([], ["SM"], "--disable leaves no rule"),
    ],
)
def test_codes_that_select_nothing_are_errors(
    select: list[str], disable: list[str], says: str
) -> None:
    with pytest.raises(SitemapperError) as error:
        chosen(select, disable)
    assert error.value.text == says
    assert error.value.help
