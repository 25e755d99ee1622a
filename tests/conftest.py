"""Fixtures for all tests: a site's folder, the command line, a machine without our settings."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from support import Run, Site, write_site
from support.laws import PROFILE
from support.trial import Trial
from support.web import Web, web

hypothesis.settings.load_profile(PROFILE)
# With the default, a tenth of the time goes into looking at what pytest keeps.
gc.set_threshold(200_000, 20, 100)
# A job in the background ignores SIGINT, and so do the processes that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """The tests themselves stay to the end, so no search for garbage looks at them."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _no_wait_for_the_disk() -> Iterator[None]:
    """Nobody cuts the power while tests run, and flushing each file took a fifth of their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """`site({"a/index.html": "..."})` writes a site and returns its folder."""
    root = tmp_path / "public"
    root.mkdir()
    return lambda files: write_site(root, files)


@pytest.fixture(autouse=True, scope="session")
def _empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where tests work that ask for no folder of their own. They leave nothing there."""
    folder = tmp_path_factory.mktemp("empty")
    yield folder
    assert os.listdir(folder) == []


@pytest.fixture
def _folder(request: pytest.FixtureRequest, _empty: Path) -> Path:
    """The test's own folder if it asks for one. Half of the tests need none."""
    if "tmp_path" not in request.fixturenames:
        return _empty
    own: Path = request.getfixturevalue("tmp_path")
    return own


# The folder comes first, so that it is removed when no function is replaced any more.
@pytest.fixture(autouse=True)
def _elsewhere(_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test works in the repository, so that no configuration of ours is found."""
    monkeypatch.chdir(_folder)
    for name in [n for n in os.environ if n.startswith("SITEMAPPER_") or n == "SOURCE_DATE_EPOCH"]:
        monkeypatch.delenv(name)


@pytest.fixture
def live() -> Iterator[Web]:
    """A server on this machine, as the live site; `live.pages` are what it answers."""
    with web() as server:
        yield server


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    """A site that is built in one state, to be disturbed on its way to the other."""
    return Trial(tmp_path)
