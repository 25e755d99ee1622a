"""One batch through every stage: entries by section and format, and what had an effect on them."""

from __future__ import annotations

from typing import Any

import pytest
from support import NOW, Site, settings

from sitemapper.find.plan import make_plan
from sitemapper.model import Batch, BatchResult
from sitemapper.plan import Plan
from sitemapper.read import walk
from sitemapper.run.process import process


def plan_of(root: object, **values: Any) -> Plan:
    return make_plan(settings(str(root), **values), NOW, None)


def processed(plan: Plan) -> BatchResult:
    [batch] = walk.batches(walk.walk(plan.root), 10)
    return process(batch, plan)


def test_a_section_has_its_own_entries_and_the_text_file_all_of_them(site: Site) -> None:
    root = site({"a.html": "a", "blog/b.html": "b", "c.html": "c"})
    blog = [{"name": "blog", "match": ["blog/"]}]
    result = processed(plan_of(root, sitemaps=blog, sitemap={"text": True}))
    assert {
        (entries.series.format, entries.series.section): len(entries.ends)
        for entries in result.entries
    } == {("xml", ""): 2, ("xml", "blog"): 1, ("txt", ""): 3}
    for entries in result.entries:
        assert len(entries.dates) == len(entries.ends)
        assert entries.ends[-1] == len(entries.data)


@pytest.mark.parametrize(("strategy", "count"), [("sequential", 0), ("stable", 2)])
def test_only_stable_sitemaps_are_cut_by_urls(site: Site, strategy: str, count: int) -> None:
    root = site({"a.html": "a", "b.html": "b"})
    [entries] = processed(plan_of(root, sitemap={"strategy": strategy})).entries
    assert len(entries.locs) == count


def test_a_page_whose_url_is_an_extra_one_owns_it_in_any_spelling(site: Site) -> None:
    root = site({"c++.html": "a", "b.html": "b"})
    plan = plan_of(root, urls=[{"loc": "https://example.com/c%2B%2B.html"}])
    [(key, path)] = processed(plan).extra_owners
    assert path == "c++.html"
    assert key in plan.extra


def test_a_rule_and_a_selector_of_the_ledger_tell_that_they_had_an_effect(site: Site) -> None:
    root = site({"a.html": "<title>a</title><main>text<p class=now>12:00</p></main>"})
    values: dict[str, Any] = {
        "rules": [{"match": [name], "priority": 0.5} for name in ("a.html", "b.html")],
        "lastmod": ["ledger", "mtime"],
        "ledger": {"drop": [".now", ".later"]},
    }
    effective = processed(plan_of(root, **values)).effective
    assert {origin.text for origin in effective} & {"a.html", "b.html", ".now", ".later"} == {
        "a.html",
        ".now",
    }


def test_an_empty_batch_has_no_entries(site: Site) -> None:
    assert process(Batch([], [], {}), plan_of(site({"a.html": "a"}))).entries == []
