"""The progress of long runs, on a terminal."""

from __future__ import annotations

import sys
from contextlib import closing

import pytest
from support import BASE, Run, Site

from sitemapper.cli import progress


def terminal(patch: pytest.MonkeyPatch) -> None:
    """Makes both streams a terminal. No fixture, because pytest exchanges the streams after those."""
    for stream in (sys.stdout, sys.stderr):
        patch.setattr(stream, "isatty", lambda: True)
    for name, value in {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100"}.items():
        patch.setenv(name, value)


SITE = {
    "index.html": "",
    "404.html": "",
    **{f"drafts/{n}.html": "" for n in range(5)},
    "old/a.html": "",
}


BUILD = ("--base-url", BASE, "--ignore", "drafts/*.html", "--ignore", "old/")


def test_a_long_run_shows_its_phase_and_how_far_it_is(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal(monkeypatch)
    root = site(SITE)
    assert run("build", root, *BUILD) == 0
    assert "reading" not in run.err  # took less than a second
    for name in ("QUIET_SECONDS", "_PAUSE_SECONDS"):
        monkeypatch.setattr(progress, name, 0.0)
    assert run("build", root, *BUILD) == 0
    assert " 0 pages" not in run.err.partition("reading")[0]
    assert "reading ━" in run.err and "writing ━" in run.err and "8 pages" in run.err
    assert run("build", root, *BUILD, "--quiet") == 0
    assert run.err == ""


@pytest.mark.parametrize(("published", "share"), [(None, None), (20, 0.5), (1, 1.0)])
def test_the_last_run_tells_how_many_pages_there_are(
    published: int | None, share: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    with closing(progress.Bar(lambda: published, quiet=False)) as bar:
        bar.show("reading", 10)
        assert bar._progress
        (task,) = bar._progress.tasks
        assert (task.completed / task.total if task.total else None) == share
