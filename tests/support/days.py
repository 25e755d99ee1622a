"""Commits on days of January 2026, and these days in the sitemap."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from .git import Repo
from .rooms import BASE


def commit_on(day: int, root: Path, files: Mapping[str, str]) -> Path:
    """Writes files, and commits all of the folder on a day."""
    Repo(root).commit(day, files)
    return root


def days_in(site: Path) -> dict[str, int]:
    """The days in the sitemap, by path below the base URL, 0 without a date; {} without one."""
    file = site / "sitemap.xml"
    text = file.read_text() if file.exists() else ""
    rows = re.findall(r"<loc>([^<]*)</loc>(?:<lastmod>2026-01-(\d\d))?", text)
    return {loc.removeprefix(BASE): int(day or 0) for loc, day in rows}
