"""The dates of a committed sitemap, where it or its pages are in a submodule."""

from __future__ import annotations

from pathlib import Path

from support import BASE, write_site
from support.git import DAY, START, Repo, day
from support.ledger import dates

import sitemapper
from sitemapper import Summary


def built(root: Path) -> Summary:
    flags = {"base_url": BASE, "site": str(root / "site")}
    return sitemapper.build(sitemapper.load(flags, cwd=str(root)))


def edit(root: Path, name: str, number: int) -> None:
    """Edits a page at noon of a day of January 2026."""
    write_site(root, {name: f"<p>{number}"}, mtime=START + number * DAY - DAY // 2)


def noon(number: int) -> str:
    return day(number).replace("T00", "T12")


def add(repo: Repo, submodule: Repo, path: str) -> Repo:
    """Adds a submodule, and returns its clone in the repository."""
    repo("submodule", "add", "-q", f"file://{submodule.root}", path)
    inside = Repo(repo.root / path)
    inside("checkout", "-q", "-B", "edits")
    return inside


def clone(repo: Repo, *submodules: Repo) -> Path:
    """A clone with all submodules, after their commits were pushed."""
    for submodule in submodules:
        submodule("push", "-q", "origin", "edits")
    root = repo.root.with_name("clone")
    repo("clone", "-q", "--recurse-submodules", f"file://{repo.root}", str(root))
    return root


def test_the_site_is_a_submodule_with_its_sitemap(tmp_path: Path) -> None:
    """As where a generator's output folder is a clone of the branch that is published."""
    pages = Repo(tmp_path / "pages")
    pages.commit(1, {"a.html": "<p>a"})
    pages.commit(2, {"b.html": "<p>b"})
    repo = Repo(tmp_path / "project")
    site = add(repo, pages, "site")
    repo.commit(3, {})
    assert built(repo.root).dated == {"git": 2}
    site.commit(3, {})
    repo.commit(3, {})
    edit(site.root, "a.html", 5)
    assert built(repo.root).dated == {"published": 1, "mtime": 1}
    expected = {"a.html": noon(5), "b.html": day(2)}
    assert dates(repo.root / "site") == expected
    site.commit(7, {})
    repo.commit(7, {})
    other = clone(repo, site)
    for _ in range(2):
        assert built(other).dated == {"published": 2}
        assert dates(other / "site") == expected


def test_files_of_another_repository_than_that_of_the_sitemap_have_the_dates_of_their_commits(
    repo: Repo, tmp_path: Path
) -> None:
    texts = Repo(tmp_path / "texts")
    texts.commit(1, {"a.md": "a", "b.md": "b"})
    repo("submodule", "--quiet", "add", str(texts.root), "content")
    maps = {"map": [{"page": "{p}.html", "source": ["content/{p}.md"]}]}
    flags = {"base_url": BASE, "site": str(repo.root / "site"), "git": maps}
    repo.commit(2, {"site/a.html": "<p>a", "site/b.html": "<p>b"})
    for number in (3, 4):
        summary = sitemapper.build(sitemapper.load(flags, cwd=str(repo.root)))
        assert summary.dated["git"] == 2
        assert set(dates(repo.root / "site").values()) == {day(1)}
        repo.commit(number, {"other.txt": "x" * number})
