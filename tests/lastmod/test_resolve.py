"""Sources of dates: the first that answers wins, and none invents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support import BASE, NOW, Run, Site, build, lastmods

import sitemapper

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


def test_without_reading_heads_the_source_still_reads_pages(site: Site) -> None:
    root = site({"a.html": PAGE.format("2024-03-01")})
    off: dict[str, Any] = dict.fromkeys(("noindex", "canonical", "refresh", "robots"), False)
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
