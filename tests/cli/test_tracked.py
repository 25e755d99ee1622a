"""`--tracked`: a file that changes, and output files and listed pages that git does not track."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import BASE, Run, Site, write_site
from support.git import Repo
from support.heads import NOINDEX

FROM = ("public", "--base-url", BASE)
PAGES = {"index.html": "<p>", "a.html": "<p>"}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path)
    repo.commit(1, {f"public/{name}": text for name, text in PAGES.items()})
    return repo


@pytest.mark.parametrize("command", ["build", "check"])
def test_tracked_asks_for_the_files_of_the_sitemap_in_git(
    command: str, repo: Repo, run: Run
) -> None:
    ledger = ("--ledger", "kept/sitemapper.ledger")
    (repo.root / "kept").mkdir()
    assert run("build", *FROM, *ledger) == 0
    assert run(command, *FROM, *ledger, "--tracked") == 1
    assert run.err.splitlines()[-6:] == [
        "error: public/sitemap.xml: is not tracked by git",
        "  help: git add public/sitemap.xml",
        "error: public/robots.txt: is not tracked by git",
        "  help: git add public/robots.txt",
        "error: kept/sitemapper.ledger: is not tracked by git",
        "  help: git add kept/sitemapper.ledger",
    ]
    repo("add", "--all")
    assert run(command, *FROM, *ledger, "--tracked") == 0


def test_tracked_tells_whether_the_build_wrote_a_file(repo: Repo, run: Run) -> None:
    assert run("build", *FROM) == 0
    repo("add", "--all")
    assert run("build", *FROM, "--tracked") == 0
    write_site(repo.root / "public", {"b.html": "<p>"})
    repo("add", "--all")
    assert run("build", *FROM, "--tracked", "--dry-run") == 1
    assert run("build", *FROM, "--tracked") == 1
    assert "updated  sitemap.xml" in run.out
    assert run.err == ""
    assert run("build", *FROM, "--tracked") == 0


def test_tracked_asks_for_the_listed_pages_in_git(repo: Repo, run: Run) -> None:
    """pre-commit sets edits aside, but not new files."""
    new = {"new.html": "<p>", "é/index.html": "<p>", "drafts/d.html": "<p>", "no.html": NOINDEX, "a.css": "", "ignored.html": "<p>"}  # fmt: skip
    write_site(repo.root / "public", new)
    (repo.root / ".gitignore").write_text("ignored.html\n")
    flags = (*FROM, "--ignore", "drafts/", "--no-lastmod")
    assert run("build", *flags) == 0
    repo("add", "public/sitemap.xml", "public/robots.txt")
    assert run("check", *flags, "--tracked") == 1
    assert run.err.splitlines()[-6:] == [
        line
        for page in ("ignored.html", "new.html", "é/index.html")
        for line in (
            f"error: public/{page}: is listed, but not tracked by git",
            f"  help: git add public/{page}",
        )
    ]
    repo("add", "--all", "--force")
    assert run("check", *flags, "--tracked") == 0


def test_a_site_that_git_ignores_has_nothing_to_commit(repo: Repo, run: Run) -> None:
    """The advice was to `git add` the file, which git refuses."""
    write_site(repo.root / "built", PAGES)
    (repo.root / ".gitignore").write_text("built/\n")
    assert run("build", "built", "--base-url", BASE, "--tracked") == 1
    assert run.err.splitlines()[-2:] == [
        "error: built/sitemap.xml: git ignores it, so there is nothing to commit",
        "  help: run sitemapper check in CI, after the build of the site, instead of this hook",
    ]


def test_a_site_of_which_git_tracks_no_page_may_list_them(repo: Repo, run: Run) -> None:
    write_site(repo.root / "built", PAGES)
    assert run("build", "built", *FROM[1:]) == 0
    repo("add", "built/sitemap.xml", "built/robots.txt")
    assert run("check", "built", *FROM[1:], "--tracked") == 0


@pytest.mark.slow
def test_many_untracked_pages_are_counted(repo: Repo, run: Run) -> None:
    write_site(repo.root / "public", {f"{n:04}.html": "<p>" for n in range(1_500)})
    assert run("build", *FROM, "--tracked") == 1
    assert run.err.splitlines()[-2:] == [
        "error: 1,480 more listed pages are not tracked by git",
        "  help: git add public",
    ]


def test_tracked_needs_a_repository(site: Site, run: Run) -> None:
    site(PAGES)
    assert run("build", *FROM, "--tracked") == 2
    assert "error: --tracked: this is not a git repository" in run.err


def test_a_missing_file_is_not_called_untracked(repo: Repo, run: Run) -> None:
    assert run("check", *FROM, "--tracked") == 1
    assert "tracked" not in run.err
