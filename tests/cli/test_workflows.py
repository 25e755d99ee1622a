"""The workflows of README and docs/ci.md: each runs twice against a live host, then loses its pages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import POSIX
from support.web import Web, web

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BASE = "http://tea.dev/"  # the host behind the proxy, which is the test's server
# What a workflow calls beside sitemapper and uvx: generators copy the sources, others do nothing.
GENERATORS = {"hugo": "public", "nikola": "output"}
TOOLS = ("sudo", "pip", "pipx", "git")


def block(page: str, start: str) -> str:
    """The first code block of a page that begins with `start`, without its first line."""
    blocks = re.findall(r"(?ms)^```(\w.*?)^```$", (ROOT / page).read_text())
    found: str = next(text for text in blocks if start in text)
    return found.partition("\n")[2]


def steps(job: Any) -> str:
    """What the steps of a job run."""
    return "\n".join(step["run"] for step in job["steps"] if "run" in step)


WORKFLOWS = {
    "README": steps(yaml.safe_load(block("README.md", "name: site"))["jobs"]["site"]),
    "GitHub Pages": steps(yaml.safe_load(block("docs/ci.md", "site.yml"))["jobs"]["build"]),
    "Netlify": tomllib.loads(block("docs/ci.md", "netlify.toml"))["build"]["command"],
    "Cloudflare Pages": block("docs/ci.md", "sh\n(git fetch --unshallow"),
    "Vercel": json.loads(block("docs/ci.md", "vercel.json"))["buildCommand"],
    "GitLab Pages": "\n".join(
        yaml.safe_load(block("docs/ci.md", ".gitlab-ci.yml"))["pages"]["script"]
    ),
}


class Runner:
    """A machine that checks the project out anew for each run, and uploads what it built."""

    def __init__(self, folder: Path, server: Web) -> None:
        self.folder, self.server = folder, server
        self.public = folder / "checkout" / "public"
        bin = folder / "bin"
        bin.mkdir()
        for tool in TOOLS:
            self._tool(bin / tool, "exit 0")
        for tool, output in GENERATORS.items():
            self._tool(bin / tool, f"mkdir -p {output} && cp -p ../content/* {output}")
        self._tool(bin / "uvx", 'shift 2; exec "$@"')  # --from PACKAGE COMMAND
        (folder / "content").mkdir()
        for name in ("index", "a", "b", "c"):
            page = folder / "content" / f"{name}.html"
            page.write_text(f"<title>{name}</title><p>{name}")

    def _tool(self, path: Path, command: str) -> None:
        path.write_text(f"#!/bin/sh\n{command}\n")
        path.chmod(0o755)

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Runs a workflow in a new checkout."""
        checkout = self.public.parent
        shutil.rmtree(checkout, ignore_errors=True)
        checkout.mkdir()
        (checkout / "sitemapper.toml").write_text(
            f'base_url = "{BASE}"\nsite = "public"\nlastmod = []\n'
        )
        folders = [str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
        environment = {
            "PATH": os.pathsep.join(folders),
            "http_proxy": self.server.url,
            "HOME": str(self.folder),
        }
        words = ["sh", "-ec", script]
        return subprocess.run(words, cwd=checkout, env=environment, capture_output=True, text=True)

    def deploy(self) -> None:
        """Publishes the built site. The proxy is asked for whole URLs."""
        files = [path for path in self.public.iterdir() if path.is_file()]
        self.server.pages = {f"{BASE}{path.name}": path.read_bytes() for path in files}


@POSIX
@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_compares_with_the_live_sitemap(name: str, tmp_path: Path) -> None:
    with web() as server:
        runner = Runner(tmp_path, server)
        first = runner.run(WORKFLOWS[name])
        assert first.returncode == 0, first.stdout + first.stderr
        runner.deploy()
        second = runner.run(WORKFLOWS[name])
        assert second.returncode == 0, second.stdout + second.stderr
        is_told = f"nothing changed since {BASE}sitemap.xml" in second.stdout
        assert is_told
        for page in ("a", "b", "c"):
            (tmp_path / "content" / f"{page}.html").unlink()
        third = runner.run(WORKFLOWS[name])
        assert third.returncode == 2
        assert "3 published URLs are gone" in third.stderr
        assert not (runner.public / "sitemap.xml").exists()
