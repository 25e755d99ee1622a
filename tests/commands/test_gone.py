"""`explain` of a URL that was published and has no page any more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, write_site
from support.ledger import page


@pytest.fixture
def root(site: Site, tmp_path: Path) -> Path:
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "{BASE}"\nsite = "public"\nlastmod = ["ledger", "mtime"]\n'
    )
    names = ("a", "b", "c")
    root = site({f"{name}.html": page(name, f"All about {name}, as it is. " * 9) for name in names})
    build(root, lastmod=["ledger", "mtime"], ledger={"path": str(tmp_path / "sitemapper.ledger")})
    return root


@pytest.mark.parametrize("target", [f"{BASE}a.html", "a.html", "/a.html"])
@pytest.mark.parametrize("known", ["sitemap", "ledger"])
def test_a_lost_url_is_told_from_one_that_never_was(
    root: Path, run: Run, target: str, known: str
) -> None:
    """The ledger knows it where the generator empties its folder."""
    (root / "a.html").unlink()
    if known == "ledger":
        (root / "sitemap.xml").unlink()
    assert run("explain", target) == 0
    assert run.out == f"{BASE}a.html was published and is gone: lost\n"
    assert run("explain", f"{BASE}no.html") == 2
    assert "no page of" in run.err


def test_it_says_where_the_content_is_although_most_pages_are_gone(root: Path, run: Run) -> None:
    (root / "a.html").rename(root / "new.html")
    (root / "b.html").unlink()
    (root / "c.html").unlink()
    assert run("explain", f"{BASE}a.html") == 0
    assert run.out == (
        f"{BASE}a.html was published and is gone: moved\n"
        f"  leads to    {BASE}new.html\n"
        "  decided by  sitemapper.ledger: the same content\n"
    )


def test_programs_get_the_fate_and_the_line_that_decided(root: Path, run: Run) -> None:
    config = root.parent / "sitemapper.toml"
    config.write_text(f'host = "netlify"\n{config.read_text()}')
    (root / "a.html").unlink()
    write_site(root, {"_redirects": "/a.html /b.html 301\n"})
    assert run("explain", "a.html", "--format", "json") == 0
    assert json.loads(run.out) == {
        "version": 1,
        "path": f"{BASE}a.html",
        "listed": False,
        "fate": "redirected",
        "target": f"{BASE}b.html",
        "origin": "_redirects:1: /a.html /b.html 301",
        "values": {},
        "warnings": [],
    }


def test_a_page_that_is_left_out_was_published_before(root: Path, run: Run) -> None:
    (root / "a.html").write_text("<meta name=robots content=noindex>")
    (root / "b.html").write_text("<meta http-equiv=refresh content='0; url=c.html'>")
    assert run("explain", f"{BASE}a.html") == 0
    assert "  published   before, and withdrawn now\n" in run.out
    assert run("explain", f"{BASE}b.html") == 0
    assert f"  published   before, and redirected now  (to {BASE}c.html)\n" in run.out
    assert run("explain", "a.html") == 0  # a file was never published
    assert "published" not in run.out


def test_an_earlier_sitemap_that_cannot_be_read_is_told(root: Path, run: Run) -> None:
    (root / "a.html").unlink()
    (root / "b.html").write_text("<meta name=robots content=noindex>")
    at = ("--previous", "no.xml")
    assert run("explain", f"{BASE}a.html", *at) == 2
    assert "has this name or URL; what became of it is not known: " in run.err
    assert "no.xml: cannot be read: No such file or directory\n" in run.err
    assert run("check", *at) == 2
    assert "no.xml: cannot be read: No such file or directory\n" in run.err
    assert run("explain", f"{BASE}b.html", *at) == 0
    assert "  published   not known: " in run.out


def test_a_url_that_no_sitemap_has_any_more_is_told_with_how_to_know(root: Path, run: Run) -> None:
    assert run("explain", f"{BASE}zzz.html") == 2
    assert "  help: " in run.err
    assert "to explain an old URL, pass a sitemap that lists it: --previous FILE\n" in run.err
    assert run("explain", "zzz.html") == 2
    assert "--previous" not in run.err
