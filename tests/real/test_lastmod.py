"""Honest dates on sites of real generators: an edit moves a date; a build, a theme or a neighbour does not."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from support import BASE, MTIME
from support.git import Repo, day
from support.ledger import DAY, dates, moved

from real import projects
from real.projects import Files, Project
from real.tools import BUILD, run, sitemapper

pytestmark = pytest.mark.real

Dates = dict[str, str | None]

NAMES = ("boil", "brew", "cups")
RESTYLED = {
    "Ann": "Ann and Ben",
    "Kettle": "Samovar",
    "7.2.1": "7.2.2",
    '"one.css"': '"one.css", "two.css"',
    '"one.js"': '"one.js", "two.js"',
}
MARKS = ("Ann and Ben", "Samovar", "7.2.2", "two.css", "two.js")


class First(NamedTuple):
    """A project's first build, its dates and its ledger."""

    project: Project
    out: Path
    dates: Dates
    ledger: Path


# These runs are outside of the projects, and so see no generator.
STYLE = ("--url-style", "directory", "--ignore", "/search.html")


@pytest.fixture(scope="module", params=projects.ALL)
def first(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> First:
    root = tmp_path_factory.mktemp("first")
    project = projects.ALL[request.param]
    out = project.build(root, project.sources(*NAMES), MTIME)
    for n, page in enumerate(sorted(out.rglob("*.html"))):
        os.utime(page, (MTIME + 100 * n, MTIME + 100 * n))  # as a hand would write them
    sitemapper(out, BASE, *STYLE, "--ledger", root / "ledger")
    return First(project, out, dates(out), root / "ledger")


def edited(project: Project) -> Files:
    files, page = project.sources(*NAMES), project.page.format("brew")
    return files | {page: files[page].replace("ninety", "seventy")}


def restyled(files: Files) -> Files:
    for old, new in RESTYLED.items():
        files = {path: text.replace(old, new) for path, text in files.items()}
    return files


def moves(first: First, root: Path, files: Files, *marks: str) -> set[str]:
    """Builds files in another folder, so that no page stays as it was; the URLs whose dates are others."""
    out = first.project.build(root / "elsewhere", files, MTIME + DAY)
    for name in ("index.html", *map(first.project.built.format, NAMES)):
        text = (out / name).read_text()
        assert text != (first.out / name).read_text(), name
        assert [mark for mark in marks if mark not in text] == [], name
    shutil.copy(first.ledger, root / "ledger")
    sitemapper(
        out, BASE, *STYLE, "--lastmod=ledger", "--lastmod=mtime", "--ledger", root / "ledger"
    )
    return moved(first.dates, dates(out))


def test_an_edit_moves_one_date(first: First, tmp_path: Path) -> None:
    assert set(map(first.project.url, NAMES)) < first.dates.keys()
    assert moves(first, tmp_path, edited(first.project)) == {first.project.url("brew")}


def test_theme_copyright_header_scripts_and_versions_move_no_date(
    first: First, tmp_path: Path
) -> None:
    """No more does a build elsewhere and at another time, as this one is."""
    assert moves(first, tmp_path, restyled(first.project.sources(*NAMES)), *MARKS) == set()


def test_a_new_page_moves_no_page_that_only_leads_to_it(first: First, tmp_path: Path) -> None:
    found = moves(first, tmp_path, first.project.sources(*NAMES, "clean"), "Clean")
    assert found == {first.project.url("clean"), *first.project.lists}


HOMES = {"mkdocs": "docs/index.md", "hugo": "content/_index.md"}
CONFIG = """
base_url = "{base}"
site = "{project.out}"
lastmod = ["git"]
[[git.map]]
page = "{{path}}/index.html"
source = ["{source}"]
[[git.map]]
page = "index.html"
source = ["{home}"]
"""


@pytest.fixture(params=HOMES)
def project(request: pytest.FixtureRequest) -> Project:
    return projects.ALL[request.param]


@pytest.fixture
def repo(project: Project, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Written on the first of January; a page edited on the second, all restyled on the third."""
    home, source = HOMES[request.node.callspec.params["project"]], project.page.format("{path}")
    config = CONFIG.format(base=BASE, project=project, source=source, home=home)
    repo = Repo(tmp_path / "project")
    repo.commit(1, project.sources(*NAMES) | {"sitemapper.toml": config})
    repo.commit(2, edited(project))
    repo.commit(3, restyled(edited(project)))
    return f"file://{repo.root}"


def cloned(project: Project, repo: str, root: Path, *flags: str) -> tuple[Dates, list[str]]:
    """Clones and builds; the dates and what is said."""
    run("git", "clone", "--quiet", *flags, repo, root)
    out = project.build(root, {}, MTIME)
    messages = json.loads(run(*BUILD, "--format=json", cwd=root))["messages"]
    return dates(out), [one["text"] for one in messages]


def test_git_dates_pages_by_their_commits_in_every_clone(
    project: Project, repo: str, tmp_path: Path
) -> None:
    expected = {"": day(1), "boil/": day(1), "brew/": day(2), "cups/": day(1)}
    for name in ("clone", "another/clone"):
        assert cloned(project, repo, tmp_path / name) == (expected, [])


def test_a_shallow_clone_gives_no_date_and_one_note(
    project: Project, repo: str, tmp_path: Path
) -> None:
    found, [note] = cloned(project, repo, tmp_path / "clone", "--depth=1")
    assert found == dict.fromkeys(("", "boil/", "brew/", "cups/"))
    assert "this is a shallow clone, without the commit that changed the page" in note
