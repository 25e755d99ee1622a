"""An unchanged site ends after the walk, and whatever changes is noticed."""

from __future__ import annotations

import errno
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cached import ACTS, LEDGER, NOW, PAGES, Act, cached, ends_after_the_walk
from conftest import POSIX, Site, settings, write_site

import sitemapper


def test_an_unchanged_site_ends_after_the_walk(
    site: Site, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site(PAGES)
    first = cached(root, **LEDGER)
    reads.clear()
    assert ends_after_the_walk(root, monkeypatch, **LEDGER)
    again = cached(root, **LEDGER)
    assert reads == []
    assert again == sitemapper.build(settings(root, **LEDGER), now=NOW)
    assert (again.listed, again.excluded) == (first.listed, first.excluded)


def test_a_dry_run_knows_it_too_and_leaves_no_record(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(PAGES)
    sitemapper.build(settings(root), now=NOW, dry_run=True, cache=str(root.parent / "cache"))
    assert not ends_after_the_walk(root, monkeypatch)
    assert ends_after_the_walk(root, monkeypatch)


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_whatever_changes_is_noticed(site: Site, monkeypatch: pytest.MonkeyPatch, act: Act) -> None:
    root = site(PAGES)
    cached(root, **LEDGER)
    assert ends_after_the_walk(root, monkeypatch, **LEDGER)
    act(root)
    assert not ends_after_the_walk(root, monkeypatch, **LEDGER)


@pytest.mark.parametrize(
    "values",
    [
        {"lastmod": ["mtime"]},
        {**LEDGER, "ledger": {"drop": ["p"]}},
        {**LEDGER, "ignore": ["a.html"]},
        {**LEDGER, "hreflang": True},
    ],
)
def test_other_settings_are_another_run(
    site: Site, monkeypatch: pytest.MonkeyPatch, values: dict[str, Any]
) -> None:
    root = site(PAGES)
    cached(root, **LEDGER)
    assert not ends_after_the_walk(root, monkeypatch, **values)


def test_what_depends_on_the_day_is_asked_each_time(site: Site) -> None:
    after = f'<html><head><meta name="robots" content="unavailable_after: {NOW + timedelta(days=1):%Y-%m-%d}"></head><body>'
    root = site({"a.html": after, "b.html": "<p>", "c.html": "<p>"})
    os.utime(root / "c.html", (NOW.timestamp() + 9, NOW.timestamp() + 9))
    assert [w[0].name for w in cached(root).warnings] == ["FUTURE"]
    later = cached(root, now=NOW + timedelta(days=3))
    assert later.listed == 2
    assert later.warnings == ()


def test_a_clock_that_was_set_back(site: Site) -> None:
    root = site(PAGES)
    cached(root)
    early = cached(root, now=datetime(2026, 1, 1, tzinfo=UTC))
    assert [w[0].name for w in early.warnings] == ["FUTURE"]


@POSIX
def test_a_page_that_could_not_be_read_is_tried_again(closed_to_us: Path) -> None:
    root = (
        write_site(closed_to_us / "public", PAGES)
        if (closed_to_us / "public").mkdir() is None
        else closed_to_us
    )
    os.chmod(root / "a.html", 0)
    assert [w[0].name for w in cached(root).warnings] == ["UNREADABLE"]
    os.chmod(root / "a.html", 0o644)
    assert cached(root).warnings == ()


def test_a_new_commit_is_noticed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(PAGES)
    git = ("git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false")
    subprocess.run((*git, "init", "-q"), check=True)
    subprocess.run((*git, "add", "."), check=True)
    subprocess.run((*git, "commit", "-q", "-m", "x"), check=True)
    cached(root, lastmod=["git"])
    assert ends_after_the_walk(root, monkeypatch, lastmod=["git"])
    subprocess.run((*git, "commit", "-q", "--allow-empty", "-m", "y"), check=True)
    assert not ends_after_the_walk(root, monkeypatch, lastmod=["git"])


def test_a_cache_that_takes_no_new_file_is_no_error(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(PAGES)

    def closed(folder: str) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), folder)

    monkeypatch.setattr("sitemapper.pipeline.fingerprint.temporary", closed)
    assert cached(root).listed > 0


def test_the_page_behind_a_link_to_a_folder_is_no_part_of_the_fingerprint(site: Site, tmp_path: Path) -> None:
    page = '<html><head><link rel="canonical" href="https://example.com/link/x.html"></head>'
    root = site({"a.html": page, "b.html": "<p>"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out/x.html").write_text("<p>")
    os.symlink(tmp_path / "out", root / "link")
    assert not cached(root).warnings
    (tmp_path / "out/x.html").unlink()
    assert [caution.name for caution, _, _ in cached(root).warnings] == ["MISSING"]


@POSIX
def test_a_record_that_cannot_be_written_whole_leaves_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site(PAGES)

    real = os.replace

    def full(new: str, path: str) -> None:
        if path.endswith(".run"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        real(new, path)

    monkeypatch.setattr(os, "replace", full)
    cached(root)
    assert [path.suffix for path in (root.parent / "cache").iterdir()] == [".pages"]
