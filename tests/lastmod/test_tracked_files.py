"""The files of the last commit: what they contain, and which commits made them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import BASE, write_site
from support.git import DAY, START, Repo

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
    tracked.read(lambda: None, looks_through=True)
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
