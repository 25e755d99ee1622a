"""What a run needs: compiled once, cheap to send to workers, without dates that cannot be written."""

from __future__ import annotations

import pickle

import pytest
from protego import Protego
from support import NOW, Site, build, paths, settings

from sitemapper.find.plan import make_plan
from sitemapper.plan import Plan
from sitemapper.read import walk
from sitemapper.run.process import process
from sitemapper.syntax import gitignore, robots


def test_a_worker_compiles_only_the_patterns_and_robots_rules_that_its_pages_need(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = "".join(f"Disallow: /closed-{n}/\n" for n in range(50))
    root = site({"a.html": "a", "robots.txt": f"User-agent: *\n{closed}"})
    rules = [{"match": [f"blog-{n}/*/old.html" for n in range(50)], "priority": 0.5}]
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
    robots._matcher.cache_clear()
    plan: Plan = pickle.loads(sent)
    assert compiled == []
    [batch] = walk.resize_batches(walk.walk(plan.root), 10)
    compiled.clear()  # the walk needs some patterns
    result = process(batch, plan)
    assert [entries.data.count(b"<url>") for entries in result.entries] == [1]
    assert len(compiled) == 1  # one expression for all patterns of the rule


def test_a_plan_that_was_used_is_sent_without_what_it_compiled(site: Site) -> None:
    root = site({"a/b.html": "a", "c.html": "c"})
    plan = make_plan(settings(root, rules=[{"match": ["a/*.html"], "priority": 0.5}]), NOW, None)
    before = len(pickle.dumps(plan.policy.rules))
    assert any(rule.patterns.matches("a/b.html") for rule in plan.policy.rules)
    assert len(pickle.dumps(plan.policy.rules)) == before


@pytest.mark.parametrize(("lastmod", "opened"), [(["mtime"], 0), (["page"], 2)])
def test_pages_are_opened_only_for_verdicts_or_dates(
    site: Site, reads: list[str], lastmod: list[str], opened: int
) -> None:
    root = site({"a.html": "a", "b.html": "b"})
    off = dict.fromkeys(("noindex", "canonical", "refresh", "robots"), False)
    build(root, lastmod=lastmod, respect=off, url_style="file")
    assert paths(root) == ["a.html", "b.html"]
    assert len(set(reads)) == opened
