"""Which findings are shown, and which fail."""

from __future__ import annotations

import json
from pathlib import Path

from support import BASE, Run
from support.sitemaps import locs


def test_warnings_fail_only_if_that_is_asked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(locs(BASE, BASE))
    assert run("validate", "s.xml") == 0
    assert "SM307 warning" in run.out
    assert run("validate", "s.xml", "--strict") == 1
    assert run("validate", "s.xml", "--quiet") == 0
    assert run.out == ""
    assert run("validate", "s.xml", "--strict", "--quiet") == 1
    assert run.out == f"s.xml:4: SM307 warning: {BASE} is already in line 3\n"
    (tmp_path / "s.xml").write_text(locs(BASE, BASE, "/a"))
    assert run("validate", "s.xml", "--quiet") == 1
    assert run.out == "s.xml:5: SM301 error: '/a' is not an absolute http or https URL\n"


def test_many_findings_of_one_kind_are_shortened(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.xml").write_text(locs(*(f"{BASE}#{n}" for n in range(30))))
    assert run("validate", "s.xml") == 1
    assert run.out.splitlines()[20:] == [
        "s.xml: and 10 more SM304",
        "docs/rules.md explains SM304 and how to fix the findings",
        "30 errors in 1 file, 30 entries",
    ]
    assert run("validate", "s.xml", "--format", "json") == 1
    assert json.loads(run.out)["more"] == [{"file": "s.xml", "code": "SM304", "count": 10}]
    assert run("validate", "s.xml", "--verbose") == 1
    assert run.out.count("SM304 error") == 30
