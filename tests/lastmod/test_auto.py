"""`lastmod = "auto"`: the dates that a project can give honestly, with nothing configured."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, write_site
from support.git import Repo, auto_dates, day


def test_a_commit_of_half_of_the_pages_is_no_deploy(repo: Repo) -> None:
    names = [f"{n:02}.html" for n in range(20)]
    repo.commit(1, {f"public/{name}": "<p>1" for name in names[:5]})
    repo.commit(2, {f"public/{name}": "<p>2" for name in names[5:]})
    repo.commit(3, {f"public/{name}": "<p>three" for name in names[:16]})
    repo.commit(4, {f"public/{name}": "<p>four" for name in names[:9]})
    found = auto_dates(repo.clone().root)
    assert [found[names[place]] for place in (0, 10, 19)] == [day(4), day(3), day(2)]


def test_explain_names_the_commit_of_a_deploy(repo: Repo, run: Run) -> None:
    repo.commit(1, {"public/a.html": "<p>", "public/b.html": "<p>"})
    write_site(repo.root / "public", {"new.html": "<p>"})
    reasons = {}
    for name in ("a.html", "new.html"):
        assert run("explain", name, "--site", "public", "--base-url", BASE) == 0
        reasons[name] = run.out.partition("  source      none  ")[2].partition("\n")[0]
    commit = repo("rev-parse", "HEAD")[:12]
    assert reasons == {
        "a.html": f"(no source fits, and commit {commit} changed 2 of the 2 pages that there were, "
        'so it dates none of them; lastmod = ["git"] uses it)',
        "new.html": "(no source fits, and public/new.html is not committed)",
    }


def test_excluded_files_do_not_hide_a_deploy(repo: Repo) -> None:
    names = [f"{n:02}.html" for n in range(20)]
    repo.commit(1, {f"public/old/{name}": "<p>1" for name in names})
    repo.commit(2, {f"public/{name}": "<p>2" for name in names})
    assert set(auto_dates(repo.clone().root, ignore=["old/"]).values()) == {None}


def test_a_project_without_a_commit_or_git_is_no_warning(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_site(repo.root / "public", {"a.html": "", "b.html": ""})
    assert auto_dates(repo.root)["a.html"] == "2026-01-02T03:04:05+00:00"
    monkeypatch.setenv("PATH", "/nowhere")
    assert auto_dates(repo.root)["a.html"] == "2026-01-02T03:04:05+00:00"


def test_auto_stands_alone(run: Run, tmp_path: Path) -> None:
    write_site(tmp_path, {"a.html": ""})
    assert run("build", tmp_path, "--base-url", BASE, "--lastmod", "auto,git") == 2
    assert "auto cannot be combined with other sources" in run.err
    assert run("build", tmp_path, "--base-url", BASE, "--lastmod", "auto") == 0
