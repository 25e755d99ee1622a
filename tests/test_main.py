"""How the process ends, as a shell sees it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support import POSIX, SITEMAPPER

pytestmark = POSIX


@pytest.mark.slow
def test_a_start_in_a_folder_that_was_removed(tmp_path: Path) -> None:
    command = f"cd {shlex.quote(str(tmp_path))} && mkdir x && cd x && rmdir ../x && {sys.executable} -m sitemapper build"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    said = "error: working directory: No such file or directory\n"
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
