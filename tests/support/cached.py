"""Builds with a cache, and what may happen to a site between two of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sitemapper
from sitemapper import Summary

from . import MTIME, settings, write_site
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


Act = Callable[[Path], object]


ACTS: dict[str, Act] = {
    "a page is edited": lambda root: write_site(root, {"a.html": "edited"}, mtime=MTIME + 9),
    "a page is touched": lambda root: os.utime(root / "a.html", (MTIME + 9, MTIME + 9)),
    "a page is replaced, size and time the same": lambda root: (
        write_site(root, {"new": NOINDEX[:4]}),
        os.utime(root / "new", (MTIME, MTIME)),
        os.replace(root / "new", root / "a.html"),
    ),
    "a page is new": lambda root: write_site(root, {"b/new.html": "<p>"}),
    "a page is gone": lambda root: os.unlink(root / "c.html"),
    "a page is moved": lambda root: os.rename(root / "c.html", root / "b/c.html"),
    "a folder is new": lambda root: write_site(root, {"d/e/index.html": "<p>"}),
    "a file that is no page is new beside pages": lambda root: write_site(root, {"b/index": ""}),
    "robots.txt closes a page": lambda root: (root / "robots.txt").write_text(
        "User-agent: *\nDisallow: /a\n"
    ),
    "robots.txt is gone": lambda root: os.unlink(root / "robots.txt"),
    "the sitemap is gone": lambda root: os.unlink(root / "sitemap.xml"),
    "the sitemap is edited": lambda root: (root / "sitemap.xml").write_text(
        (root / "sitemap.xml").read_text() + "\n"
    ),
    "the ledger is gone": lambda root: os.unlink(root.parent / "sitemapper.ledger"),
    "redirects are new": lambda root: (root / "_redirects").write_text("/a.html /c.html 301!\n"),
    "the host is known": lambda root: (root.parent / "netlify.toml").write_text(""),
    "an ignore file is new": lambda root: (root / ".sitemapignore").write_text("a.html\n"),
    "somebody's packed sitemap": lambda root: (root / "sitemap.xml.gz").write_bytes(b"x"),
}
