"""The report in Chromium: on a phone and on a screen, in light and dark, checked by axe-core."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import BASE, Site

from real.tools import BUILD, CACHE, HERE, run

pytestmark = pytest.mark.real

AXE = CACHE / "axe/node_modules/axe-core/axe.min.js"
EVIL = "<img src=x onerror=alert(1)>"
NOINDEX = '<meta name="robots" content="noindex">'
AWAY = f'<link rel="canonical" href="{BASE}{"gone" * 40}.html">'


def test_it_is_read_in_a_browser(site: Site, tmp_path: Path) -> None:
    files = {"index.html": "", "404.html": "", f"{EVIL}.html": NOINDEX, "away.html": AWAY}
    files |= {f"docs/{'part' * 40}{n}.html": "" for n in range(40)}
    root = site(files)
    flags = ("--base-url", BASE, "--report", tmp_path / "report.html")
    run(*BUILD, root, *flags)
    (root / "docs/new.html").write_text("<p>")
    run(*BUILD, root, *flags)
    python, reader = CACHE / "browser/bin/python", HERE / "readers/read_report.py"
    seen = json.loads(run(python, reader, tmp_path / "report.html", AXE))
    assert (seen["errors"], seen["requests"], seen["images"]) == ([], [], 0)
    assert (seen["axe"], seen["scrolls"]) == ([], [])
    assert seen["figures"] == ["42\nlisted", "42\nwith a date", "3\nleft out"]
    assert seen["closed"] == ["Listed 42"] * 4
    titles = ["Found", "Files 2", "Dates", "Added 1"]
    titles += [
        "Left out: ignored 1",
        "Left out: noindex 1",
        "Left out: canonical elsewhere 1",
        "Listed 42",
    ]
    assert seen["open"] == titles * 4
    assert len(seen["messages"]) == 1
