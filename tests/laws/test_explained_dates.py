"""`explain` and `build` give a page the same date, from the same source."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from support import BASE, write_site
from support.git import DAY, START, Repo
from support.ledger import dates, page

import sitemapper
from sitemapper.find.load import Setup
from sitemapper.model import Listed

SOURCES = (
    "auto",
    ["ledger", "mtime"],
    ["git", "mtime"],
    ["published", "git", "mtime"],
    ["ledger", "published", "git", "mtime"],
    ["git", "ledger", "mtime"],
    ["mtime", "ledger"],
    ["mtime"],
)


class Project:
    """A site that one hand edits, builds, copies and commits at random."""

    def __init__(self, root: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.root = root
        self.day = 1
        self.repo = Repo(root) if self.chance.random() < 0.7 else None
        self.values: dict[str, object] = {
            "base_url": BASE,
            "site": str(root / "site"),
            "lastmod": self.chance.choice(SOURCES),
            "max_drop": 100,
        }
        if self.chance.random() < 0.6 or "ledger" in str(self.values["lastmod"]):
            self.values["ledger"] = {"path": str(root / "sitemapper.ledger")}
            if "ledger" not in str(self.values["lastmod"]):
                self.values["lastmod"] = "auto"
        self.names = [f"{number}.html" for number in range(self.chance.choice((1, 2, 3, 9, 12)))]

    def setup(self) -> Setup:
        return sitemapper.load(self.values, cwd=str(self.root))

    def write(self, names: list[str]) -> None:
        """Edits pages: one by one, or all within a few seconds."""
        pace = self.chance.choice((0, 1, 3_600))
        for number, name in enumerate(names):
            time = START + self.day * DAY - DAY // 2 + number * pace
            file = {f"site/{name}": page(name, str(self.chance.random()))}
            write_site(self.root, file, mtime=time)

    def step(self) -> None:
        """One event of a day: an edit, a copy, or a commit."""
        self.day += 1
        match self.chance.choice(("some", "all", "nearly all", "copy", "commit", "new")):
            case "some":
                self.write(self.chance.sample(self.names, min(2, len(self.names))))
            case "all":
                self.write(self.names)
            case "nearly all":
                self.write(self.names[1:])
            case "new":
                name = f"new{self.day}.html"
                self.names.append(name)
                self.write([name])
            case "copy":
                time = START + self.day * DAY
                for name in self.names:
                    os.utime(self.root / "site" / name, (time, time))
            case "commit" if self.repo:
                self.repo("add", "--all")
                self.repo("commit", "-q", "--allow-empty", "-m", "x", number=self.day)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_explain_gives_the_date_of_the_build(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path / "project", seed)
    monkeypatch.setattr("sitemapper.lastmod.file_times._NEAR", project.chance.choice((5, 500)))
    monkeypatch.setattr("sitemapper.read.walk.BATCH", project.chance.choice((1, 4, 1_000)))
    project.write(project.names)
    for _ in range(5):
        for _ in range(project.chance.randint(1, 2)):
            project.step()
        explained = {}
        for name in project.names:
            verdict = sitemapper.explain(project.setup(), name).verdict
            assert isinstance(verdict, Listed)
            explained[name] = verdict.lastmod.text if verdict.lastmod else None
        sitemapper.build(project.setup())
        found = dates(project.root / "site")
        assert explained == found
