"""What goes to which stream, and in which colours."""

from __future__ import annotations

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
