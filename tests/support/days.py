"""Commits on days of January 2026, and these days in the sitemap."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.rooms import BASE, git, write


def commit_on(day: int, root: Path, files: Mapping[str, str]) -> Path:
    """Writes files, and commits all of the folder at noon of a day."""
    write(root, files)
    git(root, "init", "-q")
    git(root, "add", ".")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", f"2026-01-{day:02}T12:00:00Z")
        git(root, "commit", "-qm", "Edit")
    return root


def days_in(site: Path) -> dict[str, int]:
    """The days in the sitemap, by path below the base URL, 0 without a date; {} without one."""
    file = site / "sitemap.xml"
    text = file.read_text() if file.exists() else ""
    rows = re.findall(r"<loc>([^<]*)</loc>(?:<lastmod>2026-01-(\d\d))?", text)
    return {loc.removeprefix(BASE): int(day or 0) for loc, day in rows}
