"""Findings as Markdown, and `check` in the formats of findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site


def test_markdown_holds_any_text_in_a_table(faulty: Path, run: Run) -> None:
    assert run("validate", "site map.txt", "--format", "markdown") == 1
    lines = run.out.splitlines()
    assert lines[0].startswith("**sitemapper**: ") and lines[0].endswith("in 1 file, 4 entries")
    assert lines[1:4] == ["", "| rule | where | what |", "|---|---|---|"]
    assert any("| `` https://example.com/a\\|`b` contains '\\|'" in line for line in lines)


@pytest.mark.parametrize("form", ["sarif", "junit", "markdown"])
def test_check_speaks_these_formats_too(site: Site, run: Run, form: str) -> None:
    root = site({"a.html": "", "b.html": "", "c.html": ""})
    check = ("check", root, "--base-url", BASE, "--format", form)
    assert run(*check) == 1
    assert "would be created by sitemapper build" in run.out
    assert run("build", root, "--base-url", BASE) == 0
    assert run(*check) == 0
    assert "would be" not in run.out
    assert form != "junit" or 'tests="1" failures="0"' in run.out
    (root / "c.html").unlink()
    assert run(*check) == 1
    assert f"{BASE}c.html" in run.out and "lost" in run.out
    assert run(*check, "--excluded", "-") == 2
    assert "would both write to stdout" in run.err
