"""The result of a build and of a check."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, MTIME, Run, Site, write_site
from support.git import Repo


def test_check_and_a_dry_run_have_one_summary_but_for_the_verdict(site: Site, run: Run) -> None:
    root = site({"a.html": "", "b.html": "", "404.html": ""})
    assert run("build", root, "--base-url", BASE) == 0
    write_site(root, {"c.html": ""}, mtime=MTIME + 86_400)
    (root / "b.html").unlink()
    assert run("check", root, "--base-url", BASE, "-v") == 1
    *checked, verdict = run.out.splitlines()
    assert verdict.startswith("  differs from what a build would write now, ")
    assert run("build", root, "--base-url", BASE, "-v", "--dry-run") == 0
    *dry, end = run.out.splitlines()
    assert end.startswith("  nothing was written (--dry-run), ")
    assert checked == dry
    assert f"- {BASE}b.html" in " ".join(dry) and f"+ {BASE}c.html" in " ".join(dry)
    assert "    ignored: 404.html (built-in default: 404.html)" in dry


def test_an_ordinary_run_says_nothing_beside_its_result(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the first one in CI, where the checkout is all that there is."""
    monkeypatch.setenv("CI", "true")
    repo = Repo(tmp_path)
    repo.commit(1, {"public/index.html": "<title>Home</title>"})
    for day, name in enumerate(("a", "b", "c"), 2):
        repo.commit(day, {f"public/{name}.html": f"<title>{name}</title>"})
    for last_line in ("  published, ", "  nothing to do, "):
        assert run("build", "public", "--base-url", BASE, "--ignore", "drafts/") == 0, run.err
        assert run.err == ""
        lines = run.out.splitlines()
        assert len(lines) <= 8
        assert "  4 dated by git" in lines
        assert lines[-1].startswith(last_line)
