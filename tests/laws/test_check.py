"""Over many random edits, `check` says what a fresh build in a copy of the project does, and writes nothing.

`make stress KILLS=500` makes 5,000 comparisons.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from support import MTIME, NOW, POSIX, Run, write_site
from support.git import Repo
from support.heads import NOINDEX, canonical, head, refresh
from support.trial import KILLS

pytestmark = [POSIX, pytest.mark.slow]

Edit = Callable[[Path, Random], None]
PARTS = 4  # of the comparisons, so that all processors have some
PAGES = 12


def name(chance: Random) -> str:
    """A page that may be there."""
    folder = chance.choice(["", "d/", "d/e/"])
    return f"{folder}{chance.choice(['p', 'index', 'é'])}{chance.randrange(PAGES)}.html"


def alternate(href: str) -> str:
    return head(f'<link rel="alternate" hreflang="de" href="{href}">')


CONTENTS: tuple[Callable[[Random], str], ...] = (
    *[lambda chance: f"<title>t</title><main><p>{chance.choice(('one', 'two', 'six'))}"] * 2,
    lambda chance: NOINDEX,
    lambda chance: head(f'<meta property="article:modified_time" content="202{chance.randint(4, 7)}-01-01">'),
    lambda chance: canonical(f"https://example.com/{name(chance)}"),
    lambda chance: refresh(f"0; url=/{name(chance)}"),
    lambda chance: alternate("/" + name(chance)),
    lambda chance: f'<p>text <a href="/{name(chance).removesuffix(".html")}">a</a>',
    lambda chance: '<?xml version="1.0"?><rss/>',
    lambda chance: "",
)  # fmt: skip


def write(project: Path, chance: Random) -> None:
    content = chance.choice(CONTENTS)(chance).encode()  # as bytes: an empty page stays empty
    page = name(chance)
    (project / "public" / page).unlink(missing_ok=True)  # it may be a link to a folder
    write_site(project / "public", {page: content}, MTIME + chance.randrange(10**6))


def touch(project: Path, chance: Random) -> None:
    page = project / "public" / name(chance)
    if page.is_file():
        os.utime(page, (MTIME + chance.randrange(10**6),) * 2)


def remove(project: Path, chance: Random) -> None:
    (project / "public" / name(chance)).unlink(missing_ok=True)


def move(project: Path, chance: Random) -> None:
    old, new = (project / "public" / name(chance) for _ in range(2))
    if old.exists():
        new.parent.mkdir(parents=True, exist_ok=True)
        os.replace(old, new)


def commit(project: Path, chance: Random) -> None:
    repo = Repo(project)
    repo("add", "--all")
    repo("commit", "-q", "--allow-empty", "-m", "x", on=chance.randint(1, 31))


def link(project: Path, chance: Random) -> None:
    """Relative, so that it means the same in a copy."""
    page = project / "public" / name(chance)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.unlink(missing_ok=True)
    targets = ["p1.html", "../p2.html", "nowhere.html", "../../secret.html", "."]
    page.symlink_to(chance.choice(targets))


def lose(project: Path, chance: Random) -> None:
    """What was published is lost, or another program's."""
    names = [
        "public/sitemap.xml",
        "public/sitemap-1.xml",
        "public/sitemap.txt",
        "sitemapper.ledger",
    ]
    path = project / chance.choice(names)
    path.unlink(missing_ok=True)
    if chance.random() < 0.2:
        path.write_text("https://example.com/\n")  # in the ledger, it is an error


def configure(project: Path, chance: Random) -> None:
    lines = [
        'base_url = "https://example.com/"\nsite = "public"\nmax_drop = 100',
        chance.choice(["", "hreflang = true", 'ignore = ["d/"]', "strict = true"]),
        chance.choice(["", *(f'url_style = "{style}"' for style in ("clean", "auto", "slash", "bare"))]),
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


def repair(project: Path, chance: Random) -> None:
    """What most people do about an error."""
    for path in [project / "sitemapper.ledger", *project.glob("public/sitemap*")]:
        path.unlink(missing_ok=True)
    configure(project, chance)


RULES = {
    "public/robots.txt": ("User-agent: *\nDisallow: /d/\n", "User-agent: *\nDisallow: /p1\n"),
    "public/_redirects": ("/p2.html /p3.html 301!\n", "/p2.html /p3.html 301\n", "/d/* /p3.html 302!\n"),
    "public/_headers": ("/p4.html\n  X-Robots-Tag: noindex\n", "/p4\n  X-Robots-Tag: noindex\n"),
    "netlify.toml": ('[[redirects]]\nfrom = "/p5.html"\nto = "/"\nforce = true\n',),
    "vercel.json": ('{"redirects": [{"source": "/p6.html", "destination": "/"}]}',),
}  # fmt: skip


def rule(project: Path, chance: Random) -> None:
    """A file of a host or of crawlers comes, changes or goes."""
    file, texts = chance.choice([*RULES.items()])
    (project / file).unlink(missing_ok=True)
    if text := chance.choice(["", *texts]):
        (project / file).write_text(text)


EDITS: tuple[Edit, ...] = (
    *[write] * 8, *[rule] * 5, *[touch, link, configure] * 2, remove, move, commit, lose,
)  # fmt: skip


def outputs(project: Path) -> dict[str, bytes]:
    public = project / "public"
    files = [project / "sitemapper.ledger", *public.glob("sitemap*"), public / "robots.txt"]
    return {path.name: path.read_bytes() for path in files if path.is_file()}


@pytest.mark.parametrize("part", range(PARTS))
def test_check_says_what_a_fresh_build_of_a_copy_does(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, part: int
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
        where = (step, [edit.__name__ for edit in done], run.out + run.err)
        assert outputs(project) == before, where
        monkeypatch.chdir(copy)
        fresh = run("build", "--quiet")
        # A strict build that publishes and warns ends with 1, as a check that finds a difference does.
        expected = 2 if fresh == 2 else max(fresh, int(outputs(copy) != before))
        assert code == expected, (*where, run.out + run.err)
        ends[code] += 1
        if code == 2 and chance.random() < 0.7:
            repair(project, chance)
        elif chance.random() < 0.7:
            monkeypatch.chdir(project)
            assert run("build", "--quiet") == fresh, (*where, run.out + run.err)
            assert outputs(project) == outputs(copy), where
        shutil.rmtree(copy)
    assert ends[0] and ends[1] and ends[2] < step / 2, ends
