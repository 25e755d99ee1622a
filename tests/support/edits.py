"""Random edits of a project whose site is `public`, as people, generators and other programs make them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from . import MTIME, write_site
from .git import Repo
from .heads import NOINDEX, alternates, canonical, head, refresh

Edit = Callable[[Path, Random], None]
PAGES = 12
TEXTS = ("one", "two", "six", "ten")  # of one size, so that an edit can keep it


def name(chance: Random) -> str:
    """A page that may be there."""
    folder = chance.choice(["", "d/", "d/e/"])
    return f"{folder}{chance.choice(['p', 'index', 'é'])}{chance.randrange(PAGES)}.html"


CONTENTS: tuple[Callable[[Random], str], ...] = (
    lambda chance: f"<title>t</title><main><p>{chance.choice(TEXTS)}",
    lambda chance: f"<title>t</title><main><p>{chance.choice(TEXTS)}",
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
    repo("commit", "-q", "--allow-empty", "-m", "x", number=chance.randint(1, 31))


def either(file: str, *texts: str) -> Edit:
    """An edit that gives a file one of these texts, or removes it."""

    def edit(project: Path, chance: Random) -> None:
        (project / file).unlink(missing_ok=True)
        if text := chance.choice(["", *texts]):
            (project / file).write_text(text)

    return edit


RULES = (
    either("public/robots.txt", "User-agent: *\nDisallow: /d/\n", "User-agent: *\nDisallow: /p1\n"),
    either("public/_redirects", "/p2.html /p3.html 301!\n", "/p2.html /p3.html 301\n", "/d/* /p3.html 302!\n"),
    either("public/_headers", "/p4.html\n  X-Robots-Tag: noindex\n", "/p4\n  X-Robots-Tag: noindex\n"),
    either("netlify.toml", '[[redirects]]\nfrom = "/p5.html"\nto = "/"\nforce = true\n'),
)  # fmt: skip
EDITS: tuple[Edit, ...] = (*[write] * 8, touch, touch, remove, move, commit, *RULES)
