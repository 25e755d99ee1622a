"""Which URLs a build adds, dates anew and removes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support import BASE, MTIME, Run, Site, write_site
from support.changes import changes
from support.ledger import pages
from support.sitemaps import locs


def names(*numbers: int) -> dict[str, str]:
    return {f"{n:03}.html": "<p>" for n in numbers}


FORMS: list[dict[str, Any]] = [
    {},
    {"sitemap": {"max_urls": 3}},
    {"sitemap": {"gzip": "also", "max_urls": 4}},
    {"sitemap": {"gzip": "only"}},
    {"sitemap": {"text": True}},
    {"sitemaps": [{"name": "some", "match": ["*5.html"]}]},
    {"urls": [{"loc": f"{BASE}app?a&b='1'"}]},
]


@pytest.mark.parametrize("values", FORMS)
def test_what_changes_between_builds(site: Site, values: dict[str, Any]) -> None:
    root = site(names(*range(10)))
    extra = ["+app?a&b='1'"] if "urls" in values else []
    assert sorted(changes(root, **values)) == sorted(
        [*(f"+{n:03}.html" for n in range(10)), *extra]
    )
    assert changes(root, **values) == []
    os.unlink(root / "001.html")
    write_site(root, names(50, 5), mtime=MTIME + 99)
    assert changes(root, **values) == ["~005.html", "+050.html", "-001.html"]


def test_every_url_is_added_if_there_is_nothing_to_compare_with(site: Site) -> None:
    root = site(names(1, 2))
    changes(root)
    assert changes(root, previous="none") == ["+001.html", "+002.html"]


def test_other_files_for_the_same_urls_change_nothing(site: Site) -> None:
    root = site(names(*range(10)))
    changes(root)
    for values in [*FORMS[1:5], FORMS[0]]:
        assert changes(root, **values) == []


def test_the_ledger_stands_in_where_the_folder_was_emptied(site: Site) -> None:
    root = site({**names(1, 2), "über/index.html": "<p>"})
    values = {"lastmod": ["ledger", "mtime"]}
    changes(root, **values)
    for name in ("sitemap.xml", "001.html", "über/index.html"):
        os.unlink(root / name)
    write_site(root, {"002.html": "<p>new", "003.html": "<p>"}, mtime=MTIME + 99)
    assert changes(root, **values, max_drop=100) == [
        "~002.html",
        "+003.html",
        "-001.html",
        "-%C3%BCber/",
    ]


def canonical(href: str, text: str) -> str:
    return f'<link rel="canonical" href="{href}"><p>{text}'


LEDGER: dict[str, Any] = {"lastmod": ["ledger", "mtime"]}


def test_the_ledger_names_the_urls_that_are_listed(site: Site) -> None:
    root = site({"x.html": canonical("/x", "1"), "c++/index.html": canonical("/c%2B%2B/", "1")})
    values = {**LEDGER, "urls": [{"loc": f"{BASE}app/"}]}
    assert sorted(changes(root, **values)) == ["+app/", "+c%2B%2B/", "+x"]
    for path in root.glob("sitemap*"):
        path.unlink()
    write_site(root, {"x.html": canonical("/x", "2")}, mtime=MTIME + 99)
    values["urls"] = [{"loc": f"{BASE}new/"}]
    assert sorted(changes(root, **values)) == ["+new/", "-app/", "~x"]


def test_a_second_edit_on_one_day_names_the_url_that_is_listed(site: Site) -> None:
    root = site({"c++/index.html": canonical("/c%2B%2B/", "1")})
    values: dict[str, Any] = {**LEDGER, "dates": {"date_only": True}}
    changes(root, **values)
    write_site(root, {"c++/index.html": canonical("/c%2B%2B/", "2")}, mtime=MTIME + 9)
    assert changes(root, **values) == ["~c%2B%2B/"]


def test_more_urls_than_wait_in_memory_are_compared_in_any_order(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sitemapper.publish.changes._MAX_WAITING", 3)
    root = site(names(*range(40)))
    old = tmp_path / "old.xml"
    old.write_text(locs(*(f"{BASE}{n:03}.html" for n in range(49, 4, -1))))
    found = changes(root, previous=str(old), lastmod=[])
    added, removed = (f"+{n:03}.html" for n in range(5)), (f"-{n:03}.html" for n in range(40, 50))
    assert sorted(found) == [*added, *removed]


def test_a_new_address_for_all_pages_is_a_warning_once(site: Site, run: Run) -> None:
    root = site({"a.html": "", "b.html": ""})
    assert run("build", root, "--base-url", "https://good.example") == 0
    assert run("build", root, "--base-url", "https://typo.example", "--max-drop", 100) == 0
    assert (
        "warning: none of the URLs in the earlier sitemap is in the new one: sitemap.xml listed 2\n"
        in run.err
    )
    assert run("build", root, "--base-url", "https://typo.example") == 0
    assert "warning" not in run.err


def test_a_page_that_is_listed_no_more_is_removed_where_the_ledger_stands_in(site: Site) -> None:
    root = site(pages("a", "b", "c"))
    changes(root, **LEDGER)
    os.unlink(root / "sitemap.xml")
    assert changes(root, **LEDGER, rules=[{"match": ["a.html"], "list": False}]) == ["-a.html"]
    assert "\tunlisted\n" in (root.parent / "sitemapper.ledger").read_text()
    os.unlink(root / "sitemap.xml")
    assert changes(root, **LEDGER) == ["+a.html"]


@pytest.mark.parametrize("more", [{}, LEDGER])
def test_another_timezone_changes_no_page(site: Site, more: dict[str, Any]) -> None:
    root = site(names(*range(3)))
    changes(root, **more)
    zone = {"dates": {"timezone": "Asia/Tokyo"}}
    assert changes(root, **zone, **more) == []
    assert b"+09:00" in (root / "sitemap.xml").read_bytes()
    write_site(root, names(1), mtime=MTIME + 99)
    assert changes(root, **more) == ([] if more else ["~001.html"])


def test_the_list_of_changes_is_a_queue(site: Site, run: Run, tmp_path: Path) -> None:
    root, queue = site(names(1, 2, 3)), tmp_path / "changes.tsv"
    command = ("build", root, "--base-url", BASE, "--lastmod", "mtime", "--changes")
    assert run(*command, queue) == 0
    assert "# no baseline" in queue.read_text()
    write_site(root, {**names(5, 6), "001.html": "<p>new"}, mtime=MTIME + 9)
    assert run(*command, queue) == 0
    waiting = queue.read_text()
    rows = [("changed", "001"), ("added", "005"), ("added", "006")]
    assert waiting == "".join(f"{change}\t{BASE}{name}.html\n" for change, name in rows)
    os.unlink(root / "001.html")
    os.unlink(root / "005.html")
    write_site(root, {"002.html": "<p>new"}, mtime=MTIME + 9)
    assert run(*command, queue, "--dry-run") == 0
    assert queue.read_text() == waiting
    assert run(*command, queue) == 0
    rows = [("added", "006"), ("changed", "002"), ("removed", "001")]
    left = [f"{change}\t{BASE}{name}.html" for change, name in rows]
    assert sorted(queue.read_text().splitlines()) == left
    write_site(root, names(7))
    assert run(*command, "-", "--quiet") == 0
    assert run.out == f"added\t{BASE}007.html\n"
    assert sorted(queue.read_text().splitlines()) == left
