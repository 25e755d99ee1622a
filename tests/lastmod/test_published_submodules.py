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


def test_pages_in_a_submodule_and_in_a_submodule_of_it(tmp_path: Path) -> None:
    innermost = Repo(tmp_path / "innermost")
    innermost.commit(1, {"c.html": "<p>c", "d.html": "<p>d"})
    inner = Repo(tmp_path / "inner")
    inner.commit(2, {"b.html": "<p>b"})
    repo = Repo(tmp_path / "project")
    repo.commit(3, {"site/a.html": "<p>a"})
    outer_copy = add(repo, inner, "site/inner")
    inner_copy = add(outer_copy, innermost, "innermost")
    for where in (outer_copy, repo):
        where.commit(4, {})
    for number, (where, name) in enumerate(((outer_copy, "b"), (inner_copy, "c")), 5):
        edit(where.root, f"{name}.html", number)
    assert built(repo.root).dated == {"git": 2, "mtime": 2}
    expected = {
        "a.html": day(3),
        "inner/b.html": noon(5),
        "inner/innermost/c.html": noon(6),
        "inner/innermost/d.html": day(1),
    }
    assert dates(repo.root / "site") == expected
    for where in (inner_copy, outer_copy, repo):
        where.commit(8, {})
    other = clone(repo, inner_copy, outer_copy)
    for _ in range(2):
        assert built(other).dated == {"published": 4}
        assert dates(other / "site") == expected


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
