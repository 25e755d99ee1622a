"""Over thousands of random edits, `check` says what a fresh build in a copy of the project does.

`make stress KILLS=500` makes 5,000 comparisons.
"""

from __future__ import annotations

import random
import shutil
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import NOW, POSIX, Count, Run, edits, write_site
from support.edits import CONTENTS, PAGES, Edit, either, name
from support.git import Repo
from support.trial import KILLS

pytestmark = [POSIX, pytest.mark.slow]

PARTS = 4  # of the comparisons, so that all processors have some


def link(project: Path, chance: random.Random) -> None:
    """Relative, so that it means the same in a copy."""
    page = project / "public" / name(chance)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.unlink(missing_ok=True)
    page.symlink_to(
        chance.choice(["p1.html", "../p2.html", "nowhere.html", "../../secret.html", "."])
    )


def damage_ledger(project: Path, chance: random.Random) -> None:
    """A line goes, comes back older, or two change places, as in a merge."""
    ledger = project / "sitemapper.ledger"
    lines = ledger.read_text().splitlines(keepends=True) if ledger.exists() else []
    if lines:
        at = chance.randrange(len(lines))
        lines[at : at + 1] = chance.choice(
            [[], [lines[at].replace("2026-01", "2025-12")], lines[at : at + 2]]
        )
        ledger.write_text("".join(dict.fromkeys(lines)))


def published(project: Path, chance: random.Random) -> None:
    """What was published is lost, or another program's."""
    path = (
        project
        / "public"
        / chance.choice(["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap.txt"])
    )
    path.unlink(missing_ok=True)
    if chance.random() < 0.2:
        path.write_text("https://example.com/\n")


def repair(project: Path, chance: random.Random) -> None:
    """What most people do about an error."""
    for path in [project / "sitemapper.ledger", *project.glob("public/sitemap*")]:
        path.unlink(missing_ok=True)
    configure(project, chance)


def configure(project: Path, chance: random.Random) -> None:
    lines = [
        'base_url = "https://example.com/"\nsite = "public"\nmax_drop = 100',
        chance.choice(["", "hreflang = true", 'ignore = ["d/"]', "strict = true"]),
        chance.choice(["", 'url_style = "clean"', 'url_style = "auto"', 'url_style = "slash"', 'url_style = "bare"']),
        chance.choice(["", 'host = "netlify"', 'host = "cloudflare"']),
        chance.choice(
            ["", *(f"lastmod = {sources}" for sources in ('["ledger"]', '["page", "ledger", "mtime"]', '["mtime", "ledger"]', '["git", "mtime"]', "[]"))]
        ),
        chance.choice(["", "[sitemap]\nmax_urls = 3", "[sitemap]\ntext = true", '[sitemap]\nstrategy = "stable"\nmax_urls = 5']),
        chance.choice(["", "[dates]\ndate_only = true"]),
        chance.choice(["", '[ledger]\npath = "sitemapper.ledger"', '[ledger]\npath = "sitemapper.ledger"\ndrop = ["p"]']),
        chance.choice(["", '[[rules]]\nmatch = ["d/*"]\npriority = 0.5', '[[rules]]\nmatch = ["p1*"]\nlist = false']),
    ]  # fmt: skip
    (project / "sitemapper.toml").write_text("\n".join(lines) + "\n")


EDITS: tuple[Edit, ...] = (
    *edits.EDITS, link, link, damage_ledger, published, configure, configure,
    either("vercel.json", '{"redirects": [{"source": "/p6.html", "destination": "/"}]}'),
)  # fmt: skip


def outputs(project: Path) -> dict[str, bytes]:
    files = [
        project / "sitemapper.ledger",
        *project.glob("public/sitemap*"),
        project / "public/robots.txt",
    ]
    return {path.name: path.read_bytes() for path in files if path.is_file()}


@pytest.mark.parametrize("part", range(PARTS))
def test_check_says_what_a_fresh_build_of_a_copy_does(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, part: int, count: Count
) -> None:
    chance = random.Random(part)
    project, copy = tmp_path / "project", tmp_path / "copy"
    write_site(project, {f"public/p{n}.html": CONTENTS[0](chance) for n in range(PAGES)})
    write_site(project, {"secret.html": "<p>"})
    configure(project, chance)
    Repo(project).commit(1, {})
    now = NOW
    clock = SimpleNamespace(now=lambda zone: now)
    monkeypatch.setattr(import_module("sitemapper.cli.run"), "datetime", clock)
    ends = {0: 0, 1: 0, 2: 0}
    for step in range(10 * KILLS // PARTS):
        done = [chance.choice(EDITS) for _ in range(chance.randint(0, 3))]
        for edit in done:
            edit(project, chance)
        now += timedelta(seconds=chance.choice([1, 3600, 86_400]))
        shutil.copytree(project, copy, symlinks=True)
        monkeypatch.chdir(project)
        before = outputs(project)
        code = run("check", "--quiet")
        said = run.out + run.err
        where = (step, [edit.__name__ for edit in done], said)
        assert outputs(project) == before, where
        monkeypatch.chdir(copy)
        fresh = run("build", "--quiet")
        # A strict build that publishes and warns ends with 1, as a check that finds a difference does.
        expected = 2 if fresh == 2 else max(fresh, int(outputs(copy) != before))
        assert code == expected, (*where, run.out + run.err)
        ends[code] += 1
        if code == 2 and chance.random() < 0.7:
            repair(project, chance)
            shutil.rmtree(copy)
            continue
        if chance.random() < 0.7:
            monkeypatch.chdir(project)
            assert run("build", "--quiet") == fresh, (*where, run.out + run.err)
            assert outputs(project) == outputs(copy), where
        shutil.rmtree(copy)
    assert ends[0] and ends[1] and ends[2] < step / 2, ends
    count("checks against a fresh build of a copy", sum(ends.values()))
