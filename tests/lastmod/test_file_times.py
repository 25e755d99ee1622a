"""File times of a build, and dates that cannot be right."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support import (
    BASE,
    MTIME,
    NOW,
    Run,
    Site,
    build,
    lastmods,
    notes_of,
    settings,
    write_site,
)
from support.git import Repo
from support.heads import NOINDEX
from support.ledger import WITH, dates, page

import sitemapper
from sitemapper.model import NoDate


def test_dates_at_the_edges(site: Site) -> None:
    """The clock of another machine may be a minute fast."""
    root = site(dict.fromkeys(["a.html", "b.html", "c.html", "d.html"], ""))
    first = 662_688_000  # 1991-01-01
    os.utime(root / "a.html", (first, first))
    os.utime(root / "b.html", (NOW.timestamp() + 60, NOW.timestamp() + 60))
    os.utime(root / "c.html", (NOW.timestamp() + 61, NOW.timestamp() + 61))
    os.utime(root / "d.html", ns=(first * 10**9 - 1, first * 10**9 - 1))
    summary = build(root)
    assert lastmods(root) == ["1991-01-01T00:00:00+00:00", "2026-06-01T00:01:00+00:00", None, None]
    found = [(kind.name, examples) for kind, examples, _, _ in summary.warnings]
    assert found == [("IMPLAUSIBLE", ("c.html", "d.html"))]


@pytest.mark.parametrize("sources", [["page", "mtime"], ["mtime", "page"]])
def test_a_page_with_another_date_is_not_counted_as_one_without(
    site: Site, sources: list[str]
) -> None:
    root = site({"a.html": '<meta name="date" content="2024-03-01">', "b.html": "", "c.html": ""})
    for path in root.iterdir():
        os.utime(path, (MTIME, MTIME))
    [note] = [note for note in notes_of(build(root, lastmod=sources)) if "no date" in note]
    assert note.startswith("2 pages have no date")


@pytest.mark.parametrize(
    ("files", "help"),
    [
        (
            {"a.html": NOINDEX},
            "build the site as for production; --no-respect noindex lists such pages",
        ),
        (
            {"a.html": f'<link rel="canonical" href="{BASE}b">'},
            "correct base_url or the canonicals; --no-respect canonical ignores canonicals",
        ),
        (
            {
                "a.html": "<p>",
                "b.html": "<p>",
                "c.html": NOINDEX,
                "robots.txt": "User-agent: *\nDisallow: /",
            },
            "correct robots.txt; --no-respect robots lists such pages",
        ),
        ({"a.png": ""}, "check the folder, `include` and `ignore`"),
    ],
)
def test_a_site_without_a_page_to_list_tells_where_to_look(
    site: Site, run: Run, files: dict[str, str], help: str
) -> None:
    assert run("build", site(files), "--base-url", BASE) == 2
    assert run.err.endswith(f"\n  help: {help}; --max-drop 100 publishes an empty sitemap\n")


def test_dates_in_the_future_are_not_written_wherever_they_come_from(site: Site) -> None:
    root = site({"a.html": ""})
    rules = [{"match": ["a.html"], "lastmod": "2027-01-01", "changefreq": "daily"}]
    summary = build(root, rules=rules, urls=[{"loc": f"{BASE}x", "lastmod": "2027"}])
    assert lastmods(root) == ["2026-01-02T03:04:05+00:00", None]
    assert "<changefreq>daily</changefreq>" in (root / "sitemap.xml").read_text()
    [(kind, about, count, _)] = summary.warnings
    assert (kind.name, count, about) == ("IMPLAUSIBLE", 2, ("settings: a.html", f"{BASE}x"))


def test_a_day_that_has_begun_where_the_writer_is_is_no_future(site: Site) -> None:
    root = site({"a.html": page("a")})
    now = datetime(2026, 3, 1, 20, 0, tzinfo=UTC)
    os.utime(root / "a.html", (now.timestamp() - 60, now.timestamp() - 60))
    values = {"lastmod": WITH, "dates": {"timezone": "Pacific/Auckland", "date_only": True}}
    for minutes in (0, 5):
        summary = sitemapper.build(settings(root, **values), now=now + timedelta(minutes=minutes))
        assert (summary.warnings, dates(root)) == ((), {"a.html": "2026-03-02"})


def test_a_warning_of_explain_says_what_to_do(site: Site, run: Run) -> None:
    root = site({"a.html": '<link rel="canonical" href="http://example.com/a.html">'})
    assert run("explain", "a.html", "--site", root, "--base-url", BASE) == 0
    assert "in http or https: " in run.out and "  help        use one scheme for both\n" in run.out


def set_times(root: Path, seconds: Sequence[int]) -> None:
    """Sets the times of a site's pages, in the order of their names."""
    for path, second in zip(sorted(root.rglob("*.html")), seconds, strict=True):
        os.utime(path, (second, second))


def kept(site: Site, seconds: Sequence[int], **values: object) -> int:
    """How many of the pages with these file times have a date."""
    root = site({f"{n:03}.html": f"<p>{n}" for n in range(len(seconds))})
    set_times(root, seconds)
    build(root, **values)
    return sum(date is not None for date in lastmods(root))


DAY = 86_400
COPY = [MTIME] * 18
EDITS = [MTIME + DAY, MTIME + 2 * DAY, MTIME + 2 * DAY + 30]


