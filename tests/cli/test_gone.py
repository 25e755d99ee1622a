"""The URLs that are gone, in words."""

from __future__ import annotations

from typing import cast

from sitemapper import Fate, GoneUrl, Origin
from sitemapper.cli.gone import by_fate, count, describe, describe_with_remedy, in_json, remedy

RULE = Origin("_redirects", 1, "/a /b")
GONE = (
    GoneUrl("a", Fate.REDIRECTED, "b", RULE),
    GoneUrl("c", Fate.REDIRECTED, "", RULE),
    GoneUrl("d", Fate.MOVED, "e", Origin("sitemapper.ledger", None, "the same content")),
    GoneUrl("f", Fate.WITHDRAWN, "", Origin("sitemapper.toml", 3, "old/**")),
    GoneUrl("g", Fate.LOST),
    GoneUrl("h", Fate.LOST, "b", RULE),
    GoneUrl("i.html", Fate.REDIRECTED, "i", Origin("i.html"), is_form=True),
)


def test_each_url_is_told_with_its_end_and_the_line_that_decided() -> None:
    assert [describe(gone) for gone in GONE] == [
        "a -> b (_redirects:1: /a /b)",
        "c (_redirects:1: /a /b)",
        "d -> e",
        "f (sitemapper.toml:3: old/**)",
        "g",
        "h (redirected to b, where nothing is: _redirects:1: /a /b)",
        "i.html -> i",
    ]


def test_the_worst_come_first_and_other_forms_apart() -> None:
    assert {name: len(urls) for name, urls in by_fate(GONE).items()} == {
        "lost": 2,
        "moved": 1,
        "withdrawn": 1,
        "redirected": 2,
        "in another form": 1,
    }
    assert list(by_fate(GONE)) == ["lost", "moved", "withdrawn", "redirected", "in another form"]


def test_numbers_add_up() -> None:
    assert list(count(GONE)) == [
        "6 URLs gone: 2 redirected, 1 moved, 1 withdrawn, 2 lost",
        "1 URL in another form",
    ]
    assert list(count(())) == []


def test_programs_get_the_numbers_and_each_url() -> None:
    shape = in_json(GONE)
    assert shape["gone"] == {"redirected": 2, "moved": 1, "withdrawn": 1, "lost": 2, "form": 1}
    urls = shape["gone_urls"]
    assert isinstance(urls, list) and len(urls) == len(GONE)
    assert urls[0] == {"url": "g", "fate": "lost", "target": None, "origin": None, "remedy": None}
    assert urls[-1] == {
        "url": "i.html",
        "fate": "form",
        "target": "i",
        "origin": "i.html",
        "remedy": None,
    }


def test_a_moved_url_is_told_with_what_redirects_it() -> None:
    gone = GoneUrl("a", Fate.MOVED, "b", RULE, remedy="_redirects: /a /b 301")
    assert remedy(gone) == "redirect it in _redirects: /a /b 301"
    assert describe_with_remedy(gone) == "a -> b; redirect it in _redirects: /a /b 301"
    assert [describe_with_remedy(one) for one in GONE] == [describe(one) for one in GONE]
    [shape] = cast(list[dict[str, str]], in_json([gone])["gone_urls"])
    assert shape["remedy"] == "_redirects: /a /b 301"
