"""The ledger before git: git dates the pages that changed."""

from __future__ import annotations

import pytest
from support import BASE, NOW, asking, write_site
from support.git import MAPS, Repo, dates, day, load
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
    monkeypatch.setattr("sitemapper.site.walk.BATCH", 4)  # a batch is one page
    monkeypatch.setattr("sitemapper.pipeline.run.MIN_PARSED", 1)
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
    assert warning[2] == ("[[git.map]] names only files not in git, such as content/a.md",)
