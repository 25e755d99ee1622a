"""Where the disk is cold many threads fetch pages; where it is warm none does; the result is the same."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, POSIX, Site, build, settings

import sitemapper
from sitemapper.pipeline import plan
from sitemapper.site import read as reading

PAGES = {f"{n}.html": '<meta name="robots" content="noindex">' if n % 3 else "<p>" for n in range(40)}


def readers(monkeypatch: pytest.MonkeyPatch, slow: float) -> set[str]:
    """The threads that will have read pages, if a disk counts as cold that needs so many seconds."""
    names: set[str] = set()
    real = reading.read

    def noted(*given: Any) -> bytes:
        names.add(threading.current_thread().name)
        return real(*given)

    monkeypatch.setattr(reading, "_SLOW", slow)
    monkeypatch.setattr(reading, "read", noted)
    return names


def test_threads_read_a_cold_disk_and_only_that(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(PAGES)
    warm = readers(monkeypatch, 3600)
    first = build(root)
    assert warm == {"MainThread"}
    cold = readers(monkeypatch, 0)
    second = build(root, max_drop=100)
    assert len(cold) > 1
    assert (first.listed, first.excluded) == (second.listed, second.excluded) == (14, first.excluded)


def test_only_pages_that_must_be_read_are_fetched(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(PAGES)
    fetched: set[str] = set()
    real = reading._fetch
    monkeypatch.setattr(reading, "_SLOW", 0)
    monkeypatch.setattr(reading, "_fetch", lambda f, page: (fetched.add(page.path), real(f, page))[1])
    build(root, rules=[{"match": ["1*.html"], "list": False}])
    assert fetched == {path for path in PAGES if not path.startswith("1")}
    fetched.clear()
    build(root, respect=dict.fromkeys(("noindex", "canonical", "refresh"), False))
    assert fetched == set()


def test_what_vanishes_before_it_is_fetched_is_told_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(PAGES)
    real = reading._fetch

    def gone(folder: Any, page: Any) -> float:
        (root / "3.html").unlink(missing_ok=True)
        return real(folder, page)

    monkeypatch.setattr(reading, "_SLOW", 0)
    monkeypatch.setattr(reading, "_fetch", gone)
    warnings = build(root).warnings
    assert [(kind.name, count) for kind, count, _ in warnings] == [("UNREADABLE", 1)]


@POSIX
@pytest.mark.parametrize("kind", ["link out of the site", "pipe"])
def test_what_a_page_became_since_the_walk_is_not_read(site: Site, tmp_path: Path, kind: str) -> None:
    root = site({"a.html": "<p>text"})
    folder = plan.make_plan(settings(root), NOW).folder
    page = sitemapper.site.walk.page(folder, "a.html")
    assert page and reading.read(folder, page, 99) == b"<p>text"
    (root / "a.html").unlink()
    if kind == "pipe":
        os.mkfifo(root / "a.html")
    else:
        (tmp_path / "secret.html").write_text("secret")
        (root / "a.html").symlink_to(tmp_path / "secret.html")
    with pytest.raises(OSError, match="became something else"):
        reading.read(folder, page, 99)


def test_nothing_outside_the_site_is_read_through_an_alternate(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.html").write_text("<p>secret")
    link = '<html><head><link rel="alternate" hreflang="de" href="https://example.com/link.html"></head>'
    root = site({"a.html": link})
    os.symlink(tmp_path / "secret.html", root / "link.html")
    read: list[str] = []
    real = reading.read

    def noted(folder: Any, page: Any, limit: int) -> bytes:
        read.append(page.path)
        return real(folder, page, limit)

    monkeypatch.setattr(reading, "read", noted)
    sitemapper.build(settings(root, hreflang=True), now=NOW)
    assert set(read) == {"a.html"}
