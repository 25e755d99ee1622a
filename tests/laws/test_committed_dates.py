"""The dates of a site that is committed with its sitemap, through many commits of any kind."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from support import BASE, write_site
from support.git import DAY, START, Repo
from support.ledger import dates

import sitemapper
from sitemapper.syntax.dates import moment

NAMES = "abcdefghijkl"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "project")


def built(root: Path, **values: object) -> dict[str, str | None]:
    """The dates of a build with nothing configured but the folder, as a hook runs it."""
    flags = {"base_url": BASE, "site": str(root / "site"), "max_drop": 100, **values}
    sitemapper.build(sitemapper.load(flags, cwd=str(root)))
    return dates(root / "site")


def clone(repo: Repo, name: str) -> Path:
    """A full clone with nothing but what is committed."""
    root = repo.root.with_name(name)
    shutil.rmtree(root, ignore_errors=True)
    repo("clone", "-q", f"file://{repo.root}", str(root))
    return root


class Author:
    """Writes and commits pages, as days pass. Knows on which day each page last changed."""

    def __init__(self, repo: Repo, seed: int) -> None:
        self.repo = repo
        self.random = random.Random(seed)
        self.day = 1
        self.texts: dict[str, str] = {}
        self.changed: dict[str, int] = {}  # the time of the commit
        self.late = ""  # the page that the last commit dates, and not the sitemap

    def edit(self, name: str) -> None:
        self.texts[name] = f"<p>{name} {self.random.random()}"
        self.write(name)

    def write(self, name: str) -> None:
        """The file is as old as the morning of the day, a minute of its own for each page."""
        file = {f"site/{name}.html": self.texts[name]}
        morning = START + (self.day - 1) * DAY - DAY // 2
        write_site(self.repo.root, file, mtime=morning + 60 * ord(name))

    def commit(self) -> None:
        self.repo("add", "--all")
        self.repo("commit", "-q", "--allow-empty", "-m", "x", number=self.day)

    def edit_some(self, *, with_hook: bool) -> None:
        """Edits up to three pages. The hook builds before the commit, a bot after it."""
        names = self.random.sample(NAMES, self.random.randint(1, 3))
        for name in names:
            self.edit(name)
            self.changed[f"{name}.html"] = START + (self.day - 1) * DAY
        if with_hook:
            built(self.repo.root)
        self.commit()
        if not with_hook:
            built(self.repo.root)
            self.commit()

    def edit_after_build(self) -> None:
        """Edits pages, builds, edits one more page, and commits all. git dates that page."""
        late, *early = self.random.sample(NAMES, 3)
        for name in early:
            self.edit(name)
            self.changed[f"{name}.html"] = START + (self.day - 1) * DAY
        built(self.repo.root)
        self.edit(late)
        self.changed[f"{late}.html"] = START + (self.day - 1) * DAY
        self.commit()
        self.late = f"{late}.html"

    def reformat(self) -> None:
        """Changes the format of all pages."""
        for name in self.texts:
            self.texts[name] += "\n"
            self.write(name)
        self.commit()

    def amend(self) -> None:
        self.repo("commit", "-q", "--amend", "-m", "other words", number=self.day)
        if self.late:
            self.changed[self.late] = START + (self.day - 1) * DAY


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_dates_are_neither_false_nor_lost(repo: Repo, seed: int) -> None:
    author = Author(repo, seed)
    for name in NAMES:
        author.edit(name)
        author.changed[f"{name}.html"] = START
    built(repo.root)
    author.commit()
    before = built(clone(repo, "first"))
    for day in range(2, 9):
        author.day = day
        known = dict(author.changed)
        step = author.random.choice(["hook", "bot", "after build", "reformat", "amend"])
        match step:
            case "after build":
                author.edit_after_build()
                assert built(clone(repo, "first"))[author.late] != before[author.late]
            case "reformat":
                author.reformat()
            case "amend":
                author.amend()
            case _:
                author.edit_some(with_hook=step == "hook")
        first = clone(repo, "first")
        after = built(first)
        same = {page for page in after if author.changed[page] == known[page]}
        assert {page: after[page] for page in same} == {page: before[page] for page in same}, step
        assert None not in after.values()
        if step in ("hook", "bot", "reformat"):
            author.late = ""
        for page, date in after.items():
            assert (moment(date or "") or 0) <= author.changed[page], (step, page)
        text = (first / "site/sitemap.xml").read_bytes()
        second = clone(repo, "second")
        for _ in range(2):
            built(second)
            assert (second / "site/sitemap.xml").read_bytes() == text, step
        before = after
