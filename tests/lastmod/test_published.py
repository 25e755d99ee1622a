"""The dates of a committed sitemap: they stand while the pages are unchanged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, Run, write_site
from support.git import DAY, MAPS, START, Repo, day, edit, noon
from support.ledger import dates

import sitemapper
from sitemapper import Summary

NAMES = tuple("abcdefgh")


def built(root: Path, **values: object) -> Summary:
    """A build with nothing configured but the folder, as a hook runs it."""
    flags = {"base_url": BASE, "site": str(root / "site"), **values}
    return sitemapper.build(sitemapper.load(flags, cwd=str(root)))


@pytest.fixture
def hooked(repo: Repo) -> Repo:
    """A site that was committed with its sitemap, each page edited on another day."""
    for number, name in enumerate(NAMES, 1):
        edit(repo.root, f"site/{name}.html", f"<p>{name}", number)
    built(repo.root)
    repo.commit(10, {})
    return repo


def sitemap(root: Path) -> bytes:
    return (root / "site/sitemap.xml").read_bytes()


def test_a_second_clone_writes_the_same_bytes(
    hooked: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = hooked.clone()
    monkeypatch.chdir(other.root)
    assert set(dates(hooked.root / "site").values()) == {noon(number) for number in range(1, 9)}
    for _ in range(2):
        assert built(other.root).dated == {"published": 8}
        assert sitemap(other.root) == sitemap(hooked.root)
    assert run("check", other.root / "site", "--base-url", BASE, "--strict") == 0


def test_an_edit_has_the_time_of_its_file_before_and_after_its_commit(hooked: Repo) -> None:
    other = hooked.clone()
    before = dates(hooked.root / "site")
    edit(other.root, "site/c.html", "<p>edited", 12)
    for _ in range(2):
        assert built(other.root).dated == {"published": 7, "mtime": 1}
        assert dates(other.root / "site") == {**before, "c.html": noon(12)}
    other.commit(13, {})
    committed = sitemap(other.root)
    for where in (other, other.clone()):
        assert built(where.root).dated == {"published": 8}
        assert sitemap(where.root) == committed


@pytest.mark.slow
def test_a_bot_that_commits_the_sitemap_alone(hooked: Repo) -> None:
    edit(hooked.root, "site/c.html", "<p>edited", 12)
    hooked.commit(13, {})
    bot = hooked.clone()
    assert built(bot.root).dated == {"published": 7, "git": 1}
    assert dates(bot.root / "site")["c.html"] == day(13)
    bot.commit(14, {})
    assert built(bot.clone().root).dated == {"published": 8}
    assert dates(bot.root / "site")["c.html"] == day(13)


def test_a_page_of_a_merged_branch_has_changed_however_old_its_commit_is(hooked: Repo) -> None:
    hooked("checkout", "-q", "-b", "side", "HEAD")
    edit(hooked.root, "site/c.html", "<p>on a branch", 11)
    hooked.commit(11, {})
    hooked("checkout", "-q", "main")
    edit(hooked.root, "site/a.html", "<p>edited", 14)
    built(hooked.root)
    hooked.commit(15, {})
    hooked("merge", "-q", "--no-edit", "side", number=20)
    other = hooked.clone()
    assert built(other.root).dated == {"published": 7, "git": 1}
    assert dates(other.root / "site")["c.html"] == day(11)


def test_a_date_later_than_the_last_commit_is_false(repo: Repo) -> None:
    """Such as the dates of checkouts, which older releases wrote."""
    names = {f"site/{name}.html": f"<p>{name}" for name in NAMES[:3]}
    for number, (name, text) in enumerate(names.items(), 1):
        repo.commit(number, {name: text})
    for name in names:
        os.utime(repo.root / name, (START + 8 * DAY, START + 8 * DAY))
    built(repo.root, lastmod=["mtime"])
    before = set(dates(repo.root / "site").values())
    repo.commit(9, {})
    other = repo.clone()
    assert built(other.root).dated == {"git": 3}
    assert before.isdisjoint(dates(other.root / "site").values())


def test_a_sitemap_of_another_tool_dates_nothing(hooked: Repo) -> None:
    text = (hooked.root / "site/sitemap.xml").read_text()
    lines = [line for line in text.splitlines() if "<!--" not in line]
    hooked.commit(11, {"site/sitemap.xml": "\n".join(lines)})
    other = hooked.clone()
    assert not built(other.root, sitemap={"name": "map.xml"}).dated["published"]


def test_a_commit_over_all_pages_is_looked_through(hooked: Repo) -> None:
    before = sitemap(hooked.root)
    hooked.commit(12, {f"site/{name}.html": f"<p>{name}\n<!-- new format -->" for name in NAMES})
    other = hooked.clone()
    assert built(other.root).dated == {"published": 8}
    assert sitemap(other.root) == before


@pytest.mark.slow
def test_the_source_of_a_page_counts_and_not_the_page_that_a_generator_rewrites(
    repo: Repo,
) -> None:
    """A generator that writes another nonce into each page at each build moves no date."""
    for number, name in enumerate(NAMES[:3], 1):
        edit(repo.root, f"content/{name}.md", name, number)
    git = {"git": {"map": MAPS}, "lastmod": ["published", "git", "mtime"]}

    def generate(nonce: str) -> None:
        write_site(repo.root, {f"site/{name}/index.html": f"<p>{nonce}" for name in NAMES[:3]})

    generate("1")
    repo.commit(8, {})
    assert built(repo.root, **git).dated == {"git": 3}
    repo.commit(9, {})
    committed = sitemap(repo.root)
    generate("2")
    assert built(repo.root, **git).dated == {"published": 3}
    assert sitemap(repo.root) == committed
    edit(repo.root, "content/b.md", "edited", 12)
    generate("3")
    assert built(repo.root, **git).dated == {"published": 2, "mtime": 1}
    assert dates(repo.root / "site")["b/"] == noon(12)
    repo.commit(13, {})
    assert built(repo.clone().root, **git).dated == {"published": 3}


def test_in_a_shallow_clone_the_dates_stand_with_a_warning(hooked: Repo) -> None:
    other = hooked.clone("--depth=1")
    summary = built(other.root)
    assert [kind.name for kind, *_ in summary.warnings] == ["UNCHECKED"]
    assert sitemap(other.root) == sitemap(hooked.root)


@pytest.mark.parametrize(
    "form",
    [
        {"sitemap": {"max_urls": 3}},
        {"sitemap": {"gzip": "only"}},
        {"sitemap": {"gzip": "also", "index": "always", "text": True}},
        {"sitemap": {"strategy": "stable"}},
        {"sitemaps": [{"name": "first", "match": ["a.html", "b.html"]}]},
    ],
    ids=str,
)
def test_all_forms_of_a_sitemap(repo: Repo, form: dict[str, object]) -> None:
    for number, name in enumerate(NAMES, 1):
        edit(repo.root, f"site/{name}.html", f"<p>{name}", number)
    built(repo.root, **form)
    repo.commit(10, {})
    other = repo.clone()
    summary = built(other.root, **form)
    assert summary.dated == {"published": 8}
    assert {file.change.name for file in summary.files} == {"KEPT"}


def test_a_page_whose_canonical_has_another_form(repo: Repo) -> None:
    link = f'<link rel="canonical" href="{BASE}b">'
    edit(repo.root, "site/a.html", "<p>a", 1)
    edit(repo.root, "site/b.html", f"<head>{link}</head><p>b", 2)
    built(repo.root, url_style="file")
    repo.commit(10, {})
    assert built(repo.clone().root, url_style="file").dated == {"published": 2}


def test_explain_names_the_file_and_the_commit(hooked: Repo, run: Run) -> None:
    commit = hooked("rev-parse", "HEAD")[:12]
    assert run("explain", "c.html", "--site", hooked.root / "site", "--base-url", BASE) == 0
    why = f"in the committed sitemap; unchanged since commit {commit}"
    assert f"lastmod     {noon(3)}  ({why})" in run.out
    edit(hooked.root, "site/c.html", "<p>edited", 12)
    assert run("explain", "c.html", "--site", hooked.root / "site", "--base-url", BASE) == 0
    assert f"lastmod     {noon(12)}  (mtime)" in run.out
    assert f"source      site/c.html  (edited after commit {commit})" in run.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alone", "committed"),
    [((), 14), (("c", "d"), 15)],
    ids=["all in one commit", "the sitemap after the pages"],
)
def test_a_page_that_was_edited_between_the_build_and_the_commit_is_dated_by_the_commit(
    hooked: Repo, alone: tuple[str, ...], committed: int
) -> None:
    """The sitemap has its date from before the edit."""
    before = dates(hooked.root / "site")
    edit(hooked.root, "site/c.html", "<p>edited", 12)
    built(hooked.root)
    edit(hooked.root, "site/d.html", "<p>edited after the build", 13)
    for number, name in enumerate(alone, 14):
        hooked("add", f"site/{name}.html")
        hooked("commit", "-q", "-m", name, number=number)
    hooked.commit(16 if alone else committed, {})
    expected = {**before, "c.html": noon(12), "d.html": day(committed)}
    other = hooked.clone()
    assert built(other.root).dated == {"published": 7, "git": 1}
    assert dates(other.root / "site") == expected
    other.commit(17, {})
    assert built(other.clone().root).dated == {"published": 8}
    assert dates(other.root / "site") == expected


def test_a_page_that_was_edited_and_reverted_has_the_date_of_the_revert(hooked: Repo) -> None:
    edit(hooked.root, "site/c.html", "<p>edited", 12)
    hooked.commit(13, {})
    hooked("revert", "--no-edit", "HEAD", number=14)
    other = hooked.clone()
    assert built(other.root).dated == {"published": 7, "git": 1}
    assert dates(other.root / "site")["c.html"] == day(14)


def test_a_generator_that_writes_another_nonce_into_each_page_dates_none(hooked: Repo) -> None:
    """Nearly all pages differ from the last commit, so that proves nothing. A ledger does."""
    other = hooked.clone()
    for name in NAMES:
        edit(other.root, f"site/{name}.html", f"<p>{name}<!-- 8c1f -->", 12)
    assert not any(built(other.root, max_drop=100).dated.values())


@pytest.mark.slow
def test_edits_of_pages_that_one_commit_added_are_dated_before_their_commit_as_after_it(
    repo: Repo,
) -> None:
    repo.commit(1, {f"site/{number}.html": f"<p>{number}" for number in range(10)})
    assert not any(built(repo.clone().root).dated.values())
    for number in range(3):
        edit(repo.root, f"site/{number}.html", "<p>edited", 12)
    assert built(repo.root).dated["mtime"] == 3
    repo.commit(13, {})
    committed = sitemap(repo.root)
    other = repo.clone()
    assert built(other.root).dated["published"] == 3
    assert sitemap(other.root) == committed


@pytest.mark.slow
def test_the_site_is_a_submodule_with_its_sitemap(tmp_path: Path) -> None:
    """As where a generator's output folder is a clone of the branch that is published."""
    pages = Repo(tmp_path / "pages")
    pages.commit(1, {"a.html": "<p>a"})
    pages.commit(2, {"b.html": "<p>b"})
    repo = Repo(tmp_path / "project")
    repo("submodule", "add", "-q", pages.root.as_uri(), "site")
    repo.commit(3, {})
    site = Repo(repo.root / "site")
    edit(site.root, "a.html", "<p>5", 5)
    assert built(repo.root).dated == {"git": 1, "mtime": 1}
    site.commit(7, {})
    repo.commit(7, {})
    assert built(repo.root).dated == {"published": 2}
    assert dates(repo.root / "site") == {"a.html": noon(5), "b.html": day(2)}


@pytest.mark.slow
def test_files_of_another_repository_than_that_of_the_sitemap_have_the_dates_of_their_commits(
    repo: Repo, tmp_path: Path
) -> None:
    texts = Repo(tmp_path / "texts")
    texts.commit(1, {"a.md": "a", "b.md": "b"})
    repo("submodule", "--quiet", "add", str(texts.root), "content")
    maps = {"map": [{"page": "{p}.html", "source": ["content/{p}.md"]}]}
    repo.commit(2, {"site/a.html": "<p>a", "site/b.html": "<p>b"})
    for number in (3, 4):
        assert built(repo.root, git=maps).dated["git"] == 2
        assert set(dates(repo.root / "site").values()) == {day(1)}
        repo.commit(number, {"other.txt": "x" * number})
