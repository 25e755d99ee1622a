"""What a run needs: compiled once, cheap to send to workers, without dates that cannot be written."""

from __future__ import annotations

import pickle

import pytest
from protego import Protego
from support import BASE, NOW, Site, build, lastmods, paths, settings

from sitemapper.find.plan import make_plan
from sitemapper.plan import Plan
from sitemapper.read import walk
from sitemapper.run.process import process
from sitemapper.syntax import crawling, gitignore

FAR = "2099-01-01"


def test_a_worker_compiles_only_the_patterns_and_robots_rules_that_its_pages_need(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = "".join(f"Disallow: /closed-{n}/\n" for n in range(50))
    root = site({"a.html": "a", "robots.txt": f"User-agent: *\n{closed}"})
    rules = [{"match": [f"blog-{n}/*/old.html"], "priority": 0.5} for n in range(50)]
    sent = pickle.dumps(make_plan(settings(root, rules=rules), NOW, None))
    compiled: list[str] = []
    compile_pattern = gitignore.linear_matcher

    def counting(expression: str) -> object:
        compiled.append(expression)
        return compile_pattern(expression)

    def parsing(text: str) -> Protego:
        raise AssertionError(text)

    monkeypatch.setattr(gitignore, "linear_matcher", counting)
    monkeypatch.setattr(Protego, "parse", parsing)
    crawling._matcher.cache_clear()
    plan: Plan = pickle.loads(sent)
    assert compiled == []
    [batch] = walk.batches(walk.walk(plan.root), 10)
    compiled.clear()  # the walk needs some patterns
    result = process(batch, plan)
    assert [entries.data.count(b"<url>") for entries in result.entries] == [1]
    assert len(compiled) == 1  # one expression for all rules


def test_a_plan_that_was_used_is_sent_without_what_it_compiled(site: Site) -> None:
    root = site({"a/b.html": "a", "c.html": "c"})
    plan = make_plan(settings(root, rules=[{"match": ["a/*.html"], "priority": 0.5}]), NOW, None)
    before = len(pickle.dumps(plan.policy.rules))
    assert plan.policy.rules.matching("a/b.html")
    assert len(pickle.dumps(plan.policy.rules)) == before


def test_a_rule_and_an_extra_url_lose_a_date_that_has_not_come_yet(site: Site) -> None:
    root = site({"a.html": "a", "b.html": "b"})
    rules = [
        {"match": ["a.html"], "lastmod": FAR, "changefreq": "daily"},
        {"match": ["b.html"], "lastmod": "2025-05-05"},
    ]
    extra = [{"loc": f"{BASE}app", "lastmod": FAR}]
    summary = build(root, rules=rules, urls=extra)
    assert lastmods(root) == ["2026-01-02T03:04:05+00:00", "2025-05-05", None]
    assert "<changefreq>daily</changefreq>" in (root / "sitemap.xml").read_text()
    [(kind, about, count, _)] = summary.warnings
    assert (kind.name, count) == ("IMPLAUSIBLE", 2)
    assert about == ("settings: a.html", f"{BASE}app")


def test_a_date_without_a_day_is_left_out_where_the_schema_forbids_it(site: Site) -> None:
    root = site({"a.html": "a"})
    rules = [{"match": ["a.html"], "lastmod": "2025-05"}]
    build(root, rules=rules)
    assert lastmods(root) == ["2025-05"]
    build(root, rules=rules, sitemap={"schema_location": True})
    assert lastmods(root) == ["2026-01-02T03:04:05+00:00"]


@pytest.mark.parametrize(("lastmod", "opened"), [(["mtime"], 0), (["page"], 2)])
def test_pages_are_opened_only_for_verdicts_or_dates(
    site: Site, reads: list[str], lastmod: list[str], opened: int
) -> None:
    root = site({"a.html": "a", "b.html": "b"})
    off = dict.fromkeys(("noindex", "canonical", "refresh", "not_a_page", "robots"), False)
    build(root, lastmod=lastmod, respect=off, url_style="file")
    assert paths(root) == ["a.html", "b.html"]
    assert len(set(reads)) == opened
