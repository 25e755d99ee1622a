"""The URLs that are gone, in words."""

from __future__ import annotations

import json

from support import BASE, Run, Site


def test_gone_urls_are_counted_by_fate(site: Site, run: Run) -> None:
    root = site({"a.html": "a", "b.html": "b", "c.html": "c"})
    assert run("build", root, "--base-url", BASE) == 0
    (root / "b.html").unlink()
    (root / "c.html").write_text('<meta name="robots" content="noindex">')
    assert run("check", root, "--base-url", BASE, "--max-drop", "100") == 1
    assert "  2 URLs gone: 1 lost, 1 withdrawn" in run.out
    assert run("check", root, "--base-url", BASE, "--max-drop", "100", "--format", "json") == 1
    result = json.loads(run.out)
    assert result["gone"] == {"redirected": 0, "moved": 0, "withdrawn": 1, "lost": 1, "form": 0}
    assert [one["fate"] for one in result["gone_urls"]] == ["lost", "withdrawn"]
