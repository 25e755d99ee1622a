"""What a person sees on a terminal: a tree, examples of each reason, and the progress of long runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support import BASE, NOW, Run, Site, settings
from support.git import Repo

import sitemapper
from sitemapper.cli import progress


def terminal(patch: pytest.MonkeyPatch) -> None:
    """Makes both streams a terminal. No fixture, because pytest exchanges the streams after those."""
    for stream in (sys.stdout, sys.stderr):
        patch.setattr(stream, "isatty", lambda: True)
    for name, value in {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100"}.items():
        patch.setenv(name, value)


SITE = {"index.html": "", "404.html": "", **{f"drafts/{n}.html": "" for n in range(5)}, "old/a.html": ""}
BUILD = ("--base-url", BASE, "--ignore", "drafts/*.html", "--ignore", "old/")


def test_the_summary_is_a_tree(site: Site, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal(monkeypatch)
    assert run("build", site(SITE), *BUILD) == 0
    *lines, end = run.out.splitlines()
    assert lines == [
        "https://example.com/sitemap.xml",
        "├─ 1 page listed",
        "├─ 6 excluded, 1 folder not entered",
        "│  └─ 6 ignored",
        "├─ created  sitemap.xml  1 URL",
        "├─ created  robots.txt",
    ]
    assert end.startswith("└─ published, ")


def test_verbose_names_examples_with_the_line_that_decided(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal(monkeypatch)
    root = site({**SITE, "a.html": '<meta name="robots" content="noindex">'})
    assert run("build", root, *BUILD, "--verbose") == 0
    assert run.out.splitlines()[2:9] == [
        "├─ 7 excluded, 1 folder not entered",
        "│  ├─ 6 ignored",
        "│  │  ├─ 404.html (built-in default: 404.html)",
        "│  │  ├─ drafts/0.html (--ignore: drafts/*.html)",
        "│  │  └─ drafts/1.html (--ignore: drafts/*.html)",
        "│  └─ 1 noindex",
        '│     └─ a.html: <meta name="robots" content="noindex">',
    ]


def test_a_pipe_gets_lines_without_a_tree(site: Site, run: Run) -> None:
    root = site(SITE)
    assert run("build", root, *BUILD, "--verbose") == 0
    assert run.out.splitlines()[:6] == [
        "https://example.com/sitemap.xml",
        "  1 page listed",
        "  6 excluded (6 ignored), 1 folder not entered",
        "    ignored: 404.html (built-in default: 404.html)",
        "    ignored: drafts/0.html (--ignore: drafts/*.html)",
        "    ignored: drafts/1.html (--ignore: drafts/*.html)",
    ]


def test_a_terminal_that_cannot_draw_gets_no_tree(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    assert run("build", site(SITE), *BUILD) == 0
    assert "├" not in run.out


def test_a_long_run_shows_its_phase_and_how_far_it_is(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal(monkeypatch)
    root = site(SITE)
    assert run("build", root, *BUILD) == 0
    assert "reading" not in run.err  # took less than a second
    for name in ("QUIET_SECONDS", "_PAUSE"):
        monkeypatch.setattr(progress, name, 0.0)
    assert run("build", root, *BUILD) == 0
    assert " 0 pages" not in run.err.partition("reading")[0]
    assert "reading ━" in run.err and "writing ━" in run.err and "8 pages" in run.err
    assert run("build", root, *BUILD, "--quiet") == 0
    assert run.err == ""


@pytest.mark.parametrize(("published", "share"), [(None, None), (4, 0.5), (1, 1.0)])
def test_the_last_run_tells_how_many_pages_there_are(
    published: int | None, share: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    bar = progress.Bar(lambda: published, quiet=False)
    bar.show("reading", 10, 2)
    assert bar._progress
    (task,) = bar._progress.tasks
    assert (task.completed / task.total if task.total else None) == share
    bar.stop()


def phases(root: Path, **values: object) -> list[str]:
    class RunObserver(sitemapper.Observer):
        def phase(self, name: str) -> None:
            found.append(name)

    found: list[str] = []
    sitemapper.build(settings(root, **values), now=NOW, listener=RunObserver())
    return list(dict.fromkeys(found))


def test_the_phases_of_a_run(site: Site, tmp_path: Path) -> None:
    root = site({"a.html": ""})
    nothing = dict.fromkeys(("noindex", "canonical", "refresh", "no_page"), False)
    assert phases(root) == ["reading", "writing"]
    assert phases(root, respect=nothing) == ["listing", "writing"]
    repo = Repo(root)
    repo("add", "-A")
    repo("commit", "-q", "-m", "x")
    assert phases(root, lastmod=["git"]) == ["dating", "reading", "writing"]
