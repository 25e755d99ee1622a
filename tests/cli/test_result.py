"""The result of a build and of a check."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run
from support.git import Repo


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
