"""The date source `front_matter`: what a page's source file states as its last change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support import BASE, NOW, Run, write_site
from support.git import Repo, day
from support.ledger import dates

import sitemapper
from sitemapper import Summary
from sitemapper.lastmod.front_matter import read_change
from sitemapper.model import Found

NAMES = ("apple", "banana", "cherry", "date", "elder", "fig")


@pytest.mark.parametrize(
    ("text", "change", "line"),
    [
        ("---\ntitle: A\nlastmod: 2026-01-05\n---\n", "2026-01-05", 3),
        ("---\nlast_modified_at: '2026-01-05 10:00:00 +0200' # x\n---\n", "2026-01-05 10:00:00 +0200", 2),
        ("---\nlastUpdated: 2026-01-05\n---\n", "2026-01-05", 2),
        ("---\nlast_update:\n  author: x\n  date: 2026-01-05\n---\n", "2026-01-05", 4),
        ("+++\nupdated = 2026-01-05\n+++\n", "2026-01-05", 2),
        ('+++\nlastmod = "2026-01-05"\ndate = 2026-01-04\n+++\n', "2026-01-05", 2),
        ("Title: A: b\nDate: 2026-01-01 10:00\nModified: 2026-01-05 10:00\n\nText", "2026-01-05 10:00", 3),
        ("A\n=\n\n:date: 2026-01-01\n:Modified: 2026-01-05\n\nText", "2026-01-05", 5),
        (".. title: A\n.. updated: 2026-01-05\n\nText", "2026-01-05", 2),
        ("title: A\nupdated: 2026-01-05\n---\nText", "2026-01-05", 2),
        ("\ufeff---\r\nrevision_date: 2026-01-05\r\n---\r\n", "2026-01-05", 2),
    ],
)  # fmt: skip
def test_a_stated_change(text: str, change: str, line: int) -> None:
    assert read_change(text.encode(), "a.md") == Found(change, "a.md", line)


@pytest.mark.parametrize(
    "text",
    [
        "---\ndate: 2026-01-05\n---\n",
        "---\ndate: 2026-01-05\nlastmod: 2026-01-05\n---\n",
        "---\npubDate: 2026-01-05T01:00:00Z\nupdated: 2026-01-05T23:00:00Z\n---\n",
        "---\npublishDate: 2026-01-06\nlastmod: 2026-01-05\n---\n",
        "---\ndate: 03/04/2026\nlastmod: 2026-01-05\n---\n",  # it may be later
        "---\nlastmod: true\n---\n",
        "---\nlastmod: {{ .Date }}\n---\n",
        "---\nlastmod: 2026-01\n---\n",
        "---\nlastmod: 03/04/2026\n---\n",
        "---\ntitle: A\n---\nlastmod: 2026-01-05\n",
        "Text.\n\n```\n:modified: 2026-01-05\n```\n",
        "---\nother:\n  lastmod: 2026-01-05\n---\n",
    ],
)
def test_no_stated_change(text: str) -> None:
    assert read_change(text.encode(), "a.md") is None


@pytest.fixture
def fruit(repo: Repo) -> Path:
    """Six pages with their sources, all committed on the first day."""
    state(repo, {})
    page = "<title>{0}</title><main><h1>{0}</h1></main>"
    write_site(repo.root / "public", {f"{name}/index.html": page.format(name) for name in NAMES})
    return repo.root


def state(repo: Repo, changes: Mapping[str, str], *, number: int = 1) -> None:
    """Commits the sources, with the last changes that they state."""
    texts = {".gitignore": "public/"}
    for name in NAMES:
        lines = [f"title: {name}", f"lastmod: {changes[name]}" if name in changes else "tags: x"]
        texts[f"text/{name}.md"] = "---\n{}\n---\n".format("\n".join(lines))
    repo.commit(number, texts)


def build(root: Path, **values: object) -> Summary:
    given = {"base_url": BASE, "site": str(root / "public"), **values}
    return sitemapper.build(sitemapper.load(given, cwd=str(root)), now=NOW)


def test_a_source_that_states_its_last_change_is_asked_before_git(repo: Repo, fruit: Path) -> None:
    state(repo, {"apple": "2025-12-24", "fig": "soon"}, number=3)
    summary = build(fruit)
    assert summary.dated == {"front_matter": 1, "git": 5}
    found = dates(fruit / "public")
    assert (found["apple/"], found["fig/"]) == ("2025-12-24", day(3))
    assert not summary.warnings
    build(fruit, lastmod=["git", "front_matter"])
    assert dates(fruit / "public")["apple/"] == day(3)


def test_explain_names_the_file_and_the_line(repo: Repo, fruit: Path, run: Run) -> None:
    state(repo, {"apple": "2025-12-24"}, number=3)
    assert run("explain", "apple/index.html", "--site", "public", "--base-url", BASE) == 0
    assert "lastmod     2025-12-24  (front_matter: text/apple.md:3)" in run.out


@pytest.mark.parametrize(
    ("sharing", "others", "expected"),
    [
        pytest.param(5, 1, 1, id="five of six share a day"),
        pytest.param(4, 0, 4, id="four are too few to tell"),
        pytest.param(3, 3, 6, id="half of the files"),
    ],
)
def test_a_day_that_most_files_share_dates_none_of_them(
    repo: Repo, fruit: Path, sharing: int, others: int, expected: int
) -> None:
    days = ["2025-12-24"] * sharing + [f"2025-12-{number:02}" for number in range(1, others + 1)]
    state(repo, dict(zip(NAMES, days, strict=False)), number=3)
    assert build(fruit).dated["front_matter"] == expected


def test_a_change_in_the_future_is_omitted_with_a_warning(repo: Repo, fruit: Path) -> None:
    state(repo, {"apple": "2099-01-01"})
    summary = build(fruit)
    assert "front_matter" not in summary.dated
    assert [warning.subjects for warning in summary.warnings] == [("apple/index.html",)]


def test_without_the_history_the_stated_changes_are_left(repo: Repo, fruit: Path) -> None:
    state(repo, {"apple": "2025-12-24"}, number=3)
    clone = repo.clone("--depth=1").root
    (repo.root / "public").rename(clone / "public")
    assert build(clone).dated["front_matter"] == 1
