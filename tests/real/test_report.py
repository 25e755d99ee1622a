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
    run(*BUILD, root, "--base-url", BASE, "--report", report, "--cache", tmp_path / "cache")
    (root / "docs/new.html").write_text("<p>")
    run(*BUILD, root, "--base-url", BASE, "--report", report, "--cache", tmp_path / "cache")
    seen = json.loads(
        run(CACHE / "browser/bin/python", HERE / "readers/read_report.py", report, AXE, "onerror")
    )
    assert seen["errors"] == []
    assert seen["requests"] == []
    assert seen["axe"] == {"light": [], "dark": [], "dark print": []}
    assert seen["scrolls"] == {"360": False, "1100": False}
    assert (seen["entered"], seen["focus"], seen["left"]) == (["docs"], "button", ["whole site"])
    assert seen["folders"] == ["blog/", "docs/"]
    assert seen["found"] == [f"{EVIL}.html"]
    assert seen["figures"][:2] == ["51\npages are listed", "32\nare left out"]
