"""The ledger's file: where it lies, how it may look, and what is refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from support import BASE, Run, Site, build, locs, write_site
from support.ledger import WITH, dates, page, pages, rebuilt
from support.memory import peak

from sitemapper import SitemapperError


def test_the_ledger_lies_beside_the_configuration(site: Site, run: Run, tmp_path: Path) -> None:
    root = site(pages("a"))
    (tmp_path / "sitemapper.toml").write_text(
        f'base_url = "https://example.com"\nsite = "public"\nlastmod = {WITH}\n'.replace("'", '"')
    )
    (tmp_path / "below").mkdir()
    assert run("build", "--config", tmp_path / "sitemapper.toml") == 0
    assert "created  sitemapper.ledger\n" in run.out
    assert "sitemapper.ledger" not in os.listdir(root)
    assert run("build", "--ledger", "below/other.ledger") == 0
    assert (tmp_path / "below/other.ledger").read_bytes() == (
        tmp_path / "sitemapper.ledger"
    ).read_bytes()


def test_another_sites_ledger_is_refused(adopted: Path, tmp_path: Path) -> None:
    other = write_site(tmp_path / "other", {f"{n}.html": page(str(n)) for n in range(5)})
    before = (tmp_path / "sitemapper.ledger").read_bytes()
    with pytest.raises(SitemapperError, match="3 of its 3 pages are not in this site"):
        build(other, lastmod=WITH)
    assert (tmp_path / "sitemapper.ledger").read_bytes() == before


GOOD = "a.html\t2026-01-02\t0000-0000000000000000\n"


DAMAGE = {
    "x\n": r"sitemapper\.ledger:2: expected “path TAB lastmod TAB digest”\nhelp: restore the file as it was",
    "b.html\t2024-13\t0000-0000000000000000\n": r":2: '2024-13' is not a date",
    "<<<<<<< HEAD\n": r":2: git left a conflict here\nhelp: keep either side",
    GOOD: r":2: names a page twice",
    "A.html\t-\t0000-0000000000000000\n": r":2: is not in the order of the walk",
    "über.html\t-\t0000-0000000000000000\n": r":2: expected",
}


@pytest.mark.parametrize(("damage", "said"), DAMAGE.items())
def test_damage_is_told_with_its_line_and_nothing_is_published(
    site: Site, damage: str, said: str
) -> None:
    root = site(pages("a", "z"))
    path = root.parent / "sitemapper.ledger"
    path.write_text(GOOD + damage + "zz.html\t-\t0000-0000000000000000\n", encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(SitemapperError, match=said):
        build(root, lastmod=WITH)
    assert path.read_bytes() == before
    assert not (root / "sitemap.xml").exists()


def test_damage_behind_the_last_page_is_found_too(site: Site) -> None:
    root = site(pages("a"))
    (root.parent / "sitemapper.ledger").write_text(
        GOOD + "zz.html\t-\t0000-0000000000000000\n=======\n"
    )
    with pytest.raises(SitemapperError, match=":3: git left a conflict"):
        build(root, lastmod=WITH)


def test_line_ends_of_windows_and_no_last_one_are_taken(adopted: Path) -> None:
    path = adopted.parent / "sitemapper.ledger"
    before, text = dates(adopted), path.read_bytes()
    path.write_bytes(text.replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    build(rebuilt(adopted, pages("a", "b", "c")), lastmod=WITH)
    assert dates(adopted) == before
    assert path.read_bytes() == text


def test_a_ledger_that_is_a_folder(site: Site) -> None:
    root = site(pages("a"))
    with pytest.raises(SitemapperError, match="is not a regular file\nhelp: set another"):
        build(root, lastmod=WITH, ledger={"path": str(root)})


def test_names_of_any_kind_come_back(site: Site) -> None:
    names = ["a\tb", "a\nb", "über", "100%", "a b", "%41"]
    root = site(pages(*names))
    build(root, lastmod=WITH)
    before = dates(root)
    build(rebuilt(root, pages(*names)), lastmod=WITH)
    assert dates(root) == before
    assert len(locs(root)) == len(names)


def test_a_dry_run_tells_that_the_ledgers_folder_is_missing(site: Site, run: Run) -> None:
    command = ("build", site(pages("a")), "--base-url", BASE, "--ledger", "gone/x.ledger")
    for more in ((), ("--dry-run",)):
        assert run(*command, *more) == 2
        assert run.err.endswith(
            "/gone: is not a folder\n  help: create it, or change [ledger] path or --ledger\n"
        )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the peak of memory")
def test_a_line_of_two_hundred_megabytes_takes_no_memory(tmp_path: Path) -> None:
    root = write_site(tmp_path / "public", {"a.html": "<p>"})
    peaks = []
    for size in (1, 200):
        with open(tmp_path / "ledger", "w") as file:
            for _ in range(size):
                file.write("x" * (1 << 20))
        peaks.append(
            peak("build", root, "--base-url", BASE, "--ledger", tmp_path / "ledger", code=2)
        )
    assert peaks[1] < peaks[0] + 4_000, peaks
