"""The report in Chromium: opened, used by keyboard, searched, measured and checked by axe-core."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import BASE, Site

from real.tools import BUILD, CACHE, HERE, run

pytestmark = pytest.mark.real

AXE = CACHE / "axe/node_modules/axe-core/axe.min.js"
EVIL = "<img src=x onerror=alert(1)>"


def test_it_works_in_a_browser(site: Site, tmp_path: Path) -> None:
    root = site(
        {
            "index.html": "",
            "404.html": "",
            "robots.txt": f"Sitemap: {BASE}gone.xml\n",
            f"{EVIL}.html": '<meta name="robots" content="noindex">',
        }
        | {f"docs/{'part' * 20}{n}.html": "" for n in range(40)}
        | {
            f"blog/{n}.html": f'<meta http-equiv="refresh" content="0; url=/docs/{n}.html">'
            for n in range(30)
        }
        | {f"blog/2025/{n}.html": "" for n in range(9)}
    )
    report = tmp_path / "report.html"
    where = ("--report", report)
    flags = ("--base-url", BASE, "--url-style", "auto", *where)
    run(*BUILD, root, *flags)
    (root / "docs/new.html").write_text("<p>")
    run(*BUILD, root, *flags)
    seen = json.loads(
        run(CACHE / "browser/bin/python", HERE / "readers/read_report.py", report, AXE, "onerror")
    )
    assert seen["errors"] == []
    assert seen["requests"] == []
    assert seen["axe"] == {"light": [], "dark": [], "dark print": [], "panel": []}
    assert seen["scrolls"] == {"360": False, "1100": False}
    assert (seen["entered"], seen["focus"], seen["left"]) == (["docs"], "button", ["whole site"])
    assert seen["folders"] == ["blog/", "docs/"]
    assert seen["found"] == [f"{EVIL}.html"]
    decided = f'decided by\n{EVIL}.html: <meta name="robots" content="noindex">'
    assert seen["explained"] == f"{EVIL}.html is not listed: noindex\n{decided}\nClose"
    assert seen["focus after"] == f"{EVIL}.html"
    assert seen["by link"].splitlines()[:4] == [
        "docs/new.html is listed",
        "loc",
        f"{BASE}docs/new.html (url_style directory)",
        "lastmod",
    ]
    assert seen["closed"]
    assert [seen["listed"][n] for n in (0, 1, 3)] == [f"{BASE}docs/new.html", "listed", "mtime"]
    assert seen["labels"] == ["pages here 30", "2025/ 9"]
    assert seen["legends"] == {
        "dates": ["within 30 days 1", "within a year 50", "excluded 32"],
        "reasons": ["listed 51", "ignored 1", "redirect 30", "noindex 1"],
    }
    assert seen["changes"] == "Since the last run: no page changed or removed, 1 added."
    assert seen["sections"] == [
        "Warnings",
        "Notes",
        "The site by folder",
        "Pages",
        "How old the pages are",
        "What this run changed",
    ]
    assert seen["figures"][:2] == ["51\npages are listed", "32\nare excluded"]
