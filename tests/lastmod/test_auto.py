"""`lastmod = "auto"`: the dates that a project can give honestly, with nothing configured."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support import BASE, MTIME, Run, write_site
from support.git import MAPS, Repo, auto_dates, day


def test_the_commits_of_the_sources_where_the_project_maps_them(repo: Repo) -> None:
    repo.commit(1, {".gitignore": "public/", "content/a.md": "1", "content/index.md": "1"})
    repo.commit(2, {"content/a.md": "two"})
    root = write_site(
        repo.root / "public", dict.fromkeys(["index.html", "a/index.html", "tags/index.html"], "")
    )
    for path in root.rglob("*.html"):
        os.utime(path, (MTIME, MTIME))  # the build's
    assert auto_dates(repo.root, git={"map": MAPS}) == {"": day(1), "a/": day(2), "tags/": None}


def test_pages_that_are_in_git_themselves_have_the_dates_of_their_commits(repo: Repo) -> None:
    repo.commit(1, {"public/a.html": "<p>"})
    repo.commit(2, {"public/b.html": "<p>"})
    repo.commit(3, {"public/a.html": "<p>3"})
    assert auto_dates(repo.root) == {"a.html": day(3), "b.html": day(2)}


def test_any_commit_that_rewrote_nearly_all_pages_that_there_were_is_a_deploy(repo: Repo) -> None:
    """Later commits may have made most pages, and pages may be added later."""
    names = [f"{n:02}.html" for n in range(20)]
    repo.commit(1, {f"public/{name}": "<p>1" for name in names})
    repo.commit(2, {f"public/{name}": "<p>2" for name in names[1:]})
    repo.commit(3, {f"public/{name}": "<p>3" for name in names[10:]})
    repo.commit(4, {f"public/new{name}": "<p>4" for name in names})
    found = auto_dates(repo.clone().root)
    assert {found[name] for name in names[:10]} == {None}
    assert {found[name] for name in names[10:]} == {day(3)}
    assert {found[f"new{name}"] for name in names} == {day(4)}


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


def test_a_sitemap_that_is_committed_with_its_pages_stays_up_to_date(repo: Repo, run: Run) -> None:
    repo.commit(1, {"public/a.html": "<p>a", "public/b.html": "<p>b"})
    repo.commit(2, {"public/b.html": "<p>b, edited"})
    for _ in range(2):
        assert run("build", repo.root / "public", "--base-url", BASE) == 0
        repo("add", "--all")
        repo("commit", "-q", "--allow-empty", "-m", "x", number=3)
    assert run("check", repo.root / "public", "--base-url", BASE) == 0


def test_the_ledger_if_there_is_one(tmp_path: Path) -> None:
    root = write_site(tmp_path / "public", {"a.html": "<p>a", "b.html": "<p>b"})
    first = auto_dates(tmp_path, ledger={"path": str(tmp_path / "sitemapper.ledger")})
    assert (tmp_path / "sitemapper.ledger").exists()
    shutil.rmtree(root)
    write_site(root, {"a.html": "<p>a", "b.html": "<p>b, edited"}, mtime=MTIME + 86_400)
    later = auto_dates(tmp_path)
    assert later["a.html"] == first["a.html"]
    assert later["b.html"] == "2026-01-03T04:04:05+00:00"


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
