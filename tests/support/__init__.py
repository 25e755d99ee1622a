"""Sites from dictionaries, builds of them in this process, and what was published."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import sitemapper
from sitemapper.__main__ import main
from sitemapper.commands.build import Summary
from sitemapper.model import Setup

NOW = datetime(2026, 6, 1, tzinfo=UTC)
MTIME = 1_767_323_045  # 2026-01-02T03:04:05+00:00
BASE = "https://example.com/"
SITEMAPPER = (sys.executable, "-m", "sitemapper")  # the program, in a process of its own

Site = Callable[[Mapping[str, str | bytes]], Path]
Count = Callable[[str, int], None]


def write_site(root: Path, files: Mapping[str, str | bytes], mtime: int = MTIME) -> Path:
    """Writes files; each gets a minute of its own, so that no dates are uniform.

    In an HTML file, a text without a tag stands for any page with that text, as such a file is none itself.
    """
    for n, (name, content) in enumerate(files.items()):
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            is_text = (
                isinstance(content, str)
                and "<" not in content
                and "htm" in name.rpartition(".")[2].lower()
            )
            text = f"<title></title><p>{content}" if is_text else content
            file.write(text.encode() if isinstance(text, str) else text)
        os.utime(path, (mtime + 3600 * n, mtime + 3600 * n))
    return root


POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX file kinds, locks and permissions")


def settings(root: Path | str, **values: Any) -> Setup:
    """What a run of a site starts from, with what the test sets."""
    given = {"base_url": BASE, "site": str(root), **values}
    return sitemapper.load(given, cwd=os.path.dirname(str(root)))


def asking(setup: Setup, **values: Any) -> Setup:
    """The same, for a call that asks for more: `jobs`, `replace` …"""
    return setup._replace(run=setup.run._replace(**values))


def build(root: Path | str, *, dry_run: bool = False, **values: Any) -> Summary:
    """Builds a site at the time that tests agree on."""
    return sitemapper.build(settings(root, **values), now=NOW, dry_run=dry_run)


def locs(root: Path, name: str = "sitemap.xml") -> list[str]:
    """The URLs of a sitemap, read by somebody else's parser."""
    tree = ElementTree.parse(root / name)
    return [
        element.text or ""
        for element in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    ]


def paths(root: Path, name: str = "sitemap.xml") -> list[str]:
    """The URLs of a sitemap below the base."""
    return [loc.removeprefix(BASE) for loc in locs(root, name)]


def lastmods(root: Path) -> list[str | None]:
    """The date of each entry of a sitemap."""
    text = (root / "sitemap.xml").read_text()
    return [m[1] for m in re.finditer(r"</loc>(?:<lastmod>(.*?)</lastmod>)?", text)]


def changed(summary: Summary) -> dict[str, str]:
    """What a build did to each file: `created`, `updated`, `kept`, `removed`."""
    return {file.name: file.change for file in summary.plan.files}


class Run:
    """The command line in this process: `run("build", "public")` gives the exit code and what was said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *argv: object) -> int:
        code = main([str(arg) for arg in argv])
        self.out, self.err = self._capsys.readouterr()
        return code


def unmeasured() -> dict[str, str]:
    """The environment of a process that loads and writes nothing for coverage."""
    return {name: text for name, text in os.environ.items() if not name.startswith("COVERAGE_")}


def for_starved() -> dict[str, str]:
    """The environment of a process that is starved.

    Coverage could not write what it measured, and Python would leave half of a compiled module to all others.
    """
    return {**unmeasured(), "PYTHONDONTWRITEBYTECODE": "1"}


def warnings_of(summary: Summary) -> list[str]:
    """The warnings of a run as they are printed."""
    return [one.text for one in summary.messages if one.severity == "warning"]


def notes_of(summary: Summary) -> list[str]:
    """The notes of a run as they are printed."""
    return [one.text for one in summary.messages if one.severity == "note"]
