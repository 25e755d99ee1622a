"""`list = false` in `[[rules]]` leaves pages out, unless a later rule lists them again."""

from __future__ import annotations

from support import BASE, Site, build
from support.heads import NOINDEX
from support.heard import heard
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason

BLOG = {"blog/a.html": "", "blog/b.html": "", "c.html": ""}
NO_BLOG = {"match": ["/blog/"], "list": False}
CASES = [
    Case("a folder", BLOG, ["c.html"], {"blog/a.html": Reason.RULE, "blog/b.html": Reason.RULE}, {"rules": [NO_BLOG]}),
    Case("all but one", BLOG, ["blog/b.html", "c.html"], {"blog/a.html": Reason.RULE}, {"rules": [NO_BLOG, {"match": ["b.html"], "list": True}]}),
    Case("another key of a later rule", {"blog/a.html": ""}, [], {"blog/a.html": Reason.RULE}, {"rules": [NO_BLOG, {"match": ["*.html"], "priority": 0.5}]}),
    Case("a rule does not list what is noindex", {"a.html": NOINDEX}, [], {"a.html": Reason.NOINDEX}, {"rules": [{"match": ["*.html"], "list": True}]}),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


def test_the_last_rule_wins_key_by_key_and_the_first_section_takes_a_page(site: Site) -> None:
    root = site({"blog/a.html": "", "c.html": ""})
    rules = [
        {"match": ["*.html"], "changefreq": "weekly", "priority": 0.5},
        {"match": ["/blog/"], "priority": 0.8},
    ]
    sections = [{"name": "blog", "match": ["/blog/"]}, {"name": "rest", "match": ["*.html"]}]
    build(root, rules=rules, sitemaps=sections, lastmod=[])
    for name, path, priority in (("blog", "blog/a", "0.8"), ("rest", "c", "0.5")):
        values = f"<changefreq>weekly</changefreq><priority>{priority}</priority>"
        text = (root / f"sitemap-{name}.xml").read_text()
        assert f"<loc>{BASE}{path}.html</loc>{values}" in text
        assert text.count("<url>") == 1


def test_the_origin_is_the_last_rule_that_says_so(site: Site) -> None:
    root = site(BLOG)
    table = '[[rules]]\nmatch = ["{}"]\nlist = {}\n'
    rules = [("*.html", "true"), ("/blog/", "false"), ("b.html", "false")]
    config = root.parent / "sitemapper.toml"
    config.write_text("".join(table.format(*rule) for rule in rules))
    assert heard(root).excluded == {
        "blog/a.html": (Reason.RULE, "sitemapper.toml:4: /blog/"),
        "blog/b.html": (Reason.RULE, "sitemapper.toml:7: b.html"),
    }
