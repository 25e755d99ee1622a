"""Every recipe of docs/ci.md, and the workflow of README.md, to the letter, in clones of a project.

A clone has the sources of a site and what the page says, and nothing else. Scripts stand for the
generators and for what installs programs. A server of the test is the live site.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import POSIX
from support.git import Repo
from support.web import Web

pytestmark = [pytest.mark.slow, POSIX]

ROOT = Path(__file__).parents[2]
CI = (ROOT / "docs/ci.md").read_text()
README = (ROOT / "README.md").read_text()
BASE = "http://tea.dev/"  # the server of the test is its proxy
NAMES = ("boil", "pour", "steep")
SOURCES = {
    "hugo.toml": f'baseURL = "{BASE}"\n',
    "conf.py": f'SITE_URL = "{BASE}"\n',
    ".gitignore": "public/\noutput/\n",
    **{f"content/{name}.md": f"---\ntitle: {name}\n---\nHow to {name}.\n" for name in NAMES},
}
# Writes a home page and each page of content/ to a folder: `generator FOLDER BASE_URL`.
GENERATOR = """
mkdir -p $1
echo "<title>Tea</title><link rel=canonical href=$2><h1>Tea</h1>" > $1/index.html
for source in content/*.md; do
  name=$(basename $source .md)
  mkdir -p $1/$name
  { echo "<title>$name</title><link rel=canonical href=$2$name/><h1>$name</h1><p>"; tail -1 $source
  } > $1/$name/index.html
done
"""
TOOLS = {
    "hugo": f'test "$1" != -b || base=$2\nset -- public ${{base:-{BASE}}}\n{GENERATOR}',
    "nikola": f"set -- output {BASE}\n{GENERATOR}",
    "uvx": 'shift 2; exec "$@"',  # --from PACKAGE COMMAND
    **dict.fromkeys(("sudo", "pip", "pipx"), "exit 0"),
}


def section(heading: str) -> str:
    """The text of docs/ci.md below a heading, up to the next heading."""
    return re.split(r"(?m)^##+ ", CI.partition(f"## {heading}\n")[2])[0]


def block(text: str) -> str:
    """The first code block of a text."""
    found = re.search(r"(?ms)^```\w+[^\n]*\n(.*?)^```$", text)
    assert found
    return found[1]


def steps(text: str, job: str = "") -> str:
    """What the steps of the first code block of a text run: of a job, or of a list of steps."""
    workflow: Any = yaml.safe_load(block(text))
    if job:
        workflow = workflow["jobs"][job]
    rows = workflow["steps"] if isinstance(workflow, dict) else workflow
    return "\n".join(row["run"] for row in rows if "run" in row)


class Runner:
    """A machine that clones the project for each run, and publishes what a run has built."""

    def __init__(self, folder: Path, server: Web) -> None:
        self.folder, self.server = folder, server
        self.repo = Repo(folder / "project")
        self.repo.commit(1, SOURCES)
        self.repo("config", "receive.denyCurrentBranch", "updateInstead")
        self.clone = folder / "clone"
        (folder / "bin").mkdir()
        for name, script in TOOLS.items():
            tool = folder / "bin" / name
            tool.write_text(f"#!/bin/sh\n{script}\n")
            tool.chmod(0o755)

    def edit(self, number: int) -> None:
        """Commits another text of one page, of another size, because all files have one time."""
        text = f"---\ntitle: pour\n---\nEdit{'!' * number}\n"
        self.repo.commit(number, {"content/pour.md": text})

    def check_out(self, recipe: str = "fetch-depth: 0") -> None:
        """Clones the project anew, and only its last commit if a recipe does not ask for all."""
        shutil.rmtree(self.clone, ignore_errors=True)
        depth = () if "fetch-depth: 0" in recipe else ("--depth", "1")
        self.repo("clone", "--quiet", *depth, self.repo.root.as_uri(), str(self.clone))

    def run(self, script: str, status: int = 0, **variables: str) -> str:
        """Runs a script in the clone, and gives what it prints."""
        folders = [self.folder / "bin", Path(sys.executable).parent, os.environ["PATH"]]
        environment = {
            "PATH": os.pathsep.join(map(str, folders)),
            "http_proxy": self.server.url,
            "HOME": str(self.folder),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),  # of a tree that is not installed
            **variables,
        }
        command = ["bash", "-ec", script]
        options: Any = {"cwd": self.clone, "capture_output": True, "text": True}
        done = subprocess.run(command, env=environment, **options)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def deploy(self, public: str = "public") -> None:
        """Publishes the built site. A proxy is asked for whole URLs."""
        self.server.pages = {}
        folder = self.clone / public
        for path in filter(Path.is_file, folder.rglob("*")):
            name = path.relative_to(folder).as_posix().removesuffix("index.html")
            kinds = {".html": "text/html", ".xml": "application/xml"}
            header = {"Content-Type": kinds.get(path.suffix, "text/plain")}
            self.server.pages[f"{BASE}{name}"] = 200, header, path.read_bytes()

    @property
    def dates(self) -> list[str]:
        """The day of each page of `NAMES` in the sitemap, "" where there is no date."""
        sitemap = (self.clone / "public/sitemap.xml").read_text()
        _home, *entries = re.findall(r"<url>(.*?)</url>", sitemap)
        assert len(entries) == len(NAMES)
        return ["".join(re.findall(r"<lastmod>(.{10})", entry)) for entry in entries]

    @property
    def dated(self) -> int:
        """How many pages of `NAMES` have a date."""
        return sum(map(bool, self.dates))


@pytest.fixture
def runner(tmp_path: Path, live: Web) -> Runner:
    return Runner(tmp_path, live)


HOSTS = {
    "README": steps(README.partition("\n## CI\n")[2]),
    "GitHub Pages": steps(section("GitHub Pages"), "build"),
    "Netlify": tomllib.loads(block(section("Netlify")))["build"]["command"],
    "Cloudflare Pages": block(section("Cloudflare Pages")),
    "Vercel": json.loads(block(section("Vercel")))["buildCommand"],
    "GitLab Pages": "\n".join(yaml.safe_load(block(section("GitLab Pages")))["pages"]["script"]),
}


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_gets_dates_of_commits_and_keeps_what_is_live(name: str, runner: Runner) -> None:
    runner.edit(2)
    runner.check_out()
    runner.run(HOSTS[name])
    assert runner.dates == ["2026-01-01", "2026-01-02", "2026-01-01"]
    runner.deploy()
    runner.check_out()
    assert f"nothing changed since {BASE}sitemap.xml" in runner.run(HOSTS[name])
    runner.check_out()
    for lost in NAMES:
        (runner.clone / f"content/{lost}.md").unlink()
    (runner.clone / "content/new.md").write_text("New.\n")
    assert "error: 3 earlier URLs would go (3 lost)" in runner.run(HOSTS[name], status=2)
    assert not (runner.clone / "public/sitemap.xml").exists()


def test_changed_urls_are_verified_and_submitted(runner: Runner) -> None:
    script = steps(section("After the deployment"))
    key = "0123456789abcdef0123456789abcdef"
    engine: dict[str, Any] = {
        "SITEMAPPER_SUBMIT_KEY": key,
        "SITEMAPPER_CONFIG": f'submit.endpoint = "{BASE}indexnow"',
    }
    build, _, after = script.partition("sitemapper verify")
    for number in (1, 2):
        runner.edit(number + 1)
        runner.check_out()
        runner.run(build, **engine)
        runner.deploy()
        if number == 2:
            runner.run(f"sitemapper verify{after}", **engine)
    assert runner.server.accepted == [f"{BASE}pour/"]


def test_a_deployment_of_vercel_is_verified(runner: Runner) -> None:
    runner.check_out()
    hugo = f"hugo -b https://tea.example/ && {HOSTS['Cloudflare Pages'].split(' && ')[-1]}"
    runner.run(hugo.replace(" --previous live", " --base-url https://tea.example/"))
    runner.deploy()
    at = runner.server.url.rstrip("/")
    pages = runner.server.pages.items()
    runner.server.pages = {f"/{url.removeprefix(BASE)}": page for url, page in pages}
    script = steps(section("Vercel and Netlify builds"), "verify")
    runner.run(script, URL=at, BYPASS="a", http_proxy="")
    assert all(sent["X-Vercel-Protection-Bypass"] == "a" for sent in runner.server.headers)


def test_the_live_ledger_dates_the_page_that_was_edited(runner: Runner) -> None:
    settings = block(section("The live ledger")).replace("https://tea.example/", BASE)
    runner.repo.commit(2, {"sitemapper.toml": settings})
    for number, dated in ((3, 0), (4, 1)):
        runner.edit(number)
        runner.check_out()
        runner.run("hugo && sitemapper build")
        assert runner.dated == dated
        runner.deploy()


def test_the_workflow_commits_the_ledger(runner: Runner) -> None:
    recipe = section("The ledger in the repository")
    script = steps(recipe)
    for number, dated in ((2, 0), (3, 1)):
        runner.edit(number)
        runner.check_out(recipe)
        runner.run(script)
        assert "sitemapper.ledger" in runner.repo("show", "--stat", "HEAD")
        assert runner.dated == dated
    runner.check_out(recipe)
    assert "Update the ledger" not in runner.run(script)


def test_the_ledger_comes_from_the_cache(runner: Runner) -> None:
    recipe = section("The ledger in the cache")
    workflow = yaml.safe_load(block(recipe))
    path = next(row["with"]["path"] for row in workflow["steps"] if "cache" in row.get("uses", ""))
    cache = runner.folder / "cache"
    for number, dated in ((2, 0), (3, 1)):
        runner.edit(number)
        runner.check_out(recipe)
        if cache.exists():
            shutil.copy(cache, runner.clone / path)
        runner.run(steps(recipe))
        shutil.copy(runner.clone / path, cache)
        assert runner.dated == dated


def test_a_hook_updates_the_sitemap_and_a_pull_request_checks_it(runner: Runner) -> None:
    """In a project whose site and sitemap are committed already."""
    hook = yaml.safe_load(block(section("pre-commit")))["repos"][0]["hooks"][0]["entry"]
    check = steps(section("Checks in pull requests"))
    commit = "git add --all && git -c user.name=ci -c user.email=ci@example.com commit -q -m x"
    toml = f'base_url = "{BASE}"\nsite = "public"\n'
    runner.repo.commit(2, {"sitemapper.toml": toml, ".gitignore": ""})
    runner.check_out()
    runner.run(f"hugo && {commit} && sitemapper build && {commit}")
    for number in (1, 2):
        time.sleep(1)  # an edit within one second would have the date that is published already
        (runner.clone / "content/pour.md").write_text(f"---\ntitle: pour\n---\nEdit {number}.\n")
        runner.run("hugo && git add --all")
        runner.run(hook, status=1)  # it wrote the sitemap, so the commit stops
        runner.run(f"git add --all && {hook}")
        runner.run(commit)
        runner.run(check)
    shutil.rmtree(runner.clone / "public/pour")
    runner.run(check, status=1)


def test_the_step_without_the_action_writes_the_outputs(runner: Runner) -> None:
    for _ in range(2):
        runner.check_out()
        (runner.folder / "output").write_text("")
        runner.run("hugo")
        runner.run(steps(section("GitHub Action")), GITHUB_OUTPUT=str(runner.folder / "output"))
        assert "listed=4" in (runner.folder / "output").read_text()