@pytest.mark.parametrize(
    ("seconds", "dated"),
    [
        ([*COPY, *EDITS], 3),
        ([MTIME + 10 * n for n in range(21)], 0),  # a build of 200 seconds
        ([MTIME + 20 * n for n in range(5)], 4),  # four others within 40 seconds of the middle one
        ([MTIME + 21 * n for n in range(21)], 21),
        ([MTIME, MTIME + 1, MTIME + 1, MTIME + DAY, MTIME + 9 * DAY], 2),
        ([MTIME, MTIME + 2, MTIME + 4, MTIME + DAY, MTIME + 9 * DAY], 5),
        ([MTIME] * 4, 0),
        ([MTIME, MTIME + 2], 0),
        ([MTIME, MTIME + 90], 2),
        ([MTIME], 1),
    ],
)
def test_times_of_a_copy_or_a_build_date_no_page(
    site: Site, seconds: list[int], dated: int
) -> None:
    assert kept(site, seconds) == dated
    assert kept(site, seconds, lastmod=["page", "mtime"]) == dated
    assert kept(site, seconds, lastmod=["mtime"]) == len(seconds)


def test_what_is_left_of_a_copy_gets_no_date_from_it(site: Site, run: Run) -> None:
    """A ledger also keeps apart what a copy wrote when only two of its files are left."""
    names = [f"{name}.html" for name in "abcd"]
    root = site({name: page(name) for name in names})
    set_times(root, [MTIME] * 4)
    for flags in ([], ["--ledger", root.parent / "ledger"]):
        assert run("build", root, "--base-url", BASE, *flags) == 0
        assert set(dates(root).values()) == {None}
    edited = []
    for day, name in enumerate(names[:2], 1):
        edited.append(name)
        write_site(root, {name: page(name, "edited")}, mtime=MTIME + day * DAY)
        assert run("build", root, "--base-url", BASE, *flags) == 0
        assert [name for name, date in dates(root).items() if date] == edited


def test_files_are_judged_before_source_date_epoch(site: Site) -> None:
    seconds = [MTIME + n * DAY for n in range(9)]
    root = site({f"{n}.html": f"<p>{n}" for n in range(9)})
    set_times(root, seconds)
    flags = {"base_url": BASE, "site": str(root)}
    epoch = sitemapper.load(flags, env={"SOURCE_DATE_EPOCH": str(MTIME - DAY)})
    sitemapper.build(epoch, now=NOW)
    assert set(lastmods(root)) == {"2026-01-01T03:04:05+00:00"}


def test_a_page_that_a_known_generator_wrote_has_no_file_time(site: Site, run: Run) -> None:
    home = '<meta name="generator" content="Hugo 0.123.7"><p>'
    root = site({"index.html": home, **{f"{n:02}.html": f"<p>{n}" for n in range(13)}})
    set_times(root, [MTIME + n * DAY for n in range(14)])
    assert run("build", root, "--base-url", BASE) == 0
    assert set(lastmods(root)) == {None}
    assert f"14 pages have no date (such as index.html): {NoDate.WRITTEN.value}\n" in run.err
    assert run("explain", "01.html", "--site", root, "--base-url", BASE) == 0
    assert f"none  ({NoDate.WRITTEN.value})" in run.out
    assert run("build", root, "--base-url", BASE, "--lastmod", "mtime") == 0
    assert None not in lastmods(root)


def test_a_file_that_git_finds_unchanged_has_no_file_time(repo: Repo, run: Run) -> None:
    """Neither does the time of a checkout hide an edit that follows at once."""
    names = [f"public/{n}.html" for n in range(40)]
    repo.commit(1, {name: f"<p>{name}" for name in names})
    for n, name in enumerate(names):
        os.utime(repo.root / name, (MTIME + n * 180, MTIME + n * 180))  # a slow checkout
    for n, name in enumerate(names[:3]):
        (repo.root / name).write_text("<p>edited")
        os.utime(repo.root / name, (MTIME + n * 180 + 1, MTIME + n * 180 + 1))
    setup = sitemapper.load(
        {"base_url": BASE, "site": str(repo.root / "public")}, cwd=str(repo.root)
    )
    sitemapper.build(setup, now=NOW)
    assert sum(date is not None for date in lastmods(repo.root / "public")) == 3
    assert run("explain", "5.html", "--site", repo.root / "public", "--base-url", BASE) == 0
    assert f"none  ({NoDate.WRITTEN.value})" in run.out


def test_what_the_ledger_finds_changed_has_the_time_of_its_file(site: Site, run: Run) -> None:
    """Also if a generator that is known has just written all files."""
    home = '<meta name="generator" content="Hugo 0.123.7">' + page("home")
    names = [f"{n:02}.html" for n in range(20)]
    root = site({"index.html": home, **{name: page(name) for name in names}})
    set_times(root, [MTIME] * 21)
    command = ("build", root, "--base-url", BASE, "--lastmod", "ledger,mtime")
    assert run(*command) == 0
    for name in names[:5]:
        (root / name).write_text(page(f"{name} edited"))
    set_times(root, [MTIME + DAY] * 21)
    assert (run(*command), run.err) == (0, "")
    assert [name for name, date in dates(root).items() if date] == names[:5]


@pytest.mark.parametrize(("copied", "is_warned"), [(20, False), (21, True)])
def test_times_of_a_copy_are_worth_a_warning_from_half_of_the_pages_on(
    site: Site, run: Run, copied: int, is_warned: bool
) -> None:
    """Fewer may be edits by a script."""
    root = site({f"{n:02}.html": f"<p>{n}" for n in range(41)})
    set_times(root, [MTIME] * copied + [MTIME + n * DAY for n in range(1, 42 - copied)])
    flags = ("--base-url", BASE, "--lastmod", "mtime", "--strict")
    assert run("build", root, *flags) == (1 if is_warned else 0)
    named = f"mtime: {copied} of 41 pages share the time of a copy or a build" in run.err
    assert named == is_warned
