"""`rule`, and the rules that are chosen."""

from __future__ import annotations

import pytest
from support import Run

from sitemapper import SitemapperError
from sitemapper.linter import chosen


def test_rule_prints_a_page(run: Run) -> None:
    assert run("rule", "sm304") == 0
    assert run.out == (
        "SM304  error  A URL has a fragment.\n\n"
        "  Crawlers ignore everything from # on, so the entry repeats another page.\n"
        "  Fix: list the page once, without #.\n"
    )
    assert run("rule") == 0
    assert run.out.startswith("SM101  error    The file is not well-formed XML.\n")
    assert run("rule", "SM2") == 2
    assert run.err == "error: SM2 is a family of rules\n  help: use one of them, such as SM201\n"


def test_select_and_disable_take_families() -> None:
    stops = {"SM101", "SM102", "SM103", "SM105", "SM107", "SM108", "SM109"}
    assert chosen(["SM1"], ["SM10"]) == {"SM110"}
    assert chosen(["SM203,SM30"], []) == {"SM203", *(f"SM30{n}" for n in range(1, 9)), *stops}
    for select, disable in ((["SM501"], []), (["SM2"], ["SM2"])):
        with pytest.raises(SitemapperError):
            chosen(select, disable)
    assert len(chosen([], [])) == 38
    with pytest.raises(SitemapperError):
        chosen(["SM"], [])
