"""What the tests share: where install.sh put the tools, and how the tools and sitemapper are run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache-real"
VENV = CACHE / "venv" / "bin"
NODE_MODULES = CACHE / "node" / "node_modules"
FRAMEWORKS = CACHE / "frameworks" / "node_modules"
BUILD = (sys.executable, "-m", "sitemapper", "build")

# Leaves aside what pages, robots.txt and host rules say.
PLAIN = [
    "--config=respect = { noindex = false, canonical = false, refresh = false, robots = false }"
]


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
    )
    assert done.returncode == code, (
        f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    )
    return done.stdout


def make_environment(folder: Path, *packages: str | Path) -> Path:
    """An empty environment into which pip installs packages; the folder of its commands.

    The pip is ours, because to install pip takes longer. Nothing is compiled, because the tests
    import only a part of it.
    """
    venv.create(folder, with_pip=False)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin/python")
    run(*pip, "install", "--quiet", "--no-compile", *packages)
    run(*pip, "check")
    return folder / "bin"


def sitemapper(site: Path, base: str, *flags: str | Path) -> dict[str, Any]:
    """Builds a site's sitemaps and returns the summary."""
    summary: dict[str, Any] = json.loads(
        run(*BUILD, site, "--base-url", base, "--format", "json", *flags)
    )
    return summary


def mtimes(folder: Path) -> dict[str, int]:
    """When each file of a folder was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir() if path.is_file()}
