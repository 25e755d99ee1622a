"""Files that differ from the last commit: they have no commit date."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support import MTIME, write_site
from support.git import Repo, dates, day

from sitemapper.lastmod.tracked_files import files_that_may_differ, has_content


def edited(repo: Repo) -> dict[bytes, bytes]:
    return dict(files_that_may_differ(str(repo.root)))


@pytest.fixture
def committed(repo: Repo) -> Repo:
    repo.commit(1, {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})
    return repo


def test_a_file_that_was_only_written_again_is_compared(committed: Repo) -> None:
    path = committed.root / "a.txt"
    os.utime(path, (MTIME + 5, MTIME + 5))
    [(name, blob)] = edited(committed).items()
    assert (name, has_content(str(committed.root), name, blob)) == (b"a.txt", True)
    path.write_bytes(b"a\r\n")  # as Windows writes it
    assert has_content(str(committed.root), name, blob)
    path.write_bytes(b"b\n")
    assert not has_content(str(committed.root), name, blob)
    path.unlink()
    assert not has_content(str(committed.root), name, blob)
    path.mkdir()
    assert not has_content(str(committed.root), name, blob)


def test_the_index_is_not_written(committed: Repo) -> None:
    index = committed.root / ".git/index"
    before = index.read_bytes()
    os.utime(committed.root / "a.txt", (MTIME + 5, MTIME + 5))
    edited(committed)
    assert index.read_bytes() == before


def test_no_filter_runs(committed: Repo, tmp_path: Path) -> None:
    committed("config", "filter.x.clean", f"touch {tmp_path}/ran; cat")
    committed("config", "filter.x.required", "true")
    write_site(committed.root, {".git/info/attributes": "*.txt filter=x\n"})
    write_site(committed.root, {"a.txt": "b\n"})
    index = os.stat(committed.root / ".git/index").st_mtime
    os.utime(committed.root / "a.txt", (index, index))  # git compares such a file
    assert list(edited(committed)) == [b"a.txt"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("is_staged", [False, True])
def test_a_source_that_is_edited_has_no_date_before_its_commit(repo: Repo, is_staged: bool) -> None:
    """Nor has one that is removed."""
    pages = ("a/index.html", "b/index.html", "c/index.html")
    repo.commit(1, {f"content/{name}.md": name for name in "abc"})
    write_site(repo.root, {"content/a.md": "edited"})
    (repo.root / "content/c.md").unlink()
    if is_staged:
        repo("add", "--all")
    assert dates(repo.root, *pages) == {"a/": None, "b/": day(1), "c/": None}
    found = dates(repo.root, *pages, lastmod=["git", "mtime"])
    assert (found["a/"], found["b/"]) == ("2026-01-02T03:04:05+00:00", day(1))


def test_a_copy_of_a_repository_keeps_its_commits(repo: Repo, tmp_path: Path) -> None:
    """Its files have another status than the index says, and the same contents."""
    repo.commit(3, {"content/a.md": "a"})
    copy = shutil.copytree(repo.root, tmp_path / "copy", copy_function=shutil.copyfile)
    assert dates(copy, "a/index.html") == {"a/": day(3)}


def test_a_new_file_that_is_added_has_the_time_of_the_file(repo: Repo) -> None:
    repo.commit(1, {"content/a.md": "a"})
    write_site(repo.root, {"content/b.md": "b"})
    pages = ("a/index.html", "b/index.html")
    assert dates(repo.root, *pages) == {"a/": day(1), "b/": None}
    repo("add", "content/b.md")
    assert dates(repo.root, *pages) == {"a/": day(1), "b/": None}
    found = dates(repo.root, *pages, lastmod=["git", "mtime"])
    assert found == {"a/": day(1), "b/": "2026-01-02T03:04:05+00:00"}
