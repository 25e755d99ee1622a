"""What a person reads of a run: the same lines on a terminal and in a pipe, examples, streams, colours."""

from __future__ import annotations

import sys

import pytest
from support import BASE, POSIX, Run, Site

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


def test_verbose_names_examples_with_the_line_that_decided(site: Site, run: Run) -> None:
    root = site({**SITE, "a.html": '<meta name="robots" content="noindex">'})
    assert run("build", root, *BUILD, "--verbose") == 0
    assert run.out.splitlines()[:8] == [
        "https://example.com/sitemap.xml",
        "  1 page listed",
        "  7 excluded (6 ignored, 1 noindex)",
        "  1 ignored folder not searched",
        "    ignored: 404.html (built-in default: 404.html)",
        "    ignored: drafts/0.html (--ignore: drafts/*.html)",
        "    ignored: drafts/1.html (--ignore: drafts/*.html)",
        '    noindex: a.html: <meta name="robots" content="noindex">',
    ]


def test_a_terminal_shows_what_a_pipe_gets(
    site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("build", site(SITE), *BUILD, "--dry-run", "--verbose")
    assert run(*command) == 0
    piped = run.out.splitlines()
    terminal(monkeypatch)
    assert run(*command) == 0
    assert run.out.splitlines()[:-1] == piped[:-1]  # but for the time


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


@POSIX
def test_names_give_the_log_of_a_workflow_no_commands(site: Site, run: Run) -> None:
    """Runners read `##[` as they read `::`, also in the middle of a line."""
    root = site(
        {"##[set-output name=x]y.html": '<meta name="robots" content="noindex">', "a.html": ""}
    )
    assert run("build", root, "--base-url", BASE, "-v", "--excluded", "-") == 0
    assert "set-output" in run.out and "##[" not in run.out + run.err


def test_quiet_says_nothing_but_errors(site: Site, run: Run) -> None:
    root = site({"a.html": "", "robots.txt": f"Sitemap: {BASE}gone.xml\n"})
    assert run("build", root, "--base-url", BASE, "--quiet") == 0
    assert (run.out, run.err) == ("", "")
    assert run("build", "gone", "--base-url", BASE, "--quiet") == 2
    assert run.err.startswith("error: ")


def test_the_help_has_colours_on_a_terminal_and_no_placeholder(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("--help") == 0
    assert "_OWNER_" not in run.out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for command in ([], ["schema"]):
        assert run(*command, "--help") == 0
        assert "\x1b[1m" in run.out
