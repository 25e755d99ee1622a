"""Commits that `git blame` looks through, and so do dates."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.git import Repo, dates, day, load, site_of

from sitemapper.lastmod.ignored_commits import ignored_commits
from sitemapper.lastmod.repository import configuration


def head(repo: Repo) -> str:
    return repo("rev-parse", "HEAD").strip()


@pytest.fixture
def reformatted(repo: Repo) -> str:
    """The commit that adds a description to each of two texts, written on days 1 and 2."""
    repo.commit(1, {"content/a.md": "a"})
    repo.commit(2, {"content/b.md": "b"})
    repo.commit(5, {"content/a.md": "description: x\na", "content/b.md": "description: x\nb"})
    return head(repo)


BOTH = ("a/index.html", "b/index.html")
MOVED = {"a/": day(5), "b/": day(5)}
KEPT = {"a/": day(1), "b/": day(2)}


def test_a_commit_in_the_file_at_the_root_dates_nothing(repo: Repo, reformatted: str) -> None:
    assert dates(repo.root, *BOTH) == MOVED
    (repo.root / ".git-blame-ignore-revs").write_text(f"# descriptions\n{reformatted}\n")
    assert dates(repo.root, *BOTH) == KEPT


def test_a_commit_in_a_configured_file_dates_nothing(
    repo: Repo, reformatted: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "lists").write_text(reformatted)
    repo("config", "blame.ignoreRevsFile", "~/lists")
    assert dates(repo.root, *BOTH) == KEPT
    repo("config", "blame.ignoreRevsFile", "other/revs")
    (repo.root / "other").mkdir()
    (repo.root / "other/revs").write_text(reformatted)
    assert dates(repo.root, *BOTH) == KEPT


def test_edits_before_and_after_an_ignored_commit_count(repo: Repo, reformatted: str) -> None:
    (repo.root / ".git-blame-ignore-revs").write_text(reformatted)
    repo.commit(7, {"content/b.md": "description: x\nedited"})
    assert dates(repo.root, *BOTH) == {"a/": day(1), "b/": day(7)}


def test_two_ignored_commits_and_a_rename_between_them(repo: Repo, reformatted: str) -> None:
    repo("mv", "content/a.md", "content/c.md")
    repo.commit(6, {})
    repo.commit(7, {"content/c.md": "title: c\na", "content/b.md": "title: b\nb"})
    (repo.root / ".git-blame-ignore-revs").write_text(f"{reformatted}\n{head(repo)}")
    assert dates(repo.root, "b/index.html", "c/index.html") == {"b/": day(2), "c/": day(1)}


def test_an_ignored_commit_that_adds_a_file_dates_it(repo: Repo) -> None:
    """There is nothing else that could, and git blames it for each line, too."""
    repo.commit(3, {"content/a.md": "a"})
    (repo.root / ".git-blame-ignore-revs").write_text(head(repo))
    assert dates(repo.root, "a/index.html") == {"a/": day(3)}


def accepts(repo: Repo, text: str) -> bool:
    """Whether git accepts a list."""
    (repo.root / ".git-blame-ignore-revs").write_text(text)
    command = ["git", "blame", "--ignore-revs-file=.git-blame-ignore-revs", "content/a.md"]
    return subprocess.run(command, cwd=repo.root, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("form", "is_read"),
    [
        ("{}", True),
        ("\n\n  {}  \n", True),
        ("# a comment\n{} # and another\n", True),
        ("{}\r\n", True),
        ("0123456789abcdef0123456789abcdef01234567\n{}", True),
        ("{:.12}", False),
        ("main", False),
        ("{} x", False),
    ],
)
def test_a_list_is_read_as_git_reads_it(
    repo: Repo, reformatted: str, form: str, is_read: bool
) -> None:
    text = form.format(reformatted)
    assert accepts(repo, text) == is_read
    found = ignored_commits(str(repo.root), configuration(str(repo.root)))
    assert (reformatted.encode() in found.hashes) == is_read
    assert len(found.problems) == (not is_read)


@pytest.mark.parametrize("sources", [["git"], ["auto"]])
def test_a_list_that_cannot_be_read_is_told(
    repo: Repo, reformatted: str, sources: list[str]
) -> None:
    (repo.root / ".git-blame-ignore-revs").write_text(f"\n{reformatted[:9]}\n")
    repo("config", "blame.ignoreRevsFile", "missing")
    site_of(repo.root, *BOTH)
    [warning] = [about for kind, _, about in load(repo.root, lastmod=sources).warnings if kind.name == "IGNORED_COMMITS"]  # fmt: skip
    assert warning == (
        f".git-blame-ignore-revs:2: '{reformatted[:9]}' is not the full hash of a commit",
        "missing: does not exist, and blame.ignoreRevsFile names it",
    )
