"""One run at a time publishes into a folder, and keeps a ledger."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from datetime import timedelta

import pytest
from support import BASE, NOW, POSIX, Site, build, settings
from support.cached import LEDGER, cached
from support.ledger import pages

import sitemapper
from sitemapper import Listener, SitemapperError
from sitemapper.output.lock import all_locked, locked


def test_an_older_walk_does_not_publish_over_a_newer_one(site: Site) -> None:
    root = site({"a.html": ""})

    class Meddler(Listener):
        def walked(self, pages: int) -> None:
            with pytest.raises(SitemapperError, match="another run"), locked(str(root), wait=0.1):
                raise AssertionError("the walk holds no lock")

    sitemapper.build(settings(root), now=NOW, listener=Meddler())


def test_two_runs_may_not_keep_one_ledger_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site(pages("a"))
    monkeypatch.setattr("sitemapper.output.lock.WAIT", 0.1)
    monkeypatch.setattr("sitemapper.commands.build.all_locked", lambda folders: all_locked(folders, wait=0.1))
    with locked(str(root.parent)), pytest.raises(SitemapperError, match="another run"):
        cached(root, now=NOW + timedelta(1), **LEDGER)


@POSIX
def test_a_second_run_waits_and_then_says_so(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({"a.html": ""})
    other = ExitStack()
    other.enter_context(locked(str(root)))
    with pytest.raises(SitemapperError, match="another run of sitemapper uses this folder"), locked(str(root), wait=0):  # fmt: skip
        raise AssertionError("two runs hold one lock")
    waited: list[float] = []

    def then_the_other_ends(seconds: float) -> None:
        waited.append(seconds)
        other.close()

    monkeypatch.setattr("sitemapper.output.lock.time.sleep", then_the_other_ends)
    assert build(root).listed == 1
    assert len(waited) == 1


@POSIX
@pytest.mark.slow
def test_many_runs_at_once_leave_one_whole_set(site: Site) -> None:
    root = site({f"{n}.html": "" for n in range(9)})
    command = [sys.executable, "-m", "sitemapper", "build", str(root), "--base-url", BASE, "--max-urls", "4"]
    runs = [subprocess.Popen([*command, "--quiet"], stderr=subprocess.DEVNULL) for _ in range(6)]
    assert [run.wait(60) for run in runs] == [0] * 6
    assert sorted(path.name for path in root.iterdir() if path.suffix != ".html") == [
        "robots.txt",
        "sitemap-1.xml",
        "sitemap-2.xml",
        "sitemap-3.xml",
        "sitemap.xml",
    ]
