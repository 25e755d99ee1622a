"""The sample site shows honest dates, however new its files are."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support import Run

SAMPLE = Path(__file__).parents[2] / "sample_site"
LEDGER = "sitemapper.ledger"
REMEDY = "the digests are out of date; run: make demo && cp .demo/sitemapper.ledger sample_site/"


def dates(ledger: Path) -> list[str]:
    """The date of each listed page, in the order of the sitemap."""
    return [row.split("\t")[1] for row in ledger.read_text().splitlines()]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy whose files are all new, as in a fresh clone."""
    folder = tmp_path / "sample_site"
    shutil.copytree(SAMPLE, folder, copy_function=shutil.copyfile)
    monkeypatch.chdir(folder)
    return folder


def test_a_fresh_copy_moves_no_date_and_leaves_the_ledger_alone(copy: Path, run: Run) -> None:
    assert run("build") == 0
    written = re.findall("<lastmod>(.*)</lastmod>", (copy / "public/sitemap.xml").read_text())
    assert written == dates(SAMPLE / LEDGER)
    assert len({date[:10] for date in written}) >= 6
    assert (copy / LEDGER).read_bytes() == (SAMPLE / LEDGER).read_bytes(), REMEDY
    assert f"kept     {LEDGER}" in run.out


def test_a_changed_page_gets_a_new_date_and_no_other_page_does(copy: Path, run: Run) -> None:
    page = copy / "public/prices/index.html"
    page.write_text(page.read_text().replace("€19", "€21"))
    assert run("build") == 0
    moved = [
        now
        for before, now in zip(dates(SAMPLE / LEDGER), dates(copy / LEDGER), strict=True)
        if before != now
    ]
    assert len(moved) == 1
    assert abs(datetime.fromisoformat(moved[0]) - datetime.now(UTC)).total_seconds() < 60
