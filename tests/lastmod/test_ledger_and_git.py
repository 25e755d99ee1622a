"""The ledger before git: git dates the pages that changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, MTIME, ledger, write_site
from support.git import DAY, Repo, dates, day, load
from support.ledger import page

import sitemapper

BOTH = {"lastmod": ["ledger", "git"]}
PAGES = ("a/index.html", "b/index.html", "c/index.html")


@pytest.fixture
def built(repo: Repo) -> Repo:
    repo.commit(1, {f"content/{name[0]}.md": "1" for name in PAGES})
    assert dates(repo.root, *PAGES, **BOTH) == dict.fromkeys(("a/", "b/", "c/"), day(1))
    return repo


def test_one_changed_page_gets_the_date_of_its_commit(built: Repo) -> None:
    built.commit(5, {"content/b.md": "2"})
    write_site(built.root / "public", {"b/index.html": page("another text")})
    assert load(built.root, **BOTH).dated == {"ledger": 2, "git": 1}
    assert ledger.dates(built.root / "public") == {"a/": day(1), "b/": day(5), "c/": day(1)}


def test_a_new_page_that_git_does_not_know_does_not_put_the_templates_in_doubt(built: Repo) -> None:
    write_site(built.root / "public", {"d/index.html": "<p>new"})
    assert load(built.root, **BOTH).warnings == ()


@pytest.mark.slow
@pytest.mark.parametrize("sources", ["auto", ["ledger", "mtime"], ["mtime", "ledger"]], ids=str)
@pytest.mark.parametrize("with_git", [True, False])
def test_an_unchanged_page_keeps_its_date_whatever_its_file_says(
    tmp_path: Path, with_git: bool, sources: str | list[str]
) -> None:
    """A commit, a copy, or an edit of the menu changes no content."""
    site = write_site(tmp_path / "public", {f"{name}.html": page(name) for name in "abcdef"})
    git = Repo(tmp_path) if with_git else None
    values = {"base_url": BASE, "site": str(site), "lastmod": sources}
    values["ledger"] = {"path": str(tmp_path / "sitemapper.ledger")}

    def built() -> dict[str, str | None]:
        sitemapper.build(sitemapper.load(values, cwd=str(tmp_path)))
        return ledger.dates(site)

    if git:
        for number, name in enumerate("abcdef", 1):
            git("add", f"public/{name}.html")
            git("commit", "-q", "-m", "x", number=number)
    before = built()
    assert None not in before.values()
    edited = {f"{name}.html": page(name).replace("menu", "new menu") for name in "abc"}
    write_site(site, edited, mtime=MTIME + 9 * DAY)
    os.utime(site / "d.html", (MTIME + 20 * DAY, MTIME + 20 * DAY))
    assert built() == before
    if git:
        git.commit(40, {})
    assert built() == before
    for name in "abcdef":
        os.utime(site / f"{name}.html", (MTIME + 50 * DAY, MTIME + 50 * DAY))
    assert built() == before
