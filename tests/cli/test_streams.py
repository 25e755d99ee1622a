"""What goes to which stream, and in which colours."""

from __future__ import annotations

import sys

import pytest
from support import BASE, Run, Site


def test_quiet_says_nothing_but_errors(site: Site, run: Run) -> None:
    root = site({"a.html": "", "robots.txt": f"Sitemap: {BASE}gone.xml\n"})
    assert run("build", root, "--base-url", BASE, "--quiet") == 0
    assert (run.out, run.err) == ("", "")
    assert run("build", "gone", "--base-url", BASE, "--quiet") == 2
    assert run.err.startswith("error: ")


@pytest.mark.parametrize(("choice", "coloured"), [("always", True), ("never", False), ("auto", False)])
def test_colour(site: Site, run: Run, choice: str, coloured: bool) -> None:
    root = site({"a.html": ""})
    assert run("build", root, "--base-url", BASE, "--color", choice) == 0
    assert ("\x1b[" in run.out) is coloured


def test_the_help_has_colours_on_a_terminal_and_names_the_documentation(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("--help") == 0
    assert "Documentation: https://" in run.out.splitlines()[-1]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for command in ([], ["rule"], ["schema"]):
        assert run(*command, "--help") == 0
        assert "\x1b[1m" in run.out
