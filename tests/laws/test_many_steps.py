"""Over hundreds of edits of one site, two builds give the same by any number of processes, and what `explain` says."""

from __future__ import annotations

import os
import random
import re
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support import MTIME, asking, edits, settings, write_site
from support.git import Repo

import sitemapper
from sitemapper.model import Setup

STEPS = 500
WITH_TWO = 20  # every so many steps, each build uses two processes
EXPLAINED = 10  # every so many steps, `explain` is asked of each page
CHOICES: dict[str, list[Any]] = {
    "lastmod": [
        ["page", "git", "ledger", "mtime"],
        ["ledger", "git"],
        ["mtime"],
        ["ledger", "mtime"],
        ["mtime", "ledger"],
        ["git", "mtime"],
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


def edit_unseen(project: Path, chance: random.Random) -> None:
    """The size and the mtime stay."""
    page = project / "public" / edits.name(chance)
    if page.exists():
        text, stat = page.read_text(), page.stat()
        for word in edits.TEXTS:
            text = text.replace(word, chance.choice(edits.TEXTS))
        page.write_text(text)
        os.utime(page, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def regenerate(project: Path, chance: random.Random) -> None:
    """Each file is written again, as generators do."""
    root = project / "public"
    for page in sorted(root.rglob("*.html")):
        write_site(root, {str(page.relative_to(root)): page.read_bytes()}, mtime=MTIME + 10**6)


def lose(project: Path, chance: random.Random) -> None:
    """A file of ours is gone, or a sitemap of ours is edited, for both builds."""
    name = chance.choice(("sitemap.xml", "robots.txt", "ledger"))
    is_edited = name == "sitemap.xml" and chance.random() < 0.5
    for which in ("one", "two"):
        path = project.parent / which / name
        if is_edited and path.exists():
            path.write_bytes(path.read_bytes() + b"\n")
        else:
            path.unlink(missing_ok=True)


ACTS = (
    *edits.EDITS,
    *[edit_unseen] * 3,
    regenerate,
    lose,
    edits.either("public/d/index", "no page, beside pages"),
)


def setup_of(root: Path, which: str, values: dict[str, Any]) -> Setup:
    """The settings of one of the two builds."""
    out = root.parent.parent / which
    out.mkdir(exist_ok=True)
    own = {**values, "output": str(out), "max_drop": 100}
    own["ledger"] = {"path": str(out / "ledger"), "drop": own.pop("drop")}
    own["dates"] = {"date_only": own.pop("date_only")}
    return settings(root, **own)


def outcome(
    root: Path, which: str, now: datetime, jobs: int, values: dict[str, Any]
) -> list[object]:
    """What a build says and writes."""
    try:
        given = asking(setup_of(root, which, values), jobs=jobs)
        summary = sitemapper.build(given, now=now)
        kept = (summary.selected, summary.dated, summary.plan.changes, summary.plan.gone)
        said = [repr((kept, summary.messages)).replace(f"/{which}", "")]
    except sitemapper.SitemapperError as error:
        said = [str(error).replace(f"/{which}", "")]
    out = root.parent.parent / which
    return [*said, {file.name: file.read_bytes() for file in sorted(out.iterdir())}]


def explained(root: Path, now: datetime, values: dict[str, Any]) -> dict[str, str]:
    """The URLs of the listed pages with their dates, as `explain` says before a build."""
    found = {}
    setup = setup_of(root, "two", values)
    for page in root.rglob("*.html"):
        verdict = sitemapper.explain(setup, str(page.relative_to(root)), now=now)
        if not verdict.reason:
            rows = {name: text for name, text, _ in verdict.rows}
            found[rows["url"]] = rows["lastmod"].replace("none", "")
    return found


def entries(sitemap: bytes) -> dict[str, str]:
    """The URLs of a sitemap with their dates."""
    entry = r"<url><loc>(.*?)</loc>(?:<lastmod>(.*?)</lastmod>)?"
    return dict(re.findall(entry, sitemap.decode()))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_no_edit_makes_two_builds_or_explain_differ(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    project = tmp_path / "project"
    root = project / "public"
    for number in range(edits.PAGES):
        text = edits.CONTENTS[0](chance)
        write_site(root, {f"p{number}.html": text}, mtime=MTIME + 60 * number)
    Repo(project).commit(1, {"readme": ""})
    values: dict[str, Any] = {key: choices[0] for key, choices in CHOICES.items()}
    reader = import_module("sitemapper.read.read")
    built = 0
    clock = datetime.now(UTC) + timedelta(days=1)
    for step in range(STEPS // 2):
        for _ in range(chance.randint(0, 3)):
            chance.choice(ACTS)(project, chance)
        if chance.random() < 0.1:
            key = chance.choice(sorted(CHOICES))
            values[key] = chance.choice(CHOICES[key])
        # Clocks are set, back and forth.
        now = clock + timedelta(seconds=chance.choice([0, 60, -86_400, -86_400.05, 3600]))
        jobs = 2 if step % WITH_TWO == WITH_TWO - 1 else 1
        is_explained = step % EXPLAINED == 0
        expected = explained(root, now, values) if is_explained else {}
        outcomes = []
        for which in ("one", "two"):
            monkeypatch.setattr(reader, "_CHUNK", chance.choice((1, 4, 200)))
            outcomes.append(outcome(root, which, now, jobs, values))
        assert outcomes[0] == outcomes[1], step
        if "Selected" in str(outcomes[0][0]):
            built += 1
            if is_explained:
                assert entries(outcomes[0][1]["sitemap.xml"]) == expected, step
    assert built > STEPS / 2 * 0.7  # the others were refused, as a site without a listed page is
