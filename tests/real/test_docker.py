"""The Dockerfile: its wheel is built everywhere, its image where a daemon runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sitemapper
from real.tools import ROOT, make_environment, run

pytestmark = pytest.mark.real
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "scripts/readme_for_pypi.py", "sitemapper")


def is_daemon_at_hand() -> bool:
    """Whether a Docker daemon runs here, and has or gets the image to begin with."""
    docker = shutil.which("docker")
    base = re.search(r"(?m)^FROM (\S+)", (ROOT / "Dockerfile").read_text())
    if docker is None or base is None:
        return False
    return subprocess.run([docker, "pull", "--quiet", base[1]], capture_output=True).returncode == 0


def test_the_copied_files_are_enough_for_the_wheel(tmp_path: Path) -> None:
    for name in SOURCES:
        target = tmp_path / "src" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target)
        else:
            shutil.copy(ROOT / name, target)
    wheel_here = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir")
    run(*wheel_here, tmp_path / "dist", ".", cwd=tmp_path / "src")
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.name in (ROOT / "Dockerfile").read_text()
    commands = make_environment(tmp_path / "venv", wheel)
    assert sitemapper.__version__ in run(commands / "sitemapper", "-V")


@pytest.mark.skipif(not is_daemon_at_hand(), reason="there is no Docker daemon, or no image")
def test_the_image_builds_the_sitemap_of_a_mounted_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(ROOT / "sample_site", project)
    user = f"{os.getuid()}:{os.getgid()}"
    run("docker", "build", "-t", "sitemapper-test", ".", cwd=ROOT)
    run(
        *("docker", "run", "--rm", "--user", user, "-v", f"{project}:/site"),
        *("sitemapper-test", "build"),
    )
    sitemap = project / "public/sitemap.xml"
    assert sitemap.read_text().count("<url>") == 12
    assert sitemap.stat().st_uid == os.getuid()
