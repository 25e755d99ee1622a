"""Builds with a cache, and what may happen to a site between two of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import MTIME, settings, write_site

import sitemapper
from sitemapper import Summary
from sitemapper.output import write as publish

# Folders have the times at which a test runs: records are for what is older.
NOW = datetime.now(UTC) + timedelta(days=1)


LEDGER = {"lastmod": ["ledger", "mtime"]}


NOINDEX = '<html><head><meta name="robots" content="noindex"></head><body>'


def cached(root: Path, *, now: datetime = NOW, **values: Any) -> Summary:
    return sitemapper.build(settings(root, **values), now=now, cache=str(root.parent / "cache"))


PAGES = {"a.html": "<p>a", "b/index.html": NOINDEX, "c.html": "<p>c"}


Act = Callable[[Path], object]


ACTS: dict[str, Act] = {
    "a page is edited": lambda root: write_site(root, {"a.html": "<p>edited"}, mtime=MTIME + 9),
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


def ends_after_the_walk(root: Path, monkeypatch: pytest.MonkeyPatch, **values: Any) -> bool:
    """Whether the next run publishes nothing because it knows that nothing changed."""
    began = []
    whole = publish.publish

    def spying(*args: Any, **more: Any) -> Summary:
        began.append(1)
        return whole(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(publish, "publish", spying)
        cached(root, **values)
    return not began
