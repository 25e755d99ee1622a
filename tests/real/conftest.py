"""What several tests share: what `make dist` builds."""

from __future__ import annotations

from pathlib import Path

import pytest

from real.tools import ROOT, run


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the source archive; each process builds its own."""
    folder = tmp_path_factory.mktemp("made") / "dist"
    run("make", "dist", f"DIST={folder}", cwd=ROOT, env={"MAKEFLAGS": ""})
    return folder
