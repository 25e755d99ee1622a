"""Commits over nearly all sources or built pages are no edits: dates look through them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import BASE, MTIME, Run, write_site
from support.git import MAPS, Repo, auto_dates, day

from sitemapper.model import NoDate

NAMES = [f"{number:02}" for number in range(25)]


def with_sources(root: Path, *, warns: bool = False, **values: object) -> dict[str, str | None]:
    """The days of pages that are built from content/."""
    pages = [path.stem for path in sorted((root / "content").glob("*.md"))]
    site = write_site(root / "public", {f"{name}/index.html": "<p>" for name in pages})
    for path in site.rglob("*.html"):
        os.utime(path, (MTIME, MTIME))  # the build's
    found = auto_dates(root, git={"map": MAPS}, max_drop=100, warns=warns, **values)
    return {page.strip("/"): date for page, date in found.items()}


def formatted(names: list[str], text: str = "formatted") -> dict[str, str]:
    return {f"content/{name}.md": f"{name} {text}" for name in names}


@pytest.fixture
def sources(repo: Repo) -> Repo:
    """25 sources of one import, of which one was edited on the second day."""
    repo.commit(1, {".gitignore": "public\n", **formatted(NAMES, "first")})
    repo.commit(2, {"content/03.md": "edited"})
    return repo


def test_a_formatter_moves_no_date(sources: Repo) -> None:
    before = with_sources(sources.root)
    assert (before["03"], before["04"]) == (day(2), day(1))
    sources.commit(5, formatted(NAMES))
    assert with_sources(sources.root) == before
    sources.commit(6, {"content/07.md": "edited"})
    assert with_sources(sources.root) == {**before, "07": day(6)}


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (23, day(1)),
        (22, day(5)),  # fewer than nine of ten
    ],
)
def test_nine_of_ten_sources_are_nearly_all(sources: Repo, edited: int, expected: str) -> None:
    sources.commit(5, formatted(NAMES[:edited]))
    assert with_sources(sources.root)["04"] == expected


@pytest.mark.parametrize(("count", "expected"), [(20, day(1)), (19, day(5))])
def test_all_of_fewer_than_twenty_sources_may_be_edited_at_once(
    repo: Repo, count: int, expected: str
) -> None:
    repo.commit(1, {".gitignore": "public\n", **formatted(NAMES[:count], "first")})
    repo.commit(5, formatted(NAMES[:count]))
    assert set(with_sources(repo.root).values()) == {expected}


@pytest.mark.slow
def test_the_share_counts_the_sources_at_the_time_of_the_commit(sources: Repo) -> None:
    sources.commit(5, formatted(NAMES))
    sources.commit(7, formatted([f"new{number}" for number in range(40)]))
    found = with_sources(sources.root)
    assert (found["03"], found["04"], found["new1"]) == (day(2), day(1), day(7))
    sources.commit(9, formatted(NAMES, "edited again"))  # 25 of 65
    assert with_sources(sources.root)["04"] == day(9)


def test_a_source_that_a_formatter_adds_is_as_old_as_its_commit(sources: Repo) -> None:
    sources.commit(5, formatted([*NAMES, "new"]))
    found = with_sources(sources.root)
    assert (found["04"], found["new"]) == (day(1), day(5))


@pytest.mark.slow
def test_a_move_of_the_folder_between_two_formatters(repo: Repo) -> None:
    repo.commit(1, {".gitignore": "public\n", **{f"old/{name}.md": name for name in NAMES}})
    repo.commit(2, {"old/03.md": "edited"})
    repo.commit(3, {f"old/{name}.md": f"{name} formatted" for name in NAMES})
    repo("mv", "old", "content")
    repo.commit(4, {})
    repo.commit(5, {"content/05.md": "edited after the move"})
    repo.commit(6, formatted(NAMES, "formatted again"))
    found = with_sources(repo.root)
    assert [found[name] for name in ("03", "04", "05")] == [day(2), day(1), day(5)]


@pytest.mark.parametrize(
    ("lastmod", "expected"),
    [(["git"], day(5)), (["git", "mtime"], day(1)), (["page", "git"], day(1))],
)
def test_git_alone_looks_through_no_commit(
    sources: Repo, lastmod: list[str], expected: str
) -> None:
    sources.commit(5, formatted(NAMES))
    assert with_sources(sources.root, lastmod=lastmod, warns=True)["04"] == expected


def test_a_deploy_of_three_pages_dates_none_of_them(repo: Repo, run: Run) -> None:
    for number, name in enumerate("abc", 1):
        repo.commit(number, {f"public/{name}.html": f"<p>{name}"})
    repo.commit(5, {f"public/{name}.html": f"<p>{name} built" for name in "abc"})
    found = auto_dates(repo.clone().root)
    # One page was the whole site when it was added; one page alone is everyday work.
    assert found == {"a.html": day(1), "b.html": day(2), "c.html": day(3)}


def test_a_site_that_only_deploys_wrote_has_no_dates(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(1, {f"public/{name}.html": f"<p>{name}" for name in "abc"})
    repo.commit(3, {"public/b.html": "<p>edited"})
    repo.commit(5, {f"public/{name}.html": f"<p>{name} built" for name in "abc"})
    repo.commit(6, {"public/d.html": "<p>d"})
    repo.commit(7, {f"public/{name}.html": f"<p>{name} built again" for name in "abcde"})
    clone = repo.clone().root
    assert auto_dates(clone) == {
        "a.html": None,
        "b.html": day(3),
        "c.html": None,
        "d.html": day(6),
        "e.html": None,
    }
    monkeypatch.chdir(clone)
    assert run("build", "public", "--base-url", BASE) == 0
    assert f"3 pages have no date (such as a.html): {NoDate.WRITTEN.value}\n" in run.err
    assert "; --lastmod git takes the dates of all commits, also of those over nearly" in run.err
    assert run("explain", "a.html", "--site", "public", "--base-url", BASE) == 0
    assert f"lastmod     none  ({NoDate.WRITTEN.value})" in run.out
    assert set(auto_dates(clone, lastmod=["git"]).values()) == {day(7)}


def test_a_shallow_clone_of_a_committed_site_is_said_to_be_one(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(1, {f"public/{name}.html": f"<p>{name}" for name in "abc"})
    repo.commit(3, {"public/b.html": "<p>edited"})
    monkeypatch.chdir(repo.clone("--depth=1").root)
    assert run("build", "public", "--base-url", BASE) == 0
    assert f"3 pages have no date (such as a.html): {NoDate.SHALLOW.value}\n" in run.err
    assert "\n  help: fetch the history: git fetch --unshallow " in run.err


def test_a_committed_copy_of_the_site_dates_no_page_that_has_a_source(repo: Repo, run: Run) -> None:
    fruit = ("apple", "banana", "cherry")
    page = "<title>{0}</title><main><h1>{0}</h1>Text.</main>"
    pages = {f"{name}/index.html": page.format(name.title()) for name in fruit}
    pages["index.html"] = '<meta name="generator" content="Hugo 0.111.3">Home'
    texts = {f"content/{name}.md": f"---\ntitle: {name.title()}\n---\nText.\n" for name in fruit}
    repo.commit(1, {"hugo.toml": f'baseURL = "{BASE}"', ".gitignore": "/public/", **texts})
    repo.commit(2, {f"docs/{path}": text for path, text in pages.items()})
    write_site(repo.root / "public", pages)
    assert run("build", "public", "--base-url", BASE) == 0
    assert (repo.root / "public/sitemap.xml").read_text().count(day(1)) == 3
