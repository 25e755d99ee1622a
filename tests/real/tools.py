"""What the tests share: where install.sh put the tools, and how the tools and sitemapper are run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from support import write_site

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache-real"
VENV = CACHE / "venv/bin"
CI_TOOLS = CACHE / "workflows/bin"
NODE, ASTRO, DOCUSAURUS, FRAMEWORKS = (
    CACHE / name / "node_modules" for name in ("node", "astro", "docusaurus", "frameworks")
)
SITEMAPPER = (sys.executable, "-m", "sitemapper")


def run(
    *command: str | Path, cwd: Path | None = None, code: int = 0, env: dict[str, str] | None = None
) -> str:
    """Runs a program and returns what it printed; another exit code than `code` fails the test."""
    program = shutil.which(command[0])
    assert program, f"{command[0]} is missing: run tests/real/install.sh"
    done = subprocess.run(
        [program, *map(str, command[1:])],
        cwd=cwd,
        env=os.environ | (env or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    said = f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    assert done.returncode == code, said
    return done.stdout


def sitemapper(site: Path, base: str, *flags: str | Path) -> None:
    """Builds the sitemaps of a site."""
    run(*SITEMAPPER, "build", site, "--base-url", base, *flags)


def findings(*paths: Path, code: int = 0) -> list[dict[str, Any]]:
    """What `validate` finds in files."""
    told = json.loads(run(*SITEMAPPER, "validate", "--format=json", *paths, code=code))
    found: list[dict[str, Any]] = told["findings"]
    return found


class Project(NamedTuple):
    """Sources, the command that builds them, the folder of the site, and the packages of Node."""

    files: Mapping[str, str]
    command: tuple[str | Path, ...]
    out: str
    modules: Path | None = None

    def build(self, root: Path, **environment: str) -> Path:
        """Builds the site in a folder, and returns where it is."""
        write_site(root, self.files)
        if self.modules:
            (root / "node_modules").symlink_to(self.modules)
        quiet = {"NEXT_TELEMETRY_DISABLED": "1", "DOCUSAURUS_NO_UPDATE_CHECK": "1"}
        run(*self.command, cwd=root, env=quiet | environment)
        return root / self.out
