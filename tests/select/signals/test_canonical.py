"""A canonical that names another page leaves a page out. One in another form names its URL."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, POSIX, Run, Site, build, locs, paths
from support.heads import NOINDEX, canonical, head
from support.heard import heard
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason

IN_OTHER_STYLES = {
    "a.html": canonical("/a"),
    "b.html": canonical("/b/"),
    "c/index.html": canonical("/c/index.html"),
    "d/index.html": canonical("/d"),
}
ENCODED = {
    "a b&é.html": canonical("/a b&é.html"),
    "c d.html": canonical("/c%20d.html"),
    "~e.html": canonical("/%7ee.html"),
}
TWO = head('<link rel=canonical href="/b.html"><link rel=canonical href="/c.html">')
OF_A_FEED = head('<link rel=canonical href="/b.html" type="application/rss+xml">')
CASES = [
    Case("of itself", {"a.html": canonical(f"{BASE}a.html"), "b.html": canonical("b.html#top")}, ["a.html", "b.html"]),
    Case("elsewhere", {"a.html": canonical("/b.html"), "b.html": ""}, ["b.html"], {"a.html": Reason.CANONICAL}),
    Case("not respected", {"a.html": canonical("/b.html")}, ["a.html"], values={"respect": {"canonical": False}}),
    Case("with a query", {"a.html": canonical("/a.html?page=1")}, [], {"a.html": Reason.CANONICAL}),
    Case("in other styles", IN_OTHER_STYLES, ["a", "b/", "c/index.html", "d"]),
    Case("raw and encoded", ENCODED, ["a%20b&%C3%A9.html", "c%20d.html", "~e.html"]),
    Case("in its own spelling", {"c++/index.html": canonical("/c%2B%2B/")}, ["c%2B%2B/"]),
    Case("through base", {"a/b.html": head('<base href="/x/"><link rel=canonical href="../a/b.html">')}, ["a/b.html"]),
    Case("two that contradict each other", {"a.html": TWO}, ["a.html"]),
    Case("of a variant", {"a.html": OF_A_FEED}, ["a.html"]),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


def test_a_canonical_is_no_warning_where_it_decides_nothing(site: Site) -> None:
    both = NOINDEX.replace("<head>", "<head><link rel=canonical href=/gone.html>")
    assert heard(site({"a.html": both, "b.html": ""})).warned == {}


def test_canonicals_in_other_spellings_name_the_same_page(site: Site) -> None:
    root = site(
        {
            "a.html": canonical("https://bücher.example/a.html"), "b.html": canonical("https://xn--bcher-kva.example/x/../b.html"),
            "c.html": canonical("https://BÜCHER.example:443/./c.html"), "d.html": canonical("https://bücher.example/\nd.html"),
            "e.html": canonical("\\e.html"), "f.html": canonical("https://bücher.example/a.html"),
        }
    )  # fmt: skip
    summary = build(root, base_url="https://bücher.example")
    assert [loc.rpartition("/")[2] for loc in locs(root)] == [f"{name}.html" for name in "abcde"]
    assert summary.excluded == {Reason.CANONICAL: 1}


@pytest.mark.parametrize(
    "target",
    [
        "https://example.com//etc/hostname",
        "https://example.com/%2e%2e/%2e%2e/etc/hostname",
        "https://example.com/..%2f..%2fsecret.html",
        "../secret.html",
        "blog/../../secret.html",
    ],
)
def test_nothing_outside_the_site_is_looked_at(
    site: Site, run: Run, tmp_path: Path, target: str
) -> None:
    root = site({"a.html": ""})
    (tmp_path / "secret.html").write_text("")
    assert run("explain", target, "--site", root, "--base-url", BASE) == 2
    root = site({"a.html": canonical(target)})
    summary = build(root, max_drop=100, respect={"canonical": True}, urls=[{"loc": BASE + "x"}])
    assert [kind.name for kind, *_ in summary.warnings] == ["MISSING"]


@POSIX
def test_a_canonical_that_leads_to_the_page_through_a_link_names_the_page(site: Site) -> None:
    """mike's default: `latest` is a link to a version, and every canonical names it."""
    page = canonical(f"{BASE}latest/")
    root = site({"2.0/index.html": page, "1.0/index.html": page, "index.html": ""})
    (root / "latest").symlink_to("2.0")
    left_out, _ = heard(root)
    assert paths(root) == ["", "latest/"]
    assert left_out["1.0/index.html"][0] is Reason.CANONICAL
