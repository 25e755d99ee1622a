"""How the process ends, as a shell sees it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support import BASE, POSIX, SITEMAPPER, write_site

pytestmark = POSIX
BUILD = [*SITEMAPPER, "build", "public", "--base-url", BASE]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(
        tmp_path / "public", {f"{n}.html": f"<title>{n}</title><p>{n}" for n in range(9)}
    )


@pytest.mark.slow
def test_a_start_in_a_folder_that_was_removed(tmp_path: Path) -> None:
    command = f"cd {shlex.quote(str(tmp_path))} && mkdir x && cd x && rmdir ../x && {sys.executable} -m sitemapper build"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    said = "error: the working directory was removed\n  help: change to another folder\n"
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [({}, True), ({"NO_COLOR": ""}, False), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_an_error_is_coloured_on_a_terminal_unless_the_environment_refuses_it(
    tmp_path: Path, variables: dict[str, str], is_coloured: bool
) -> None:
    terminal, stream = os.openpty()
    environment = {name: os.environ[name] for name in os.environ if name != "NO_COLOR"}
    done = subprocess.run(
        [*SITEMAPPER, "build", "absent"],
        cwd=tmp_path,
        env={**environment, "TERM": "xterm", **variables},
        stderr=stream,
    )
    os.close(stream)
    said = os.read(terminal, 10_000)
    os.close(terminal)
    assert (done.returncode, b"\x1b[" in said) == (2, is_coloured)


@pytest.mark.slow
def test_validate_of_a_closed_stdin() -> None:
    command = f"{shlex.quote(sys.executable)} -m sitemapper validate - <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    said = (
        "error: cannot read from -: stdin is closed\n  help: pass a sitemap or a folder instead\n"
    )
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.slow
@pytest.mark.parametrize("command", [BUILD, [*SITEMAPPER, "schema"]])
def test_where_nobody_reads_the_output(site: Path, command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr
    assert (site / "sitemap.xml").exists() == (command is BUILD)
