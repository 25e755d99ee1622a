"""Content that is at another URL now, by the digests of the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import BASE, Site, build, write_site
from support.ledger import WITH, page

from sitemapper import Fate

TEXT = (
    "A long text about tea, pots and the water in them, which nobody else has written so far. " * 3
)


def pages(*names: str) -> dict[str, str]:
    return {f"{name}.html": page(name, f"{TEXT}{name}") for name in names}


def moved(root: Path, **values: Any) -> dict[str, str]:
    """The new paths of the pages that have moved; the others that are gone have none."""
    summary = build(root, lastmod=WITH, max_drop=100, **values)
    assert all(gone.fate in (Fate.MOVED, Fate.LOST) for gone in summary.gone)
    return {gone.url.removeprefix(BASE): gone.target.removeprefix(BASE) for gone in summary.gone}


@pytest.fixture
def root(site: Site) -> Path:
    root = site(pages("a", "b", "c", "d"))
    moved(root)
    return root


def test_a_page_with_a_new_name_has_moved(root: Path) -> None:
    (root / "a.html").rename(root / "new name.html")
    (root / "b.html").unlink()
    assert moved(root) == {"a.html": "new%20name.html", "b.html": ""}
    assert moved(root) == {}


A = pages("a")["a.html"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"e.html": page("a", "another text")}, id="the page is also edited"),
        pytest.param({"e.html": A, "f.html": A}, id="two pages have its content now"),
        pytest.param({"b.html": A}, id="a page that was listed before has its content"),
    ],
)
def test_content_that_no_new_page_or_more_than_one_has_is_lost(
    root: Path, files: dict[str, str]
) -> None:
    (root / "a.html").unlink()
    write_site(root, files)
    assert moved(root) == {"a.html": ""}


def test_content_that_two_pages_had_names_neither(root: Path) -> None:
    write_site(root, {"b.html": pages("a")["a.html"]})
    assert moved(root) == {}
    (root / "a.html").rename(root / "e.html")
    assert moved(root) == {"a.html": ""}


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"rules": [{"match": ["e.html"], "list": False}]}, id="it is not listed"),
        pytest.param({"ledger": {"drop": [".date"]}}, id="another rule for content"),
    ],
)
def test_content_that_cannot_be_compared_has_not_moved(root: Path, values: dict[str, Any]) -> None:
    (root / "a.html").rename(root / "e.html")
    assert moved(root, **values) == {"a.html": ""}


def test_without_a_sitemap_the_ledger_knows_what_was_listed(root: Path) -> None:
    (root / "sitemap.xml").unlink()
    (root / "a.html").rename(root / "e.html")
    assert moved(root) == {"a.html": "e.html"}


def test_a_url_with_the_escapes_of_its_host_has_moved(site: Site) -> None:
    root = site(pages("a+b", "c", "d"))
    write_site(root.parent, {"wrangler.toml": '[assets]\ndirectory = "public"\n'})
    moved(root)
    (root / "a+b.html").rename(root / "e+f.html")
    assert moved(root) == {"a%2Bb": "e%2Bf"}
