"""Over hundreds of edits of one site, a build with a cache gives what a build without one gives."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support import MTIME, asking, settings, write_site
from support.git import Repo
from support.heads import alternates, canonical, head, refresh

import sitemapper

STEPS = 500
PAGES = 24
WITH_TWO = 20  # every so many steps, each build uses two processes
TEXTS = ("one", "two", "six", "ten")  # of one size, so that an edit can keep it
CONTENTS: tuple[Callable[[random.Random], str], ...] = (
    lambda chance: f"<title>t</title><p>{chance.choice(TEXTS)}",
    lambda chance: f'<meta name="robots" content="noindex"><p>{chance.choice(TEXTS)}',
    lambda chance: head(
        f'<meta property="article:modified_time" content="2025-0{chance.randint(1, 9)}-01">'
    ),
    lambda chance: canonical(f"https://example.com/{name(chance)}"),
    lambda chance: refresh(f"0; url=/{name(chance)}"),
    lambda chance: alternates(("de", "/" + name(chance)), ("en", "/" + name(chance))),
)
CHOICES: dict[str, list[Any]] = {
    "lastmod": [
        ["page", "git", "ledger", "mtime"],
        ["ledger", "git"],
        ["mtime"],
        ["ledger", "mtime"],
        [],
    ],
    "url_style": ["directory", "clean", "auto"],
    "host": ["auto", "none", "netlify"],
    "hreflang": [True, False],
    "respect": [{}, {"noindex": False}, {"canonical": False, "refresh": False}, {"robots": False}],
    "ignore": [[], ["p1*"], ["d/"]],
    "drop": [[], ["p"]],
    "date_only": [True, False],
}


def name(chance: random.Random) -> str:
    return f"{chance.choice(['', 'd/', 'd/e/'])}p{chance.randrange(PAGES)}.html"


def edit(root: Path, chance: random.Random) -> None:
    write_site(
        root, {name(chance): chance.choice(CONTENTS)(chance)}, mtime=MTIME + chance.randrange(10**6)
    )


def edit_unseen(root: Path, chance: random.Random) -> None:
    """The size and the mtime stay."""
    page = root / name(chance)
    if page.exists():
        text, stat = page.read_text(), page.stat()
        for word in TEXTS:
            text = text.replace(word, chance.choice(TEXTS))
        page.write_text(text)
        os.utime(page, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def remove(root: Path, chance: random.Random) -> None:
    (root / name(chance)).unlink(missing_ok=True)


def move(root: Path, chance: random.Random) -> None:
    old, new = root / name(chance), root / name(chance)
    if old.exists():
        new.parent.mkdir(parents=True, exist_ok=True)
        os.replace(old, new)


def regenerate(root: Path, chance: random.Random) -> None:
    """Each file is written again, as generators do."""
    for page in sorted(root.rglob("*.html")):
        write_site(root, {str(page.relative_to(root)): page.read_bytes()}, mtime=MTIME + 10**6)


def commit(root: Path, chance: random.Random) -> None:
    repo = Repo(root.parent)
    repo("add", "--all")
    repo("commit", "-q", "--allow-empty", "-m", "x", number=chance.randint(1, 31))


def either(file: str, *texts: str) -> Callable[[Path, random.Random], None]:
    def act(root: Path, chance: random.Random) -> None:
        (root / file).unlink(missing_ok=True)
        if text := chance.choice(["", *texts]):
            (root / file).write_text(text)

    return act


ACTS = (
    *[edit] * 6,
    *[edit_unseen] * 3,
    remove,
    move,
    regenerate,
    commit,
    either("robots.txt", "User-agent: *\nDisallow: /d/\n", "User-agent: *\nDisallow: /p1\n"),
    either("_redirects", "/p2.html /p3.html 301!\n", "/d/* /p3.html 302!\n"),
    either("_headers", "/p4.html\n  X-Robots-Tag: noindex\n"),
    either(".sitemapignore", "p5.html\n", "d/e/\n"),
)


def outcome(
    root: Path, which: str, now: datetime, jobs: int, values: dict[str, Any]
) -> list[object]:
    """What a build says and writes; the one called "with" has a cache."""
    out = root.parent.parent / which
    out.mkdir(exist_ok=True)
    own = {**values, "output": str(out), "max_drop": 100}
    own["ledger"] = {"path": str(out / "ledger"), "drop": own.pop("drop")}
    own["dates"] = {"date_only": own.pop("date_only")}
    cache = str(root.parent.parent / "cache") if which == "with" else None
    try:
        given = asking(settings(root, **own), jobs=jobs)
        summary = sitemapper.build(given, now=now, cache=cache)
        said = [repr(summary).replace(f"/{which}", "")]
    except sitemapper.SitemapperError as error:
        said = [str(error).replace(f"/{which}", "")]
    return [*said, {file.name: file.read_bytes() for file in sorted(out.iterdir())}]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_no_edit_makes_a_cached_build_differ(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = tmp_path / "project" / "public"
    for number in range(PAGES):
        write_site(root, {f"p{number}.html": CONTENTS[0](chance)}, mtime=MTIME + 60 * number)
    Repo(root.parent).commit(1, {"readme": ""})
    values: dict[str, Any] = {key: choices[0] for key, choices in CHOICES.items()}
    built = 0
    clock = datetime.now(UTC) + timedelta(days=1)
    for step in range(STEPS // 2):
        for _ in range(chance.randint(0, 3)):
            chance.choice(ACTS)(root, chance)
        if chance.random() < 0.1:
            key = chance.choice(sorted(CHOICES))
            values[key] = chance.choice(CHOICES[key])
        # Clocks are set, back and forth; close to a file's time, its records must not be believed.
        now = clock + timedelta(seconds=chance.choice([0, 60, -86_400, -86_400.05, 3600]))
        jobs = 2 if step % WITH_TWO == WITH_TWO - 1 else 1
        with_cache, without = (
            outcome(root, which, now, jobs, values) for which in ("with", "without")
        )
        assert with_cache == without, step
        built += "Summary" in str(with_cache[0])
    assert built > STEPS / 2 * 0.7  # the others were refused, as a site without a listed page is
