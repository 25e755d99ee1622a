"""The ledger: a date moves when the content moves, and never otherwise."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import BASE, MTIME, NOW, Run, Site, build, notes_of, settings, write_site
from support.ledger import DAY, WITH, dates, moved, page, pages, rebuilt

import sitemapper
from sitemapper import SitemapperError


def test_the_first_run_takes_the_dates_of_the_other_sources(adopted: Path) -> None:
    assert dates(adopted) == {
        "a.html": "2026-01-02T03:04:05+00:00",
        "b.html": "2026-01-02T04:04:05+00:00",
        "c.html": "2026-01-02T05:04:05+00:00",
    }
    rows = [
        line.split("\t") for line in (adopted.parent / "sitemapper.ledger").read_text().splitlines()
    ]
    assert [row[:2] for row in rows] == [[name, date] for name, date in dates(adopted).items()]


def test_a_rebuild_moves_no_date_and_writes_nothing(adopted: Path) -> None:
    before = dates(adopted)
    summary = build(rebuilt(adopted, pages("a", "b", "c")), lastmod=WITH)
    assert dates(adopted) == before
    assert {file.change.value for file in summary.files} == {"kept"}


def test_an_edit_moves_one_date(adopted: Path) -> None:
    before = dates(adopted)
    build(rebuilt(adopted, pages("a", "b", "c", b="new text")), lastmod=WITH)
    assert moved(before, dates(adopted)) == {"b.html"}
    assert dates(adopted)["b.html"] == "2026-01-11T04:04:05+00:00"


def test_a_new_page_is_dated_by_the_next_source_and_a_deleted_one_leaves(adopted: Path) -> None:
    os.unlink(adopted / "a.html")
    build(rebuilt(adopted, pages("b", "c", "d")), lastmod=WITH)
    assert list(dates(adopted)) == ["b.html", "c.html", "d.html"]
    assert dates(adopted)["d.html"] == "2026-01-11T05:04:05+00:00"
    names = [
        line.partition("\t")[0]
        for line in (adopted.parent / "sitemapper.ledger").read_text().splitlines()
    ]
    assert names == ["b.html", "c.html", "d.html"]


def test_adopting_on_a_fresh_build_does_not_claim_that_everything_changed(site: Site) -> None:
    names = [f"p{n}" for n in range(12)]
    root = site(pages(*names))
    today = NOW.timestamp() - 3600
    for path in root.iterdir():
        os.utime(path, (today, today))
    summary = build(root, lastmod=WITH)
    assert set(dates(root).values()) == {None}
    assert any("the ledger dates each page when it changes" in note for note in notes_of(summary))
    assert summary.warnings == ()
    assert notes_of(build(root, lastmod=WITH)) == []
    # From now on only what changes has a date, though every file has a new time.
    build(rebuilt(root, pages(*names, p7="new text")), lastmod=WITH)
    assert {name: date for name, date in dates(root).items() if date} == {
        "p7.html": "2026-01-11T10:04:05+00:00"
    }


def test_a_date_by_rule_and_a_date_of_the_page_are_remembered_too(site: Site) -> None:
    root = site({"a.html": page("a"), "b.html": '<meta name="date" content="2024-05">' + page("b")})
    rules = [{"match": ["a.html"], "lastmod": "2025-01-01"}]
    build(root, lastmod=["page", *WITH], rules=rules)
    build(rebuilt(root, {"a.html": page("a"), "b.html": page("b")}), lastmod=["page", *WITH])
    assert dates(root) == {"a.html": "2025-01-01", "b.html": "2024-05"}


def test_pages_that_are_not_html_count_byte_by_byte(site: Site) -> None:
    root = site({"a.pdf": "1"})
    build(root, lastmod=WITH, include=["*.pdf"])
    build(rebuilt(root, {"a.pdf": "1"}), lastmod=WITH, include=["*.pdf"])
    assert dates(root) == {"a.pdf": "2026-01-02T03:04:05+00:00"}
    build(rebuilt(root, {"a.pdf": "2"}), lastmod=WITH, include=["*.pdf"])
    assert dates(root) == {"a.pdf": "2026-01-11T03:04:05+00:00"}


def test_another_rule_of_comparison_moves_no_date(adopted: Path) -> None:
    before = dates(adopted)
    build(rebuilt(adopted, pages("a", "b", "c")), lastmod=WITH, ledger={"drop": [".reading-time"]})
    assert dates(adopted) == before


def test_what_is_dropped_never_counts(site: Site) -> None:
    root = site({"a.html": page("a", '<i class="built">10:00</i>')})
    build(root, lastmod=WITH, ledger={"drop": [".built", "h1 > i"]})
    before = dates(root)
    build(
        rebuilt(root, {"a.html": page("a", '<i class="built">11:00</i>')}),
        lastmod=WITH,
        ledger={"drop": [".built", "h1 > i"]},
    )
    assert dates(root) == before


def test_dates_in_another_form(adopted: Path) -> None:
    build(adopted, lastmod=WITH, dates={"timezone": "Europe/Berlin"})
    assert dates(adopted)["a.html"] == "2026-01-02T04:04:05+01:00"
    build(adopted, lastmod=WITH, dates={"date_only": True})
    assert dates(adopted)["a.html"] == "2026-01-02"


def test_the_flag_alone_puts_the_ledger_before_the_time_of_the_file(site: Site, run: Run) -> None:
    root = site(pages("a", "b"))
    command = ("build", root, "--base-url", "https://example.com", "--ledger", "x.ledger")
    assert run(*command) == 0
    before = dates(root)
    rebuilt(root, pages("a", "b"))
    assert run(*command) == 0
    assert dates(root) == before


def test_a_dry_run_tells_and_writes_nothing(site: Site) -> None:
    root = site(pages("a"))
    summary = build(root, lastmod=WITH, dry_run=True)
    assert [(f.name, f.change.value) for f in summary.files][-1] == ("sitemapper.ledger", "created")
    assert not (root.parent / "sitemapper.ledger").exists()


def test_a_date_survives_a_wrong_clock(adopted: Path) -> None:
    before = dates(adopted)
    early = datetime(2015, 1, 1, tzinfo=UTC)
    summary = sitemapper.build(settings(adopted, lastmod=WITH, max_drop=100), now=early)
    assert [w.kind.name for w in summary.warnings] == ["IMPLAUSIBLE"]
    assert set(dates(adopted).values()) == {None}
    build(adopted, lastmod=WITH)
    assert dates(adopted) == before


def test_a_page_that_is_not_listed_for_a_while_keeps_its_line(adopted: Path) -> None:
    before = dates(adopted)
    build(adopted, lastmod=WITH, rules=[{"match": ["a.html"], "list": False}])
    build(rebuilt(adopted, pages("a", "b", "c")), lastmod=WITH)
    assert dates(adopted) == before


def test_the_ledger_guards_against_losses_where_the_generator_empties_the_folder(
    adopted: Path,
) -> None:
    for name in ("b.html", "c.html", "sitemap.xml"):
        os.unlink(adopted / name)
    before = (adopted.parent / "sitemapper.ledger").read_bytes()
    with pytest.raises(
        SitemapperError,
        match="2 published URLs are gone: .* The sitemap would lose more than 50% of its 3 URLs",
    ):
        build(adopted, lastmod=WITH)
    assert (adopted.parent / "sitemapper.ledger").read_bytes() == before


def test_explain_tells_whether_the_content_changed(adopted: Path, run: Run) -> None:
    flags = ("--site", adopted, "--base-url", BASE, "--lastmod", "ledger", "--lastmod", "mtime")
    assert run("explain", "a.html", *flags) == 0
    assert re.search(r"lastmod     2026-01-02T03:04:05\+00:00  \(ledger\)", run.out)
    assert re.search(
        r"content     unchanged since 2026-01-02T03:04:05\+00:00  \(digest [0-9a-f]{8}…\)", run.out
    )
    rebuilt(adopted, pages("a", a="new"))
    assert run("explain", "a.html", *flags) == 0
    assert re.search(r"lastmod     2026-01-11T03:04:05\+00:00  \(mtime\)", run.out)
    assert re.search(
        r"content     changed: the digest was [0-9a-f]{8}…, and is [0-9a-f]{8}…", run.out
    )
    write_site(adopted, pages("new"))
    assert run("explain", "new.html", *flags) == 0
    assert re.search(r"content     new: not in sitemapper\.ledger  \(digest", run.out)


def test_an_edit_that_no_source_dates_is_not_called_unchanged_since_the_beginning(
    site: Site, run: Run
) -> None:
    """A page without a date of its own is edited and built: its content has no date, old or new."""
    options = ("--base-url", BASE, "--lastmod", "page", "--lastmod", "ledger")
    for text in ("old", "new"):
        root = site(pages("a", a=text))
        assert run("build", root, *options) == 0
    assert run("explain", "a.html", "--site", root, *options) == 0
    assert "content     unchanged since the last build, and without a date  (digest" in run.out


def test_a_day_on_which_a_page_changed_twice(site: Site) -> None:
    for text in ("one", "two", "three"):
        root = site({"a.html": '<meta name="date" content="2026-01-02">' + page("a", text)})
        build(root, lastmod=["ledger", "page"])
        assert dates(root) == {"a.html": "2026-01-02"}


@pytest.mark.parametrize("name", ["b", "d"], ids=["an edited page", "a new page"])
def test_what_is_built_while_the_clock_is_behind_gets_its_date_later(
    adopted: Path, name: str
) -> None:
    before = dates(adopted)
    rebuilt(adopted, pages("a", "b", "c", **({"b": "new text"} if name == "b" else {})))
    if name == "d":
        write_site(adopted, pages("d"), mtime=MTIME + 9 * DAY)
    behind = datetime(2026, 1, 5, tzinfo=UTC)
    for _ in range(2):
        summary = sitemapper.build(settings(adopted, lastmod=WITH), now=behind)
        assert [(w.kind.name, w.subjects) for w in summary.warnings] == [
            ("IMPLAUSIBLE", (f"{name}.html",))
        ]
        assert dates(adopted)[f"{name}.html"] is None
    build(adopted, lastmod=WITH)
    assert moved(before, dates(adopted)) == {f"{name}.html"}
    assert (dates(adopted)[f"{name}.html"] or "").startswith("2026-01-11T")


@pytest.mark.parametrize(
    "sources",
    [["mtime", "page", "ledger"], ["mtime", "page", "git", "ledger"], ["page", "mtime", "ledger"]],
)
def test_a_row_has_the_place_of_mtime(site: Site, sources: list[str]) -> None:
    """mtime is not asked about an unchanged page: its row answers then, and no source behind mtime."""
    dated = '<meta property="article:modified_time" content="2025-03-04">'
    files = {"a.html": dated + page("a"), "b.html": page("b")}
    root = site(files)
    build(root, lastmod=sources)
    before = dates(root)
    for _ in range(2):
        summary = build(rebuilt(root, files), lastmod=sources)
        assert dates(root) == before
        assert {file.change.value for file in summary.files} == {"kept"}


@pytest.mark.parametrize(("days", "date"), [(-1, "2026-01-01"), (9, "2026-01-11")])
def test_mtime_before_the_ledger_dates_a_changed_page_whatever_its_row_says(
    site: Site, days: int, date: str
) -> None:
    """The time of the file may be older or newer than the date in the ledger."""
    root = site(pages("a", "b", "c"))
    sources = ["mtime", "ledger"]
    build(root, lastmod=sources)
    before = dates(root)
    changed = pages("a", "b", "c", b="new text")
    for _ in range(2):
        build(rebuilt(root, changed, days), lastmod=sources)
        assert moved(before, dates(root)) == {"b.html"}
        assert (dates(root)["b.html"] or "").startswith(date)


@pytest.mark.parametrize("sources", [["page", "ledger", "mtime"], ["ledger", "page", "mtime"]])
def test_a_scheduled_page_never_takes_the_time_of_a_build(site: Site, sources: list[str]) -> None:
    """Its own date is in the future, and the first run leaves out times of files that are a build's."""
    future = '<meta property="article:modified_time" content="2026-07-01">'
    files = {"a.html": future + page("a"), **pages("b", "c", "d")}
    root = site(files)
    for name in files:
        os.utime(root / name, (NOW.timestamp() - 60, NOW.timestamp() - 60))
    build(root, lastmod=sources)
    assert dates(root) == dict.fromkeys(files)
    summary = build(root, lastmod=sources)
    assert dates(root) == dict.fromkeys(files)
    assert {file.change.value for file in summary.files} == {"kept"}
    sitemapper.build(settings(root, lastmod=sources), now=datetime(2026, 7, 2, tzinfo=UTC))
    assert dates(root) == dict.fromkeys(files) | {"a.html": "2026-07-01"}
