"""Sources of dates: the first that answers wins, and none invents."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from support import BASE, MTIME, NOW, Run, Site, build, lastmods

import sitemapper
from sitemapper.lastmod.resolve import date_batch
from sitemapper.lastmod.sources import DatePolicy
from sitemapper.model import Batch, GitDates, Listed, Page, PageFacts, PageRow, PossibleSource
from sitemapper.syntax.dates import Writer
from sitemapper.syntax.urls import Locator

PAGE = '<html><head><meta name="date" content="{}"></head><body>'


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["page"], ["2024-03-01", "2024-05", None, None, None]),
        (["page", "mtime"], ["2024-03-01", "2024-05", "2026-01-02T05:04:05+00:00", "2026-01-02T06:04:05+00:00", "2026-01-02T07:04:05+00:00"]),
        (["mtime", "page"], ["2026-01-02T03:04:05+00:00", "2026-01-02T04:04:05+00:00", "2026-01-02T05:04:05+00:00", "2026-01-02T06:04:05+00:00", "2026-01-02T07:04:05+00:00"]),
        ([], [None] * 5),
    ],
)  # fmt: skip
def test_the_first_source_that_answers_wins(
    site: Site, sources: list[str], expected: list[str | None]
) -> None:
    pages = [PAGE.format(d) for d in ("2024-03-01", "May 2024", "03/04/2024", "2099-01-01")] + [
        "no date"
    ]
    root = site({f"{n}.html": text for n, text in enumerate(pages)})
    summary = build(root, lastmod=sources)
    assert lastmods(root) == expected
    assert [k.name for k, *_ in summary.warnings] == (
        ["IMPLAUSIBLE"] if sources[:1] == ["page"] else []
    )


def test_a_rebuild_moves_no_date_that_pages_give_themselves(site: Site) -> None:
    root = site({f"{n}.html": PAGE.format(f"2024-03-{n + 1:02}") for n in range(25)})
    build(root, lastmod=["page"])
    before = (root / "sitemap.xml").read_bytes()
    for path in root.glob("*.html"):
        os.utime(path, (MTIME + 999_999, MTIME + 999_999))
    assert {f.change.value for f in build(root, lastmod=["page"]).files} == {"kept"}
    assert (root / "sitemap.xml").read_bytes() == before


def test_without_reading_heads_the_source_still_reads_pages(site: Site) -> None:
    root = site({"a.html": PAGE.format("2024-03-01")})
    off: dict[str, Any] = dict.fromkeys(
        ("noindex", "canonical", "refresh", "not_a_page", "robots"), False
    )
    build(root, lastmod=["page"], respect=off)
    assert lastmods(root) == ["2024-03-01"]


def test_explain_names_the_source(site: Site, run: Run) -> None:
    root = site({"a.html": PAGE.format("2024-03-01"), "b.html": ""})
    common = ("--site", root, "--base-url", BASE, "--lastmod", "page", "--lastmod", "mtime")
    assert run("explain", "a.html", *common) == 0
    assert "  lastmod     2024-03-01  (page)\n" in run.out
    assert run("explain", "b.html", *common) == 0
    assert "  lastmod     2026-01-02T04:04:05+00:00  (mtime)\n" in run.out


def test_dates_as_configured(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({"a.html": ""})
    build(root, dates={"date_only": True})
    assert lastmods(root) == ["2026-01-02"]
    build(root, dates={"timezone": "America/New_York"})
    assert lastmods(root) == ["2026-01-01T22:04:05-05:00"]
    build(root, lastmod=[])
    assert lastmods(root) == [None]
    epoch = sitemapper.load(
        {"base_url": BASE, "site": str(root)}, env={"SOURCE_DATE_EPOCH": "1700000000"}
    )
    sitemapper.build(epoch, now=NOW)
    assert lastmods(root) == ["2023-11-14T22:13:20+00:00"]


def test_beside_the_xml_schema_a_date_has_a_day(site: Site, run: Run, tmp_path: Path) -> None:
    """The schema of sitemaps knows no date of a month, though the protocol does."""
    root = site(
        {
            name: f'<meta name="date" content="{date}">'
            for name, date in {"a.html": "2024-05", "b.html": "2024-05-02"}.items()
        }
    )
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "https://example.com"\nsite = "{root.name}"\nlastmod = ["page"]\n[sitemap]\nschema_location = true\n'
        '[[urls]]\nloc = "https://example.com/c"\nlastmod = "2024-06"\n'
        '[[rules]]\nmatch = ["d.html"]\nlastmod = "2023"\n'
    )
    site({"d.html": "<p>"})
    assert run("build") == 0, run.err
    assert re.findall("<lastmod>(.*?)</lastmod>", (root / "sitemap.xml").read_text()) == [
        "2024-05-02"
    ]
    assert run("explain", "a.html") == 0
    assert "2024-05" not in run.out


FILES = [Page("a.html", 1, 1_767_323_045_999_999_999), Page("b.html", 1, 10**18)]


def texts(source: str, pages: list[Page], facts: list[PageFacts]) -> list[str | None]:
    """The dates that one source gives."""
    policy = DatePolicy((source,), int(NOW.timestamp()), None, Writer(), Locator(BASE, "directory"))
    listed = [Listed(page.path, BASE + page.path) for page in pages]
    dates = date_batch(Batch(pages, (), {}), listed, facts, policy).lastmods
    return [date and date.text for date in dates]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01T12:00:00Z", "2024-03-01T12:00:00+00:00"),
        ("May 2024", "2024-05"),
        ("1 March 2024", "2024-03-01"),
        ("03/04/2024", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_a_text_without_a_single_meaning_is_no_date(text: str | None, date: str | None) -> None:
    assert texts("page", FILES[:1], [PageFacts(date=text)]) == [date]


def test_the_times_of_files_are_whole_seconds_rounded_down() -> None:
    assert texts("mtime", FILES, []) == ["2026-01-02T03:04:05+00:00", "2001-09-09T01:46:40+00:00"]


def test_only_a_page_with_sources_takes_the_date_of_one() -> None:
    """A page without sources keeps its own commit, also if its titles and text were read."""
    sources = [
        PossibleSource(
            "text/a.md",
            10,
            "A",
            has_own_title=False,
            is_in_content_folder=True,
            git=GitDates(2_000_000_000),
        )
    ]
    policy = DatePolicy(("git",), 2_100_000_000, None, Writer(), Locator(BASE, "directory"))
    batch = Batch(
        [Page("a.html", 0, 0), Page("b.html", 0, 0)],
        [],
        {},
        [PageRow(GitDates(1_000_000_000), sources=sources), PageRow(GitDates(1_100_000_000))],
    )
    listed = [Listed(path, f"https://example.com/{path}") for path in ("a.html", "b.html")]
    facts = [PageFacts(shown=(("A",), 10, True))] * 2
    dates = date_batch(batch, listed, facts, policy).lastmods
    assert [date and date.seconds for date in dates] == [2_000_000_000, 1_100_000_000]
