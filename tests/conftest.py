"""Builders that tests share: sites from dictionaries, runs of the program."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import sitemapper
from sitemapper import Settings, Summary
from sitemapper.__main__ import main
from sitemapper.model import Page
from sitemapper.site import read as reading

NOW = datetime(2026, 6, 1, tzinfo=UTC)
MTIME = 1_767_323_045  # 2026-01-02T03:04:05+00:00
BASE = "https://example.com/"

# `make test` runs the short one, `make fuzz` the long one.
hypothesis.settings.register_profile("short", deadline=None)
hypothesis.settings.register_profile("long", deadline=None, max_examples=10_000)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "short")
hypothesis.settings.load_profile(PROFILE)
FEW = hypothesis.settings(max_examples=400 if PROFILE == "long" else 40)  # of what builds whole sites

Site = Callable[[Mapping[str, str | bytes]], Path]


def write_site(root: Path, files: Mapping[str, str | bytes], mtime: int = MTIME) -> Path:
    """Writes files; each gets a minute of its own, so that no dates are uniform."""
    for n, (name, content) in enumerate(files.items()):
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.utime(path, (mtime + 3600 * n, mtime + 3600 * n))
    return root


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """`site({"a/index.html": "..."})` writes a site and returns its folder."""
    root = tmp_path / "public"
    root.mkdir()
    return lambda files: write_site(root, files)


POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX file kinds, locks and permissions")


@pytest.fixture
def closed_to_us(tmp_path: Path) -> Iterator[Path]:
    """A site's folder, and a user for whom permissions hold: root runs such tests as nobody."""
    build(write_site(tmp_path / "warm", {"a.html": "<p>"}))  # what is imported late may be closed to nobody
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
    """The pages that are read."""
    found: list[str] = []
    read = reading.read

    def spying(folder: Any, page: Page, limit: int) -> bytes:
        found.append(page.path)
        return read(folder, page, limit)

    monkeypatch.setattr(reading, "read", spying)
    monkeypatch.setattr(reading, "warm", lambda *_: None)  # which reads some pages twice
    return found


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test works in its own folder, so that no configuration of ours is found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in [n for n in os.environ if n.startswith("SITEMAPPER_") or n == "SOURCE_DATE_EPOCH"]:
        monkeypatch.delenv(name)


def settings(root: Path | str, **values: Any) -> Settings:
    return sitemapper.load({"base_url": BASE, "site": str(root), **values}, cwd=os.path.dirname(str(root)))


def build(root: Path | str, *, dry_run: bool = False, **values: Any) -> Summary:
    return sitemapper.build(settings(root, **values), now=NOW, dry_run=dry_run)


def locs(root: Path, name: str = "sitemap.xml") -> list[str]:
    """The URLs of a sitemap, read by somebody else's parser."""
    from xml.etree import ElementTree

    tree = ElementTree.parse(root / name)
    return [element.text or "" for element in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]


def paths(root: Path, name: str = "sitemap.xml") -> list[str]:
    return [loc.removeprefix(BASE) for loc in locs(root, name)]


class Run:
    """The command line in this process: `run("build", "public")` gives the exit code and what was said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *argv: object) -> int:
        code = main([str(arg) for arg in argv])
        self.out, self.err = self._capsys.readouterr()
        return code


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)
