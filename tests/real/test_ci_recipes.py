"""The workflows of README and docs/ci.md: each is run twice, step by step, in clones of a project.

The project has the wheel in `tools/`, as the pages say. A server on this machine is the live site:
it is the proxy of each step, and answers for the base URL with what the last run published. Steps
that install Debian packages are left out, and so are those that are an action of somebody else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
import venv
from collections import defaultdict
from collections.abc import Set
from pathlib import Path
from typing import NamedTuple

import installation
import pytest
import yaml
from support import write_site
from support.git import Repo
from support.web import Web

from real.tools import CI_TOOLS, ROOT, run

pytestmark = pytest.mark.real

BASE = "http://tea.dev/"
CI = (ROOT / "docs/ci.md").read_text()
README = (ROOT / "README.md").read_text()
PAGE = "<!doctype html><title>{{ .Title }}</title><main>{{ .Content }}</main>"
NAMES = ("boil", "steep", "pour")
KINDS = defaultdict(lambda: "text/plain", {".html": "text/html", ".xml": "application/xml"})
HUGO = {
    # Hugo lists tags and categories in its sitemap even if no layout shows them.
    "hugo.toml": f'baseURL = "{BASE}"\ntitle = "Tea"\ndisableKinds = ["taxonomy", "term"]\n',
    "layouts/index.html": PAGE,
    "layouts/_default/single.html": PAGE,
    "content/_index.md": "---\ntitle: Tea\n---\nAll of it.\n",
    **{f"content/{name}.md": f"---\ntitle: {name}\n---\nHow to {name}.\n" for name in NAMES},
}
MKDOCS = {
    "mkdocs.yml": f"site_name: Tea\nsite_url: {BASE}\nplugins: [sitemapper]\n",
    "docs/index.md": "# Tea\n\nAll of it.\n",
    **{f"docs/{name}.md": f"# {name}\n\nHow to {name}.\n" for name in NAMES},
}
# Nikola takes a minute to install, so a script stands for it.
NIKOLA = {
    "conf.py": f'SITE_URL = "{BASE}"\n',
    "sitemapper.toml": f'base_url = "{BASE}"\n',
    **{f"pages/{name}.rst": f".. title: {name}\n\nHow to {name}.\n" for name in NAMES},
    "bin/nikola": "#!/bin/sh\nmkdir -p output\necho '<title>Tea</title>' > output/index.html\n"
    + "".join(
        f"mkdir -p output/pages/{n}; echo '<title>{n}</title><p>How to {n}.' > output/pages/{n}/index.html\n"
        for n in NAMES
    ),
}


class Recipe(NamedTuple):
    """What a page says to run, a project for it, the folder and the URLs of the site."""

    commands: list[str]
    sources: dict[str, str]
    out: str = "public"
    urls: Set[str] = frozenset(("", "boil/", "steep/", "pour/"))


def block(page: str, heading: str) -> str:
    """The first code block of a section of a page."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"(?ms)^```\w+[^\n]*\n(.*?)^```$", section)[0]


def steps(text: str) -> list[str]:
    """The commands of a workflow, of all its jobs, or of a list of steps."""
    workflow = yaml.safe_load(text)
    jobs = workflow["jobs"].values() if "jobs" in workflow else [{"steps": workflow}]
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


RECIPES = {
    "README": Recipe(steps(block(README, "CI")), HUGO),
    "GitHub Pages": Recipe(steps(block(CI, "GitHub Pages")), HUGO),
    "Netlify": Recipe([tomllib.loads(block(CI, "Netlify"))["build"]["command"]], HUGO),
    "Cloudflare": Recipe([block(CI, "Cloudflare Pages")], HUGO),
    "Vercel": Recipe([json.loads(block(CI, "Vercel"))["buildCommand"]], HUGO),
    "GitLab": Recipe(
        yaml.safe_load(block(CI, "GitLab Pages"))["pages"]["script"],
        NIKOLA,
        urls={"", *(f"pages/{name}/" for name in NAMES)},
    ),
    "MkDocs": Recipe(steps(block(CI, "MkDocs, Sphinx and Pelican")), MKDOCS, out="site"),
}


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The machine of the runs: an environment for pip, and a home of its own for pipx."""
    folder = tmp_path_factory.mktemp("runner")
    venv.create(folder / "venv", with_pip=True)
    return folder


def publish(server: Web, folder: Path) -> None:
    """Makes a folder the live site, for a client that asks a proxy for whole URLs."""
    for path in folder.rglob("*"):
        if path.is_file():
            url = BASE + path.relative_to(folder).as_posix().removesuffix("index.html")
            server.pages[url] = 200, {"Content-Type": KINDS[path.suffix]}, path.read_bytes()


@pytest.mark.parametrize("name", RECIPES)
def test_it_runs_twice_in_empty_clones(
    name: str, dist: Path, runner: Path, live: Web, tmp_path: Path
) -> None:
    recipe = RECIPES[name]
    repo = Repo(tmp_path / "project")
    write_site(repo.root, recipe.sources)
    for tool in (repo.root / "bin").glob("*"):
        tool.chmod(0o755)
    repo.commit(1, {".gitignore": "/public/\n/site/\n/output/\n"})
    (repo.root / "tools").mkdir()
    shutil.copy(dist / Path(installation.WHEEL).name, repo.root / installation.WHEEL)
    repo.commit(2, {})
    sitemaps = []
    for number in range(2):
        clone = tmp_path / f"clone{number}"
        # The first clone lacks commits, and the second one has all, as that of a new project.
        is_shallow = "--unshallow" in "".join(recipe.commands) and number == 0
        depth = ["--depth", "1"] if is_shallow else []
        run("git", "clone", "--quiet", *depth, repo.root.as_uri(), clone)
        folders = [clone / "bin", runner / "bin", runner / "venv/bin", CI_TOOLS, os.environ["PATH"]]
        environment = {
            "PATH": os.pathsep.join(map(str, folders)),
            "PIPX_HOME": str(runner / "pipx"),
            "PIPX_BIN_DIR": str(runner / "bin"),
            "http_proxy": live.url,
            "PYTHONPATH": "",
        }
        for command in recipe.commands:
            if command.startswith("sudo apt-get"):
                continue
            # the script that stands for Nikola is in the project
            command = command.replace("pip install nikola ", "pip install ")
            run("bash", "-ec", command, cwd=clone, env=environment)
            publish(live, clone / recipe.out)
        sitemaps.append((clone / recipe.out / "sitemap.xml").read_text())
    assert set(re.findall("<loc>(.*?)</loc>", sitemaps[0])) == {BASE + url for url in recipe.urls}
    assert sitemaps[0] == sitemaps[1]
    assert "<lastmod>" in sitemaps[0]
