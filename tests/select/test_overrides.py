"""`[[rules]]`: the last rule that matches and has a value wins, key by key."""

from __future__ import annotations

from collections.abc import Sequence

from sitemapper.model import Origin
from sitemapper.select.overrides import PageRule, first_section, match_overrides
from sitemapper.syntax.gitignore import Line, PatternSets


def lines(*texts: str) -> list[Line]:
    return [Line(text, Origin("match", None, text)) for text in texts]


def rule(
    line: int,
    *match: str,
    changefreq: str | None = None,
    priority: str | None = None,
    list: bool | None = None,
) -> tuple[PageRule, Sequence[Line]]:
    return PageRule(Origin("sitemapper.toml", line), changefreq, priority, None, list), lines(
        *match
    )


RULES = PatternSets(
    [
        rule(1, "*.html", changefreq="weekly", priority="0.5"),
        rule(2, "/blog/", priority="0.8"),
        rule(3, "/blog/drafts/", list=False),
    ]
)


def test_later_rules_win_key_by_key() -> None:
    page = match_overrides(RULES, "blog/a.html")
    assert (page.changefreq, page.priority, page.list) == ("weekly", "0.8", True)
    assert not match_overrides(RULES, "blog/drafts/a.html").list


def test_each_value_names_the_rule_that_set_it() -> None:
    origins = dict(match_overrides(RULES, "blog/a.html").origins)
    assert {key: origin.line for key, origin in origins.items()} == {"changefreq": 1, "priority": 2}
    assert [origin.line for origin in match_overrides(RULES, "blog/a.html").rules] == [1, 1, 2]


def test_a_page_that_no_rule_matches_has_no_values() -> None:
    page = match_overrides(RULES, "a.pdf")
    assert (page.changefreq, page.priority, page.lastmod, page.list, page.rules) == (
        None,
        None,
        None,
        True,
        [],
    )


def test_the_first_section_that_matches_takes_a_page() -> None:
    sections = PatternSets([("blog", lines("/blog/")), ("rest", lines("*.html"))])
    assert [first_section(sections, path) for path in ("blog/a.html", "a.html", "a.pdf")] == [
        "blog",
        "rest",
        "",
    ]
