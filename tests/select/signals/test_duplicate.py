"""Of two files with one URL, the one that the server shows is listed, and the other is left out."""

from __future__ import annotations

import pytest
from support import BASE, POSIX, Run, Site, build, paths
from support.heads import NOINDEX, canonical
from support.heard import heard
from support.verdicts import Case, assert_verdicts, each

from sitemapper import Reason

CASES = [
    Case("by the canonical", {"b.html": canonical("/b/"), "b/index.html": ""}, ["b/"], {"b.html": Reason.DUPLICATE}),
    Case("by the style", {"b.html": "", "b/index.html": ""}, ["b/"], {"b.html": Reason.DUPLICATE}, {"url_style": "slash"}),
    Case("in a style that tells them apart", {"b.html": "", "b/index.html": ""}, ["b.html", "b/"]),
    Case("of a page that is excluded itself", {"b.html": "", "b/index.html": NOINDEX}, [], {"b.html": Reason.DUPLICATE, "b/index.html": Reason.NOINDEX}, {"url_style": "slash"}),
]  # fmt: skip


@each(CASES)
def test_verdicts(site: Site, case: Case) -> None:
    assert_verdicts(site, case)


@POSIX
def test_a_page_whose_canonical_names_a_link_to_it_is_listed_once(site: Site) -> None:
    root = site({"a.html": canonical(f"{BASE}link.html")})
    (root / "link.html").symlink_to("a.html")
    left_out, _ = heard(root)
    assert paths(root) == ["link.html"]
    origin = "a.html: is what this symbolic link leads to"
    assert left_out["link.html"] == (Reason.DUPLICATE, origin)


@POSIX
@pytest.mark.parametrize("size", [1, 1_000])
def test_of_two_links_to_a_file_the_one_that_the_canonical_names_has_the_url(
    site: Site, run: Run, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitemapper.read.walk.BATCH", size)
    root = site({"b.html": "b", "store/page.html": canonical(f"{BASE}z.html")})
    for name in ("a.html", "z.html"):
        (root / name).symlink_to("store/page.html")
    build(root, ignore=["store/"])
    assert paths(root) == ["b.html", "z.html"]
    for name, verdict in (
        ("a.html", "is not listed: canonical elsewhere"),
        ("z.html", "is listed"),
    ):
        run("explain", name, "--site", root, "--base-url", BASE, "--ignore", "store/")
        assert run.out.startswith(f"{name} {verdict}")


@POSIX
def test_a_link_to_a_page_that_is_ignored_is_the_page(site: Site) -> None:
    root = site({"store/a.html": "<title>a</title>"})
    (root / "a.html").symlink_to("store/a.html")
    build(root, ignore=["store/"])
    assert paths(root) == ["a.html"]
