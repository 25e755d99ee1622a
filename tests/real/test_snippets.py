"""The snippets of docs/generators.md: each is run as it stands there, and its site gets a sitemap of ours."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from support import BASE, locs
from support.git import Repo

from real.tools import CACHE, ROOT, run

pytestmark = pytest.mark.real

ASTRO = CACHE / "astro" / "node_modules"
MARKDOWN = "# Title\n"
HTML = "---\n---\n<!doctype html><title>Title</title>"
BUILD = """
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist", { recursive: true });
for (const name of ["index", "boil"]) writeFileSync(`dist/${name}.html`, "<!doctype html><title>Title</title>");
"""


class Project(NamedTuple):
    """The sources of a site, the folder that it is built into, its URLs, and the packages of Node."""

    sources: Mapping[str, str]
    out: str
    urls: set[str]
    modules: Path | None = None


PROJECTS = {
    "npm scripts": Project({"build.mjs": BUILD}, "dist", {"", "boil.html"}),
    "Astro": Project({f"src/pages/{n}.md": MARKDOWN for n in ("index", "boil")}, "dist", {"", "boil/"}, ASTRO),
    "Jekyll": Project({f"{n}.html": HTML for n in ("index", "boil")}, "_site", {"", "boil.html"}),
}  # fmt: skip


def blocks(text: str) -> tuple[dict[str, str], str]:
    """The files and the commands of a text."""
    found = re.findall(r'(?ms)^```\w+(?: title="(.*?)")?\n(.*?)^```$', text)
    return {name: block for name, block in found if name}, "".join(block for name, block in found if not name)


SNIPPETS = (ROOT / "docs/generators.md").read_text().partition("\n## Snippets\n")[2].partition("\n## ")[0]
COMMON, *OWN = map(blocks, SNIPPETS.split("\n### "))
SECTIONS = dict(zip(re.findall(r"(?m)^### (.*)$", SNIPPETS), OWN, strict=True))


def test_every_section_is_tried() -> None:
    assert set(SECTIONS) == set(PROJECTS)


@pytest.mark.parametrize("name", PROJECTS)
def test_the_snippet_gives_the_site_a_sitemap_of_ours(name: str, tmp_path: Path) -> None:
    project, (files, command) = PROJECTS[name], SECTIONS[name]
    repo = Repo(tmp_path / "project")
    repo.commit(1, {**project.sources, **COMMON[0], **files})
    if project.modules:
        (repo.root / "node_modules").symlink_to(project.modules)
    folders = [os.path.dirname(sys.executable), str(CACHE / "newest" / "bin"), os.environ["PATH"]]
    environment = {"PATH": os.pathsep.join(folders)}
    for _ in range(2):
        run("bash", "-ec", command, cwd=repo.root, env=environment)
        out = repo.root / project.out
        assert set(locs(out)) == {BASE + url for url in project.urls}
        assert "sitemapper wrote this file" in (out / "sitemap.xml").read_text()
