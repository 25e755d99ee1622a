"""Builds with a cache."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sitemapper
from sitemapper import Summary

from . import settings
from .heads import NOINDEX

# Folders have the times at which a test runs: records are for what is older.
NOW = datetime.now(UTC) + timedelta(days=1)


LEDGER = {"lastmod": ["ledger", "mtime"]}


def cached(root: Path, *, now: datetime = NOW, **values: Any) -> Summary:
    # The links of a few pages are looked at in each run in which nobody chose a style.
    options = settings(root, **{"url_style": "directory", **values})
    return sitemapper.build(options, now=now, cache=str(root.parent / "cache"))


def records(root: Path) -> list[Path]:
    return sorted((root.parent / "cache").iterdir(), key=lambda path: path.suffix)


PAGES = {"a.html": "a", "b/index.html": NOINDEX, "c.html": "c"}
