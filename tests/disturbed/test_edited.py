"""Files that feed a decision are edited during a run of the real program, at a moment that is certain."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import BASE, POSIX, SITEMAPPER, paths, write_site
from support.git import Repo

from sitemapper.model import Run
from sitemapper.publish import lock

pytestmark = [POSIX, pytest.mark.slow]
CLOSED = "User-agent: *\nDisallow: /b.html\n"
# What closes b.html: the file, its text before and after.
EDITS = {
    "robots.txt": ("public/robots.txt", "User-agent: *\nDisallow: /x\n", CLOSED),
    "_headers": (
        "public/_headers",
        "/x\n  X-Robots-Tag: noindex\n",
        "/b.html\n  X-Robots-Tag: noindex\n",
    ),
    "_redirects": ("public/_redirects", "/x / 301!\n", "/b.html / 301!\n/b / 301!\n"),
    "a page": ("public/b.html", "<title>b</title>", '<meta name="robots" content="noindex">'),
}
COMMAND = [*SITEMAPPER, "build", "--max-drop", "100"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    repo = Repo(folder)
    toml = f'base_url = "{BASE}"\nsite = "public"\nlastmod = ["git"]\nhost = "netlify"\n'
    write_site(
        folder,
        {"public/a.html": "<p>a", "public/b.html": "<p>b", "sitemapper.toml": toml},
    )
    repo.commit(1, {})
    return folder


def written(project: Path) -> set[str]:
    return {path for path in paths(project / "public") if path != "a.html"}


def run(project: Path, **more: str) -> subprocess.Popen[str]:
    pipe, environment = subprocess.PIPE, os.environ | more
    return subprocess.Popen(
        COMMAND, cwd=project, env=environment, stdout=pipe, stderr=pipe, text=True
    )


def edited_while_locked(project: Path, files: dict[str, str]) -> tuple[subprocess.Popen[str], str]:
    """A run that waits for another one while files are edited, and what it says."""
    with lock(str(project / "public"), Run(str(project), {})):
        process = run(project)
        time.sleep(1.5)
        assert process.poll() is None
        write_site(project, files)
    return process, process.communicate(timeout=300)[1]


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_while_the_lock_is_waited_for_counts(project: Path, name: str) -> None:
    file, before, after = EDITS[name]
    write_site(project, {file: before})
    assert run(project).communicate(timeout=300) and written(project) >= {"b.html"}
    process, err = edited_while_locked(project, {file: after})
    assert process.returncode == 0, err
    assert written(project) == set()


@contextmanager
def stopped(project: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Runs that stop where git is asked, after the plan is made, until the pipe is read to its end."""
    bin = project.parent / "bin"
    pipe = project.parent / "pipe"
    real = subprocess.run(
        ["which", "git"], capture_output=True, text=True, check=True
    ).stdout.strip()
    write_site(bin, {"git": f'#!/bin/sh\necho here >{pipe}\nexec {real} "$@"\n'})
    (bin / "git").chmod(0o755)
    os.mkfifo(pipe)
    yield lambda: run(project, PATH=f"{bin}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_after_it_was_read_is_not_remembered_as_done(project: Path, name: str) -> None:
    file, before, after = EDITS[name]
    write_site(project, {file: before})
    assert run(project).communicate(timeout=300) and written(project) >= {"b.html"}
    with stopped(project) as start:
        process = start()
        pipe = os.open(project.parent / "pipe", os.O_RDONLY)  # waits until git is asked
        write_site(project, {file: after})
        while process.poll() is None:
            os.read(pipe, 100)
            time.sleep(0.01)
        os.close(pipe)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert (project / file).read_text().startswith(after)
    done = run(project)
    done.communicate(timeout=300)
    assert done.returncode == 0
    assert written(project) == set()
