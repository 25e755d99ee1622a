"""The history of a repository, newest changes first."""

from __future__ import annotations

from support.git import DAY, START, Repo

from sitemapper.lastmod.asked_paths import AskedPaths
from sitemapper.lastmod.commits import Change, changes


def changes_of(repo: Repo) -> list[Change]:
    return list(changes(str(repo.root), AskedPaths()))


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


def test_a_commit_that_is_rebased_has_the_time_of_the_rebase(repo: Repo) -> None:
    repo.commit(1, {"a.txt": "one"})
    repo("commit", "-q", "--amend", "--no-edit", number=9)
    [change] = changes_of(repo)
    assert change.commit.seconds == START + 8 * DAY
    assert change.commit.is_certain
