"""When pages last changed by the ledger, by their own files, and by what they state; the notes."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.rooms import BASE, DAY, MTIME, NOW, DatedSite, Repo, canonical, date_site, write

from sitemapper.lastmod import read_rows, render_rows
from sitemapper.messages import SitemapperError

# --- The ledger's file

GOOD = "a.html\t2026-01-02\t0000-0000000000000000\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x", "the ledger:2: expected “path TAB lastmod TAB digest”"),
        ("b.html\t2024-13\t0000-0000000000000000", "the ledger:2: '2024-13' is not a date"),
        ("<<<<<<< HEAD", "the ledger:2: git left a conflict here"),
        ("über.html\t-\t0000-0000000000000000", "the ledger:2: expected"),
    ],
)
def test_damage_is_told_with_its_line(line: str, said: str) -> None:
    with pytest.raises(SitemapperError) as error:
        read_rows(f"{GOOD}{line}\nz.html\t-\t0000-0000000000000000\n".encode(), "the ledger")
    assert error.value.text.startswith(said)
    assert error.value.help


def test_what_is_read_is_written_again() -> None:
    text = (
        "a%20b/index.html\t2026-03-01\t3f0c-0000000000000000\n"
        "c.html\t-\t3f0c-0000000000000000\n"
        "d.html\t>2026-03-01T12:00:00+02:00\t3f0c-0000000000000000\n"
        "e%25%0A%FF.html\t2026\t3f0c-0000000000000000\tunlisted\n"
        "f.html\t2026-03\t3f0c-0000000000000000\t/f\n"
        "https://tea.example/x\t-\t0000-0000000000000000\n"
    )
    rows = read_rows(text.encode(), "the ledger")
    assert list(rows)[:1] == ["a b/index.html"]
    assert list(rows)[3] == "e%\n\udcff.html"
    assert render_rows(rows) == text.encode()
    windows = text.replace("\n", "\r\n").removesuffix("\r\n").encode()
    assert read_rows(windows, "x") == rows
    other = text.replace("2026-03-01\t", "2026-03-02\t")
    assert read_rows((text + other).encode(), "x") == read_rows(other.encode(), "x")
    assert read_rows(b"", "the ledger") == {}


# --- Dates by the ledger

WITH = ("ledger", "mtime")


def page(text: str, menu: str = "menu") -> str:
    return f"<title>{text}</title><nav>{menu}</nav><main><h1>{text}</h1><p>Text of {text}.</main>"


@pytest.fixture
def adopted(tmp_path: Path) -> Path:
    """A site whose ledger has three pages, with file times an hour apart."""
    write(tmp_path / "public", {f"{name}.html": page(name) for name in "abc"})
    dated(tmp_path).publish()
    return tmp_path


def dated(root: Path, **values: Any) -> DatedSite:
    return date_site(root, **{"lastmod": WITH, **values})


def rebuild(root: Path, days: int = 9, **texts: str) -> None:
    """Writes all pages again some days later, some with other texts."""
    files = {path.name: path.read_text() for path in sorted((root / "public").glob("*.html"))}
    write(root / "public", files | {f"{name}.html": page(text) for name, text in texts.items()})
    for path in (root / "public").glob("*.html"):
        time = path.stat().st_mtime + days * DAY
        os.utime(path, (time, time))


FIRST = ["2026-01-02T03:04:05+00:00", "2026-01-02T04:04:05+00:00", "2026-01-02T05:04:05+00:00"]
LATER = "2026-01-11T"


def test_a_date_moves_when_the_content_moves_and_never_otherwise(adopted: Path) -> None:
    ledger = (adopted / "sitemapper.ledger").read_bytes()
    assert [line.split(b"\t")[1].decode() for line in ledger.splitlines()] == FIRST
    rebuild(adopted)
    write(adopted / "public", {"a.html": page("a", "another menu")})
    again = dated(adopted)
    assert list(again.dates.values()) == FIRST
    assert again.dated.rows is not None
    assert render_rows(again.dated.rows) == ledger
    rebuild(adopted, b="new", d="d")
    found = dated(adopted).dates
    assert (found["a.html"], found["c.html"]) == (FIRST[0], FIRST[2])
    assert (found["b.html"] or "").startswith(LATER)
    assert (found["d.html"] or "").startswith(LATER)


def test_a_row_goes_when_its_file_is_gone_not_when_its_page_is_ignored(adopted: Path) -> None:
    (adopted / "public/c.html").unlink()
    rows = dated(adopted, ignore=["a.html"], urls=[{"loc": f"{BASE}x"}]).dated.rows
    assert rows is not None
    assert [(path, row.place) for path, row in rows.items()] == [
        ("a.html", "unlisted"), ("b.html", ""), (f"{BASE}x", ""),
    ]  # fmt: skip


def test_a_page_at_another_url_has_it_in_its_row(adopted: Path) -> None:
    write(
        adopted / "public", {"b.html": canonical(f"{BASE}b"), "c.html": canonical(f"{BASE}c.html")}
    )
    rows = dated(adopted, url_style="file").dated.rows
    assert rows is not None
    assert [row.place for row in rows.values()] == ["", "/b", ""]


def test_a_first_run_does_not_claim_that_everything_changed(tmp_path: Path) -> None:
    write(tmp_path / "public", {f"{n}.html": page(str(n)) for n in range(9)})
    for path in (tmp_path / "public").iterdir():
        os.utime(path, (MTIME, MTIME))
    site = dated(tmp_path)
    assert {*site.dates.values()} == {None}
    assert site.dated.messages == ()  # the ledger will date them
    site.publish()
    rebuild(tmp_path, **{"3": "new"})
    found = dated(tmp_path).dates
    assert [name for name, date in found.items() if date] == ["3.html"]
    dated(tmp_path).publish()
    rebuild(tmp_path, **{str(n): f"theme {n}" for n in range(9)})  # another theme
    for path in (tmp_path / "public").glob("*.html"):
        os.utime(path, (MTIME, MTIME))
    assert {*dated(tmp_path, max_drop=100).dates.values()} == {None}


def test_another_rule_of_digests_keeps_all_dates(adopted: Path) -> None:
    rebuild(adopted)
    assert list(dated(adopted, ledger={"drop": [".time"]}).dates.values()) == FIRST


def test_an_edit_has_no_old_date_however_often_it_is_built_before_the_commit(
    tmp_path: Path,
) -> None:
    repo = Repo(tmp_path)
    repo.commit(1, {"hugo.toml": "", "content/a.md": "1", "content/b.md": "1"})
    repo.commit(2, {".gitignore": "public\n*.ledger\n"})
    write(tmp_path / "public", {f"{name}/index.html": page(name) for name in "ab"})
    for number in (1, 2, 3):
        site = dated(tmp_path, lastmod=["ledger", "git"])
        assert site.days == ("a:1 b:1" if number == 1 else "a:- b:1")
        site.publish()
        write(tmp_path, {"public/a/index.html": page("edited"), "content/a.md": "two"})
    assert ">2026-01-01T00:00:00+00:00" in (tmp_path / "sitemapper.ledger").read_text()
    repo.commit(5)
    for _ in range(2):
        site = dated(tmp_path, lastmod=["ledger", "git"])
        assert site.days == "a:5 b:1"
        site.publish()


def test_a_day_on_which_a_page_changed_twice(tmp_path: Path) -> None:
    for text in ("one", "two", "three"):
        head = '<meta name="date" content="2026-01-02">'
        write(tmp_path / "public", {"a.html": head + page(text)})
        site = dated(tmp_path, lastmod=["ledger", "page"])
        assert site.days == "a.html:2"
        site.publish()


@pytest.mark.parametrize(
    "sources",
    [["mtime", "page", "ledger"], ["mtime", "page", "git", "ledger"], ["page", "mtime", "ledger"]],
)
def test_the_ledger_comes_before_the_times_of_files(tmp_path: Path, sources: list[str]) -> None:
    """Else the second build would take the date that `page` has."""
    head = '<meta property="article:modified_time" content="2025-03-04">'
    write(tmp_path / "public", {"a.html": head + page("a"), "b.html": page("b")})
    first = dated(tmp_path, lastmod=sources)
    first.publish()
    rebuild(tmp_path)
    assert dated(tmp_path, lastmod=sources).dates == first.dates


def test_an_edit_that_is_built_while_the_clock_is_behind_has_no_date(adopted: Path) -> None:
    rebuild(adopted, b="new")
    site = dated(adopted, now=datetime(2026, 1, 5, tzinfo=UTC))
    assert site.days == "a.html:2 b.html:- c.html:2"
    assert site.notes == [
        "no-date: 1 page has no date: its date is in the future or before 1991 (b.html)"
    ]


def test_explain_says_what_the_content_is(adopted: Path) -> None:
    rebuild(adopted, b="new", d="d")
    site = dated(adopted)
    assert site.explain("a.html") == [("content", "unchanged since the last build")]
    for path in ("b.html", "d.html"):
        assert site.explain(path) == [("content", "new or changed since the last build")]


# --- The times of files

EDITS = [MTIME + DAY, MTIME + 2 * DAY, MTIME + 2 * DAY + 30]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([MTIME] * 18 + EDITS, 3),
        ([MTIME + 10 * n for n in range(21)], 0),  # a build of 200 seconds
        ([MTIME + 20 * n for n in range(5)], 4),  # four others within 40 seconds of the middle one
        ([MTIME + 21 * n for n in range(21)], 21),
        ([MTIME, MTIME + 1, MTIME + 1, MTIME + DAY, MTIME + 9 * DAY], 2),
        ([MTIME, MTIME + 2, MTIME + 4, MTIME + DAY, MTIME + 9 * DAY], 5),
        ([MTIME] * 4, 0),
        ([MTIME, MTIME + 2], 0),
        ([MTIME, MTIME + 90], 2),
        ([MTIME], 1),
        ([662_688_000, 662_687_000], 1),  # 1991
        (
            [int(NOW.timestamp()) + 60, int(NOW.timestamp()) + 161],
            1,
        ),  # a clock may be a minute fast
    ],
)
def test_times_of_a_copy_or_a_build_date_no_page(
    tmp_path: Path, seconds: list[int], expected: int
) -> None:
    for number, second in enumerate(seconds):
        write(tmp_path / "public", {f"{number:03}.html": f"<p>{number}"})
        os.utime(tmp_path / f"public/{number:03}.html", (second, second))
    for lastmod in ("auto", ["page", "mtime"]):
        assert date_site(tmp_path, lastmod=lastmod).sources.count("mtime") == expected
    if expected == 0:
        assert "file" not in date_site(tmp_path, lastmod=["mtime"]).sources


def test_many_times_of_a_copy_are_worth_one_warning(tmp_path: Path) -> None:
    for copied, expected in ((20, 0), (21, 1)):
        for number in range(41):
            write(tmp_path / "public", {f"{number:02}.html": f"<p>{number}"})
            second = MTIME if number < copied else MTIME + number * DAY
            os.utime(tmp_path / f"public/{number:02}.html", (second, second))
        site = date_site(tmp_path, lastmod=["mtime"], now=NOW + timedelta(90))
        assert [one.code for one in site.dated.messages] == ["file-times"] * expected


def test_pages_of_a_generator_and_pages_as_in_git_have_no_file_times(tmp_path: Path) -> None:
    files = {f"public/{n}.html": f"<p>{n}" for n in range(3)}
    write(tmp_path, files)
    assert date_site(tmp_path).sources == "mtime mtime mtime"
    write(tmp_path, {"hugo.toml": ""})
    assert date_site(tmp_path).sources == "file_time file_time file_time"
    (tmp_path / "hugo.toml").unlink()
    # Its `outDir` is not read: it has written no other folder, so it wrote this one.
    write(tmp_path, {".vitepress/config.js": "export default {outDir: '../public'}"})
    assert date_site(tmp_path).sources == "file_time file_time file_time"
    (tmp_path / ".vitepress/config.js").unlink()
    Repo(tmp_path).commit(1)
    write(tmp_path, files)
    assert date_site(tmp_path).sources == "deploy deploy deploy"


def test_source_date_epoch_is_an_upper_bound(tmp_path: Path) -> None:
    write(tmp_path / "public", {f"{n}.html": f"<p>{n}" for n in range(3)})
    environment = {"SOURCE_DATE_EPOCH": str(MTIME + 3600)}
    assert list(date_site(tmp_path, environment=environment).dates.values()) == [
        FIRST[0], FIRST[1], FIRST[1],
    ]  # fmt: skip
    environment = {"SOURCE_DATE_EPOCH": "9" * 5000}  # more digits than int() reads
    assert list(date_site(tmp_path, environment=environment).dates.values()) == FIRST


# --- What pages and people state, and how dates are written

STATED = ("2024-03-01", "May 2024", "03/04/2024", "2099-01-01")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"lastmod": ["page"]}, "0.html:2024-03-01 1.html:2024-05 2.html:- 3.html:-"),
        ({"lastmod": ["page", "mtime"]}, "0.html:2024-03-01 1.html:2024-05 2.html:2 3.html:2"),
        ({"lastmod": ["mtime", "page"]}, "0.html:2 1.html:2 2.html:2 3.html:2"),
        ({"lastmod": []}, "0.html:- 1.html:- 2.html:- 3.html:-"),
    ],
)
def test_the_first_source_that_answers_wins(
    tmp_path: Path, values: dict[str, Any], expected: str
) -> None:
    for number, text in enumerate(STATED):
        head = f'<meta name="date" content="{text}">'
        write(tmp_path / "public", {f"{number}.html": head})
        os.utime(tmp_path / f"public/{number}.html", (MTIME + number * 99,) * 2)
    site = date_site(tmp_path, **values)
    assert site.days == expected
    assert ("implausible" in site.sources) == (values["lastmod"] == ["page"])


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ({"date_only": True}, "2026-01-02"),
        ({"timezone": "America/New_York"}, "2026-01-01T22:04:05-05:00"),
    ],
)
def test_dates_as_configured(tmp_path: Path, dates: dict[str, Any], expected: str) -> None:
    write(tmp_path / "public", {"a.html": "<p>"})
    assert date_site(tmp_path, dates=dates).dates == {"a.html": expected}


def test_a_rule_wins_and_no_source_dates_an_entry_of_urls(tmp_path: Path) -> None:
    write(tmp_path / "public", {"a.html": "<p>", "b.html": "<p>", "c.html": "<p>"})
    rules = [
        {"match": ["a.html"], "lastmod": "2025-01-01"},
        {"match": ["b.html"], "lastmod": "2027-01-01"},
    ]
    urls = [{"loc": f"{BASE}x", "lastmod": "2024-02"}, {"loc": f"{BASE}y"}]
    site = date_site(tmp_path, rules=rules, urls=urls)
    assert site.days == "a.html:2025-01-01 b.html:- c.html:2 x:2024-02 y:-"
    assert site.sources.split() == ["rule", "implausible", "mtime", "rule"]
    assert site.notes == [
        "no-date: 1 page has no date: its date is in the future or before 1991 (b.html)"
    ]


def test_a_day_that_has_begun_where_the_writer_is_is_no_future(tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
    write(tmp_path / "public", {"a.html": page("a")})
    os.utime(tmp_path / "public/a.html", (now.timestamp() - 60,) * 2)
    dates = {"timezone": "Pacific/Auckland", "date_only": True}
    for minutes in (0, 5):
        site = dated(tmp_path, dates=dates, now=now + timedelta(minutes=minutes))
        assert (site.dates, site.notes) == ({"a.html": "2026-03-02"}, [])
        site.publish()


# --- The notes

LISTS = (
    "index.html blog/index.html blog/a/index.html blog/page/2/index.html tags/red/index.html "
    "2025/06/index.html archive.html categories/x.html de/index.html de/b.html list.html list/c.html"
)


def test_home_pages_and_lists_are_counted_silently(tmp_path: Path) -> None:
    write(tmp_path, {"hugo.toml": ""})
    write(tmp_path / "public", LISTS)
    site = date_site(tmp_path)
    undated = {one.page.path for one in site.dated.entries if one.page and one.source != "list"}
    assert undated == {"blog/a/index.html", "de/b.html", "list/c.html"}
    [note] = site.dated.messages
    assert (note.severity, note.code) == ("note", "no-date")
    assert note.text == (
        "3 pages have no date: a copy or a build wrote the file "
        "(blog/a/index.html, de/b.html, list/c.html)"
    )
    assert note.help.startswith("--ledger sitemapper.ledger ")
    assert date_site(tmp_path, ledger={"path": "sitemapper.ledger"}).dated.messages == ()


def test_a_note_counts_causes_and_names_the_setting_that_helps(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    files = {
        f"content/{name}": f"---\ntitle: {name[0]}\n---\nText."
        for name in ("a.md", "a.rst", "b.md")
    }
    repo.commit(1, files | {"hugo.toml": "", ".gitignore": "public"})
    much = "<main><h1>b</h1>" + "More. " * 500
    write(tmp_path, {"public/a.html": "<h1>a</h1>", "public/b.html": much, "public/c.html": "<p>"})
    [note] = date_site(tmp_path).dated.messages
    assert note.text == (
        "3 pages have no date: 1: no source is known; 1: two sources fit; "
        "1: the page shows more than its source (a.html, b.html, c.html)"
    )
    assert note.help == "name the sources of the pages with [[git.map]]"
    maps = [{"page": f"{name}.html", "source": source} for name, source in
            (("a", ["content/a.md"]), ("b", ["content/b.md"]), ("c", []))]  # fmt: skip
    site = date_site(tmp_path, git={"map": maps})
    assert (site.days, site.dated.messages) == ("a.html:1 b.html:1 c.html:-", ())


def test_git_that_was_asked_for_and_says_nothing_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "public", {"a.html": "<p>"})
    for _ in range(2):
        site = date_site(tmp_path, lastmod=["git", "mtime"])
        assert (site.sources, site.notes[0][:21]) == ("mtime", "git: git has no dates")
        assert date_site(tmp_path).notes == []
        Repo(tmp_path)  # which has no commit
    Repo(tmp_path).commit(1)
    monkeypatch.setenv("PATH", "/nowhere")
    assert date_site(tmp_path, lastmod=["git", "mtime"]).notes[0][:21] == "git: git has no dates"
