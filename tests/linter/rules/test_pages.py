"""What contradicts the pages of the site: each rule of `check --against`, with what breaks it and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE
from support.findings import codes, compared
from support.heads import NOINDEX, canonical, refresh

PAGE = "<html><head></head><body>text"


# code: the site, the URLs that its sitemap lists (with dates) wrongly and rightly
HOME = {"index.html": PAGE}


CASES: dict[str, tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]] = {
    "SM501": (HOME, ("", "gone/"), ("",)),
    "SM502": (HOME | {"a.html": NOINDEX}, ("", "a.html"), ("",)),
    "SM503": (HOME | {"a.html": refresh("0; url=/")}, ("", "a.html"), ("",)),
    "SM504": (HOME | {"a.html": canonical(BASE)}, ("", "a.html"), ("",)),
    "SM505": (
        HOME | {"robots.txt": "User-agent: *\nDisallow: /a", "a.html": PAGE},
        ("", "a.html"),
        ("",),
    ),
    "SM506": (HOME | {"404.html": PAGE}, ("", "404.html"), ("",)),
    "SM507": (HOME | {"a.html": PAGE}, ("",), ("", "a.html")),
    "SM508": (HOME | {"a/index.html": PAGE}, ("", "a/index.html"), ("", "a/")),
    "SM509": (HOME, (" 2026-05-01",), (" 2026-01-02",)),
}


def test_every_rule_of_the_family_has_its_cases() -> None:
    assert list(CASES) == codes("SM5")


@pytest.mark.parametrize("code", CASES)
def test_a_rule_finds_what_breaks_it_and_nothing_else(code: str, tmp_path: Path) -> None:
    files, wrong, right = CASES[code]
    (tmp_path / "bad").mkdir()
    (tmp_path / "good").mkdir()
    assert [finding.code for finding in compared(tmp_path / "bad", files, wrong)] == [code]
    assert compared(tmp_path / "good", files, right) == []
