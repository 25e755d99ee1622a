"""The ledger before git: git dates the pages that changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, MTIME, NOW, asking, ledger, write_site
from support.git import DAY, MAPS, Repo, dates, day, load
from support.ledger import page

import sitemapper

BOTH = {"lastmod": ["ledger", "git"]}
PAGES = ("a/index.html", "b/index.html", "c/index.html")


@pytest.fixture
def built(repo: Repo) -> Repo:
    repo.commit(1, {f"content/{name[0]}.md": "1" for name in PAGES})
    assert dates(repo.root, *PAGES, **BOTH) == dict.fromkeys(("a/", "b/", "c/"), day(1))
    return repo


@pytest.mark.parametrize("jobs", [1, 2])
def test_one_changed_page_gets_the_date_of_its_commit(
    built: Repo, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    built.commit(5, {"content/b.md": "2"})
    write_site(built.root / "public", {"b/index.html": page("another text")})
    monkeypatch.setattr("sitemapper.read.walk.BATCH", 4)  # a batch is one page
    monkeypatch.setattr("sitemapper.run.stream.MIN_PARSED", 1)
    values = {"base_url": BASE, "site": str(built.root / "public"), "git": {"map": MAPS}, **BOTH}
    settings = asking(sitemapper.load(values, cwd=str(built.root)), jobs=jobs)
    summary = sitemapper.build(settings, now=NOW)
    assert summary.dated == {"ledger": 2, "git": 1}
    text = (built.root / "public/sitemap.xml").read_text()
    assert f"b/</loc><lastmod>{day(5)}<" in text
    assert text.count(day(1)) == 2


def test_a_new_page_that_git_does_not_know_does_not_put_the_templates_in_doubt(built: Repo) -> None:
    write_site(built.root / "public", {"d/index.html": "<p>new"})
    assert load(built.root, **BOTH).warnings == ()


def test_templates_without_a_source_are_still_told_of_in_the_first_build(repo: Repo) -> None:
    repo.commit(1, {"x": "1"})
    write_site(repo.root / "public", {"a/index.html": "<p>"})
    (warning,) = load(repo.root, **BOTH).warnings
    assert warning.subjects == (
        "the source files of the pages are not in git, such as content/a.md",
    )


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
