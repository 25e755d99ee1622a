"""The URLs that are gone, in words."""

from __future__ import annotations

import json

from support import BASE, Run, Site

from sitemapper import Fate, GoneUrl, Origin
from sitemapper.cli.words import count_by_fate, describe

RULE = Origin("_redirects", 1, "/a /b")
GONE = (
    GoneUrl("a", Fate.REDIRECTED, "b", RULE),
    GoneUrl("c", Fate.REDIRECTED, "", RULE),
    GoneUrl("d", Fate.MOVED, "e", Origin("sitemapper.ledger", None, "the same content")),
    GoneUrl("f", Fate.WITHDRAWN, "", Origin("sitemapper.toml", 3, "old/**")),
    GoneUrl("g", Fate.LOST),
    GoneUrl("h", Fate.LOST, "b", RULE),
    GoneUrl("i.html", Fate.REDIRECTED, "i", Origin("i.html"), is_same_page=True),
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
    words = "lost, moved, withdrawn, redirected, in another form"
    assert ", ".join(count_by_fate(GONE)) == words  # the worst first


def test_gone_urls_are_counted_by_fate(site: Site, run: Run) -> None:
    root = site({"a.html": "a", "b.html": "b", "c.html": "c"})
    assert run("build", root, "--base-url", BASE) == 0
    (root / "b.html").unlink()
    (root / "c.html").write_text('<meta name="robots" content="noindex">')
    assert run("check", root, "--base-url", BASE, "--max-drop", "100") == 1
    assert "  2 URLs gone: 1 lost, 1 withdrawn" in run.out
    assert run("check", root, "--base-url", BASE, "--max-drop", "100", "--format", "json") == 1
    result = json.loads(run.out)
    assert result["gone"] == {"redirected": 0, "moved": 0, "withdrawn": 1, "lost": 1, "form": 0}
    assert [one["fate"] for one in result["gone_urls"]] == ["lost", "withdrawn"]
