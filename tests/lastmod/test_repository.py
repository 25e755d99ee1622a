"""How git is run: in the right repository, with nothing of a hook's environment, with clear errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import write_site
from support.git import Repo

from sitemapper.lastmod.repository import (
    GitError,
    run_git,
    shallow_boundary,
    top_of,
    tracked_files,
    untracked,
    untracked_pages,
)


def test_a_folder_like_a_bare_repository_is_none(tmp_path: Path) -> None:
    write_site(tmp_path / "site", {"HEAD": "ref: refs/heads/main", "objects/a": "", "refs/a": ""})
    with pytest.raises(GitError, match="this is not a git repository; run the build in"):
        top_of(str(tmp_path / "site"))


def test_what_git_says_is_told_without_its_mark(repo: Repo) -> None:
    with pytest.raises(GitError, match="^the repository has no commit yet$"):
        list(run_git(str(repo.root), "ls-tree", "-r", "HEAD"))
    with pytest.raises(GitError, match="^bad object nothing|^ambiguous argument 'nothing'"):
        list(run_git(str(repo.root), "log", "nothing"))


def test_files_are_untracked_or_ignored_too(repo: Repo) -> None:
    repo.commit(1, {".gitignore": "*.log\n", "kept.txt": "a"})
    write_site(repo.root, {"new.txt": "a", "build.log": "a"})
    kept, new, log = (str(repo.root / name) for name in ("kept.txt", "new.txt", "build.log"))
    assert untracked([kept, new, log], str(repo.root)) == ([new, log], [log])
    assert untracked([kept], str(repo.root)) == ([], [])


def test_pages_are_untracked_only_where_others_are_tracked(repo: Repo) -> None:
    def is_page(path: str) -> bool:
        return path.endswith(".html")

    root = str(repo.root)
    site = str(repo.root / "public")
    repo.commit(1, {"readme.txt": "a"})
    write_site(repo.root / "public", {"a.html": "a", "b.css": "b"})
    assert untracked_pages(site, root, is_page) == set()
    repo.commit(2, {"public/c.html": "c"})
    write_site(repo.root / "public", {"d/e.html": "a", "f.css": "b"})
    assert untracked_pages(site, root, is_page) == {"d/e.html"}


def test_tracked_files_are_those_of_submodules_too(repo: Repo, tmp_path: Path) -> None:
    theme = Repo(tmp_path / "theme")
    theme.commit(1, {"static/sitemap.xml": "<urlset/>"})
    repo.commit(1, {"docs/a b.txt": ""})
    repo("submodule", "add", "-q", str(theme.root), "themes/tea")
    (tmp_path / "none").mkdir()
    folders = [str(repo.root / "docs"), str(tmp_path / "none")]
    assert tracked_files(folders, {"a b.txt", "sitemap.xml"}) == [
        str(repo.root / "docs/a b.txt"),
        str(repo.root / "themes/tea/static/sitemap.xml"),
    ]


def test_a_shallow_clone_ends_at_a_commit(repo: Repo, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        repo.commit(number, {"a.txt": "a" * number})
    assert shallow_boundary(str(repo.root)) == frozenset()
    clone = tmp_path / "clone"
    repo("clone", "-q", "--depth", "2", repo.root.as_uri(), str(clone))
    boundary = repo("rev-parse", "HEAD~1").strip().encode()
    assert shallow_boundary(str(clone)) == {boundary}
    repo("-C", str(clone), "worktree", "add", "-q", str(tmp_path / "linked"))
    assert shallow_boundary(str(tmp_path / "linked")) == {boundary}
