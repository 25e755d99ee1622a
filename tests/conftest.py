"""Fixtures for all tests: a site's folder, the command line, a machine without our settings."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from support import Run, Site, build, write_site
from support.laws import PROFILE

from sitemapper.model import Page
from sitemapper.project.witnesses import HEAD
from sitemapper.site import read as reading

hypothesis.settings.load_profile(PROFILE)
# With the default, a tenth of the time goes into looking at what pytest keeps.
gc.set_threshold(200_000, 20, 100)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """`site({"a/index.html": "..."})` writes a site and returns its folder."""
    root = tmp_path / "public"
    root.mkdir()
    return lambda files: write_site(root, files)


@pytest.fixture
def closed_to_us(tmp_path: Path) -> Iterator[Path]:
    """A site's folder, and a user for whom permissions hold: root runs such tests as nobody."""
    build(
        write_site(tmp_path / "warm", {"a.html": "<p>"})
    )  # what is imported late may be closed to nobody
    root = Path(tempfile.mkdtemp())
    if os.geteuid() == 0:
        os.chown(root, 65534, 65534)
        os.seteuid(65534)
    try:
        yield root
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        shutil.rmtree(root)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that are read whole, not those of which each run reads the beginning only."""
    found: list[str] = []
    read = reading.read

    def spying(folder: Any, page: Page, limit: int) -> bytes:
        if limit != HEAD:
            found.append(page.path)
        return read(folder, page, limit)

    monkeypatch.setattr(reading, "read", spying)
    return found


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test works in its own folder, so that no configuration of ours is found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in [n for n in os.environ if n.startswith("SITEMAPPER_") or n == "SOURCE_DATE_EPOCH"]:
        monkeypatch.delenv(name)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)
