"""Over thousands of random edits, `check` says what a fresh build in a copy of the project does.

The build in the copy has no cache. `make stress KILLS=500` makes 5,000 comparisons.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from support import MTIME, NOW, POSIX, Count, Run, write_site
from support.git import Repo
from support.heads import NOINDEX, alternates, canonical, head, refresh
from support.trial import KILLS

pytestmark = [POSIX, pytest.mark.slow]

PARTS = 4  # of the comparisons, so that all processors have some
PAGES = 12
Edit = Callable[[Path, random.Random], None]


def name(chance: random.Random) -> str:
    return f"{chance.choice(['', 'd/', 'd/e/'])}{chance.choice(['p', 'index', 'é'])}{chance.randrange(PAGES)}.html"


CONTENTS: tuple[Callable[[random.Random], str], ...] = (
    lambda chance: f"<title>t</title><main><p>{chance.randrange(4)}",
    lambda chance: f"<title>t</title><main><p>{chance.randrange(4)}",
    lambda chance: NOINDEX,
    lambda chance: head(
        f'<meta property="article:modified_time" content="202{chance.randint(4, 7)}-01-01">'
    ),
    lambda chance: canonical(f"https://example.com/{name(chance)}"),
    lambda chance: refresh(f"0; url=/{name(chance)}"),
    lambda chance: alternates(("de", "/" + name(chance)), ("en", "/" + name(chance))),
    lambda chance: f'<p>text <a href="/{name(chance).removesuffix(".html")}">a</a>',
    lambda chance: '<?xml version="1.0"?><rss/>',
    lambda chance: "",
)


def write(project: Path, chance: random.Random) -> None:
    content = chance.choice(CONTENTS)(chance).encode()  # as bytes: an empty page stays empty
    page = name(chance)
    (project / "public" / page).unlink(missing_ok=True)  # it may be a link to a folder
    write_site(project / "public", {page: content}, MTIME + chance.randrange(10**6))


def touch(project: Path, chance: random.Random) -> None:
    page = project / "public" / name(chance)
    if page.is_file():
        os.utime(page, (MTIME + chance.randrange(10**6),) * 2)


def remove(project: Path, chance: random.Random) -> None:
    (project / "public" / name(chance)).unlink(missing_ok=True)


def move(project: Path, chance: random.Random) -> None:
    old, new = (project / "public" / name(chance) for _ in range(2))
    if old.exists():
        new.parent.mkdir(parents=True, exist_ok=True)
        os.replace(old, new)


def link(project: Path, chance: random.Random) -> None:
    """Relative, so that it means the same in a copy."""
    page = project / "public" / name(chance)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.unlink(missing_ok=True)
    page.symlink_to(
        chance.choice(["p1.html", "../p2.html", "nowhere.html", "../../secret.html", "."])
    )


def commit(project: Path, chance: random.Random) -> None:
    repo = Repo(project)
    repo("add", "--all")
    repo("commit", "-q", "--allow-empty", "-m", "x", number=chance.randint(1, 31))


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


def either(file: str, *texts: str) -> Edit:
    def act(project: Path, chance: random.Random) -> None:
        (project / file).unlink(missing_ok=True)
        if text := chance.choice(["", *texts]):
            (project / file).write_text(text)

    return act


def configure(project: Path, chance: random.Random) -> None:
    lines = [
        'base_url = "https://example.com/"\nsite = "public"\nmax_drop = 100',
        chance.choice(["", "hreflang = true", 'extra = ["list.txt"]', 'ignore = ["d/"]', "strict = true"]),
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
    *[write] * 8, touch, touch, remove, move, link, link, commit, damage_ledger, published, configure, configure,
    either("public/robots.txt", "User-agent: *\nDisallow: /d/\n", "User-agent: *\nDisallow: /p1\n"),
    either("public/_redirects", "/p2.html /p3.html 301!\n", "/p2.html /p3.html 301\n", "/d/* /p3.html 302!\n"),
    either("public/_headers", "/p4.html\n  X-Robots-Tag: noindex\n", "/p4\n  X-Robots-Tag: noindex\n"),
    either("netlify.toml", '[[redirects]]\nfrom = "/p5.html"\nto = "/"\nforce = true\n'),
    either("vercel.json", '{"redirects": [{"source": "/p6.html", "destination": "/"}]}'),
    either(".sitemapignore", "p5.html\n", "d/e/\n", "*1*\n"),
    either("list.txt", "https://example.com/x\n", "https://example.com/x\nhttps://example.com/p1.html\n"),
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
    write_site(project, {"secret.html": "<p>", "list.txt": ""})
    configure(project, chance)
    Repo(project).commit(1, {})
    now = NOW
    monkeypatch.setattr("sitemapper.cli.check.now", lambda: now)
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
        fresh = run("build", "--no-cache", "--quiet")
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
