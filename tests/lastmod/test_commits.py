"""The history of a repository, newest changes first."""

from __future__ import annotations

from support.git import DAY, START, Repo

from sitemapper.lastmod.asked_paths import AskedPaths
from sitemapper.lastmod.commits import Change, changes
from sitemapper.lastmod.ignored_commits import IgnoredCommits


def changes_of(repo: Repo, *ignored: str) -> list[Change]:
    hashes = frozenset(name.strip().encode() for name in ignored)
    return list(changes(str(repo.root), AskedPaths(), IgnoredCommits(hashes, ())))


def test_the_versions_of_a_file(repo: Repo) -> None:
    repo.commit(1, {"a.txt": "one"})
    repo.commit(2, {"a.txt": "second"})
    second, first = changes_of(repo)
    assert (first.name, first.existed) == (b"a.txt", False)
    assert (second.blobs_before, second.existed) == ([first.blob], True)
    assert (first.commit.seconds, second.commit.seconds) == (START, START + DAY)


def test_a_rename_has_both_names(repo: Repo) -> None:
    repo.commit(1, {"a.txt": "one"})
    repo("mv", "a.txt", "b.txt")
    repo.commit(2, {})
    change = changes_of(repo)[0]
    assert (change.name, change.names_before) == (b"b.txt", [b"a.txt"])
    assert change.blobs_before == [change.blob]


def test_a_commit_that_is_rebased_has_two_times(repo: Repo) -> None:
    repo.commit(1, {"a.txt": "one"})
    repo("commit", "-q", "--amend", "--no-edit", number=9)
    [change] = changes_of(repo)
    assert (change.commit.authored, change.commit.seconds) == (START, START + 8 * DAY)
    assert change.commit.is_certain


def test_ignored_commits_are_marked(repo: Repo) -> None:
    repo.commit(1, {"a.txt": "one"})
    repo.commit(2, {"a.txt": "second"})
    found = changes_of(repo, repo("rev-parse", "HEAD"))
    assert [change.commit.is_ignored for change in found] == [True, False]
