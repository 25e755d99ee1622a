"""The files of the last commit: what they contain, and which commits made them."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import BASE, write_site
from support.git import DAY, START, Repo, dates, day, load, site_of

import sitemapper
from sitemapper import Summary
from sitemapper.lastmod.asked_paths import AskedPaths
from sitemapper.lastmod.tracked_files import TrackedFiles

PAGES = tuple(f"{name}/index.html" for name in "abcdef")


@pytest.fixture
def sources(repo: Repo) -> Repo:
    """The sources of six pages, each of another day."""
    for number, path in enumerate(PAGES, 1):
        repo.commit(number, {f"content/{path[0]}.md": path})
    return repo


@pytest.fixture
def files(sources: Repo) -> Iterator[TrackedFiles]:
    write_site(sources.root, {"long.xml": "<url>\n" * 70_000})
    (sources.root / "long.xml.gz").write_bytes(gzip.compress(b"<url>\n" * 70_000 + b"end"))
    sources.commit(8, {})
    tracked = TrackedFiles(str(sources.root))
    tracked.list(AskedPaths())
    tracked.read(lambda: None)
    yield tracked
    tracked.close()


def test_the_lines_of_a_file_packed_or_not(files: TrackedFiles) -> None:
    assert files.has_file("long.xml")
    assert not files.has_file("other.xml")
    assert list(files.lines("long.xml")) == [b"<url>"] * 70_000
    assert list(files.lines("long.xml.gz")) == [b"<url>"] * 70_000


def test_files_have_their_last_commits(files: TrackedFiles, sources: Repo) -> None:
    [found] = files.known([b"content/b.md", b"none"]).values()
    assert (found.name, found.seconds, found.is_certain) == ("content/b.md", START + DAY, True)
    assert found.commit == sources("rev-parse", "HEAD~5").strip()
    assert found.edited is None


def notes_on(summary: Summary) -> list[str]:
    return [note for note in summary.notes if ".git-blame-ignore-revs" in note]


def test_one_note_names_a_commit_that_moves_most_dates(sources: Repo) -> None:
    site_of(sources.root, *PAGES)
    assert not notes_on(load(sources.root))
    sources.commit(9, {f"content/{path[0]}.md": f"description: x\n{path}" for path in PAGES})
    commit = sources("rev-parse", "HEAD")[:12]
    [note] = notes_on(load(sources.root))
    assert f"6 dates are those of commit {commit}, which edited all these pages" in note
    assert "a ledger" in note
    assert not notes_on(load(sources.root))  # they move once


def test_neither_an_import_nor_an_everyday_commit_is_noted(repo: Repo) -> None:
    repo.commit(1, {f"content/{path[0]}.md": path for path in PAGES})
    site_of(repo.root, *PAGES)
    assert not notes_on(load(repo.root))
    repo.commit(2, {f"content/{path[0]}.md": f"{path}, edited" for path in PAGES[:3]})
    assert not notes_on(load(repo.root))


def rebase(repo: Repo) -> None:
    """Makes all commits again: they keep their authors' times, and have new committers'."""
    who = {}
    for role in ("AUTHOR", "COMMITTER"):
        who |= {f"GIT_{role}_NAME": "x", f"GIT_{role}_EMAIL": "x@y"}
    command = ["git", "rebase", "-q", "--root", "--force-rebase"]
    now = {"GIT_COMMITTER_DATE": f"{START + 80 * DAY} +0000"}
    subprocess.run(command, cwd=repo.root, check=True, env=os.environ | who | now)


@pytest.mark.parametrize(("days", "is_told"), [(1, False), (9, True)])
def test_a_history_that_was_rewritten_is_a_warning(repo: Repo, days: int, is_told: bool) -> None:
    for number, path in enumerate(PAGES):
        repo.commit(1 + days * number, {f"content/{path[0]}.md": path})
    site_of(repo.root, *PAGES)
    assert load(repo.root).warnings == ()
    rebase(repo)
    names = [kind.name for kind, *_ in load(repo.root).warnings]
    assert ("REWRITTEN" in names) == is_told
    assert "REWRITTEN" not in [kind.name for kind, *_ in load(repo.root).warnings]


def test_a_submodule_has_its_own_list_of_ignored_commits(repo: Repo, tmp_path: Path) -> None:
    texts = Repo(tmp_path / "texts")
    texts.commit(1, {"a.md": "a"})
    texts.commit(5, {"a.md": "description: x\na"})
    texts.commit(6, {".git-blame-ignore-revs": texts("rev-parse", "HEAD")})
    repo("submodule", "--quiet", "add", str(texts.root), "content")
    repo.commit(7, {})
    assert dates(repo.root, "a/index.html") == {"a/": day(1)}


def test_a_source_in_a_submodule_is_unchanged_since_the_published_sitemap(
    repo: Repo, tmp_path: Path
) -> None:
    texts = Repo(tmp_path / "texts")
    texts.commit(1, {"a.md": "a", "b.md": "b"})
    repo("submodule", "--quiet", "add", str(texts.root), "content")
    maps = {"map": [{"page": "{p}.html", "source": ["content/{p}.md"]}]}
    flags = {"base_url": BASE, "site": str(repo.root / "site"), "git": maps}

    def built() -> Summary:
        return sitemapper.build(sitemapper.load(flags, cwd=str(repo.root)))

    repo.commit(2, {"site/a.html": "<p>a", "site/b.html": "<p>b"})
    assert built().dated == {"git": 2}
    repo.commit(3, {})
    assert built().dated == {"published": 2}
    inside = Repo(repo.root / "content")
    inside.commit(5, {"b.md": "edited"})
    repo.commit(6, {})
    assert built().dated == {"published": 1, "git": 1}
