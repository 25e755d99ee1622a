"""All clones of a commit write the same bytes, and a page keeps its date until it changes."""

from __future__ import annotations

import random
import shutil
from itertools import count
from pathlib import Path

import pytest
from support import BASE, write_site
from support.git import DAY, START, Repo
from support.ledger import dates, page

import sitemapper
from sitemapper.syntax.dates import moment


class Project:
    """A site that is committed with its sitemap, some of its pages in a submodule."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.has_ledger = self.chance.random() < 0.5
        self.day = 1
        self.clones = count()
        self.changed: dict[str, int] = {}  # the times of the last commits
        self.below = Repo(folder / "below")
        self.below.commit(1, {"first.html": page("first")})
        self.changed["below/first.html"] = START
        self.repo = Repo(folder / "project")
        self.repo("submodule", "add", "-q", f"file://{self.below.root}", "site/below")

    def build(self, root: Path, **values: object) -> None:
        flags = {"base_url": BASE, "site": str(root / "site"), "max_drop": 100, **values}
        if self.has_ledger:
            flags["ledger"] = {"path": str(root / "sitemapper.ledger")}
        sitemapper.build(sitemapper.load(flags, cwd=str(root)))

    def write(self, root: Path, prefix: str) -> None:
        """Writes up to nine pages, one by one or all at once, some of them new."""
        pace = self.chance.choice((0, 1, 600))
        for number in self.chance.sample(range(12), self.chance.randint(1, 9)):
            name = f"{number}.html"
            time = START + (self.day - 1) * DAY - DAY // 2 + number * pace
            write_site(root, {name: page(name, str(self.chance.random()))}, mtime=time)
            self.changed[prefix + name] = START + (self.day - 1) * DAY

    def step(self) -> None:
        """A day: edits in one place or both, perhaps a build, and a commit."""
        self.day += 1
        if self.chance.random() < 0.7:
            self.write(self.repo.root / "site", "")
        if self.chance.random() < 0.5:
            self.write(self.below.root, "below/")
            self.below.commit(self.day, {})
            self.repo("submodule", "update", "-q", "--remote")
        if self.chance.random() < 0.3:
            self.repo("add", "--all")
        match self.chance.choice(("build", "undated", "neither")):
            case "build":
                self.build(self.repo.root)
            case "undated":
                self.build(self.repo.root, lastmod=[])
        self.commit(self.repo)

    def commit(self, repo: Repo) -> None:
        repo("add", "--all")
        repo("commit", "-q", "--allow-empty", "-m", "x", number=self.day)

    def clone(self, origin: Repo) -> Repo:
        """A full clone with its submodule."""
        root = self.folder / f"clone{next(self.clones)}"
        url = f"file://{origin.root}"
        origin("clone", "-q", "--recurse-submodules", url, str(root))
        return Repo(root)

    def built(self, repo: Repo) -> list[bytes]:
        """What a build in a clone writes."""
        self.build(repo.root)
        files = [repo.root / "site/sitemap.xml"]
        if self.has_ledger:
            files.append(repo.root / "sitemapper.ledger")
        return [file.read_bytes() for file in files]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_clones_agree(tmp_path: Path, seed: int) -> None:
    project = Project(tmp_path, seed)
    project.write(project.repo.root / "site", "")
    project.commit(project.repo)
    known: dict[str, tuple[int, str | None]] = {}  # when each page had changed, and its date
    for _ in range(4):
        project.step()
        first = project.clone(project.repo)
        written = project.built(first)
        for name, date in dates(first.root / "site").items():
            changed = project.changed[name]
            assert (moment(date or "") or 0) <= changed
            if known.get(name, (0, ""))[0] == changed:
                assert date == known[name][1]
            known[name] = (changed, date)
        assert project.built(first) == written
        assert project.built(project.clone(project.repo)) == written
        project.commit(first)
        assert project.built(project.clone(first)) == written
        for clone in tmp_path.glob("clone*"):
            shutil.rmtree(clone)
